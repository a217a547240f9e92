"""`lookalike.cut` returns what the command writes for the same records, in collections of all kinds."""

from __future__ import annotations

import base64
import copy
import json
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import zlib
from collections import Counter
from pathlib import Path

import datasets
import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lookalike import errors
from test_cut import column

NOTICES = [
    "No part of this page may be copied, ½ of it or all: ask the owner first.",
    "漢字 and kana: すべての権利は著者にあります 😀😀 all rights are the author's.",
    "Café, naïve, élan — accents and dashes are in this notice, which is repeated often.",
]
WORDS = ["rain", "sun", "hail", "fog", "the", "north", "south", "é", "漢", "😀", "storm", "of", "snow", "in", "east", "1"]


def made(count=60, seed=8):
    """Make records of which many repeat notices, each others' lines, or themselves."""
    draw = random.Random(seed)
    lines: list[str] = []
    records = []
    for number in range(count):
        text = []
        for _ in range(draw.randrange(5)):
            if lines and draw.random() < 0.3:
                text.append(draw.choice(lines))
            elif draw.random() < 0.4:
                text.append(draw.choice(NOTICES))
            else:
                text.append(" ".join(draw.choice(WORDS) for _ in range(draw.randrange(3, 12))) + ".")
                lines.append(text[-1])
        written = draw.choice(["\n", "\n\n", " "]).join(text)
        records.append({"id": f"n{number}", "text": written, "score": number * 7 % 11, "site": draw.choice(["a", "b", None])})
    return records


RECORDS = made()
ONLY_TEXTS = [record["text"] for record in RECORDS]
FLAGS = ["--window", "6"]
SETTINGS = {"window": 6}


def expected(command, folder, records, flags, against=()):
    """Return the records that the command writes, and its line about each document."""
    for name, own in (("in", records), *((f"ref{at}", own) for at, own in enumerate(against))):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in own))
    references = ["--against", *(f"ref{at}.jsonl" for at in range(len(against)))] if against else []
    ran = command("cut", "in.jsonl", "-o", "out.jsonl", "--cuts", "cuts.jsonl", *flags, *references, "-q")
    assert ran.returncode == 0, ran.stderr
    return [[json.loads(line) for line in (folder / name).read_text().splitlines()] for name in ("out.jsonl", "cuts.jsonl")]


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cut")
    ran = [sys.executable, "-m", "lookalike", "cut", "in.jsonl", "-o", "out.jsonl", *FLAGS, "-q"]
    (folder / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    subprocess.run(ran, cwd=folder, check=True)
    records = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    # Some records lose a passage, and some are dropped.
    before = {record["id"]: record["text"] for record in RECORDS}
    assert 10 < sum(before[record["id"]] != record["text"] for record in records) < len(records) < len(RECORDS)
    return records


def table(kind=None, records=RECORDS):
    text = column(kind or pa.string(), [record["text"] for record in records])
    others = {name: [record[name] for record in records] for name in ("id", "score", "site")}
    made = pa.table({"id": others["id"], "text": text, "score": pa.array(others["score"], pa.int16()), "site": others["site"]})
    return made.replace_schema_metadata({"made": "by hand"})


TYPES = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "dictionary": pa.dictionary(pa.int16(), pa.string()),
    "dictionary of large strings": pa.dictionary(pa.uint32(), pa.large_string()),
}


def plain(texts):
    return [text.decode() if isinstance(text, bytes) else text for text in texts]


@pytest.mark.parametrize("of", ["table", "chunks", "batch", "reader", "capsule"])
@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
def test_arrow_data_keeps_its_types_and_other_columns(left, kind, of):
    whole = table(kind)
    chunks = pa.concat_tables([whole.slice(0, 17), whole.slice(17, 1), whole.slice(18)])
    data = {
        "table": lambda: whole,
        "chunks": lambda: chunks,
        "batch": lambda: whole.combine_chunks().to_batches()[0],
        "reader": chunks.to_reader,
        "capsule": lambda: Capsule(chunks),
    }[of]()
    result, report = lookalike.cut(data, id="id", **SETTINGS)
    if of in ("reader", "capsule"):
        assert isinstance(result, pa.RecordBatchReader)
        result = result.read_all()
    else:
        assert type(result) is type(data)
    result.validate(full=True)
    assert result.schema.equals(whole.schema, check_metadata=True)
    assert [{**row, "text": plain([row["text"]])[0]} for row in result.to_pylist()] == left
    assert report.kept.sum() == len(left)
    assert plain(whole["text"].to_pylist()) == ONLY_TEXTS, "the data is unchanged"


