"""Compares linked pairs with the true ones, and the actual precision with the estimate by a book's method (`valid_share`)."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

# The average number of days between the creation of two records, for the same customer and for two random customers. The source
# is Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, 3.8.3.
OF_ONE, OF_TWO = 10.0, 45.0

Pair = tuple[str, str]


def valid_share(days: float, of_one: float = OF_ONE, of_two: float = OF_TWO) -> float:
    """Returns the share of true pairs in a set whose records are `days` apart on average: (45 - days) / 35, within 0 to 1.

    With a share f of true pairs, the average is 10 f + 45 (1 - f); the source solves this equation for f. No pair needs to be
    inspected if there is a value that the score does not use and that differs between true and other pairs.
    """
    return min(1.0, max(0.0, (of_two - days) / (of_two - of_one)))


def ordered(a: str, b: str) -> Pair:
    """Returns a pair in a fixed order, whichever record comes first."""
    return (a, b) if a < b else (b, a)


def lines(path: Path) -> Iterable[dict]:
    """Yields the objects of a file of JSON Lines."""
    with path.open("rb") as file:
        yield from map(json.loads, file)


def pairs_of_clusters(clusters: Iterable[tuple[str, str]]) -> set[Pair]:
    """Returns all pairs of records in the same cluster, from records with their clusters."""
    members = defaultdict(list)
    for record, cluster in clusters:
        members[cluster].append(record)
    return {ordered(a, b) for group in members.values() for a, b in combinations(group, 2)}


@dataclass(frozen=True)
class Scored:
    """A pair that a tool scored, and what it decided."""

    pair: Pair
    score: float
    match: bool


def scored(path: Path) -> list[Scored]:
    """Returns the pairs that a tool wrote. lookalike writes a verdict, and bits if it learned; the others write true or false."""
    return [
        Scored(
            ordered(line["a"], line["b"]),
            line["score"] if "score" in line else line["bits"],
            line["match"] if "match" in line else line["verdict"] == "match",
        )
        for line in lines(path)
    ]


def figures(found: int, right: int, true: int) -> dict[str, float]:
    """Returns precision, recall and F1 from the numbers of found pairs, of true pairs, and of pairs that are both (`right`)."""
    return {
        "precision": right / found if found else 0.0,
        "recall": right / true if true else 0.0,
        "f1": 2 * right / (found + true) if found + true else 0.0,
    }


def judge(pairs: Sequence[Scored], truth: set[Pair]) -> dict[str, object]:
    """Returns precision, recall and F1 of a tool's own decisions, and of the threshold that is best in hindsight."""
    own = {scored.pair for scored in pairs if scored.match}
    verdict: dict[str, object] = {"matches": len(own), **figures(len(own), len(own & truth), len(truth))}
    best, right = {"f1": verdict["f1"], "threshold": None}, 0
    falling = sorted(pairs, key=lambda scored: -scored.score)
    for count, each in enumerate(falling, 1):
        right += each.pair in truth
        # A threshold cannot separate equal scores.
        if count == len(falling) or falling[count].score < each.score:
            f1 = figures(count, right, len(truth))["f1"]
            if f1 > best["f1"]:
                best = {"f1": f1, "threshold": each.score}
    return {**verdict, "hindsight": best}


def bands(pairs: Sequence[Scored], truth: set[Pair], opened: dict[str, int], count: int = 5) -> list[dict[str, float]]:
    """Splits the pairs by score into bands of equally many pairs; returns the actual precision of each, and its `valid_share`."""
    falling = sorted(pairs, key=lambda scored: (-scored.score, scored.pair))
    found = []
    for band in range(count):
        part = falling[len(falling) * band // count : len(falling) * (band + 1) // count]
        if part:
            days = sum(abs(opened[each.pair[0]] - opened[each.pair[1]]) for each in part) / len(part)
            found.append(
                {
                    "highest": part[0].score,
                    "lowest": part[-1].score,
                    "pairs": len(part),
                    "days": days,
                    "estimated": valid_share(days),
                    "true": sum(each.pair in truth for each in part) / len(part),
                }
            )
    return found
