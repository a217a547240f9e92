"""Writes tables that cannot be read, or cannot be written as JSON, with the libraries that people use to write tables.

python make_unsupported.py, with pyarrow 26.0 and polars 2.1.
"""

import pathlib

import polars
import pyarrow as pa
import pyarrow.parquet as pq

folder = pathlib.Path(__file__).parent / "unsupported"
folder.mkdir(exist_ok=True)

# A type that only polars has.
frame = polars.DataFrame(
    {"id": [1, 2], "text": ["a b c d e f", "g h i j k l"], "n": [1, 2]}, schema_overrides={"n": polars.Int128}
)
frame.write_parquet(folder / "int128.parquet")
frame.write_ipc(folder / "int128.arrow")
frame.write_ipc_stream(folder / "int128.arrows")

# A map whose keys are numbers, and a NaN.
table = pa.table(
    {
        "id": [1, 2],
        "text": ["the quick brown fox jumps over the lazy dog", "something else entirely here for you all"],
        "score": [1.0, float("nan")],
        "m": pa.array([[(1, 2)], []], pa.map_(pa.int32(), pa.int32())),
    }
)
pq.write_table(table, folder / "maps.parquet")
pq.write_table(table.slice(0, 0), folder / "empty.parquet")
