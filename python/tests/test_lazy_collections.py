"""Lazy frames, scans, relations, partitions, splits and iterators give the result of an Arrow table with the same rows."""

from __future__ import annotations

import datetime
import gc
import os
import random
import re
from decimal import Decimal

import datasets
import lookalike
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from conftest import variants
from lookalike import errors

pytestmark = pytest.mark.slow

NOTICE = "No part of this page may be copied, all of it or some: ask the owner first."
DRAW = random.Random(3)
TEXTS = [text + (f" {NOTICE}" if DRAW.random() < 0.3 else "") for text in variants(DRAW, 120)]
# Rows without a text, for `skip_bad=True`, and rows with unusual ids.
MISSING = (7, 60, 119)
START = datetime.datetime(2026, 3, 29, tzinfo=datetime.UTC)


def table(texts=TEXTS):
    """Make a table with types that are easily lost."""
    count = range(len(texts))
    return pa.table(
        {
            "id": [f"n{number}" for number in count],
            "text": texts,
            "score": pa.array([number * 7 % 11 for number in count], pa.int16()),
            "nested": [{"a": number, "b": [f"{number}", None]} for number in count],
            "kind": pa.array([("news", "log", None)[number % 3] for number in count]).dictionary_encode(),
            "seen": pa.array([START + datetime.timedelta(hours=number) for number in count], pa.timestamp("us", "Europe/Berlin")),
            "price": pa.array([None if number % 5 == 0 else Decimal(number) for number in count], pa.decimal128(9, 2)),
        }
    )


WHOLE = table()
HOLED = table([None if row in MISSING else text for row, text in enumerate(TEXTS)])


def lazy(rows):
    """Return a lazy frame of several chunks."""
    parts = [pl.from_arrow(rows.slice(start, 50)) for start in range(0, max(rows.num_rows, 1), 50)]
    return pl.concat(parts, rechunk=False).lazy()


def scan(rows):
    return ds.dataset([ds.dataset(rows.slice(start, 50)) for start in range(0, max(rows.num_rows, 1), 50)])


def relation(rows):
    import duckdb

    return duckdb.connect().from_arrow(rows)


def partitions(rows):
    import dask.dataframe

    parts = [rows.slice(start, 50).to_pandas(types_mapper=pd.ArrowDtype) for start in range(0, max(rows.num_rows, 1), 50)]
    return dask.dataframe.from_map(lambda part: part, parts)


def dictionary(rows, streamed=False):
    """Return three splits; one of them is a selection of rows."""
    own = datasets.Dataset(rows)
    parts = {"train": own.select(range(50)), "test": own.select(range(60, 49, -1)).select(range(10, -1, -1))}
    parts["other"] = own.select(range(61, len(own)))
    if streamed:
        return datasets.IterableDatasetDict({name: part.to_iterable_dataset() for name, part in parts.items()})
    return datasets.DatasetDict(parts)


# Libraries that may be absent, except where all tests run.
NEEDED = {"relation": "duckdb", "partitions": "dask"}

KINDS = {
    "lazy frame": lazy,
    "arrow dataset": scan,
    "scanner": lambda rows: scan(rows).scanner(batch_size=17),
    "relation": relation,
    "partitions": partitions,
    "splits": dictionary,
    "streamed splits": lambda rows: dictionary(rows, streamed=True),
    "generator": lambda rows: (row for row in rows.to_pylist()),
}
RETURNED = {"arrow dataset": pa.RecordBatchReader, "scanner": pa.RecordBatchReader}


def rows_of(kept):
    """Return rows as dictionaries."""
    if isinstance(kept, pl.LazyFrame):
        return kept.collect().to_dicts()
    if isinstance(kept, pa.RecordBatchReader):
        return kept.read_all().to_pylist()
    if type(kept).__name__ == "DuckDBPyRelation":
        return kept.to_arrow_table().to_pylist()
    if hasattr(kept, "compute"):
        return pa.Table.from_pandas(kept.compute(), preserve_index=False).to_pylist()
    if isinstance(kept, dict):
        return [row for split in kept.values() for row in split]
    return list(kept)


