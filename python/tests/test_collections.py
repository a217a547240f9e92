"""`dedup` and `pairs` give the command's answer, byte for byte, for every kind of object, and the same kind back."""

from __future__ import annotations

import json
import random
from pathlib import Path

import datasets
import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from conftest import variants
from hypothesis import given, settings
from hypothesis import strategies as st
from lookalike import errors

TEXTS = [*variants(random.Random(5), 300), "漢字かな交じり文です。", "漢字かな交じり文です", "", 'quoted "text" \\ of \n lines']
ROWS = {
    "id": [f"n{number}" for number in range(len(TEXTS))],
    "text": TEXTS,
    "score": [number * 7 % 11 for number in range(len(TEXTS))],
    "nested": [{"a": number, "b": [text[:3]]} for number, text in enumerate(TEXTS)],
}

# Keywords, and the same options as flags of the command.
WAYS = [
    ({}, []),
    ({"threshold": 0.5, "keep": "max:score"}, ["--threshold", "0.5", "--keep", "max:score"]),
    ({"measure": "containment", "threshold": 0.7}, ["--measure", "containment", "--threshold", "0.7"]),
    ({"shingle": 3, "folds": {"digits": True}, "keep": "longest"}, ["--shingle", "3", "--fold", "digits", "--keep", "longest"]),
    ({"candidates": "simhash", "threads": 3}, ["--method", "simhash", "--threads", "3"]),
    ({"cluster": "components", "verify": "sketch"}, ["--cluster", "components", "--verify", "sketch"]),
    ({"anchors": ["en"], "threshold": 0.6, "shingle": None}, ["--anchors", "en", "--threshold", "0.6"]),
    ({"preset": "quotations", "folds": {"marks": True}}, ["--preset", "quotations", "--fold", "marks"]),
    ({"preset": "quotations", "threshold": 0.8, "shingle": None}, ["--preset", "quotations", "--threshold", "0.8"]),
    ({"tokens": "lines"}, ["--tokens", "lines"]),
    ({"threshold": 0.9, "recall": 0.9}, ["--threshold", "0.9", "--recall", "0.9"]),
]

TABLE = pa.table(ROWS)
LONG = pa.table({**ROWS, "text": pa.array(TEXTS, pa.large_string())})
VIEWS = pa.table({**ROWS, "text": pa.array(TEXTS, pa.string_view())})
DICTIONARY = pa.table({**ROWS, "text": pa.array(TEXTS).dictionary_encode()})
CHUNKS = pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1, 100), TABLE.slice(101, 0), TABLE.slice(101)])


def reader():
    return pa.RecordBatchReader.from_batches(TABLE.schema, iter(CHUNKS.to_batches(max_chunksize=40)))


class Stranger:
    """A table of an unknown library, which has only the Arrow stream interface."""

    def __arrow_c_stream__(self, requested_schema=None):
        return TABLE.__arrow_c_stream__(requested_schema)


def generated():
    names = list(ROWS)
    for row in zip(*ROWS.values(), strict=True):
        yield dict(zip(names, row, strict=True))


MAKERS = {
    "pandas": lambda: pd.DataFrame(ROWS, index=[f"row {n}" for n in range(len(TEXTS))]),
    "pandas, objects": lambda: pd.DataFrame(ROWS).astype({"text": object, "id": object}),
    "pandas, arrow": lambda: TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda: pl.DataFrame(ROWS),
    "polars, categories": lambda: pl.DataFrame(ROWS).with_columns(pl.col("id").cast(pl.Categorical)),
    "table": lambda: TABLE,
    "table, large": lambda: LONG,
    "table, views": lambda: VIEWS,
    "table, dictionary": lambda: DICTIONARY,
    "table, chunks": lambda: CHUNKS,
    "record batch": lambda: TABLE.to_batches()[0],
    "record batch, views": lambda: VIEWS.to_batches()[0],
    "reader": reader,
    "reader, views": lambda: VIEWS.to_reader(max_chunksize=30),
    "stranger": Stranger,
    "dataset": lambda: datasets.Dataset.from_dict(ROWS),
    "dataset, chosen": lambda: datasets.Dataset.from_dict(ROWS).select(range(len(TEXTS))[::-1]).select(range(len(TEXTS))[::-1]),
    "iterable dataset": lambda: datasets.Dataset.from_dict(ROWS).to_iterable_dataset(num_shards=3),
    "iterable dataset, generated": lambda: datasets.IterableDataset.from_generator(generated),
    "dataset dictionary": lambda: datasets.DatasetDict(train=datasets.Dataset.from_dict(ROWS)),
    "lazy frame": lambda: pl.DataFrame(ROWS).lazy(),
    "arrow dataset": lambda: ds.dataset(CHUNKS),
    "scanner": lambda: ds.dataset(CHUNKS).scanner(),
    "generator": generated,
}

