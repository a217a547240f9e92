"""`make bench-spark`: compares the answers of Spark with those of one machine, on real sets, engines, partitionings and keep orders.

Every column of the decisions must be equal, and so must the kept ids. Each engine runs in a process of its own.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "tests/spark"))

SETS = [
    "licenses",
    "newsgroups20",
    "ota_us_versions",
    "winps_docs",
    "zh_tang",
    "zh_mingju",
    "bible_verses_dev",
    "ja_aozora_dev",
]
# The number of partitions of the input, the number of shards, and the rule for what is kept.
WAYS = [(1, 1, None), (3, 7, "longest"), (16, 4, "min:length")]


def read(data, name):
    """Read a set as a table with number, id, text and length."""
    import pyarrow as pa
    import zstandard

    with open(Path(data, f"{name}.jsonl.zst"), "rb") as packed:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), encoding="utf-8")
        records = [json.loads(line) for line in lines]
    texts = [record["text"] for record in records]
    ids = [str(record["id"]) for record in records]
    return pa.table({"number": range(len(ids)), "id": ids, "text": texts, "length": [len(text) % 100 for text in texts]})


def compare(engine, data):
    """Compare all sets on an engine, in this process."""
    import engines
    import pyarrow as pa
    import pyarrow.parquet as pq

    import lookalike
    import lookalike.spark

    folder = tempfile.mkdtemp()
    engines.prepare(folder)
    if engine == "connect":
        # One JVM is the driver, the executors and the server.
        os.environ["PYSPARK_SUBMIT_ARGS"] = "--driver-memory 4g pyspark-shell"
    spark = {"sail": engines.sail, "connect": engines.connect, "classic": lambda: engines.classic("local-cluster[2,1,1024]", folder)}[engine]()
    if engine != "sail":
        # Some sets have texts of 100 kB. Spark reads 4,096 rows of Parquet at a time, and passes 10,000 to Python.
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
        spark.conf.set("spark.sql.parquet.columnarReaderBatchSize", "256")
    for name in SETS:
        table = read(data, name)
        path = f"{folder}/{name}.parquet"
        pq.write_table(table, path)
        for partitions, shards, keep in WAYS:
            start = time.monotonic()
            options = {"keep": keep} if keep else {}
            kept, report = lookalike.dedup(table, id="id", progress=False, **options)
            df = spark.read.parquet(path).repartition(partitions, "id")
            result = lookalike.spark.dedup(df, order="number", shards=shards, **options)
            found = pa.Table.from_batches(result.decisions.toArrow().to_batches()).sort_by("id")
            expected = report.decisions.select(found.column_names).sort_by("id")
            same = found.cast(expected.schema).equals(expected)
            ids = sorted(row["id"] for row in result.kept.select("id").collect())
            same &= ids == sorted(kept.column("id").to_pylist())
            figures = {"engine": engine, "set": name, "documents": len(table), "partitions": partitions, "shards": shards}
            print(json.dumps({**figures, "keep": keep, "seconds": round(time.monotonic() - start, 1), "equal": same}), flush=True)
    os._exit(0)


def main():
    """Run each engine, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="the folder with the sets")
    parser.add_argument("--engines", default="sail,connect,classic")
    parser.add_argument("--out", help="a JSON file for the results")
    asked = parser.parse_args()
    found = []
    for engine in asked.engines.split(","):
        command = [sys.executable, __file__, "--compare", engine, asked.data]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            for line in process.stdout:
                if line.startswith("{"):
                    print(line, end="", flush=True)
                    found.append(json.loads(line))
        if process.returncode:
            sys.exit(f"{engine} failed after {len(found)} runs")
    equal = sum(one["equal"] for one in found)
    print(f"{equal} of {len(found)} equal")
    if asked.out:
        sys.path.append(str(HERE.parent / "speed"))
        import measuring

        Path(asked.out).write_text(json.dumps({**measuring.machine(), "runs": found}, indent=1) + "\n")


if __name__ == "__main__":
    compare(*sys.argv[2:]) if sys.argv[1:2] == ["--compare"] else main()
