"""Audits in Python are those of the command, for results and texts of all kinds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from lookalike import errors


def words(number: int, more: str = "") -> str:
    return " ".join(f"w{number}x{word}" for word in range(30)) + more


# Documents 0, 1 and 2 are similar, as are 3 and 4; 5 is similar to no document.
TEXTS = [words(0), words(0, " more"), words(0, " other"), words(3), words(3, " more"), words(5)]
IDS = [f"d{number}" for number in range(len(TEXTS))]
REMOVED = ["d1", "d4", "d5"]
CLUSTERS = {"d0": 7, "d1": 7, "d2": None, "d3": 8, "d4": 8, "d5": 7}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    texts, removed = tmp_path / "texts.jsonl", tmp_path / "removed.txt"
    rows = zip(IDS, TEXTS, strict=True)
    texts.write_text("".join(json.dumps({"id": own, "text": text}) + "\n" for own, text in rows))
    removed.write_text("\n".join(REMOVED) + "\n")
    return texts, removed


def test_files_are_audited_as_by_the_command(files, tmp_path, command):
    texts, removed = files
    ran = command("audit", removed, "--texts", texts, "--json", "-o", tmp_path / "lines.jsonl", "--sample", "2", "--shingle", "3")
    found = lookalike.audit(removed, texts, sample=2, shingle=3)
    expected = json.loads(ran.stdout)
    for name in ("schema", "version", "command", "inputs", "outputs"):
        expected.pop(name)
    assert found.summary == expected
    assert found.json() == (tmp_path / "lines.jsonl").read_bytes()
    assert "2 of 3 removals justified" in repr(found)
    rows = found.removals.to_pylist()
    assert [(row["id"], row["cause"], row["nearest"]) for row in rows[:2]] == [("d1", "similar", "d0"), ("d4", "similar", "d3")]


@pytest.mark.parametrize(
    "texts",
    [
        lambda: pd.DataFrame({"id": IDS, "text": TEXTS}),
        lambda: pl.DataFrame({"id": IDS, "text": TEXTS}),
        lambda: pl.LazyFrame({"id": IDS, "text": TEXTS}),
        lambda: pa.table({"id": IDS, "text": TEXTS}),
        lambda: [{"id": own, "text": text} for own, text in zip(IDS, TEXTS, strict=True)],
    ],
)
def test_texts_in_memory(files, texts):
    expected = lookalike.audit(files[1], files[0]).json()
    assert lookalike.audit(REMOVED, texts(), id="id").json() == expected
    assert lookalike.audit([1, 4, 5], texts(), id="id", by_position=True).json() == expected
    by_row = lookalike.audit([1, 4, 5], texts())
    assert [row["id"] for row in by_row.removals.to_pylist()] == [1, 4, 5]


def test_results_in_memory(files):
    texts = files[0]

    def audited(result, **keywords):
        return lookalike.audit(result, texts, **keywords).json()

    expected = audited(files[1])
    kept = [own for own in IDS if own not in REMOVED]
    for of in (list, set, tuple, np.array, pd.Series, pl.Series, iter, pa.array, lambda ids: pl.LazyFrame({"id": ids})):
        result = of(REMOVED)
        assert audited(result) == expected, type(result)
    assert audited(kept, kind="kept") == expected
    clusters = audited(CLUSTERS)
    assert [json.loads(line)["id"] for line in clusters.splitlines()] == REMOVED
    columns = {"id": list(CLUSTERS), "cluster": list(CLUSTERS.values())}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert audited(frame) == clusters, type(frame)
    assert audited(pd.Series(CLUSTERS, name="cluster_id")) == clusters
    assert audited(pd.Series(REMOVED, name="id", index=[5, 6, 7])) == expected
    named = pd.DataFrame({"doc": IDS, "gone": [own in REMOVED for own in IDS]})
    named["stays"] = ~named.pop("gone")
    assert audited(named, result_id="doc", kept_field="stays") == expected
    pairs = audited([("d0", "d1"), ("d3", "d4"), ("d5", "d1")])
    assert audited([["d0", "d1", 0.9], ["d3", "d4", 1], ["d5", "d1", 0.5]]) == pairs
    assert audited(np.array([("d0", "d1"), ("d3", "d4"), ("d5", "d1")])) == pairs
    assert [json.loads(line)["id"] for line in pairs.splitlines()] == REMOVED
    _, report = lookalike.dedup(texts)
    own = lookalike.audit(report, texts)
    assert own.summary["removals"]["justified"] == own.summary["removed"] == 3
    found = lookalike.pairs(texts)
    assert lookalike.audit(list(found), texts).summary == lookalike.audit(found, texts).summary
    numbers = pd.DataFrame({"id": [1.0, 4.0, 5.0, float("nan")]})[:3]
    assert lookalike.audit(numbers, TEXTS).summary["removed"] == 3
    assert lookalike.audit(found, texts).summary["removed"] == 3


def test_mistakes_are_named(files, tmp_path):
    texts = files[0]
    for run, error, message in [
        (lambda: lookalike.audit(3, texts), TypeError, "audit() takes paths, ids, a dictionary of clusters"),
        (lambda: lookalike.audit({0: [0, 1]}, TEXTS), TypeError, "each id and its cluster, not lists of ids"),
        (lambda: lookalike.audit([[0, 1, 2]], TEXTS), TypeError, "ids, or pairs of ids and their similarity, not [0, 1, 2]"),
        (lambda: lookalike.audit([True, False], TEXTS), TypeError, "numpy.flatnonzero(~report.kept)"),
        (lambda: lookalike.audit(REMOVED, texts, kind="x"), errors.ConfigError, "kind= takes one of 'removed', 'kept'"),
        (lambda: lookalike.audit(REMOVED, texts, treshold=1), TypeError, "did you mean threshold=?"),
        (lambda: lookalike.audit(REMOVED, texts, sample=-1), errors.ConfigError, "sample= takes"),
        (lambda: lookalike.audit(["x"], texts), errors.InputError, "no row names a document of the texts"),
        (lambda: lookalike.audit(["x"], TEXTS), errors.InputError, "no row names a document of the texts"),
        (lambda: lookalike.audit([{"x": 1}], texts), errors.InputError, "result: no field has the ids of documents"),
        (lambda: lookalike.audit(REMOVED, tmp_path / "none.jsonl"), errors.InputError, "none.jsonl"),
        (lambda: lookalike.audit([1], TEXTS, skip_bad=True), errors.ConfigError, "skip_bad= only works with paths"),
    ]:
        with pytest.raises(error, match=re.escape(message)):
            run()
    with pytest.raises(errors.InputError) as raised:
        lookalike.audit(REMOVED, tmp_path / "none.jsonl")
    assert raised.value.path == str(tmp_path / "none.jsonl")
    with pytest.raises(errors.RecordError, match="result row 1: the row has no") as raised:
        lookalike.audit([{"id": "d1", "cluster": 1}, {"id": None, "cluster": 1}], texts)
    assert (raised.value.path, raised.value.line) == ("result", 1)
    strange = [{"id": own, "score": [float("nan"), float("inf")]} for own in REMOVED]
    assert lookalike.audit(strange, texts).summary["removed"] == 3
    assert lookalike.audit(REMOVED, texts, sample=0).summary["missed"]["sampled"] == 0
