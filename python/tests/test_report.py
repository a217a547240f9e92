"""What a report contains after a run."""

from __future__ import annotations

import base64
import copy
import html
import inspect
import json
import pickle
import random
import re
import sys
import zlib
from html.parser import HTMLParser

import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import variants
from lookalike import errors

TEXTS = variants(random.Random(8), 200)
IDS = [f"<b>&'\"{number}" for number in range(len(TEXTS))]


@pytest.fixture(scope="module")
def report():
    return lookalike.dedup(pa.table({"text": TEXTS, "id": IDS}), id="id", threshold=0.6)[1]


def test_the_table_equals_the_lines(report):
    lines = [json.loads(line) for line in report.decisions_json().splitlines()]
    table = report.decisions
    assert isinstance(table, pa.Table)
    rows = table.to_pylist()
    assert [{name: row[name] for name in lines[0]} for row in rows] == [{n: line[n] for n in lines[0]} for line in lines]
    assert [row["estimated"] for row in rows] == [line.get("estimated", False) for line in lines]
    assert table["row"].to_pylist() == list(range(len(TEXTS)))
    for row in rows:
        assert row["representative"] == (None if row["representative_row"] is None else IDS[row["representative_row"]])
    for taken in (pl.DataFrame(report._decisions.columns()).to_dicts(), pd.DataFrame.from_arrow(table).to_dict("records")):
        assert [row["id"] for row in taken] == IDS
        assert [row["verdict"] for row in taken] == [row["verdict"] for row in rows]


def test_its_parts_agree(report, tmp_path):
    rows = report.decisions.to_pylist()
    assert report.kept.dtype == bool
    assert report.kept.tolist() == [row["verdict"] == "kept" for row in rows]
    assert (len(report), report.kept.sum()) == (report.summary["documents"], report.summary["kept"])
    groups = {}
    for row in rows:
        if row["representative"]:
            groups.setdefault(row["representative"], [row["representative"]]).append(row["id"])
    assert report.clusters == groups
    assert list(report.clusters) == sorted(groups, key=IDS.index)
    assert max(map(len, groups.values())) == report.summary["largest_group"]
    for row in rows:
        assert row["cluster_size"] == len(groups.get(row["representative"] or row["id"], [1]))
    pairs = [(row["id"], row["representative"], row["resemblance"]) for row in rows if row["representative"]]
    assert [tuple(row.values()) for row in report.pairs.to_pylist()] == pairs
    assert report.similarities.tolist() == [similarity for _, _, similarity in pairs]
    report.write_decisions(tmp_path / "decisions")
    assert (tmp_path / "decisions").read_bytes() == report.decisions_json()
    with pytest.raises(FileNotFoundError):
        report.write_decisions(tmp_path / "missing" / "decisions")
    with pytest.raises(errors.OutputError, match=r"why.parquet: these are JSON Lines; .* `report.decisions`"):
        report.write_decisions(tmp_path / "why.parquet")


@pytest.mark.parametrize("ids", [["a", "b", "c"], [1, 2, 3], [1, "1", 2**70]])
def test_tables_of_decisions_are_applied(tmp_path, ids):
    texts = ["one text that stays", "one text that  stays", "another"]
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"id": id_, "text": text}) + "\n" for id_, text in zip(ids, texts, strict=True)))
    lookalike.dedup(rows, output=tmp_path / "kept.jsonl")
    _, report = lookalike.dedup(rows)
    pq.write_table(report.decisions, tmp_path / "why.parquet")
    lookalike.apply(tmp_path / "why.parquet", rows, tmp_path / "later.jsonl")
    assert (tmp_path / "later.jsonl").read_bytes() == (tmp_path / "kept.jsonl").read_bytes()


