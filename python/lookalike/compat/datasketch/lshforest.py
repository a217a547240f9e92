"""`MinHashLSHForest`: an index that finds the most similar keys by the longest prefixes that signatures share."""

from __future__ import annotations

import bisect
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.compat.datasketch import schemes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.compat.datasketch.lsh import _Sketch


class MinHashLSHForest:
    """An in-memory index for top-k queries (Bawa et al. 2005, with sorted lists instead of trees).

    Args:
        num_perm: the number of hash values in a signature; for a weighted signature, its sample size.
        l: the number of prefix trees.

    Attributes:
        k: the depth of a tree. l: the number of trees.

    Raises:
        ValueError: if the numbers are inconsistent.

    """

    def __init__(self, num_perm: int = 128, l: int = 8) -> None:  # noqa: E741 - datasketch's name
        if l <= 0 or num_perm <= 0:
            raise ValueError("num_perm and l must be positive")
        if l > num_perm:
            raise ValueError("l cannot be greater than num_perm")
        self.l = l
        self.k = num_perm // l
        self.hashtables: list[dict[bytes, list[Any]]] = [{} for _ in range(l)]
        self.hashranges = [(i * self.k, (i + 1) * self.k) for i in range(l)]
        self.keys: dict[Any, list[bytes]] = {}
        self.sorted_hashtables: list[list[bytes]] = [[] for _ in range(l)]
        self._minhash_scheme: str | None = None

    def _H(self, hs: Any) -> bytes:  # noqa: N802 - datasketch's name
        band: bytes = hs.byteswap().tobytes()
        return band

    def add(self, key: Hashable, minhash: _Sketch) -> None:
        """Add a key with its signature; queries find the key after `index` is called.

        Raises:
            ValueError: if the signature is too short or has a different scheme, or the key exists already.

        """
        if len(minhash) < self.k * self.l:
            raise ValueError("The num_perm of MinHash out of range")
        self._minhash_scheme = schemes.same(self._minhash_scheme, minhash)
        if key in self.keys:
            raise ValueError("The given key has already been added")
        self.keys[key] = [self._H(minhash.hashvalues[start:end]) for start, end in self.hashranges]
        for path, table in zip(self.keys[key], self.hashtables, strict=True):
            table.setdefault(path, []).append(key)

    def index(self) -> None:
        """Make all added keys searchable."""
        self.sorted_hashtables = [sorted(table) for table in self.hashtables]

    def _query(self, minhash: _Sketch, r: int, b: int) -> Iterator[Any]:
        if r > self.k or r <= 0 or b > self.l or b <= 0:
            raise ValueError("parameter outside range")
        for (start, _), paths, table in zip(self.hashranges, self.sorted_hashtables, self.hashtables, strict=True):
            prefix = self._H(minhash.hashvalues[start : start + r])
            at = bisect.bisect_left(paths, prefix)
            while at < len(paths) and paths[at].startswith(prefix):
                yield from table[paths[at]]
                at += 1

    def query(self, minhash: _Sketch, k: int) -> list[Any]:
        """Return up to k keys that share the longest prefixes with this signature, in arbitrary order.

        Raises:
            ValueError: if k is not positive, or the signature is too short or has a different scheme.

        """
        if k <= 0:
            raise ValueError("k must be positive")
        if len(minhash) < self.k * self.l:
            raise ValueError("The num_perm of MinHash out of range")
        schemes.same(self._minhash_scheme, minhash)
        results: set[Any] = set()
        for r in range(self.k, 0, -1):
            for key in self._query(minhash, r, self.l):
                results.add(key)
                if len(results) >= k:
                    return list(results)
        return list(results)

    def get_minhash_hashvalues(self, key: Hashable) -> NDArray[Any]:
        """Return the hash values that a key was added with.

        Raises:
            KeyError: if the key does not exist.
            ValueError: if the stored bytes are not a signature.

        """
        paths = self.keys.get(key)
        if paths is None:
            raise KeyError(f"The provided key does not exist in the LSHForest: {key}")
        size = len(paths[0])
        width, rest = divmod(size, self.k)
        if rest or width not in (4, 8):
            raise ValueError(f"Stored hash segment of {size} bytes is not {self.k} values of a supported width (4 or 8 bytes)")
        if any(len(path) != size for path in paths):
            raise ValueError("Stored hash segments have inconsistent sizes")
        dtype = np.uint32 if width == 4 else np.uint64
        return np.frombuffer(b"".join(paths), dtype=dtype).byteswap()

    def is_empty(self) -> bool:
        """Return whether no key is searchable."""
        return any(len(paths) == 0 for paths in self.sorted_hashtables)

    def __contains__(self, key: Hashable) -> bool:
        return key in self.keys
