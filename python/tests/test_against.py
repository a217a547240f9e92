"""With references in every kind of object, the answer is the command's, and no reference is treated as a document."""

from __future__ import annotations

import json
import random
import re
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import run_command, variants
from hypothesis import given, settings
from hypothesis import strategies as st
from lookalike import errors
from test_collections import MAKERS, ROWS, TEXTS

POOL = variants(random.Random(21), 40)
NEWS = ["a text of a few words more than five", "another one that is like no other text", "A text of a few words more than FIVE!"]


def write(path, texts, ids=None):
    rows = [{"text": text} for text in texts]
    if ids is not None:
        rows = [{"id": own, **row} for own, row in zip(ids, rows, strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def check(report, lines, references):
    """Compare a report with the lines of decisions; `references` has the ids and places of the references, by row.

    The ids of the data are numbers. If references have strings as ids, the column is JSON.
    """
    rows = report.decisions.to_pylist()
    ids = [line["id"] for line in lines]
    assert [row["id"] for row in rows] == ids
    groups, pairs = {}, []
    for row, line in zip(rows, lines, strict=True):
        place = line.get("reference")
        assert row["reference"] == place
        for name in line.keys() - {"representative"}:
            assert row[name] == line[name]
        if line["representative"] is None:
            assert row["representative"] is row["representative_row"] is row["reference_row"] is None
            continue
        shown = row["representative"]
        assert (json.loads(shown) if isinstance(shown, str) else shown) == line["representative"]
        pairs.append((row["id"], shown, place))
        if place is None:
            assert row["reference_row"] is None
            assert ids[row["representative_row"]] == line["representative"]
            groups.setdefault(line["representative"], [line["representative"]]).append(row["id"])
        else:
            assert row["representative_row"] is None
            assert references[row["reference_row"]] == (line["representative"], place)
    assert report.clusters == groups
    found = report.pairs.to_pylist()
    assert [(row["dropped"], row["representative"], row["reference"]) for row in found] == pairs
    assert report.kept.tolist() == [line["verdict"] == "kept" for line in lines]
    largest = sorted((len(group) for group in groups.values()), reverse=True)[:8]
    assert [size for _, size in report._largest(8)] == largest
    assert all(len(groups[name]) == size for name, size in report._largest(8))
    against = report.summary["against"]
    assert against["dropped"] == sum("reference" in line for line in lines)
    assert against["documents"] == len(references)
    assert f"{len(references)} reference" in report._repr_html_()


@settings(max_examples=25)
@given(
    picks=st.lists(st.integers(0, 39), min_size=1, max_size=40),
    references=st.lists(st.lists(st.integers(0, 39), min_size=1, max_size=12), min_size=1, max_size=3),
    way=st.sampled_from(
        [
            ({}, []),
            ({"against_only": True}, ["--against-only"]),
            ({"measure": "containment", "threshold": 0.6}, ["--measure", "containment", "--threshold", "0.6"]),
            (
                {"measure": "containment", "threshold": 0.6, "drop_holders": True, "against_only": True},
                ["--measure", "containment", "--threshold", "0.6", "--drop-holders", "--against-only"],
            ),
            ({"keep": "longest", "threshold": 0.5}, ["--keep", "longest", "--threshold", "0.5"]),
            ({"candidates": "simhash", "verify": "none"}, ["--method", "simhash", "--verify", "none"]),
        ]
    ),
    draw=st.randoms(use_true_random=False),
    words=st.booleans(),
)
@pytest.mark.slow
def test_decisions_match_the_command_for_all_kinds_of_references(picks, references, way, draw, words):
    keywords, flags = way
    texts = [POOL[pick] + draw.choice(["", "", " and more"]) for pick in picks]
    with TemporaryDirectory() as name:
        folder = Path(name)
        data = write(folder / "in.jsonl", texts, range(len(texts)))
        files, ids = [], []
        for number, some in enumerate(references):
            ids.append([f"{number}, {row}" if words else 100 * number + row for row in range(len(some))])
            files.append(write(folder / f"r{number}.jsonl", [POOL[pick] for pick in some], ids[number]))
        against = [flag for file in files for flag in ("--against", str(file))]
        said = run_command(folder, "dedup", str(data), *against, *flags, "-o", "kept.jsonl", "--decisions", "decisions.jsonl")
        assert said.returncode == 0, said.stderr
        decisions = (folder / "decisions.jsonl").read_bytes()
        lines = [json.loads(line) for line in decisions.splitlines()]
        known = [(own, f"{file}:{row + 1}") for file, its in zip(files, ids, strict=True) for row, own in enumerate(its)]

        # All references are files; the data is in memory, with and without ids.
        frame = pl.DataFrame({"text": texts, "id": range(len(texts))})
        kept, report = lookalike.dedup(data, against=files, output=folder / "own.jsonl", **keywords)
        assert report.decisions_json() == decisions
        assert kept.read_bytes() == (folder / "kept.jsonl").read_bytes()
        check(report, lines, known)
        report.write_decisions(folder / "written")
        assert (folder / "written").read_bytes() == decisions
        for given_as in (files, lookalike.Files(*files), files[0] if len(files) == 1 else tuple(files)):
            for its, called in ((frame, "id"), (texts, None)):
                kept, report = lookalike.dedup(its, id=called, against=given_as, **keywords)
                assert report.decisions_json() == decisions
                assert type(kept) is type(its)
                check(report, lines, known)

        # Only the last collection of references is in memory, or all are. The report differs from that for files only in the
        # names of places.
        last = len(files) - 1
        tables = [pa.table({"id": its, "text": [POOL[pick] for pick in some]}) for its, some in zip(ids, references, strict=True)]
        for in_memory in ({last}, set(range(len(files)))):
            some = [tables[number] if number in in_memory else file for number, file in enumerate(files)]
            expected, places = decisions, known
            for number in in_memory:
                named = f"against[{number}]"
                lines_of = re.compile(re.escape(str(files[number])) + r":(\d+)")

                # Lines count from 1, rows in memory from 0.
                row_of = partial(lambda named, line: f"{named} row {int(line[1]) - 1}", named)
                expected = lines_of.sub(row_of, expected.decode()).encode()
                places = [(own, lines_of.sub(row_of, place)) for own, place in places]
            for its in (frame, data):
                _, report = lookalike.dedup(its, id="id", against=some, **keywords)
                assert report.decisions_json() == expected
                check(report, [json.loads(line) for line in expected.splitlines()], places)

        # Without ids, references are identified by their rows.
        kept, report = lookalike.dedup(texts, against=[POOL[pick] for pick in references[0]], **keywords)
        again, other = lookalike.dedup(
            texts,
            against=tables[0].drop_columns("id").append_column("id", pa.array(range(len(references[0])))),
            id=None,
            **keywords,
        )
        assert kept == again
        assert report.decisions_json() == other.decisions_json()
        check(
            report,
            [json.loads(line) for line in report.decisions_json().splitlines()],
            [(row, f"against row {row}") for row in range(len(references[0]))],
        )


@pytest.mark.parametrize("called", [None, "id"])
def test_every_kind_may_be_a_reference(called):
    data = [TEXTS[7].upper(), "of its own", TEXTS[40], TEXTS[-4]]
    frame = pd.DataFrame({"text": data, "id": ["w", "x", "y", "z"]})
    expected = {None: [7, None, 40, len(TEXTS) - 4], "id": ["n7", None, "n40", f"n{len(TEXTS) - 4}"]}[called]
    plain = {
        "list": lambda: TEXTS,
        "tuple": lambda: tuple(TEXTS),
        "numpy": lambda: np.array(TEXTS, dtype=object),
        "array": lambda: pa.array(TEXTS),
        "series": lambda: pd.Series(TEXTS),
        "polars series": lambda: pl.Series(TEXTS),
    }
    for name, make in {**MAKERS, **(plain if called is None else {})}.items():
        for against in (make(), [make()]):
            kept, report = lookalike.dedup(frame, id=called, against=against)
            assert kept["text"].tolist() == ["of its own"], name
            found = report.decisions["representative"].to_pylist()
            assert found == expected, name
            assert report.decisions["reference_row"].to_pylist() == [7, None, 40, len(TEXTS) - 4], name
            assert report.clusters == {}
            assert report._decisions.representatives().tolist() == [-1, 1, -1, -1]
    # Bare texts have no ids, even if the data has an id column.
    _, report = lookalike.dedup(frame, id="id", against=plain["series"]())
    assert report.decisions["representative"].to_pylist() == ["7", None, "40", str(len(TEXTS) - 4)]


def test_pairs_with_references_match_the_command(command, tmp_path):
    half = len(TEXTS) // 2
    write(tmp_path / "in.jsonl", TEXTS[:half], range(half))
    write(tmp_path / "more.jsonl", TEXTS[half:], ROWS["id"][half:])
    said = command("pairs", "in.jsonl", "--against", "more.jsonl")
    assert said.returncode == 0, said.stderr
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    references = pd.DataFrame(ROWS)[half:]
    for data, called in (
        (tmp_path / "in.jsonl", "id"),
        (TEXTS[:half], None),
        (pl.DataFrame({"text": TEXTS[:half], "id": range(half)}), "id"),
    ):
        for against in (tmp_path / "more.jsonl", references if called else [tmp_path / "more.jsonl"]):
            found = lookalike.pairs(data, id=called, against=against)
            assert found.json() == said.stdout
            table = found.table
            assert table["a"].to_pylist() == [line["a"] for line in lines]
            assert table["b"].to_pylist() == table["row_b"].to_pylist() == [line["b"] for line in lines]
            assert [ROWS["id"][half + row] for row in table["row_a"].to_pylist()] == table["a"].to_pylist()
            assert repr(found) == f"<lookalike.Pairs: {len(lines)} among {half} documents and {len(TEXTS) - half} references>"
    assert len(lines) > 10
    by_row = lookalike.pairs(TEXTS[:half], against=TEXTS[half:]).table
    assert by_row["a"].to_pylist() == by_row["row_a"].to_pylist() == table["row_a"].to_pylist()
    # Without references, the table of pairs has the same columns.
    assert lookalike.pairs(TEXTS[:half]).table.column_names == by_row.column_names


def test_ids_of_two_types_are_json():
    data = pl.DataFrame({"text": NEWS, "key": [7, 8, 9]})
    _, report = lookalike.dedup(data, id="key", against=pl.DataFrame({"text": [NEWS[1]], "key": ["8"]}))
    assert report.decisions["id"].to_pylist() == [7, 8, 9]
    assert report.decisions["representative"].to_pylist() == [None, '"8"', "7"]
    assert report.pairs.to_pylist()[0] == {"dropped": 8, "representative": '"8"', "similarity": 1.0, "reference": "against row 0"}
    assert report.clusters == {7: [7, 9]}
    # If no reference is a representative, the column keeps the type of the data's ids.
    _, report = lookalike.dedup(data, id="key", against=pl.DataFrame({"text": ["nothing of the kind"], "key": ["8"]}))
    assert report.decisions["representative"].to_pylist() == [None, None, 7]
    assert report.decisions["reference"].null_count == 3


def test_a_page_containing_a_reference_has_the_measured_similarity():
    page = f"{NEWS[0]} and much more that is said about all of it on the page, before and behind"
    _, report = lookalike.dedup([page], against=NEWS[:1], measure="containment", drop_holders=True, against_only=True)
    row = report.decisions.to_pylist()[0]
    assert (row["reason"], row["containment_of_representative"]) == ("holds", 1.0)
    assert row["containment"] < 0.5
    assert report.similarities.tolist() == report.pairs["similarity"].to_pylist() == [1.0]
    _, report = lookalike.dedup([page], against=NEWS[:1], measure="containment", against_only=True)
    assert report.kept.all()


def test_references_only():
    kept, report = lookalike.dedup(NEWS, against=[NEWS[1]], against_only=True)
    assert kept == [NEWS[0], NEWS[2]]
    assert "not compared with each other" in report._repr_html_()
    for nothing in ([], (), pd.DataFrame({"text": []}, dtype=str)):
        kept, report = lookalike.dedup(NEWS, against=nothing)
        assert kept == NEWS[:2]
        assert (report.clusters, report.summary["against"]["documents"]) == ({0: [0, 2]}, 0)
    kept, report = lookalike.dedup([], against=NEWS)
    assert (kept, len(report), report.clusters, report._largest(8)) == ([], 0, {}, [])
    assert lookalike.dedup((), against=())[0] == ()
    assert "reference" not in lookalike.dedup(NEWS)[1].decisions.column_names


def test_files_of_references_with_data_in_memory(tmp_path):
    (tmp_path / "test.tsv").write_text(f"text\tother\n{NEWS[1]}\tx\n")
    kept, report = lookalike.dedup(NEWS, against=tmp_path / "test.tsv", format="csv", delimiter="\t", encoding="utf-8")
    assert kept == [NEWS[0]]
    assert report.decisions["reference"].to_pylist() == [None, f"{tmp_path / 'test.tsv'}:2", None]
    assert report.decisions["representative"].to_pylist() == [None, json.dumps(f"{tmp_path / 'test.tsv'}:2"), "0"]
    # This list mixes file names and collections.
    mixed = [[NEWS[0]], tmp_path / "test.tsv", lookalike.Files(write(tmp_path / "more.jsonl", ["quite another text"]))]
    kept, report = lookalike.dedup(NEWS, against=mixed)
    assert kept == []
    assert report.decisions["reference"].to_pylist() == ["against[0] row 0", f"{tmp_path / 'test.tsv'}:2", "against[0] row 0"]
    assert report.decisions["reference_row"].to_pylist() == [2, 0, 2]


def test_temporary_files_of_references_are_removed(tmp_path):
    for name in ("reader", "iterable dataset"):
        kept, _ = lookalike.dedup([TEXTS[3], "of its own"], against=[MAKERS[name](), NEWS], temp_dir=tmp_path)
        assert kept == ["of its own"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("refused", "exception", "words"),
    [
        (lambda _: lookalike.dedup(NEWS, against_only=True), errors.ConfigError, "against_only= only works with against=;"),
        (lambda _: lookalike.dedup(NEWS, drop_holders=True), errors.ConfigError, "drop_holders= only works with against=;"),
        (lambda _: lookalike.dedup(NEWS, against=TEXTS, drop_holders=True), errors.ConfigError, 'measure="containment"'),
        (
            lambda _: lookalike.dedup(NEWS, against=TEXTS, cluster="components"),
            errors.ConfigError,
            'against= only works with cluster="law"',
        ),
        (lambda _: lookalike.dedup(NEWS, against=TEXTS, against_only=True, keep="longest"), errors.ConfigError, "keep= chooses"),
        (lambda path: lookalike.dedup(path, against=path), errors.InputError, "as an input and as a reference"),
        (lambda _: lookalike.dedup(NEWS, against=[["other"], NEWS]), errors.InputError, "against[1] is the data itself"),
        (lambda path: lookalike.dedup(path, against=NEWS, resume=path), errors.ConfigError, "resume= only works with references"),
        (
            lambda path: lookalike.dedup(NEWS, against=path, skip_bad="bad"),
            errors.ConfigError,
            "skip_bad= with a file name only works",
        ),
        (lambda path: lookalike.dedup(NEWS, against=path, output="kept"), errors.ConfigError, "output= only works with paths"),
        (lambda _: lookalike.dedup(NEWS, against=TEXTS, format="csv"), errors.ConfigError, "format= only works with paths"),
        (lambda path: lookalike.dedup(NEWS, against=[path, "test.jsonl"]), TypeError, "mixes a str with collections"),
        (lambda _: lookalike.dedup(NEWS, against=["text", None]), errors.RecordError, 'against row 1: field "text" is None'),
        (lambda _: lookalike.dedup(NEWS, against=[None]), TypeError, "unsupported input type builtins.NoneType"),
        (lambda _: lookalike.dedup(NEWS, against="/missing/file.jsonl"), errors.InputError, "no such file"),
        (
            lambda _: lookalike.dedup(NEWS, against=[TEXTS, pd.DataFrame({"body": NEWS})]),
            errors.InputError,
            "against[1]: no column",
        ),
        (lambda _: lookalike.dedup(NEWS, against=pl.DataFrame({"text": ["a", None]})), errors.RecordError, "against row 1"),
        (
            lambda _: lookalike.pairs(NEWS, against=TEXTS, against_only=True),
            TypeError,
            "unexpected keyword argument 'against_only'",
        ),
    ],
)
def test_refusals(tmp_path, refused, exception, words):
    with pytest.raises(exception, match=re.escape(words)):
        refused(write(tmp_path / "in.jsonl", NEWS))


def test_the_text_of_references_may_have_another_name(tmp_path):
    text = "What is the capital of the country with the most inhabitants in Europe?"
    data = [{"id": 1, "text": text}, {"id": 2, "text": "Which river flows through the largest city of the oldest democracy?"}]
    same = lookalike.dedup(data, id="id", against=[{"id": 7, "text": text}])[1].decisions_json()
    named = tmp_path / "test.jsonl"
    named.write_text(json.dumps({"id": 7, "question": text}) + "\n")
    in_memory = [{"id": 7, "question": text}]
    for against in (in_memory, pd.DataFrame(in_memory), named):
        report = lookalike.dedup(data, id="id", against=against, against_text_field="question")[1]
        decisions = report.decisions_json()
        assert b'"dropped"' in decisions
        if against is not named:
            assert decisions == same
        pairs = lookalike.pairs(data, id="id", against=against, against_text_field="question")
        assert len(pairs) == 1
        _, cut = lookalike.cut(data, id="id", against=against, against_text_field="question", window=5)
        assert cut.summary["dropped"] + cut.summary["cut"] == 1
    with pytest.raises(errors.ConfigError, match="against_text_field= only works with against="):
        lookalike.dedup(data, against_text_field="question")
    with pytest.raises(errors.InputError, match="prompt"):
        lookalike.dedup(data, against=in_memory, against_text_field="prompt")
