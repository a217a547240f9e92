"""`make bench-python`: compares datasketch with `lookalike.compat.datasketch`. Both do the same work in one process, in turn.

Both get the same lists of byte strings, as `text.split()` makes them. The report has the median and the least wall-clock time of
both, the median processor time, and the ratios. Our package hashes on several threads if there are several cores.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import json
import platform
import random
import sys
import time
from pathlib import Path
from statistics import median

import datasketch as theirs
import numpy as np
from lookalike.compat import datasketch as ours

sys.path.append(str(Path(__file__).parents[1] / "speed"))
import measuring

TOKENS = 300


def documents(count):
    """Return lists of tokens of 2 to 6 bytes; documents share no objects."""
    draw = random.Random(1)
    words = [("w" + format(draw.randrange(36**4), "x")).encode() for _ in range(50_000)]
    return [b" ".join(draw.choices(words, k=TOKENS)).split() for _ in range(count)]


def bulk(of, documents, **arguments):
    """Make one call for all documents."""
    return of.MinHash.bulk(documents, num_perm=128, **arguments)


def update_batch(of, documents):
    """Make one call for each document."""
    made = []
    for tokens in documents:
        minhash = of.MinHash(num_perm=128)
        minhash.update_batch(tokens)
        made.append(minhash)
    return made


def update(of, documents):
    """Make one call for each token."""
    made = []
    for tokens in documents:
        minhash = of.MinHash(num_perm=128)
        for token in tokens:
            minhash.update(token)
        made.append(minhash)
    return made


def index(of, minhashes):
    """Choose bands, insert all sketches, and query all of them."""
    lsh = of.MinHashLSH(threshold=0.8, num_perm=128)
    for number, minhash in enumerate(minhashes):
        lsh.insert(number, minhash)
    return [lsh.query(minhash) for minhash in minhashes]


def weighted(of, vectors):
    """Make signatures of vectors of 1,000 dimensions, a tenth of which are not 0."""
    generator = of.WeightedMinHashGenerator(vectors.shape[1], 128)
    return [generator.minhash(vector) for vector in vectors]


def alike(a, b):
    """Return whether two answers are the same to the bit."""
    if hasattr(a, "hashvalues"):
        return a.hashvalues.dtype == b.hashvalues.dtype and np.array_equal(a.hashvalues, b.hashvalues)
    return set(a) == set(b)


def measure(work, of, given):
    """Return the wall-clock time and the processor time, in seconds, and the answer."""
    gc.collect()
    clock, processor = time.perf_counter(), time.process_time()
    answer = work(of, given)
    return time.perf_counter() - clock, time.process_time() - processor, answer


def compare(name, work, given, runs):
    """Run both in turn, and return the times of both."""
    times = {"theirs": [], "ours": []}
    for run in range(runs + 1):
        answers = []
        for who, of in (("theirs", theirs), ("ours", ours)):
            *seconds, answer = measure(work, of, given)
            answers.append(answer)
            # The first run warms both packages up, and checks that their answers agree.
            if run:
                times[who].append(seconds)
        if not run and not all(alike(a, b) for a, b in zip(*answers, strict=True)):
            raise SystemExit(f"{name}: the answers differ")
        del answers, answer
    figures = {"items": len(given)}
    for which, at, of in (("seconds", 0, median), ("least_seconds", 0, min), ("cpu_seconds", 1, median)):
        both = {who: of(seconds[at] for seconds in taken) for who, taken in times.items()}
        figures[which] = {"datasketch": round(both["theirs"], 4), "lookalike": round(both["ours"], 4)}
        figures[which]["ratio"] = round(both["theirs"] / both["ours"], 1)
    figures["microseconds_an_item"] = round(figures["seconds"]["lookalike"] / len(given) * 1e6, 2)
    print(f"{name:24} {json.dumps(figures)}", flush=True)
    return figures


def main():
    """Run all cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    given = documents(args.documents)
    few = max(1, args.documents // 100)
    vectors = np.zeros((few, 1000))
    draw = random.Random(2)
    for row in vectors:
        row[draw.sample(range(1000), 100)] = [draw.randrange(1, 50) for _ in range(100)]
    some, more = given[: 10 * few], 3 * args.runs
    cases = {
        "bulk": compare("bulk", bulk, given, args.runs),
        "bulk_legacy": compare("bulk_legacy", lambda of, some: bulk(of, some, scheme="legacy"), some, more),
        "bulk_affine64": compare("bulk_affine64", lambda of, some: bulk(of, some, scheme="affine64"), some, more),
        "update_batch": compare("update_batch", update_batch, some, more),
        "update": compare("update", update, given[:few], more),
        "index": compare("index", index, ours.MinHash.bulk(some), more),
        "weighted": compare("weighted", weighted, vectors, more),
    }
    record = {
        **measuring.machine(),
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("lookalike", "datasketch", "numpy")},
        },
        "tokens_a_document": TOKENS,
        "num_perm": 128,
        "runs": args.runs,
        "cases": cases,
    }
    if args.out:
        args.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
