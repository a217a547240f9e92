"""Labels, and decisions that are applied later, are those that the command writes, byte for byte."""

from __future__ import annotations

import json
import random
import re

import lookalike
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import variants
from lookalike import errors

TEXTS = variants(random.Random(31), 120)
TABLE = pa.table({"id": [f"n{number}" for number in range(len(TEXTS))], "text": TEXTS, "stars": range(len(TEXTS))})


@pytest.fixture
def folder(tmp_path):
    pq.write_table(TABLE, tmp_path / "in.parquet")
    pd.DataFrame(TABLE.to_pydict()).to_json(tmp_path / "in.jsonl", orient="records", lines=True)
    pd.DataFrame(TABLE.to_pydict()).to_csv(tmp_path / "in.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_both_match_the_command(command, folder, ending):
    name, flags = f"in.{ending}", ["--threshold", "0.6"]
    assert command("dedup", name, "--label", "--label-prefix", "dup_", "-o", f"labels.{ending}", *flags).returncode == 0
    assert command("dedup", name, "-o", f"kept.{ending}", *flags).returncode == 0
    kept = (folder / f"kept.{ending}").read_bytes()
    own = folder / f"own.{ending}"
    given, report = lookalike.dedup(folder / name, output=own, label=True, label_prefix="dup_", threshold=0.6)
    assert given == own
    assert own.read_bytes() == (folder / f"labels.{ending}").read_bytes() != kept
    assert report.summary["dropped"] > 10
    summary = lookalike.apply(report, folder / name, own)
    assert own.read_bytes() == kept
    assert {n: summary[n] for n in ("documents", "kept", "dropped")} == {
        n: report.summary[n] for n in ("documents", "kept", "dropped")
    }
    # Find the decisions that the command wrote, whatever their extension.
    (written,) = folder.glob("labels.decisions.*")
    lookalike.apply(str(written), str(folder / name), str(own), threads=1)
    assert own.read_bytes() == kept


def test_an_edited_verdict_is_applied(folder):
    _, report = lookalike.dedup(folder / "in.jsonl", threshold=0.6)
    lines = [json.loads(line) for line in report.decisions_json().splitlines()]
    first = next(line for line in lines if line["verdict"] == "dropped")
    first["verdict"] = "kept"
    (folder / "decisions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in reversed(lines)))
    lookalike.apply(folder / "decisions.jsonl", folder / "in.jsonl", folder / "kept.jsonl", temp_dir=folder)
    kept = [json.loads(line)["id"] for line in (folder / "kept.jsonl").read_text().splitlines()]
    assert kept == [line["id"] for line in lines if line["verdict"] == "kept"]
    assert first["id"] in kept


def test_labels_of_a_file_equal_the_columns_of_a_report(folder):
    lookalike.dedup(folder / "in.parquet", output=folder / "labels.parquet", label=True)
    labels = pq.read_table(folder / "labels.parquet")
    _, report = lookalike.dedup(pl.from_arrow(TABLE), id="id")
    decided = report.decisions
    for name in ("verdict", "representative"):
        assert labels[name].to_pylist() == decided[name].to_pylist()
    assert labels["similarity"].to_pylist() == decided["resemblance"].to_pylist()
    own = [one or other for one, other in zip(decided["representative"].to_pylist(), TABLE["id"].to_pylist(), strict=True)]
    assert labels["cluster"].to_pylist() == own


@pytest.mark.parametrize(
    ("refused", "exception", "words"),
    [
        (lambda name: lookalike.dedup(name, label=True), errors.ConfigError, "label= only works with output="),
        (
            lambda name: lookalike.dedup(name, output="out", label_prefix="x"),
            errors.ConfigError,
            "label_prefix= only works with label=",
        ),
        (lambda name: lookalike.dedup(TEXTS, label=True, output="out"), errors.ConfigError, "only works with paths"),
        (lambda name: lookalike.pairs(name, label=True), TypeError, "unexpected keyword argument 'label'"),
        (lambda name: lookalike.apply("/missing", name, "out"), errors.InputError, "/missing"),
        (lambda name: lookalike.apply(name, TEXTS, "out"), TypeError, "report.kept"),
        (lambda name: lookalike.apply(name, name, "out", shingle=5), TypeError, "unexpected keyword argument 'shingle'"),
        (lambda name: lookalike.apply(name, name, "out"), errors.RecordError, "`verdict`"),
    ],
)
def test_refusals(folder, monkeypatch, refused, exception, words):
    monkeypatch.chdir(folder)
    with pytest.raises(exception, match=re.escape(words)):
        refused(folder / "in.jsonl")
    assert not (folder / "out").exists()


def test_decisions_of_other_files_are_refused(folder):
    _, report = lookalike.dedup(TABLE.slice(0, 100).to_pandas(), id="id")
    with pytest.raises(errors.RecordError, match="n100"):
        lookalike.apply(report, folder / "in.jsonl", folder / "out")
    assert not (folder / "out").exists()