class Checked(HTMLParser):
    """Checks that every opened tag is closed, and that there is no script."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        assert tag != "script"
        assert not any(name.startswith("on") or name in ("href", "src") for name, _ in attrs)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_notebooks_show_the_report(report):
    page = Checked()
    page.feed(report._repr_html_())
    page.close()
    assert page.open == []
    assert page.seen.count("svg") == 1
    assert page.seen.count("rect") == 20
    # Markup in the data is shown as text.
    assert "b" not in [tag for tag in page.seen if tag == "b"][1:]
    assert "<b>&'\"" in page.text
    counts = [
        int(words.rsplit(" ", 1)[1]) for words in report._repr_html_().split("<title>")[1:] for words in [words.split("<")[0]]
    ]
    assert sum(counts) == report.summary["dropped"] == np.count_nonzero(~report.kept)
    assert repr(report) == (
        f"<lookalike.Report: {len(TEXTS)} documents in = {report.summary['kept']} kept + {report.summary['dropped']} dropped"
        f" ({100 * report.summary['dropped'] / len(TEXTS):.1f} %)>"
    )


def test_no_chart_is_drawn_without_measured_similarities():
    _, report = lookalike.dedup(["one text", "another text"])
    assert "svg" not in report._repr_html_()
    assert report.clusters == {}
    assert len(report.pairs) == 0
    _, report = lookalike.dedup([TEXTS[0]] * 3)
    assert report._repr_html_().count("<rect") == 20
    assert report.similarities.tolist() == [1.0, 1.0]
    _, report = lookalike.dedup(TEXTS, verify="none", candidates={"kind": "bands", "bands": 20, "rows": 2}, recall=0.01)
    assert np.isnan(report.similarities).any()
    assert report.pairs["similarity"].null_count == np.isnan(report.similarities).sum()


def test_without_pyarrow_columns_are_returned(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("lookalike.report.find_spec", lambda name: None)
    columns = report.decisions
    assert isinstance(columns, lookalike.Columns)
    assert columns.column_names[:3] == ["row", "id", "verdict"]
    assert len(columns) == len(TEXTS)
    assert repr(columns).startswith("Columns(row, id")
    # The columns can be read repeatedly.
    assert pl.DataFrame(columns)["id"].to_list() == pl.DataFrame(columns)["id"].to_list() == IDS


def test_many_rows_are_returned_in_batches():
    texts = [f"text number {number // 2}" for number in range(150_001)]
    _, report = lookalike.dedup(texts)
    table = report.decisions
    assert table["id"].num_chunks == 3
    assert table["row"].to_pylist() == list(range(150_001))
    assert report.summary["dropped"] == 75_000
    assert table["representative_row"].to_pylist()[:4] == [None, 0, None, 2]
    assert len(report.clusters) == 75_000


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda own: pickle.loads(pickle.dumps(own))])
def test_results_can_be_pickled(report, copied):
    own = copied(report)
    assert own.decisions_json() == report.decisions_json()
    assert own.decisions.equals(report.decisions)
    assert own.summary == report.summary
    assert (own.kept.tolist(), own.clusters) == (report.kept.tolist(), report.clusters)
    named = pa.table({"text": TEXTS[5:9], "id": ["a", "b", "c", "d"]})
    _, against = lookalike.dedup(TEXTS, against=[TEXTS[:5], named], threshold=0.6)
    assert copied(against).decisions.equals(against.decisions)
    for options in ({}, {"verify": "sketch"}, {"verify": "none"}, {"measure": "containment", "verify": "sketch"}):
        pairs = lookalike.pairs(TEXTS, threshold=0.6, **options)
        assert copied(pairs).json() == pairs.json()
        assert copied(pairs).table.equals(pairs.table)
    for kind in (type(report._decisions), type(pairs._pairs)):
        with pytest.raises(errors.FormatError, match="this pickle is damaged"):
            kind._from_bytes(b"{}")


def test_pairs_are_rows():
    table = pa.table({"text": TEXTS, "id": IDS})
    found = lookalike.pairs(table, id="id", threshold=0.6)
    assert [pair._asdict() for pair in found] == found.table.to_pylist()
    frame = found.to_pandas()
    assert frame["a"].tolist() == [pair.a for pair in found]
    page = found._repr_html_()
    assert f"<b>{len(found):,} among" in page
    assert "<b>&'" not in page
    assert page.count("<tr>") == 1 + min(len(found), 20)


def test_a_comparison_has_figures_and_an_html_page():
    compared = lookalike.compare("one two three four five <six> same end", "zero one two three four five <six> no")
    assert dict(compared)["resemblance"] == compared.resemblance
    assert list(dict(compared)) == list(compared.to_pandas().columns)
    assert compared.to_pandas()["size_a"].tolist() == [compared.size_a]
    page = compared._repr_html_()
    assert "<mark>one two three four five &lt;six" in page
    assert "resemblance" in page


def test_tables_have_a_type():
    hints = [inspect.signature(member.fget).return_annotation for member in (lookalike.Report.decisions, lookalike.Report.pairs)]
    assert hints == ["pa.Table", "pa.Table"]


def test_a_notebook_shows_examples_and_hints():
    texts = [f"{' '.join(f'w{n}x{word}' for word in range(40))} end{n}" for n in range(12)]
    similar = [text.replace("x7 ", "y7 ") for text in texts]
    _, report = lookalike.dedup(texts + similar, threshold=0.7)
    page = report._repr_html_()
    assert "Examples, from the least similar" in page
    assert "<td>0.7619</td><td>12</td><td>0</td>" in page
    chinese = ["漢語書寫時間問題學習電腦", "汉语书写时间问题学习电脑"] * 40
    _, report = lookalike.dedup(chinese)
    [hint] = report.summary["hints"]
    assert (hint["option"], hint["value"]) == ("fold", "simplified")
    assert "fold='simplified'" in html.unescape(report._repr_html_())
    _, folded = lookalike.dedup(chinese, fold="simplified")
    assert "hints" not in folded.summary
    assert (len(folded.clusters), len(report.clusters)) == (1, 2)


def blocks(html):
    """Return the data of an HTML report."""
    found = re.findall(r'<script type="text/plain" id="([a-z0-9-]+)">([^<]*)</script>', html)
    return {name: json.loads(zlib.decompress(base64.b64decode(data), -15)) for name, data in found}


NEAR = ["one two three four five six seven eight", "One two three four five six seven eight nine", "something else entirely"]


def test_a_report_is_written_in_the_run_or_later(tmp_path):
    rows = [{"id": f"n{at}", "text": text, "kind": "ab"[at % 2]} for at, text in enumerate(NEAR)]
    for data in (NEAR, rows, pa.table({"text": NEAR}), pd.DataFrame({"text": NEAR})):
        options = {"id": "id"} if data is rows else {}
        _, report = lookalike.dedup(data, threshold=0.5, report=tmp_path / "in.html", report_floor=0.25, **options)
        found = blocks((tmp_path / "in.html").read_text())
        assert found["report"]["slider"]["floor"] == 0.25
        assert sorted(found["texts-0"]) == sorted(NEAR[:2])
        report.to_html(tmp_path / "later.html")
        later = blocks((tmp_path / "later.html").read_text())
        assert later["report"]["documents"] == found["report"]["documents"]
        assert later["report"]["documents"]["representative"] == [-1, 0, -1]
    lookalike.dedup(rows, id="id", report=tmp_path / "by.html", report_by="kind")
    counts = blocks((tmp_path / "by.html").read_text())["report"]["counts"]
    assert counts[1] == {"field": "kind", "values": ["a", "b"], "kept": [2, 0], "dropped": [0, 1], "others": [0, 0]}


def test_a_report_of_pairs_and_of_files(tmp_path):
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in NEAR))
    found = lookalike.pairs(NEAR, threshold=0.5)
    found.to_html(tmp_path / "pairs.html")
    assert blocks((tmp_path / "pairs.html").read_text())["report"]["pairs"] == {
        "a": [0],
        "b": [1],
        "shared": [4],
        "similarity": [0.8],
        "by": "",
        "regions": [],
    }
    kept = tmp_path / "kept.jsonl"
    _, report = lookalike.dedup(tmp_path / "in.jsonl", threshold=0.5, output=kept, skip_bad=tmp_path / "bad.jsonl")
    kept.unlink()
    report.to_html(tmp_path / "files.html")
    assert not kept.exists()
    assert blocks((tmp_path / "files.html").read_text())["report"]["summary"]["dropped"] == 1


def test_a_report_needs_data_that_can_be_read_again(tmp_path):
    reader = pa.table({"text": NEAR}).to_reader()
    _, report = lookalike.dedup(reader, threshold=0.5, report=tmp_path / "in.html")
    assert blocks((tmp_path / "in.html").read_text())["report"]["summary"]["dropped"] == 1
    with pytest.raises(errors.ConfigError, match="data that is read only once"):
        report.to_html(tmp_path / "later.html")
    with pytest.raises(errors.ConfigError, match="data that is read only once"):
        lookalike.dedup(NEAR, against=[pa.table({"text": NEAR}).to_reader()])[1].to_html(tmp_path / "later.html")


def test_a_notebook_shows_the_page_in_a_frame():
    view = lookalike.dedup(NEAR, threshold=0.5)[1].view(height=300)
    shown = view._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts allow-downloads"')
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1]) == view.html
    assert blocks(view.html)["report"]["summary"]["dropped"] == 1


def test_duplicates_are_the_dropped_rows(report):
    table = report.decisions
    assert report.duplicates == table.filter(pa.array(~report.kept))
    assert report.duplicates["verdict"].unique().to_pylist() == ["dropped"]
    assert report.duplicates.num_rows == report.summary["dropped"] > 0
    _, other = lookalike.dedup(TEXTS, against=TEXTS[:2], id=None)
    assert "reference" in other.duplicates.column_names
    assert lookalike.dedup(["a"])[1].duplicates.num_rows == 0
