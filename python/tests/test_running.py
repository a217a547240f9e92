"""Options, progress, interruption and errors of runs."""

from __future__ import annotations

import inspect
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import paragraph, variants
from lookalike import errors
from lookalike.progress import shown

TEXTS = variants(random.Random(3), 50)


def test_defaults_match_the_core():
    # The default is None: the core, or a preset, sets the threshold.
    assert inspect.signature(lookalike.dedup).parameters["threshold"].default is None
    known = set(lookalike.default_config())
    asked = set(lookalike.DedupOptions.__annotations__) | {"threshold"}
    assert known <= asked


@pytest.mark.parametrize(
    ("refused", "exception", "words"),
    [
        (lambda: lookalike.dedup(TEXTS, threshold=1.5), errors.ConfigError, "1.5"),
        (lambda: lookalike.dedup(TEXTS, recall=2.0), errors.ConfigError, "0.99"),
        (lambda: lookalike.dedup(TEXTS, keep="best"), errors.ConfigError, "keep="),
        (lambda: lookalike.dedup(TEXTS, keep="max:score"), errors.InputError, "no column 'score'"),
        (lambda: lookalike.dedup(TEXTS, id="key"), errors.InputError, "no column 'key'"),
        (lambda: lookalike.dedup(TEXTS, memory="lots"), errors.ConfigError, "512M"),
        (lambda: lookalike.dedup(TEXTS, memory=1000), errors.ConfigError, "give 64M or more"),
        (lambda: lookalike.dedup(TEXTS, tokens="letters"), errors.ConfigError, "letters"),
        (lambda: lookalike.dedup(TEXTS, output="kept.jsonl"), errors.ConfigError, "output= only works with paths"),
        (lambda: lookalike.dedup(TEXTS, threads=100_000), errors.ConfigError, "512"),
        (lambda: lookalike.dedup(TEXTS, temp_dir="/missing/folder"), errors.OutputError, "temp_dir="),
        (lambda: lookalike.dedup("/missing/file.jsonl"), errors.InputError, "no such file"),
        (lambda: lookalike.dedup(Path("/missing/file.jsonl")), OSError, "no such file"),
        (lambda: lookalike.dedup(pd.DataFrame({"body": TEXTS})), errors.InputError, "text="),
        (lambda: lookalike.dedup(pa.table([TEXTS, TEXTS], ["text", "text"])), errors.InputError, "duplicate column"),
        (lambda: lookalike.dedup(pd.DataFrame({"text": ["a", None]})), errors.RecordError, "null"),
        (lambda: lookalike.dedup(pl.DataFrame({"text": [1, 2]})), errors.InputError, "string"),
        (lambda: lookalike.dedup(pl.DataFrame({"text": ["a", "b"], "id": [1, 1]}), id="id"), errors.RecordError, "1"),
        (lambda: lookalike.dedup([*TEXTS, None]), errors.RecordError, 'list row 50: field "text" is None'),
        (lambda: lookalike.dedup(["fine", b"bytes"]), errors.RecordError, 'row 1: field "text" is of the type bytes'),
        (lambda: lookalike.dedup(["fine", "\ud800"]), errors.RecordError, 'list row 1: field "text" has half of a character'),
        (lambda: lookalike.dedup(3), TypeError, "builtins.int"),
        (lambda: lookalike.dedup(set(TEXTS)), TypeError, "convert texts to a list of str"),
        (lambda: lookalike.dedup(b"bytes"), TypeError, "decode"),
        (lambda: lookalike.dedup(TEXTS, treshold=0.5), TypeError, "unexpected keyword argument 'treshold'"),
        (lambda: lookalike.pairs(TEXTS, keep="first"), TypeError, "unexpected keyword argument 'keep'"),
    ],
)
def test_refusals(refused, exception, words):
    with pytest.raises(exception, match=re.escape(words)):
        refused()


