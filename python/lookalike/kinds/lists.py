"""Texts in a list, a tuple or a numpy array."""

from __future__ import annotations

import sys
from itertools import compress
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.kinds.kind import Kind, Wanted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Plain:
    """Texts, one after the other. They are copied once, in pieces; the list itself is left as it is."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Copy the strings."""
        wanted.alone()
        listed = self._data if isinstance(self._data, list) else list(self._data)
        return Texts.of_lists(wanted.text, {wanted.text: listed})

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Take the same strings, not copies of them."""
        if not isinstance(self._data, (list, tuple)):
            return self._data[kept]
        return type(self._data)(compress(self._data, kept.tobytes()))


def of(data: Any) -> Kind | None:
    """Take lists, tuples and arrays of one axis."""
    numpy = sys.modules.get("numpy")
    if type(data) in (list, tuple) or (numpy is not None and isinstance(data, numpy.ndarray) and data.ndim == 1):
        return Plain(data)
    return None
