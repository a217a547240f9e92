"""A persistent `MinHashLSH` is the same in the next process, after any changes and crashes."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys

import pytest
from lookalike import errors
from lookalike.compat.datasketch import MinHash, MinHashLSH, MinHashLSHEnsemble

pytestmark = pytest.mark.slow


def minhash(number):
    made = MinHash(num_perm=32)
    made.update_batch([f"{number // 3}-{word}".encode() for word in range(20)] + [str(number).encode()])
    return made


def opened(folder, **more):
    return MinHashLSH(0.5, 32, storage_config={"type": "lookalike", "path": folder, **more})


def content(lsh):
    return {key: list(lsh.keys.get(key)) for key in lsh.keys}, lsh.get_counts()


def test_an_index_is_found_in_the_next_process(tmp_path):
    program = """
import sys
sys.path.insert(0, sys.argv[2])
from test_compat_persistent import minhash, opened
lsh = opened(sys.argv[1])
for number in range(30):
    lsh.insert(f"k{number}", minhash(number))
lsh.remove("k3")
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "lsh"), str(__file__).rpartition("/")[0]], check=True)
    lsh = opened(tmp_path / "lsh")
    other = MinHashLSH(0.5, 32)
    for number in range(30):
        other.insert(f"k{number}", minhash(number))
    other.remove("k3")
    assert content(lsh) == content(other)
    for number in range(33):
        assert set(lsh.query(minhash(number))) == set(other.query(minhash(number)))
    with pytest.raises(ValueError, match="already exists"):
        lsh.insert("k1", minhash(1))
    with pytest.raises(ValueError, match="affine32"):
        lsh.query(MinHash(32, scheme="legacy"))


def test_any_changes_are_there_after_opening_again(tmp_path):
    draw, other = random.Random(1), MinHashLSH(0.5, 32)
    lsh = opened(tmp_path)
    for step in range(1500):
        key = draw.randrange(40)
        if key in other:
            other.remove(key)
            lsh.remove(key)
        else:
            other.insert(key, minhash(key))
            lsh.insert(key, minhash(key))
        if step % 300 == 0:
            lsh.close()
            lsh = opened(tmp_path)
            assert content(lsh) == content(other)
    size = (tmp_path / "journal").stat().st_size
    lsh.close()
    assert content(opened(tmp_path)) == content(other)
    assert (tmp_path / "journal").stat().st_size <= size


def test_sessions_merges_and_keys(tmp_path):
    lsh = opened(tmp_path / "a")
    with lsh.insertion_session(buffer_size=7) as session:
        for number, key in enumerate(["s", b"s", 1, "é", 2**80]):
            session.insert(key, minhash(number))
        assert list(opened(tmp_path / "a", readonly=True).keys) == []
    memory = MinHashLSH(0.5, 32)
    memory.insert("m", minhash(9))
    lsh.merge(memory)
    reader = opened(tmp_path / "a", readonly=True)
    assert content(reader) == content(lsh)
    assert list(reader.keys) == ["s", b"s", 1, "é", 2**80, "m"]
    with pytest.raises(errors.ConfigError, match="use prepickle=True"):
        lsh.insert(("a", 1), minhash(0))
    assert ("a", 1) not in lsh
    lsh.insert("after", minhash(2))
    lsh.close()
    lsh = opened(tmp_path / "a")
    assert "after" in lsh
    with pytest.raises(errors.OutputError, match="opened for reading"):
        reader.remove("m")
    assert "m" in reader
    config = {"type": "lookalike", "path": tmp_path / "b"}
    pickled = MinHashLSH(0.5, 32, prepickle=True, storage_config=config)
    pickled.insert(("a", 1), minhash(0))
    pickled.close()
    assert MinHashLSH(0.5, 32, prepickle=True, storage_config=config).query(minhash(0)) == [("a", 1)]


def test_what_cannot_be_opened_is_refused(tmp_path):
    lsh = opened(tmp_path / "a")
    with pytest.raises(errors.LockedError, match="open for writing already"):
        opened(tmp_path / "a")
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        pickle.dumps(lsh)
    lsh.insert("a", minhash(1))
    lsh.close()
    with pytest.raises(errors.ClosedError):
        lsh.insert("b", minhash(1))
    with pytest.raises(errors.ConfigError, match=r"made with .*'num_perm': 32.* not with .*'num_perm': 64"):
        MinHashLSH(0.5, 64, storage_config={"type": "lookalike", "path": tmp_path / "a"})
    with pytest.raises(FileNotFoundError):
        opened(tmp_path / "none", readonly=True)
    assert not (tmp_path / "none").exists()
    for config in ({"type": "lookalike"}, {"type": "lookalike", "path": "x", "basename": b"x"}):
        with pytest.raises(ValueError, match="storage_config takes"):
            MinHashLSH(storage_config=config)
    with pytest.raises(ValueError, match="Unknown storage type: lookalike"):
        MinHashLSHEnsemble(storage_config={"type": "lookalike", "path": tmp_path / "a"})


def test_a_torn_end_is_cut_off_and_damage_is_an_error(tmp_path):
    lsh = opened(tmp_path)
    journal = tmp_path / "journal"
    ends = [journal.stat().st_size]
    for number in range(4):
        lsh.insert(number, minhash(number))
        ends.append(journal.stat().st_size)
    lsh.close()
    whole = journal.read_bytes()
    for length in range(ends[0], len(whole), 3):
        journal.write_bytes(whole[:length])
        lsh = opened(tmp_path)
        expected = sum(end <= length for end in ends) - 1
        assert list(lsh.keys) == list(range(expected))
        lsh.insert("more", minhash(7))
        lsh.close()
        assert list(opened(tmp_path, readonly=True).keys) == [*range(expected), "more"]
    journal.write_bytes(whole[: ends[2] + 5] + bytes(100))
    assert list(opened(tmp_path).keys) == [0, 1]
    for place in range(0, len(whole) - 1, 5):
        damaged = bytearray(whole)
        damaged[place] ^= 4
        journal.write_bytes(damaged)
        with pytest.raises(errors.FormatError):
            opened(tmp_path, readonly=True)


@pytest.mark.parametrize("name", ["journal.new", "journal", "lock"])
def test_links_in_the_folder_are_not_followed(tmp_path, name):
    victim, folder = tmp_path / "victim", tmp_path / "index"
    victim.write_text("old")
    folder.mkdir()
    (folder / name).symlink_to(victim)
    if name == "journal.new":
        opened(folder).insert("a", minhash(1))
        assert list(opened(folder, readonly=True).keys) == ["a"]
    else:
        with pytest.raises(errors.OutputError, match=f"{name}: is a link"):
            opened(folder)
    assert victim.read_text() == "old"


def test_a_pipe_in_the_folder_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "journal")
    with pytest.raises(errors.FormatError, match="not the journal of an index"):
        opened(tmp_path)
