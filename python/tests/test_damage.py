"""Arrow data that does not match its types causes an exception with the column and the batch, never a crash or a panic."""

from __future__ import annotations

import collections
import re

import datasets
import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from damage import ways_to_end
from lookalike import _lookalike, errors

pytestmark = pytest.mark.slow

NOT_UTF8 = [b"a text", b"another \xff\xfe one", b"a third"]


LATER = []


def raw(kind, *buffers, rows, children=None):
    """Make an array from zeroed buffers, which `spoil` fills later: pyarrow checks the arrays that tables are made from."""
    held = [np.zeros(len(one), np.uint8) for one in buffers]
    LATER.extend(zip(held, buffers, strict=True))
    return pa.Array.from_buffers(kind, rows, [None, *map(pa.py_buffer, held)], children=children)


def spoil(data):
    """Fill the buffers with the intended bytes."""
    for held, own in LATER:
        held[:] = np.frombuffer(own, np.uint8)
    LATER.clear()
    return data


def offsets(*places, of="i"):
    return np.array(places, np.int32 if of == "i" else np.int64).tobytes()


def strings(places, data, kind=None):
    return raw(kind or pa.string(), offsets(*places), data, rows=len(places) - 1)


def not_utf8():
    return pa.Array.from_buffers(pa.string(), 3, pa.array(NOT_UTF8).buffers())


def test_flipped_bytes_do_not_crash():
    found, each = ways_to_end(200)
    wrong = [(job[1:], end) for job, end in each if end is None or "CRASH" in end or "OTHER" in end]
    # The reader of another library may crash before lookalike gets the data.
    assert [one for one in wrong if "while reading" not in str(one[1])] == []
    ends = collections.Counter()
    for (_, end), times in found.items():
        ends[end.partition(":")[0]] += times
    assert min(ends["answered"], ends["error"], ends["refused by its reader"]) > 20, ends


def kinds_of(array):
    """Make a collection of each kind that contains the array."""
    table = pa.table({"text": array, "n": range(len(array))})
    return {
        "array": array,
        "chunks": pa.chunked_array([array]),
        "table": table,
        "batch": table.to_batches()[0],
        "reader": table.to_reader(),
        "frame": pd.DataFrame({"text": pd.array(array, pd.ArrowDtype(array.type))}),
        "series": pd.Series(pd.array(array, pd.ArrowDtype(array.type)), name="text"),
        "data set": datasets.Dataset(table),
        "chosen rows": datasets.Dataset(table).select([2, 1]),
        "stream": datasets.Dataset(table).to_iterable_dataset(),
    }


@pytest.mark.parametrize("kind", kinds_of(pa.array(["a", "b", "c"])))
def test_bytes_that_are_not_text_are_reported(kind):
    data = kinds_of(not_utf8())[kind]
    words = "column 'text', batch 0 is damaged (Invalid UTF8 sequence at string index 1); read or download it again"
    with pytest.raises(errors.InputError, match=re.escape(f"{type(data).__name__}: {words}")):
        lookalike.dedup(data)
    with pytest.raises(errors.InputError, match=re.escape("against: " + words)):
        lookalike.dedup(["a"], against=kinds_of(not_utf8())[kind])


def test_data_read_from_parquet_is_checked(tmp_path):
    pq.write_table(pa.table({"text": not_utf8()}), tmp_path / "a.parquet")
    for read in (pq.read_table, pd.read_parquet):
        data = read(tmp_path / "a.parquet")
        for run in (lookalike.dedup, lookalike.pairs):
            with pytest.raises(errors.InputError, match="column 'text', batch 0 is damaged"):
                run(data)
    with pytest.raises(errors.InputError, match='row group 0, column "text"'):
        lookalike.dedup(tmp_path / "a.parquet")
    # In a column of bytes, each value is checked separately.
    with pytest.raises(errors.RecordError, match="row 1"):
        lookalike.dedup(pa.table({"text": pa.array(NOT_UTF8)}))


def test_the_batch_is_counted():
    sound = pa.record_batch({"text": ["a", "b"]})
    damaged = pa.record_batch({"text": strings([0, 1, 9], b"ab")})
    batches = [sound, sound, spoil(damaged)]
    for data in (pa.Table.from_batches(batches), pa.RecordBatchReader.from_batches(sound.schema, iter(batches))):
        with pytest.raises(errors.InputError, match="column 'text', batch 2 is damaged"):
            lookalike.dedup(data)


@pytest.mark.parametrize("last", [9, 2**31 - 1, -1])
def test_columns_that_are_only_selected_are_checked_too(last):
    table = pa.table({"text": ["a", "b"], "more": strings([0, 1, last], b"ab")})
    frame = pd.DataFrame({"text": ["a", "b"], "more": pd.array(table["more"], pd.ArrowDtype(pa.string()))})
    others = [table, table.to_batches()[0], table.to_reader(), frame, frame.set_index("more")]
    for data in spoil(others):
        with pytest.raises(errors.InputError, match="column 'more', batch 0 is damaged"):
            lookalike.dedup(data)


