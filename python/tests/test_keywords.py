"""Keywords are refused by their names, in words that say what they take; the help names all of them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import lookalike
import numpy as np
import pytest
from lookalike import errors
from lookalike.keywords import _TAKES

TEXTS = ["a b c d e f", "A B C D E F", "something else"]


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"text": 0}, "text= takes the name of a column or field, a str, not 0 (int)"),
        ({"text": None}, "text= takes the name of a column or field, a str, not None"),
        ({"id": 3}, "id= takes the name of a column"),
        ({"threads": -1}, "threads= takes a whole number, 0 for one a core, not -1 (int)"),
        ({"threads": 1.5}, "threads= takes"),
        ({"threads": True}, "threads= takes"),
        ({"threshold": "x"}, "threshold= takes a number above 0 up to 1, not 'x'"),
        ({"threshold": None}, "threshold= takes"),
        ({"keep": "foo"}, 'keep="foo" is not a way to keep: use first, longest, newest:FIELD'),
        ({"keep": 3}, 'keep= takes "first", "longest"'),
        ({"measure": "overlap"}, "measure= takes one of 'resemblance', 'containment', not 'overlap'"),
        ({"verify": 1}, "verify= takes one of 'exact', 'sketch', 'none'"),
        ({"shingle": "3"}, "shingle= takes a whole number of tokens"),
        ({"seed": -1}, "seed= takes a whole number from 0"),
        ({"folds": ["accents"]}, "folds= takes a dictionary"),
        ({"candidates": 3}, "candidates= takes the name of a kind"),
        ({"candidates": {"kind": "bands", "bands": "x"}}, 'candidates= invalid type: string "x"'),
        ({"candidates": {"kind": "bands", "bands": {1}}}, "candidates= cannot be"),
        ({"folds": {"accents": float("nan")}}, "folds= cannot be"),
        ({"memory": 1.5}, "memory= takes a whole number of bytes"),
        ({"allow_repeated_ids": 3}, "allow_repeated_ids= takes True or False"),
        ({"decisions": 3}, "decisions= takes a name of a file"),
        ({"progress": "x"}, "progress= takes True or False"),
        ({"against_only": "yes"}, "against_only= takes True or False"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_its_keyword(keywords, words):
    with pytest.raises(errors.ConfigError, match=re.escape(words)):
        lookalike.dedup(TEXTS, **keywords)


def test_of_files(tmp_path):
    for keywords, words in (
        ({"output": 3}, "output= takes a name of a file"),
        ({"format": "foo"}, "format= takes one of 'jsonl', 'json'"),
        ({"gitignore": "yes"}, "gitignore= takes True or False"),
    ):
        with pytest.raises(errors.ConfigError, match=re.escape(words)):
            lookalike.dedup(tmp_path, **keywords)
    with pytest.raises(errors.ConfigError, match="threads= takes"):
        lookalike.apply("decisions", tmp_path, "kept", threads=-1)
    for decisions, output, words in ((3, "kept", "decisions= takes"), ("decisions", None, "output= takes a name of a file")):
        with pytest.raises(errors.ConfigError, match=words):
            lookalike.apply(decisions, tmp_path, output)
    with pytest.raises(errors.ConfigError, match="sample= takes a whole number from 1"):
        lookalike.evaluate(TEXTS, sample="x")
    with pytest.raises(errors.ConfigError, match="threshold= takes"):
        lookalike.evaluate(TEXTS, sample=3, threshold="x")


def test_no_number_is_no_threshold():
    for threshold in (float("nan"), np.float32("nan")):
        with pytest.raises(errors.ThresholdError, match="threshold= takes a number above 0 up to 1, not nan"):
            lookalike.dedup(TEXTS, threshold=threshold)


def test_numbers_of_numpys_are_numbers():
    plain = lookalike.dedup(TEXTS, threshold=0.5, shingle=3, threads=2, allow_repeated_ids=True)[0]
    scalars = {"threshold": np.float32(0.5), "shingle": np.int64(3), "threads": np.uint8(2), "allow_repeated_ids": np.True_}
    assert lookalike.dedup(TEXTS, **scalars)[0] == plain
    assert lookalike.fingerprints(TEXTS[0], shingle=np.int64(3)).tolist() == lookalike.fingerprints(TEXTS[0], shingle=3).tolist()


@pytest.mark.parametrize(
    ("name", "meant"), [("treshold", "threshold="), ("thread", "threads="), ("text_field", "text="), ("n_jobs", "threads=")]
)
def test_a_name_that_is_none_is_told_which_was_meant(name, meant):
    for run in (lookalike.dedup, lookalike.pairs):
        words = f"{run.__name__}() got an unexpected keyword argument {name!r}: did you mean {meant}"
        with pytest.raises(TypeError, match=re.escape(words)):
            run(TEXTS, **{name: 1})
    with pytest.raises(TypeError, match="leave it out: help"):
        lookalike.dedup(TEXTS, zzz=1)


def test_what_goes_with_files_says_what_to_do_with_data_in_memory():
    for name, value, words in (
        ("skip_bad", "bad.jsonl", "take out first what is no text"),
        ("output", "kept.jsonl", "what stays is given back"),
        ("label", True, "goes with"),
        ("resume", "state", "write the data to a file"),
        ("gitignore", True, "gitignore= goes with paths"),
    ):
        with pytest.raises(errors.ConfigError, match=re.escape(words)):
            lookalike.dedup(TEXTS, **{name: value})
    assert len(lookalike.dedup(TEXTS, label=False, gitignore=False)[0]) == 2


def test_gitignore_leaves_out_what_it_says(tmp_path, command):
    for name, text in (("a.txt", "one"), ("draft.txt", "two"), (".gitignore", "draft*\n")):
        (tmp_path / name).write_text(text)
    _, all_of_them = lookalike.dedup(tmp_path)
    _, report = lookalike.dedup(tmp_path, gitignore=True)
    assert (len(all_of_them), len(report)) == (2, 1)
    assert len(lookalike.dedup(["three"], against=tmp_path, gitignore=True)[1].summary["against"]) > 0
    assert lookalike.pairs(Path(tmp_path), gitignore=True).summary["documents"] == 1
    summary = lookalike.apply(report, tmp_path, tmp_path / "kept.jsonl", gitignore=True)
    assert summary["kept"] == 1


def test_help_names_all_keywords():
    words = inspect.getdoc(lookalike.dedup)
    known = lookalike.DedupOptions.__annotations__
    assert all(f"`{name}=" in words for name in [*known, "threshold"])
    # Of those with a plain default it is the core's.
    for name, default in lookalike.default_config().items():
        if isinstance(default, (str, int, float)) and name != "candidates":
            shown = f'"{default}"' if isinstance(default, str) else default
            assert f"`{name}={shown}" in words, name
    assert set(known) <= set(_TAKES)
    for name in set(known) - set(lookalike.RunOptions.__annotations__):
        assert f"`{name}`" in inspect.getdoc(lookalike.pairs)
