"""Irregular data: columns of several types, cells that are not text, ids of all types."""

from __future__ import annotations

import datetime
import decimal
import json
import re

import datasets
import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lookalike import errors
from lookalike.kinds.types import conformed, joined, unified

TEXTS = ["a text of more than five words, said twice", "A text of more than five words: said twice!", "quite another one"]


def streamed(*parts, rows=1000, features=None):
    """Make a dataset of several batches: each of the parts gives the values of one batch."""

    def rows_of():
        for number, part in enumerate(parts):
            for row in range(rows):
                yield {"text": f"text number {number} {row} of those", **part}

    return datasets.IterableDataset.from_generator(rows_of, features=features)


@pytest.mark.parametrize(
    "values",
    [
        [1, None],
        [None, 1],
        [None, None, "x"],
        [1, 0.5],
        [0.5, 1],
        [None, 1, 2**40, 0.5],
        [{"a": None}, {"a": 1}],
        [{"a": 1}, {"a": 0.5, "b": "x"}],
        [{"a": 1, "b": 2.5}, {"b": 2, "a": None}],
        [[], [1], [0.5, None]],
        [{"a": [{"b": None}]}, {"a": [{"b": "x", "c": [True]}]}],
        [None, datetime.datetime(2024, 1, 31, 12)],
    ],
    ids=str,
)
@pytest.mark.parametrize("rows", [1, 1000])
def test_types_that_change_between_rows_are_unified(values, rows):
    kept, report = lookalike.dedup(streamed(*({"n": value} for value in values), rows=rows))
    assert isinstance(kept, datasets.IterableDataset)
    assert report.kept.all()
    got = [row["n"] for row in kept]
    assert len(got) == rows * len(values)

    def there(value, beside):
        """Compare a value with the returned one, in which fields that the row does not have are null."""
        if isinstance(value, dict):
            return all(there(value.get(name), other) for name, other in beside.items()) and value.keys() <= beside.keys()
        if isinstance(value, list):
            return len(value) == len(beside) and all(map(there, value, beside))
        return value == beside

    assert all(there(values[at // rows], value) for at, value in enumerate(got))


def test_columns_that_appear_later_are_null_before():
    kept, _ = lookalike.dedup(streamed({"n": 1}, {"m": "x"}))
    rows = list(kept)
    assert [(row["n"], row["m"]) for row in (rows[0], rows[-1])] == [(1, None), (None, "x")]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, "x"], "IterableDataset rows 1000 to 1999: column 'n' is of the type string, but of the type int64 before"),
        (["x", 1], "IterableDataset rows 1000 to 1999: column 'n' is of the type int64, but of the type string before"),
        ([True, 1], "is of the type int64, but of the type bool before"),
        ([{"a": 1}, {"a": "x"}], "column 'n' is of the type struct<a: string>, but of the type struct<a: int64> before"),
        ([2**53 + 1, 0.5], "rows 0 to 999: column 'n' is of the type int64, with values that double"),
        ([0.5, 2**53 + 1], "rows 1000 to 1999: column 'n' is of the type int64, with values that double"),
    ],
    ids=str,
)
def test_types_that_cannot_be_unified_are_refused(tmp_path, values, words):
    with pytest.raises(errors.InputError, match=re.escape(words)) as caught:
        lookalike.dedup(streamed(*({"n": value} for value in values)), temp_dir=tmp_path)
    assert "give all its rows one type" in str(caught.value)
    del caught
    assert list(tmp_path.iterdir()) == []


def test_rows_that_arrow_cannot_represent_are_named():
    features = datasets.Features({"text": datasets.Value("string"), "n": datasets.Value("int64")})
    for parts, told, kind, words in (
        (({"n": 1}, {"n": "x"}), features, errors.InputError, "row 1: cannot be read as Arrow data"),
        (({"n": 1}, {"n": 2**70}), None, errors.InputError, "row 1: cannot be read as Arrow data"),
        (({"n": ""}, {"n": "\ud800"}), None, errors.RecordError, "row 1: has half of a character"),
        (({}, {"text": 3}), None, errors.InputError, "row 1: column 'text' is of the type int64"),
    ):
        with pytest.raises(kind, match=words):
            lookalike.dedup(streamed(*parts, rows=1, features=told))