class Capsule:
    def __init__(self, own):
        self._own = own

    def __arrow_c_stream__(self, requested_schema=None):
        return self._own.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
def test_arrow_arrays(left, kind):
    array = column(kind, ONLY_TEXTS)
    for data in (array, pa.chunked_array([array[:5], array[5:]])):
        result, _ = lookalike.cut(data, **SETTINGS)
        assert isinstance(result, pa.ChunkedArray) == isinstance(data, pa.ChunkedArray)
        assert result.type == kind
        assert plain(result.to_pylist()) == [record["text"] for record in left]


def test_lists(left):
    texts = [record["text"] for record in left]
    for data in (ONLY_TEXTS, tuple(ONLY_TEXTS), np.array(ONLY_TEXTS, object), np.array(ONLY_TEXTS)):
        before = copy.copy(data)
        result, report = lookalike.cut(data, **SETTINGS)
        assert type(result) is type(data)
        assert list(result) == texts
        assert list(data) == list(before)
        assert len(report) == len(data)
        if isinstance(data, np.ndarray):
            assert result.dtype == data.dtype
    strings = np.array(ONLY_TEXTS, np.dtypes.StringDType())
    result, _ = lookalike.cut(strings, **SETTINGS)
    assert result.dtype == strings.dtype
    assert result.tolist() == texts


def test_rows(left):
    rows = copy.deepcopy(RECORDS)
    result, report = lookalike.cut(rows, id="id", **SETTINGS)
    assert result == left
    assert rows == RECORDS
    # A row whose text did not change is the same object.
    assert all((one is rows[at]) != report.changed[at] for one, at in zip(result, np.flatnonzero(report.kept), strict=True))
    nested = tuple({"page": {"body": record["text"], "n": 1}, "score": record["score"]} for record in RECORDS)
    before = copy.deepcopy(nested)
    result, _ = lookalike.cut(nested, text="page.body", **SETTINGS)
    assert type(result) is tuple
    assert [row["page"] for row in result] == [{"body": record["text"], "n": 1} for record in left]
    assert nested == before


PANDAS = {
    "str": "str",
    "object": object,
    "python": "string[python]",
    "pyarrow": "string[pyarrow]",
    "arrow string": pd.ArrowDtype(pa.string()),
    "arrow large_string": pd.ArrowDtype(pa.large_string()),
    "arrow dictionary": pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())),
    "category": "category",
}


@pytest.mark.parametrize("kind", PANDAS.values(), ids=PANDAS)
def test_pandas(left, kind):
    texts = [record["text"] for record in left]
    kept = [at for at, record in enumerate(RECORDS) if record["id"] in {record["id"] for record in left}]
    index = pd.MultiIndex.from_arrays([[at % 2 for at in range(len(RECORDS))], range(len(RECORDS))])
    if kind == pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())):
        series = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([column(kind.pyarrow_dtype, ONLY_TEXTS)])), index=index)
    else:
        series = pd.Series(ONLY_TEXTS, dtype=kind, index=index)
    frame = pd.DataFrame({"id": [record["id"] for record in RECORDS], "text": series.array, "n": 1.5}, index=index)
    frame.attrs["made"] = "by hand"
    before = frame.copy(deep=True)
    result, report = lookalike.cut(frame, id="id", **SETTINGS)
    assert type(result) is pd.DataFrame
    assert result["text"].tolist() == texts
    assert result.columns.tolist() == ["id", "text", "n"]
    pd.testing.assert_frame_equal(result.drop(columns="text"), frame.iloc[kept].drop(columns="text"))
    pd.testing.assert_frame_equal(frame, before)
    assert result.attrs == frame.attrs
    assert report.kept.nonzero()[0].tolist() == kept
    own, _ = lookalike.cut(series.rename("own"), **SETTINGS)
    assert own.name == "own"
    assert own.index.equals(frame.iloc[kept].index)
    assert own.tolist() == texts
    if kind == "category":
        assert set(own.cat.categories) == set(texts)
    else:
        assert own.dtype == series.dtype
        assert result["text"].dtype == frame["text"].dtype