# Kinds whose result is of another type: a reader, or an iterator.
OTHERS = ("stranger", "arrow dataset", "scanner", "generator")


def rows_of(kept):
    """Return the rows as one list per column."""
    if isinstance(kept, pd.DataFrame):
        return {name: kept[name].tolist() for name in kept}
    if isinstance(kept, pl.DataFrame):
        return kept.to_dict(as_series=False)
    if isinstance(kept, pa.RecordBatchReader):
        return kept.read_all().to_pydict()
    if isinstance(kept, (pa.Table, pa.RecordBatch)):
        return kept.to_pydict()
    if isinstance(kept, pl.LazyFrame):
        return kept.collect().to_dict(as_series=False)
    rows = list(kept["train"] if isinstance(kept, dict) else kept)
    return {name: [row[name] for row in rows] for name in ROWS}


@pytest.fixture
def collection(tmp_path):
    with open(tmp_path / "in.jsonl", "w") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in generated())
    return tmp_path


def timeless(summary):
    """Leave out fields that depend on time or on how documents are stored, and fields that only the command's report has."""
    moment = ("seconds", "peak_memory", "bytes", "above_memory")
    header = ("schema", "version", "command", "inputs", "outputs")
    return {name: value for name, value in summary.items() if name not in moment + header}


@pytest.mark.parametrize(("keywords", "flags"), WAYS)
def test_every_kind_gives_the_result_of_the_command(command, collection, keywords, flags):
    said = command("dedup", "in.jsonl", "-o", "kept.jsonl", "--decisions", "decisions.jsonl", "--json", *flags)
    assert said.returncode == 0, said.stderr
    expected = [json.loads(line) for line in (collection / "kept.jsonl").read_text().splitlines()]
    decisions, summary = (collection / "decisions.jsonl").read_bytes(), json.loads(said.stdout)
    assert 0 < len(expected) < len(TEXTS)
    for name, make in MAKERS.items():
        data = make()
        kept, report = lookalike.dedup(data, id="id", **keywords)
        assert report.decisions_json() == decisions, name
        assert timeless(report.summary) == timeless(summary), name
        assert rows_of(kept) == {column: [row[column] for row in expected] for column in ROWS}, name
        if name not in OTHERS:
            assert type(kept) is type(data), name

    # Paths: check the files that are written.
    for named in (str(collection / "in.jsonl"), collection / "in.jsonl", [collection / "in.jsonl"]):
        kept, report = lookalike.dedup(named, output=collection / "own.jsonl", decisions=collection / "own", **keywords)
        assert kept == collection / "own.jsonl"
        assert kept.read_bytes() == (collection / "kept.jsonl").read_bytes()
        assert (collection / "own").read_bytes() == decisions == report.decisions_json()
        assert lookalike.dedup(named, **keywords)[0] is None

    # Without ids, rows are used as ids.
    with open(collection / "rows.jsonl", "w") as out:
        for row, (text, score) in enumerate(zip(TEXTS, ROWS["score"], strict=True)):
            out.write(json.dumps({"id": row, "text": text, "score": score}) + "\n")
    said = command("dedup", "rows.jsonl", "-o", "rows-kept.jsonl", "--decisions", "decisions.jsonl", *flags)
    assert said.returncode == 0, said.stderr
    decisions = (collection / "decisions.jsonl").read_bytes()
    expected = [json.loads(line)["text"] for line in (collection / "rows-kept.jsonl").read_text().splitlines()]
    plain = [make() for name, make in MAKERS.items() if name in ("pandas", "polars", "table", "dataset")]
    columns = [data["text"] for data in plain]
    alone = [] if "score" in keywords.get("keep", "") else [TEXTS, tuple(TEXTS), np.array(TEXTS, dtype=object), *columns[:3]]
    for data in [*plain, *alone]:
        kept, report = lookalike.dedup(data, **keywords)
        assert report.decisions_json() == decisions, type(data)
        assert type(kept) is type(data)
        if data is TEXTS:
            assert kept == expected


