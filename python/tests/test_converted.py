"""Files that are converted to other formats, as other programs see them."""

from __future__ import annotations

import csv
import datetime
import decimal
import json

import duckdb
import lookalike
import polars
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("text", pa.string()),
        ("score", pa.float64()),
        ("large", pa.uint64()),
        ("flag", pa.bool_()),
        ("tags", pa.list_(pa.string())),
        ("meta", pa.struct([("deep", pa.list_(pa.struct([("x", pa.int64()), ("y", pa.string())])))])),
        ("none", pa.null()),
        ("rare", pa.struct([("late", pa.string())])),
    ]
)


def rows(count: int) -> list[dict]:
    def row(number: int) -> dict:
        return {
            "id": number,
            "text": " ".join(f"w{number}x{word}" for word in range(20)),
            "score": None if number % 3 else number + 0.1,
            "large": 2**64 - 1 - number,
            "flag": number % 2 == 0,
            "tags": [f"é {tag}" for tag in range(number % 3)] if number % 5 else None,
            "meta": {"deep": [{"x": number, "y": None}, {"x": None, "y": "\U0001f600"}, None]},
            "none": None,
            "rare": {"late": "only here"} if number == count - 1 else None,
        }

    return [row(number) for number in range(count)]


def without_nulls(value):
    if isinstance(value, dict):
        return {name: without_nulls(inner) for name, inner in value.items() if inner is not None and name != "none"} | (
            {"none": None} if "none" in value else {}
        )
    return value


def write_lines(path, records):
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


READERS = {
    "parquet": pyarrow.parquet.read_table,
    "feather": pyarrow.feather.read_table,
    "arrow": lambda path: pa.ipc.open_file(path).read_all(),
    "arrows": lambda path: pa.ipc.open_stream(path).read_all(),
}


@pytest.mark.parametrize("ending", READERS)
def test_json_lines_become_the_table_that_pyarrow_makes_of_them(tmp_path, ending):
    records = rows(2000)
    expected = pa.Table.from_pylist(records, schema=SCHEMA)
    # Fields that are missing are null.
    write_lines(tmp_path / "in.jsonl", [without_nulls(record) for record in records])
    output, _ = lookalike.dedup(tmp_path / "in.jsonl", output=tmp_path / f"out.{ending}")
    table = READERS[ending](output)
    assert sorted(table.column_names) == sorted(expected.column_names)
    assert table.select(expected.column_names).equals(expected)
    parts = tmp_path / f"part-{{}}.{ending}"
    lookalike.dedup(tmp_path / "in.jsonl", output=parts, rows_per_file=600)
    tables = [READERS[ending](str(parts).format(number)) for number in range(4)]
    assert all(part.schema == table.schema for part in tables)
    assert pa.concat_tables(tables).equals(table)


def test_polars_and_duckdb_read_converted_parquet(tmp_path):
    records = rows(300)
    write_lines(tmp_path / "in.jsonl", records)
    output, _ = lookalike.dedup(tmp_path / "in.jsonl", output=tmp_path / "out.parquet")
    frame = polars.read_parquet(output)
    assert frame["large"].dtype == polars.UInt64
    assert frame["tags"].dtype == polars.List(polars.String)
    found = frame.drop("none").to_dicts()
    assert found == [{name: value for name, value in record.items() if name != "none"} for record in records]
    (count, least, text, late) = duckdb.sql(
        f"select count(*), min(large), max(meta.deep[2].y), max(rare.late) from '{output}'"
    ).fetchall()[0]
    assert (count, least, text, late) == (300, 2**64 - 300, "\U0001f600", "only here")
    assert duckdb.sql(f"select none from '{output}' where none is not null").fetchall() == []


