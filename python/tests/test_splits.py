"""Dictionaries of splits: several splits are one collection only if `all_splits=True` says so."""

from __future__ import annotations

import re

import datasets
import lookalike
import numpy as np
import pytest
from lookalike import errors
from test_lazy_collections import WHOLE, dictionary, rows_of


def test_several_splits_are_refused_unless_all_are_wanted():
    data = dictionary(WHOLE)
    words = (
        'DatasetDict: has several splits (train, test, other); compare one with another, as in lookalike.dedup(data["train"], '
        'against=data["test"]), or read all as one collection with all_splits=True'
    )
    for run in (lookalike.dedup, lookalike.cut, lookalike.pairs):
        with pytest.raises(errors.ConfigError, match=re.escape(words)) as raised:
            run(data)
        assert raised.value.option == "all_splits"
    with pytest.raises(errors.ConfigError, match="against: has several splits"):
        lookalike.dedup(["a"], against=data)
    with pytest.raises(errors.ConfigError, match="all_splits= only works with paths and URLs"):
        lookalike.dedup(["a"], all_splits=True)
    with pytest.raises(errors.InputError, match="has no splits"):
        lookalike.dedup(datasets.DatasetDict())
    kept, _ = lookalike.dedup(data["train"], against=data["test"])
    assert type(kept) is datasets.Dataset


@pytest.mark.parametrize("streamed", [False, True])
def test_one_split_needs_no_keyword(streamed):
    whole = datasets.Dataset(WHOLE)
    data = datasets.DatasetDict(train=whole)
    if streamed:
        data = datasets.IterableDatasetDict(train=whole.to_iterable_dataset())
    kept, report = lookalike.dedup(data, id="id")
    assert type(kept) is type(data)
    assert list(kept) == ["train"]
    assert list(kept["train"]) == WHOLE.filter(report.kept).to_pylist()
    assert kept["train"].features == whole.features


def test_rows_are_counted_through_the_splits():
    data = dictionary(WHOLE)
    kept, report = lookalike.dedup(data, all_splits=True)
    starts = np.cumsum([0, *(len(split) for split in data.values())])
    for start, (name, split) in zip(starts, data.items(), strict=False):
        mask = report.kept[start : start + len(split)]
        assert kept[name].to_list() == split.select(np.flatnonzero(mask)).to_list()
        assert kept[name].features == split.features


def test_splits_with_different_columns():
    first = datasets.Dataset.from_dict({"id": [1, 2], "text": ["a b c", "d e f"], "n": [1, 2]})
    second = datasets.Dataset.from_dict({"text": ["A B C", "g h i"], "id": [3.5, 4.0]})
    kept, report = lookalike.dedup(datasets.DatasetDict(a=first, b=second), id="id", all_splits=True)
    assert report.decisions["id"].to_pylist() == ["1.0", "2.0", "3.5", "4.0"]
    assert (kept["a"].to_list(), kept["b"].to_list()) == (first.to_list(), [{"text": "g h i", "id": 4.0}])
    with pytest.raises(errors.InputError, match=r"DatasetDict\['b'\]: no column 'n'"):
        lookalike.dedup(datasets.DatasetDict(a=first, b=second), id="n", all_splits=True)
    words = datasets.Dataset.from_dict({"text": ["x"], "id": ["y"]})
    with pytest.raises(errors.InputError, match=r"DatasetDict\['b'\]: column 'id' is of the type string, but of the type int64"):
        lookalike.dedup(datasets.DatasetDict(a=first, b=words), id="id", all_splits=True)
    unknown = datasets.IterableDatasetDict(
        a=datasets.IterableDataset.from_generator(lambda: iter([])),
        b=datasets.IterableDataset.from_generator(lambda: iter([{"text": "a b c"}, {"text": "A b c"}])),
    )
    kept, _ = lookalike.dedup(unknown, all_splits=True)
    assert rows_of(kept) == [{"text": "a b c"}]
