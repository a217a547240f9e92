"""Errors about keywords name the keyword and say which values are accepted; the help lists all keywords."""

from __future__ import annotations

import inspect
import json
import random
import re
from pathlib import Path

import lookalike
import numpy as np
import pytest
from conftest import variants
from lookalike import errors
from lookalike.config import IndexConfig, InputOptions
from lookalike.keywords import _TAKES, NO_KEYWORDS

TEXTS = ["a b c d e f", "A B C D E F", "something else"]


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"text": 0}, "text= takes the name of a column or field, a str, not 0 (int)"),
        ({"text": None}, "text= takes the name of a column or field, a str, not None"),
        ({"id": 3}, "id= takes the name of a column"),
        ({"threads": -1}, "threads= takes a whole number, 0 for one per core, not -1 (int)"),
        ({"threads": 1.5}, "threads= takes"),
        ({"threads": True}, "threads= takes"),
        ({"threshold": "x"}, "threshold= takes a number above 0 and at most 1, not 'x'"),
        ({"keep": "foo"}, 'keep="foo": "foo" is not a keep order; use first, longest, newest:FIELD'),
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
        ({"decisions": 3}, "decisions= takes the name of a file"),
        ({"progress": "x"}, "progress= takes True or False"),
        ({"against_only": "yes"}, "against_only= takes True or False"),
    ],
)
def test_an_invalid_value_is_refused_by_its_keyword(keywords, words):
    with pytest.raises(errors.ConfigError, match=re.escape(words)):
        lookalike.dedup(TEXTS, **keywords)


def test_invalid_keywords_for_files(tmp_path):
    for keywords, words in (
        ({"output": 3}, "output= takes the name of a file"),
        ({"format": "foo"}, "format= takes one of 'jsonl', 'json'"),
        ({"gitignore": "yes"}, "gitignore= takes True or False"),
    ):
        with pytest.raises(errors.ConfigError, match=re.escape(words)):
            lookalike.dedup(tmp_path, **keywords)
    with pytest.raises(errors.ConfigError, match="threads= takes"):
        lookalike.apply("decisions", tmp_path, "kept", threads=-1)
    for decisions, output, words in ((3, "kept", "decisions= takes"), ("decisions", None, "output= takes the name of a file")):
        with pytest.raises(errors.ConfigError, match=words):
            lookalike.apply(decisions, tmp_path, output)
    with pytest.raises(errors.ConfigError, match="sample= takes a whole number of 1 or more"):
        lookalike.evaluate(TEXTS, sample="x")
    with pytest.raises(errors.ConfigError, match="threshold= takes"):
        lookalike.evaluate(TEXTS, sample=3, threshold="x")


def test_nan_is_not_a_threshold():
    for threshold in (float("nan"), np.float32("nan")):
        with pytest.raises(errors.ConfigError, match="threshold= takes a number above 0 and at most 1, not nan"):
            lookalike.dedup(TEXTS, threshold=threshold)


def test_numpy_numbers_are_numbers():
    plain = lookalike.dedup(TEXTS, threshold=0.5, shingle=3, threads=2, allow_repeated_ids=True)[0]
    scalars = {"threshold": np.float32(0.5), "shingle": np.int64(3), "threads": np.uint8(2), "allow_repeated_ids": np.True_}
    assert lookalike.dedup(TEXTS, **scalars)[0] == plain
    assert lookalike.fingerprints(TEXTS[0], shingle=np.int64(3)).tolist() == lookalike.fingerprints(TEXTS[0], shingle=3).tolist()


@pytest.mark.parametrize(
    ("name", "meant"), [("treshold", "threshold="), ("thread", "threads="), ("text_field", "text="), ("n_jobs", "threads=")]
)
def test_an_unknown_keyword_is_refused_with_a_suggestion(name, meant):
    for run in (lookalike.dedup, lookalike.pairs):
        words = f"{run.__name__}() got an unexpected keyword argument {name!r}; did you mean {meant}"
        with pytest.raises(TypeError, match=re.escape(words)):
            run(TEXTS, **{name: 1})
    with pytest.raises(TypeError, match="leave it out; help"):
        lookalike.dedup(TEXTS, zzz=1)


def test_keywords_for_files_give_advice_for_data_in_memory():
    for name, value, words in (
        ("skip_bad", "bad.jsonl", "skip_bad=True skips and counts"),
        ("output", "kept.jsonl", "the kept documents are returned"),
        ("label", True, "only works with"),
        ("resume", "state", "write the data to a file"),
        ("gitignore", True, "gitignore= only works with paths"),
    ):
        with pytest.raises(errors.ConfigError, match=re.escape(words)):
            lookalike.dedup(TEXTS, **{name: value})
    assert len(lookalike.dedup(TEXTS, label=False, gitignore=False)[0]) == 2


