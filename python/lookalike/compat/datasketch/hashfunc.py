"""Hash functions of tokens."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer


def sha1_hash32(data: Buffer) -> int:
    """Return the first 4 bytes of the SHA-1 of some bytes, as a little-endian number."""
    return int.from_bytes(hashlib.sha1(data).digest()[:4], "little")


def sha1_hash64(data: Buffer) -> int:
    """Return the first 8 bytes of the SHA-1 of some bytes, as a little-endian number."""
    return int.from_bytes(hashlib.sha1(data).digest()[:8], "little")
