"""Other rules for duplicates: several fields, a minimum containment, several documents of a group, decisions from pairs."""

from __future__ import annotations

import json
import pickle

import lookalike
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from lookalike import errors

BASE = "the bridge over the river was closed at noon because the water had risen above the old wall and the mill"
TEXTS = [BASE, BASE + " a new sentence", BASE.upper(), "something else", ""]


def test_how_many_documents_of_a_group_are_kept(tmp_path):
    usual = lookalike.dedup(TEXTS)[1]
    assert usual.kept.tolist() == [True, False, False, True, True]
    kept, report = lookalike.dedup(TEXTS, drop="all")
    assert kept == TEXTS[3:]
    assert (report.summary["kept"], report.summary["per_group"]["dropped_too"]) == (2, 1)
    kept, report = lookalike.dedup(TEXTS, keep_per_group=2)
    assert kept == [TEXTS[0], TEXTS[1], *TEXTS[3:]]
    assert report.decisions["verdict"].to_pylist() == ["kept", "kept", "dropped", "kept", "kept"]
    for column in ("reason", "representative", "resemblance", "cluster_size"):
        assert report.decisions[column] == usual.decisions[column]
    report.write_decisions(tmp_path / "why.jsonl")
    assert (tmp_path / "why.jsonl").read_text().count('"verdict":"kept"') == 4
    with pytest.raises(errors.ConfigError, match="drop= takes one of 'duplicates', 'all'"):
        lookalike.dedup(TEXTS, drop="some")
    with pytest.raises(errors.ConfigError, match="keep_per_group="):
        lookalike.dedup(TEXTS, keep_per_group=0)


def test_a_pickled_report_has_the_verdicts():
    report = lookalike.dedup(TEXTS, drop="all")[1]
    again = pickle.loads(pickle.dumps(report))
    assert again.kept.tolist() == report.kept.tolist() == [False, False, False, True, True]


def test_a_minimum_containment():
    assert lookalike.dedup(TEXTS, min_containment=0.85)[0] == [TEXTS[0], *TEXTS[3:]]
    assert lookalike.dedup(TEXTS, min_containment=0.86)[0] == [TEXTS[0], TEXTS[1], *TEXTS[3:]]
    with pytest.raises(errors.ConfigError, match="minimum containment must be above 0"):
        lookalike.dedup(TEXTS, min_containment=0)
    with pytest.raises(errors.ConfigError, match="only works with resemblance"):
        lookalike.dedup(TEXTS, min_containment=0.9, measure="containment")


def test_several_fields(tmp_path):
    rows = [
        ("a", BASE, "one two three four five"),
        ("b", BASE, "six"),
        ("c", "x y z", "ONE two three four five"),
        ("d", BASE, "six"),
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(dict(zip(("id", "title", "body"), row, strict=True))) + "\n" for row in rows))

    def dropped(**keywords):
        report = lookalike.dedup(path, "title", **keywords)[1]
        assert report.summary["fields"]["similar"] == ("each" if "and_field" in keywords else "any")
        return dict(zip(report.decisions["id"].to_pylist(), report.decisions["representative"].to_pylist(), strict=True))

    assert dropped(and_field="body") == {"a": None, "b": None, "c": None, "d": "b"}
    assert dropped(or_field=["body"]) == {"a": None, "b": "a", "c": "a", "d": "a"}
    # In memory, the decisions are the same for all kinds of collections.
    records = [dict(zip(("id", "title", "body"), row, strict=True)) for row in rows]
    for keywords in ({"and_field": "body"}, {"or_field": ["body"]}):
        expected = dropped(**keywords)
        for data in (records, iter(records), pd.DataFrame(records), pl.LazyFrame(records), pa.Table.from_pylist(records)):
            report = lookalike.dedup(data, "title", id="id", **keywords)[1].decisions
            assert dict(zip(report["id"].to_pylist(), report["representative"].to_pylist(), strict=True)) == expected
        kept, report = lookalike.dedup(records[1:], "title", against=records[:1], **keywords)
        assert len(kept) == (2 if "and_field" in keywords else 0)
    assert lookalike.dedup(records, "title", and_field="body", against=[])[1].summary["dropped"] == 1
    with pytest.raises(errors.ConfigError, match="skip_bad= does not work with several fields"):
        lookalike.dedup(records, "title", and_field="body", skip_bad=True)
    with pytest.raises(errors.InputError, match="no column 'tags'"):
        lookalike.dedup(records, "title", and_field="tags")
    with pytest.raises(errors.ConfigError, match="and_field= takes the name of a field"):
        lookalike.dedup(path, "title", and_field=3)
    with pytest.raises(errors.ConfigError, match="or_field= does not work with skip_bad="):
        lookalike.dedup(path, "title", or_field="body", skip_bad=tmp_path / "bad")


def test_decisions_from_pairs(tmp_path):
    path, kept = tmp_path / "in.jsonl", tmp_path / "kept.jsonl"
    path.write_text("".join(json.dumps({"id": row, "text": text}) + "\n" for row, text in enumerate(TEXTS)))
    pairs = lookalike.pairs(path, threshold=0.5)
    (tmp_path / "pairs.jsonl").write_bytes(pairs.json())
    for found in (pairs, tmp_path / "pairs.jsonl"):
        for threshold in (0.8, 0.9):
            summary = lookalike.apply(found, path, kept, threshold=threshold, write_decisions=tmp_path / "why.jsonl")
            expected = tmp_path / "expected.jsonl"
            report = lookalike.dedup(path, threshold=threshold, output=expected)[1]
            assert kept.read_bytes() == expected.read_bytes()
            assert (summary["kept"], summary["pairs"]["listed"]) == (report.summary["kept"], len(pairs))
            why = [json.loads(line) for line in (tmp_path / "why.jsonl").open()]
            assert [line["representative"] for line in why] == report.decisions["representative"].to_pylist()
    lookalike.apply(pairs, path, kept, threshold=0.8, keep="longest", drop="all")
    assert len(kept.read_text().splitlines()) == 2
    with pytest.raises(errors.ConfigError, match="give threshold="):
        lookalike.apply(pairs, path, kept)
    with pytest.raises(errors.ConfigError, match="only work"):
        lookalike.apply(tmp_path / "why.jsonl", path, kept, drop="all")