def test_a_generators_own_exception_is_raised():
    def rows():
        yield {"text": "a"}
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        lookalike.dedup(datasets.IterableDataset.from_generator(rows))
    empty = datasets.IterableDataset.from_generator(lambda: iter(()))
    kept, report = lookalike.dedup(empty)
    assert (list(kept), len(report)) == ([], 0)


def test_a_reader_keeps_its_declared_schema():
    schema = pa.schema({"text": pa.string(), "n": pa.float64()})
    first, second = (pa.record_batch({"text": [text], "n": n}) for text, n in (("one", pa.array([0.5])), ("two", pa.array([1]))))
    kept, _ = lookalike.dedup(pa.RecordBatchReader.from_batches(schema, iter([first, second])))
    assert kept.schema == schema
    assert kept.read_all()["n"].to_pylist() == [0.5, 1.0]
    for other in (pa.array(["x"]), pa.array([2**53 + 1])):
        batches = [first, pa.record_batch({"text": ["two"], "n": other})]
        with pytest.raises(errors.InputError, match="RecordBatchReader row 1: column 'n'"):
            lookalike.dedup(pa.RecordBatchReader.from_batches(schema, iter(batches)))


VALUES = st.recursive(
    st.one_of(st.none(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3)),
    max_leaves=6,
)


@given(values=st.lists(VALUES, min_size=1, max_size=6))
def test_one_type_can_represent_all_values_or_there_is_an_error(values):
    batches = []
    for value in values:
        try:
            batches.append(pa.RecordBatch.from_pylist([{"n": value}]))
        except pa.ArrowInvalid:
            return
    try:
        schema = batches[0].schema
        for batch in batches[1:]:
            schema = joined(schema, batch.schema, "rows")
    except errors.InputError:
        return
    for batch, value in zip(batches, values, strict=True):
        own = conformed(batch, schema, "rows")
        assert own.schema == schema
        assert pa.RecordBatch.from_pylist([{"n": value}], schema=schema).to_pylist() == own.to_pylist()


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [
        (pa.null(), pa.list_(pa.int8()), pa.list_(pa.int8())),
        (pa.int8(), pa.int32(), pa.int32()),
        (pa.uint8(), pa.int8(), pa.int16()),
        (pa.uint32(), pa.int8(), pa.int64()),
        (pa.uint8(), pa.uint64(), pa.uint64()),
        (pa.uint64(), pa.int64(), None),
        (pa.float32(), pa.int8(), pa.float64()),
        (pa.float32(), pa.float64(), pa.float64()),
        (pa.large_string(), pa.string(), pa.large_string()),
        (pa.string(), pa.binary(), None),
        (pa.dictionary(pa.int8(), pa.string()), pa.string(), pa.string()),
        (pa.timestamp("s"), pa.timestamp("us"), pa.timestamp("us")),
        (pa.timestamp("s"), pa.timestamp("s", "UTC"), None),
        (pa.decimal128(3, 1), pa.decimal128(4, 3), pa.decimal128(5, 3)),
        (pa.date32(), pa.timestamp("s"), None),
        (pa.bool_(), pa.int8(), None),
        (pa.map_(pa.string(), pa.null()), pa.map_(pa.string(), pa.int8()), pa.map_(pa.string(), pa.int8())),
    ],
)
def test_types_in_a_table(a, b, both):
    assert unified(a, b) == both
    assert both is None or unified(b, both) is not None


CELLS = [1, 2.5, ["a"], {"a": 1}, b"bytes", True]


@pytest.mark.parametrize("cell", [*CELLS, "\ud800"], ids=repr)
def test_a_cell_that_is_not_text_is_named(cell):
    words = 'row 1: field "text" (is of the type (int|float|list|dict|bytes|bool)|has half of a character)'
    frame = pd.DataFrame({"text": pd.Series(["fine", cell], dtype=object)})
    made = [["fine", cell], ("fine", cell), frame, frame["text"], np.array(["fine", cell, None], dtype=object)[:2]]
    made += [pl.Series(["fine", cell], dtype=pl.Object), pl.DataFrame({"text": pl.Series(["fine", cell], dtype=pl.Object)})]
    for data in [*made, [{"text": "fine"}, {"text": cell}]]:
        if type(cell) is bytes and type(data).__module__.startswith("pandas"):
            continue
        with pytest.raises(errors.RecordError, match=f"{type(data).__name__} {words}"):
            lookalike.dedup(data)
        # As references, a list of lists may be a list of collections.
        if type(cell) is not list or type(data) not in (list, tuple) or isinstance(data[0], dict):
            with pytest.raises(errors.RecordError, match=f"against {words}"):
                lookalike.dedup(TEXTS, against=data)


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA])
def test_a_missing_value_is_not_a_text(nothing):
    for data in (pd.DataFrame({"text": ["a", nothing]}), pd.Series(["a", nothing]), [{"text": "a"}, {"other": 1}]):
        with pytest.raises(errors.RecordError, match=r'row 1: field "text" is (null|None), not a text'):
            lookalike.dedup(data)


