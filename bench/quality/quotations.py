"""Finds variants of quotations: Chinese quotations of about 14 characters, and English verses of about 25 words.

In each collection some texts get a variant with one or two characters or words substituted, inserted or left out. All variants
are mixed with all texts of both collections. A method's recall is the share of variants that it pairs with their originals. Any
other pair that it finds is unlike if more than half of the longer text's characters or words must change to get the other text.
"""

import argparse
import json
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import lookalike
import recorded

# The number of variants of each kind. A kind is a language and a number of changes.
VARIANTS = 500
# In shorter texts, every shingle would be affected by a change.
LEAST = 8
WAYS: dict[str, dict[str, object]] = {
    "the default": {"threshold": 0.8},
    "threshold 0.5": {"threshold": 0.5},
    "shingle 3, threshold 0.6": {"shingle": 3, "threshold": 0.6},
    "shingle 3, threshold 0.5": {"shingle": 3, "threshold": 0.5},
    "shingle 2, threshold 0.7": {"shingle": 2, "threshold": 0.7},
    "shingle 2, threshold 0.6": {"shingle": 2, "threshold": 0.6},
    "preset quotations": {"preset": "quotations"},
    "shingle 2, threshold 0.4": {"shingle": 2, "threshold": 0.4},
    "shingle 1, threshold 0.7": {"shingle": 1, "threshold": 0.7},
    "tokens chars, shingle 4, threshold 0.6": {"tokens": "chars", "shingle": 4, "threshold": 0.6},
    "tokens chars, shingle 3, threshold 0.5": {"tokens": "chars", "shingle": 3, "threshold": 0.5},
}
HAN = re.compile(r"[\u4e00-\u9fff]")
UNITS = re.compile(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+")


def texts_of(data: Path, name: str) -> list[str]:
    """Returns the texts of a collection; of verses, only those of one translation."""
    lines = subprocess.run(["zstd", "-dc", data / f"{name}.jsonl.zst"], capture_output=True, check=True).stdout
    records = [json.loads(line) for line in lines.splitlines()]
    return [record["text"] for record in records if record.get("translation", "KJV") == "KJV"]


def changed(
    units: list[str], places: Callable[[list[str]], list[int]], pool: list[str], changes: int, draw: random.Random
) -> list[str]:
    """Substitutes, inserts or leaves out `changes` units."""
    units = list(units)
    for _ in range(changes):
        at = draw.choice(places(units))
        kind = draw.choice(("substitute", "insert", "leave out"))
        units[at : at + (kind != "insert")] = [] if kind == "leave out" else [draw.choice(pool)]
    return units


def distance(one: list[str], other: list[str]) -> float:
    """Returns the Levenshtein distance, divided by the length of the longer text."""
    row = list(range(len(other) + 1))
    for i, x in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1] / max(len(one), len(other), 1)


def mixed(chinese: list[str], english: list[str]) -> tuple[list[str], list[tuple[str, int]], dict[tuple[int, int], str]]:
    """Returns all texts and variants, the original of each (for a text itself), and the kind of each pair of text and variant."""
    draw = random.Random(1)
    texts: list[str] = []
    origins: list[tuple[str, int]] = []
    pairs: dict[tuple[int, int], str] = {}
    characters = lambda units: [at for at, unit in enumerate(units) if HAN.match(unit)]  # noqa: E731
    every = lambda units: list(range(len(units)))  # noqa: E731
    for language, all_texts, cut, gap, places in (
        ("Chinese", chinese, list, "", characters),
        ("English", english, str.split, " ", every),
    ):
        first = len(texts)
        texts += all_texts
        origins += [(language, number) for number in range(len(all_texts))]
        long = [number for number, text in enumerate(all_texts) if len(places(cut(text))) >= LEAST]
        pool = [unit for text in all_texts for unit in (HAN.findall(text) if language == "Chinese" else UNITS.findall(text))]
        for changes in (1, 2):
            for number in draw.sample(long, VARIANTS):
                pairs[first + number, len(texts)] = f"{language}, {changes} changed"
                texts.append(gap.join(changed(cut(all_texts[number]), places, pool, changes, draw)))
                origins.append((language, number))
    return texts, origins, pairs


def judge(
    way: dict[str, object], texts: list[str], origins: list[tuple[str, int]], variants: dict[tuple[int, int], str]
) -> dict[str, object]:
    """Returns recall by kind of variant, the number of pairs, the unlike pairs, and the share of all similar pairs found."""
    found = {(row["row_a"], row["row_b"]) for row in lookalike.pairs(texts, **way).table.to_pylist()}  # type: ignore[arg-type]
    every = {(row["row_a"], row["row_b"]) for row in lookalike.pairs(texts, candidates="all", **way).table.to_pylist()}  # type: ignore[arg-type]
    kinds = sorted(set(variants.values()))
    recall = {kind: sum(pair in found for pair, its in variants.items() if its == kind) / VARIANTS for kind in kinds}
    units = [UNITS.findall(text.lower()) for text in texts]
    besides = [(a, b) for a, b in found if origins[a] != origins[b]]
    unlike = {"Chinese": 0, "English": 0}
    for a, b in besides:
        if distance(units[a], units[b]) > 0.5:
            unlike[origins[a][0]] += 1
    return {"recall": recall, "pairs": len(found), "unlike": unlike, "found_of_all": len(found & every) / max(len(every), 1)}


def main() -> None:
    """Judges each method, prints the table and records the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with zh_mingju.jsonl.zst and bible_verses_dev.jsonl.zst")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    chinese, english = texts_of(arguments.data, "zh_mingju"), texts_of(arguments.data, "bible_verses_dev")
    texts, origins, variants = mixed(chinese, english)
    kinds = sorted(set(variants.values()))
    print(f"{len(chinese)} quotations, {len(english)} verses, {len(variants)} variants")
    print(f"| method | {' | '.join(kinds)} | pairs | unlike | precision |\n|---|{'---|' * (len(kinds) + 3)}")
    results = {}
    for name, way in WAYS.items():
        results[name] = figures = judge(way, texts, origins, variants)
        shares = " | ".join(f"{100 * figures['recall'][kind]:.1f} %" for kind in kinds)  # type: ignore[index]
        unlike, pairs = sum(figures["unlike"].values()), figures["pairs"]  # type: ignore[attr-defined]
        print(f"| {name} | {shares} | {pairs:,} | {unlike:,} | {100 * (1 - unlike / pairs):.1f} % |", flush=True)  # type: ignore[operator]
    if arguments.out:
        recorded.write(
            arguments.out, {"quotations": len(chinese), "verses": len(english), "variants": len(variants), "ways": results}
        )


if __name__ == "__main__":
    main()
