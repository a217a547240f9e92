"""Hugging Face datasets, on the disk or streamed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.errors import InputError, RecordError
from lookalike.kinds.kind import Changes, Kind, Wanted
from lookalike.kinds.sound import check_column, check_table
from lookalike.kinds.spool import Spool, rewritten_each

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 1000


class Dataset:
    """A `datasets.Dataset`: its columns are read from the memory map; if it is a selection of rows, only these rows are read."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def texts(self, wanted: Wanted) -> Texts:
        """Return the columns that are read."""
        return wanted.of_arrow(self.columns(wanted))

    def columns(self, wanted: Wanted) -> Any:
        """Return the columns that are read, as a table or a reader."""
        import pyarrow as pa

        chosen = wanted.columns(self._data.column_names)
        data = self._data.select_columns(chosen)
        if data._indices is None:
            return check_table(wanted.called, data.data.table)
        _check_chosen(wanted.called, data.data.table, data._indices.column(0))
        schema = data.data.table.schema
        rows = data.with_format("arrow").iter(batch_size=_BATCH)
        batches = (batch for table in rows for batch in table.cast(schema).to_batches())
        return pa.RecordBatchReader.from_batches(schema, batches)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Select the kept rows. The result shares its data with the dataset, and has the indices of these rows."""
        import numpy as np

        return self._data.select(np.flatnonzero(kept))

    def rewritten(self, changes: Changes) -> Any:
        """Write the kept rows with other texts to a temporary file, and return a dataset that reads it."""
        import datasets

        if not changes.rows.size:
            return self.select(changes.kept)
        schema = self._data.features.arrow_schema
        rows = self._data.with_format("arrow").iter(batch_size=_BATCH)
        tables = (check_table(changes.called, table, number) for number, table in enumerate(rows))
        batches = (batch for table in tables for batch in _of_schema(table, schema).combine_chunks().to_batches())
        spool = Spool(schema, rewritten_each(batches, changes), changes.folder, changes.called)
        made = datasets.Dataset.from_file(spool.path, info=self._data.info.copy(), split=self._data.split)
        spool.keep_until_exit()
        form = self._data.format
        made.set_format(form["type"], form["columns"], form["output_all_columns"], **form["format_kwargs"])
        return made


def _of_schema(table: Any, schema: Any) -> Any:
    """Return a table with the types of a schema."""
    return table if table.schema.equals(schema) else table.cast(schema)


def _check_chosen(called: str, table: Any, indices: Any) -> None:
    """Check the chunks of a table that contain selected rows; the others are not read."""
    import numpy as np

    for name, column in zip(table.schema.names, table.columns, strict=True):
        ends = np.cumsum([len(chunk) for chunk in column.chunks])
        for number in np.unique(np.searchsorted(ends, indices.to_numpy(), side="right")).tolist():
            if number < column.num_chunks:
                check_column(called, name, column.chunk(number), number)


class Iterable:
    """A `datasets.IterableDataset`: the stream is read once into a temporary file, with all its columns.

    The returned dataset reads from that file, which exists as long as the dataset does.
    """

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Read all rows, and return the columns that are read."""
        columns = self.columns(wanted)
        return wanted.of_plain([]) if columns is None else wanted.of_arrow(columns)

    def __len__(self) -> int:
        return 0 if self._spool is None else self._spool.rows

    def columns(self, wanted: Wanted) -> Any:
        """Read all rows, and return a reader of the columns that are read, or None if nothing is known about the columns.

        If the features are unknown, each column gets a type that holds all its values.
        """
        features, batches = self._data.features, _batches(self._data, wanted.called)
        if features is None:
            self._spool = Spool.of_any(batches, wanted.folder, wanted.called)
        else:
            # The features may lack columns of the data; it is an error if a requested column is one of these.
            wanted.columns(list(features))
            self._spool = Spool(features.arrow_schema, batches, wanted.folder, wanted.called)
        if self._spool is None:
            return None
        chosen = wanted.columns(self._spool.schema.names)
        return self._spool.batches(chosen)

    def rows(self, called: str) -> Iterator[dict[str, Any]]:
        """Yield all rows."""
        for batch in _batches(self._data, called):
            yield from batch.to_pylist()

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Return an iterable dataset of the kept rows."""
        import numpy as np

        return self._data if self._spool is None else self._reading(self._spool, np.flatnonzero(kept))

    def rewritten(self, changes: Changes) -> Any:
        """Write the kept rows with other texts to a second temporary file, and return a dataset that reads it."""
        import numpy as np

        if self._spool is None:
            return self._data
        rows = rewritten_each(self._spool.batches(), changes)
        spool = Spool(self._spool.schema, rows, changes.folder, changes.called)
        return self._reading(spool, np.arange(changes.kept.sum()))

    def _reading(self, spool: Spool, rows: NDArray[np.int64]) -> Any:
        """Return an iterable dataset of rows of a temporary file."""
        import datasets

        mapped = datasets.Dataset.from_file(spool.path)
        spool.keep_for(mapped.data)
        # A dataset without rows cannot be converted.
        nothing = datasets.IterableDataset.from_generator(_nothing, mapped.features)
        selected = mapped.select(rows).to_iterable_dataset() if rows.size else nothing
        formatting = getattr(self._data, "_formatting", None)
        return selected.with_format(formatting.format_type) if formatting else selected


def _nothing() -> Iterator[dict[str, Any]]:
    return iter(())


def _batches(data: Any, called: str) -> Iterator[Any]:
    """Read a dataset as Arrow batches; within a batch, all rows have the same types.

    Raises `InputError` for rows that Arrow cannot represent, and `RecordError` for a lone surrogate (half of a character).
    """
    import pyarrow as pa

    # Each Python example is converted to its own table, with the types of its values, because datasets cannot combine examples
    # whose types differ.
    is_arrow = getattr(getattr(data, "_ex_iterable", None), "iter_arrow", None) is not None
    tables = iter(data.with_format("arrow").iter(batch_size=_BATCH if is_arrow else 1))
    same: list[Any] = []
    count, start, number = 0, 0, 0
    while True:
        where = f"{called} row {start}" + (f" or one of the {_BATCH - 1:,} after it" if is_arrow else "")
        try:
            table = next(tables, None)
        except (pa.ArrowException, OverflowError) as error:
            raise InputError(
                f"{where}: cannot be read as Arrow data ({error}); give each column only values of its type"
            ) from error
        except UnicodeEncodeError as error:
            raise RecordError(
                f"{where}: has half of a character (a lone surrogate), which is not valid text; fix it, for instance with "
                '.encode("utf-8", "replace").decode()'
            ) from error
        if same and (table is None or count >= _BATCH or not table.schema.equals(same[0].schema)):
            yield from pa.concat_tables(same).combine_chunks().to_batches()
            same, count = [], 0
        if table is None:
            return
        same.append(check_table(called, table, number))
        number += 1
        count += table.num_rows
        start += table.num_rows


def of(data: Any) -> Kind | None:
    """Return the kind of the data if it is a dataset, and None otherwise, also for a dictionary of splits."""
    datasets = sys.modules.get("datasets")
    if datasets is not None and isinstance(data, datasets.Dataset):
        return Dataset(data)
    if datasets is not None and isinstance(data, datasets.IterableDataset):
        return Iterable(data)
    return None
