"""Measures `lookalike cut` on a large collection: time, memory, and the largest size of its temporary files."""

import sys
import tempfile
from pathlib import Path
from statistics import median

import measuring

UNITS = ("runs", "lines", "sentences")
LIMITS = (None, "300MB")
HEADER = ("unit", "--memory", "wall s", "CPU s", "MB/s", "peak MB", "temporary MB", "cut")


def measure(source: Path, folder: Path, runs: int, summary: dict) -> list[dict]:
    """Runs each unit with each memory limit, in turn."""
    cases = [{"unit": unit, "memory": limit, "runs": []} for unit in UNITS for limit in LIMITS]
    measuring.warm(source)
    for turn in range(runs):
        for case in cases:
            print(f"run {turn + 1} of {runs}: {case['unit']}, --memory {case['memory']}", file=sys.stderr)
            with tempfile.TemporaryDirectory(dir=folder) as temp:
                output = folder / "speed.kept.jsonl"
                command = [
                    measuring.lookalike(),
                    "cut",
                    str(source),
                    "-o",
                    str(output),
                    "--unit",
                    case["unit"],
                    "--json",
                    "--quiet",
                ]
                command += ["--temp-dir", temp, *(["--memory", case["memory"]] if case["memory"] else [])]
                cost, answer = measuring.measure(command, Path(temp))
                output.unlink()
            case["runs"].append(cost.record())
            case.update(summary(answer))
    return cases


def row(case: dict, megabytes: float) -> tuple[str, ...]:
    """Returns a row of the table."""
    wall, cpu, peak, temp = (median(run[name] for run in case["runs"]) for name in ("wall_s", "cpu_s", "peak_mb", "temp_mb"))
    return (
        case["unit"], case["memory"] or "default", f"{wall:.1f}", f"{cpu:.1f}", f"{megabytes / wall:.0f}", f"{peak:.0f}",
        f"{temp:.0f}", f"{100 * case['tokens_cut'] / case['tokens']:.1f} %",
    )  # fmt: skip
