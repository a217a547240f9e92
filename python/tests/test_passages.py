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


SOURCE = (
    "The committee met in Geneva in the spring of 1921 and discussed the partition of the harbour. Delegates from eleven coastal "
    "states objected to the tariff schedule that the treasury had drafted. A compromise was signed after nine days of stubborn "
    "negotiation, and the fishing fleets returned to their usual grounds. "
)
COPY = (
    "Emissaries from eleven coastal states objected to the customs schedule that the treasury had written. A deal was signed "
    "after nine long days of stubborn negotiation – and the fishing boats returned to their usual grounds. The committee met in "
    "Geneva during the spring of 1921 and discussed the partition of the harbour. "
)
OWN = "Nothing in my own family history prepared me for this töpic at all, and my grandmother never talked about any of it. "


@pytest.mark.parametrize(
    ("keywords", "flags"),
    [
        ({}, []),
        (
            {"least": 3, "gap": 10, "min_tokens": 5, "density": 0.3, "score": 3.0},
            ["--least=3", "--gap=10", "--min-tokens=5", "--density=0.3", "--score=3"],
        ),
        ({"density": 0.99}, ["--density=0.99"]),
    ],
)
@pytest.mark.slow
def test_regions_match_the_command(command, tmp_path, keywords, flags):
    texts = {"a": OWN + COPY + OWN, "b": SOURCE + "漢字 " * 30, "c": OWN, "d": ""}
    for name, text in texts.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": name, "text": text}) + "\n")
    for a, b in itertools.permutations(texts, 2):
        said = command("passages", f"{a}.jsonl", f"{b}.jsonl", "--json", "--offsets", "chars", "--regions", *flags).stdout
        places = json.loads(said)["passages"] if said else []
        found = lookalike.regions(texts[a], texts[b], **keywords)
        assert [([r.start_a, r.end_a], [r.start_b, r.end_b], r.tokens, r.score, r.density) for r in found] == [
            (place["a"], place["b"], place["tokens"], place["score"], place["density"]) for place in places
        ]


def test_a_changed_passage_is_one_region():
    text = OWN + COPY + OWN
    (region,) = lookalike.regions(text, SOURCE)
    assert COPY.strip().removeprefix("Emissaries ").rstrip(".") in text[region.start_a : region.end_a]
    assert repr(region).startswith("Region(start_a=")
    assert [region] == lookalike.regions(text, SOURCE)
    assert lookalike.regions(OWN, SOURCE) == []
    for wrong, message in (({"gap": 0}, "from 1 to 1000"), ({"density": 2}, "from 0 to 1"), ({"score": -1}, "0 or more")):
        with pytest.raises(errors.ConfigError, match=message):
            lookalike.regions("a", "b", **wrong)


def test_passages_of_collections_match_the_command(command, tmp_path):
    ids, texts = ["x", "y", "z"], [OWN + COPY, "Something else.", SOURCE]
    rows = [{"id": name, "text": text} for name, text in zip(ids, texts, strict=True)]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for regions, flags in ((False, []), (True, ["--regions"])):
        said = command("passages", "all.jsonl", "--json", "--offsets", "chars", *flags).stdout
        for data in (str(tmp_path / "all.jsonl"), rows):
            found = lookalike.find_passages(data, id="id", regions=regions)
            assert found.json() == said
            (pair,) = found
            assert (pair.a, pair.b, len(found)) == ("x", "z", 1)
            assert (pair.in_regions_a is None, pair.passages[0].density is None) == (not regions, not regions)
            for passage in pair.passages:
                assert texts[0][passage.start_a : passage.end_a] == passage.text_a
    assert "1 pairs with 1 regions" in repr(found)


def test_passages_of_collections_with_references_and_wrong_keywords():
    found = lookalike.find_passages([OWN, COPY], against=[SOURCE, OWN], regions=True)
    # References come first in a pair, and pairs are in the order of the documents.
    assert [(pair.a, pair.b) for pair in found] == [(1, 0), (0, 1)]
    assert len(lookalike.find_passages([OWN, COPY], against=[SOURCE, OWN], containment=0.9)) == 1
    with pytest.raises(TypeError, match="did you mean"):
        lookalike.find_passages([OWN], region=True)
    with pytest.raises(errors.ConfigError, match="from 1 to 1000"):
        lookalike.find_passages([OWN], least=2000)
    with pytest.raises(errors.ConfigError, match="from 0 to 1"):
        lookalike.find_passages([OWN], regions=True, density=3)
    with pytest.raises(errors.ConfigError, match="no order"):
        lookalike.find_passages([["a", "b"]], tokens="items")
