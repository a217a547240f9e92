"""Permutation schemes: how hash values are computed.

`affine32` and `affine64` mix a token's hash with MurmurHash3's finaliser and compute a·h + b modulo 2^32 or 2^64, which is a
permutation because a is odd. `legacy`, the only scheme before datasketch 2.0.0, computes (a·h + b) mod 2^61 - 1 in 64-bit
numbers, and uses the lower 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Scheme = Literal["affine32", "affine64", "legacy"]

MERSENNE_PRIME: Final = (1 << 61) - 1


class Form(NamedTuple):
    """How a scheme's hash values are stored."""

    dtype: type[np.unsignedinteger[Any]]
    """The type of the hash values in memory."""
    largest: int
    """The largest hash value, which also represents the empty set."""
    packed: Literal["I", "Q"]
    """The type of the hash values in `LeanMinHash.serialize`, in the notation of `struct`."""
    code: int
    """The scheme's number in the bytes that `LeanMinHash.serialize` writes; for `legacy`, no number is written."""


FORMS: Final[dict[str, Form]] = {
    "affine32": Form(np.uint32, (1 << 32) - 1, "I", 1),
    "affine64": Form(np.uint64, (1 << 64) - 1, "Q", 2),
    "legacy": Form(np.uint64, (1 << 32) - 1, "I", 0),
}

NEW: Scheme = "affine32"
"""The default scheme."""


def check(scheme: str) -> None:
    """Raise `ValueError` if the name is not a scheme."""
    if scheme not in FORMS:
        raise ValueError(f"scheme must be one of {', '.join(FORMS)}, got {scheme!r}")


def of_code(code: int) -> str:
    """Return the scheme with a stored number; raise `ValueError` if there is none."""
    for name, form in FORMS.items():
        if form.code == code and name != "legacy":
            return name
    raise ValueError(f"Unknown permutation scheme code: {code}")


def to_array(values: Any, scheme: str, what: str) -> NDArray[Any]:
    """Return values as an array of the scheme's type; raise `ValueError` for values that are out of its range."""
    form = FORMS[scheme]
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iu" and values.size and not 0 <= int(values.min()) <= int(values.max()) <= form.largest:
            raise ValueError(f"{what} out of range for scheme {scheme!r}")
        return values.astype(form.dtype)
    try:
        return np.array(values, dtype=form.dtype)
    except OverflowError as error:
        raise ValueError(f"{what} out of range for scheme {scheme!r}: {error}") from error


_DRAWN: dict[tuple[int, int, str], NDArray[Any]] = {}


def permutations(seed: int, count: int, scheme: str) -> NDArray[Any]:
    """Return the coefficients (a, b) of `count` permutations, which numpy's legacy generator draws from the seed.

    All sketches of a kind share the array, so it is read-only.
    """
    asked = (seed, count, scheme)
    drawn = _DRAWN.get(asked)
    if drawn is None:
        drawn = _draw(seed, count, scheme)
        drawn.setflags(write=False)
        if len(_DRAWN) >= 64:
            _DRAWN.clear()
        _DRAWN[asked] = drawn
    return drawn


def _draw(seed: int, count: int, scheme: str) -> NDArray[Any]:
    generator = np.random.RandomState(seed)
    if scheme == "legacy":
        drawn = [
            (
                generator.randint(1, MERSENNE_PRIME, dtype=np.uint64),
                generator.randint(0, MERSENNE_PRIME, dtype=np.uint64),
            )
            for _ in range(count)
        ]
        return np.array(drawn, dtype=np.uint64).T
    dtype, width = (np.uint32, 32) if scheme == "affine32" else (np.uint64, 64)
    a = generator.randint(0, 1 << (width - 1), count, dtype=dtype) * dtype(2) + dtype(1)
    b = generator.randint(0, 1 << width, count, dtype=dtype)
    return np.array([a, b])


def parse_permutations(given: Any, scheme: str) -> Any:
    """Return the given coefficients in the scheme's form: the same object if possible, so that sketches share it."""
    if scheme == "legacy":
        return given
    dtype = FORMS[scheme].dtype
    if not (isinstance(given, np.ndarray) and given.dtype == dtype and given.ndim == 2 and given.shape[0] == 2):
        given = np.array([to_array(given[i], scheme, "permutation parameters") for i in (0, 1)])
    if np.any(given[0] & dtype(1) == 0):
        raise ValueError(f"all `a` permutation parameters must be odd for scheme {scheme!r}")
    return given


def same(known: str | None, minhash: object) -> str | None:
    """Return the scheme that an index should store; raise `ValueError` if the sketch has a scheme other than the stored one.

    Hash values do not show their scheme, so an index with mixed schemes would silently find nothing.
    """
    scheme = getattr(minhash, "scheme", None)
    if scheme is None or scheme == known:
        return known
    if known is None:
        return str(scheme)
    raise ValueError(f"MinHash scheme {scheme!r} does not match scheme {known!r} of the MinHash previously given to this index")


def require_alike(minhashes: Sequence[Any], doing: str) -> None:
    """Raise `ValueError` if the sketches differ in scheme, seed or length."""
    first, *others = minhashes
    for other in others:
        if getattr(other, "scheme", None) != first.scheme:
            raise ValueError(f"Cannot {doing} MinHash with different permutation schemes")
        if other.seed != first.seed:
            raise ValueError(f"Cannot {doing} MinHash with different seeds")
        if len(other) != len(first):
            raise ValueError(f"Cannot {doing} MinHash with different numbers of permutation functions")