@pytest.mark.parametrize(
    "empty", [[], (), pd.DataFrame({"text": []}, dtype=str), pl.DataFrame({"text": []}, schema={"text": pl.String})], ids=type
)
def test_empty_input_gives_empty_output(empty):
    kept, report = lookalike.dedup(empty)
    assert type(kept) is type(empty)
    assert len(kept) == len(report) == 0
    assert "0 documents in" in repr(report)
    assert "svg" not in report._repr_html_()
    assert len(lookalike.pairs(empty)) == 0


def test_repeated_ids_may_be_allowed():
    frame = pl.DataFrame({"text": ["a b c d e f", "something else", "A B C D E F"], "id": [1, 1, 1]})
    kept, report = lookalike.dedup(frame, id="id", allow_repeated_ids=True)
    assert kept["text"].to_list() == ["a b c d e f", "something else"]
    assert report.decisions["representative_row"].to_pylist() == [None, None, 0]


def slow():
    """Make texts from one template: each text is a candidate of all earlier texts, but similar to none."""
    draw = random.Random(4)
    template = paragraph(draw, 60)
    return [f"{template} {' '.join(str(draw.random()) for _ in range(16))}" for _ in range(100_000)]


INTERRUPTED = """
import os, signal, sys, threading, time, lookalike
from test_running import slow
data = sys.argv[2] if sys.argv[1] == "pipe" else slow()
config = {"candidates": "all"} if sys.argv[1] == "join" else {}
def interrupt():
    global sent
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.7, interrupt).start()
try:
    lookalike.dedup(data, threshold=0.5, **config)
except KeyboardInterrupt:
    print(time.monotonic() - sent)
else:
    print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["texts", "join", "pipe"])
def test_an_interrupt_ends_a_run(tmp_path, what):
    # The pipe has no writer.
    os.mkfifo(tmp_path / "pipe")
    argv = [sys.executable, "-c", INTERRUPTED, what, str(tmp_path / "pipe")]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=600, cwd=Path(__file__).parent, check=True)
    # It takes well under a second, and a run that is not interrupted prints "done" or waits for ever.
    assert float(ran.stdout) < 15, ran.stdout


def test_an_exception_of_a_signal_handler_is_raised():
    def handler(*_):
        raise TimeoutError("enough")

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.7)
    try:
        with pytest.raises(TimeoutError, match="enough"):
            [lookalike.dedup(TEXTS * 2000, candidates="simhash") for _ in range(1000)]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def threads():
    return len(os.listdir("/proc/self/task"))


def test_no_thread_outlives_a_run():
    before = threads()
    lookalike.dedup(TEXTS * 100, threads=7)
    deadline = time.monotonic() + 60
    while threads() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threads() <= before


def kept_of(texts):
    return lookalike.dedup(texts, threads=3)[0]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_process_may_fork_between_runs():
    expected = kept_of(TEXTS)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(kept_of, [TEXTS] * 8).get(timeout=60) == [expected] * 8
    assert kept_of(TEXTS) == expected


def test_runs_at_the_same_time():
    expected = kept_of(TEXTS)
    found = []
    running = [threading.Thread(target=lambda: found.append(kept_of(TEXTS))) for _ in range(6)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(60)
    assert found == [expected] * 6


def test_the_interpreter_continues_during_a_run():
    texts, counted, ended = TEXTS * 4000, 0, threading.Event()

    def count():
        nonlocal counted
        while not ended.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    started = time.monotonic()
    lookalike.dedup(pa.table({"text": texts}))
    seconds = time.monotonic() - started
    ended.set()
    thread.join()
    assert counted > 30 * seconds


class Bar:
    """Records the calls that tqdm would get."""

    shown: list[tuple[str, int, int]] = []  # noqa: RUF012

    def __init__(self, *, total, initial, desc, unit, unit_scale, leave):
        self.total, self.desc, self.n = total, desc, initial
        assert unit in ("B", "steps", "documents")

    def update(self, n):
        self.n += n
        self.shown.append((self.desc, self.n, self.total))

    def close(self):
        self.shown.append((self.desc, -1, self.total))


@pytest.mark.slow
def test_progress_is_shown_by_tqdm(monkeypatch, capfd):
    monkeypatch.setattr("tqdm.auto.tqdm", Bar)
    table = pa.table({"text": TEXTS * 8000})
    lookalike.dedup(table, progress=True, threads=1)
    shown = list(Bar.shown)
    assert {desc for desc, _, _ in shown} & {"sketching", "pairing", "streaming"}
    assert shown[-1][1] == -1
    # Standard error is not a terminal, so progress is shown only on request.
    Bar.shown.clear()
    lookalike.dedup(table)
    lookalike.dedup(table, progress=False)
    assert Bar.shown == []
    assert capfd.readouterr().err == ""


def test_a_real_bar(capfd):
    lookalike.dedup(pa.table({"text": TEXTS * 8000}), progress=True, threads=1)
    assert "sketching" in capfd.readouterr().err


def test_a_bar_does_not_count_work_before_it_was_created(capfd):
    with shown(True) as bar:
        bar("sketching", 10**12, 2 * 10**12)
        time.sleep(0.15)
        bar("sketching", 10**12 + 10**6, 2 * 10**12)
        time.sleep(0.15)
        bar("sketching", 10**12 + 2 * 10**6, 2 * 10**12)
    err = capfd.readouterr().err
    assert "MB/s" in err
    assert "TB/s" not in err
    assert "GB/s" not in err


COMPUTING = """
import os, signal, sys, threading, time, random, lookalike
draw = random.Random(1)
text = " ".join(str(draw.randrange(10**6)) for _ in range(1_500_000))
other = text[1000:] + " end"
many = [text[at:at + 200_000] for at in range(0, 2_000_000, 2_000)]
def interrupt():
    global sent
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
run = {
    "compare": lambda: [lookalike.compare(text, other) for _ in range(20)],
    "passages": lambda: [lookalike.passages(text, other) for _ in range(20)],
    "signatures": lambda: lookalike.MinHash(slots=4096, permutations="many").signatures(many),
    "one thread": lambda: lookalike.MinHash(slots=4096, permutations="many").signatures(many, threads=1),
    "index": lambda: lookalike.LshIndex().insert_many(range(20_000), [text[at:at + 60_000] for at in range(20_000)]),
}[sys.argv[1]]
threading.Timer(0.3, interrupt).start()
try:
    run()
