"""Distinguishes four kinds of answers by how much of their text is in their source, on the corpus of Clough and Stevenson.

The corpus has 95 short answers, each about one of five sources. An answer was copied and cut, lightly revised, heavily revised,
or written without its source. Three thresholds on one number divide the answers into four classes. The thresholds are chosen on
nine tenths of the answers and judged on the rest, a hundred times, and also by leaving each answer out in turn. The numbers that
other tools compute are judged in the same way.
"""

import argparse
import difflib
import json
import math
import random
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

import recorded

CLASSES = ("non", "heavy", "light", "cut")
# An answer's value or values, and the number of its class.
Row = tuple[Sequence[float], int]
Classifier = Callable[[Sequence[float]], int]


def thresholds(rows: Sequence[Row]) -> Classifier:
    """Classifies by three thresholds on the first value: those that are right most often or, on a tie, the middle ones."""
    ordered = sorted((values[0], kind) for values, kind in rows)
    borders = [-math.inf, *sorted({value for value, _ in ordered}), math.inf]
    cuts = [
        (a + b) / 2 if math.isfinite(a + b) else (b if math.isinf(a) else a) for a, b in zip(borders, borders[1:], strict=False)
    ]
    below = [[sum(value < cut and kind == known for value, known in ordered) for cut in cuts] for kind in range(len(CLASSES))]
    # This considers the classes one by one. For each cut, only the answers below it count, and they are divided among the classes
    # so far. `best` has the largest number of answers that can be classified correctly, and the cuts between the classes that
    # achieve it.
    best: list[tuple[int, tuple[float, ...]]] = [(below[0][at], ()) for at in range(len(cuts))]
    for kind in range(1, len(CLASSES)):
        nexts = []
        for at in range(len(cuts)):
            right = [(best[before][0] + below[kind][at] - below[kind][before], before) for before in range(at + 1)]
            most = max(right)[0]
            ties = [before for count, before in right if count == most]
            before = ties[len(ties) // 2]
            nexts.append((most, (*best[before][1], cuts[before])))
        best = nexts
    found = best[-1][1]
    return lambda values: sum(values[0] >= cut for cut in found)


def naive_bayes(rows: Sequence[Row]) -> Classifier:
    """Classifies by normal distributions of all values, which are assumed to be independent."""
    known = []
    for kind in range(len(CLASSES)):
        own = [values for values, other in rows if other == kind]
        known.append(
            (
                math.log(len(own) / len(rows)),
                [(statistics.fmean(v), statistics.pvariance(v) + 1e-4) for v in zip(*own, strict=True)],
            )
        )

    def likely(kind: int, values: Sequence[float]) -> float:
        prior, normals = known[kind]
        parts = zip(values, normals, strict=True)
        return prior - sum((value - mean) ** 2 / variance + math.log(variance) for value, (mean, variance) in parts) / 2

    return lambda values: max(range(len(CLASSES)), key=lambda kind: likely(kind, values))


def cross_validate(rows: Sequence[Row], learn: Callable[[Sequence[Row]], Classifier]) -> dict[str, float]:
    """Returns the accuracy for four classes and for two (plagiarised or not): by 100 tenfold runs, and by leaving one out."""

    def judged(folds: list[list[int]]) -> tuple[float, float]:
        four = two = 0
        for fold in folds:
            held = set(fold)
            classify = learn([row for at, row in enumerate(rows) if at not in held])
            for at in fold:
                predicted, known = classify(rows[at][0]), rows[at][1]
                four += predicted == known
                two += (predicted > 0) == (known > 0)
        return four / len(rows), two / len(rows)

    tenfold = []
    for seed in range(100):
        order = list(range(len(rows)))
        random.Random(seed).shuffle(order)
        tenfold.append(judged([order[at::10] for at in range(10)]))
    one_out = judged([[at] for at in range(len(rows))])
    return {
        "four_tenfold": statistics.fmean(four for four, _ in tenfold),
        "two_tenfold": statistics.fmean(two for _, two in tenfold),
        "four_one_out": one_out[0],
        "two_one_out": one_out[1],
    }


def ours(program: str, answers: list[dict[str, str]], sources: list[dict[str, str]]) -> dict[str, list[float]]:
    """Returns the share of each answer that is in its source, by shingles of several lengths and by shared runs."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        names = [Path(folder) / name for name in ("answers.jsonl", "sources.jsonl")]
        for name, records in zip(names, (answers, sources), strict=True):
            name.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")

        def ask(*flags: str) -> dict[tuple[str, str], dict[str, float]]:
            command = [program, "passages", *map(str, names), "--json", "--no-text", "--quiet", *flags]
            lines = subprocess.run(command, capture_output=True, check=True).stdout.splitlines()
            return {(pair["a"], pair["b"]): pair for pair in map(json.loads, lines)}

        def of(pairs: dict[tuple[str, str], dict[str, float]], value: Callable[[dict[str, float]], float]) -> list[float]:
            return [value(pairs[key]) if (key := (one["id"], one["source"])) in pairs else 0.0 for one in answers]

        for k in range(1, 7):
            pairs = ask("--least", "1", "--shingle", str(k))
            found[f"containment, words by {k}"] = of(pairs, lambda pair: pair["containment_ab"])
        for least in (3, 4, 5, 6, 8):
            pairs = ask("--least", str(least))
            found[f"in runs of {least} or more"] = of(pairs, lambda pair: pair["shared_a"] / pair["tokens_a"])
        found["in regions"] = of(ask("--regions"), lambda pair: pair["in_regions_a"] / pair["tokens_a"])
    return found


def copydetect_of(answers: list[dict[str, str]], sources: dict[str, str]) -> list[float]:
    """Returns copydetect's numbers, with its defaults but no preprocessing of programs; its winnowing is the same as ours."""
    import copydetect

    found = []
    with tempfile.TemporaryDirectory() as folder:

        def printed(name: str, text: str) -> "copydetect.CodeFingerprint":
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            return copydetect.CodeFingerprint(str(path), 25, 1, filter=False, encoding="utf-8")

        held = {name: printed(name, text) for name, text in sources.items()}
        for answer in answers:
            _, similarities, _ = copydetect.compare_files(printed("answer.txt", answer["text"]), held[answer["source"]])
            found.append(float(similarities[0]))
    return found


def difflib_of(answers: list[dict[str, str]], sources: dict[str, str]) -> list[float]:
    """Returns the share of the answer's words that Python's own matcher matches."""
    found = []
    for answer in answers:
        words, source = answer["text"].lower().split(), sources[answer["source"]].lower().split()
        matcher = difflib.SequenceMatcher(None, words, source, autojunk=False)
        found.append(sum(block.size for block in matcher.get_matching_blocks()) / len(words))
    return found


def main() -> None:
    """Judges each number, prints the results and records them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with clough_stevenson.jsonl.zst")
    parser.add_argument("--lookalike", default="target/release/lookalike")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    lines = subprocess.run(["zstd", "-dc", arguments.data / "clough_stevenson.jsonl.zst"], capture_output=True, check=True).stdout
    records = [json.loads(line) for line in lines.splitlines()]
    sources = [record for record in records if record["category"] == "orig"]
    answers = [record for record in records if record["category"] != "orig"]
    texts = {source["id"]: source["text"] for source in sources}
    kinds = [CLASSES.index(answer["category"]) for answer in answers]
    values = ours(arguments.lookalike, answers, sources)
    results = {
        name: cross_validate([([v], k) for v, k in zip(own, kinds, strict=True)], thresholds) for name, own in values.items()
    }
    together = list(zip(*(own for name, own in list(values.items())[:5]), strict=True))
    results["naive Bayes, containments of 1 to 5 words"] = cross_validate(list(zip(together, kinds, strict=True)), naive_bayes)
    for name, others in (
        (f"copydetect {metadata.version('copydetect')}", copydetect_of(answers, texts)),
        ("difflib, matching words", difflib_of(answers, texts)),
    ):
        results[name] = cross_validate([([v], k) for v, k in zip(others, kinds, strict=True)], thresholds)
    print(
        f"{len(answers)} answers, {len(sources)} sources\n| by | four classes | two | four, leaving one out | two |\n|---|---|---|---|---|"
    )
    for name, figures in results.items():
        print(f"| {name} | " + " | ".join(f"{100 * figure:.1f} %" for figure in figures.values()) + " |")
    if arguments.out:
        means = {
            name: {kind: statistics.fmean(v for v, k in zip(own, kinds, strict=True) if CLASSES[k] == kind) for kind in CLASSES}
            for name, own in values.items()
        }
        recorded.write(arguments.out, {"answers": len(answers), "by": results, "means": means})


if __name__ == "__main__":
    main()
