"""Evaluates how well reused passages are found: PlagDet, precision, recall and granularity.

Compares verbatim runs, joined runs, regions and a TF-IDF baseline on the set of `make_set.py`, in which each suspicious document
of a language is compared with all its sources. Regions are evaluated with the defaults, and by cross-validation: in each of five
folds, with the settings that are best in the other four, of a grid around the defaults. The baseline and joined runs are tuned
in the same way. The results of a fold are for documents that no other fold has.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import sentences
from plagdet import Figures, Passage, evaluate

sys.path.append(str(Path(__file__).parent.parent / "quality"))
import recorded

LANGUAGES = ("en", "zh", "ja")
FOLDS = range(5)
GRID = {
    "--gap": (15, 20, 25, 30, 35),
    "--density": (0.3, 0.4, 0.5),
    "--score": (10.0, 14.0, 18.0),
    "--min-tokens": (15, 20, 30),
    "--least": (3, 4, 5),
}
JOINED = [("--least", str(least), "--gap", str(gap)) for least in (4, 6, 8) for gap in (5, 10, 20, 40)]
COSINES = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5)

Setting = tuple[str, ...] | float
Found = dict[str, list[Passage]]


class Set:
    """The set of one folder, with what is known about its documents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cases: Found = {}
        self.fold: dict[str, int] = {}
        self.kind: dict[str, str] = {}
        for language in LANGUAGES:
            self.cases[language] = [
                Passage(case["suspicious"], case["source"], tuple(case["in_suspicious"]), tuple(case["in_source"]))
                for case in self.read(f"{language}.cases.jsonl")
            ]
            for document in self.read(f"{language}.suspicious.jsonl"):
                self.fold[document["id"]], self.kind[document["id"]] = document["fold"], document["kind"]

    def read(self, name: str) -> list[dict]:
        """Reads a file of the set."""
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]

    def evaluate(self, found: Found, wanted: Callable[[str], bool], languages: Sequence[str] = LANGUAGES) -> Figures:
        """Evaluates what was found in the wanted suspicious documents: the mean over languages."""
        figures = [
            evaluate(
                [case for case in self.cases[language] if wanted(case.suspicious)],
                [passage for passage in found[language] if wanted(passage.suspicious)],
            )
            for language in languages
        ]
        return Figures(*(statistics.fmean(of) for of in zip(*figures, strict=True)))


def passages(program: str, known: Set, flags: Sequence[str]) -> Found:
    """Returns what `lookalike passages` finds."""
    found: Found = {}
    for language in LANGUAGES:
        names = [str(known.folder / f"{language}.{name}.jsonl") for name in ("sources", "suspicious")]
        command = [program, "passages", *names, "--json", "--no-text", "--quiet", "--offsets", "chars", *flags]
        ran = subprocess.run(command, capture_output=True, check=False)
        if ran.returncode > 1:
            raise SystemExit(f"{' '.join(command)}: {ran.stderr.decode()}")
        found[language] = [
            Passage(pair["b"], pair["a"], tuple(passage["b"]), tuple(passage["a"]))
            for pair in map(json.loads, ran.stdout.splitlines())
            for passage in pair["passages"]
        ]
    return found


def baseline(known: Set, cosine: float) -> Found:
    """Returns what similar sentences find. To save time, only sources of the same fold are compared."""
    found: Found = {}
    for language in LANGUAGES:
        suspicious, sources = (
            [
                (record["fold"], sentences.document(record["id"], record["text"], language))
                for record in known.read(f"{language}.{name}.jsonl")
            ]
            for name in ("suspicious", "sources")
        )
        found[language] = [
            passage
            for (fold, one), (other_fold, other) in itertools.product(suspicious, sources)
            if fold == other_fold
            for passage in sentences.detect(one, other, cosine, language)
        ]
    return found


