"""Dictionaries of splits, such as train and test, of Hugging Face."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.errors import ConfigError, InputError
from lookalike.kinds.huggingface import Dataset, Iterable
from lookalike.kinds.kind import Changes, Kind, Wanted
from lookalike.kinds.types import conformed, joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Splits:
    """A `DatasetDict` or `IterableDatasetDict`: its splits are one collection, in the order of the dictionary.

    Several splits are refused unless `all_splits=True`, because a test row could be kept instead of a similar training row. Rows
    are counted through all splits: the first row of a split follows the last row of the split before.
    """

    def __init__(self, data: Any, of: Callable[[Any], Dataset | Iterable]) -> None:
        self._data, self._of = data, of

    def texts(self, wanted: Wanted) -> Texts:
        """Return the columns that are read."""
        names = list(self._data)
        if len(names) > 1 and not wanted.all_splits:
            first, second = (f'data["{name}"]' for name in names[:2])
            raise ConfigError(
                f"{wanted.called}: has several splits ({', '.join(map(str, names))}); compare one with another, as in "
                f"lookalike.dedup({first}, against={second}), or read all as one collection with all_splits=True",
                option="all_splits",
            )
        if not names:
            raise InputError(f"{wanted.called}: has no splits; give a dataset", path=wanted.called)
        self._parts = {name: self._of(self._data[name]) for name in names}
        if len(names) == 1:
            return self._parts[names[0]].texts(wanted)
        called = {name: f"{wanted.called}[{name!r}]" for name in names}
        columns = {name: part.columns(wanted._replace(called=called[name])) for name, part in self._parts.items()}
        return _one({called[name]: own for name, own in columns.items() if own is not None}, wanted)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Return a dictionary of the same splits, each with its kept rows."""
        return self._each(lambda part, start, end: part.select(kept[start:end]))

    def rewritten(self, changes: Changes) -> Any:
        """Return a dictionary of the same splits, each with its kept rows and with other texts."""
        return self._each(lambda part, start, end: part.rewritten(changes.part(start, end)))

    def _each(self, made: Callable[[Dataset | Iterable, int, int], Any]) -> Any:
        start, splits = 0, {}
        for name, part in self._parts.items():
            splits[name] = made(part, start, start + len(part))
            start += len(part)
        return type(self._data)(splits)


def _one(columns: dict[str, Any], wanted: Wanted) -> Texts:
    """Return the columns of several splits as one collection, with types that hold all values exactly."""
    import pyarrow as pa

    if not columns:
        return wanted.of_plain([])
    schemas = [own.schema for own in columns.values()]
    schema = schemas[0]
    for called, other in zip(columns, schemas, strict=True):
        schema = joined(schema, other, called)
    # The engine keeps all batches in any case, and errors in a reader that it reads would lose their types.
    readers = ((called, own.to_reader() if isinstance(own, pa.Table) else own) for called, own in columns.items())
    batches = [conformed(batch, schema, called) for called, reader in readers for batch in reader]
    return wanted.of_arrow(pa.Table.from_batches(batches, schema))


def of(data: Any) -> Kind | None:
    """Return the kind of the data if it is a dictionary of splits; else None."""
    datasets = sys.modules.get("datasets")
    if datasets is not None and isinstance(data, datasets.DatasetDict):
        return Splits(data, Dataset)
    if datasets is not None and isinstance(data, datasets.IterableDatasetDict):
        return Splits(data, Iterable)
    return None