@pytest.fixture(params=KINDS)
def kind(request):
    pytest.importorskip(NEEDED.get(request.param, "lookalike"))
    return request.param


def keywords(kind):
    return {"all_splits": True} if "splits" in kind else {}


def is_of_the_kind(kept, kind, data):
    if kind == "generator":
        return iter(kept) is kept
    return type(kept) is RETURNED.get(kind, type(data))


@pytest.mark.parametrize("ways", [{}, {"id": "id"}, {"id": "id", "keep": "max:score"}, {"keep": "newest:seen", "threshold": 0.6}])
def test_dedup_gives_the_result_of_a_table(kind, ways):
    data = KINDS[kind](WHOLE)
    kept, report = lookalike.dedup(data, **ways, **keywords(kind))
    expected, other = lookalike.dedup(WHOLE, **ways)
    assert 0 < expected.num_rows < WHOLE.num_rows
    assert report.decisions_json() == other.decisions_json()
    assert report.duplicates == other.duplicates
    assert is_of_the_kind(kept, kind, data)
    assert rows_of(kept) == expected.to_pylist()


def test_cut_gives_the_result_of_a_table(kind):
    data = KINDS[kind](WHOLE)
    shorter, report = lookalike.cut(data, id="id", window=8, **keywords(kind))
    expected, other = lookalike.cut(WHOLE, id="id", window=8)
    assert report.cuts == other.cuts
    assert report.changed.sum() > 20
    assert is_of_the_kind(shorter, kind, data)
    assert rows_of(shorter) == expected.to_pylist()
    # Nothing is cut, but rows are dropped.
    same, _ = lookalike.cut(KINDS[kind](WHOLE), id="id", window=8, min_left=10**6, against=[NOTICE], **keywords(kind))
    assert rows_of(same) == lookalike.cut(WHOLE, id="id", window=8, min_left=10**6, against=[NOTICE])[0].to_pylist()


def test_pairs_and_passages_give_the_result_of_a_table(kind):
    found = lookalike.pairs(KINDS[kind](WHOLE), id="id", **keywords(kind))
    assert found.json() == lookalike.pairs(WHOLE, id="id").json() != b""
    passages = lookalike.find_passages(KINDS[kind](WHOLE), id="id", least=20, **keywords(kind))
    assert len(passages) == len(lookalike.find_passages(WHOLE, id="id", least=20)) > 0


def test_references_give_the_result_of_a_table(kind):
    data = WHOLE.slice(0, 60)
    for column in ("id", None):
        for several in (False, True):
            against = KINDS[kind](WHOLE.slice(40) if "splits" not in kind else WHOLE)
            expected = WHOLE.slice(40) if "splits" not in kind else WHOLE
            others = [[against, ["something else"]], [expected, ["something else"]]] if several else [against, expected]
            kept, report = lookalike.dedup(data, id=column, against=others[0], **keywords(kind))
            again, other = lookalike.dedup(data, id=column, against=others[1])
            assert report.decisions_json() == other.decisions_json()
            assert kept == again
    # References are only read, so their other columns are not stored.
    shorter, _ = lookalike.cut(data, window=8, against=KINDS[kind](WHOLE), **keywords(kind))
    assert shorter == lookalike.cut(data, window=8, against=WHOLE)[0]


def test_rows_without_a_text_are_skipped(kind):
    kept, report = lookalike.dedup(KINDS[kind](HOLED), id="id", skip_bad=True, **keywords(kind))
    expected, other = lookalike.dedup(HOLED, id="id", skip_bad=True)
    assert report.skipped.tolist() == list(MISSING)
    assert report.decisions_json() == other.decisions_json()
    assert report.summary["bad_lines"] == 3
    assert rows_of(kept) == expected.to_pylist()
    shorter, report = lookalike.cut(KINDS[kind](HOLED), window=8, skip_bad=True, **keywords(kind))
    assert rows_of(shorter) == lookalike.cut(HOLED, window=8, skip_bad=True)[0].to_pylist()
    with pytest.raises(errors.RecordError, match=r"row 7: .*text"):
        lookalike.dedup(KINDS[kind](HOLED), **keywords(kind))
    references = lookalike.dedup(["a"], against=KINDS[kind](HOLED), skip_bad=True, **keywords(kind))[1]
    assert references.summary["bad_lines"] == 3


