"""`skip_bad=True`: rows in memory without a usable text are skipped and counted; empty collections are valid."""

from __future__ import annotations

import json

import datasets
import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from lookalike import errors

TEXTS = ["a text of some words", None, "A text of some words!", "another one", None]


def kinds():
    """Make a collection of each kind, in which two rows have no text."""
    table = pa.table({"text": TEXTS, "n": range(5)})
    return {
        "list": TEXTS,
        "rows": [{"text": text} for text in TEXTS],
        "frame": pd.DataFrame({"text": TEXTS}),
        "objects": pd.DataFrame({"text": pd.Series(TEXTS, dtype=object)}),
        "mixed": pd.DataFrame({"text": pd.Series([TEXTS[0], 3, *TEXTS[2:4], float("nan")], dtype=object)}),
        "series": pd.Series(TEXTS),
        "polars": pl.DataFrame({"text": TEXTS}),
        "table": table,
        "dictionary": pa.table({"text": table["text"].dictionary_encode()}),
        "reader": table.to_reader(max_chunksize=2),
        "data set": datasets.Dataset(table),
        "stream": datasets.Dataset(table).to_iterable_dataset(),
        "bytes": pa.table({"text": pa.array([b"a text of some words", b"\xff", b"A text of some words!", b"another one", None])}),
    }


@pytest.mark.parametrize("kind", kinds())
def test_rows_without_a_text_are_skipped_and_counted(kind):
    kept, report = lookalike.dedup(kinds()[kind], skip_bad=True)
    assert report.kept.tolist() == [True, False, False, True, False]
    assert report.skipped.tolist() == [1, 4]
    assert (report.summary["documents"], report.summary["bad_lines"], len(report)) == (3, 2, 3)
    assert report.clusters == {0: [0, 2]}
    assert report.decisions["id"].to_pylist() == [0, 2, 3]
    assert len(list(kept) if kind == "stream" else kept.read_all() if kind == "reader" else kept) == 2
    found = lookalike.pairs(kinds()[kind], skip_bad=True)
    assert [(pair.a, pair.b) for pair in found] == [(0, 2)]
    assert found.summary["bad_lines"] == 2
    # Without `skip_bad`, rows without a text are refused.
    with pytest.raises(errors.RecordError, match="row 1"):
        lookalike.dedup(kinds()[kind])


def test_references_and_ids_are_skipped_too():
    frame = pd.DataFrame({"text": ["a b c", "A B C", "d"], "id": ["x", None, "y"]})
    _, report = lookalike.dedup(frame, id="id", skip_bad=True)
    assert (report.skipped.tolist(), report.decisions["id"].to_pylist()) == ([1], ["x", "y"])
    _, report = lookalike.dedup(["a b c", None], against=[None, "A B C"], skip_bad=True)
    assert (report.kept.tolist(), report.summary["bad_lines"]) == ([False, False], 2)
    assert lookalike.dedup([{"films": ["a"]}, {"films": None}], "films", tokens="items", skip_bad=True)[1].skipped.tolist() == [1]


def test_nothing_changes_if_nothing_is_skipped():
    texts = [text for text in TEXTS if text]
    _, skipping = lookalike.dedup(texts, skip_bad=True)
    _, report = lookalike.dedup(texts)
    assert skipping.decisions_json() == report.decisions_json()
    assert skipping.skipped.tolist() == report.skipped.tolist() == []
    assert lookalike.dedup([None, None], skip_bad=True)[0] == []


def test_lines_of_files_need_not_be_kept(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"text": "a"}\nno JSON\n{"text": "b"}\n')
    _, report = lookalike.dedup(tmp_path / "in.jsonl", skip_bad=True)
    assert (len(report), report.summary["bad_lines"]) == (2, 1)
    with pytest.raises(errors.ConfigError, match="skip_bad= with a file name only works with paths"):
        lookalike.dedup(["a"], skip_bad="bad.jsonl")


EMPTY = {
    "list": [],
    "tuple": (),
    "array": np.array([], dtype=object),
    "strings": np.array([], dtype=str),
    "frame": pd.DataFrame({"text": []}),
    "frame of strings": pd.DataFrame({"text": pd.Series([], dtype=str)}),
    "series": pd.Series([], dtype=object),
    "polars": pl.DataFrame({"text": []}),
    "polars of strings": pl.DataFrame({"text": []}, schema={"text": pl.String}),
    "polars series": pl.Series("text", []),
    "table": pa.table({"text": pa.array([], pa.string())}),
    "nulls": pa.table({"text": pa.array([], pa.null())}),
    "chunks": pa.chunked_array([], pa.string()),
    "batch": pa.record_batch({"text": pa.array([], pa.string())}),
    "data set": datasets.Dataset.from_dict({"text": []}),
    "stream": datasets.IterableDataset.from_generator(lambda: iter(())),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_an_empty_collection_is_a_collection(kind):
    data = EMPTY[kind]
    kept, report = lookalike.dedup(data)
    assert type(kept) is type(data)
    assert (len(report), report.kept.tolist(), report.clusters, len(report.decisions)) == (0, [], {}, 0)
    assert report.summary["documents"] == 0
    assert "0 documents in" in repr(report)
    assert report._repr_html_()
    found = lookalike.pairs(data)
    assert (len(found), list(found), len(found.to_pandas())) == (0, [], 0)
    assert len(lookalike.dedup(data, skip_bad=True)[1]) == 0
    assert lookalike.dedup(["a", "A!"], against=data)[0] == ["a"]


def test_a_reader_without_rows():
    kept, report = lookalike.dedup(pa.table({"text": pa.array([], pa.string())}).to_reader())
    assert (len(kept.read_all()), len(report)) == (0, 0)


def test_the_summary_is_json():
    assert json.loads(json.dumps(lookalike.dedup([])[1].summary))["documents"] == 0