def test_rows_become_json_in_a_documented_form(tmp_path):
    utc = datetime.UTC
    when = datetime.datetime(2026, 1, 2, 3, 4, 5, 678000)
    columns = {
        "text": pa.array(["one two"]),
        "time": pa.array([when], pa.timestamp("us")),
        "zoned": pa.array([when.replace(tzinfo=utc)], pa.timestamp("ms", "Europe/Berlin")),
        "day": pa.array([when.date()]),
        "price": pa.array([decimal.Decimal("-123456789012345678.90")], pa.decimal128(30, 2)),
        "bytes": pa.array([b"\x00\xff"]),
        "map": pa.array([[("a", 1), ("b", None)]], pa.map_(pa.string(), pa.int64())),
        "list": pa.array([[1.5, None]], pa.list_(pa.float64())),
        "words": pa.array(["x"]).dictionary_encode(),
        "nan": pa.array([float("nan")]),
    }
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "in.parquet")
    output, _ = lookalike.dedup(tmp_path / "in.parquet", output=tmp_path / "out.jsonl")
    expected = {
        "text": "one two",
        "time": "2026-01-02T03:04:05.678",
        "zoned": "2026-01-02T03:04:05.678Z",
        "day": "2026-01-02",
        "price": decimal.Decimal("-123456789012345678.90"),
        "bytes": "00ff",
        "map": {"a": 1, "b": None},
        "list": [decimal.Decimal("1.5"), None],
        "words": "x",
        "nan": None,
    }
    assert json.loads(output.read_text(), parse_float=decimal.Decimal) == expected
    array, _ = lookalike.dedup(tmp_path / "in.parquet", output=tmp_path / "out.json", output_format="json")
    assert json.loads(array.read_text(), parse_float=decimal.Decimal) == [expected]
    flat = {name: column for name, column in columns.items() if name not in ("map", "list")}
    pyarrow.parquet.write_table(pa.table(flat), tmp_path / "flat.parquet")
    output, _ = lookalike.dedup(tmp_path / "flat.parquet", output=tmp_path / "out.csv")
    with open(output, newline="") as file:
        (row,) = csv.DictReader(file)
    assert row == {name: "" if expected[name] is None else str(expected[name]) for name in flat}
    with pytest.raises(lookalike.errors.OutputError, match=r'column "map" is Map.*which CSV cannot store'):
        lookalike.dedup(tmp_path / "in.parquet", output=tmp_path / "no.csv")


def test_csv_becomes_strings_and_comes_back(tmp_path):
    texts = ["a, b\n", 'say "hi"', "", " é ", "007", "1e5", "null", "true"]
    with open(tmp_path / "in.csv", "w", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["id", "text", "v"])
        writer.writerows([number, f"row {number} of its own", text] for number, text in enumerate(texts))
    output, _ = lookalike.dedup(tmp_path / "in.csv", output=tmp_path / "out.parquet")
    table = pyarrow.parquet.read_table(output)
    assert table.schema.types == [pa.string()] * 3
    assert table["v"].to_pylist() == texts
    back, _ = lookalike.dedup(output, output=tmp_path / "back.csv")
    with open(back, newline="") as file:
        assert [row["v"] for row in csv.DictReader(file)] == texts
    # For polars, an empty cell is null.
    assert polars.read_csv(back, infer_schema=False)["v"].fill_null("").to_list() == texts


def test_formats_without_a_name(tmp_path):
    write_lines(tmp_path / "in.jsonl", rows(5))
    lookalike.dedup(tmp_path / "in.jsonl", output=f"{tmp_path}/out/", output_format="arrow")
    assert pyarrow.feather.read_table(tmp_path / "out" / "in.arrow").num_rows == 5
    lookalike.cut(tmp_path / "in.jsonl", output=tmp_path / "cut", output_format="parquet")
    assert pyarrow.parquet.read_table(tmp_path / "cut").num_rows == 5
    with pytest.raises(lookalike.errors.ConfigError, match="output_format= only works with output="):
        lookalike.dedup(tmp_path / "in.jsonl", output_format="csv")
    with pytest.raises(lookalike.errors.ConfigError, match="output_format= takes one of"):
        lookalike.dedup(tmp_path / "in.jsonl", output=tmp_path / "x", output_format="xml")
    with pytest.raises(lookalike.errors.ConfigError, match="output_format"):
        lookalike.dedup(["a b"], output_format="csv")
    with pytest.raises(lookalike.errors.OutputError, match="output_format= asks for CSV, but its name says"):
        lookalike.dedup(tmp_path / "in.jsonl", output=tmp_path / "x.parquet", output_format="csv")
