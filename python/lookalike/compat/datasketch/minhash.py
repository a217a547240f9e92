"""`MinHash`, with datasketch's hash values."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lookalike import _lookalike
from lookalike.compat.datasketch import schemes
from lookalike.compat.datasketch.hashfunc import sha1_hash32, sha1_hash64

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lookalike.compat.datasketch.schemes import Scheme


_new = object.__new__

# For each scheme, the default hash function of a MinHash. Tokens for this function are buffered.
_WAITS_FOR = {"affine32": sha1_hash32, "affine64": sha1_hash64, "legacy": sha1_hash32}

# The maximum number of buffered tokens.
_WAITING = 1024


class MinHash:
    """A MinHash signature that is updated with the tokens of its set, as in datasketch.

    Args:
        num_perm: the number of permutations, which is also the number of hash values; ignored if `hashvalues` are given.
        seed: the seed of numpy's legacy generator, which draws the permutations.
        gpu_mode: accepted for compatibility; `"always"` is an error when tokens are hashed.
        hashfunc: returns a token's hash, an int of 32 bits, or of 64 bits for the scheme `affine64`; by default the first bytes
            of SHA-1. A function from outside this package is called for each token, which takes most of the time.
        hashobj: deprecated and ignored.
        hashvalues: the hash values of another MinHash; `scheme` must then be the scheme of that MinHash.
        permutations: the permutations of another MinHash; `scheme` must then be the scheme of that MinHash.
        scheme: `"affine32"` (the default), `"affine64"` or `"legacy"`, the scheme of all versions before 2.0.0.

    Raises:
        ValueError: if the arguments are inconsistent.

    Cost: about 60 ns per token with 128 permutations for `update_batch`, less for `bulk` on several threads.

    """

    def __init__(
        self,
        num_perm: int = 128,
        seed: int = 1,
        gpu_mode: Literal["disable", "detect", "always"] = "disable",
        hashfunc: Callable[[Any], int] | None = None,
        hashobj: object | None = None,
        hashvalues: ArrayLike | None = None,
        permutations: tuple[ArrayLike, ArrayLike] | ArrayLike | None = None,
        scheme: Scheme | None = None,
    ) -> None:
        if scheme is None:
            if hashvalues is not None or permutations is not None:
                raise ValueError(
                    "scheme must be specified explicitly when initializing from existing hash values or permutations: "
                    "pass the scheme of the MinHash they came from, or 'legacy' for those of datasketch before 2.0.0"
                )
            scheme = schemes.NEW
        schemes.check(scheme)
        self.scheme = scheme
        if hashvalues is not None:
            num_perm = len(hashvalues)  # type: ignore[arg-type]
        if num_perm < 1:
            raise ValueError("num_perm must be positive")
        if num_perm > 1 << 32:
            raise ValueError(f"Cannot have more than {1 << 32} number of permutation functions")
        if hashfunc is None:
            hashfunc = sha1_hash64 if scheme == "affine64" else sha1_hash32
        if not callable(hashfunc):
            raise ValueError("The hashfunc must be a callable.")
        if hashobj is not None:
            warnings.warn("hashobj is deprecated, use hashfunc instead.", DeprecationWarning, stacklevel=2)
        self.seed = seed
        self.num_perm = num_perm
        self.hashfunc = hashfunc
        # Tokens that were passed to `update` and are not hashed yet. They are hashed together, because a call for each token
        # would take most of the time.
        self._waiting: list[bytes] | None = None
        self._hashvalues: NDArray[Any] = (
            self._init_hashvalues(num_perm) if hashvalues is None else self._parse_hashvalues(hashvalues)
        )
        self.permutations: Any = (
            schemes.permutations(seed, num_perm, scheme)
            if permutations is None
            else schemes.parse_permutations(permutations, scheme)
        )
        if len(self) != len(self.permutations[0]):
            raise ValueError("Numbers of hash values and permutations mismatch")
        self._gpu_mode = gpu_mode

    @property
    def hashvalues(self) -> NDArray[Any]:
        """The hash values: the smallest value of each permutation so far."""
        if self._waiting:
            self._hash_waiting()
        return self._hashvalues

    @hashvalues.setter
    def hashvalues(self, hashvalues: NDArray[Any]) -> None:
        self._waiting = None
        self._hashvalues = hashvalues

    def _hash_waiting(self) -> None:
        tokens, self._waiting = self._waiting, None
        bits = 64 if self.scheme == "affine64" else 32
        (self._hashvalues,) = _lookalike.datasketch_bulk(
            (tokens or (),), bits, self.scheme, self._coefficients(), self._hashvalues, 1
        )

    def _init_hashvalues(self, num_perm: int) -> NDArray[Any]:
        form = schemes.FORMS[self.scheme]
        return np.full(num_perm, form.largest, dtype=form.dtype)

    def _parse_hashvalues(self, hashvalues: ArrayLike) -> NDArray[Any]:
        if self.scheme == "legacy":
            return np.array(hashvalues, dtype=np.uint64)
        return schemes.to_array(hashvalues, self.scheme, "hash values")

    def _native_bits(self) -> int | None:
        """Return the number of bits of a token's hash if the native module computes the hash, else None."""
        if self.hashfunc is sha1_hash32:
            return 32
        return 64 if self.hashfunc is sha1_hash64 and self.scheme != "affine32" else None

    def _coefficients(self) -> NDArray[Any]:
        return np.asarray(self.permutations, dtype=schemes.FORMS[self.scheme].dtype)

    def _lower(self, hashes: list[int]) -> None:
        try:
            array = np.array(hashes, dtype=schemes.FORMS[self.scheme].dtype)
        except OverflowError as error:
            raise ValueError(
                f"hashfunc returned a value out of range for scheme {self.scheme!r}: {error}. Use a hash function "
                "matching the scheme width, or scheme='affine64' for 64-bit hash values."
            ) from error
        self.hashvalues = _lookalike.datasketch_lower(array.astype(np.uint64), self.scheme, self._coefficients(), self.hashvalues)

    def update(self, b: Any) -> None:
        """Add a token: bytes, or any value that `hashfunc` takes."""
        if type(b) is bytes and self.hashfunc is _WAITS_FOR[self.scheme]:
            if self._waiting is None:
                self._waiting = [b]
            else:
                self._waiting.append(b)
                if len(self._waiting) >= _WAITING:
                    self._hash_waiting()
        elif self._native_bits() is None:
            self._lower([self.hashfunc(b)])
        else:
            self._update_native((b,))

    def update_batch(self, b: Iterable[Any]) -> None:
        """Add many tokens. The result is the same as with one call of `update` per token, in a fraction of the time."""
        if self._native_bits() is None:
            hashes = [self.hashfunc(token) for token in b]
            if hashes:
                self._refuse_gpu()
                self._lower(hashes)
        else:
            self._refuse_gpu()
            self._update_native(b)

    def _update_native(self, tokens: Iterable[Any]) -> None:
        bits = self._native_bits() or 32
        (self.hashvalues,) = _lookalike.datasketch_bulk((tokens,), bits, self.scheme, self._coefficients(), self.hashvalues, 1)

    def _refuse_gpu(self) -> None:
        if self._gpu_mode == "always":
            raise RuntimeError("GPU mode 'always' requested but CuPy/CUDA device is unavailable.")

    def jaccard(self, other: MinHash) -> float:
        """Return the estimated resemblance: the share of hash values that agree.

        Raises:
            ValueError: if the other signature has a different scheme, seed or number of permutations.

        """
        schemes.require_alike((self, other), "compute Jaccard given")
        return float(np.count_nonzero(self.hashvalues == other.hashvalues)) / float(len(self))

    def count(self) -> float:
        """Return the estimated number of distinct tokens."""
        largest = float(schemes.FORMS[self.scheme].largest)
        return float(float(len(self)) / np.sum(self.hashvalues / largest) - 1.0)

    def merge(self, other: MinHash) -> None:
        """Replace this signature with the signature of the union of both sets.

        Raises:
            ValueError: if the other signature has a different scheme, seed or number of permutations.

        """
        schemes.require_alike((self, other), "merge")
        self.hashvalues = np.minimum(other.hashvalues, self.hashvalues)

    def digest(self) -> NDArray[Any]:
        """Return a copy of the hash values."""
        return self.hashvalues.copy()

    def is_empty(self) -> bool:
        """Return whether nothing has been added."""
        return not np.any(self.hashvalues != schemes.FORMS[self.scheme].largest)

    def clear(self) -> None:
        """Remove all tokens."""
        self.hashvalues = self._init_hashvalues(len(self))

    def copy(self) -> MinHash:
        """Return a copy; an update of one does not change the other."""
        return self._with(self.digest())

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MinHash)
            and type(self) is type(other)
            and self.scheme == other.scheme
            and self.seed == other.seed
            and np.array_equal(self.hashvalues, other.hashvalues)
        )

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def union(cls, *mhs: MinHash) -> MinHash:
        """Return the signature of the union of two or more sets.

        Raises:
            ValueError: if there are fewer than two signatures, or they differ in scheme, seed or length.

        """
        if len(mhs) < 2:
            raise ValueError("Cannot union less than 2 MinHash")
        schemes.require_alike(mhs, "union")
        first = mhs[0]
        return cls(
            num_perm=len(first),
            seed=first.seed,
            hashfunc=first.hashfunc,
            hashvalues=np.minimum.reduce([m.hashvalues for m in mhs]),
            permutations=first.permutations,
            gpu_mode=first._gpu_mode,
            scheme=first.scheme,
        )

    @classmethod
    def bulk(cls, b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> list[MinHash]:
        """Compute the signatures of many sets of tokens on all cores, and return them; all signatures get the same arguments."""
        model = cls(**minhash_kwargs)
        bits = model._native_bits()
        # A subclass may override how tokens are added.
        if bits is None or cls is not MinHash:
            return list(cls.generator(b, **minhash_kwargs))
        model._refuse_gpu()
        rows = _lookalike.datasketch_bulk(b, bits, model.scheme, model._coefficients(), model.hashvalues)
        return [model._with(row) for row in rows]

    def _with(self, hashvalues: NDArray[Any]) -> MinHash:
        """Return a copy with other hash values. This is faster than the constructor, which checks all arguments again."""
        other: MinHash = _new(MinHash)
        other.scheme = self.scheme
        other.seed = self.seed
        other.num_perm = self.num_perm
        other.hashfunc = self.hashfunc
        other._waiting = None
        other._hashvalues = hashvalues
        other.permutations = self.permutations
        other._gpu_mode = self._gpu_mode
        return other

    @classmethod
    def generator(cls, b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> Iterator[MinHash]:
        """Yield the signatures of many sets of tokens; each set is read when its signature is requested."""
        model = cls(**minhash_kwargs)
        for tokens in b:
            minhash = model.copy()
            minhash.update_batch(tokens)
            yield minhash

    def __getstate__(self) -> Any:
        # The state is the same as in datasketch, so that each package can read the other's pickles if the module names match.
        state = {name: value for name, value in self.__dict__.items() if name not in ("_hashvalues", "_waiting")}
        return {**state, "hashvalues": self.hashvalues, "_a_gpu": None, "_b_gpu": None}

    def __setstate__(self, state: Any) -> None:
        state = {name: value for name, value in state.items() if name not in ("_a_gpu", "_b_gpu")}
        self.hashvalues = state.pop("hashvalues")
        # Pickles from before 2.0.0 have no scheme, and those from before 1.6 no GPU mode.
        self.__dict__.update({"scheme": "legacy", "_gpu_mode": "disable"} | state)
