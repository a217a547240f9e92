"""Arrow batches of a stream that can be read only once, in a temporary file so that they can be read again."""

from __future__ import annotations

import atexit
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lookalike import _lookalike
from lookalike.kinds.kind import Changes
from lookalike.kinds.parts import column_of
from lookalike.kinds.types import conformed, joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def filtered(rows: Any, kept: NDArray[np.bool_]) -> Any:
    """Select rows of a table or batch, with our own code for types that pyarrow cannot filter, such as views in old versions."""
    import pyarrow as pa

    try:
        return rows.filter(pa.array(kept))
    except pa.ArrowNotImplementedError:
        reader = _lookalike.filtered(rows, kept)
        return reader.read_all() if isinstance(rows, pa.Table) else reader.read_next_batch()


def selected(reader: Any, columns: Sequence[str]) -> Any:
    """Return a reader of some columns."""
    import pyarrow as pa

    schema = pa.schema([reader.schema.field(name) for name in columns])
    return pa.RecordBatchReader.from_batches(schema, (batch.select(list(columns)) for batch in reader))


def rewritten(rows: Any, changes: Changes, start: int = 0) -> Any:
    """Select the kept rows of a table or batch, and replace the column of the texts. Its first row is the row `start`."""
    import pyarrow as pa

    end = start + rows.num_rows
    kept, changed = changes.kept[start:end], changes.rows.searchsorted([start, end])
    left = rows if kept.all() else filtered(rows, kept)
    name = column_of(changes.text, rows.schema.names)
    if changed[0] == changed[1] or name is None:
        return left
    at = rows.schema.names.index(name)
    made = pa.table(changes.column(rows.select([name]), start, rows.num_rows)).column(0)
    if made.type != left.schema.field(at).type:
        made = made.cast(left.schema.field(at).type)
    if isinstance(rows, pa.Table):
        return left.set_column(at, left.schema.field(at), made)
    columns = [*left.columns]
    columns[at] = made.combine_chunks() if made.num_chunks != 1 else made.chunk(0)
    return pa.RecordBatch.from_arrays(columns, schema=left.schema)


class Spool:
    """Batches in a file, as an Arrow stream. Reading maps the file, so it uses the page cache and no other memory."""

    def __init__(self, schema: Any, batches: Iterable[Any], folder: str | None, called: str) -> None:
        """Write batches with the types of a schema, or with other types that convert to them without changing a value.

        Raises `InputError` for batches with any other types; `called` is the name of the collection in messages.
        """
        import pyarrow as pa

        file, self.path = tempfile.mkstemp(".arrow", "lookalike-", folder)
        # The file is removed when this object is no longer used. Readers that use the memory map can still read it then.
        self._ended = weakref.finalize(self, _remove, self.path)
        start = 0
        with os.fdopen(file, "wb") as out, pa.ipc.new_stream(out, schema) as writer:
            for batch in batches:
                writer.write(conformed(batch, schema, rows_of(called, start, batch.num_rows)))
                start += batch.num_rows
        self.rows = start
        self._buffer = pa.memory_map(self.path).read_buffer()

    @classmethod
    def of_any(cls, batches: Iterator[Any], folder: str | None, called: str) -> Spool | None:
        """Write batches whose column types may differ, after converting them to types that hold all values exactly.

        Returns None if there are no batches.

        The batches are written once, and a second time if the types change after the first batch.

        Raises `InputError` if no type holds all values of a column exactly.
        """
        spools: list[Spool] = []
        batch, start = next(batches, None), 0
        while batch is not None:
            schema = (
                batch.schema if not spools else joined(spools[-1].schema, batch.schema, rows_of(called, start, batch.num_rows))
            )
            rest = _OfSchema(schema, batch, batches, start, called)
            spools.append(cls(schema, rest, folder, called))
            batch, start = rest.other, rest.start
        if len(spools) < 2:
            return spools[0] if spools else None
        return cls(spools[-1].schema, (batch for spool in spools for batch in spool.batches()), folder, called)

    @property
    def schema(self) -> Any:
        """The batches' schema."""
        return self.batches().schema

    def batches(self, columns: Sequence[str] | None = None) -> Any:
        """Return a reader of all batches, or of some of their columns, without copies."""
        import pyarrow as pa

        reader = pa.ipc.open_stream(pa.BufferReader(self._buffer))
        return reader if columns is None else selected(reader, columns)

    def filtered(self, kept: NDArray[np.bool_]) -> Any:
        """Return a reader of the kept rows."""
        import pyarrow as pa

        def rows() -> Iterator[Any]:
            start = 0
            for batch in self.batches():
                mask = kept[start : start + batch.num_rows]
                start += batch.num_rows
                if mask.all():
                    yield batch
                elif mask.any():
                    yield filtered(batch, mask)

        return pa.RecordBatchReader.from_batches(self.schema, rows())

    def rewritten(self, changes: Changes) -> Any:
        """Return a reader of the kept rows with other texts."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, rewritten_each(self.batches(), changes))

    def keep_until_exit(self) -> None:
        """Keep the file until the program ends, for objects that read it by its name and whose copies do too."""
        self._ended.detach()
        atexit.register(_remove, self.path)

    def keep_for(self, holder: object) -> None:
        """Keep the file as long as `holder`, which reads it by its name, exists."""
        self._ended.detach()
        weakref.finalize(holder, _remove, self.path)


def rewritten_each(batches: Iterable[Any], changes: Changes) -> Iterator[Any]:
    """Yield the kept rows of consecutive batches with other texts; batches without such rows are left out."""
    start = 0
    for batch in batches:
        made = rewritten(batch, changes, start)
        start += batch.num_rows
        if made.num_rows:
            yield made


class _OfSchema:
    """The batches before the first one that does not fit a schema."""

    def __init__(self, schema: Any, first: Any, others: Iterator[Any], start: int, called: str) -> None:
        self._schema, self._first, self._others, self._called = schema, first, others, called
        self.start, self.other = start, None

    def __iter__(self) -> Iterator[Any]:
        batch = self._first
        while batch is not None:
            where = rows_of(self._called, self.start, batch.num_rows)
            if not joined(self._schema, batch.schema, where).equals(self._schema):
                self.other = batch
                return
            # A failed conversion is reported with the rows of its batch.
            yield conformed(batch, self._schema, where)
            self.start += batch.num_rows
            batch = next(self._others, None)


def rows_of(called: str, start: int, count: int) -> str:
    """Return the description of consecutive rows of a collection, for messages."""
    return f"{called} row {start}" if count == 1 else f"{called} rows {start} to {start + count - 1}"


def remove_soon(path: str) -> None:
    """Remove a file that is mapped into memory: now or, if the system refuses that, when the program ends."""
    try:
        os.unlink(path)
    except OSError:
        atexit.register(_remove, path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        # Another program has already removed the file, or the system removes it at its next start.
        return
