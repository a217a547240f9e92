"""`MinHashLSHEnsemble`: an index that finds the sets that contain a query's set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike import _lookalike
from lookalike.compat.datasketch import storage
from lookalike.compat.datasketch.lsh import MinHashLSH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.compat.datasketch.minhash import MinHash


def optimal_partitions(sizes: NDArray[Any], counts: NDArray[Any], num_part: int) -> list[tuple[int, int]]:
    """Divide set sizes into closed intervals, represented by their largest sizes, so that there are the fewest false positives.

    Args:
        sizes: the distinct sizes, ascending.
        counts: the number of sets of each size.
        num_part: the maximum number of intervals.

    Source: Zhu et al., *LSH Ensemble* (2016), section 5. Cost: cubic in the number of distinct sizes.

    """
    n = len(sizes)
    if num_part < 2:
        return [(sizes[0], sizes[-1])]
    if num_part >= n:
        return [(size, size) for size in sizes]
    # wasted[l, u]: the estimated number of false positives among the sets of the sizes from l to u, if size u represents them.
    wasted = np.zeros((n, n))
    for lower in range(n):
        for upper in range(lower, n):
            part = slice(lower, upper + 1)
            wasted[lower, upper] = np.sum((float(sizes[upper]) - sizes[part]) / float(sizes[upper]) * counts[part])
    # least[p][u]: the smallest such number if the sizes up to u are divided into p intervals; 0 if there are too few sizes.
    least = [np.zeros(n), wasted[0]]
    for parts in range(2, num_part):
        least.append(np.zeros(n))
        for upper in range(parts - 1, n):
            least[parts][upper] = min(least[parts - 1][end] + wasted[end + 1, upper] for end in range(parts - 2, upper))

    def last_end(parts: int, before: int, upper: int) -> int:
        return min(range(parts - 2, upper), key=lambda end: least[before][end] + wasted[end + 1, upper])

    upper = last_end(num_part, num_part - 1, n - 1)
    partitions = [(sizes[upper + 1], sizes[-1])]
    for parts in range(num_part - 1, 1, -1):
        # For the fewest false positives, the second argument would be `parts - 1`. datasketch passes `parts`, so its partitions
        # are not always the best, but we need the same partitions.
        end = last_end(parts, parts, upper)
        partitions.append((sizes[end + 1], sizes[upper]))
        upper = end
    partitions.append((sizes[0], sizes[upper]))
    return partitions[::-1]


class MinHashLSHEnsemble:
    """An in-memory index that finds sets by the share of a query's set that they contain (Zhu et al. 2016).

    Args:
        threshold: the containment, 0 to 1, for which bands and rows are chosen.
        num_perm: the number of hash values in a signature.
        num_part: the number of partitions by set size.
        m: the maximum number of rows in a band; memory grows with it.
        weights: the weights of false positives and false negatives, which sum to 1.
        storage_config: `{"type": "dict"}` or None.
        prepickle: whether keys are pickled when they are inserted; not by default.

    Raises:
        ValueError: if the arguments are inconsistent, or the storage is not in memory.

    """

    def __init__(
        self,
        threshold: float = 0.9,
        num_perm: int = 128,
        num_part: int = 16,
        m: int = 8,
        weights: tuple[float, float] = (0.5, 0.5),
        storage_config: dict[str, Any] | None = None,
        prepickle: bool | None = None,
    ) -> None:
        storage.check(storage_config)
        if not 0.0 <= threshold <= 1.0:
            raise ValueError("threshold must be in [0.0, 1.0]")
        if num_perm < 2:
            raise ValueError("Too few permutation functions")
        if num_part < 1:
            raise ValueError("num_part must be at least 1")
        if not 2 <= m <= num_perm:
            raise ValueError("m must be in the range of [2, num_perm]")
        if any(not 0.0 <= weight <= 1.0 for weight in weights):
            raise ValueError("Weight must be in [0.0, 1.0]")
        if sum(weights) != 1.0:
            raise ValueError("Weights must sum to 1.0")
        self.threshold = threshold
        self.h = num_perm
        self.m = m
        self.xqs = np.exp(np.linspace(-5, 5, 10))
        chosen = [_lookalike.datasketch_containment_params(threshold, num_perm, m, float(xq), *weights) for xq in self.xqs]
        self.params = np.array(chosen, dtype=int)
        rows = {r for _, r in chosen}
        self.indexes = [
            {r: MinHashLSH(num_perm=num_perm, params=(num_perm // r, r), prepickle=prepickle) for r in rows}
            for _ in range(num_part)
        ]
        self.lowers: list[int | None] = [None] * num_part
        self.uppers: list[int | None] = [None] * num_part

    def _get_optimal_param(self, x: int, q: int) -> tuple[int, int]:
        at = int(np.searchsorted(self.xqs, float(x) / float(q), side="left"))
        b, r = self.params[min(at, len(self.params) - 1)]
        return int(b), int(r)

    def index(self, entries: Iterable[tuple[Hashable, MinHash, int]]) -> None:
        """Add all sets, each with its key, signature and size; this method can be called only once.

        Raises:
            ValueError: if the index is not empty, there are no entries, or a size is not positive.

        """
        if not self.is_empty():
            raise ValueError("Cannot call index again on a non-empty index")
        entries = sorted(entries, key=lambda entry: entry[2])
        if not entries:
            raise ValueError("entries is empty")
        if entries[0][2] <= 0:
            raise ValueError("Set size must be positive")
        sizes, counts = np.array(sorted(Counter(size for _, _, size in entries).items())).T
        for i, (lower, upper) in enumerate(optimal_partitions(sizes, counts, len(self.indexes))):
            self.lowers[i], self.uppers[i] = lower, upper
        part = 0
        for key, minhash, size in entries:
            largest = self.uppers[part]
            if largest is not None and size > largest:
                part += 1
            for index in self.indexes[part].values():
                index.insert(key, minhash)

    def query(self, minhash: MinHash, size: int) -> Iterator[Any]:
        """Yield the keys of the sets that contain a share of about `threshold` or more of the query's set.

        The query's set has `size` members.
        """
        for index, upper in zip(self.indexes, self.uppers, strict=True):
            if upper is not None:
                b, r = self._get_optimal_param(upper, size)
                yield from index[r]._query_b(minhash, b)

    def __contains__(self, key: Hashable) -> bool:
        return any(key in index for part in self.indexes for index in part.values())

    def is_empty(self) -> bool:
        """Return whether nothing has been added."""
        return all(index.is_empty() for part in self.indexes for index in part.values())
