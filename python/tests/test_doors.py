"""No argument of a function of the package can end the process with damaged Arrow data: each is refused or not read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import datasets
import lookalike
import pytest
from doors import ROWS, damaged
from lookalike.errors import InputError

TEXTS = ["one two", "three four", "five six"]
pytestmark = pytest.mark.slow

# The arguments that take tables, which must be refused as damaged.
DOORS = (
    "Bottom.sketches(items)",
    "Index.add(data)",
    "Index.add(ids)",
    "Index.delete(ids)",
    "Index.query(data)",
    "Index.replace(data)",
    "Index.replace(ids)",
    "LshIndex.insert_many(ids)",
    "LshIndex.insert_many(texts)",
    "LshIndex.query_many(texts)",
    "MinHash.bits(items)",
    "MinHash.signatures(items)",
    "Modulo.sketches(items)",
    "SimHash.hashes(items)",
    "audit(result)",
    "audit(texts)",
    "cut(against)",
    "cut(data)",
    "datasketch.MinHash.bulk(b)",
    "datasketch.MinHash.update_batch(b)",
    "dedup(against)",
    "dedup(data)",
    "evaluate(data)",
    "evaluate(truth)",
    "find_passages(against)",
    "find_passages(data)",
    "history(crawls)",
    "link(a)",
    "link(b)",
    "minutiae(data)",
    "minutiae(minutiae)",
    "mirrors(a)",
    "mirrors(b)",
    "pairs(against)",
    "pairs(data)",
    "suggest_link(a)",
    "suggest_link(b)",
)


def calls():
    """Return how each call ended. After a crash, a new process makes the calls that are left."""
    made = {}
    while True:
        command = [sys.executable, Path(__file__).with_name("doors.py"), str(max(made, default=0))]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        for line in ran.stdout.splitlines():
            number, name, asked, kind, *end = json.loads(line)
            made[number] = name, asked, kind, end[0] if end else f"CRASH {ran.returncode}"
        if ran.returncode == 0:
            return list(made.values())
        assert made, ran.stderr


def test_damaged_tables_are_refused_at_every_door():
    ends = calls()
    assert [call for call in ends if "CRASH" in call[3]] == []
    doors = {f"{name}({asked})" for name, asked, _, end in ends if "is damaged" in end}
    assert sorted(doors) == sorted(DOORS)


@pytest.mark.parametrize("kind", ["frame", "series", "extension"])
def test_damaged_data_inside_the_result_of_an_audit_is_refused(kind):
    for result in ({"a": damaged()[kind]}, [damaged()[kind]], [("a", damaged()[kind])]):
        with pytest.raises((InputError, TypeError)):
            lookalike.audit(result, TEXTS)


def test_streams_of_hugging_face_are_read_as_other_rows():
    rows = datasets.Dataset.from_dict({"id": ["d2"]})
    of_rows, of_stream = (lookalike.audit(given, ROWS, id="id").summary for given in (rows, rows.to_iterable_dataset()))
    assert of_rows["removals"] == of_stream["removals"]
