"""Writes the same 60 rows as tables of all kinds, with the libraries that people use to write tables.

python make_tables.py, with pyarrow 26.0, pandas 3.1, polars 2.1 and duckdb 2.0. The rows as JSON are in tables/rows.jsonl.
"""

import datetime
import decimal
import json
import pathlib

import duckdb
import pandas
import polars
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

folder = pathlib.Path(__file__).parent / "tables"
folder.mkdir(exist_ok=True)

words = "the quick brown fox jumps over a lazy dog 相似的文件 \"quoted\" back\\slash tab\there né 😀".split(" ")
count = 60


def text(row):
    if row % 20 == 7:
        return ""
    return " ".join(words[(row * 7 + at * 3) % len(words)] for at in range(row % 20 + 1))


utc = datetime.timezone.utc
start = datetime.datetime(2024, 1, 31, 12, tzinfo=utc)
texts = [text(row) for row in range(count)]
kinds = ["news", "web", None, "book"]
columns = {
    "id": pa.array(range(1000, 1000 + count), pa.int64()),
    "text": pa.array(texts, pa.string()),
    "kind": pa.array([kinds[row % 4] for row in range(count)]).dictionary_encode(),
    "when": pa.array([start + datetime.timedelta(hours=row) for row in range(count)], pa.timestamp("us", "UTC")),
    "price": pa.array([decimal.Decimal(row * 25 - 300) / 100 for row in range(count)], pa.decimal128(9, 2)),
    "tags": pa.array([None if row % 5 == 0 else [str(row)] * (row % 3) for row in range(count)], pa.list_(pa.string())),
    "meta": pa.array(
        [None if row % 11 == 0 else {"text": texts[row], "n": row, "deep": {"x": row / 4}} for row in range(count)],
        pa.struct([("text", pa.string()), ("n", pa.int32()), ("deep", pa.struct([("x", pa.float64())]))]),
    ),
    "map": pa.array([[("a", row), ("b", None)][: row % 3] for row in range(count)], pa.map_(pa.string(), pa.int64())),
}
table = pa.table(columns)
table = table.replace_schema_metadata({"huggingface": '{"info": {"features": {}}}', "own": "é"})
fields = [field.with_metadata({"note": "x"}) if field.name == "kind" else field for field in table.schema]
table = table.cast(pa.schema(fields, table.schema.metadata))

with open(folder / "rows.jsonl", "w", encoding="utf-8") as rows:
    for row in range(count):
        when = columns["when"][row].as_py().strftime("%Y-%m-%dT%H:%M:%SZ")
        rows.write(json.dumps({"id": 1000 + row, "text": texts[row], "kind": kinds[row % 4], "when": when}, ensure_ascii=False) + "\n")


def parquet(name, source=table, **options):
    pq.write_table(source, folder / f"{name}.parquet", **{"row_group_size": 25, **options})


for codec in ["none", "snappy", "zstd", "lz4", "gzip", "brotli"]:
    parquet(f"pyarrow_{codec}", compression=codec, use_dictionary=codec != "snappy")
parquet("pyarrow_pages_v2", compression="zstd", data_page_version="2.0", data_page_size=200, use_dictionary=False)
parquet("pyarrow_one_group", compression="zstd", row_group_size=1_000_000, data_page_size=100, write_page_checksum=True)
parquet("pyarrow_delta", compression="snappy", use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY", "id": "DELTA_BINARY_PACKED"})


def with_text(kind):
    return table.set_column(1, "text", table["text"].cast(kind))


parquet("pyarrow_large", with_text(pa.large_string()))
parquet("pyarrow_view", with_text(pa.string_view()))
parquet("pyarrow_binary", with_text(pa.binary()))
parquet("pyarrow_dictionary", table.set_column(1, "text", table["text"].dictionary_encode()))
# Column types that Parquet has and Arrow does not.
said = {
    "uuid": pa.array([bytes([row]) * 16 for row in range(count)], pa.uuid()),
    "json": pa.array([json.dumps({"n": row}) for row in range(count)], pa.json_()),
    "day": pa.array([start.date() + datetime.timedelta(days=row) for row in range(count)], pa.date64()),
}
more = table
for name, column in said.items():
    more = more.append_column(name, column)
parquet("pyarrow_said", more, compression="zstd")


def ipc(name, source=table, codec=None, stream=False, rows=25):
    options = pyarrow.ipc.IpcWriteOptions(compression=codec)
    new = pyarrow.ipc.new_stream if stream else pyarrow.ipc.new_file
    with new(folder / name, source.schema, options=options) as writer:
        writer.write_table(source, max_chunksize=rows)


ipc("pyarrow_plain.arrow")
ipc("pyarrow_zstd.arrow", codec="zstd")
ipc("pyarrow_lz4.arrow", codec="lz4")
ipc("pyarrow_one.arrow", codec="zstd", rows=1000)
ipc("pyarrow_view.arrow", with_text(pa.string_view()))
ipc("pyarrow_dictionary.arrow", table.set_column(1, "text", table["text"].dictionary_encode()))
ipc("pyarrow_stream.arrows", codec="zstd", stream=True)
# Each batch has its own dictionary.
parts = [table.slice(at, 25) for at in range(0, count, 25)]
other = [part.set_column(1, "text", part["text"].dictionary_encode()) for part in parts]
with pyarrow.ipc.new_stream(folder / "pyarrow_replaced.arrows", other[0].schema) as writer:
    for part in other:
        writer.write_table(part)

frame = table.to_pandas()
frame.drop(columns=["map"]).to_parquet(folder / "pandas.parquet", index=False)
frame.drop(columns=["map"]).to_feather(folder / "pandas.feather")
lazy = polars.from_arrow(table.drop_columns(["map"]))
lazy.write_parquet(folder / "polars.parquet", row_group_size=25)
lazy.write_ipc(folder / "polars.arrow", compression="zstd")
lazy.write_ipc_stream(folder / "polars.arrows", compression="lz4")
duckdb.sql(f"COPY (SELECT * FROM '{folder}/pyarrow_zstd.parquet' ORDER BY id) TO '{folder}/duckdb.parquet' (FORMAT parquet, CODEC zstd)")