IDS = [
    [1, "1", 2.5],
    [2**70, -(2**70), 3],
    [-(2**63), 2**64 - 1, 3],
    ["a", "b", 'c "quoted" \\ é\n'],
    [1.5, 2.5, 1e300],
    [np.int64(1), "1", np.float32(0.5)],
]


def test_decimal_numbers_are_numbers():
    prices = [decimal.Decimal("1.10"), decimal.Decimal("1E+3"), decimal.Decimal(2)]
    rows = [{"text": text, "price": price} for text, price in zip(TEXTS, prices, strict=True)]
    assert lookalike.dedup(rows, keep="max:price")[0] == rows[1:]
    assert lookalike.dedup(rows, id="price")[1].decisions["id"].to_pylist() == ["1.10", "1E+3", "2"]
    with pytest.raises(errors.RecordError, match='list row 0: field "price" is a number that JSON cannot represent'):
        lookalike.dedup([{"text": "a", "price": decimal.Decimal("nan")}], id="price")


@pytest.mark.slow
@pytest.mark.parametrize("ids", IDS, ids=str)
def test_ids_are_the_same_as_in_json_lines(tmp_path, ids):
    plain = [own.item() if isinstance(own, np.generic) else own for own in ids]
    rows = [{"text": text, "id": own} for text, own in zip(TEXTS, plain, strict=True)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    _, expected = lookalike.dedup(tmp_path / "in.jsonl")
    frame = pd.DataFrame({"text": TEXTS, "id": pd.Series(ids, dtype=object)})
    odd = pl.DataFrame({"text": TEXTS, "id": pl.Series(ids, dtype=pl.Object)})
    for data in (frame, odd, [{"text": text, "id": own} for text, own in zip(TEXTS, ids, strict=True)]):
        kept, report = lookalike.dedup(data, id="id")
        lines = [json.loads(line) for line in report.decisions_json().splitlines()]
        assert [line["id"] for line in lines] == plain
        assert [type(line["id"]) for line in lines] == list(map(type, plain))
        assert list(report.clusters) == list(expected.clusters) == plain[:1]
        assert type(kept) is type(data)
        assert len(kept) == 2
        # `evaluate` writes `truth` to a file of pairs; the ids in it must still match those of the data.
        found = lookalike.evaluate(data, id="id", truth=[(plain[0], plain[1], 1.0)], runs=["--method exact"])
        assert found.runs[0]["pairs"]["found"] == 1
    two = pd.DataFrame({"text": TEXTS, "id": pd.Series([1, "1", 1], dtype=object)})
    with pytest.raises(errors.RecordError, match="DataFrame row 2: id 1 was already used at DataFrame row 0;"):
        lookalike.dedup(two, id="id")


def test_ids_of_many_bits_and_times():
    frame = pl.DataFrame({"text": TEXTS, "id": pl.Series([2**100, 1, 2], dtype=pl.Int128)})
    assert lookalike.dedup(frame, id="id")[1].clusters == {2**100: [2**100, 1]}
    times = [datetime.datetime(2024, 1, day, 12) for day in (1, 2, 3)]
    for data in (pd.DataFrame({"text": TEXTS, "id": times}), [{"text": a, "id": b} for a, b in zip(TEXTS, times, strict=True)]):
        assert lookalike.dedup(data, id="id")[1].decisions["id"][0].as_py() == "2024-01-01T12:00:00"


@pytest.mark.parametrize(("own", "words"), [(None, "is null"), (True, "true or false|type bool"), ((1,), "list|type tuple")])
def test_invalid_ids_are_refused(own, words):
    frame = pd.DataFrame({"text": TEXTS, "id": pd.Series([own, "x", 1], dtype=object)})
    for data in (frame, [{"text": text, "id": other} for text, other in zip(TEXTS, frame["id"], strict=True)]):
        with pytest.raises(errors.RecordError, match=f'{type(data).__name__} row 0: field "id" .*({words})'):
            lookalike.dedup(data, id="id")


def test_evaluation_names_rows_too():
    with pytest.raises(errors.EvaluationError, match="DataFrame row 1: no field"):
        lookalike.evaluate(pd.DataFrame({"text": ["a", None]}), sample=1)
    with pytest.raises(errors.EvaluationError, match="DataFrame row 1: id 1 was already used at DataFrame row 0"):
        lookalike.evaluate(pd.DataFrame({"text": ["a", "b"], "id": [1, 1]}), id="id", sample=1)


def test_rows_as_dictionaries():
    rows = [{"page": {"text": text}, "key": f"k{number}", "n": number} for number, text in enumerate(TEXTS)]
    rows[0]["seen"] = rows[1]["n"] = object()
    rows[1]["n"] = 7
    kept, report = lookalike.dedup(rows, "page.text", id="key")
    assert kept == [rows[0], rows[2]]
    assert kept[0] is rows[0]
    assert report.clusters == {"k0": ["k0", "k1"]}
    assert lookalike.dedup(tuple(rows), "page.text", keep="max:n")[0] == (rows[1], rows[2])
    assert lookalike.dedup(TEXTS[:1], against=[{"text": TEXTS[1]}])[0] == []
    with pytest.raises(errors.InputError, match="list: no column 'text'; the table has 'page', 'key', 'n', 'seen'"):
        lookalike.dedup(rows)
    with pytest.raises(errors.RecordError, match="list row 1: is of the type str, but the rows before it are dictionaries"):
        lookalike.dedup([{"text": "a"}, "b"])


@pytest.mark.parametrize(
    "own",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.binary_view(),
        pa.dictionary(pa.int8(), pa.string()),
    ],
    ids=str,
)
def test_arrow_data_is_returned_in_its_own_type(own):
    texts = TEXTS if "binary" not in str(own) else [text.encode() for text in TEXTS]
    array = pa.array(texts, own.value_type).dictionary_encode() if pa.types.is_dictionary(own) else pa.array(texts, own)
    chunks = pa.chunked_array([array, array[:0], array[1:]])
    for data in (
        array,
        array[1:],
        chunks,
        pa.table({"text": array}),
        pa.table({"text": chunks}),
        pa.record_batch({"text": array}),
    ):
        kept, report = lookalike.dedup(data)
        assert type(kept) is type(data)
        type_of = (lambda one: one.type) if hasattr(data, "type") else (lambda one: one.schema)
        assert type_of(kept) == type_of(data)
        rows = data.to_pylist()
        assert kept.to_pylist() == [rows[at] for at in np.flatnonzero(report.kept)]
        assert 0 < len(kept) <= len(data)


