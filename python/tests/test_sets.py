"""Documents that are sets (`tokens="items"`), in collections of every kind."""

from __future__ import annotations

import itertools
import json
import pickle
import random

import datasets
import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lookalike import errors

# The films that users have seen; some users have seen the same films.
FILMS = [
    ["Alien", "Heat", "Ran", "Jaws", "Up"],
    ["Ran", "Alien", "Up", "Heat", "Jaws", "Ran"],
    ["Alien", "Heat", "Ran", "Cars"],
    [],
    ["alien", "heat", "ran"],
    [],
]
KEPT = [0, 3, 4, 5]


def collection(seed: int, size: int = 300) -> list[list[int]]:
    """Make sets of numbers. Each is new, or a copy of an earlier set with some changed numbers, in a different order."""
    draw = random.Random(seed)
    sets: list[list[int]] = []
    for _ in range(size):
        old = sets and draw.random() < 0.7
        items = list(draw.choice(sets)) if old else draw.sample(range(2000), draw.randrange(1, 40))
        for _ in range(draw.randrange(4)):
            items[draw.randrange(len(items))] = draw.randrange(2000)
        draw.shuffle(items)
        sets.append(items)
    return sets


@pytest.mark.parametrize("threshold", [0.3, 0.6, 1.0])
def test_pairs_match_a_count_in_python(threshold):
    sets = collection(1)
    expected = []
    for (a, one), (b, other) in itertools.combinations(enumerate(map(frozenset, sets)), 2):
        if len(one & other) / len(one | other) >= threshold:
            expected.append((a, b, len(one & other) / len(one | other)))
    for given in (sets, [set(items) for items in sets], [tuple(map(float, items)) for items in sets]):
        table = lookalike.pairs(given, tokens="items", threshold=threshold, candidates="all").table
        assert list(zip(*(table[name].to_pylist() for name in ("a", "b", "resemblance")), strict=True)) == expected
    # With strings as items, the same number of pairs are similar. But the string "7" is not the number 7, so no set of numbers is
    # similar to a set of strings.
    texts = [[str(item) for item in items] for items in sets]
    assert len(lookalike.pairs(texts, tokens="items", threshold=threshold, candidates="all").table) == len(expected)
    assert not len(lookalike.pairs(sets, tokens="items", threshold=threshold, against=texts).table)


def collections() -> dict[str, tuple[object, str]]:
    """Return the same sets as a collection of each kind, and the name of the column."""
    frame = pd.DataFrame({"n": range(6), "films": FILMS})
    table = pa.table({"n": range(6), "films": pa.array(FILMS, pa.list_(pa.string()))})
    array = np.empty(6, dtype=object)
    array[:] = FILMS
    return {
        "lists": (FILMS, "text"),
        "tuple": (tuple(map(tuple, FILMS)), "text"),
        "sets": ([set(films) for films in FILMS], "text"),
        "json": ([json.dumps(films) for films in FILMS], "text"),
        "numpy": (array, "text"),
        "arrays": ([np.array(films, dtype=object) for films in FILMS], "text"),
        "rows": ([{"films": films} for films in FILMS], "films"),
        "nested rows": ([{"user": {"films": films}} for films in FILMS], "user.films"),
        "pandas": (frame, "films"),
        "pandas of sets": (frame.assign(films=[frozenset(films) for films in FILMS]), "films"),
        "series": (frame["films"], "text"),
        "polars": (pl.DataFrame({"films": FILMS}), "films"),
        "polars series": (pl.Series("films", FILMS), "text"),
        "table": (table, "films"),
        "large lists": (pa.table({"films": pa.array(FILMS, pa.large_list(pa.large_string()))}), "films"),
        "chunked": (table["films"], "text"),
        "reader": (table.to_reader(max_chunksize=2), "films"),
        "data set": (datasets.Dataset.from_dict({"films": FILMS}), "films"),
        "stream": (datasets.Dataset.from_dict({"films": FILMS}).to_iterable_dataset(), "films"),
    }


@pytest.mark.parametrize("kind", collections())
def test_every_kind_of_collection_gives_the_same_result(kind):
    data, text = collections()[kind]
    kept, report = lookalike.dedup(data, text, tokens="items", threshold=0.5)
    assert np.flatnonzero(report.kept).tolist() == KEPT
    assert report.decisions["reason"].to_pylist() == ["representative", "exact", "near", "empty", "unique", "empty"]
    assert type(kept) is type(data) or kind in ("reader", "stream")
    if isinstance(data, list):
        assert all(one is data[row] for one, row in zip(kept, KEPT, strict=True))


def test_files_are_read_like_in_the_command(tmp_path):
    lines, table = tmp_path / "users.jsonl", tmp_path / "users.parquet"
    lines.write_text("".join(json.dumps({"films": films}) + "\n" for films in FILMS))
    pq.write_table(pa.table({"films": pa.array(FILMS, pa.list_(pa.string()))}), table)
    for data, out in [(lines, tmp_path / "kept.jsonl"), (table, tmp_path / "kept.parquet")]:
        _, report = lookalike.dedup(data, "films", tokens="items", threshold=0.5, output=out)
        assert np.flatnonzero(report.kept).tolist() == KEPT
    assert pq.read_table(tmp_path / "kept.parquet")["films"].to_pylist() == [FILMS[row] for row in KEPT]
    kept = [line for row, line in enumerate(lines.read_text().splitlines()) if row in KEPT]
    assert (tmp_path / "kept.jsonl").read_text().splitlines() == kept


