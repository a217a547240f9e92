"""`HyperLogLog` and `HyperLogLogPlusPlus`, with datasketch's registers, estimates and bytes."""

from __future__ import annotations

import math
import struct
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from lookalike.compat.datasketch import hyperloglog_bias
from lookalike.compat.datasketch.hashfunc import sha1_hash32, sha1_hash64

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _alpha(p: int) -> float:
    """Return the constant that corrects the mean of 2^p registers (Flajolet et al. 2007, Figure 3)."""
    return {4: 0.673, 5: 0.697, 6: 0.709}.get(p) or 0.7213 / (1.0 + 1.079 / (1 << p))


class HyperLogLog:
    """A sketch that estimates the number of distinct values, as in datasketch (Flajolet, Fusy, Gandouet, Meunier 2007).

    Args:
        p: the precision, from 4 to 16: the sketch has 2^p registers of one byte, and the standard error of its estimate is about
            1.04 / 2^(p / 2), which is 6.5 % for 8 and 0.4 % for 16; ignored if `reg` is given.
        reg: the registers of another sketch, an array of 2^p numbers, which is not copied.
        hashfunc: returns a value's hash, an int of 32 bits; by default the first bytes of SHA-1.
        hashobj: deprecated and ignored.

    Raises:
        ValueError: if an argument is invalid.

    Cost: `update` takes the time of one hash; `count`, `merge` and `union` take time in proportion to the registers.

    """

    __slots__ = ("alpha", "hashfunc", "m", "max_rank", "p", "reg")

    _hash_range_bit: ClassVar[int] = 32

    def __init__(
        self,
        p: int = 8,
        reg: NDArray[Any] | None = None,
        hashfunc: Callable[[Any], int] = sha1_hash32,
        hashobj: object | None = None,
    ) -> None:
        if reg is not None:
            if not isinstance(reg, np.ndarray):
                raise ValueError(f"reg must be a numpy array, got {type(reg).__name__}")
            p = reg.size.bit_length() - 1
            if reg.size != 1 << max(p, 0):
                raise ValueError(f"the number of registers must be a power of 2, got {reg.size}")
        if not 4 <= p <= 16:
            raise ValueError(f"p must be in the range from 4 to 16, got {p}")
        if not callable(hashfunc):
            raise ValueError("The hashfunc must be a callable.")
        if hashobj is not None:
            warnings.warn("hashobj is deprecated, use hashfunc instead.", DeprecationWarning, stacklevel=2)
        self.p = p
        self.m = 1 << p
        self.reg: NDArray[Any] = np.zeros(self.m, dtype=np.int8) if reg is None else reg
        self.hashfunc = hashfunc
        self.alpha = _alpha(p)
        self.max_rank = self._hash_range_bit - p

    def update(self, b: Any) -> None:
        """Add a value: bytes, or any value that `hashfunc` takes.

        Raises:
            ValueError: if the hash has more bits than the sketch expects.

        """
        hashed = self.hashfunc(b)
        register = hashed & (self.m - 1)
        rank = self.max_rank + 1 - (hashed >> self.p).bit_length()
        if rank <= 0:
            raise ValueError(f"hashfunc returned {hashed}, which has more than {self._hash_range_bit} bits")
        if rank > self.reg.item(register):
            self.reg[register] = rank

    def _raw(self) -> float:
        """Return the estimate without corrections: the harmonic mean of 2^register, times a constant."""
        return self.alpha * float(self.m**2) / float(np.sum(2.0**-self.reg))

    def _linearcounting(self, num_zero: int) -> float:
        """Return the estimate from the number of empty registers, which is infinite without any."""
        return float(self.m * np.log(self.m / num_zero)) if num_zero else math.inf

    def _largerange_correction(self, e: float) -> float:
        return float(-(1 << 32) * np.log(1.0 - e / (1 << 32)))

    def _empty(self) -> int:
        return self.m - int(np.count_nonzero(self.reg))

    def count(self) -> float:
        """Return the estimated number of distinct values.

        Warns if the estimate is close to the value up to which empty registers are counted: it may be less exact there. As in
        the paper, the estimate is not corrected if it is that small and no register is empty; datasketch then divides by zero.
        """
        e = self._raw()
        small = 2.5 * self.m
        if abs(e - small) / small < 0.15:
            warnings.warn(
                f"the estimate {e:.0f} is close to {small:.0f}, where the method changes: it may be less exact than usual",
                stacklevel=2,
            )
        if e <= small:
            counted = self._linearcounting(self._empty())
            return counted if counted < math.inf else e
        if e <= (1 << 32) / 30:
            return e
        return self._largerange_correction(e)

    def merge(self, other: HyperLogLog) -> None:
        """Replace this sketch with the sketch of the union of both sets.

        Raises:
            ValueError: if the sketches differ in precision or in the bits of their hashes. datasketch does not check the bits.

        """
        _require_alike((self, other), "merge")
        self.reg = np.maximum(self.reg, other.reg)

    def digest(self) -> NDArray[Any]:
        """Return a copy of the registers."""
        return self.reg.copy()

    def copy(self) -> Self:
        """Return a copy; an update of one does not change the other."""
        return self.__class__(reg=self.digest(), hashfunc=self.hashfunc)

    def is_empty(self) -> bool:
        """Return whether nothing has been added."""
        return not np.any(self.reg)

    def clear(self) -> None:
        """Remove all values."""
        self.reg = np.zeros(self.m, dtype=np.int8)

    def __len__(self) -> int:
        return len(self.reg)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HyperLogLog) and type(self) is type(other) and np.array_equal(self.reg, other.reg)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def union(cls, *hyperloglogs: HyperLogLog) -> Self:
        """Return the sketch of the union of two or more sets.

        Raises:
            ValueError: if there are fewer than two sketches, or they differ as described for `merge`.

        """
        if len(hyperloglogs) < 2:
            raise ValueError("Cannot union less than 2 HyperLogLog sketches")
        _require_alike(hyperloglogs, "union")
        return cls(reg=np.maximum.reduce([sketch.reg for sketch in hyperloglogs]), hashfunc=hyperloglogs[0].hashfunc)

    def bytesize(self) -> int:
        """Return the number of bytes that `serialize` needs."""
        return 1 + self.m

    def serialize(self, buf: Any) -> None:
        """Write this sketch to a buffer: the precision and the registers, one byte each.

        Raises:
            ValueError: if the buffer is too small.

        """
        if len(buf) < self.bytesize():
            raise ValueError(f"the buffer has {len(buf)} bytes, but this sketch needs {self.bytesize()}")
        struct.pack_into(f"B{self.m}s", buf, 0, self.p, bytes(self.reg.tolist()))

    @classmethod
    def deserialize(cls, buf: Any) -> Self:
        """Return the sketch at the start of a buffer; its hash function is the default one.

        Raises:
            ValueError: if the bytes are not a sketch.
            struct.error: if the buffer is too small.

        """
        (p,) = struct.unpack_from("B", buf, 0)
        sketch = cls(p)
        sketch._read(buf)
        return sketch

    def _read(self, buf: Any) -> None:
        (stored,) = struct.unpack_from(f"{self.m}s", buf, 1)
        registers = np.frombuffer(stored, dtype=np.uint8)
        if registers.max() > np.iinfo(np.int8).max:
            raise ValueError(f"the buffer is not a HyperLogLog: a register is {registers.max()}")
        self.reg = registers.astype(np.int8)

    def __getstate__(self) -> Any:
        buf = bytearray(self.bytesize())
        self.serialize(buf)
        return buf

    def __setstate__(self, state: Any) -> None:
        self.__init__(p=state[0])  # type: ignore[misc]
        self._read(state)