@pytest.mark.parametrize(("keywords", "flags"), [way for way in WAYS if "keep" not in way[0] and "cluster" not in way[0]])
def test_pairs_match_the_command(command, collection, keywords, flags):
    said = command("pairs", "in.jsonl", *flags)
    assert said.returncode == 0, said.stderr
    for name, make in MAKERS.items():
        found = lookalike.pairs(make(), id="id", **keywords)
        assert found.json() == said.stdout, name
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    assert len(found) == len(lines) == found.summary["pairs"] > 0
    table = found.table.to_pylist()
    assert [{name: row[name] for name in line} for line, row in zip(lines, table, strict=True)] == lines
    assert [(ROWS["id"][row["row_a"]], ROWS["id"][row["row_b"]]) for row in table] == [(row["a"], row["b"]) for row in lines]
    assert pl.DataFrame(found).to_dicts() == table
    assert lookalike.pairs(collection / "in.jsonl", **keywords).json() == said.stdout
    by_row = lookalike.pairs(TEXTS, **keywords).table
    assert by_row["a"].to_pylist() == by_row["row_a"].to_pylist() == [row["row_a"] for row in table]


@pytest.mark.slow
def test_pairs_and_evaluation_agree(command, collection):
    flags = [
        "--sample",
        "100",
        "--threshold",
        "0.6",
        "--run",
        "",
        "--run",
        "--method simhash",
        "--shingle",
        "4",
        "--anchors",
        "de,en",
    ]
    said = json.loads(command("eval", "in.jsonl", "--json", *flags).stdout)
    for data in (collection / "in.jsonl", TABLE, pd.DataFrame(ROWS)):
        found = lookalike.evaluate(
            data, id="id", sample=100, threshold=0.6, runs=["", "--method simhash"], shingle=4, anchors=["de", "en"]
        )
        assert found.truth == said["truth"]
        for run, expected in zip(found.runs, said["runs"], strict=True):
            untimed = [name for name in expected if not name.startswith(("seconds", "peak"))]
            assert [run[name] for name in untimed] == [expected[name] for name in untimed]
    assert "simhash" in repr(found)
    assert len(repr(found).splitlines()) == 3


