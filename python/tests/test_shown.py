"""How exceptions and pages quote data."""

from __future__ import annotations

import json
import re

import lookalike
import numpy as np
import pytest
from lookalike import errors
from lookalike.page import page

LONG = "x" * 20_000_000


def test_a_repeated_id_is_shown_with_its_value():
    index = lookalike.LshIndex()
    for name, shown in [("a", "'a'"), (7, "7"), (LONG, f"'{'x' * 99}… (20000002 characters)")]:
        index.insert(name, "some text")
        with pytest.raises(ValueError, match="already in the index") as refused:
            index.insert(name, "some text")
        assert str(refused.value).startswith(f"id {shown} is already in the index; ")


@pytest.mark.parametrize(
    "lines",
    [
        [{"id": LONG, "text": "a"}, {"id": LONG, "text": "b"}],
        [{"id": 1, LONG: "a"}],
        [{"id": 1, "text": {LONG: 1}}],
    ],
)
def test_no_message_is_long(tmp_path, command, lines):
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(errors.RecordError) as refused:
        lookalike.dedup(str(path))
    assert len(str(refused.value)) < 2000
    said = command("dedup", "in.jsonl")
    assert said.returncode == 2
    assert len(said.stderr) < 2500
    # Warnings about bad lines are short too.
    bad = command("dedup", "in.jsonl", "--skip-bad", "bad.txt")
    assert len(bad.stderr) < 10_000


def test_a_long_id_is_quoted_with_its_length(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(2 * (json.dumps({"id": LONG, "text": "a"}) + "\n"))
    with pytest.raises(errors.RecordError, match=re.escape("x… (20000002 characters) was already used at ")):
        lookalike.dedup(str(path))


def test_an_html_page_has_no_control_characters():
    evil = "\u202e<b>\x1b"
    summary = dict.fromkeys(("kept", "representatives", "empty", "dropped_exact", "dropped_near", "bytes"), 1)
    shown = page(
        "", summary | {"found_by": evil, "seconds": {"total": 1.0}}, np.array([1.0]), [(evil, 3), (LONG, 2)], [(evil, LONG, 0.5)]
    )
    assert "\\u202e&lt;b&gt;\\u001b" in shown
    assert len(shown) < 10_000


def test_exceptions_are_on_one_line():
    error = errors.InputError("a\nb\x1b\u202e", 7)
    assert error.args == ("a\\u000ab\\u001b\\u202e", 7)