class HyperLogLogPlusPlus(HyperLogLog):
    """A sketch that estimates the number of distinct values, as in datasketch (Heule, Nunkesser, Hall 2013).

    It uses hashes of 64 bits, and corrects the bias of small estimates by the tables of the paper's appendix. As in datasketch,
    the registers have no sparse form.

    Args:
        p: the precision, as for `HyperLogLog`.
        reg: the registers of another sketch, an array of 2^p numbers, which is not copied.
        hashfunc: returns a value's hash, an int of 64 bits; by default the first bytes of SHA-1.
        hashobj: deprecated and ignored.

    Raises:
        ValueError: if an argument is invalid.

    """

    _hash_range_bit: ClassVar[int] = 64

    def __init__(
        self,
        p: int = 8,
        reg: NDArray[Any] | None = None,
        hashfunc: Callable[[Any], int] = sha1_hash64,
        hashobj: object | None = None,
    ) -> None:
        super().__init__(p=p, reg=reg, hashfunc=hashfunc, hashobj=hashobj)

    def count(self) -> float:
        """Return the estimated number of distinct values."""
        counted = self._linearcounting(self._empty())
        if counted <= hyperloglog_bias.THRESHOLDS[self.p]:
            return counted
        e = self._raw()
        return e - hyperloglog_bias.bias(e, self.p) if e <= 5 * self.m else e


def _require_alike(sketches: tuple[HyperLogLog, ...], doing: str) -> None:
    """Raise `ValueError` if the registers of the sketches cannot be compared."""
    first, *others = sketches
    for other in others:
        if other.p != first.p:
            raise ValueError(f"Cannot {doing} HyperLogLog with different precisions: {first.p} and {other.p}")
        if other._hash_range_bit != first._hash_range_bit:
            bits = f"{first._hash_range_bit} and {other._hash_range_bit}"
            raise ValueError(f"Cannot {doing} HyperLogLog with hashes of different sizes: {bits} bits")
