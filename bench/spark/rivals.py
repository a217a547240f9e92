"""Compares `lookalike.spark` with MLlib's MinHashLSH and with Daft's minhash, as their documentation uses them, in one run.

Truth is all pairs of one collection whose resemblance reaches 0.8, found by comparing shingle sets. Reports, for each tool, the
seconds and the memory of the whole process, the bytes that Spark shuffled, the share of the true pairs that it found, and its
wrong drops: dropped documents that are not similar to any document that it kept.

Daft is installed in an environment of its own, because it is not a dependency of the tests: `--daft PYTHON`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import run

THRESHOLD = 0.8


def mllib(collection, output, events):
    """Find pairs with MinHashLSH: tokens, shingles of five, hashed features, five hash tables as in Spark's guide."""
    import engines
    from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
    from pyspark.sql import functions

    with tempfile.TemporaryDirectory() as folder:
        engines.prepare(folder)
        spark = engines.classic("local-cluster[2,1,1024]", folder, events)
        df = spark.read.parquet(collection).select("number", "text")
        words = RegexTokenizer(inputCol="text", outputCol="words", pattern=r"\W+").transform(df)
        shingles = NGram(n=5, inputCol="words", outputCol="shingles").transform(words).where("size(shingles) > 0")
        features = HashingTF(inputCol="shingles", outputCol="features", binary=True).transform(shingles).select("number", "features")
        model = MinHashLSH(inputCol="features", outputCol="hashes", numHashTables=5).fit(features)
        pairs = model.approxSimilarityJoin(features, features, 1 - THRESHOLD, "distance")
        pairs = pairs.where("datasetA.number < datasetB.number")
        pairs.select(functions.col("datasetA.number").alias("a"), functions.col("datasetB.number").alias("b")).write.parquet(output)
        spark.stop()
    os._exit(0)


def daft(collection, output, _):
    """Find pairs with Daft: minhash of 64 values, 8 bands of 8, all pairs of a bucket."""
    import daft
    from daft import col

    df = daft.read_parquet(collection).select("number", "text")
    df = df.with_column("text", col("text").normalize(remove_punct=True, lowercase=True, white_space=True))
    df = df.with_column("hashes", col("text").minhash(num_hashes=64, ngram_size=5, seed=1)).select("number", "hashes").collect()
    buckets: dict = {}
    for row in df.to_pylist():
        for band in range(8):
            buckets.setdefault((band, tuple(row["hashes"][8 * band : 8 * band + 8])), []).append(row["number"])
    pairs = {(a, b) for bucket in buckets.values() for at, a in enumerate(bucket) for b in bucket[at + 1 :]}
    import pyarrow as pa
    import pyarrow.parquet as pq

    Path(output).mkdir()
    pq.write_table(pa.table({"a": [a for a, _ in pairs], "b": [b for _, b in pairs]}), Path(output, "pairs.parquet"))


def judge(collection, output):
    """Compare pairs, or decisions, with the truth."""
    import pyarrow.parquet as pq

    import lookalike

    table = pq.read_table(collection)
    truth = lookalike.pairs(table, id="id", threshold=THRESHOLD, exact=True, progress=False).table
    true = {tuple(sorted(pair)) for pair in zip(truth.column("row_a").to_pylist(), truth.column("row_b").to_pylist(), strict=True)}
    found = pq.read_table(output)
    if "verdict" in found.column_names:
        rows = {name: number for number, name in enumerate(table.column("id").to_pylist())}
        dropped = {rows[one["id"]] for one in found.to_pylist() if one["verdict"] == "dropped"}
        recall = None
    else:
        pairs = {tuple(sorted(pair)) for pair in zip(found.column("a").to_pylist(), found.column("b").to_pylist(), strict=True)}
        # Of each pair, the later document is dropped, as in the recipes for these tools.
        dropped = {b for _, b in pairs}
        recall = round(len(true & pairs) / len(true), 4)
    similar: dict = {}
    for a, b in true:
        similar.setdefault(a, set()).add(b)
        similar.setdefault(b, set()).add(a)
    wrong = sum(not (similar.get(one, set()) - dropped) for one in dropped)
    left = sum(a not in dropped and b not in dropped for a, b in true)
    return {"documents": len(table), "true_pairs": len(true), "recall": recall, "dropped": len(dropped), "wrong": wrong, "pairs_left": left}


def main():
    """Run the tools one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", help="a collection that cases.py made")
    parser.add_argument("--daft", help="the Python in which Daft is installed")
    parser.add_argument("--out", help="a JSON file for the figures")
    asked = parser.parse_args()
    found = []
    for tool, python in (("lookalike", None), ("mllib", sys.executable), *([("daft", asked.daft)] if asked.daft else [])):
        with tempfile.TemporaryDirectory() as folder:
            if tool == "lookalike":
                figures = run.measure("classic", asked.collection, folder)
                output = Path(folder, "decisions")
            else:
                output, events = Path(folder, "pairs"), Path(folder, "events")
                events.mkdir()
                command = [python, __file__, "--tool", tool, asked.collection, str(output), str(events)]
                figures = {"engine": tool, **run.measured(command, tool, asked.collection)}
                if tool == "mllib":
                    figures["shuffled_mb"] = round(run.shuffled(events) / 1e6, 1)
            found.append({**figures, **judge(asked.collection, output)})
            print(json.dumps(found[-1]), flush=True)
    if asked.out:
        sys.path.append(str(run.HERE.parent / "speed"))
        import measuring

        Path(asked.out).write_text(json.dumps({**measuring.machine(), "runs": found}, indent=1) + "\n")


if __name__ == "__main__":
    {"mllib": mllib, "daft": daft}[sys.argv[2]](*sys.argv[3:]) if sys.argv[1:2] == ["--tool"] else main()
