"""Tests that `lookalike.spark` gives the answers of one machine, to the last bit, on an engine: `stories.py classic|connect|sail`."""

import argparse
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

import engines
import lookalike
import lookalike.spark
from lookalike.errors import ConfigError
from pyspark.errors import PySparkException

DATA = pathlib.Path(__file__).parent.parent.parent / "testdata"
SETS = ("licenses", "ota_versions", "zh_tang")
ENGINE = None
SPARK = None
FOLDER = None

DECISIONS = ["id", "verdict", "reason", "representative", "resemblance", "containment", "containment_of_representative"]
DECISIONS += ["cluster_size", "estimated"]
PAIRS = ["a", "b", "resemblance", "containment_ab", "containment_ba", "intersection", "size_a", "size_b"]


def records(name):
    """Returns the ids and texts of a collection."""
    text = zstandard.ZstdDecompressor().stream_reader((DATA / f"{name}.jsonl.zst").read_bytes()).read().decode()
    lines = [json.loads(line) for line in text.split("\n") if line]
    return pa.table({name: [line[name] for line in lines] for name in ("id", "text")})


def table(name):
    """Returns a collection with ids of its own, a number that gives the input order, and a column to keep by."""
    texts = records(name).column("text").to_pylist()
    # Ids in another order than the input.
    ids = [f"{number * 7919 % 100_003:06}" for number in range(len(texts))]
    dates = [number * 31 % 17 for number in range(len(texts))]
    # Some texts are empty, or copies of others.
    texts[5] = texts[40] = ""
    texts[60] = texts[3]
    return pa.table({"number": range(len(texts)), "id": ids, "date": dates, "text": texts})


