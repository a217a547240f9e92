"""`compare` returns what the command prints."""

from __future__ import annotations

import itertools
import json
import random

import lookalike
import pytest
from conftest import variants

TEXTS = variants(random.Random(2), 12)

PAIRS = [
    *itertools.pairwise(TEXTS),
    ("a b c d e f g 漢字かな naïve ½", "a b c d e f 漢字かな — naive!"),
    ("", "words"),
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize(
    ("config", "flags"),
    [
        ({}, []),
        ({"shingle": 2, "occurrences": "labelled", "seed": 5}, ["--shingle", "2", "--occurrences", "labelled", "--seed", "5"]),
        ({"anchors": ["en", "fr"]}, ["--anchors", "en,fr"]),
        ({"tokens": "lines", "preset": "quotations"}, ["--tokens", "lines", "--preset", "quotations"]),
    ],
)
def test_the_figures_match_the_command(command, tmp_path, a, b, config, flags):
    for name, text in (("a", a), ("b", b)):
        (tmp_path / name).write_text(text)
    said = json.loads(command("compare", "a", "b", "--json", *flags).stdout)
    found = lookalike.compare(a, b, **config)
    for name in ("resemblance", "containment_ab", "containment_ba", "intersection", "size_a", "size_b"):
        assert getattr(found, name) == said[name]
    assert found.sketch_slots == said["sketch"]["slots"]
    for name in ("resemblance", "containment_ab", "containment_ba"):
        estimate = getattr(found, f"sketch_{name}")
        assert {"value": estimate.value, "low": estimate.low, "high": estimate.high} == said["sketch"][name]
    for text, passages, places in ((a, found.passages_a, said["passages_a"]), (b, found.passages_b, said["passages_b"])):
        # The command counts bytes.
        assert [(len(text[: p.start].encode()), len(text[: p.end].encode()), p.shared) for p in passages] == [
            (place["start"], place["end"], place["shared"]) for place in places
        ]
        assert "".join(text[p.start : p.end] for p in passages) == text
