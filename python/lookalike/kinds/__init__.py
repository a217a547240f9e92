"""The kinds of collections that are accepted and returned; no library is imported only to recognise a kind.

A collection is recognised by its type, in a library that is already imported: code that has a pandas frame has imported pandas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lookalike.kinds import arrow, dask, duck, frames, huggingface, iterators, lazy, lists, splits
from lookalike.kinds.kind import Changes, Kind, Wanted, numbered, usable
from lookalike.kinds.parts import column_of
from lookalike.kinds.sound import check_column, check_pandas, check_table

_KINDS: list[Callable[[Any], Kind | None]] = [
    lists.of,
    frames.of,
    lazy.of,
    dask.of,
    huggingface.of,
    splits.of,
    duck.of,
    # These recognise interfaces, which objects of the other kinds may have too.
    arrow.of,
    iterators.of,
]

_READ_ONCE = (arrow.Reader, lazy.Lazy, dask.Partitions, iterators.Items, iterators.Listed)


def kind_of(data: Any) -> Kind:
    """Find the kind of a collection.

    Raises `TypeError` for data that is not a collection.
    """
    found = _found(data)
    if found is not None:
        return found
    name = f"{type(data).__module__}.{type(data).__qualname__}"
    raise TypeError(f"unsupported input type {name}; {_advice(data)}")


def _advice(data: Any) -> str:
    known = {
        "bytes": "decode it first",
        "ndarray": "give an array of one axis",
        "TextIOWrapper": "give its name as a path, or its lines as (line.rstrip() for line in file)",
        "dict": "convert it to a frame or a table, for example with pandas.DataFrame(data)",
    }
    if type(data).__name__ in known:
        return known[type(data).__name__]
    if isinstance(data, Iterable):
        return "convert texts to a list of str with list(data), or give an iterator of str or of dictionaries with iter(data)"
    return "give a list of str, a DataFrame, an Arrow table, a Dataset or a path"


def is_collection(data: Any) -> bool:
    """Return whether the data is a collection of a supported kind."""
    return _found(data) is not None


def is_read_once(data: Any) -> bool:
    """Return whether the data is a stream or a query that is read only once, or a list that contains one."""
    return any(isinstance(_found(one), _READ_ONCE) for one in _several(data))


def has_splits(data: Any) -> bool:
    """Return whether the data is a dictionary of splits, or a list that contains one."""
    return any(splits.of(one) is not None for one in _several(data))


def sound(called: str, data: Any) -> Any:
    """Check data that a function reads without `kind_of`, and return what it reads: the data, or the rows of a stream.

    Everything that a caller may give as ids, pairs, rows or tokens passes through here before it is iterated over, because Python
    objects made from damaged Arrow data end the process. Raises `InputError`. Cost: as that of `check_column`.
    """
    # A kind with no rows is false, and the length of a stream is not known.
    kinds = (of(data) for of in (frames.of, huggingface.of, arrow.of))
    kind = next((kind for kind in kinds if kind is not None), None)
    if isinstance(kind, huggingface.Iterable):
        return kind.rows(called)
    if isinstance(kind, arrow.Reader):
        return kind.table(called)
    if isinstance(kind, arrow.Table):
        check_table(called, data)
    elif isinstance(kind, arrow.Array):
        check_column(called, "values", data)
    elif isinstance(kind, huggingface.Dataset):
        check_table(called, data.data.table)
    else:
        check_pandas(called, data)
    return data


def _several(data: Any) -> Sequence[Any]:
    """Return the collections of a list of collections, or the data itself."""
    if type(data) not in (list, tuple) or not data:
        return [data]
    # A dictionary of splits is a dictionary too.
    return [data] if isinstance(data[0], (str, dict)) and splits.of(data[0]) is None else data


def _found(data: Any) -> Kind | None:
    return next((kind for of in _KINDS if (kind := of(data)) is not None), None)


__all__ = [
    "Changes",
    "Kind",
    "Wanted",
    "column_of",
    "has_splits",
    "is_collection",
    "is_read_once",
    "kind_of",
    "numbered",
    "sound",
    "usable",
]
