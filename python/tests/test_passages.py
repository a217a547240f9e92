"""`passages` finds the same passages as the command."""

from __future__ import annotations

import itertools
import json
import random

import lookalike
import pytest
from conftest import variants
from lookalike import errors

TEXTS = [
    *variants(random.Random(5), 8),
    "a b c d e f g 漢字かな naïve ½",
    "a b C d e, f 漢字かな — naïve! ½",
    "",
    "a b c d e f g",
]


@pytest.mark.parametrize(("a", "b"), list(itertools.pairwise(TEXTS)))
@pytest.mark.parametrize(
    ("keywords", "flags"),
    [
        ({}, []),
        ({"least": 3, "gap": 1}, ["--least", "3", "--gap", "1"]),
        ({"least": 1, "folds": {"accents": True}}, ["--least", "1", "--fold", "accents"]),
    ],
)
def test_passages_match_the_command(command, tmp_path, a, b, keywords, flags):
    for name, text in (("a", a), ("b", b)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": name, "text": text}) + "\n")
    said = command("passages", "a.jsonl", "b.jsonl", "--json", "--offsets", "chars", *flags).stdout
    places = json.loads(said)["passages"] if said else []
    found = lookalike.passages(a, b, **keywords)
    assert [([p.start_a, p.end_a], [p.start_b, p.end_b], p.tokens) for p in found] == [
        (place["a"], place["b"], place["tokens"]) for place in places
    ]
    for passage, place in zip(found, places, strict=True):
        assert a[passage.start_a : passage.end_a] == place["text_a"]
        assert b[passage.start_b : passage.end_b] == place["text_b"]


def test_passages_can_be_compared_and_have_a_repr():
    (passage,) = lookalike.passages("one two three", "ONE, two; three!", least=3)
    assert repr(passage) == "SharedPassage(start_a=0, end_a=13, start_b=0, end_b=15, tokens=3)"
    assert [passage] == lookalike.passages("one two three", "ONE, two; three?", least=3)
    with pytest.raises(errors.ConfigError, match="from 1 to 1000"):
        lookalike.passages("a", "b", least=0)
    with pytest.raises(TypeError, match="threshold"):
        lookalike.passages("a", "b", threshold=0.5)
