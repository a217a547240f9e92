"""The kinds of collections that are taken and given back, each without importing what it comes from.

A kind is told by its type among the libraries that have been imported: whoever has a frame has imported pandas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lookalike.kinds import arrow, frames, huggingface, lists
from lookalike.kinds.kind import Kind, Wanted, column_of, numbered, usable

_KINDS: list[Callable[[Any], Kind | None]] = [lists.of, frames.of, huggingface.of, arrow.of]


def kind_of(data: Any) -> Kind:
    """Find the kind of a collection.

    Raises `TypeError` for what is none.
    """
    found = _found(data)
    if found is not None:
        return found
    name = f"{type(data).__module__}.{type(data).__qualname__}"
    raise TypeError(f"{name} is no collection of texts: {_advice(data)}")


def _advice(data: Any) -> str:
    known = {
        "LazyFrame": "collect it first",
        "DatasetDict": "give one of its splits",
        "IterableDatasetDict": "give one of its splits",
        "bytes": "decode it first",
        "ndarray": "give an array of one axis",
        "dict": "make a frame or a table of it, such as with pandas.DataFrame(data)",
    }
    if type(data).__name__ in known:
        return known[type(data).__name__]
    if isinstance(data, Iterable):
        return "make it a list of str first, with list(data); of rows make a frame, of Arrow batches a table"
    return "give a list of str, a frame or table, a dataset, or a path"


def is_collection(data: Any) -> bool:
    """Tell whether it has a kind."""
    return _found(data) is not None


def _found(data: Any) -> Kind | None:
    return next((kind for of in _KINDS if (kind := of(data)) is not None), None)


__all__ = ["Kind", "Wanted", "column_of", "is_collection", "kind_of", "numbered", "usable"]
