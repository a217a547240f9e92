"""Tables, batches, arrays, readers and datasets of pyarrow, and any object with a stream through the PyCapsule interface."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.kinds.kind import Changes, Kind, Wanted
from lookalike.kinds.sound import check_column, check_table, checked, readable
from lookalike.kinds.spool import Spool, filtered, rewritten, selected

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Table:
    """A table or a record batch, which is read without copies."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Return the columns that are read."""
        check_table(wanted.called, self._data)
        return wanted.of_arrow(self._data.select(wanted.columns(self._data.schema.names)))

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Select the kept rows."""
        return filtered(self._data, kept)

    def rewritten(self, changes: Changes) -> Any:
        """Select the kept rows, and replace the column of the texts."""
        return rewritten(self._data, changes)


class Array:
    """An array of strings, in one piece or in chunks."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Return the strings."""
        import pyarrow as pa

        wanted.alone()
        check_column(wanted.called, wanted.text, self._data)
        return wanted.of_arrow(pa.table({wanted.text: self._data}))

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Select the kept elements."""
        import pyarrow as pa

        if isinstance(self._data, pa.ChunkedArray):
            return filtered(pa.table({"text": self._data}), kept).column(0)
        return filtered(pa.RecordBatch.from_arrays([self._data], ["text"]), kept).column(0)

    def rewritten(self, changes: Changes) -> Any:
        """Select the kept elements, with other texts."""
        import pyarrow as pa

        of = pa.Table if isinstance(self._data, pa.ChunkedArray) else pa.RecordBatch
        return rewritten(of.from_arrays([self._data], [changes.text]), changes).column(0)


class Reader:
    """A stream of batches that can be read once: it is copied to a temporary file without compression, and read from there."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Read all batches, and return the columns that are read."""
        with readable(wanted.called):
            names = self._names()
        chosen = wanted.columns(names)
        with readable(wanted.called):
            stream = self._opened(chosen if wanted.only_read else None)
            schema = stream.schema
        self._spool = Spool(schema, checked(wanted.called, stream), wanted.folder, wanted.called)
        return wanted.of_arrow(self._spool.batches(chosen))

    def table(self, called: str) -> Any:
        """Read all batches into memory."""
        import pyarrow as pa

        with readable(called):
            stream = self._opened(None)
            schema = stream.schema
        return pa.Table.from_batches(checked(called, stream), schema)

    def _names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self._data.schema.names)

    def _opened(self, columns: list[str] | None) -> Any:
        """Return a reader of all columns, or of some."""
        return self._data if columns is None else selected(self._data, columns)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Return a reader of the kept rows, which is a stream too."""
        return self._spool.filtered(kept)

    def rewritten(self, changes: Changes) -> Any:
        """Return a reader of the kept rows with other texts."""
        return self._spool.rewritten(changes)


class Scan(Reader):
    """A `pyarrow.dataset.Dataset`, or a `Scanner`, which has its own columns and rows: it is read once, like a reader."""

    def _names(self) -> list[str]:
        data = self._data
        return list((data.projected_schema if hasattr(data, "projected_schema") else data.schema).names)

    def _opened(self, columns: list[str] | None) -> Any:
        if hasattr(self._data, "projected_schema"):
            stream = self._data.to_reader()
            return stream if columns is None else selected(stream, columns)
        # By default, a scan reads millions of rows ahead.
        return self._data.scanner(columns=columns, batch_size=8192, batch_readahead=2, fragment_readahead=1).to_reader()


def of(data: Any) -> Kind | None:
    """Return the kind of the data if it is a pyarrow object, or an object that pyarrow can read as a stream; else None."""
    pyarrow, scans = sys.modules.get("pyarrow"), sys.modules.get("pyarrow.dataset")
    if pyarrow is not None:
        if isinstance(data, (pyarrow.Table, pyarrow.RecordBatch)):
            return Table(data)
        if isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)):
            return Array(data)
        if isinstance(data, pyarrow.RecordBatchReader):
            return Reader(data)
    if scans is not None and isinstance(data, (scans.Dataset, scans.Scanner)):
        return Scan(data)
    if not hasattr(data, "__arrow_c_stream__"):
        return None
    import pyarrow as pa

    with readable(type(data).__name__):
        return Reader(pa.RecordBatchReader.from_stream(data))
