"""Runs log their start and end through Python's `logging`, and nothing else is shown."""

from __future__ import annotations

import logging
import re
import subprocess
import sys

import lookalike
import pytest

TEXTS = ["a b c d e f", "A B C D E F", "something else"]
END = r"lookalike:(\w+) ends: (.*), in \d+\.\d s"


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (lookalike.dedup, "documents 3, kept 2, dropped 1, bad lines 0"),
        (lookalike.cut, "documents 3, dropped 0, unchanged 3, cut 0, references 0, bad lines 0"),
        (lookalike.pairs, "documents 3, pairs 1, bad lines 0"),
        (lookalike.find_passages, "pairs 0, bad lines 0"),
    ],
)
def test_the_start_and_the_end_of_a_run_are_logged(caplog, run, words):
    with caplog.at_level(logging.INFO, "lookalike"):
        run(TEXTS)
    start, end = (f"{record.name}:{record.getMessage()}" for record in caplog.records)
    assert start == f"lookalike:{run.__name__} starts: list"
    found = re.fullmatch(END, end)
    assert found
    assert found.groups() == (run.__name__, words)
    assert {record.levelno for record in caplog.records} == {logging.INFO}


def test_names_and_skipped_rows_are_logged(caplog, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"text": "a"}\n')
    with caplog.at_level(logging.INFO, "lookalike"):
        lookalike.dedup(tmp_path / "in.jsonl", against=["b", None], skip_bad=True)
    start, end = (record.getMessage() for record in caplog.records)
    assert start == f"dedup starts: {tmp_path / 'in.jsonl'}"
    assert "bad lines 1" in end


def test_secrets_in_addresses_are_not_logged(caplog):
    with caplog.at_level(logging.INFO, "lookalike"), pytest.raises(lookalike.errors.Error):
        lookalike.dedup(lookalike.Files("http://user:password@localhost:1/a.jsonl?signature=secret", "b?.jsonl"))
    assert [record.getMessage() for record in caplog.records] == ["dedup starts: http://localhost:1/a.jsonl and 1 more"]


def test_nothing_is_shown_without_a_handler():
    code = "import lookalike, logging; lookalike.dedup(['a', 'A']); print(logging.getLogger().handlers)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert (ran.stdout, ran.stderr) == ("[]\n", "")