def test_splits_are_read_together_on_request_only(tmp_path):
    for split in ("train", "test"):
        (tmp_path / f"{split}-0.jsonl").write_text('{"text": "one two"}\n')
    with pytest.raises(lookalike.errors.InputError, match=r"train \(1 file\), test \(1 file\).*all_splits="):
        lookalike.dedup(tmp_path)
    assert lookalike.dedup(tmp_path, all_splits=True)[1].summary["documents"] == 2
    assert lookalike.dedup(["three"], against=tmp_path)[1].summary["against"]["documents"] == 2


def test_gitignore_excludes_the_listed_files(tmp_path, command):
    for name, text in (("a.txt", "one"), ("draft.txt", "two"), (".gitignore", "draft*\n")):
        (tmp_path / name).write_text(text)
    _, all_of_them = lookalike.dedup(tmp_path)
    _, report = lookalike.dedup(tmp_path, gitignore=True)
    assert (len(all_of_them), len(report)) == (2, 1)
    assert len(lookalike.dedup(["three"], against=tmp_path, gitignore=True)[1].summary["against"]) > 0
    assert lookalike.pairs(Path(tmp_path), gitignore=True).summary["documents"] == 1
    summary = lookalike.apply(report, tmp_path, tmp_path / "kept.jsonl", gitignore=True)
    assert summary["kept"] == 1


# The keywords of each function.
TAKEN = {
    "dedup": {*lookalike.DedupOptions.__annotations__, "text", "id", "threshold", "output", "against"},
    "pairs": {*lookalike.PairsOptions.__annotations__, "text", "id", "threshold", "against"},
    "apply": {*lookalike.ApplyOptions.__annotations__, "text", "id", "output", "keep"},
    "cut": {*lookalike.CutOptions.__annotations__, "text", "id", "output", "against"},
    "link": {*lookalike.LinkRunOptions.__annotations__, "id"},
    "index create": {*IndexConfig.__annotations__, "store", "keep", "sets"},
    "index add": {*InputOptions.__annotations__, "text", "id", "on_conflict"},
}
# `lookalike.pairs` and `Index.add` return what the command writes. The settings of an index say whether `text=` names a field
# with sets.
ELSEWHERE = {
    "pairs": {"output"},
    # `link` takes the configuration by position, and returns pairs and clusters. `suggest_link` is `--suggest`,
    # `labels` is `--label`, and `--details` only changes what is printed.
    "link": {"config", "output", "clusters", "suggest", "explain", "label", "details", "dry_run"},
    "index add": {"decisions", "changes", "summary", "set_field"},
}


@pytest.mark.parametrize("command", TAKEN)
def test_every_flag_of_the_command_is_a_keyword(command):
    flags = {name: values for name, _, values in lookalike._lookalike.flags(command)}
    missing = flags.keys() - TAKEN[command] - NO_KEYWORDS.keys() - ELSEWHERE.get(command, set())
    assert missing == set(), "a flag of the command has no keyword"
    for name, values in flags.items():
        takes = _TAKES.get(name)
        # All values of the flag are accepted.
        assert takes is None or all(takes.fits(value) for value in values), name


@pytest.mark.parametrize(
    ("flags", "own"),
    [
        ({"method": "simhash", "bits": 128, "distance": 9}, {"candidates": {"kind": "simhash", "bits": 128, "distance": 9}}),
        ({"bands": 21, "rows": 6}, {"candidates": {"kind": "bands", "bands": 21, "rows": 6}}),
        ({"permutations": "many"}, {"candidates": {"kind": "bands", "permutations": "many"}}),
        ({"fold": "accents,digits"}, {"folds": {"accents": True, "digits": True}}),
        ({"fold": ["accents", "digits"]}, {"folds": {"accents": True, "digits": True}}),
        ({"candidates": "super", "run_length": 2}, {"candidates": {"kind": "shared", "super_shingles": True, "run": 2}}),
        ({"method": "sentences", "longest": 2}, {"candidates": {"kind": "sentences", "longest": 2}}),
        ({"method": "shingle"}, {"candidates": "all"}),
        ({"fingerprint": "rabin", "degree": 40}, {"fingerprint": {"kind": "rabin", "degree": 40}}),
        ({"cluster": "greedy", "sample": 50}, {"cluster": {"greedy": {"sample": 50}}}),
        ({"anchors": "en,de"}, {"anchors": ["en", "de"]}),
        (
            {"method": "minhash", "candidates": "shared", "modulus": 4},
            {"candidates": {"kind": "shared", "modulus": {"kind": "fixed", "level": 2}}},
        ),
    ],
    ids=str,
)
def test_flags_and_core_settings_are_equivalent(flags, own):
    texts = variants(random.Random(3), 60)
    (_, by_flags), (_, by_own) = (lookalike.dedup(texts, **keywords) for keywords in (flags, own))
    assert by_flags.summary["method"] == by_own.summary["method"]
    assert by_flags.decisions_json() == by_own.decisions_json()


