"""Texts or sets in a list, a tuple or a numpy array, and rows (dictionaries) in a list or a tuple."""

from __future__ import annotations

import sys
from itertools import compress
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.errors import RecordError
from lookalike.kinds.kind import Changes, Kind, Wanted, with_field
from lookalike.kinds.parts import column_of, field_of, is_joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Plain:
    """A sequence of texts. They are copied once, in pieces; the list itself is not changed."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Copy the strings."""
        return wanted.of_plain(self._data if isinstance(self._data, list) else list(self._data))

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Select the same strings, not copies of them."""
        if not isinstance(self._data, (list, tuple)):
            return self._data[kept]
        return type(self._data)(compress(self._data, kept.tobytes()))

    def rewritten(self, changes: Changes) -> Any:
        """Select the same strings, except those that changed."""
        if isinstance(self._data, (list, tuple)):
            made = list(self._data)
            for row, text in changes.each():
                made[row] = text
            return Plain(type(self._data)(made)).select(changes.kept)
        kept = self._data[changes.kept]
        texts = changes.written()
        if kept.dtype.kind == "U":
            # Texts of a fixed width would be truncated. A text that is cut is not longer, but one that replaces a page may be.
            width = max(kept.dtype.itemsize // 4, max(map(len, texts), default=1))
            kept = kept.astype(f"{kept.dtype.byteorder}U{width}", copy=False)
        for place, text in zip(changes.places().tolist(), texts, strict=True):
            kept[place] = text
        return kept


class Rows:
    """A list or tuple of dictionaries: the fields that a run reads are copied, and the same dictionaries are returned."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Copy the fields that are read."""
        stranger = next((row for row, own in enumerate(self._data) if not isinstance(own, dict)), None)
        if stranger is not None:
            kind = type(self._data[stranger]).__name__
            raise RecordError(
                f"{wanted.called} row {stranger}: is of the type {kind}, but the rows before it are dictionaries; give one kind",
                path=wanted.called,
                line=stranger,
            )
        if wanted.whole:
            every = wanted.columns(list(dict.fromkeys(name for row in self._data for name in row)))
            return wanted.of_lists({name: [row.get(name) for row in self._data] for name in every})
        names = dict.fromkeys(self._data[0])
        # A field may be missing in some rows.
        asked = {name: [field_of(row, name) for row in self._data] for name in (wanted.text, *wanted.others)}
        names |= {name: None for name, values in asked.items() if any(value is not None for value in values)}
        wanted.columns(list(names))
        # A text of several parts is put together here, and is null if no row has any of them.
        always = wanted.text if is_joined(wanted.text) else None
        there = {name: own for name, own in asked.items() if name == always or column_of(name, list(names)) is not None}
        return wanted.of_lists(there)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Select the same dictionaries, not copies of them."""
        return type(self._data)(compress(self._data, kept.tobytes()))

    def rewritten(self, changes: Changes) -> Any:
        """Select the same dictionaries, except those whose texts changed, which are copied."""
        made = list(self._data)
        for row, text in changes.each():
            made[row] = with_field(made[row], changes.text, text)
        return Rows(type(self._data)(made)).select(changes.kept)


def of(data: Any) -> Kind | None:
    """Return the kind of the data if it is a list or tuple (of texts or of rows), or an array with one axis; else None."""
    if type(data) in (list, tuple) and data and isinstance(data[0], dict):
        return Rows(data)
    numpy = sys.modules.get("numpy")
    if type(data) in (list, tuple) or (numpy is not None and isinstance(data, numpy.ndarray) and data.ndim == 1):
        return Plain(data)
    return None