DAMAGED = {
    "not UTF-8": lambda: not_utf8(),
    "not UTF-8, large": lambda: raw(pa.large_string(), offsets(0, 1, of="q"), b"\xff", rows=1),
    "half of a character": lambda: strings([0, 1, 2], "é".encode()),
    "offsets that decrease": lambda: strings([0, 2, 1, 3], b"abc"),
    "offsets below zero": lambda: strings([-1, 1, 3], b"abc"),
    "bytes whose offsets decrease": lambda: strings([0, 2, 1, 3], b"abc", pa.binary()),
    "items beyond their list": lambda: raw(pa.list_(pa.string()), offsets(0, 9), rows=1, children=[pa.array(["a"])]),
    "items that are not UTF-8": lambda: pa.ListArray.from_arrays([0, 2, 3], not_utf8()),
    "fixed lists": lambda: pa.FixedSizeListArray.from_arrays(not_utf8(), 3),
    "fields": lambda: pa.StructArray.from_arrays([not_utf8()], ["a"]),
    "maps": lambda: pa.MapArray.from_arrays([0, 3], not_utf8(), pa.array([1, 2, 3])),
    "dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), not_utf8()),
    "no such entry": lambda: pa.DictionaryArray.from_arrays(pa.array([0, 3]), pa.array(["a", "b"]), safe=False),
    "an entry below zero": lambda: pa.DictionaryArray.from_arrays(pa.array([0, -2]), pa.array(["a", "b"]), safe=False),
    "runs": lambda: pa.Array.from_buffers(
        pa.run_end_encoded(pa.int32(), pa.string()), 3, [None], children=[pa.array([1, 2, 3], pa.int32()), not_utf8()]
    ),
    "a view that is not UTF-8": lambda: raw(pa.string_view(), b"\x01\0\0\0\xff" + bytes(11), rows=1),
    "a view beyond its buffer": lambda: raw(pa.string_view(), b"\x20\0\0\0abcd" + bytes(8), b"abcd" * 4, rows=1),
    "a view into no buffer": lambda: raw(pa.string_view(), b"\x0d\0\0\0abcd\x07" + bytes(7), b"abcd" * 4, rows=1),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_arriving_data_is_checked_for_every_producer(name):
    other = DAMAGED[name]()
    table = spoil(pa.table({"text": ["a text"] * len(other), "other": other}))
    with pytest.raises(errors.InputError, match='Table: column "other", batch 0 is damaged'):
        _lookalike.Texts.of_arrow("Table", "text", table)
    with pytest.raises(errors.InputError, match="Table: column 'other', batch 0 is damaged"):
        lookalike.dedup(table)


def test_slices_are_checked_for_their_own_rows_only():
    table = pa.table({"text": not_utf8()})
    assert lookalike.dedup(table.slice(0, 1))[0].to_pylist() == [{"text": "a text"}]
    assert len(lookalike.dedup(table.slice(2))[0]) == 1
    # The bytes of a null value are ignored.
    hidden = pa.Array.from_buffers(pa.string(), 3, [pa.py_buffer(b"\x05"), *pa.array(NOT_UTF8).buffers()[1:]])
    assert len(lookalike.dedup(pa.table({"text": ["a", "b", "c"], "other": hidden}))[0]) == 3


def test_libraries_without_pyarrow_are_checked():
    class Stream:
        """A stream that only the native module can read."""

        def __init__(self, data):
            self.data = data

        def __arrow_c_stream__(self, requested_schema=None):
            return self.data.__arrow_c_stream__(requested_schema)

    with pytest.raises(errors.InputError, match=re.escape("(row 1 is not UTF-8 at byte 9)")):
        _lookalike.Texts.of_arrow("frame", "text", Stream(pa.table({"text": not_utf8()})))
    assert len(lookalike.dedup(pl.DataFrame({"text": ["a", "b"]}))[0]) == 2


def test_panics_during_conversion_become_our_exceptions():
    class Odd:
        def __arrow_c_array__(self, requested_schema=None):
            return pa.array([None, {"text": "a"}], pa.struct([pa.field("text", pa.string())])).__arrow_c_array__()

    with pytest.raises(errors.InputError, match="frame: has columns that cannot be read"):
        _lookalike.Texts.of_arrow("frame", "text", Odd())


def test_names_that_are_not_text_are_refused():
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, pa.schema({"text": pa.string(), "naméd": pa.int8()})) as writer:
        writer.write(pa.record_batch({"text": ["a"], "naméd": pa.array([1], pa.int8())}))
    damaged = stream.getvalue().to_pybytes().replace("naméd".encode(), b"nam\xff\xffd")
    for data in (pa.ipc.open_stream(damaged), pa.ipc.open_stream(damaged).read_all()):
        with pytest.raises(errors.InputError, match=r"cannot be read .*utf-8"):
            lookalike.dedup(data)
