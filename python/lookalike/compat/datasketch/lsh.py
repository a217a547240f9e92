"""`MinHashLSH`: an index of keys by bands of their signatures."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Self

from lookalike import _lookalike
from lookalike.compat.datasketch import schemes, storage
from lookalike.compat.datasketch.journal import Change, Journal

if TYPE_CHECKING:
    from lookalike.compat.datasketch.minhash import MinHash
    from lookalike.compat.datasketch.weighted_minhash import WeightedMinHash

    _Sketch = MinHash | WeightedMinHash


class MinHashLSH:
    """An index that finds the keys whose signatures share a band with a query.

    Args:
        threshold: the similarity, 0 to 1, for which bands and rows are chosen.
        num_perm: the number of hash values in a signature; for a weighted signature, its sample size.
        weights: the weights of false positives and false negatives, which sum to 1, in the choice of bands and rows.
        params: explicit bands and rows; `threshold` and `weights` are then ignored.
        storage_config: `{"type": "dict"}` or None for memory; `{"type": "lookalike", "path": …}` for a persistent index.
        prepickle: whether keys are pickled when they are inserted; not by default.
        hashfunc: the function that compresses a band's bytes.

    Attributes:
        h: the number of hash values in a signature.
        b: the number of bands.
        r: the number of rows in a band.
        hashtables: for each band, a table of the keys by the band's bytes.
        keys: for each key, the bytes of its bands.
        hashranges: the ranges of the bands in a signature.

    Raises:
        ValueError: if the arguments are inconsistent, or the storage is not in memory.

    Bands and rows are chosen as in datasketch, by the smallest weighted sum of the areas under and over the S-curve. This choice
    finds a third to a half of the pairs *at* the threshold; `lookalike.LshIndex` promises a recall instead.

    A persistent index is a folder. It is created if it does not exist; otherwise the same arguments open it with all its keys.
    A change is on the disk when its method returns; in a session, changes are written in groups of `buffer_size`, and all of
    them at its end. One process can write it, until `close` or the end of the object; with `"readonly": True` others read it as
    it is when they open it. Everything is also in memory, so opening reads the whole index. Keys are `str`, `bytes` or `int`;
    with `prepickle=True` they are any objects, so open only folders that you trust. Keys and bands are stored, but no
    signatures.

    """

    def __init__(
        self,
        threshold: float = 0.9,
        num_perm: int = 128,
        weights: tuple[float, float] = (0.5, 0.5),
        params: tuple[int, int] | None = None,
        storage_config: dict[str, Any] | None = None,
        prepickle: bool | None = None,
        hashfunc: Callable[[bytes], bytes] | None = None,
    ) -> None:
        stored = storage.folder(storage_config)
        if not 0.0 <= threshold <= 1.0:
            raise ValueError("threshold must be in [0.0, 1.0]")
        if num_perm < 2:
            raise ValueError("Too few permutation functions")
        if any(not 0.0 <= weight <= 1.0 for weight in weights):
            raise ValueError("Weight must be in [0.0, 1.0]")
        if sum(weights) != 1.0:
            raise ValueError("Weights must sum to 1.0")
        self.h = num_perm
        if params is None:
            self.b, self.r = _lookalike.datasketch_params(threshold, num_perm, *weights)
        else:
            self.b, self.r = params
            if self.b * self.r > num_perm:
                raise ValueError(
                    f"The product of b and r in params is {self.b} * {self.r} = {self.b * self.r} -- it must be less than "
                    f"num_perm {num_perm}. Did you forget to specify num_perm?"
                )
        if self.b < 2:
            raise ValueError("The number of bands are too small (b < 2)")
        self.prepickle = bool(prepickle)
        self.hashfunc = hashfunc
        self.hashtables: list[storage.Buckets] = [storage.Buckets() for _ in range(self.b)]
        self.hashranges = [(i * self.r, (i + 1) * self.r) for i in range(self.b)]
        self.keys = storage.Table()
        self.buffer_size = 50000
        self._minhash_scheme: str | None = None
        self._asked: list[set[Any]] = []
        self._journal: Journal | None = None
        if stored is not None:
            own = {"num_perm": self.h, "b": self.b, "r": self.r, "prepickle": self.prepickle, "hashfunc": hashfunc is not None}
            journal = Journal(stored[0], own, stored[1])
            try:
                self._replay(journal.read())
            except BaseException:
                journal.close()
                raise
            self._journal = journal

    def _replay(self, changes: list[Change]) -> None:
        for name, key, bands in changes:
            if name == "scheme":
                self._minhash_scheme = key
            elif name == "insert":
                self._hold(key, bands)
            else:
                self._drop(key)

    def close(self) -> None:
        """Close a persistent index, so that another process can write it. An index in memory stays as it is."""
        if self._journal is not None:
            self._journal.close()

    def __getstate__(self) -> dict[str, Any]:
        if self._journal is not None:
            raise TypeError("a persistent index cannot be copied or pickled; open its path in the other process")
        return self.__dict__

    def _H(self, hs: Any) -> bytes:  # noqa: N802 - datasketch's name
        band: bytes = hs.byteswap().tobytes()
        return band if self.hashfunc is None else self.hashfunc(band)

    def _bands(self, minhash: _Sketch, count: int | None = None) -> list[bytes]:
        """Return the bytes of the first `count` bands, by default of all. Cost: one byte swap and one copy, then slices."""
        if len(minhash) != self.h:
            raise ValueError(f"Expecting minhash with length {self.h}, got {len(minhash)}")
        hashvalues = minhash.hashvalues
        swapped = hashvalues.byteswap().tobytes()
        width = len(swapped) // len(hashvalues) * self.r
        bands = [swapped[at : at + width] for at in range(0, (self.b if count is None else count) * width, width)]
        return bands if self.hashfunc is None else [self.hashfunc(band) for band in bands]

    def _key(self, key: Hashable) -> Hashable:
        return pickle.dumps(key) if self.prepickle else key

    def _plain(self, keys: set[Any]) -> set[Any]:
        return {pickle.loads(key) for key in keys} if self.prepickle else keys

    def insert(self, key: Hashable, minhash: _Sketch, check_duplication: bool = True) -> None:
        """Add a key with its signature.

        Raises:
            ValueError: if the signature has a different length or scheme, or the key exists already; if `check_duplication` is
                false, existing keys are not checked.

        """
        bands = self._bands(minhash)
        scheme = schemes.same(self._minhash_scheme, minhash)
        key = self._key(key)
        if check_duplication and key in self.keys:
            raise ValueError("The given key already exists")
        self._put([(key, bands)], scheme)

    def _put(self, entries: list[tuple[Hashable, list[bytes]]], scheme: str | None) -> None:
        if self._journal is not None:
            of_scheme: list[Change] = [] if scheme in (None, self._minhash_scheme) else [("scheme", scheme, [])]
            self._journal.append([*of_scheme, *(("insert", key, bands) for key, bands in entries)])
        self._minhash_scheme = scheme
        for key, bands in entries:
            self._hold(key, bands)

    def _hold(self, key: Hashable, bands: list[bytes]) -> None:
        self.keys.insert(key, *bands)
        for band, table in zip(bands, self.hashtables, strict=False):
            table.insert(band, key)

    def merge(self, other: MinHashLSH, check_overlap: bool = False) -> None:
        """Add all keys of another index with the same numbers of hash values, bands and rows.

        Raises:
            ValueError: if the indexes differ, or `check_overlap` is true and they share a key.

        """
        if type(self) is not type(other):
            raise ValueError(f"Cannot merge type MinHashLSH and type {type(other).__name__}.")
        if (self.h, self.b, self.r) != (other.h, other.b, other.r):
            raise ValueError("Cannot merge MinHashLSH with different initialization parameters.")
        known, theirs = self._minhash_scheme, other._minhash_scheme
        if known is not None and theirs is not None and known != theirs:
            raise ValueError(
                f"Cannot merge MinHashLSH indexed with MinHash scheme {theirs!r} into one indexed with scheme {known!r}"
            )
        if check_overlap and set(self.keys).intersection(other.keys):
            raise ValueError("The keys are overlapping, duplicate key exists.")
        self._put([(key, list(other.keys.get(key))) for key in other.keys], known or theirs)

    def insertion_session(self, buffer_size: int = 50000) -> MinHashLSHInsertionSession:
        """Return a context in which keys are added."""
        return MinHashLSHInsertionSession(self, buffer_size=buffer_size)

    def deletion_session(self, buffer_size: int = 50000) -> MinHashLSHDeletionSession:
        """Return a context in which keys are removed."""
        return MinHashLSHDeletionSession(self, buffer_size=buffer_size)

    def query(self, minhash: _Sketch) -> list[Any]:
        """Return the keys whose signatures share a band with this one, each once, in arbitrary order.

        Raises:
            ValueError: if the signature has a different length or scheme.

        """
        return list(self._candidates(minhash))

    def _candidates(self, minhash: _Sketch) -> set[Any]:
        bands = self._bands(minhash)
        schemes.same(self._minhash_scheme, minhash)
        return self._plain(self._union(bands))

    def _union(self, bands: list[bytes]) -> set[Any]:
        candidates: set[Any] = set()
        for band, table in zip(bands, self.hashtables, strict=False):
            candidates.update(table.get(band))
        return candidates

    def _query_b(self, minhash: _Sketch, b: int) -> set[Any]:
        """Return the keys that share one of the first b bands."""
        if b > self.b:
            raise ValueError("b must be less or equal to the number of hash tables")
        bands = self._bands(minhash, b)
        schemes.same(self._minhash_scheme, minhash)
        return self._plain(self._union(bands))

    def add_to_query_buffer(self, minhash: _Sketch) -> None:
        """Store a query for `collect_query_buffer`.

        Raises:
            ValueError: if the signature has a different length or scheme.

        """
        self._asked.append(self._candidates(minhash))

    def collect_query_buffer(self) -> list[Any]:
        """Return the keys that all stored queries find, and clear the stored queries."""
        asked, self._asked = self._asked, []
        return list(set.intersection(*asked)) if asked else []

    def __contains__(self, key: Hashable) -> bool:
        return self._key(key) in self.keys

    def remove(self, key: Hashable) -> None:
        """Remove a key.

        Raises:
            ValueError: if the key does not exist.

        """
        key = self._key(key)
        if key not in self.keys:
            raise ValueError("The given key does not exist")
        if self._journal is not None:
            self._journal.append([("remove", key, [])])
        self._drop(key)

    def _drop(self, key: Hashable) -> None:
        for band, table in zip(self.keys[key], self.hashtables, strict=False):
            table.remove_val(band, key)
            if not table.get(band):
                table.remove(band)
        self.keys.remove(key)

    def is_empty(self) -> bool:
        """Return whether no key has been added."""
        return any(table.size() == 0 for table in self.hashtables)

    def get_counts(self) -> list[dict[Any, int]]:
        """Return, for each band, the number of keys in each of its buckets."""
        return [table.itemcounts() for table in self.hashtables]

    def get_subset_counts(self, *keys: Hashable) -> list[dict[Any, int]]:
        """Return what `get_counts` returns, for these keys only."""
        tables = [storage.Buckets() for _ in range(self.b)]
        for key in {self._key(key) for key in keys}:
            for band, table in zip(self.keys.get(key), tables, strict=False):
                table.insert(band, key)
        return [table.itemcounts() for table in tables]


class _Session:
    """A context in which an index is changed; every change takes effect immediately.

    The changes of a persistent index are written in groups of `buffer_size`, and all of them at the end.
    """

    def __init__(self, lsh: MinHashLSH, buffer_size: int) -> None:
        self.lsh = lsh
        self.lsh.buffer_size = buffer_size
        if lsh._journal is not None:
            lsh._journal.buffer(buffer_size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the session."""
        if self.lsh._journal is not None:
            self.lsh._journal.flush()


class MinHashLSHInsertionSession(_Session):
    """A context in which keys are added to an index."""

    def insert(self, key: Hashable, minhash: _Sketch, check_duplication: bool = True) -> None:
        """Add a key, as `MinHashLSH.insert` does."""
        self.lsh.insert(key, minhash, check_duplication=check_duplication)


class MinHashLSHDeletionSession(_Session):
    """A context in which keys are removed from an index."""

    def remove(self, key: Hashable) -> None:
        """Remove a key, as `MinHashLSH.remove` does."""
        self.lsh.remove(key)
