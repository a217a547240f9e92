"""`LeanMinHash`, a signature that stores only its hash values, seed and scheme."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lookalike.compat.datasketch import schemes
from lookalike.compat.datasketch.minhash import MinHash

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lookalike.compat.datasketch.schemes import Scheme


class LeanMinHash(MinHash):
    """A MinHash signature that cannot be updated, uses little memory and has its own byte layout.

    Args:
        minhash: the signature to copy. Without it, give the three other arguments.
        seed: the seed of the signature.
        hashvalues: the hash values of the signature.
        scheme: the scheme of the signature (`"legacy"` for signatures of datasketch before 2.0.0).

    Raises:
        ValueError: if the arguments are inconsistent.

    """

    __slots__ = ("hashvalues", "scheme", "seed")

    def __init__(
        self,
        minhash: MinHash | None = None,
        seed: int | None = None,
        hashvalues: ArrayLike | None = None,
        scheme: Scheme | None = None,
    ) -> None:
        if minhash is not None:
            if scheme is not None and scheme != minhash.scheme:
                raise ValueError(f"scheme {scheme!r} conflicts with the scheme {minhash.scheme!r} of the given MinHash")
            self._initialize_slots(minhash.seed, minhash.hashvalues, minhash.scheme)
        elif seed is not None and hashvalues is not None:
            if scheme is None:
                raise ValueError(
                    "scheme must be specified explicitly when initializing from existing hash values: pass the scheme of "
                    "the MinHash they came from, or 'legacy' for those of datasketch before 2.0.0"
                )
            self._initialize_slots(seed, hashvalues, scheme)
        else:
            raise ValueError("Init parameters cannot be None: make sure to set either minhash or both of hash values and seed")

    def _initialize_slots(self, seed: int, hashvalues: Any, scheme: str = "legacy") -> None:
        schemes.check(scheme)
        self.seed = seed
        self.scheme = cast("Scheme", scheme)
        self.hashvalues = self._parse_hashvalues(hashvalues)
        if scheme != "legacy" and len(self.hashvalues) == 0:
            # Only a negative count marks the new layout. The count of an empty signature would be 0, so its bytes would be read
            # as the legacy layout.
            raise ValueError("hashvalues must not be empty")

    @classmethod
    def _of(cls, seed: int, hashvalues: Any, scheme: str) -> LeanMinHash:
        lean = object.__new__(LeanMinHash)
        lean._initialize_slots(seed, hashvalues, scheme)
        return lean

    def update(self, b: Any) -> None:
        """Raise an exception, because a lean signature cannot be updated.

        Raises:
            TypeError: always.

        """
        raise TypeError("Cannot update a LeanMinHash")

    def copy(self) -> LeanMinHash:
        """Return a copy with its own hash values."""
        return self._of(self.seed, self.hashvalues, self.scheme)

    def _layout(self, byteorder: str) -> str:
        packed = f"{len(self)}{schemes.FORMS[self.scheme].packed}"
        return f"{byteorder}qi{packed}" if self.scheme == "legacy" else f"{byteorder}qiB{packed}"

    def bytesize(self, byteorder: str = "@") -> int:
        """Return the number of bytes that `serialize` needs, for a byte order as in `struct`."""
        return struct.calcsize(self._layout(byteorder))

    def serialize(self, buf: Any, byteorder: str = "@") -> None:
        """Write this signature to a buffer: seed (8 bytes), number of values (4 bytes), values.

        The layout of `legacy` is that of the versions before 2.0.0. For the other schemes, the number of values is written as a
        negative number, and a byte with the code of the scheme follows. A value takes 4 bytes, or 8 for `affine64`.

        Raises:
            ValueError: if the buffer is too small.

        """
        if len(buf) < self.bytesize(byteorder):
            raise ValueError("The buffer does not have enough space for holding this MinHash.")
        count = (len(self),) if self.scheme == "legacy" else (-len(self), schemes.FORMS[self.scheme].code)
        struct.pack_into(self._layout(byteorder), buf, 0, self.seed, *count, *self.hashvalues.tolist())

    @classmethod
    def _read(cls, buf: Any, byteorder: str) -> tuple[int, tuple[int, ...], str]:
        head = f"{byteorder}qi"
        buf = memoryview(buf)
        seed, count = struct.unpack_from(head, buf, 0)
        if count >= 0:
            scheme, offset = "legacy", struct.calcsize(head)
        else:
            (code,) = struct.unpack_from(f"{byteorder}B", buf, struct.calcsize(head))
            scheme = schemes.of_code(code)
            # The offset includes the alignment of the first value.
            offset = struct.calcsize(f"{head}B0{schemes.FORMS[scheme].packed}")
        layout = f"{byteorder}{abs(count)}{schemes.FORMS[scheme].packed}"
        return seed, struct.unpack_from(layout, buf, offset), scheme

    @classmethod
    def deserialize(cls, buf: Any, byteorder: str = "@") -> LeanMinHash:
        """Return the signature at the start of a buffer; a signature that was written before 2.0.0 has the scheme `legacy`.

        Raises:
            ValueError: if the scheme is unknown.

        """
        return cls._of(*cls._read(buf, byteorder))

    def __getstate__(self) -> Any:
        buf = bytearray(self.bytesize())
        self.serialize(buf)
        return buf

    def __setstate__(self, state: Any) -> None:
        self._initialize_slots(*self._read(state, "@"))

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((self.scheme, self.seed, tuple(self.hashvalues)))

    @classmethod
    def union(cls, *mhs: MinHash) -> LeanMinHash:
        """Return the signature of the union of two or more sets.

        Raises:
            ValueError: if there are fewer than two signatures, or they differ in scheme, seed or length.

        """
        if len(mhs) < 2:
            raise ValueError("Cannot union less than 2 MinHash")
        schemes.require_alike(mhs, "union")
        return cls._of(mhs[0].seed, np.minimum.reduce([m.hashvalues for m in mhs]), mhs[0].scheme)