def cross_validated(known: Set, tried: dict[Setting, Found]) -> tuple[Found, list[Setting]]:
    """Returns what is found in each fold with the setting that has the largest PlagDet in the other folds, and these settings."""
    found: Found = {language: [] for language in LANGUAGES}
    chosen = []
    for fold in FOLDS:
        rest = {name for name, own in known.fold.items() if own != fold}
        best = max(tried, key=lambda setting, rest=rest: known.evaluate(tried[setting], rest.__contains__).plagdet)
        chosen.append(best)
        for language in LANGUAGES:
            found[language] += [passage for passage in tried[best][language] if known.fold[passage.suspicious] == fold]
    return found, chosen


def grid() -> list[tuple[str, ...]]:
    """Returns the settings that are tried: the defaults, those that differ in one value, and some that differ in two."""
    middle = {"--gap": 25, "--density": 0.4, "--score": 14.0, "--min-tokens": 20, "--least": 4}
    settings = [middle]
    for flag, values in GRID.items():
        settings += [{**middle, flag: value} for value in values if value != middle[flag]]
    for other in ("--density", "--score"):
        pairs = itertools.product((20, 30), GRID[other])
        settings += [{**middle, "--gap": gap, other: value} for gap, value in pairs if value != middle[other]]
    return [tuple(str(part) for item in setting.items() for part in item) for setting in settings]


def rows(known: Set, found: Found) -> dict[str, dict[str, float]]:
    """Returns the figures of all documents, of each language, and of each kind of change."""
    kinds = sorted(set(known.kind.values()) - {"none"})
    of = {"all": known.evaluate(found, lambda name: True)}
    of |= {language: known.evaluate(found, lambda name: True, [language]) for language in LANGUAGES}
    for kind in kinds:
        languages = [
            language for language in LANGUAGES if any(known.kind[case.suspicious] == kind for case in known.cases[language])
        ]
        of[kind] = known.evaluate(found, lambda name, kind=kind: known.kind[name] == kind, languages)
    wrong = sum(known.kind[passage.suspicious] == "none" for passages in found.values() for passage in passages)
    return {name: figures._asdict() for name, figures in of.items()} | {"in documents without reuse": {"passages": wrong}}


def main() -> None:
    """Evaluates everything, prints a table and records the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder that make_set.py wrote")
    parser.add_argument("--lookalike", default="target/release/lookalike")
    parser.add_argument("--quick", action="store_true", help="only the defaults, without cross-validation")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    known, program = Set(arguments.folder), arguments.lookalike
    results: dict[str, Found] = {"runs of 8": passages(program, known, []), "regions": passages(program, known, ["--regions"])}
    chosen: dict[str, list[Setting]] = {}
    if not arguments.quick:
        tries: dict[str, dict[Setting, Found]] = {
            "joined runs, tuned": {flags: passages(program, known, flags) for flags in JOINED},
            "regions, tuned": {flags: passages(program, known, ["--regions", *flags]) for flags in grid()},
            "sentences, TF-IDF, tuned": {cosine: baseline(known, cosine) for cosine in COSINES},
        }
        for name, tried in tries.items():
            results[name], chosen[name] = cross_validated(known, tried)
    figures = {name: rows(known, found) for name, found in results.items()}
    names = list(next(iter(figures.values())))[:-1]
    print("| PlagDet of | " + " | ".join(names) + " | in none |\n" + "|---" * (len(names) + 2) + "|")
    for name, of in figures.items():
        wrong = of["in documents without reuse"]["passages"]
        print(f"| {name} | " + " | ".join(f"{of[column]['plagdet']:.3f}" for column in names) + f" | {wrong} |")
    print("\n| of all | PlagDet | precision | recall | granularity |\n|---|---|---|---|---|")
    for name, of in figures.items():
        print(f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in of["all"].values()) + " |")
    for name, settings in chosen.items():
        print(f"{name}: {settings}")
    if arguments.out:
        recorded.write(arguments.out, {"figures": figures, "chosen": chosen})


if __name__ == "__main__":
    main()
