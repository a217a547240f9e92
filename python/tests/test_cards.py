"""Fingerprint cards in Python give what the command writes, for files and for prints in memory."""

from __future__ import annotations

import inspect
import json
import random
import re

import lookalike
import numpy as np
import pytest
from lookalike import errors
from lookalike.config import MinutiaeOptions


def prints():
    """Make four fingers with two impressions each, of two sensors."""
    made = []
    for finger in range(4):
        points, noise = random.Random(finger), random.Random(-finger - 1)
        pattern = [(points.randrange(240), points.randrange(320), points.randrange(256)) for _ in range(40)]
        for number in range(2):
            kept = [[x + 30 * number, y + noise.randrange(3), angle] for x, y, angle in pattern if noise.random() < 0.8]
            made.append({"id": f"{finger}-{number}", "finger": finger, "sensor": "ab"[number], "minutiae": kept})
    return made


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    "keywords",
    [
        {"first": "100%"},
        {"first": 3, "labels": "finger"},
        {"first": "50%", "by": "aligned", "within": "sensor"},
        {"first": "50%", "by": "aligned", "nearest": 2, "threads": 1},
        {"first": "50%", "by": "grid", "sets": 0, "square": 40, "margin": 12},
        {"first": "50%", "by": "reranked", "common": 9},
        {"columns": ["y", "x", "angle"], "turn": 360, "upwards": True},
    ],
    ids=str,
)
def test_pairs_are_those_of_the_command(tmp_path, command, keywords):
    made = prints()
    path = write(tmp_path / "prints.jsonl", made)
    flags = []
    for name, value in keywords.items():
        shown = ",".join(value) if isinstance(value, list) else value
        name = {"labels": "label"}.get(name, name)
        flags.append(f"--{name}" + ("" if value is True else f"={shown}"))
    ran = command("minutiae", path, "--json", *flags)
    summary = json.loads(ran.stderr)
    arrays = [{**one, "minutiae": np.array(one["minutiae"])} for one in made]
    data = [path, str(path), lookalike.Files(path), made, iter(made), arrays]
    if not {"labels", "within"} & set(keywords):
        data.append([(one["id"], one["minutiae"]) for one in made])
    for given in data:
        found = lookalike.minutiae(given, **keywords)
        assert found.json() == ran.stdout
        assert found.summary.items() <= summary.items()
        lines = [json.loads(line) for line in ran.stdout.splitlines()]
        assert [(one.a, one.b, one.score, one.same) for one in found] == [
            (one["a"], one["b"], one["score"], one.get("same")) for one in lines
        ]
        assert found.table.to_pylist() == lines
        assert len(found) == len(lines)


def test_ids_and_fields():
    own = [one["minutiae"] for one in prints()[:3]]
    found = lookalike.minutiae([{"m": one} for one in own], minutiae="m", first=1)
    assert (found.table.to_pylist()[0]["a"], found.table.to_pylist()[0]["b"]) == (0, 1)
    found = lookalike.minutiae([{"who": np.int64(7), "m": own[0]}, {"who": "x", "m": own[1]}], "m", "who", first=1)
    assert [(one.a, one.b) for one in found] == [(7, "x")]
    found = lookalike.minutiae([], first=1)
    assert (list(found), found.summary["prints"]) == ([], 0)
    twice = [("a", own[0]), ("a", own[1])]
    with pytest.raises(errors.RecordError, match=re.escape('id "a" was already used')) as raised:
        lookalike.minutiae(twice)
    assert (raised.value.path, raised.value.line) == ("list", 1)
    assert len(lookalike.minutiae(twice, allow_repeated_ids=True, first=1)) == 1


@pytest.mark.parametrize(
    ("data", "keywords", "error", "words"),
    [
        ([("a", [[1, 2]])], {}, errors.RecordError, "minutia 1 has 2 values, but columns= names 3"),
        ([("a", [[1, 2, 300]])], {}, errors.RecordError, "minutia 1 has 300.0 for angle; a turn is 256; give turn=360"),
        ([("a", [[1, float("nan"), 3]])], {}, errors.RecordError, "minutia 1 has null for y"),
        ([("a", [1, 2, 3])], {}, errors.RecordError, "print 0: field 'minutiae' is [1, 2, 3]; it must be rows of numbers"),
        ([("a", "abc")], {}, errors.RecordError, "it must be rows of numbers"),
        ([("a", None)], {}, errors.RecordError, "no field 'minutiae'; the print has 'id', 'minutiae'"),
        ([{"id": 1}], {}, errors.RecordError, "no field 'minutiae'; the print has 'id'"),
        ([{"id": [1], "minutiae": []}], {}, errors.RecordError, "field 'id' is [1]; it must be a string or a number"),
        ([{"id": 1, "f": {}, "minutiae": []}], {"labels": "f"}, errors.RecordError, "field 'f' is {}; it must be"),
        ([("a", [])], {"labels": "f"}, errors.RecordError, "a pair has no field 'f'; give dictionaries"),
        ([3], {}, errors.RecordError, "print 0: a print is a pair (id, minutiae) or a dictionary, not 3"),
        (3, {}, TypeError, "an iterable of pairs (id, minutiae) or of dictionaries, not a int"),
        ([], {"by": "x"}, errors.ConfigError, "by="),
        ([], {"first": "x"}, errors.ConfigError, "first="),
        ([], {"sets": "x"}, errors.ConfigError, "sets="),
        ([], {"by": "grid", "nearest": 3}, errors.ConfigError, "nearest"),
        ([], {"turn": -1}, errors.ConfigError, "turn"),
        ([], {"format": "csv"}, errors.ConfigError, "format= only works with paths"),
        ([], {"minutiae": 3}, errors.ConfigError, "minutiae= takes the name of a column"),
        ([], {"label": "f"}, TypeError, "did you mean labels="),
        ("none.jsonl", {}, errors.InputError, "no such file"),
    ],
)
def test_errors(data, keywords, error, words):
    with pytest.raises(error, match=re.escape(words)):
        lookalike.minutiae(data, **keywords)


def test_all_flags_are_keywords(command):
    shown = command("minutiae", "--help").stdout.decode()
    flags = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", shown, re.MULTILINE))
    own = {"help", "json", "quiet", "summary", "output", "model", "share", "agreement", "squares", "trials", "verbose", "color"}
    renamed = {"minutiae-field": "minutiae", "id-field": "id", "label": "labels"}
    known = set(inspect.signature(lookalike.minutiae).parameters) | set(MinutiaeOptions.__annotations__)
    assert {renamed.get(flag, flag.replace("-", "_")) for flag in flags - own} <= known