def test_pandas_with_repeated_labels_ordered_categories_and_structs(left):
    texts = [record["text"] for record in left]
    frame = pd.DataFrame({"text": ONLY_TEXTS}, index=[0] * len(ONLY_TEXTS))
    result, _ = lookalike.cut(frame, **SETTINGS)
    assert result["text"].tolist() == texts
    assert set(result.index) == {0}
    ordered = pd.Series(pd.Categorical(ONLY_TEXTS, list(dict.fromkeys(ONLY_TEXTS)), ordered=True))
    result, _ = lookalike.cut(ordered, **SETTINGS)
    assert result.tolist() == texts
    assert result.cat.ordered
    bodies = [{"body": text, "n": at} for at, text in enumerate(ONLY_TEXTS)]
    for kind in (object, pd.ArrowDtype(pa.struct({"body": pa.large_string(), "n": pa.int64()}))):
        frame = pd.DataFrame({"page": pd.Series(bodies, dtype=kind)})
        result, _ = lookalike.cut(frame, text="page.body", **SETTINGS)
        assert [page["body"] for page in result["page"]] == texts
        assert result["page"].dtype == frame["page"].dtype
        assert [page["body"] for page in frame["page"]] == ONLY_TEXTS


def test_polars(left):
    texts = [record["text"] for record in left]
    whole = pl.DataFrame(RECORDS).with_columns(pl.col("score").cast(pl.UInt8), odd=pl.lit(None))
    for frame in (
        whole,
        whole.with_columns(pl.col("text").cast(pl.Categorical)),
        whole.with_columns(pl.col("text").cast(pl.Binary)),
    ):
        result, report = lookalike.cut(frame, id="id", **SETTINGS)
        assert result.schema == frame.schema
        assert plain(result["text"].to_list()) == texts
        assert result.drop("text").equals(frame.filter(report.kept).drop("text"))
        own, _ = lookalike.cut(frame["text"].alias("own"), **SETTINGS)
        assert (own.name, own.dtype) == ("own", frame["text"].dtype)
        assert plain(own.to_list()) == texts
    assert whole["text"].to_list() == ONLY_TEXTS
    nested = whole.select(pl.struct("id", pl.col("text").alias("body")).alias("page"), "score")
    result, _ = lookalike.cut(nested, text="page.body", **SETTINGS)
    assert result.schema == nested.schema
    assert result["page"].struct.field("body").to_list() == texts
    objects = pl.DataFrame({"text": pl.Series(ONLY_TEXTS, dtype=pl.Object), "n": range(len(ONLY_TEXTS))})
    result, _ = lookalike.cut(objects, **SETTINGS)
    assert result["text"].to_list() == texts
    assert result.schema == objects.schema
    fixed = whole.with_columns(pl.col("text").cast(pl.Enum(list(dict.fromkeys(ONLY_TEXTS)))))
    with pytest.raises(errors.InputError, match=re.escape("column 'text' is an Enum, which cannot have new texts; cast it")):
        lookalike.cut(fixed, **SETTINGS)


