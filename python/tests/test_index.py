"""The index in memory."""

from __future__ import annotations

import json
import pickle
import random
import threading

import lookalike
import pytest
from conftest import paragraph, variants
from hypothesis import given
from hypothesis import strategies as st
from lookalike import errors


def greedy(texts, **config):
    """Apply the law to one text after another; return the representative and similarity of each dropped text."""
    index = lookalike.LshIndex(**config)
    decisions = []
    for number, text in enumerate(texts):
        found = index.query(text)
        if found:
            decisions.append((found[0].id, found[0].similarity))
        else:
            index.insert(number, text)
            decisions.append(None)
    return decisions


@pytest.mark.parametrize(
    ("config", "flags"),
    [
        ({}, []),
        ({"threshold": 0.5, "shingle": 3}, ["--threshold", "0.5", "--shingle", "3"]),
        ({"threshold": 0.6, "recall": 0.9, "seed": 9}, ["--threshold", "0.6", "--recall", "0.9", "--seed", "9"]),
    ],
)
def test_inserting_one_by_one_keeps_the_same_as_the_command(command, tmp_path, config, flags):
    texts = variants(random.Random(3), 400)
    lines = "".join(json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate(texts))
    (tmp_path / "in.jsonl").write_text(lines)
    ran = command("dedup", "in.jsonl", "-o", "kept.jsonl", "--decisions", "decisions.jsonl", "-q", *flags)
    assert ran.returncode == 0, ran.stderr
    said = [json.loads(line) for line in (tmp_path / "decisions.jsonl").read_text().splitlines()]
    decisions = greedy(texts, **config)
    assert [d["verdict"] for d in said] == ["kept" if decision is None else "dropped" for decision in decisions]
    assert 50 < sum(decision is not None for decision in decisions) < 350
    for theirs, ours in zip(said, decisions, strict=True):
        if ours is not None:
            assert (theirs["representative"], theirs["resemblance"]) == ours
    kept = [json.loads(line)["id"] for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert kept == [number for number, decision in enumerate(decisions) if decision is None]


def test_matches_are_exact_and_sorted():
    texts = variants(random.Random(4), 150)
    index = lookalike.LshIndex(threshold=0.3)
    index.insert_many(range(len(texts)), texts)
    for text, found in zip(texts, index.query_many(texts, threads=2), strict=True):
        assert found == index.query(text)
        exact = [lookalike.compare(text, texts[match.id]).resemblance for match in found]
        assert [match.similarity for match in found] == exact
        assert found == sorted(found, key=lambda match: (-match.similarity, match.id))
        assert all(similarity >= 0.3 for similarity in exact)


def test_nearly_all_texts_at_the_threshold_are_found():
    texts = variants(random.Random(5), 300)
    index = lookalike.LshIndex(threshold=0.6, recall=0.95)
    index.insert_many(range(len(texts)), texts)
    found = {(number, match.id) for number, matches in enumerate(index.query_many(texts)) for match in matches}
    truth = {
        (a, b) for a in range(len(texts)) for b in range(len(texts)) if lookalike.compare(texts[a], texts[b]).resemblance >= 0.6
    }
    assert found <= truth
    assert len(found) >= 0.95 * len(truth)


@given(st.lists(st.tuples(st.sampled_from("irq"), st.integers(0, 9), st.integers(0, 3)), max_size=40))
def test_it_behaves_like_a_dictionary_of_texts(steps):
    texts = [paragraph(random.Random(number), 30) for number in range(4)]
    index, model = lookalike.LshIndex(), {}
    for what, number, which in steps:
        if what == "i" and number in model:
            with pytest.raises(ValueError, match="already"):
                index.insert(number, texts[which])
        elif what == "i":
            index.insert(number, texts[which])
            model[number] = which
        elif what == "r" and number in model:
            index.remove(number)
            del model[number]
        elif what == "r":
            with pytest.raises(KeyError):
                index.remove(number)
        assert [match.id for match in index.query(texts[which])] == [key for key, value in model.items() if value == which]
        assert (len(index), index.ids(), number in index) == (len(model), list(model), number in model)


def test_a_batch_is_added_whole_or_not_at_all():
    index = lookalike.LshIndex()
    index.insert("here", "some text")
    for ids, words in ((["a", "here"], "'here'|\"here\""), (["a", "a"], "'a'|\"a\""), (["a"], "1 ids for 2 texts")):
        with pytest.raises(ValueError, match=words):
            index.insert_many(ids, ["one text", "another"])
    assert index.ids() == ["here"]


def test_an_empty_text_matches_nothing():
    for verify in ("exact", "sketch", "none"):
        index = lookalike.LshIndex(verify=verify)
        index.insert_many([1, 2], ["", "?!"])
        assert (index.query(""), len(index)) == ([], 2)
        index.remove(1)


@pytest.mark.parametrize("candidates", ["bands", "simhash", "sentences"])
@pytest.mark.parametrize("verify", [None, "sketch", "exact"])
def test_every_candidate_method_finds_the_text_itself_and_is_saved(candidates, verify, tmp_path):
    texts = variants(random.Random(6), 60)
    index = lookalike.LshIndex(candidates=candidates, verify=verify)
    index.insert_many([f"t{number}" for number in range(len(texts))], texts)
    index.save(tmp_path / "index")
    again = lookalike.LshIndex.load(tmp_path / "index", candidates=candidates, verify=verify)
    for number, text in enumerate(texts):
        found = index.query(text)
        assert (f"t{number}" in [match.id for match in found]) == bool(text)
        assert again.query(text) == found
    assert (again.config, again.ids()) == (index.config, index.ids())


def saved(tmp_path):
    index = lookalike.LshIndex(threshold=0.5)
    index.insert_many(["é", -5, 2**63 - 1], ["one two three four five six", "", "seven eight nine"])
    index.save(tmp_path / "index")
    return index, tmp_path / "index"


def test_a_file_is_replaced_whole(tmp_path):
    index, path = saved(tmp_path)
    index.remove(-5)
    index.save(str(path))
    assert lookalike.LshIndex.load(str(path)).ids() == ["é", 2**63 - 1]
    assert [file.name for file in tmp_path.iterdir()] == ["index"]
    with pytest.raises(FileNotFoundError):
        index.save(tmp_path / "missing/index")
    with pytest.raises(FileNotFoundError):
        lookalike.LshIndex.load(tmp_path / "missing")


def test_damage_is_detected(tmp_path):
    _, path = saved(tmp_path)
    whole = path.read_bytes()
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(errors.FormatError):
            lookalike.LshIndex.load(path)
        path.write_bytes(whole[:at])
        with pytest.raises(errors.FormatError):
            lookalike.LshIndex.load(path)
    path.write_bytes(whole[:8] + (2).to_bytes(4, "little") + whole[12:])
    with pytest.raises(errors.FormatError, match="version 2"):
        lookalike.LshIndex.load(path)
    path.write_text("hello")
    with pytest.raises(errors.FormatError, match=r"LshIndex\.save"):
        lookalike.LshIndex.load(path)


def test_incompatible_indexes_are_refused_and_both_named(tmp_path):
    index, path = saved(tmp_path)
    for refused in (
        lambda: lookalike.LshIndex.load(path, threshold=0.6),
        lambda: index.merge(lookalike.LshIndex(threshold=0.6)),
    ):
        with pytest.raises(errors.ConfigError, match=r'"threshold":0\.5.*"threshold":0\.6'):
            refused()
    other = lookalike.LshIndex(threshold=0.5)
    other.insert(1, "one two three four five six")
    index.merge(other)
    assert index.ids() == ["é", -5, 2**63 - 1, 1]
    assert [match.id for match in index.query("one two three four five six")] == ["é", 1]
    with pytest.raises(ValueError, match="already"):
        index.merge(other)
    assert len(index) == 4


def test_it_survives_pickle(tmp_path):
    index, _ = saved(tmp_path)
    again = pickle.loads(pickle.dumps(index))
    assert (again.ids(), again.config) == (index.ids(), index.config)
    assert again.query("seven eight nine") == index.query("seven eight nine")


def test_ids_are_texts_or_numbers():
    index = lookalike.LshIndex()
    for refused in (1.5, None, b"a", 2**64):
        with pytest.raises((TypeError, OverflowError)):
            index.insert(refused, "text")
    index.insert("1", "one two three")
    index.insert(1, "one two three")
    assert [match.id for match in index.query("one two three")] == ["1", 1]


def test_many_threads_may_read_and_write_at_once():
    texts = variants(random.Random(7), 200)
    index = lookalike.LshIndex()

    def work(start):
        for number in range(start, len(texts), 4):
            index.query(texts[number])
            index.insert(number, texts[number])

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = lookalike.LshIndex()
    alone.insert_many(range(len(texts)), texts)
    key = lambda match: match.id  # noqa: E731
    assert all(sorted(index.query(t), key=key) == sorted(alone.query(t), key=key) for t in texts)


def test_an_existing_id_is_shown_by_its_repr():
    index = lookalike.LshIndex()
    index.insert("a", "one")
    index.insert(7, "two")
    for own, shown in (("a", "'a'"), (7, "7")):
        with pytest.raises(ValueError, match=f"^id {shown} is already in the index; remove it first or use another id$"):
            index.insert(own, "three")
    index.insert("x" * 1000, "long")
    with pytest.raises(ValueError, match=r"^id 'x{99}… \(1002 characters\) is already"):
        index.insert("x" * 1000, "long")