@pytest.mark.parametrize(
    "empty",
    [
        pa.array([]),
        pa.table({"text": pa.nulls(0)}),
        pa.table({"text": pa.chunked_array([], pa.string())}),
        pd.DataFrame({"text": []}),
        pl.DataFrame({"text": []}),
        pl.Series([]),
        np.array([]),
    ],
    ids=type,
)
def test_empty_data_of_any_type_gives_empty_data(empty):
    kept, report = lookalike.dedup(empty)
    assert type(kept) is type(empty)
    assert len(kept) == len(report) == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (set(TEXTS), "convert texts to a list of str with list(data), or give an iterator"),
        ({"text": TEXTS}, "pandas.DataFrame(data)"),
        (np.array([TEXTS]), "one axis"),
    ],
)
def test_unsupported_collections_are_refused_with_advice(data, words):
    with pytest.raises(TypeError, match=re.escape(words)):
        lookalike.dedup(data)


def test_unsupported_arrow_data_is_refused():
    class Stranger:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("the stranger's own")

    with pytest.raises((errors.InputError, RuntimeError), match="the stranger's own"):
        lookalike.dedup(Stranger())
    # Columns of unusual types that are not read do not matter, and are returned.
    frame = pl.DataFrame(
        {"text": TEXTS, "n": pl.Series([1, 2, 3], dtype=pl.Int128), "o": pl.Series([{}, [], 1], dtype=pl.Object)}
    )
    assert lookalike.dedup(frame)[0]["o"].to_list() == [{}, 1]
