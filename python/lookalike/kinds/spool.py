"""Arrow batches that can be had only once, in a temporary file from which they can be had again."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lookalike import _lookalike

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def filtered(rows: Any, kept: NDArray[np.bool_]) -> Any:
    """Choose rows of a table or a batch; where pyarrow cannot, as of views before it had kernels for them, ours does."""
    import pyarrow as pa

    try:
        return rows.filter(pa.array(kept))
    except pa.ArrowNotImplementedError:
        reader = _lookalike.filtered(rows, kept)
        return reader.read_all() if isinstance(rows, pa.Table) else reader.read_next_batch()


class Spool:
    """Batches in a file, an Arrow stream. Reading maps the file: it takes pages of the cache, and no memory of its own."""

    def __init__(self, schema: Any, batches: Iterable[Any], folder: str | None) -> None:
        import pyarrow as pa

        file, self.path = tempfile.mkstemp(".arrow", "lookalike-", folder)
        # Whoever reads holds this, or the mapping, which outlives the name.
        self._ended = weakref.finalize(self, _remove, self.path)
        with os.fdopen(file, "wb") as out, pa.ipc.new_stream(out, schema) as writer:
            for batch in batches:
                writer.write(batch)
        self._buffer = pa.memory_map(self.path).read_buffer()

    def batches(self, columns: Sequence[str] | None = None) -> Any:
        """Give a reader of all batches, or of some of their columns, without copies."""
        import pyarrow as pa

        reader = pa.ipc.open_stream(pa.BufferReader(self._buffer))
        if columns is None:
            return reader
        schema = pa.schema([reader.schema.field(name) for name in columns])
        return pa.RecordBatchReader.from_batches(schema, (batch.select(list(columns)) for batch in reader))

    def filtered(self, kept: NDArray[np.bool_]) -> Any:
        """Give a reader of the rows that stay."""
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

        return pa.RecordBatchReader.from_batches(self.batches().schema, rows())

    def keep_for(self, holder: object) -> None:
        """Keep the file as long as `holder` is there, which reads it by its name."""
        self._ended.detach()
        weakref.finalize(holder, _remove, self.path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        # Somebody else took it away, or the system does when it next starts.
        return