def test_datasets(left, tmp_path):
    features = datasets.Features(
        id=datasets.Value("string"),
        text=datasets.Value("large_string"),
        score=datasets.Value("int8"),
        site=datasets.Value("string"),
    )
    whole = datasets.Dataset.from_list(RECORDS, features, split=datasets.Split.TRAIN)
    saved = tmp_path / "saved"
    whole.save_to_disk(str(saved))
    reordered = datasets.Dataset.from_list(RECORDS[::-1], features).select(range(len(RECORDS) - 1, -1, -1))
    for data in (whole, datasets.load_from_disk(str(saved)), reordered):
        result, report = lookalike.cut(data, id="id", **SETTINGS)
        assert type(result) is datasets.Dataset
        assert result.features == features
        assert result.to_list() == left
        assert result.split == data.split
        assert report.documents == len(RECORDS)
        assert data.to_list() == RECORDS
    # Parts of the result can be used by other processes, after the result itself is gone.
    part = result.select(range(len(left) // 2))
    del result
    assert pickle.loads(pickle.dumps(part)).to_list() == left[: len(left) // 2]
    assert [row["n"] for row in part.map(lambda row: {"n": len(row["text"])}, num_proc=2)] == [len(row["text"]) for row in part]
    formatted, _ = lookalike.cut(whole.with_format("numpy", columns=["text"]), **SETTINGS)
    assert formatted.format == whole.with_format("numpy", columns=["text"]).format
    assert list(formatted[0]) == ["text"]
    # The same row twice: the second copy is dropped.
    twice = whole.select([0, 0, 1])
    assert lookalike.cut(twice, window=1)[0].num_rows < 3
    unique = datasets.Dataset.from_dict({"text": ["a b c", "d e f"]})
    assert lookalike.cut(unique)[0].to_dict() == unique.to_dict()
    nothing, _ = lookalike.cut(datasets.Dataset.from_dict({"text": ["a b", "c d"]}), against=["a b c d"], window=2)
    assert (nothing.num_rows, nothing.column_names) == (0, ["text"])


def test_streamed_datasets(left):
    whole = datasets.Dataset.from_list(RECORDS)
    for data in (whole.to_iterable_dataset(), datasets.IterableDataset.from_generator(lambda: iter(RECORDS))):
        result, _ = lookalike.cut(data, id="id", **SETTINGS)
        assert isinstance(result, datasets.IterableDataset)
        assert list(result) == left
        assert list(result) == left, "it can be read again"
    formatted, _ = lookalike.cut(whole.to_iterable_dataset().with_format("numpy"), **SETTINGS)
    assert isinstance(next(iter(formatted))["score"], np.integer)
    nothing, _ = lookalike.cut(datasets.IterableDataset.from_generator(lambda: iter([])))
    assert list(nothing) == []
    every, _ = lookalike.cut(datasets.Dataset.from_dict({"text": ["a b"]}).to_iterable_dataset(), against=["a b"], window=2)
    assert list(every) == []


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "csv"])
def test_files(command, tmp_path, ending):
    name = tmp_path / f"in.{ending}"
    if ending == "parquet":
        pq.write_table(table(), name)
    elif ending == "csv":
        pd.DataFrame(RECORDS).to_csv(name, index=False)
    else:
        name.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    command("cut", name, "-o", f"expected.{ending}", "--cuts", "expected-cuts.jsonl", *FLAGS)
    out, cuts = tmp_path / f"out.{ending}", tmp_path / "cuts.jsonl"
    for data in (str(name), name, lookalike.Files(name)):
        result, report = lookalike.cut(data, output=out, cuts=cuts, **SETTINGS)
        assert result == out
        assert out.read_bytes() == (tmp_path / f"expected.{ending}").read_bytes()
        assert cuts.read_bytes() == (tmp_path / "expected-cuts.jsonl").read_bytes()
        assert same_cuts(report, [json.loads(line) for line in cuts.read_text().splitlines()])
    out.unlink()
    command("cut", name, "-o", f"expected.{ending}", "--mark", "--mark-prefix", "x", *FLAGS)
    _, again = lookalike.cut(name, output=out, mark=True, mark_prefix="x", **SETTINGS)
    assert out.read_bytes() == (tmp_path / f"expected.{ending}").read_bytes()
    assert again.cuts == report.cuts
    out.unlink()
    nothing, again = lookalike.cut(name, **SETTINGS)
    assert nothing is None
    assert again.cuts == report.cuts
    assert not out.exists()
    if ending == "jsonl":
        lookalike.apply(cuts, name, out)
        command("cut", name, "-o", "expected.jsonl", *FLAGS)
        assert out.read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


def same_cuts(report, lines):
    """Check that a report has the cuts of the command's lines."""
    names = ["start", "end", "insert", "tokens", "source", "source_start", "source_end"]
    wanted = [
        [line["id"], line["verdict"], *({"insert": None, **cut}[name] for name in names)]
        for line in lines
        for cut in line["cuts"]
    ]
    made = report.cuts.select(["id", "verdict", *names]).to_pydict()
    assert [list(row) for row in zip(*made.values(), strict=True)] == wanted
    rows = [row for row, line in enumerate(lines) for _ in line["cuts"]]
    assert report.cuts["row"].to_pylist() == rows
    assert report.kept.tolist() == [line["verdict"] != "dropped" for line in lines]
    assert report.changed.tolist() == [line["verdict"] == "cut" for line in lines]
    return True


RUNS = [
    {},
    {"window": 6},
    {"window": 6, "more_than": 2},
    {"window": 3, "min_left": 4},
    {"window": 6, "within": "document"},
    {"window": 6, "within": "group:site"},
    {"window": 6, "keep": "longest"},
    {"window": 6, "keep": "max:score"},
    {"window": 6, "verbatim": True},
    {"window": 6, "whole_lines": True},
    {"window": 6, "fold": "accents,digits"},
    {"window": 12, "tokens": "chars", "threads": 1, "memory": "64M"},
    {"unit": "lines"},
    {"unit": "lines", "min_tokens": 8},
    {"unit": "paragraphs", "min_tokens": 1},
    {"unit": "sentences", "window": 2},
]


@pytest.mark.parametrize("keywords", RUNS, ids=str)
def test_keywords_give_the_result_of_flags(command, tmp_path, keywords):
    named = {name.replace("_", "-"): value for name, value in keywords.items()}
    flags = [f"--{name}" if value is True else f"--{name}={value}" for name, value in named.items()]
    records, lines = expected(command, tmp_path, RECORDS, flags)
    result, report = lookalike.cut(RECORDS, id="id", **keywords)
    assert result == records
    assert same_cuts(report, lines)
    summary = json.loads(command("cut", "in.jsonl", "--json", *flags).stdout)
    for name in ("documents", "unchanged", "cut", "dropped", "tokens", "tokens_kept", "tokens_cut", "tokens_dropped", "largest"):
        assert getattr(report, name) == summary[name]
    frame, other = lookalike.cut(pl.DataFrame(RECORDS), id="id", **keywords)
    assert frame.to_dicts() == records
    assert other.cuts == report.cuts


def test_offsets_are_those_of_python():
    _, report = lookalike.cut(ONLY_TEXTS, **SETTINGS)
    removed = {row: set() for row in range(len(ONLY_TEXTS))}
    assert report.cuts.num_rows > 30
    inserts = 0
    for cut in report.cuts.to_pylist():
        own = ONLY_TEXTS[cut["row"]][cut["start"] : cut["end"]]
        source = ONLY_TEXTS[cut["source_row"]][cut["source_start"] : cut["source_end"]]
        both = lookalike.compare(own, source, shingle=1)
        assert both.resemblance == 1, (own, source)
        removed[cut["row"]] |= set(range(cut["start"], cut["end"]))
        inserts += cut["insert"] is not None
        assert cut["id"] == cut["row"]
        assert cut["source"] == cut["source_row"]
    if not inserts:
        texts = ["".join(c for at, c in enumerate(text) if at not in removed[row]) for row, text in enumerate(ONLY_TEXTS)]
        kept = [text for text, is_kept in zip(texts, report.kept, strict=True) if is_kept]
        assert kept == lookalike.cut(ONLY_TEXTS, **SETTINGS)[0]


REFERENCES = made(20, seed=9)


def test_references_of_all_kinds(command, tmp_path):
    records, lines = expected(command, tmp_path, RECORDS, FLAGS, [REFERENCES[:8], REFERENCES[8:]])
    first, second = [tmp_path / f"ref{at}.jsonl" for at in range(2)]
    for against in (
        [first, second],
        lookalike.Files(first, second),
        REFERENCES,
        [REFERENCES[:8], pd.DataFrame(REFERENCES[8:])],
        [first, pl.DataFrame(REFERENCES[8:])],
        [first, table(records=REFERENCES[8:]).to_reader()],
    ):
        result, report = lookalike.cut(RECORDS, id="id", against=against, **SETTINGS)
        assert result == records
        assert same_cuts(report, lines)
        assert report.summary["references"] == 20
        cuts = report.cuts.to_pylist()
        assert all((cut["reference"] is None) == (cut["source_row"] is not None) for cut in cuts)
        of_references = [cut for cut in cuts if cut["reference"] is not None]
        assert all(cut["source"] == f"n{cut['reference_row']}" for cut in of_references)
        assert of_references
    assert lookalike.cut(["a b c"], against=["A b c!"], window=3)[1].cuts["reference"].to_pylist() == ["against row 0"]
    assert "reference" not in lookalike.cut(["a b c"])[1].cuts.column_names
    # If the ids of the data are numbers, and those of the references are strings, sources are JSON.
    for ids, source in (({}, 0), ({"id": "id"}, '"x"')):
        report = lookalike.cut([{"id": 7, "text": "a b c"}], **ids, against=[{"id": "x", "text": "a b c"}], window=3)[1]
        assert report.cuts.select(["id", "source"]).to_pylist() == [{"id": 7 if ids else 0, "source": source}]


@pytest.mark.parametrize(
    "empty",
    [
        [],
        (),
        np.array([], object),
        pd.DataFrame({"text": []}, dtype=str),
        pd.Series([], dtype=str),
        pl.DataFrame({"text": []}, schema={"text": pl.String}),
        pl.Series([], dtype=pl.String),
        pa.table({"text": pa.array([], pa.string())}),
        pa.array([], pa.string()),
        datasets.Dataset.from_dict({"text": []}),
    ],
    ids=type,
)
def test_empty_collections(empty):
    result, report = lookalike.cut(empty)
    assert type(result) is type(empty)
    assert len(result) == len(report) == report.cuts.num_rows == 0
    assert report.kept.tolist() == []
    assert repr(report) == "<lookalike.CutReport: 0 documents in = 0 unchanged + 0 cut + 0 dropped (0.0 % of the tokens cut)>"


def test_empty_texts_are_kept():
    assert lookalike.cut(["", " ", "a b", "a b"], window=2)[0] == ["", " ", "a b"]


def test_nulls_are_errors_or_skipped(left):
    odd = [*RECORDS[:7], {**RECORDS[7], "id": "x", "text": None}, *RECORDS[7:]]
    for data in (odd, pd.DataFrame(odd), pl.DataFrame(odd), pa.Table.from_pylist(odd), datasets.Dataset.from_list(odd)):
        with pytest.raises(errors.RecordError, match="row 7") as raised:
            lookalike.cut(data, **SETTINGS)
        assert (raised.value.line, raised.value.field) == (7, "text")
        result, report = lookalike.cut(data, id="id", skip_bad=True, **SETTINGS)
        rows = result.to_dict("records") if isinstance(result, pd.DataFrame) else result
        rows = (
            rows
            if isinstance(rows, list)
            else rows.to_dicts()
            if isinstance(rows, pl.DataFrame)
            else rows.to_list()
            if isinstance(rows, datasets.Dataset)
            else rows.to_pylist()
        )
        assert [row["text"] for row in rows] == [record["text"] for record in left]
        assert report.skipped.tolist() == [7]
        assert len(report.kept) == len(report.changed) == len(odd)
        assert (report.kept.sum(), report.summary["bad_lines"]) == (len(left), 1)
    result, report = lookalike.cut(["a b c", None, "a b c d"], window=3, skip_bad=True)
    assert (result, report.kept.tolist(), report.changed.tolist()) == (["a b c", "d"], [True, False, True], [False, False, True])


def test_pages_are_returned_as_their_texts(command, tmp_path):
    pages = [{"id": at, "text": f"<p>Page {at} &amp; its words</p><footer>{NOTICES[0]}</footer>"} for at in range(3)]
    records, _ = expected(command, tmp_path, pages, ["--html=text", *FLAGS])
    result, report = lookalike.cut(pages, id="id", html="text", **SETTINGS)
    assert result == records
    assert (report.unchanged, report.cut) == (1, 2)
    assert "<p>" not in result[0]["text"]
    short = np.array(["<p>a</p>", "&#x1f600;&#x1f600;"])
    assert lookalike.cut(short, html="text")[0].tolist() == ["a", "😀😀"]


@pytest.mark.parametrize(
    ("data", "keywords", "exception", "words"),
    [
        (
            ["a"],
            {"unit": "words"},
            errors.ConfigError,
            "unit= takes one of 'runs', 'lines', 'paragraphs', 'sentences', not 'words'",
        ),
        (["a"], {"window": 0}, errors.ConfigError, "window="),
        (["a"], {"window": "x"}, errors.ConfigError, "window= takes a whole number from 1 to 1000, not 'x'"),
        (["a"], {"more_than": 0}, errors.ConfigError, "more_than="),
        (["a"], {"min_left": -1}, errors.ConfigError, "min_left= takes a whole number"),
        (["a"], {"within": "site"}, errors.ConfigError, 'within="site": give all, document, or group:FIELD'),
        (["a"], {"within": 3}, errors.ConfigError, "within=3: give all, document, or group:FIELD"),
        (["a"], {"within": "group:site"}, errors.InputError, "plain texts have no column 'site'"),
        ([{"text": "a"}], {"within": "group:site"}, errors.InputError, "no column 'site'"),
        (["a"], {"within": "document", "against": ["b"]}, errors.ConfigError, "within= does not work with against="),
        (["a"], {"unit": "lines", "whole_lines": True}, errors.ConfigError, "whole_lines="),
        (["a"], {"verbatim": "yes"}, errors.ConfigError, "verbatim= takes True or False"),
        (["a"], {"tokens": "items"}, errors.ConfigError, "a set has no passages; use dedup()"),
        (["a"], {"tokens": "lines"}, errors.ConfigError, 'use unit="lines"'),
        (["a"], {"keep": "best"}, errors.ConfigError, "keep="),
        (["a"], {"keep": "max:score"}, errors.InputError, "no column 'score'"),
        (["a"], {"output": "out.jsonl"}, errors.ConfigError, "output= only works with paths"),
        (["a"], {"mark": True}, errors.ConfigError, "leave it out; report.cuts has one row for each cut"),
        ("/missing/file.jsonl", {"mark": True}, errors.ConfigError, "mark= only works with output="),
        ("/missing/file.jsonl", {"output": "out", "mark_prefix": "x"}, errors.ConfigError, "only works with mark=True"),
        (["a"], {"gitignore": True}, errors.ConfigError, "gitignore= only works with paths"),
        (["a"], {"resume": "state"}, errors.ConfigError, "resume= only works with paths"),
        (["a"], {"skip_bad": "bad.jsonl"}, errors.ConfigError, "skip_bad="),
        (["a"], {"text_field": "body"}, TypeError, "did you mean text="),
        (["a"], {"threshold": 0.5}, TypeError, "unexpected keyword argument 'threshold'"),
        ([{"body": "a"}], {}, errors.InputError, "no column 'text'"),
        (["a", 3], {}, errors.RecordError, 'row 1: field "text" is of the type int'),
        (["a", "\ud800"], {}, errors.RecordError, "half of a character"),
        ([{"id": 1, "text": "a"}, {"id": 1, "text": "b"}], {"id": "id"}, errors.RecordError, "allow_repeated_ids="),
        ("/missing/file.jsonl", {}, errors.InputError, "no such file"),
        ({"a"}, {}, TypeError, "convert texts to a list of str"),
        ({"text": ["a"]}, {}, TypeError, "convert it to a frame"),
    ],
)
def test_errors_name_the_argument_and_say_what_to_do(data, keywords, exception, words):
    with pytest.raises(exception, match=re.escape(words)):
        lookalike.cut(data, **keywords)


def test_a_dictionary_with_few_keys():
    own = pa.array([f"{word} {number}" for number in range(100) for word in ("the same words", "x")][:128])
    data = pa.table({"text": own.dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))})
    # There are as many texts as keys.
    assert lookalike.cut(data, window=3)[0].schema == data.schema