def test_keywords_give_the_result_of_flags(tmp_path, command):
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in variants(random.Random(4), 80)))
    for keywords in (
        {"method": "simhash", "bits": 128},
        {"bands": 34, "rows": 4, "threshold": 0.6},
        {"fold": "digits", "shingle": 2},
    ):
        flags = [f"--{name}={value}" for name, value in keywords.items()]
        command("dedup", tmp_path / "in.jsonl", "--decisions", "expected.jsonl", *flags)
        _, report = lookalike.dedup(tmp_path / "in.jsonl", **keywords)
        assert report.decisions_json() == (tmp_path / "expected.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"bands": 3, "candidates": {"kind": "bands"}}, "bands= and candidates="),
        ({"method": "simhash", "candidates": "all"}, "method= and candidates="),
        ({"fold": "digits", "folds": {"accents": True}}, "fold= and folds="),
        ({"degree": 40, "fingerprint": {"kind": "rabin", "degree": 40}}, "degree= and fingerprint="),
        ({"sample": 4, "cluster": {"greedy": {}}}, "sample= and cluster="),
        ({"bands": 3, "method": "simhash"}, 'bands= only works with candidates="bands", not with method="simhash"'),
        ({"degree": 40}, 'degree= only works with fingerprint="rabin"'),
        ({"fold": "foo"}, 'fold="foo": takes one of simplified'),
        ({"modulus": 3}, "modulus= only works with"),
        ({"candidates": "shared", "modulus": 3}, "modulus=3 is not a power of two"),
        ({"method": "foo"}, "method= takes one of 'minhash', 'simhash'"),
        ({"set_field": "a", "text": "b"}, "set_field= names the field of the sets"),
    ],
    ids=str,
)
def test_keywords_that_contradict_each_other_are_refused(keywords, words):
    with pytest.raises(errors.ConfigError, match=re.escape(words)):
        lookalike.dedup(TEXTS, **keywords)


def test_flags_of_indexes_and_comparisons():
    index = lookalike.LshIndex(threshold=0.5, recall=0.9, bands=20, rows=3)
    assert index.config["candidates"] == {"kind": "bands", "bands": 20, "rows": 3, "permutations": "one"}
    assert lookalike.compare("Café 1", "cafe 2", fold="accents,digits").resemblance == 1
    assert lookalike.compare("Café 1", "cafe 2", folds={"accents": True, "digits": True}).resemblance == 1
    with pytest.raises(errors.ConfigError, match="fold= and folds="):
        lookalike.fingerprints("a", fold="digits", folds={"digits": True})


def test_commands_can_be_inputs_and_fields_can_be_sets(tmp_path):
    _, report = lookalike.dedup(None, input_command='printf \'%s\\n\' \'{"text":"a"}\' \'{"text":"A!"}\'')
    assert report.kept.tolist() == [True, False]
    (tmp_path / "in.jsonl").write_text('{"films": ["a", "b"]}\n{"films": ["b", "a"]}\n')
    assert lookalike.dedup(tmp_path / "in.jsonl", set_field="films")[1].kept.tolist() == [True, False]
    assert len(lookalike.dedup([{"films": ["a"]}, {"films": ["b"]}], set_field="films")[0]) == 2
    out = tmp_path / "out.jsonl"
    lookalike.dedup(tmp_path / "in.jsonl", set_field="films", output=out, dry_run=True)
    assert not out.exists()
    found = lookalike.pairs(TEXTS, exact=True, threshold=0.9)
    assert found.json() == lookalike.pairs(TEXTS, candidates="all", threshold=0.9).json()


def test_help_names_all_keywords():
    words = inspect.getdoc(lookalike.dedup)
    known = lookalike.DedupOptions.__annotations__
    assert all(f"`{name}=" in words for name in [*known, "threshold"])
    assert all(f"`{name}=" in inspect.getdoc(lookalike.cut) for name in lookalike.CutOptions.__annotations__)
    # A keyword with a simple default has the default of the core.
    for name, default in lookalike.default_config().items():
        if isinstance(default, (str, int, float)) and name != "candidates":
            shown = f'"{default}"' if isinstance(default, str) else default
            # A preset can set the threshold, so the keyword has no default.
            said = f"`threshold=None`: the similarity at which a document is dropped, above 0 and at most 1; None means {shown}"
            assert (said if name == "threshold" else f"`{name}={shown}") in words, name
    assert set(known) <= set(_TAKES)
    for name in set(known) - set(lookalike.RunOptions.__annotations__):
        assert f"`{name}`" in inspect.getdoc(lookalike.pairs)


def test_values_that_only_python_has():
    texts = variants(random.Random(5), 20)
    # Exact joins and equality need no signature, so any threshold is possible.
    for candidates in ("all", {"kind": "exact"}, "exact"):
        lookalike.dedup(texts, threshold=0.001, candidates=candidates)
    with pytest.raises(errors.ConfigError, match="shingle=-1: give a whole number of 0 or more"):
        lookalike.dedup(texts, shingle=-1)


def test_not_skipping_is_a_value(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"text": "one two"}\n')
    assert len(lookalike.dedup(tmp_path / "in.jsonl", skip_bad=False)[1]) == 1
    assert lookalike.pairs(tmp_path / "in.jsonl", skip_bad=False).summary["documents"] == 1
