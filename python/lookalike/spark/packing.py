"""Rows packed into bytes: a shuffle moves a few large values, compressed together, instead of millions of small rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

PIECE = 32 << 20
"""Bytes of documents that a task processes at a time."""

PACKED = "shard int, kind int, data binary"
"""The columns of packed rows, in Spark's words: the shard to which they go, what they are, and the bytes."""


def packed(rows: Iterable[tuple[int, int, bytes]]) -> Iterator[pa.RecordBatch]:
    """Return packed rows, each given as shard, kind and bytes, as batches."""
    import pyarrow as pa

    schema = pa.schema([("shard", pa.int32()), ("kind", pa.int32()), ("data", pa.binary())])
    held: list[tuple[int, int, bytes]] = []

    def batch() -> pa.RecordBatch:
        columns = zip(*held, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    size = 0
    for row in rows:
        held.append(row)
        size += len(row[2])
        if size >= PIECE:
            yield batch()
            held, size = [], 0
    if held:
        yield batch()


def unpacked(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, int, Any]]:
    """Return packed rows as shard, kind and bytes; the bytes are not copied."""
    for batch in batches:
        shards, kinds = (batch.column(name).to_pylist() for name in ("shard", "kind"))
        yield from zip(shards, kinds, (data.as_buffer() for data in batch.column("data")), strict=True)


def by_kind(batches: Iterable[pa.RecordBatch]) -> dict[int, list[Any]]:
    """Collect the bytes of packed rows, by their kind."""
    found: dict[int, list[Any]] = {}
    for _, kind, data in unpacked(batches):
        found.setdefault(kind, []).append(data)
    return found


def pieces(batches: Iterable[pa.RecordBatch], size: int = PIECE) -> Iterator[pa.Table]:
    """Group batches into tables of about `size` bytes."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    bytes_held = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            bytes_held += batch.nbytes
        if bytes_held >= size:
            yield pa.Table.from_batches(held)
            held, bytes_held = [], 0
    if held:
        yield pa.Table.from_batches(held)


def pack(table: pa.Table) -> bytes:
    """Return a table as a compressed Arrow stream. Its texts are compressed together, to about a third."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=3))
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue())


def unpack(data: Any) -> pa.Table:
    """Return the table that `pack` packed."""
    import pyarrow as pa

    with pa.ipc.open_stream(data) as reader:
        return reader.read_all()


def split(table: pa.Table, shards: NDArray[np.int64]) -> Iterator[tuple[int, pa.Table]]:
    """Divide the rows of a table by their shards."""
    import numpy as np

    order = np.argsort(shards, kind="stable")
    table, shards = table.take(order), shards[order]
    starts = np.flatnonzero(np.diff(shards, prepend=-1)).tolist()
    for start, end in pairwise([*starts, len(shards)]):
        yield int(shards[start]), table.slice(start, end - start)


def numbers(*columns: NDArray[np.uint64]) -> bytes:
    """Return columns of equal length as bytes."""
    return b"".join(column.tobytes() for column in columns)


def columns(data: Sequence[Any], count: int) -> list[tuple[NDArray[np.uint64], ...]]:
    """Return the columns that `numbers` wrote."""
    import numpy as np

    return [tuple(np.split(np.frombuffer(one, np.uint64), count)) for one in data]