except KeyboardInterrupt:
    print(time.monotonic() - sent)
else:
    print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["compare", "passages", "signatures", "one thread", "index"])
def test_an_interrupt_ends_long_computations(what):
    argv = [sys.executable, "-c", COMPUTING, what]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=600, check=True)
    assert float(ran.stdout) < 10, ran.stdout


def test_optional_packages_are_not_imported():
    code = (
        "import sys, lookalike; kept, _ = lookalike.dedup(['a b', 'A B']); "
        "sys.exit(kept != ['a b'] or any(name in sys.modules for name in ('pandas', 'polars', 'pyarrow', 'datasets', 'tqdm')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_pandas_without_pyarrow(monkeypatch):
    frame = pd.DataFrame({"text": TEXTS, "id": range(100, 150), "score": np.linspace(0, 1, 50)}).astype({"text": object})
    expected, report = lookalike.dedup(frame, id="id", keep="max:score")
    monkeypatch.setattr("lookalike.kinds.frames.find_spec", lambda name: None)
    kept, again = lookalike.dedup(frame, id="id", keep="max:score")
    assert again.decisions_json() == report.decisions_json()
    pd.testing.assert_frame_equal(kept, expected)
    times = frame.assign(id=[pd.Timestamp(second, unit="s") for second in range(50)])
    assert lookalike.dedup(times, id="id")[1].decisions["id"][1].as_py() == "1970-01-01T00:00:01"
    with pytest.raises(errors.RecordError, match='DataFrame row 0: field "id" is of the type tuple'):
        lookalike.dedup(frame.assign(id=[(number,) for number in range(50)]), id="id")


def test_arrow_is_not_copied():
    texts = pa.array([paragraph(random.Random(seed), 200) for seed in range(2000)] * 50)
    before = pa.total_allocated_bytes()
    kept, _ = lookalike.dedup(pa.table({"text": texts, "other": pa.array(range(len(texts)))}))
    assert len(kept) <= 2000
    assert pa.total_allocated_bytes() - before < texts.nbytes / 20
