"""The oracle: checks the law of `lookalike cut` on real sets, with suffix arrays and without any code of lookalike.

For each set and each window, lookalike cuts the set, the oracle (the Rust program in `oracle/`) checks the output, and lookalike
cuts the output again.
"""

import json
import subprocess
from pathlib import Path

import measuring

SETS = ("newsgroups20", "licenses", "winps_docs", "ota_us_versions", "zh_tang", "ja_aozora_dev")
WINDOWS = (8, 20, 50, 200)
HEADER = (
    "set",
    "n",
    "tokens",
    "cut",
    "rounds",
    "in later rounds",
    "own joint",
    "source joint",
    "kept: source cut",
    "kept: own cut",
    "wrong",
    "left",
    "again",
)


def unpacked(data: Path, name: str, folder: Path) -> Path:
    """Returns the path of a set, which is unpacked if that was not done before."""
    path = folder / f"{name}.jsonl"
    if not path.exists():
        subprocess.run(["zstd", "-qdf", str(data / f"{name}.jsonl.zst"), "-o", str(path)], check=True)
    return path


def cut(source: Path, output: Path, window: int, *more: str) -> dict:
    """Runs `lookalike cut`, and returns its summary."""
    command = [measuring.lookalike(), "cut", str(source), "--window", str(window), "-o", str(output), *more, "--json", "--quiet"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def problems(found: dict, summary: dict, again: dict) -> list[str]:
    """Returns what contradicts the law or the summary."""
    proof, sources = found["proof"], found["sources"]
    wrong = [f"{name}: {proof[name]}" for name in ("wrong_documents", "repeats_left") if proof[name]]
    wrong += [f"{name}: {count}" for name, count in sources.items() if name != "cuts" and count]
    cut_by_law = proof["cut_first_round"] + proof["cut_later"]
    expected = {
        "documents": found["documents"], "tokens": found["tokens"], "tokens_kept": found["tokens_kept"], "cuts": sources["cuts"],
    }  # fmt: skip
    wrong += [f"{name}: {summary[name]}, not {count}" for name, count in expected.items() if summary[name] != count]
    if summary["tokens_cut"] + summary["tokens_dropped"] != cut_by_law:
        wrong.append(f"cut and dropped: {summary['tokens_cut']} + {summary['tokens_dropped']}, not {cut_by_law}")
    if again["tokens_cut"] or again["tokens_dropped"]:
        wrong.append(f"a second run cuts {again['tokens_cut']}")
    return wrong


def prove(oracle: Path, source: Path, window: int, folder: Path) -> dict:
    """Checks one set with one window."""
    output, cuts, second = (folder / f"oracle.{name}.jsonl" for name in ("kept", "cuts", "again"))
    summary = cut(source, output, window, "--cuts", str(cuts))
    again = cut(output, second, window)
    command = [str(oracle), "law", str(source), str(output), str(cuts), str(window)]
    cost, answer = measuring.measure(command)
    found = json.loads(answer)
    return {
        "set": source.stem, "window": window, **found, "tokens_cut_again": again["tokens_cut"], "oracle_s": round(cost.wall_s, 1),
        "oracle_mb": round(cost.peak_mb), "problems": problems(found, summary, again),
    }  # fmt: skip


def row(result: dict) -> tuple[str, ...]:
    """Returns a row of the table."""
    proof = result["proof"]
    counts = [proof["cut_first_round"] + proof["cut_later"], proof["rounds"], proof["cut_later"]]
    counts += [proof["cut_after_own_joint"], proof["cut_after_source_joint"]]
    counts += [proof["repeated_kept_source_cut"], proof["repeated_kept_own_cut"], proof["wrong_documents"], proof["repeats_left"]]
    named = (result["set"], str(result["window"]), f"{result['tokens']:,}")
    return (*named, *(f"{count:,}" for count in counts), f"{result['tokens_cut_again']:,}")
