"""Texts that are put together from several columns, or from the items of lists, in files of all formats."""

from __future__ import annotations

import json
import re

import datasets
import lookalike
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from lookalike import errors
from lookalike.kinds import frames

WORDS = [f"word{number}" for number in range(200)]


def text(number: int, start: int) -> str:
    return " ".join(WORDS[(start + number * 7 + at) % len(WORDS)] for at in range(20))


# The title, the body and the parts of a conversation of each row.
ROWS = [
    {
        "id": number,
        "title": text(number % 9, 0),
        "body": text(number % 9, 50),
        "note": None if number % 4 else text(number % 5, 90),
    }
    for number in range(40)
]


def conversation(row: dict) -> list[dict]:
    parts = [{"role": "a", "content": row["title"]}, {"role": "b", "content": row["body"]}]
    return [*parts, {"role": "c", "content": row["note"]}]


def whole(row: dict) -> str:
    return "\n\n".join(part for part in (row["title"], row["body"], row["note"]) if part)


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> list[dict]:
    rows = [{"id": row["id"], "text": whole(row)} for row in ROWS]
    path = tmp_path_factory.mktemp("whole") / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    decisions = lookalike.dedup(path)[1].decisions.to_pylist()
    assert {row["verdict"] for row in decisions} == {"kept", "dropped"}
    return decisions


STRINGS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int16(), pa.string())]


@pytest.mark.parametrize("kind", STRINGS, ids=str)
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_columns_of_tables(tmp_path, expected, kind, ending):
    columns = {name: pa.array([row[name] for row in ROWS]).cast(kind) for name in ("title", "note")}
    inside = pa.StructArray.from_arrays([pa.array([row["body"] for row in ROWS])], names=["body"])
    table = pa.table({"id": [row["id"] for row in ROWS], "meta": inside, **columns})
    path = tmp_path / f"in.{ending}"
    if ending == "parquet":
        if kind == pa.string_view():
            table = table.cast(
                pa.schema([field.with_type(pa.string()) if field.type == kind else field for field in table.schema])
            )
        pa.parquet.write_table(table, path, row_group_size=7)
    else:
        pa.feather.write_feather(table, path, chunksize=7, compression="uncompressed")
    assert lookalike.dedup(path, text="title,meta.body,note")[1].decisions.to_pylist() == expected


@pytest.mark.parametrize("lists", [pa.list_, pa.large_list])
@pytest.mark.parametrize("ending", ["parquet", "arrow", "jsonl"])
def test_items_of_lists(tmp_path, expected, lists, ending):
    message = pa.struct([("role", pa.string()), ("content", pa.string())])
    messages = pa.array([conversation(row) for row in ROWS], lists(message))
    parts = pa.array([[row["title"], row["body"], row["note"]] for row in ROWS], lists(pa.string()))
    table = pa.table({"id": [row["id"] for row in ROWS], "messages": messages, "parts": parts})
    path = tmp_path / f"in.{ending}"
    if ending == "parquet":
        pa.parquet.write_table(table, path, row_group_size=11)
    elif ending == "arrow":
        pa.feather.write_feather(table, path, chunksize=11, compression="uncompressed")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    for name in ("messages[].content", "parts[]"):
        assert lookalike.dedup(path, text=name)[1].decisions.to_pylist() == expected, name


def test_rows_without_any_part(tmp_path):
    path = tmp_path / "in.parquet"
    pa.parquet.write_table(pa.table({"a": ["x", None, ""], "b": pa.array([None, None, "y"], pa.string())}), path)
    with pytest.raises(lookalike.errors.RecordError, match='field "a,b" is null'):
        lookalike.dedup(path, text="a,b")
    _, report = lookalike.dedup(path, text="a,b", skip_bad=True)
    assert report.summary["documents"] == 2
    for name in ("a,c", "a[].b"):
        with pytest.raises(lookalike.errors.Error, match=r'no column "c"|needs a list'):
            lookalike.dedup(path, text=name)