def test_a_missing_column_is_named(kind):
    with pytest.raises(errors.InputError, match="no column 'body'"):
        lookalike.dedup(KINDS[kind](WHOLE), "body", **keywords(kind))
    with pytest.raises(errors.InputError, match="no column 'key'"):
        lookalike.dedup(KINDS[kind](WHOLE), id="key", **keywords(kind))


def test_empty_collections(kind):
    nothing = WHOLE.slice(0, 0)
    if "splits" in kind:
        data = datasets.DatasetDict(a=datasets.Dataset(nothing), b=datasets.Dataset(nothing))
    else:
        data = KINDS[kind](nothing)
    kept, report = lookalike.dedup(data, **keywords(kind))
    assert (len(report), rows_of(kept)) == (0, [])
    if kind != "generator":
        data = KINDS[kind](nothing) if "splits" not in kind else data
        assert rows_of(lookalike.cut(data, **keywords(kind))[0]) == []


def test_other_functions_take_them(kind, tmp_path):
    index = lookalike.Index.create(tmp_path / "index")
    added = index.add(KINDS[kind](WHOLE), id="id", **keywords(kind))
    assert added.documents == WHOLE.num_rows
    people = pa.table({"id": [1, 2, 3], "name": ["Ann Lee", "Anne Lee", "Li Wei"]})
    fields = {"field": [{"name": "name", "type": "name"}]}
    if "splits" not in kind:
        links = lookalike.link(KINDS[kind](people), config=fields)
        assert len(links.pairs) == len(lookalike.link(people, config=fields).pairs)
    found = lookalike.evaluate(KINDS[kind](WHOLE), id="id", sample=20, threshold=0.8, runs=[""], **keywords(kind))
    assert found.truth == lookalike.evaluate(WHOLE, id="id", sample=20, threshold=0.8, runs=[""]).truth
    pages = pa.table({"id": [f"http://{site}.com/{page}" for site in "ab" for page in range(40)], "text": TEXTS[:80]})
    pages = pages.set_column(1, "text", [TEXTS[:40] + TEXTS[:40]])
    mirrored = lookalike.mirrors(KINDS[kind](pages), **keywords(kind))
    assert mirrored.summary["page_pairs"] == lookalike.mirrors(pages).summary["page_pairs"] > 0


def test_a_stream_is_not_read_again_for_a_page(kind, tmp_path):
    _, report = lookalike.dedup(KINDS[kind](WHOLE), id="id", **keywords(kind))
    if "splits" in kind:
        report.to_html(tmp_path / "page.html")
    else:
        with pytest.raises(errors.ConfigError, match="read only once"):
            report.to_html(tmp_path / "page.html")
    lookalike.dedup(KINDS[kind](WHOLE), report=tmp_path / "page.html", report_by="kind", **keywords(kind))
    assert (tmp_path / "page.html").stat().st_size > 1000


def test_temporary_files_are_removed(kind, tmp_path):
    kept, _ = lookalike.dedup(KINDS[kind](WHOLE), temp_dir=tmp_path, **keywords(kind))
    shorter, _ = lookalike.cut(KINDS[kind](WHOLE), window=8, temp_dir=tmp_path, **keywords(kind))
    if kind == "splits":
        # The parts of a dataset may be in several processes, so its file exists until the program ends.
        return
    assert len(rows_of(kept)) > 0
    assert len(rows_of(shorter)) > 0
    del kept, shorter
    gc.collect()
    assert os.listdir(tmp_path) == []


# Lazy frames