def test_large_lists_of_numbers_from_parquet(tmp_path):
    sets = collection(2, 3000)
    expected = lookalike.dedup(sets, tokens="items", threshold=0.6)[1].kept
    for kind in (pa.int16(), pa.uint64(), pa.float64()):
        path = tmp_path / f"{kind}.parquet"
        pq.write_table(pa.table({"more": range(3000), "items": pa.array(sets, pa.list_(kind))}), path, row_group_size=700)
        assert (lookalike.dedup(path, "items", tokens="items", threshold=0.6)[1].kept == expected).all()


def test_references_may_be_one_list_of_sets_or_several_collections():
    for against in ([["Jaws", "Up"], {"Cars"}], [[["Jaws", "Up"]], [{"Cars"}]]):
        _, report = lookalike.dedup([{"Up", "Jaws"}, ["Cars"], ["Ran"]], tokens="items", against=against)
        assert report.kept.tolist() == [False, False, True]


def test_two_sets_are_compared_and_sketched():
    compared = lookalike.compare(["a", "b", 1], {"b", 1.0, "c"}, tokens="items")
    assert (compared.resemblance, compared.size_a, compared.intersection) == (0.5, 3, 2)
    array = '["a", "b", 1]'
    assert lookalike.compare(array, ["b"], tokens="items").containment_ba == 1
    assert (
        lookalike.fingerprints(array, tokens="items").tolist() == lookalike.fingerprints((1, "b", "a"), tokens="items").tolist()
    )
    assert len(lookalike.fingerprints([], tokens="items")) == 0


def test_an_index_can_contain_sets():
    index = lookalike.LshIndex(tokens="items", threshold=0.5)
    index.insert("a", ["x", "y", 1])
    index.insert_many(["b", "c"], [{"x", "y", 1.0, "z"}, '["u", "v"]'])
    assert [(match.id, match.similarity) for match in index.query({1, "y", "x"})] == [("a", 1.0), ("b", 0.75)]
    assert [[match.id for match in found] for found in index.query_many([("v", "u"), [], ["X"]])] == [["c"], [], []]
    assert [match.id for match in pickle.loads(pickle.dumps(index)).query(["u", "v"])] == ["c"]
    with pytest.raises(errors.RecordError, match="an invalid item"):
        index.insert("d", [object()])
    with pytest.raises(errors.RecordError, match="has null as item 2"):
        index.query(["a", None])
    with pytest.raises(errors.RecordError, match="not a set"):
        index.insert("d", 3)
    with pytest.raises(TypeError):
        lookalike.LshIndex().insert("a", ["x"])
    assert len(index) == 3


def test_an_index_of_sets_decides_like_dedup():
    sets = collection(5, 200)
    index, kept = lookalike.LshIndex(tokens="items", threshold=0.6), []
    for row, items in enumerate(sets):
        if not index.query(items):
            index.insert(row, items)
            kept.append(row)
    assert kept == np.flatnonzero(lookalike.dedup(sets, tokens="items", threshold=0.6)[1].kept).tolist()


def test_methods_are_evaluated_on_sets():
    for data in (collection(3, 60), pd.DataFrame({"text": collection(3, 60)})):
        judged = lookalike.evaluate(data, sample=60, threshold=0.5, tokens="items", runs=["", "--method shingle"])
        assert [run["pairs"]["recall"]["value"] for run in judged.runs] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: lookalike.dedup([["a"], ["b", None]], tokens="items"), errors.RecordError, "list row 1: field 'text' has null"),
        (lambda: lookalike.dedup([["a"], [True]], tokens="items"), errors.RecordError, "has true as item 1"),
        (lambda: lookalike.dedup([["a"], [["b"]]], tokens="items"), errors.RecordError, "has an array as item 1"),
        (
            lambda: lookalike.dedup([["a"], None], tokens="items"),
            errors.RecordError,
            "list row 1: field 'text' is None, not a set",
        ),
        (lambda: lookalike.dedup([["a"], 7], tokens="items"), errors.RecordError, "is of the type int, not a set"),
        (lambda: lookalike.dedup([["a"], [float("nan")]], tokens="items"), errors.RecordError, "strings and finite numbers"),
        (lambda: lookalike.dedup([["a"], [b"a"]], tokens="items"), errors.RecordError, "of the type bytes"),
        (lambda: lookalike.dedup(["no set"], tokens="items"), errors.RecordError, "is not a JSON array"),
        (lambda: lookalike.dedup(pa.table({"text": [[1, None]]}), tokens="items"), errors.RecordError, "has null as item 2"),
        (lambda: lookalike.dedup(pa.table({"text": [7]}), tokens="items"), errors.InputError, "a set must be a list of strings"),
        (lambda: lookalike.dedup(pd.DataFrame({"a": [[1]]}), tokens="items"), errors.InputError, "the set with text="),
        (lambda: lookalike.dedup([["a"]], tokens="items", shingle=3), errors.ConfigError, "leave out shingles of several items"),
        (lambda: lookalike.compare(["a"], 7, tokens="items"), errors.RecordError, "is of the type int, not a set"),
        (lambda: lookalike.compare(["a"], "a", tokens="items"), errors.RecordError, "the set is not a JSON array"),
        (lambda: lookalike.compare(["a"], "a"), TypeError, "list"),
        (lambda: lookalike.MinHash(tokens="items"), errors.ConfigError, "fingerprints(items, tokens="),
        (lambda: lookalike.dedup([["a"]], tokens="item"), errors.ConfigError, "'items'"),
    ],
)
def test_invalid_calls_are_refused_with_a_reason(call, kind, words):
    with pytest.raises(kind) as told:
        call()
    assert words in str(told.value).replace('"', "'"), told.value
