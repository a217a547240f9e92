"""Removes near-duplicates with Daft: reading, lower-casing, cutting and MinHash are one query in its Rust engine.

Daft has no index of sketches. The banding and the estimate are our code, and take as little time as possible: documents
that share no band with any other are found with numpy, and no Python loop processes them.
"""

import os
from collections import defaultdict
from pathlib import Path

# daft reads these variables when it is imported.
os.environ["DAFT_PROGRESS_BAR"] = "0"
os.environ["DAFT_ANALYTICS_ENABLED"] = "0"

import daft
import numpy as np
from daft.functions import length_bytes, lower, minhash, regexp_replace, strip
from numpy.typing import NDArray

import common


def signatures(path: Path, ngram: int) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Returns the documents' signatures in input order, and whether each document has a word."""
    table = daft.read_json(str(path), infer_schema=False, schema={"text": daft.DataType.string()})
    words = strip(regexp_replace(lower(daft.col("text")), r"[^\p{L}\p{N}]+", " "))
    table = table.select(words.alias("words"))
    sketch = minhash(daft.col("words"), num_hashes=common.PERMUTATIONS, ngram_size=ngram, hash_function="xxhash3_64")
    table = table.select(sketch.alias("signature"), length_bytes(daft.col("words")).alias("bytes"))
    columns = table.to_arrow()
    flat = columns["signature"].combine_chunks().flatten().to_numpy()
    return flat.reshape(-1, common.PERMUTATIONS), columns["bytes"].to_numpy() > 0


def shared_buckets(
    signature: NDArray[np.uint32], has_words: NDArray[np.bool_], bands: int, rows: int
) -> list[list[tuple[int, int]]]:
    """Returns, for each document, those of its (band, key) pairs that another document also has."""
    multipliers = np.random.default_rng(1).integers(1, 2**64, rows, dtype=np.uint64) | np.uint64(1)
    buckets: list[list[tuple[int, int]]] = [[] for _ in signature]
    for band in range(bands):
        keys = signature[:, band * rows : (band + 1) * rows].astype(np.uint64) @ multipliers
        _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        shared = np.flatnonzero((counts[inverse] > 1) & has_words)
        for number, key in zip(shared.tolist(), inverse[shared].tolist()):
            buckets[number].append((band, key))
    return buckets


def main() -> None:
    args = common.arguments("Daft")
    daft.set_runner_native(num_threads=args.threads)
    signature, has_words = signatures(args.input, args.ngram)
    buckets = shared_buckets(signature, has_words, args.bands, args.rows)
    needed = args.threshold * common.PERMUTATIONS
    members: defaultdict[tuple[int, int], list[int]] = defaultdict(list)

    def is_duplicate(number: int) -> bool:
        candidates = list({other for bucket in buckets[number] for other in members[bucket]})
        agreeing = np.count_nonzero(signature[candidates] == signature[number], axis=1)
        return bool((agreeing >= needed).any())

    def keep(number: int, _: int) -> None:
        for bucket in buckets[number]:
            members[bucket].append(number)

    common.write_kept(args, common.greedy(range(len(signature)), is_duplicate, keep))


if __name__ == "__main__":
    main()
