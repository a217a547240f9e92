"""A persistent index decides as one run over what it holds, whatever kind of collection its documents come from."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading

import lookalike
import numpy as np
import pytest
from conftest import paragraph, run_command, variants
from lookalike import errors

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

TEXTS = variants(random.Random(5), 60)
IDS = [f"d{number}" for number in range(len(TEXTS))]
TABLE = pa.table({"id": IDS, "text": TEXTS})


def dataset():
    return pytest.importorskip("datasets").Dataset.from_dict(TABLE.to_pydict())


def stream():
    return dataset().to_iterable_dataset()


KINDS = {
    "rows": lambda _: TABLE.to_pylist(),
    "pandas": lambda _: TABLE.to_pandas(),
    "polars": lambda _: pl.from_arrow(TABLE),
    "table": lambda _: TABLE,
    "batch": lambda _: TABLE.combine_chunks().to_batches()[0],
    "reader": lambda _: TABLE.to_reader(7),
    "dataset": lambda _: dataset(),
    "stream": lambda _: stream(),
    "path": lambda folder: written(folder),
    "files": lambda folder: lookalike.Files(written(folder)),
}


def written(folder):
    path = folder / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in TABLE.to_pylist()))
    return path


@pytest.fixture
def index(tmp_path):
    with lookalike.Index.create(tmp_path / "index") as index:
        yield index


@pytest.mark.parametrize("kind", KINDS)
def test_a_collection_of_any_kind_has_the_decisions_of_dedup(kind, index, tmp_path):
    added = index.add(KINDS[kind](tmp_path))
    kept, report = lookalike.dedup(TABLE, id="id")
    assert (added.documents, added.added, added.kept_count) == (len(TEXTS), len(TEXTS), report.summary["kept"])
    assert added.decisions.equals(report.decisions)
    assert index.decisions().equals(report.decisions)
    assert index.decisions_json() == report.decisions_json()
    assert (added.kept == report.kept).all()
    found = index.query(KINDS[kind](tmp_path), id="id", nearest=1)
    assert set(found["query"].to_pylist()) == {one for one, text in zip(IDS, TEXTS, strict=True) if text}
    if kind in ("path", "files"):
        assert added.data is None
    else:
        rows = added.data
        rows = rows.to_dict("records") if kind == "pandas" else rows.read_all() if kind == "reader" else rows
        rows = rows.to_dicts() if kind == "polars" else rows.to_pylist() if isinstance(rows, (pa.Table, pa.RecordBatch)) else rows
        assert [row["id"] for row in rows] == kept["id"].to_pylist()


@pytest.mark.parametrize(
    "texts",
    [TEXTS, tuple(TEXTS), np.array(TEXTS, object), pd.Series(TEXTS), pl.Series(TEXTS), pa.array(TEXTS)],
    ids=["list", "tuple", "numpy", "pandas", "polars", "arrow"],
)
def test_plain_texts_take_their_ids_from_a_list(texts, index):
    added = index.add(texts, ids=IDS)
    kept, report = lookalike.dedup(texts)
    assert type(added.data) is type(texts)
    assert list(added.data) == list(kept)
    assert index.decisions()["verdict"].equals(report.decisions["verdict"])
    with pytest.raises(errors.InputError, match=r"documents need ids; name their column with id=, or .* ids="):
        index.add(texts)


def test_ids_can_be_any_strings_and_numbers(index):
    ids = [1, "1", 2.5, 2**70, -3, np.int64(7), 'a\n"b']
    index.add([f"text number {number}" for number in range(len(ids))], ids=ids)
    assert all(one in index for one in ids)
    assert 3 not in index
    assert [json.loads(one) for one in index.decisions()["id"].to_pylist()] == [1, "1", 2.5, 2**70, -3, 7, 'a\n"b']
    assert [index.show(one).id for one in ids] == ids
    assert index.show("1").text == "text number 1"
    for one in (True, None, [1], float("nan")):
        with pytest.raises(errors.RecordError, match="an id is a string or a finite number"):
            index.get(one)


@pytest.mark.parametrize(
    "settings", [{}, {"keep": "longest"}, {"keep": "max:rank", "store": "sets"}, {"threshold": 0.5, "shingle": 3}]
)
def test_decisions_are_those_of_dedup_after_any_changes(settings, tmp_path):
    draw = random.Random(11)
    held: dict[int, dict] = {}
    index = lookalike.Index.create(tmp_path / "index", **settings)
    state: dict[str, tuple] = {}

    def follow(changes):
        for row in changes.to_pylist():
            assert state.get(row["id"], (None, None)) == (row["before"], row["before_representative"])
            state[row["id"]] = (row["after"], row["after_representative"])

    texts, number = variants(draw, 400), 0
    for step in range(25):
        some = [{"id": number + at, "text": draw.choice(texts), "rank": draw.randrange(5)} for at in range(draw.randrange(1, 90))]
        number += len(some)
        follow(index.add(pl.DataFrame(some)).changes)
        held |= {row["id"]: row for row in some}
        gone = draw.sample(sorted(held), min(len(held), draw.randrange(30)))
        follow(index.delete(gone).changes)
        for one in gone:
            del held[one]
        again = [{**held[one], "text": draw.choice(texts)} for one in draw.sample(sorted(held), len(held) // 10)]
        replaced = index.replace(again) if again else None
        assert replaced is None or replaced.replaced == len(again)
        if replaced:
            follow(replaced.changes)
        for row in again:
            del held[row["id"]]
            held[row["id"]] = row
        if step % 8 == 7:
            index.compact()
        _, report = lookalike.dedup(
            list(held.values()), id="id", **{name: value for name, value in settings.items() if name != "store"}
        )
        assert index.decisions_json() == report.decisions_json()
    assert {one for one, (verdict, _) in state.items() if verdict is not None} == set(held)
    decided = {row["id"]: row for row in index.decisions().to_pylist()}
    assert all(decided[one]["verdict"] == state[one][0] for one in held)
    assert index.check(decisions=True)["decisions"] == len(held)
    index.close()
    with lookalike.Index(tmp_path / "index") as index:
        assert index.decisions_json() == report.decisions_json()


def test_conflicts_are_refused_skipped_or_replaced(index):
    index.add(["one text", "another text"], ids=["a", "b"])
    with pytest.raises(errors.RecordError, match=r'id "b" is in the index already.*on_conflict="skip"') as caught:
        index.add(["new", "newer"], ids=["c", "b"])
    assert caught.value.option == "on_conflict"
    assert (len(index), "c" in index) == (2, False)
    added = index.add(["new", "newer", "new again"], ids=["c", "b", "c"], on_conflict="skip")
    assert (added.added, added.skipped, added.kept.tolist(), added.data) == (1, 2, [True, False, False], ["new"])
    assert index.show("b").text == "another text"
    added = index.add(["new", "one text"], ids=["c", "b"], on_conflict="replace")
    assert (added.added, added.replaced, added.kept.tolist()) == (2, 2, [True, False])
    assert index.get("b") == ("dropped", "a", 1.0)
    assert added.decisions.select(["id", "representative", "representative_row"]).to_pylist() == [
        {"id": "c", "representative": None, "representative_row": None},
        {"id": "b", "representative": "a", "representative_row": None},
    ]


def test_decisions_of_an_addition_survive_a_compaction(index):
    index.add(["x"], ids=["x"])
    added = index.add(["one text", "One text!"], ids=["a", "b"])
    before = added.decisions
    index.delete("x")
    index.compact()
    assert added.decisions.equals(before)


def test_deletions_tell_what_they_changed(index):
    index.add(["one text", "One text!", "another"], ids=["a", "b", "c"])
    with pytest.raises(errors.UnknownIdError, match=r'^id "z" is not in the index') as caught:
        index.delete(["a", "z"])
    assert isinstance(caught.value, KeyError)
    assert len(index) == 3
    deleted = index.delete(["a", "z", "a"], missing="ignore")
    assert (deleted.deleted, deleted.missing, deleted.changed) == (1, 1, 1)
    assert deleted.changes.select(["id", "before", "before_representative", "after"]).to_pylist() == [
        {"id": "a", "before": "kept", "before_representative": None, "after": None},
        {"id": "b", "before": "dropped", "before_representative": "a", "after": "kept"},
    ]
    assert index.changes(after=3)["change"].to_pylist() == [4, 5]
    assert index.changes(limit=2)["id"].to_pylist() == ["a", "b"]
    assert len(index.changes(limit=0)) == 0
    assert index.stats()["last_change"] == 5


def test_queries(tmp_path):
    words = [f"w{number}" for number in range(40)]
    text, longer = " ".join(words), " ".join([*words, "x", "y"])
    with lookalike.Index.create(tmp_path / "index", threshold=0.5) as index:
        index.add([text, longer, "another text"], ids=["a", "b", "c"])
        assert [(found.id, found.verdict) for found in index.query(text)] == [("a", "kept"), ("b", "dropped")]
        assert [found.id for found in index.query(id="a")] == ["b"]
        assert [found.id for found in index.query(text, nearest=1)] == ["a"]
        assert [found.id for found in index.query(text, kept=True)] == ["a"]
        assert [found.id for found in index.query(text, threshold=0.999)] == ["a"]
        found = index.query(f"é {text}", passages=True)[1]
        assert found.resemblance == lookalike.compare(f"é {text}", longer).resemblance == found.similarity
        (passage,) = found.passages
        assert passage.text == text == f"é {text}"[passage.start : passage.end]
        assert (passage.start_of_document, passage.end_of_document, passage.tokens) == (0, len(text), 40)
        table = index.query([longer, "unknown", text], passages=True)
        assert table["query"].to_pylist() == [0, 0, 2, 2]
        assert table["id"].to_pylist() == ["b", "a", "a", "b"]
        assert table["passages"].to_pylist()[1][0]["text"] == text
        table = index.query(pd.DataFrame({"name": ["n"], "t": [text]}), "t", "name", nearest=1)
        assert table.select(["query", "id", "similarity"]).to_pylist() == [{"query": "n", "id": "a", "similarity": 1.0}]
        assert index.query("") == []
        with pytest.raises(errors.ConfigError, match=r"threshold 0.4 is below that of the index") as caught:
            index.query(text, threshold=0.4)
        assert caught.value.option == "threshold"
        with pytest.raises(errors.UnknownIdError):
            index.query(id="z")
        with pytest.raises(TypeError, match=r"query\(\) needs a text"):
            index.query()
        with pytest.raises(errors.ConfigError, match="only work with collections"):
            index.query(text, id="a")


def test_sets(tmp_path):
    films = [{"a", "b", "c", "d"}, {"d", "c", "b", "a"}, {"x", "y"}, ["a", "b", "c"]]
    with lookalike.Index.create(tmp_path / "index", sets=True, threshold=0.7) as index:
        index.add(films, ids=range(4))
        _, report = lookalike.dedup(films, tokens="items", threshold=0.7)
        assert index.decisions_json() == report.decisions_json()
        assert [found.id for found in index.query({"a", "b", "c", "d"})] == [0, 1, 3]
        assert index.query([["a", "b", "c"]], nearest=1)["id"].to_pylist() == [3]
        assert json.loads(index.show(2).text) == list(films[2])
    with lookalike.Index.create(tmp_path / "other", tokens="items") as index:
        assert index.settings["config"]["tokens"] == "items"


def test_bad_rows_and_lines_can_be_skipped(index, tmp_path):
    frame = pd.DataFrame({"id": ["a", "b", None, "d"], "text": ["one", None, "three", "one"]})
    added = index.add(frame, skip_bad=True)
    assert (added.documents, added.bad_lines, added.kept.tolist()) == (2, 2, [True, False, False, False])
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "e", "text": "five"}\nnot json\n{"text": "six"}\n')
    with pytest.raises(errors.RecordError, match="not JSON") as caught:
        index.add(path)
    assert caught.value.line == 2
    added = index.add(path, skip_bad=True, on_conflict="skip")
    assert (added.documents, added.bad_lines, added.without_id, "e" in index) == (2, 1, 1, True)
    with pytest.raises(errors.RecordError):
        index.add(frame)


def test_threads_add_at_the_same_time(index):
    draw = random.Random(3)
    texts = [paragraph(draw, 30) for _ in range(50)]
    wrong = []

    def work(thread):
        try:
            for number in range(12):
                some = [draw.choice(texts) for _ in range(20)]
                added = index.add(some, ids=[f"{thread}-{number}-{at}" for at in range(20)])
                assert len(added.decisions) == 20
                index.query(some[0])
                index.delete(f"{thread}-{number}-3")
                if number == 6:
                    index.compact()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(index) == 6 * 12 * 19
    assert index.check(decisions=True)["decisions"] == len(index)
    ids = index.decisions()["id"].to_pylist()
    _, report = lookalike.dedup([{"id": one, "text": index.show(one).text} for one in ids], id="id")
    assert index.decisions_json() == report.decisions_json()


def test_a_second_writer_is_refused_until_the_first_one_closes(tmp_path):
    path = tmp_path / "index"
    index = lookalike.Index.create(path)
    with pytest.raises(errors.LockedError, match="readonly=True") as caught:
        lookalike.Index(path)
    assert caught.value.path == str(path)
    ran = run_command(tmp_path, "index", "compact", path)
    assert ran.returncode == 2
    with lookalike.Index(path, readonly=True) as reader:
        with pytest.raises(errors.OutputError, match="opened for reading"):
            reader.add(["a"], ids=["a"])
        with pytest.raises(errors.OutputError):
            reader.compact()
    index.close()
    index.close()
    with lookalike.Index(path) as index:
        index.add(["a"], ids=["a"])
    for use in (lambda: len(index), lambda: index.add(["b"], ids=["b"]), lambda: index.query("a"), lambda: "a" in index):
        with pytest.raises(errors.ClosedError, match="closed; open it again"):
            use()
    assert "closed" in repr(index)


WRITER = """
import sys, lookalike
with lookalike.Index(sys.argv[1]) as index:
    for number in range(30):
        index.add(["text %d of many" % n for n in range(number * 20, number * 20 + 20)], ids=range(number * 20, number * 20 + 20))
        if number == 15:
            index.compact()
        print(len(index), flush=True)
        sys.stdin.readline()
