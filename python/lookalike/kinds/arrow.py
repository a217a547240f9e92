"""Arrow tables, batches, arrays and readers of pyarrow, and any object with a stream through the PyCapsule interface."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.kinds.kind import Changes, Kind, Wanted
from lookalike.kinds.sound import check_column, check_table, checked, readable
from lookalike.kinds.spool import Spool, filtered, rewritten

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
            schema = self._data.schema
            names = schema.names
        chosen = wanted.columns(names)
        self._spool = Spool(schema, checked(wanted.called, self._data), wanted.folder, wanted.called)
        return wanted.of_arrow(self._spool.batches(chosen))

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Return a reader of the kept rows, which is a stream too."""
        return self._spool.filtered(kept)

    def rewritten(self, changes: Changes) -> Any:
        """Return a reader of the kept rows with other texts."""
        return self._spool.rewritten(changes)


def of(data: Any) -> Kind | None:
    """Return the kind of the data if it is a pyarrow object, or an object that pyarrow can read as a stream; else None."""
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None:
        if isinstance(data, (pyarrow.Table, pyarrow.RecordBatch)):
            return Table(data)
        if isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)):
            return Array(data)
        if isinstance(data, pyarrow.RecordBatchReader):
            return Reader(data)
    if not hasattr(data, "__arrow_c_stream__") or type(data).__name__ == "LazyFrame":
        return None
    import pyarrow as pa

    with readable(type(data).__name__):
        return Reader(pa.RecordBatchReader.from_stream(data))