class Stories(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.tables = {name: table(name) for name in SETS}
        cls.frames = {name: cls.frame(name, one) for name, one in cls.tables.items()}

    @staticmethod
    def frame(name, one):
        """Returns a DataFrame of a table that is stored in several files, whose rows are in no useful order."""
        path = FOLDER / name
        path.mkdir()
        for part in range(3):
            rows = [row for row in range(one.num_rows) if row * 13 % 3 == part]
            pq.write_table(one.take(rows[::-1]), path / f"{part}.parquet", compression="zstd", row_group_size=500)
        return SPARK.read.parquet(str(path))

    def same(self, frame, expected, columns):
        """Compares a DataFrame with the answer of one machine."""
        found = frame.toPandas().sort_values(columns[:2]).reset_index(drop=True)
        expected = expected.sort_values(columns[:2]).reset_index(drop=True)
        self.assertEqual(list(found.columns), columns)
        pd.testing.assert_frame_equal(found, expected[columns], check_dtype=False, check_exact=True)

    def test_decisions_are_those_of_one_machine(self):
        for name in SETS:
            for options in ({}, {"keep": "longest"}, {"keep": "newest:date", "threshold": 0.6}):
                with self.subTest(name, **options):
                    found = lookalike.spark.dedup(self.frames[name], order="number", **options).decisions
                    expected = lookalike.dedup(self.tables[name], id="id", **options)[1].decisions.to_pandas()
                    self.same(found, expected, DECISIONS)

    def test_partitions_and_shards_do_not_matter(self):
        expected = lookalike.dedup(self.tables["licenses"], id="id")[1].decisions.to_pandas()
        for partitions, shards in ((1, 1), (7, 3), (20, 40)):
            frame = self.frames["licenses"].repartition(partitions)
            self.same(lookalike.spark.dedup(frame, order="number", shards=shards).decisions, expected, DECISIONS)

    def test_other_methods_give_the_same_answer_too(self):
        for options in (
            {"method": "simhash", "distance": 3},
            {"method": "sentences"},
            {"method": "exact"},
            {"cluster": "components"},
            {"verify": "sketch"},
        ):
            with self.subTest(**options):
                found = lookalike.spark.dedup(self.frames["ota_versions"], order="number", **options).decisions
                expected = lookalike.dedup(self.tables["ota_versions"], id="id", **options)[1].decisions.to_pandas()
                self.same(found, expected, DECISIONS)

    def test_pairs_are_those_of_one_machine(self):
        for options in ({"threshold": 0.7}, {"threshold": 0.7, "nearest": 2}):
            with self.subTest(**options):
                found = lookalike.spark.pairs(self.frames["licenses"], order="number", **options)
                expected = lookalike.pairs(self.tables["licenses"], id="id", **options).to_pandas()
                self.same(found, expected, PAIRS)

    def test_references_are_always_kept(self):
        whole, frame = self.tables["licenses"], self.frames["licenses"]
        documents, references = whole.slice(400), whole.slice(0, 500)
        # Some references are documents too, with the same ids.
        for options in ({}, {"against_only": True}):
            with self.subTest(**options):
                of_documents, of_references = frame.where("number >= 400"), frame.where("number < 500").drop("date")
                found = lookalike.spark.dedup(of_documents, order="number", against=of_references, **options)
                expected = lookalike.dedup(documents, id="id", against=references, **options)[1].decisions.to_pandas()
                expected["reference"] = expected["reference"].notna()
                self.same(found.decisions, expected, [*DECISIONS, "reference"])
        found = lookalike.spark.pairs(of_documents, order="number", threshold=0.8, against=of_references)
        expected = lookalike.pairs(documents, id="id", threshold=0.8, against=references).to_pandas()
        self.same(found, expected, PAIRS)

    def test_kept_rows_labels_and_the_summary_agree(self):
        one, frame = self.tables["licenses"], self.frames["licenses"]
        result = lookalike.spark.dedup(frame, order="number")
        kept, report = lookalike.dedup(one, id="id")
        found = result.kept.toPandas().sort_values("number").reset_index(drop=True)
        pd.testing.assert_frame_equal(found[one.column_names], kept.to_pandas(), check_dtype=False)
        summary = result.summary()
        self.assertEqual([summary[name] for name in ("documents", "kept", "dropped")], [len(one), len(kept), len(one) - len(kept)])
        labelled = result.labelled("dup_").toPandas().sort_values("number").reset_index(drop=True)
        decisions = report.decisions.to_pandas()
        self.assertEqual(list(labelled["dup_verdict"]), list(decisions["verdict"]))
        self.assertEqual(list(labelled["dup_cluster"]), list(decisions["representative"].fillna(decisions["id"])))
        with self.assertRaisesRegex(ConfigError, "already has a column 'dup_cluster'"):
            lookalike.spark.dedup(result.labelled("dup_"), order="number").labelled("dup_")

    def test_without_an_order_the_ids_give_the_input_order(self):
        sorted_by_id = self.tables["ota_versions"].sort_by("id")
        expected = lookalike.dedup(sorted_by_id, id="id")[1].decisions.to_pandas()
        self.same(lookalike.spark.dedup(self.frames["ota_versions"]).decisions, expected, DECISIONS)

    def test_sets_are_compared_by_their_items(self):
        one = pa.table({"id": [1, 2, 3], "items": [["a", "b", "c"], ["x"], ["c", "b", "a"]]})
        path = str(FOLDER / "sets.parquet")
        pq.write_table(one, path, compression="zstd")
        found = lookalike.spark.dedup(SPARK.read.parquet(path), text="items", tokens="items").decisions
        self.same(found, lookalike.dedup(one, text="items", id="id", tokens="items")[1].decisions.to_pandas(), DECISIONS)

    def test_settings_that_cannot_be_divided_are_refused_on_the_driver(self):
        frame = self.frames["ota_versions"].selectExpr("*", "struct(number, id) as place")
        for options, words in (
            ({"measure": "containment"}, "depend on how many documents"),
            ({"method": "shingle"}, "a comparison of all pairs"),
            ({"cluster": "greedy"}, "greedy clusters"),
            ({"threshold": 2}, "above 0 and at most 1"),
            ({"keep": "best"}, "not a keep order"),
            ({"shards": 0}, "shards= must be 1 or more"),
            ({"order": "place"}, "column 'place' is struct<"),
            ({"keep": "max:place"}, "column 'place' is struct<"),
        ):
            with self.subTest(**options), self.assertRaisesRegex(ConfigError, re.escape(words)):
                lookalike.spark.dedup(frame, **{"order": "number", **options})
        for options in ({"output": "x"}, {"threads": 2}, {"nonsense": 1}):
            with self.subTest(**options), self.assertRaisesRegex(TypeError, "unexpected keyword"):
                lookalike.spark.dedup(frame, order="number", **options)

    def test_a_task_says_which_document_is_wrong(self):
        frame = self.frames["ota_versions"]
        twice = frame.union(frame.where("number = 7"))
        missing = frame.selectExpr("id", "if(number = 9, null, text) as text")
        unnamed = frame.selectExpr("if(number = 9, null, id) as id", "text")
        ids = self.tables["ota_versions"].column("id").to_pylist()
        for wrong, words in (
            (twice, f"2 documents have the id '{ids[7]}'; ids must be unique"),
            (missing, f"the document with the id '{ids[9]}' has no text"),
            (unnamed, "a document or a reference has no id"),
        ):
            with self.assertRaises(Exception) as raised:
                lookalike.spark.dedup(wrong).decisions.count()
            self.assertIn(words, str(raised.exception))

    def test_references_need_the_types_of_the_documents(self):
        frame = self.frames["ota_versions"]
        for references, words in (
            (frame.selectExpr("id", "text", "cast(number as string) as number"), "column 'number' is bigint in the documents, but"),
            (frame.selectExpr("number as id", "text"), "column 'id' is string in the documents, but bigint in the references"),
        ):
            with self.assertRaisesRegex(ConfigError, words):
                lookalike.spark.dedup(frame, order="number", against=references)

    def test_ids_of_references_do_not_meet_those_of_documents(self):
        rows = [("1", "one two three four five six", True), ("r 1", "one two three four five six", False), ("2", "x", False)]
        frame = SPARK.createDataFrame(rows, "id string, text string, reference boolean")
        documents, references = frame.where("not reference").drop("reference"), frame.where("reference").drop("reference")
        for shards in (1, 5):
            # Some tasks have no reference.
            for options in ({}, {"against_only": True}):
                found = lookalike.spark.dedup(documents, against=references, shards=shards, **options).decisions.toPandas()
                dropped = found[found["verdict"] == "dropped"]
                self.assertEqual(dropped[["id", "representative", "reference"]].values.tolist(), [["r 1", "1", True]])

    def test_other_rows_are_noticed(self):
        folder = str(FOLDER / "changed")
        frame = self.frames["ota_versions"]
        self.assertTrue(lookalike.spark.dedup(frame.where("number < 100"), checkpoint=folder).decisions.count())
        shutil.rmtree(f"{folder}/decisions.done")
        with self.assertRaisesRegex(Exception, "had other rows when its documents were sketched"):
            lookalike.spark.dedup(frame.where("number < 101"), checkpoint=folder).decisions.count()

    def test_columns_keep_their_places_and_may_be_nested(self):
        frame = self.frames["licenses"].selectExpr("text", "named_struct('id', id) as meta", "number")
        result = lookalike.spark.dedup(frame, id="meta.id", order="number")
        self.assertEqual(result.kept.columns, frame.columns)
        self.assertEqual(result.labelled().columns, [*frame.columns, "cluster", "verdict", "representative", "similarity"])
        self.assertEqual(result.kept.count(), lookalike.dedup(self.tables["licenses"])[1].summary["kept"])

    def test_a_checkpoint_continues_only_the_same_run(self):
        frame, folder = self.frames["ota_versions"], str(FOLDER / "checkpoint")
        expected = lookalike.dedup(self.tables["ota_versions"], id="id")[1].decisions.to_pandas()
        for _ in range(2):
            self.same(lookalike.spark.dedup(frame, order="number", checkpoint=folder).decisions, expected, DECISIONS)
        again = lookalike.spark.dedup(frame, order="number", checkpoint=folder, memory="100M").decisions
        self.assertEqual(again.count(), len(expected))
        with self.assertRaisesRegex(ConfigError, "run with other settings"):
            lookalike.spark.dedup(frame, order="number", checkpoint=folder, threshold=0.7)
        # A marker that cannot be read does not start the step again.
        for damaged in pathlib.Path(folder, "decisions.done").glob("*.parquet"):
            damaged.write_bytes(b"nonsense")
        for damaged in pathlib.Path(folder, "decisions.done").glob(".*.crc"):
            damaged.unlink()
        with self.assertRaises(PySparkException):
            lookalike.spark.dedup(frame, order="number", checkpoint=folder)

    def test_the_guide_runs(self):
        # Each example uses the names of those before it. The engines do not run in this process's folder.
        page = (DATA.parent / "docs/spark.md").read_text()
        page = re.sub(r'"(documents|kept|decisions|progress(?:-rest)?)"', rf'"{FOLDER}/guide/\1"', page)
        examples = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        (FOLDER / "guide").mkdir()
        pq.write_table(records("licenses"), FOLDER / "guide/documents", compression="zstd")
        names = {"spark": SPARK}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for example in examples:
                exec(example, names)
        self.assertEqual(len(examples), 3)
        self.assertGreater(len(names["rows"]), 20)
        self.assertTrue(names["same"])
        self.assertIn("'documents': 2598, 'kept': 2222, 'dropped': 376", printed.getvalue())
        self.assertEqual(SPARK.read.parquet(str(FOLDER / "guide/kept")).count(), 2222)
        self.assertGreater(names["pairs"].count(), 1000)
        self.assertGreater(names["test_set"].count(), 100)
        self.assertLess(names["clean"].count(), names["rest"].count())

    @unittest.skipIf(sys.argv[1:2] != ["classic"], "only classic Spark shows its plans")
    def test_plans_have_no_join_and_nothing_for_the_driver(self):
        for plan in (
            lookalike.spark.dedup(self.frames["licenses"], order="number").decisions,
            lookalike.spark.pairs(self.frames["licenses"], order="number"),
            lookalike.spark.dedup(self.frames["licenses"], against=self.frames["zh_tang"]).decisions,
        ):
            words = plan._jdf.queryExecution().executedPlan().toString()
            operators = set(re.findall(r"^[\s:+\-]*(?:\*\(\d+\) )?(\w+)", words, re.MULTILINE))
            allowed = {"AdaptiveSparkPlan", "Exchange", "FileScan", "Filter", "MapInArrow", "Project", "Scan", "Union", "ColumnarToRow"}
            self.assertLessEqual(operators, allowed | {"PythonMapInArrow", "MapInArrowExec", "parquet"}, words)
            self.assertIn("MapInArrow", words)

    @unittest.skipIf(sys.argv[1:2] != ["classic"], "only classic Spark has executors here")
    def test_killed_executors_change_nothing(self):
        expected = lookalike.dedup(self.tables["licenses"], id="id")[1].decisions.to_pandas()
        stopped = threading.Event()
        kills = []

        def kill():
            while not stopped.wait(1.5):
                found = subprocess.run(["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True).stdout
                executors = [int(one) for one in found.split() if descends(int(one), os.getpid())]
                if executors and len(kills) < 2:
                    kills.append(executors[0])
                    os.kill(executors[0], signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            while len(kills) < 2:
                self.same(lookalike.spark.dedup(self.frames["licenses"], order="number").decisions, expected, DECISIONS)
        finally:
            stopped.set()
            killer.join()


def descends(process, ancestor):
    """Returns whether a process was started by another one, or by one of its descendants."""
    while process > 1 and process != ancestor:
        try:
            process = int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return process == ancestor


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=["classic", "connect", "sail"])
    options, rest = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="lookalike-spark-") as folder:
        FOLDER = pathlib.Path(folder)
        engines.prepare(folder)
        starts = {"classic": lambda: engines.classic("local-cluster[2,1,1024]", folder), "connect": engines.connect, "sail": engines.sail}
        began = time.monotonic()
        SPARK = starts[options.engine]()
        outcome = unittest.main(argv=[sys.argv[0], *rest], exit=False, warnings="ignore").result
        print(f"{options.engine}: {outcome.testsRun} tests in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        # A session with Sail cannot always be stopped, and its server ends with this process.
        if options.engine != "sail":
            SPARK.stop()
    # Some of the engines' threads would keep this process alive.
    os._exit(not outcome.wasSuccessful())
