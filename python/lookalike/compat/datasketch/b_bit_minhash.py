"""`bBitMinHash`, the lowest bits of a signature's hash values, with datasketch's estimates and bytes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lookalike.compat.datasketch import schemes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lookalike.compat.datasketch.minhash import MinHash
    from lookalike.compat.datasketch.schemes import Scheme

# The stored bytes start with the seed, b, r and the number of values. For all schemes except `legacy`, the number is negative
# and the scheme's code follows.
_HEAD = "<qBdi"
_BLOCK_BITS = 64


class bBitMinHash:  # noqa: N801 - datasketch's name
    """The lowest b bits of each hash value of a MinHash signature (Li and König 2010, "b-Bit Minwise Hashing").

    It takes less space than the signature, and its estimates are less exact. It cannot be updated or indexed.

    Args:
        minhash: the signature to compress.
        b: the number of bits of each hash value, from 0 to 32.
        r: the expected size of the set, as a share of all possible tokens, from 0 to 1. 0, the default, means that the sets are
            much smaller than the number of possible tokens.

    Raises:
        ValueError: if an argument is out of range.

    """

    __slots__ = ("b", "hashvalues", "r", "scheme", "seed")

    def __init__(self, minhash: MinHash, b: int = 1, r: float = 0.0) -> None:
        b, r = int(b), float(r)
        if not 0 <= b <= 32:
            raise ValueError(f"b must be an integer in [0, 32], got {b}")
        if not 0.0 <= r <= 1.0:
            raise ValueError(f"r must be a float in [0.0, 1.0], got {r}")
        schemes.check(minhash.scheme)
        self.hashvalues: NDArray[Any] = np.bitwise_and(minhash.hashvalues, (1 << b) - 1).astype(np.uint32)
        self.seed = minhash.seed
        self.scheme: Scheme = minhash.scheme
        self.b = b
        self.r = r

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, bBitMinHash)
            and type(self) is type(other)
            and (self.scheme, self.seed, self.b, self.r) == (other.scheme, other.seed, other.b, other.r)
            and np.array_equal(self.hashvalues, other.hashvalues)
        )

    __hash__ = None  # type: ignore[assignment]

    def jaccard(self, other: bBitMinHash) -> float:
        """Return the estimated resemblance (Theorem 1 of the paper); by chance, it can be below 0.

        Raises:
            ValueError: if the other signature has a different b, scheme, seed or number of hash values.
            ZeroDivisionError: if b is 0, because all values then agree.

        """
        for name in ("b", "scheme", "seed"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(
                    f"Cannot compare b-bit MinHashes with different {name}: {getattr(self, name)} and {getattr(other, name)}"
                )
        count = self.hashvalues.size
        if other.hashvalues.size != count:
            raise ValueError(f"Cannot compare b-bit MinHashes with {count} and {other.hashvalues.size} hash values")
        same = float(np.count_nonzero(self.hashvalues == other.hashvalues)) / count
        c1, c2 = self._chances(other)
        return (same - c1) / (1 - c2)

    def _chances(self, other: bBitMinHash) -> tuple[float, float]:
        """Return the paper's C1 and C2, which say how often the bits of different hash values agree."""
        a1, a2 = _chance(self.b, self.r), _chance(other.b, other.r)
        if self.r == other.r == 0.0:
            return a1, a2
        div = 1 / (self.r + other.r)
        return (a1 * other.r + a2 * self.r) * div, (a1 * self.r + a2 * other.r) * div

    def _blocks(self) -> int:
        """Return the number of blocks of 64 bits that the hash values take."""
        return -(-self.hashvalues.size * _slot(self.b) // _BLOCK_BITS)

    def bytesize(self) -> int:
        """Return the number of bytes in which this signature is pickled."""
        return struct.calcsize(_HEAD) + (self.scheme != "legacy") + self._blocks() * 8

    def __getstate__(self) -> Any:
        count = self.hashvalues.size
        blocks = np.zeros((self._blocks(), _BLOCK_BITS // _slot(self.b)), dtype=np.uint64)
        blocks.reshape(-1)[:count] = self.hashvalues
        packed = np.bitwise_or.reduce(blocks << _shifts(self.b), axis=1).astype("<u8").tobytes()
        if self.scheme == "legacy":
            head = struct.pack(_HEAD, self.seed, self.b, self.r, count)
        else:
            head = struct.pack(_HEAD + "B", self.seed, self.b, self.r, -count, schemes.FORMS[self.scheme].code)
        return bytearray(head + packed)

    def __setstate__(self, state: Any) -> None:
        self.seed, self.b, self.r, count = struct.unpack_from(_HEAD, state, 0)
        offset = struct.calcsize(_HEAD)
        scheme = "legacy"
        if count < 0:
            scheme = schemes.of_code(state[offset])
            offset += 1
        self.scheme = cast("Scheme", scheme)
        # `_blocks` needs the number of values.
        self.hashvalues = np.zeros(abs(count), dtype=np.uint32)
        blocks = np.frombuffer(state, dtype="<u8", count=self._blocks(), offset=offset)
        slots = (blocks[:, None] >> _shifts(self.b)) & np.uint64((1 << _slot(self.b)) - 1)
        self.hashvalues[:] = slots.reshape(-1)[: abs(count)]


def _chance(b: int, r: float) -> float:
    """Return the paper's A, which says how often the bits of different hash values of sets of share r agree.

    The last exponent is datasketch's 2b, because estimates are equal bit by bit. The paper has 2^b, so the two differ if r is not
    0 and b is more than 2.
    """
    if r == 0.0:
        return 1.0 / (1 << b)
    return float(r * (1 - r) ** (2**b - 1) / (1 - (1 - r) ** (2 * b)))


def _slot(b: int) -> int:
    """Return the number of bits in which a value of b bits is stored: a power of 2, so that a block has no unused bits."""
    if b > 32:
        raise ValueError(f"the bytes are not a bBitMinHash: b is {b}")
    # datasketch stores values of 0 bits in 4.
    return 1 << (b - 1).bit_length() if b else 4


def _shifts(b: int) -> NDArray[Any]:
    """Return the place of each value in a block; the first value has the highest bits."""
    return np.arange(_BLOCK_BITS - _slot(b), -1, -_slot(b)).astype(np.uint64)
