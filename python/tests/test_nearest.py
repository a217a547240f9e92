"""The nearest documents of each document."""

from __future__ import annotations

import random

import lookalike
import pytest
from conftest import variants
from lookalike import errors


def resemblance(a, b):
    a, b = (set(text.split()) for text in (a, b))
    return len(a & b) / len(a | b) if a and b else 0.0


@pytest.mark.parametrize("most", [1, 3, 50])
def test_the_nearest_match_a_count_one_by_one(most):
    texts = variants(random.Random(7), 60)
    table = lookalike.pairs(texts, threshold=0.5, shingle=1, candidates="all", nearest=most).table
    expected = []
    for a, text in enumerate(texts):
        near = sorted((-resemblance(text, other), b) for b, other in enumerate(texts) if b != a)
        expected += [(a, b, -similarity) for similarity, b in near[:most] if -similarity >= 0.5]
    columns = (table[name].to_pylist() for name in ("row_a", "row_b", "resemblance"))
    assert list(zip(*columns, strict=True)) == expected


def test_against_the_neighbours_are_references():
    texts, references = ["one two three four", "nothing like it"], ["one two three", "one two three four", "one"]
    found = lookalike.pairs(texts, against=references, shingle=1, nearest=1)
    rows = found.table.to_pylist()
    assert [(row["a"], row["row_a"], row["row_b"], row["resemblance"]) for row in rows] == [(0, 0, 1, 1.0)]
    assert found.summary["nearest"] == 1


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "2"])
def test_it_is_a_count(wrong):
    with pytest.raises(errors.ConfigError, match="nearest= takes a whole number of 1 or more"):
        lookalike.pairs(["a"], nearest=wrong)
    with pytest.raises(TypeError, match="nearest"):
        lookalike.dedup(["a"], nearest=1)
