"""Runs lookalike and other tools that remove repeated text, as whole processes in turn.

The same program judges all of them, only by the texts before and after.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import measuring

HERE = Path(__file__).resolve().parent
# The run of tokens that lookalike cuts, and by which repetitions that are left are counted.
WINDOW = 50
# 50 words of English have about 300 bytes.
BYTES = 300
HEADER = (
    "tool", "removes", "wall s", "CPU s", "peak MB", "removed", "lost", "lost once", "false", "broken words", "left",
    "same bytes",
)  # fmt: skip


@dataclass
class Tool:
    """A tool, the cost of its runs, and the verdict on its last output."""

    name: str
    removes: str
    # Its own environment's program and options; input, output and folder are filled in.
    command: list[str]
    version: str | None = None
    problem: str | None = None
    runs: list[measuring.Cost] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    verdict: dict = field(default_factory=dict)

    def record(self) -> dict[str, object]:
        """Returns the measurements that are written to the record."""
        return {
            "tool": self.name, "version": self.version, "removes": self.removes, "problem": self.problem,
            "runs": [run.record() for run in self.runs], "same_bytes": self.same_bytes(), **self.verdict,
        }  # fmt: skip

    def same_bytes(self) -> bool | None:
        """Returns whether all runs wrote the same bytes."""
        return len(set(self.digests)) == 1 if len(self.digests) > 1 else None

    def row(self) -> tuple[str, ...]:
        """Returns a row of the table."""
        named = (f"{self.name} {self.version or ''}".strip(), self.removes)
        if not self.verdict:
            return (*named, self.problem or "not run", *("" for _ in HEADER[3:]))
        found = self.verdict
        costs = [median(run.wall_s for run in self.runs), median(run.cpu_s + run.generator_cpu_s for run in self.runs)]
        counts = (found[name] for name in ("lost", "lost_once", "false_deletions", "broken_words", "repeats_left"))
        return (
            *named, *(f"{cost:.1f}" for cost in costs), f"{median(run.peak_mb for run in self.runs):.0f}",
            f"{100 * found['tokens_removed'] / found['tokens']:.1f} %", *(f"{count:,}" for count in counts),
            {True: "yes", False: "no", None: "-"}[self.same_bytes()],
        )  # fmt: skip


def tools(exact: Path | None, python: str) -> list[Tool]:
    """Returns all tools. `exact` is the built clone of Google's repository, and `python` has the packages of the others."""
    output = subprocess.run([measuring.lookalike(), "--version"], capture_output=True, text=True, check=True).stdout
    units = {"runs": f"runs of {WINDOW} tokens", "lines": "lines of 5 tokens", "sentences": "3 sentences"}
    windows = {"runs": WINDOW, "lines": 1, "sentences": 3}
    found = [
        Tool(f"lookalike {unit}", what, [measuring.lookalike(), "cut", "INPUT", "-o", "OUTPUT", "--quiet", "--unit", unit,
            "--window", str(windows[unit])], output.split()[-1])
        for unit, what in units.items()
    ]  # fmt: skip
    for name, removes, program, more, package in (
        ("ExactSubstr", f"runs of {BYTES} bytes", "with_exact_substr.py", ["EXACT", "WORK", "--bytes", str(BYTES)], None),
        ("text-dedup", f"runs of {BYTES} bytes", "with_text_dedup.py", ["EXACT", "WORK", "--bytes", str(BYTES)], "text-dedup"),
        ("datatrove", "3 sentences", "with_datatrove.py", ["WORK"], "datatrove"),
        ("dolma", "lines", "with_dolma.py", ["WORK"], "dolma"),
    ):
        tool = Tool(name, removes, [python, str(HERE / program), "INPUT", "OUTPUT", *more])
        if "EXACT" in more:
            if exact is None:
                tool.problem = "needs a clone of deduplicate-text-datasets"
            else:
                tool.command[tool.command.index("EXACT")] = str(exact)
        if package:
            try:
                tool.version = version(package)
            except PackageNotFoundError:
                tool.problem = "not installed"
        found.append(tool)
    return found


def part_of(source: Path, folder: Path, megabytes: int) -> Path:
    """Returns the path of the first documents of a collection, with about this size."""
    part = folder / f"{source.stem}-{megabytes}.jsonl"
    with source.open("rb") as lines, part.open("wb") as out:
        for line in lines:
            if out.tell() + len(line) > megabytes * 1_000_000:
                break
            out.write(line)
    return part


def digest(path: Path) -> str:
    """Returns a digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run(tool: Tool, source: Path, output: Path, folder: Path, bound: float) -> None:
    """Runs a tool once, or writes down why it cannot be run."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        filled = {"INPUT": str(source), "OUTPUT": str(output), "WORK": work}
        # `timeout` also ends the processes that the tool has started.
        limit = ["timeout", "--kill-after=5", f"{bound:.0f}"]
        try:
            cost, _ = measuring.measure([*limit, *(filled.get(word, word) for word in tool.command)])
        except measuring.Failed as error:
            is_slow = str(error).startswith(("failed (124)", "failed (137)"))
            tool.problem = f"over {bound:.0f} s" if is_slow else str(error).strip().splitlines()[-1]
            return
    tool.runs.append(cost)
    tool.digests.append(digest(output))


def compare(
    oracle: Path, source: Path, folder: Path, exact: Path | None, runs: int, bound: float, only: list[str] | None = None
) -> list[Tool]:
    """Runs all tools in turn on a collection, and judges them."""
    all_tools = [tool for tool in tools(exact, sys.executable) if not only or tool.name.split()[0] in only]
    measuring.warm(source)
    for turn in range(runs):
        for tool in all_tools:
            if tool.problem:
                continue
            print(f"run {turn + 1} of {runs} on {source.stem}: {tool.name}", file=sys.stderr)
            output = folder / f"{tool.name.replace(' ', '-')}.kept.jsonl"
            run(tool, source, output, folder, bound)
            if turn == runs - 1 and not tool.problem:
                command = [str(oracle), "judge", str(source), str(output), str(WINDOW)]
                tool.verdict = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            output.unlink(missing_ok=True)
    return all_tools