def test_lazy_frames_keep_their_types():
    frame = pl.from_arrow(WHOLE).with_columns(
        big=pl.col("score").cast(pl.Int128),
        fixed=pl.col("kind").cast(pl.String).cast(pl.Enum(["log", "news"])),
        kind=pl.col("kind").cast(pl.Categorical),
        nothing=pl.lit(None),
        took=pl.lit(datetime.timedelta(days=1)),
        pair=pl.concat_list("score", "score").list.to_array(2),
    )
    kept, report = lookalike.dedup(frame.lazy(), id="id")
    assert kept.collect_schema() == frame.schema
    named = frame.rename({"score": "kept", "kind": "kept 0"})
    assert lookalike.dedup(named.lazy())[0].collect().columns == named.columns
    assert kept.collect().equals(frame.filter(report.kept))
    assert kept.collect(engine="streaming").equals(frame.filter(report.kept))
    assert kept.select("fixed").tail(3).collect().equals(frame.filter(report.kept).select("fixed").tail(3))
    for text in (pl.String, pl.Binary, pl.Categorical):
        own = frame.with_columns(pl.col("text").cast(text))
        shorter, report = lookalike.cut(own.lazy(), window=8)
        expected, _ = lookalike.cut(own, window=8)
        assert shorter.collect_schema() == own.schema
        assert shorter.collect().equals(expected)


def test_a_query_is_executed_once():
    executed = []

    def counted(frame):
        executed.append(len(frame))
        return frame.sample(fraction=1, shuffle=True)

    query = lazy(WHOLE).map_batches(counted, schema=None)
    kept, report = lookalike.dedup(query, id="id")
    ids = report.decisions["id"].to_pylist()
    expected = [own for own, stays in zip(ids, report.kept, strict=True) if stays]
    assert kept.collect()["id"].to_list() == kept.collect()["id"].to_list() == expected
    assert sum(executed) == WHOLE.num_rows


def test_only_columns_that_are_read_are_stored_if_no_rows_are_returned():
    read = []

    def counted(frame):
        read.extend(frame.columns)
        return frame

    query = lazy(WHOLE).map_batches(counted, projection_pushdown=True)
    lookalike.pairs(query, id="id")
    assert set(read) == {"id", "text"}


def test_a_query_that_fails():
    query = lazy(WHOLE).with_columns(pl.col("text").cast(pl.Int64))
    with pytest.raises(errors.InputError, match="LazyFrame: the query failed"):
        lookalike.dedup(query)
    objects = pl.DataFrame({"text": ["a"], "own": pl.Series([object()], dtype=pl.Object)}).lazy()
    with pytest.raises(errors.InputError, match=re.escape("give the frame that collect() returns")):
        lookalike.dedup(objects)
    with pytest.raises(FileNotFoundError):
        lookalike.dedup(pl.scan_csv("no-such-file.csv"))


# Scans


def test_scans_of_files(tmp_path):
    for year, start in ((2025, 0), (2026, 50)):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(WHOLE.slice(start, 50 if start == 0 else None), tmp_path / f"year={year}" / "a.parquet", row_group_size=20)
    scanned = ds.dataset(tmp_path, partitioning="hive")
    kept, report = lookalike.dedup(scanned, id="id")
    kept = kept.read_all()
    assert report.decisions_json() == lookalike.dedup(WHOLE, id="id")[1].decisions_json()
    assert kept.schema.equals(scanned.schema, check_metadata=True)
    assert set(kept["year"].to_pylist()) == {2025, 2026}
    part, report = lookalike.dedup(scanned.scanner(columns=["text"], filter=ds.field("score") > 5))
    assert part.schema.names == ["text"]
    assert len(report) == sum(score > 5 for score in WHOLE["score"].to_pylist())
    (tmp_path / "year=2026" / "b.parquet").write_bytes(b"PAR1 no table PAR1")
    with pytest.raises(errors.InputError, match="cannot be read"):
        lookalike.dedup(ds.dataset(tmp_path, partitioning="hive", schema=scanned.schema))
