"""Runs lookalike and its rivals on one input, as whole processes in turn, and compares each answer with the truth.

Whole processes are measured, because a user waits for all steps: starting the program, reading, cutting, sketching, deciding and
writing. They run in turn, so that a slow minute of the machine affects all programs and not only one.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

from judge import judge

HERE = Path(__file__).resolve().parent
THRESHOLD = 0.8
NGRAM = 5
RIVALS = ("daft", "gaoya", "rensa", "datasketch")
HEADER = (
    "tool", "bands x rows", "wall s", "CPU s", "MB/s wall", "peak MB", "recall", "true pairs left in", "wrong drops",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """The cost of one process."""

    wall_s: float
    cpu_s: float
    peak_mb: float


@dataclass
class Tool:
    """A tool, the cost of its runs, and the verdict on its last answer."""

    name: str
    version: str | None
    bands_rows: str
    command: list[str]
    kept: Path
    problem: str | None = None
    runs: list[Run] = field(default_factory=list)
    verdict: dict[str, float | int | None] = field(default_factory=dict)

    def median(self) -> Run:
        """Returns the median of each measure separately."""
        return Run(*(median(getattr(run, name) for run in self.runs) for name in ("wall_s", "cpu_s", "peak_mb")))


def measure(command: Sequence[str], timeout: float) -> Run:
    """Runs a command. Raises TimeoutError if it had to be stopped, and RuntimeError if it failed."""
    with tempfile.TemporaryFile() as messages:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages)
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            process.kill()

        timer = threading.Timer(timeout, stop)
        timer.start()
        # This uses wait4 instead of Popen.wait, because only wait4 returns the cost of this process, and not the largest cost of
        # all earlier ones.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if stopped.is_set():
            raise TimeoutError(f"over {timeout:g} s")
        if process.returncode != 0:
            messages.seek(0)
            last_words = messages.read().decode(errors="replace").strip().splitlines()[-1:]
            raise RuntimeError(f"failed ({process.returncode}): {' '.join(last_words)}")
    # Linux gives ru_maxrss in KiB.
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


def lookalike(binary: str, args: argparse.Namespace, directory: Path) -> Tool:
    """Returns the lookalike command as a tool, with its own choice of bands and rows."""
    kept = directory / "lookalike.kept.jsonl"
    decisions = directory / "lookalike.decisions.jsonl"
    output = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
    command = [binary, "dedup", str(args.input), "-o", str(kept), "--decisions", str(decisions)]
    command += ["--threads", str(args.threads), "--quiet"]
    return Tool("lookalike", output.split()[-1], "its own choice", command, kept)


def rival(name: str, args: argparse.Namespace, directory: Path) -> Tool:
    """Returns a rival's program as a tool, run by this interpreter; the table reports a library that is not installed."""
    kept = directory / f"{name}.kept.jsonl"
    command = [sys.executable, str(HERE / f"{name}_dedup.py"), str(args.input), str(kept)]
    command += ["--threshold", str(THRESHOLD), "--ngram", str(NGRAM), "--threads", str(args.threads)]
    command += ["--bands", str(args.bands), "--rows", str(args.rows)]
    tool = Tool(name, None, f"{args.bands} x {args.rows}", command, kept)
    try:
        tool.version = version(name)
    except PackageNotFoundError:
        tool.problem = "not installed"
    return tool


def warm(path: Path) -> None:
    """Brings the input into the page cache, so that the first tool has the same conditions as the last.

    It reads small pieces, because Linux counts the largest size of a parent process into the peak of its child.
    """
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def run_in_turn(tools: Sequence[Tool], runs: int, timeout: float) -> None:
    """Runs every tool once per turn; a tool that is too slow or fails is not run again."""
    for turn in range(runs):
        for tool in tools:
            if tool.problem:
                continue
            print(f"run {turn + 1} of {runs}: {tool.name}", file=sys.stderr)
            try:
                tool.runs.append(measure(tool.command, timeout))
            except (TimeoutError, RuntimeError) as error:
                tool.problem = str(error)


def table(tools: Sequence[Tool], megabytes: float) -> str:
    """Returns the Markdown table."""
    rows = [HEADER, tuple("---" for _ in HEADER)]
    for tool in tools:
        name = f"{tool.name} {tool.version}" if tool.version else tool.name
        if tool.problem:
            rows.append((name, tool.bands_rows, tool.problem, *("" for _ in HEADER[3:])))
            continue
        cost = tool.median()
        recall = tool.verdict["recall"]
        rows.append(
            (
                name,
                tool.bands_rows,
                f"{cost.wall_s:.2f}",
                f"{cost.cpu_s:.2f}",
                f"{megabytes / cost.wall_s:.1f}",
                f"{cost.peak_mb:.0f}",
                "-" if recall is None else f"{recall:.4f}",
                str(tool.verdict["pairs_both_kept"]),
                str(tool.verdict["wrong_drops"]),
            )
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def machine() -> dict[str, str | int]:
    """Returns the facts that a reader needs to compare measurements from two machines."""
    facts = Path("/proc/cpuinfo").read_text().splitlines()
    models = [fact.partition(":")[2].strip() for fact in facts if fact.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
    }


def record(tools: Sequence[Tool], args: argparse.Namespace) -> dict[str, object]:
    """Returns all measurements, including each run, without paths of this machine."""
    return {
        "machine": machine(),
        "input": {"name": args.input.name, "bytes": args.input.stat().st_size},
        "settings": {"threshold": THRESHOLD, "ngram": NGRAM, "threads": args.threads, "runs": args.runs},
        "tools": [
            {
                "name": tool.name,
                "version": tool.version,
                "bands_rows": tool.bands_rows,
                "problem": tool.problem,
                "median": asdict(tool.median()) if tool.runs else None,
                "runs": [asdict(run) for run in tool.runs],
                "verdict": tool.verdict,
            }
            for tool in tools
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", type=Path, help="JSON Lines with the fields id and text")
    parser.add_argument("truth", type=Path, help="every pair at 0.8 or above, for judge.py")
    parser.add_argument("--lookalike", required=True, help='path of the binary, or "none" to run only the rivals')
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bands", type=int, default=16, help="of the rivals")
    parser.add_argument("--rows", type=int, default=8, help="of the rivals")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one run")
    parser.add_argument("--out", type=Path, help="where the JSON goes")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        tools = [] if args.lookalike == "none" else [lookalike(args.lookalike, args, directory)]
        tools += [rival(name, args, directory) for name in RIVALS]
        warm(args.input)
        run_in_turn(tools, args.runs, args.timeout)
        for tool in tools:
            if not tool.problem:
                tool.verdict = judge(args.truth, args.input, tool.kept, THRESHOLD)

    print(table(tools, args.input.stat().st_size / 1e6))
    if args.out:
        args.out.write_text(json.dumps(record(tools, args), indent=2) + "\n")


if __name__ == "__main__":
    main()
