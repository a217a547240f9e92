"""Dask frames are computed once, partition by partition, and keep their index, types and divisions."""

from __future__ import annotations

import re

import lookalike
import pandas as pd
import pytest
from lookalike import errors
from test_lazy_collections import TEXTS

pytestmark = pytest.mark.slow

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")


def frame():
    index = pd.date_range("2026-01-01", periods=len(TEXTS), tz="Europe/Berlin", name="seen", unit="us")
    kinds = pd.Categorical([("news", "log")[number % 2] for number in range(len(TEXTS))], ordered=True)
    return pd.DataFrame({"text": TEXTS, "kind": kinds, "n": pd.array(range(len(TEXTS)), "Int16")}, index=index)


@pytest.mark.parametrize("scheduler", ["threads", "synchronous", "processes"])
def test_frames_keep_their_index_types_and_divisions(scheduler):
    data = dd.from_pandas(frame(), npartitions=4)
    whole = data.compute()
    kept, report = lookalike.dedup(data)
    assert kept.divisions == data.divisions
    assert kept.dtypes.equals(data.dtypes)
    pd.testing.assert_frame_equal(kept.compute(scheduler=scheduler), whole[report.kept], check_freq=False)
    assert len(kept[kept.kind == "log"].compute(scheduler=scheduler)) == (whole[report.kept].kind == "log").sum()
    shorter, _ = lookalike.cut(data, window=8)
    expected, _ = lookalike.cut(whole, window=8)
    pd.testing.assert_frame_equal(shorter.compute(scheduler=scheduler), expected, check_freq=False)


def test_a_graph_is_computed_once():
    computed = []

    def counted(part):
        computed.append(len(part))
        return part.sample(frac=1)

    data = dd.from_map(counted, [frame()[:50], frame()[50:]], meta=frame()[:0])
    kept, report = lookalike.dedup(data, id="n")
    assert sorted(computed) == [50, len(TEXTS) - 50]
    assert kept.compute()["n"].tolist() == report.decisions["id"].filter(report.kept).to_pylist()
    assert kept.compute().equals(kept.compute())
    assert len(computed) == 2


def test_only_columns_that_are_read_are_stored_if_no_rows_are_returned():
    sizes = []
    data = dd.from_pandas(frame(), npartitions=2).map_partitions(lambda part: sizes.append(len(part)) or part, meta=frame()[:0])
    assert lookalike.pairs(data, id="n").json() == lookalike.pairs(frame(), id="n").json()
    assert sum(sizes) == len(TEXTS)


def test_columns_of_several_types():
    parts = [pd.DataFrame({"text": ["a"], "own": pd.Series([own], dtype=object)}) for own in (1, None, 2.5)]
    data = dd.from_map(lambda part: part, parts)
    # Dask makes strings of objects.
    assert lookalike.dedup(data)[0].compute()["own"].tolist() == data.compute()["own"].tolist()[:1]
    assert lookalike.dedup(data, id="own", skip_bad=True)[1].skipped.tolist() == [1]
    with dask.config.set({"dataframe.convert-string": False}):
        mixed = dd.from_map(lambda part: part, [pd.DataFrame({"text": pd.Series(["a", 3], dtype=object)})])
        with pytest.raises(
            errors.InputError, match=re.escape("DataFrame partition 0: column 'text' has values of several types")
        ):
            lookalike.dedup(mixed)
    categories = dd.from_pandas(frame().assign(text=frame()["text"].astype("category")), npartitions=3)
    shorter, report = lookalike.cut(categories, window=8)
    assert report.changed.any()
    assert shorter.compute()["text"].tolist() == lookalike.cut(frame(), window=8)[0]["text"].tolist()


def test_an_exception_of_the_graph_is_raised():
    def fails(part):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        lookalike.dedup(dd.from_map(fails, [1], meta=frame()[:0]))