def test_a_column_with_exactly_this_name(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('id,"a,b",a,b\n1,x,y,z\n2,x,other,words\n')
    kept, report = lookalike.dedup(path, text="a,b")
    assert kept is None
    assert report.summary["dropped"] == 1


def nested() -> list[dict]:
    return [{"id": row["id"], "meta": {"body": row["body"]}, "title": row["title"], "note": row["note"]} for row in ROWS]


def conversations() -> list[dict]:
    return [{"id": row["id"], "messages": conversation(row)} for row in ROWS]


KINDS = {
    "rows": list,
    "iterator": iter,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "arrow": pa.Table.from_pylist,
    "reader": lambda rows: pa.Table.from_pylist(rows).to_reader(max_chunksize=7),
    "dataset": datasets.Dataset.from_list,
    "stream": lambda rows: datasets.Dataset.from_list(rows).to_iterable_dataset(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_several_columns_in_memory(expected, kind):
    of, kept = KINDS[kind], [row["id"] for row in expected if row["verdict"] == "kept"]
    rows, talks = nested(), conversations()
    found, report = lookalike.dedup(of(rows), text="title,meta.body,note", id="id")
    assert report.decisions.to_pylist() == expected
    assert sorted(report.kept.nonzero()[0].tolist()) == kept
    assert len(found.collect() if kind == "lazy" else found.read_all() if kind == "reader" else list(found)) > 0
    assert lookalike.dedup(of(talks), text="messages[].content", id="id")[1].decisions.to_pylist() == expected
    assert lookalike.dedup(of(rows), text="title,meta.body,note", threads=1)[1].kept.tolist() == report.kept.tolist()
    # References have the same columns.
    against = lookalike.dedup(of(rows), text="title,meta.body,note", against=of(rows), id="id", against_only=True)[1]
    assert against.summary["dropped"] == len(rows)
    pairs = lookalike.pairs(of(rows), text="title,meta.body,note", id="id")
    assert len(pairs) > 0


def test_frames_without_arrow(expected, monkeypatch):
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    rows = [{"id": row["id"], "title": row["title"], "body": row["body"], "note": row["note"]} for row in ROWS]
    frame = pd.DataFrame(rows)
    assert lookalike.dedup(frame, text="title,body,note", id="id")[1].decisions.to_pylist() == expected
    with pytest.raises(errors.InputError, match="no column 'bdoy'"):
        lookalike.dedup(frame, text="title,bdoy")
    both = lookalike.dedup(frame, text="title", and_field="body,note", id="id")[1].decisions.to_pylist()
    monkeypatch.undo()
    assert lookalike.dedup(frame, text="title", and_field="body,note", id="id")[1].decisions.to_pylist() == both


def test_mistakes_in_columns_of_parts():
    table = pa.table({"a": ["x"], "b": [1]})
    for data, keywords, error, message in [
        (table, {"text": "c,d"}, errors.InputError, "no column 'c'; the table has 'a', 'b'"),
        (table, {"text": "a,c"}, errors.InputError, "no column 'c'; the table has 'a', 'b'"),
        (table, {"text": "a,b"}, errors.InputError, 'column "b"'),
        ([{"a": "x", "b": 1}], {"text": "a,b"}, errors.RecordError, "row 0"),
        ([{"a": None}, {"a": "x"}], {"text": "a,b"}, errors.RecordError, "row 0"),
        (table, {"text": "a,b", "skip_bad": True}, errors.ConfigError, "skip_bad= does not work with a text of several columns"),
    ]:
        with pytest.raises(error, match=re.escape(message)):
            lookalike.dedup(data, **keywords)
    with pytest.raises(errors.ConfigError, match="has several parts"):
        lookalike.cut(pa.table({"a": ["x"], "b": ["y"]}), text="a,b")
    for rows in ([{"a": None, "b": None}] * 3, [{"a": None}] * 2):
        with pytest.raises(errors.Error):
            lookalike.dedup(rows, text="a,b")
    # A list without elements is an empty text, as in a file.
    assert len(lookalike.dedup([{"m": []}, {"m": [{"c": "x"}]}], text="m[].c")[0]) == 2
    assert len(lookalike.dedup([{"m": []}, {"m": []}], text="m[].c")[0]) == 2
    # A part that is missing in some rows has no text.
    assert lookalike.dedup([{"a": "one two"}, {"b": "one two"}], text="a,b")[0] == [{"a": "one two"}]


def test_limits_of_outputs_need_an_output(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for run in (lookalike.dedup, lookalike.cut):
        with pytest.raises(lookalike.errors.ConfigError, match="rows_per_file= only works with output="):
            run(path, text="title", rows_per_file=3)
    output, report = lookalike.dedup(path, text="title", output=tmp_path / "part-{:02}.jsonl", rows_per_file=3)
    assert output == tmp_path / "part-{:02}.jsonl"
    parts = sorted(tmp_path.glob("part-??.jsonl"))
    assert [len(part.read_text().splitlines()) for part in parts] == [3] * (report.summary["kept"] // 3)
