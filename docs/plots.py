"""The plots of the guides, made from lookalike's own output on the test data; each is an HTML figure."""

from __future__ import annotations

import json
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import chart
import lookalike
from lookalike.compat.datasketch import MinHashLSH

LICENSES = "testdata/licenses.jsonl.zst"
STEPS = [step / 100 for step in range(101)]
TENTHS = [step / 10 for step in range(0, 11, 2)]


def shapes(command: Path, root: Path) -> str:
    """Plot the share of pairs found with our bands and rows at some thresholds, and with those that minimise the error area."""
    series = []
    for threshold in (0.5, 0.7, 0.8, 0.9):
        curve = lookalike.curve(threshold=threshold)
        name = f"threshold {threshold}: {curve.bands} bands of {curve.rows}"
        series.append((name, [(s, curve.found(s)) for s in STEPS]))
    least = MinHashLSH(threshold=0.8, num_perm=128)
    curve = lookalike.curve(bands=least.b, rows=least.r)
    series.append((f"smallest area at 0.8: {least.b} of {least.r}", [(s, curve.found(s)) for s in STEPS]))
    return chart.lines(
        "Probability that a pair is found, by its similarity", ("similarity", TENTHS), ("P(found)", TENTHS), series
    )


def similarities(command: Path, root: Path) -> str:
    """Plot all pairs of licences, by their exact resemblance."""
    found = _run(command, root, "pairs", LICENSES, "--exact", "--threshold", "0.3", "--quiet")
    # Pairs of 0.95 or more are in the last bar, including 1.0.
    counts = Counter(min(int(json.loads(line)["resemblance"] * 20), 19) for line in found.splitlines())
    bars = [(bar / 20, (bar + 1) / 20, counts[bar]) for bar in range(6, 20)]
    most = _round_up(max(counts.values()))
    return chart.bars(
        "Pairs of licence texts by resemblance, from 0.3; those that are similar at 0.8 in another colour",
        ("resemblance", [step / 10 for step in range(3, 11)]),
        ("pairs", [most * step / 5 for step in range(6)]),
        bars,
        lambda count: f"{count:,.0f}",
        mark=0.8,
        strong=0.8,
    )


def thresholds(command: Path, root: Path) -> str:
    """Plot the share of documents that a threshold drops."""
    points = []
    for step in range(10, 21):
        summary = json.loads(_run(command, root, "dedup", LICENSES, "--json", "--threshold", str(step / 20)))
        points.append((step / 20, 100 * summary["dropped"] / summary["documents"]))
    percents = [0, 10, 20, 30, 40]
    axis = [step / 10 for step in range(5, 11)]
    title = "Share of the licence texts that is dropped, by threshold"
    return chart.lines(title, ("threshold", axis), ("% dropped", percents), [("dropped", points)], mark=0.8)


def shingles(command: Path, root: Path) -> str:
    """Plot the resemblance after an edit, and the resemblance of unlike texts, by the number of tokens in a shingle."""
    texts = _licenses(command, root)
    text = texts["scancode/apache-2.0"]
    sizes = range(1, 13)
    series = []
    for percent in (1, 2, 5):
        edited = _edited(text, percent / 100)
        points = [(k, lookalike.compare(text, edited, shingle=k).resemblance) for k in sizes]
        series.append((f"{percent} % of words changed", points))
    others = [(text, texts["scancode/mpl-2.0"]), (text, texts["scancode/gpl-2.0"])]
    points = [(k, sum(lookalike.compare(a, b, shingle=k).resemblance for a, b in others) / len(others)) for k in sizes]
    series.append(("against MPL-2.0 and GPL-2.0, mean", points))
    title = "Resemblance of Apache-2.0 to itself when edited, and to other texts, by shingle size"
    return chart.lines(title, ("words in a shingle", list(sizes)), ("resemblance", TENTHS), series)


def edits(command: Path, root: Path) -> str:
    """Plot how much editing a threshold allows."""
    text = _licenses(command, root)["scancode/apache-2.0"]
    percents = range(11)
    series = []
    for k in (1, 3, 5, 9):
        points = [(p, lookalike.compare(text, _edited(text, p / 100), shingle=k).resemblance) for p in percents]
        series.append((f"{k} word{'s' if k > 1 else ''} in a shingle", points))
    title = "Resemblance of Apache-2.0 to itself with words changed at random"
    return chart.lines(title, ("% of words changed", list(percents)), ("resemblance", TENTHS), series)


def groups(command: Path, root: Path) -> str:
    """Plot the sizes of the groups of documents that are represented by one kept document."""
    with tempfile.TemporaryDirectory() as folder:
        decisions = Path(folder, "decisions.jsonl")
        _run(command, root, "dedup", LICENSES, "--decisions", str(decisions), "--quiet")
        kept = [decision for line in decisions.open() if (decision := json.loads(line))["verdict"] == "kept"]
    sizes = Counter(decision["cluster_size"] for decision in kept if decision["cluster_size"] > 1)
    last = max(sizes)
    most = _round_up(max(sizes.values()))
    return chart.bars(
        "Groups of licence texts by size: the kept text and its dropped duplicates",
        ("texts in the group", list(range(1, last + 2))),
        ("groups", [most * step / 5 for step in range(6)]),
        [(size - 0.5, size + 0.5, count) for size, count in sorted(sizes.items())],
        lambda count: f"{count:.0f}",
    )


def _run(command: Path, root: Path, *arguments: str) -> str:
    return subprocess.run([command, *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


def _licenses(command: Path, root: Path) -> dict[str, str]:
    # The command decompresses the collection; it also drops exact copies and keeps the first one.
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "kept.jsonl")
        _run(command, root, "dedup", LICENSES, "--method", "exact", "-o", str(kept), "--no-decisions", "--quiet")
        return {record["id"]: record["text"] for record in map(json.loads, kept.open())}


def _edited(text: str, share: float) -> str:
    """Return the text with this share of its words replaced; every call replaces the same words."""
    words = list(re.finditer(r"\w+", text))
    chosen = set(random.Random(1).sample(range(len(words)), round(share * len(words))))
    at = iter(range(len(words)))
    return re.sub(r"\w+", lambda word: f"x{number}" if (number := next(at)) in chosen else word[0], text)


def _round_up(count: float) -> float:
    """Return the next round number, so that five ticks divide the axis."""
    step = 10 ** (len(str(int(count))) - 1)
    return -(-count // step) * step


PLOTS: dict[str, Callable[[Path, Path], str]] = {
    plot.__name__: plot for plot in (shapes, similarities, thresholds, shingles, edits, groups)
}