def test_a_page_is_written_of_any_collection(tmp_path):
    page = tmp_path / "cuts.html"
    _, report = lookalike.cut(pl.DataFrame(RECORDS), id="id", report=page, **SETTINGS)
    written = page.read_text()
    assert report.summary["report"]["bytes"] == page.stat().st_size
    blocks = re.findall(r'<script type="text/plain" id="documents-\d+">([^<]*)', written)
    shown = [document for block in blocks for document in json.loads(zlib.decompress(base64.b64decode(block), -15))]
    assert {document["id"]: len(document["cuts"]) for document in shown} == Counter(map(str, report.cuts["id"].to_pylist()))


def test_reports_can_be_pickled():
    _, report = lookalike.cut(RECORDS, id="id", against=REFERENCES, **SETTINGS)
    copied = pickle.loads(pickle.dumps(report))
    assert copied.cuts == report.cuts
    assert copied.kept.tolist() == report.kept.tolist()
    assert copied.summary == report.summary
    with pytest.raises(errors.FormatError, match="damaged"):
        lookalike._lookalike.Cuts._from_bytes(b"{}")
    frame = report.to_pandas()
    assert len(frame) == len(report.cuts)


def test_repeated_ids_may_be_allowed():
    rows = [{"id": 1, "text": "a b c d"}, {"id": 1, "text": "a b c e"}]
    result, report = lookalike.cut(rows, id="id", window=3, allow_repeated_ids=True)
    assert [row["text"] for row in result] == ["a b c d", "e"]
    assert report.cuts.select(["row", "source_row"]).to_pylist() == [{"row": 1, "source_row": 0}]


