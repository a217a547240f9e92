"""Other Python threads run while a batch is computed, and a process may fork."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time

import lookalike
import pytest
from conftest import ROOT, WORDS
from lookalike import _lookalike
from lookalike.compat.datasketch import MinHash

TEXTS = [" ".join(f"{word}{number}" for word in WORDS * 40) for number in range(2000)]
TOKENS = [[f"{word}{number}".encode() for word in WORDS * 15] for number in range(3000)]


def batches():
    index = lookalike.LshIndex()
    index.insert_many(range(len(TEXTS)), TEXTS)
    return [
        ("MinHash", lambda: lookalike.MinHash(permutations="many").signatures(TEXTS, threads=1)),
        ("SimHash", lambda: lookalike.SimHash(128).hashes(TEXTS, threads=1)),
        ("LshIndex", lambda: index.query_many(TEXTS, threads=1)),
        ("one long text", lambda: lookalike.compare(" ".join(TEXTS), " ".join(TEXTS))),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "batch"), batches())
def test_the_interpreter_lock_is_released(name, batch):
    """Another thread never has to wait for the whole batch."""
    tries = []
    # If the lock were held, the other thread would wait each time. On a busy machine, it may sometimes wait anyway.
    for _ in range(20):
        longest, took = watched(batch)
        tries.append(round(longest / took, 2))
        if longest < 0.5 * took:
            return
    raise AssertionError(f"{name}: the longest wait was these shares of the batch: {tries}")


def watched(batch):
    """Return the longest time that another thread had to wait, and the time of the batch."""
    done, started, longest = threading.Event(), threading.Event(), 0.0

    def watch():
        nonlocal longest
        last = time.perf_counter()
        while not done.is_set():
            started.set()
            time.sleep(0.0005)
            now = time.perf_counter()
            longest = max(longest, now - last)
            last = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    started.wait()
    start = time.perf_counter()
    batch()
    took = time.perf_counter() - start
    done.set()
    watcher.join()
    return longest, took


def sketch_all(_):
    index = lookalike.LshIndex()
    index.insert_many(range(50), TEXTS[:50], threads=2)
    signatures = lookalike.MinHash().signatures(TEXTS[:200], threads=2)
    hashvalues = [m.hashvalues.tolist() for m in MinHash.bulk(TOKENS[:200])]
    return signatures.tolist(), [[match.id for match in found] for found in index.query_many(TEXTS[:50])], hashvalues


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_of_a_threaded_process_compute_the_same(method):
    before = sketch_all(0)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(sketch_all, range(2)).get(timeout=120) == [before, before]


def test_a_fork_during_a_batch():
    """A process forks while one of its threads computes a batch."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            lookalike.MinHash().signatures(TEXTS[:500], threads=2)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                signatures = lookalike.MinHash().signatures(TEXTS[:100], threads=2)
                os._exit(0 if signatures.shape == (100, 128) else 1)
            assert wait(child) == 0
    finally:
        stop.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["dedup", "pairs", "pairs --exact", "eval"])
def test_the_command_runs_in_a_child_of_a_process_that_ran_it(command, tmp_path):
    collection = str(ROOT / "testdata/ota_versions.jsonl.zst")

    def run(name):
        out = ["--sample", "50"] if command == "eval" else ["-o", str(tmp_path / name)]
        return _lookalike.main(
            [sys.executable, "-m", "lookalike"], ["lookalike", *command.split(), collection, "--threads", "2", "-q", *out]
        )

    assert run("parent") == 0
    child = os.fork()
    if child == 0:
        os._exit(run("child"))
    assert wait(child) == 0
    if command != "eval":
        assert (tmp_path / "child").read_bytes() == (tmp_path / "parent").read_bytes() != b""


def wait(child):
    """Return the exit code of a child. Fails after a minute, because a child that waits for threads of its parent never ends."""
    deadline = time.monotonic() + 60
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise AssertionError("the child hangs")
        time.sleep(0.01)


def test_the_number_of_threads_does_not_change_results():
    expected = [m.hashvalues.tolist() for m in MinHash.bulk(TOKENS)]
    model = MinHash()
    for threads in (1, 2, 3, 8):
        rows = _lookalike.datasketch_bulk(TOKENS, 32, "affine32", model.permutations, model.hashvalues, threads)
        assert [row.tolist() for row in rows] == expected