"""


def test_a_reader_sees_a_whole_state_while_another_process_writes(tmp_path):
    path = tmp_path / "index"
    lookalike.Index.create(path).close()
    argv = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        before = lookalike.Index(path, readonly=True)
        start = len(before)
        for _ in range(30):
            count = int(writer.stdout.readline())
            with lookalike.Index(path, readonly=True) as reader:
                assert len(reader) == count
                assert reader.check(decisions=True)["documents"] == count
            writer.stdin.write("\n")
            writer.stdin.flush()
        assert (start, len(before)) in {(0, 0), (20, 20)}
        before.close()
    assert writer.returncode == 0


FORK = """
import os, sys, lookalike
index = lookalike.Index.create(sys.argv[1])
index.add([f"text {number} of many" for number in range(200)], ids=range(200))
index.decisions_json()
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
    index.add(["more"], ids=["more"])
    sys.exit()
try:
    len(index)
except lookalike.errors.ClosedError as error:
    assert "forked" in str(error)
with lookalike.Index(sys.argv[1], readonly=True) as own:
    assert own.decisions_json().count(b"\\n") == len(own) == 200
    assert own.query("text 5 of many")
    own.check(decisions=True)
os._exit(0)
"""


def test_after_a_fork_an_index_is_opened_again(tmp_path):
    # In a process of its own, because other libraries of the tests have threads, which a fork does not copy.
    subprocess.run([sys.executable, "-c", FORK, str(tmp_path / "index")], check=True, timeout=60)


def test_the_command_uses_the_same_folder(tmp_path):
    with lookalike.Index.create(tmp_path / "index", threshold=0.6, keep="longest") as index:
        index.add(TABLE)
        index.snapshot(tmp_path / "copy")
        lines = index.decisions_json()
        index.write_decisions(tmp_path / "why.jsonl")
        with pytest.raises(errors.OutputError, match="JSON Lines"):
            index.write_decisions(tmp_path / "why.parquet")
        with pytest.raises(errors.OutputError, match="not empty"):
            index.snapshot(tmp_path / "copy")
    shown = run_command(tmp_path, "index", "show", "copy")
    assert shown.returncode == 0
    assert shown.stdout == lines == (tmp_path / "why.jsonl").read_bytes()
    stats = json.loads(run_command(tmp_path, "index", "stats", "--json", "index").stdout)
    with lookalike.Index(tmp_path / "index", readonly=True) as index:
        assert index.settings == stats["settings"]
        assert index.stats() == {name: stats[name] for name in index.stats()}


@pytest.mark.parametrize(
    ("keywords", "words", "option"),
    [
        ({"measure": "containment"}, "depend on all documents", "candidates"),
        ({"candidates": "all"}, "exact joins of all sets depend on all documents", "candidates"),
        ({"method": "shingle"}, "depend on all documents", "candidates"),
        ({"cluster": "components"}, "connected components depend on all documents", "candidates"),
        ({"candidates": {"kind": "bands", "bands": "x"}}, "candidates= invalid type", "candidates"),
        ({"store": "sketches"}, "cannot compare texts exactly", "verify"),
        ({"store": "all"}, "store= takes one of 'texts', 'sets', 'sketches'", "store"),
        ({"keep": "foo"}, 'keep="foo": "foo" is not a keep order', "keep"),
        ({"threshold": 2}, "threshold", "threshold"),
        ({"sets": True, "tokens": "words"}, "tokens=", "tokens"),
        ({"sets": 3}, "sets= takes True or False", "sets"),
    ],
)
def test_invalid_settings_name_their_keyword(keywords, words, option, tmp_path):
    with pytest.raises(errors.ConfigError) as caught:
        lookalike.Index.create(tmp_path / "index", **keywords)
    assert words in str(caught.value)
    assert "--" not in str(caught.value)
    assert caught.value.option in (option, None)
    assert not (tmp_path / "index" / "manifest").exists()


def test_other_errors(index, tmp_path):
    with pytest.raises(errors.InputError, match=r"there is no index; create one with lookalike.Index.create"):
        lookalike.Index(tmp_path / "nothing")
    with pytest.raises(errors.OutputError, match="not empty"):
        lookalike.Index.create(tmp_path / "index")
    with pytest.raises(errors.ConfigError, match="not a URL"):
        lookalike.Index("s3://bucket/index")
    with pytest.raises(TypeError, match=r"threshol.*did you mean threshold="):
        lookalike.Index.create(tmp_path / "other", threshol=0.5)
    with pytest.raises(TypeError, match="allow_repeated_ids"):
        index.add(["a"], ids=["a"], allow_repeated_ids=True)
    with pytest.raises(errors.ConfigError, match="on_conflict= takes one of 'fail', 'skip', 'replace', not 'x'"):
        index.add(["a"], ids=["a"], on_conflict="x")
    with pytest.raises(errors.ConfigError, match="format= only works with paths and URLs"):
        index.add(["a"], ids=["a"], format="csv")
    with pytest.raises(errors.ConfigError, match="ids= only works with data in memory"):
        index.add(tmp_path, ids=["a"])
    with pytest.raises(ValueError, match="got 1 ids for 2 documents"):
        index.add(["a", "b"], ids=["a"])
    with pytest.raises(errors.UnknownIdError):
        index.show("z")
    with pytest.raises(errors.InputError):
        index.add(tmp_path / "nothing.jsonl")
    with pytest.raises(TypeError, match="unsupported input type"):
        index.add(3, ids=[1])
    assert len(index) == 0
    index.add(["a text"] * 3, ids=range(3))
    index.compact()
    index.close()
    segment = next((tmp_path / "index").glob("segment-*"))
    damaged = bytearray(segment.read_bytes())
    damaged[5000] ^= 1
    segment.chmod(0o600)
    segment.write_bytes(damaged)
    with pytest.raises(errors.FormatError, match="damaged"):
        lookalike.Index(tmp_path / "index").check()


def test_an_error_in_a_later_step_says_how_many_documents_were_added(index):
    texts = [f"{number} " * 4000 for number in range(1500)]
    with pytest.raises(errors.RecordError, match=r'is in the index already.*; \d+ documents before it were added.*"skip"'):
        index.add(texts, ids=[*range(1499), 0], memory="64M")
    before = len(index)
    assert 0 < before < 1500
    assert index.add(texts, ids=range(1500), on_conflict="skip").skipped == before
    assert len(index) == 1500
