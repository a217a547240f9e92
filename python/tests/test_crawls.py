"""Mirrors and histories in Python give what the command writes, for all kinds of collections."""

from __future__ import annotations

import inspect
import json
import random
import re

import lookalike
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import paragraph
from lookalike import errors


def crawls():
    """Make three crawls with edited, rewritten, moved, removed and new pages."""
    draw = random.Random(5)
    texts = [" ".join(f"{word}{draw.randrange(90)}" for word in paragraph(draw, 70).split()) for _ in range(30)]
    march = [{"id": f"http://a.example/{page}", "release": 1, "text": texts[page]} for page in range(20)]
    april, may = [], []
    for row in march[1:]:
        page = int(row["id"].rpartition("/")[2])
        words = row["text"].split()
        words[: page * 3] = texts[20 + page % 10].split()[: page * 3]
        name = f"http://a.example/{'moved/' if page % 7 == 0 else ''}{page}"
        april.append({"id": name, "release": 2, "text": " ".join(words)})
    for row in april[::-1]:
        may.append({**row, "release": 3})
    may.append({**march[0], "release": 3})
    return march, april, may


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    "keywords",
    [{"share": 0.1}, {"changed": True, "share": 0.1}, {"changed": 0.5, "share": 0.1, "all_pairs": True}],
    ids=str,
)
def test_mirrors_are_those_of_the_command(tmp_path, command, keywords):
    march, april, _ = crawls()
    a, b = write(tmp_path / "a.jsonl", march), write(tmp_path / "b.jsonl", april)
    flags = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}") for name, value in keywords.items()]
    ran = command("mirrors", a, b, "--pages", "pages.jsonl", "--unmatched", "gone.jsonl", "--json", *flags)
    summary = json.loads(ran.stderr)
    for old, new in (
        (march, april),
        (pd.DataFrame(march), pl.DataFrame(april)),
        (pa.Table.from_pylist(march), b),
        (a, lookalike.Files(b)),
    ):
        found = lookalike.mirrors(old, new, **keywords)
        assert found.json() == ran.stdout
        for table, name in ((found.sites, None), (found.pages, "pages.jsonl"), (found.unmatched, "gone.jsonl")):
            lines = ran.stdout if name is None else (tmp_path / name).read_bytes()
            assert table.to_pylist() == [json.loads(line) for line in lines.splitlines()]
        assert {name: summary[name] for name in ("site_pairs", "counterparts")} == {
            name: found.summary[name] for name in ("site_pairs", "counterparts")
        }
        assert len(found) == found.summary["site_pairs"] == 1
    assert repr(found).startswith("<lookalike.Mirrors: 1 pair of sites, ")


def test_one_collection_and_sites_by_a_field():
    march, april, _ = crawls()
    for data in ([*march, *april], pd.DataFrame([*march, *april])):
        with pytest.raises(errors.RecordError, match="already used"):
            lookalike.mirrors(data, by="field:release")
        found = lookalike.mirrors(data, by="field:release", allow_repeated_ids=True, share=0.1)
        assert found.sites.to_pylist()[0]["a"] == "1"
        assert found.sites.to_pylist()[0]["b"] == "2"


def test_histories_are_those_of_the_command(tmp_path, command):
    rows = crawls()
    paths = [write(tmp_path / f"{number}.jsonl", crawl) for number, crawl in enumerate(rows)]
    ran = command("mirrors", *paths, "--json")
    for given in (rows, paths, (pd.DataFrame(rows[0]), paths[1], pa.Table.from_pylist(rows[2]))):
        found = lookalike.history(*given)
        assert found.json() == ran.stdout
        assert list(found) == [json.loads(line) for line in ran.stdout.splitlines()]
        assert found.summary["crawls"] == json.loads(ran.stderr)["crawls"]
    events = found.events.to_pylist()
    assert len(events) == sum(len(page["events"]) for page in found)
    assert [event["event"] for event in events if event["history"] == 0] == ["appeared", "disappeared", "returned"]
    assert {"changed", "moved"} <= {event["event"] for event in events}
    assert repr(found) == "<lookalike.History: 21 pages in 3 crawls>"


def test_rows_that_cannot_be_read_are_skipped_on_request(tmp_path):
    march, april, _ = crawls()
    bad = [*march, {"id": "http://a.example/x", "release": 1, "text": None}]
    with pytest.raises(errors.RecordError, match="row 20"):
        lookalike.history(bad, april)
    assert lookalike.history(bad, april, skip_bad=True).summary["bad_lines"] == 1
    assert lookalike.mirrors(bad, april, skip_bad=True, share=0.1).summary["bad_lines"] == 1
    lines = tmp_path / "bad.jsonl"
    lines.write_text("no record\n" + "".join(json.dumps(row) + "\n" for row in march))
    assert lookalike.history(lines, april, skip_bad=True).summary["bad_lines"] == 1


@pytest.mark.parametrize(
    ("run", "kind", "words"),
    [
        (lambda a, b: lookalike.mirrors(a, a), errors.InputError, "a and b are the same data"),
        (lambda a, b: lookalike.mirrors(a, b, changed=2), errors.ConfigError, "changed= must be above 0 and at most 1, got 2"),
        (lambda a, b: lookalike.mirrors(a, b, changed="x"), errors.ConfigError, "changed= takes True, or a number"),
        (lambda a, b: lookalike.mirrors(a, b, share=2), errors.ConfigError, "share= must be from 0 to 1, got 2"),
        (lambda a, b: lookalike.mirrors(a, b, share_of="c"), errors.ConfigError, "share_of= takes one of"),
        (lambda a, b: lookalike.mirrors(a, b, by="x"), errors.ConfigError, 'by="x": give host, folder, or field:NAME'),
        (lambda a, b: lookalike.mirrors(a, b, gitignore=True), errors.ConfigError, "gitignore= only works with paths"),
        (lambda a, b: lookalike.mirrors(a, b, nearest=3), TypeError, "unexpected keyword argument 'nearest'"),
        (lambda a, b: lookalike.mirrors(a, b, input_command="x"), TypeError, "unexpected keyword argument 'input_command'"),
        (lambda a, b: lookalike.mirrors(["a text"], b), errors.InputError, "a: plain texts have no column 'id'"),
        (lambda a, b: lookalike.history(a), TypeError, "takes two crawls or more, not 1"),
        (lambda a, b: lookalike.history(a, b, share=0.5), TypeError, "unexpected keyword argument 'share'"),
        (lambda a, b: lookalike.history(a, b, by="field:text"), errors.ConfigError, "the text cannot identify the site"),
        (lambda a, b: lookalike.history(a, 3), TypeError, "unsupported input type"),
    ],
)
def test_errors_name_the_keyword(run, kind, words):
    march, april, _ = crawls()
    with pytest.raises(kind, match=re.escape(words)):
        run(march, april)


def test_help_names_the_keywords():
    for run, options in ((lookalike.mirrors, lookalike.MirrorsOptions), (lookalike.history, lookalike.HistoryOptions)):
        own = set(options.__annotations__) - set(lookalike.RunOptions.__annotations__)
        assert all(f"`{name}=" in inspect.getdoc(run) for name in own)
