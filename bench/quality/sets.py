"""Compares `tokens="items"` with datasketch's MinHashLSH in one run; each set has the distinct words of a newsgroup post.

The truth is computed by counting shared words: it is the product of the sets' matrix with its transpose. A found pair is wrong if
it is below the threshold.
"""

import argparse
import json
import re
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

import datasketch
import lookalike
import numpy as np
import recorded
import scipy.sparse

PERMUTATIONS = 128
# Rows of the product computed at a time.
CHUNK = 500
THRESHOLDS = (0.3, 0.5, 0.8)

Pairs = set[tuple[int, int]]


def true_pairs(sets: list[list[str]], least: float) -> dict[tuple[int, int], float]:
    """Returns all pairs with at least this resemblance, and their resemblance."""
    numbers = {item: number for number, item in enumerate(dict.fromkeys(item for items in sets for item in items))}
    columns = np.array([numbers[item] for items in sets for item in items], dtype=np.int32)
    sizes = np.array([len(items) for items in sets])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    ones = np.ones(len(columns), dtype=np.int32)
    matrix = scipy.sparse.csr_matrix((ones, columns, starts), shape=(len(sets), len(numbers)))
    turned, found = matrix.T.tocsr(), {}
    for first in range(0, len(sets), CHUNK):
        shared = np.asarray((matrix[first : first + CHUNK] @ turned).todense())
        either = sizes[first : first + CHUNK, None] + sizes[None, :] - shared
        resemblance = shared / np.maximum(either, 1)
        rows, others = np.nonzero(resemblance >= least)
        behind = rows + first < others
        for a, b in zip(rows[behind], others[behind], strict=True):
            found[int(a) + first, int(b)] = float(resemblance[a, b])
    return found


def by_lookalike(candidates: Literal["bands", "all"], sets: list[list[str]], threshold: float) -> Pairs:
    """Returns the pairs that lookalike finds: with bands (the default) and exact verification, or with an exact join."""
    found = lookalike.pairs(sets, tokens="items", threshold=threshold, candidates=candidates).table
    return set(zip(found["a"].to_pylist(), found["b"].to_pylist(), strict=True))


def by_datasketch(sets: list[list[str]], threshold: float) -> Pairs:
    """Returns the pairs that an index returns; these are candidates, because datasketch verifies nothing."""
    index = datasketch.MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS)
    bags = ([item.encode() for item in items] for items in sets)
    found: Pairs = set()
    for number, minhash in enumerate(datasketch.MinHash.generator(bags, num_perm=PERMUTATIONS)):
        found |= {(other, number) for other in index.query(minhash)}
        index.insert(number, minhash)
    return found


def main() -> None:
    """Judges both tools, prints the results and records them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with newsgroups20.jsonl.zst")
    parser.add_argument("--every", type=int, default=2, metavar="N", help="take every Nth post, because the truth is quadratic")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    lines = subprocess.run(["zstd", "-dc", arguments.data / "newsgroups20.jsonl.zst"], capture_output=True, check=True).stdout
    words = re.compile(r"\w+")
    sets = [sorted(set(words.findall(json.loads(line)["text"].lower()))) for line in lines.splitlines()]
    sets = [items for items in sets if items][:: arguments.every]
    ways: dict[str, Callable[[list[list[str]], float], Pairs]] = {
        "lookalike": partial(by_lookalike, "bands"),
        "lookalike, `--method shingle`": partial(by_lookalike, "all"),
        f"datasketch {datasketch.__version__}, MinHashLSH": by_datasketch,
    }
    results = []
    print("| threshold | pairs | tool | recall | wrong | seconds |\n|---|---|---|---|---|---|")
    resemblances = true_pairs(sets, min(THRESHOLDS))
    for threshold in THRESHOLDS:
        truth = {pair for pair, resemblance in resemblances.items() if resemblance >= threshold}
        for name, way in ways.items():
            begun = time.perf_counter()
            found = way(sets, threshold)
            seconds = time.perf_counter() - begun
            recall, wrong = len(found & truth) / len(truth), len(found - truth)
            results.append(
                {
                    "threshold": threshold,
                    "pairs": len(truth),
                    "tool": name,
                    "recall": recall,
                    "wrong": wrong,
                    "seconds": round(seconds, 2),
                }
            )
            print(f"| {threshold} | {len(truth):,} | {name} | {100 * recall:.2f} % | {wrong:,} | {seconds:.1f} |", flush=True)
    if arguments.out:
        recorded.write(arguments.out, {"sets": len(sets), "results": results})


if __name__ == "__main__":
    main()