INTERRUPTED = """
import os, random, signal, sys, threading, time, lookalike
draw = random.Random(4)
data = [" ".join(str(draw.randrange(50)) for _ in range(300)) for _ in range(40_000)]
def interrupt():
    global sent
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.4, interrupt).start()
try:
    for _ in range(100):
        lookalike.cut(data, window=20)
except KeyboardInterrupt:
    print(time.monotonic() - sent)
else:
    print("done")
"""


@pytest.mark.slow
def test_an_interrupt_ends_a_run():
    argv = [sys.executable, "-c", INTERRUPTED]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=600, cwd=Path(__file__).parent, check=True)
    # It takes a tenth of a second. All runs together would take minutes, and print "done".
    assert float(ran.stdout) < 30, ran.stdout


def test_an_exception_of_a_signal_handler_is_raised():
    def handler(*_):
        raise TimeoutError("enough")

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(TimeoutError, match="enough"):
            [lookalike.cut(ONLY_TEXTS * 500, window=6) for _ in range(1000)]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_temporary_files_are_removed(tmp_path):
    code = f"""
import datasets, lookalike, os, pyarrow as pa
data = datasets.Dataset.from_dict({{"text": ["a b c", "a b c d"]}})
for own in (data, data.to_iterable_dataset(), data.data.table.to_reader()):
    result, _ = lookalike.cut(own, window=3, temp_dir={str(tmp_path)!r})
    assert os.listdir({str(tmp_path)!r})
    texts = result.read_all()["text"].to_pylist() if isinstance(result, pa.RecordBatchReader) else [row["text"] for row in result]
    assert texts == ["a b c", "d"], texts
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
    assert os.listdir(tmp_path) == []


def test_the_progress_bar_has_the_stages(capsys):
    lookalike.cut(ONLY_TEXTS * 50, window=6, progress=True)
    assert capsys.readouterr().out == ""