def test_evaluation_by_labels_and_pairs():
    texts = [f"one two three four five six seven eight {number // 2}" for number in range(40)]
    frame = pl.DataFrame({"words": texts, "label": [number // 2 for number in range(40)]})
    found = lookalike.evaluate(frame, "words", labels="label", threshold=0.9, runs=["--method exact"])
    assert found.truth["pairs"] == 20
    assert found.runs[0]["pairs"]["recall"]["value"] == 1.0
    pairs = [(np.int64(0), np.int64(1), 1.0), (2, 3)]
    found = lookalike.evaluate(texts, truth=pairs, threshold=0.9, runs=["--method exact"])
    assert (found.truth["kind"], found.truth["pairs"], found.runs[0]["pairs"]["found"]) == ("pairs", 2, 20)
    with pytest.raises(errors.ConfigError, match="one ground truth"):
        lookalike.evaluate(texts)
    with pytest.raises(errors.EvaluationError, match="treshold"):
        lookalike.evaluate(texts, sample=5, runs=["--treshold 0.5"])
    with pytest.raises(TypeError, match="treshold"):
        lookalike.evaluate(texts, sample=5, treshold=0.5)


@settings(max_examples=30)
@given(
    picks=st.lists(st.integers(0, 9), min_size=1, max_size=60),
    kind=st.sampled_from(["list", "pandas", "polars", "table", "dataset"]),
    threshold=st.sampled_from([0.4, 0.8, 1.0]),
    slices=st.integers(1, 9),
)
def test_kept_rows_match_the_mask(picks, kind, threshold, slices):
    bases = variants(random.Random(9), 10)
    texts = [bases[pick] + (" and more" * (place % 3)) for place, pick in enumerate(picks)]
    rows = {"text": texts, "n": list(range(len(texts)))}
    table = pa.table(rows)
    data = {
        "list": lambda: texts,
        "pandas": lambda: pd.DataFrame(rows, index=range(100, 100 + len(texts))),
        "polars": lambda: pl.concat([pl.DataFrame(rows)[at : at + slices] for at in range(0, len(texts), slices)], rechunk=False),
        "table": lambda: pa.concat_tables([table.slice(at, slices) for at in range(0, len(texts), slices)]),
        "dataset": lambda: datasets.Dataset.from_dict(rows),
    }[kind]()
    kept, report = lookalike.dedup(data, threshold=threshold)
    again, other = lookalike.dedup(texts, threshold=threshold)
    assert other.decisions_json() == report.decisions_json()
    assert np.array_equal(report.kept, other.kept)
    assert again == [text for text, stays in zip(texts, report.kept, strict=True) if stays]
    column = kept if kind == "list" else kept["text"]
    assert (column.to_pylist() if kind == "table" else list(column)) == again
    if kind == "pandas":
        assert kept.index.tolist() == [100 + row for row, stays in enumerate(report.kept) if stays]
        assert (kept.dtypes == data.dtypes).all()


@given(
    ids=st.one_of(
        st.lists(st.text(max_size=5), min_size=3, max_size=12, unique=True),
        st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=12, unique=True),
    )
)
@settings(max_examples=30)
def test_ids_are_returned_unchanged(ids):
    texts = ["the same text of more than five words"] * 2 + [f"another text that is number {n}" for n in range(len(ids) - 2)]
    _, report = lookalike.dedup(pa.table({"text": texts, "id": ids}), id="id")
    table = report.decisions
    assert table["id"].to_pylist() == ids
    assert table["representative"].to_pylist() == [None, ids[0]] + [None] * (len(ids) - 2)
    assert table["representative_row"].to_pylist() == [None, 0] + [None] * (len(ids) - 2)
    assert report.clusters == {ids[0]: [ids[0], ids[1]]}
    assert report.pairs.to_pylist() == [{"dropped": ids[1], "representative": ids[0], "similarity": 1.0}]
    assert [json.loads(line)["id"] for line in report.decisions_json().splitlines()] == ids


def test_ids_of_several_types(tmp_path):
    path = tmp_path / "in.jsonl"
    text = "the same text of more than five words"
    path.write_text("".join(f'{{"id":{own},"text":"{text}"}}\n' for own in ("1", '"1"', "1.5", '"\\u00e9"')))
    _, report = lookalike.dedup(path)
    # Ids are written as JSON, so that 1 and "1" differ.
    assert report.decisions["id"].to_pylist() == ["1", '"1"', "1.5", '"\\u00e9"']
    assert report.clusters == {1: [1, "1", 1.5, "é"]}
    assert report.decisions_json().count(b"\\u00e9") == 1


def test_a_field_of_a_struct():
    table = pa.table({"page": [{"text": text, "key": number} for number, text in enumerate(TEXTS)]})
    kept, report = lookalike.dedup(table, "page.text", id="page.key")
    assert report.decisions_json() == lookalike.dedup(TEXTS)[1].decisions_json()
    assert kept.schema == table.schema


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_files_of_tables(tmp_path, ending):
    path, out = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    if ending == "parquet":
        pq.write_table(CHUNKS, path)
    else:
        with pa.ipc.new_file(path, CHUNKS.schema) as file:
            file.write_table(CHUNKS)
    expected, report = lookalike.dedup(TABLE, id="id")
    kept, again = lookalike.dedup(path, output=out)
    assert again.decisions_json() == report.decisions_json()
    assert (pq.read_table(kept) if ending == "parquet" else pa.ipc.open_file(kept).read_all()) == expected
    other, _ = lookalike.dedup(path, output=tmp_path / "other", format=ending)
    assert other.exists()


def test_several_inputs_and_skipped_lines(collection):
    (collection / "more.jsonl").write_text('{"id": "new", "text": "quite another text, about nothing"}\nno json\n')
    names = [collection / "in.jsonl", collection / "more.jsonl"]
    with pytest.raises(errors.RecordError, match=r"more\.jsonl:2"):
        lookalike.dedup(names)
    kept, report = lookalike.dedup(lookalike.Files(*names), output=str(collection / "kept"), skip_bad=collection / "bad")
    assert kept == str(collection / "kept")
    assert (len(report), report.summary["bad_lines"]) == (len(TEXTS) + 1, 1)
    assert (collection / "bad").read_text() == "no json\n"
    assert repr(lookalike.Files("a", Path("b"))) == "Files('a', 'b')"
    with pytest.raises(ValueError, match="name"):
        lookalike.Files()


def test_temporary_files_are_removed(tmp_path):
    kept, _ = lookalike.dedup(reader(), id="id", temp_dir=tmp_path)
    assert len(kept.read_all()) > 0
    del kept
    assert list(tmp_path.iterdir()) == []
    kept, report = lookalike.dedup(MAKERS["iterable dataset"](), temp_dir=str(tmp_path))
    # The kept dataset can be iterated repeatedly, and so can a dataset that is derived from it.
    assert len(list(kept)) == len(list(kept)) == len(list(kept.map(lambda row: row))) == report.kept.sum()
    del kept
    import gc

    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_data_sets_keep_their_type_and_format():
    data = datasets.Dataset.from_dict(ROWS).with_format("numpy", columns=["text", "score"])
    kept, report = lookalike.dedup(data)
    assert kept.features == data.features
    assert kept.format["type"] == data.format["type"]
    assert set(kept.format["columns"]) == set(data.format["columns"])
    assert np.asarray(kept["score"]).tolist() == np.array(ROWS["score"])[report.kept].tolist()
    streamed = datasets.Dataset.from_dict(ROWS).to_iterable_dataset().with_format("arrow")
    kept, _ = lookalike.dedup(streamed)
    assert kept.features == streamed.features
    assert isinstance(next(iter(kept)), pa.Table)
