"""Gives files and streams with random flipped bytes to lookalike in child processes, so that a crash is detected.

`python damage.py COUNT [SEED] [KIND …]` prints how the runs on each kind of file ended. A test runs a few hundred files. A child
process takes several files; after a crash, a new one continues with the next file.
"""

from __future__ import annotations

import collections
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "敏捷的棕色狐狸", "naïve", "café", "Straße"]


def table(draw):
    """Make a table with columns of many types, some of which are texts."""
    import pyarrow as pa

    rows = 60
    texts = [" ".join(draw.choices(WORDS, k=draw.randrange(12))) for _ in range(rows)]
    texts[7:9] = texts[3:5]
    some = [None if draw.random() < 0.2 else text for text in texts]
    ends = pa.array([20, 45, rows], pa.int32())
    return pa.table(
        {
            "text": pa.array(texts),
            "id": pa.array([f"doc {number}" for number in range(rows)]),
            "nulls": pa.array(some),
            "large": pa.array(some, pa.large_string()),
            "view": pa.array(some, pa.string_view()),
            "bytes": pa.array([None if text is None else text.encode() for text in some], pa.binary()),
            "words": pa.array([text.split() for text in texts], pa.list_(pa.string())),
            "pair": pa.array(
                [text.split()[:2] + ["", ""][: 2 - len(text.split()[:2])] for text in texts], pa.list_(pa.string(), 2)
            ),
            "struct": pa.array([{"a": text, "n": number} for number, text in enumerate(some)]),
            "map": pa.array([[(text, number)] for number, text in enumerate(texts)], pa.map_(pa.string(), pa.int64())),
            "dictionary": pa.array(some).dictionary_encode(),
            "time": pa.array(range(rows), pa.timestamp("us", "Europe/Berlin")),
            "decimal": pa.array(range(rows)).cast(pa.decimal128(30, 3)),
            "bool": pa.array([number % 3 == 0 for number in range(rows)]),
            "float": pa.array([number / 7 for number in range(rows)]),
            "runs": pa.RunEndEncodedArray.from_arrays(ends, pa.array(["a", None, "long " * 9])),
        }
    )


def written(folder, draw):
    """Write the table as a file of each kind, in several batches."""
    import pyarrow as pa
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    whole = table(draw)
    plain = whole.drop_columns(["runs", "view"])
    for name, small in (
        ("mixed", plain.drop_columns(["dictionary"]).slice(0, 12)),
        ("small", plain.select(["text", "id"]).slice(20, 12)),
    ):
        with pa.OSFile(str(folder / f"{name}.arrows"), "wb") as out, pa.ipc.new_stream(out, small.schema) as writer:
            writer.write_table(small, max_chunksize=5)
        with pa.OSFile(str(folder / f"{name}.arrow"), "wb") as out, pa.ipc.new_file(out, small.schema) as writer:
            writer.write_table(small, max_chunksize=5)
    with pa.OSFile(str(folder / "file.arrow"), "wb") as out, pa.ipc.new_file(out, whole.schema) as writer:
        writer.write_table(whole, max_chunksize=20)
    with pa.OSFile(str(folder / "stream.arrows"), "wb") as out, pa.ipc.new_stream(out, whole.schema) as writer:
        writer.write_table(whole, max_chunksize=20)
    pq.write_table(plain, folder / "plain.parquet", compression="none", use_dictionary=False, row_group_size=30)
    pq.write_table(plain, folder / "packed.parquet", compression="zstd", row_group_size=30)
    feather.write_feather(plain, str(folder / "plain.feather"), compression="uncompressed")
    return sorted(folder.iterdir())


def flipped(data, draw):
    """Flip some bits: a few anywhere, or in one place."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 4, 16))):
        data[draw.randrange(len(data))] ^= draw.choice((1 << draw.randrange(8), 0xFF, draw.randrange(1, 256)))
    return bytes(data)


def readings(path):
    """Return the ways to read a file in Python: their names, and functions that read the file."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.suffix in (".parquet",):
        return {
            "table": lambda: pq.read_table(path),
            "pandas": lambda: pd.read_parquet(path),
            "pandas arrow": lambda: pd.read_parquet(path, dtype_backend="pyarrow"),
            "polars": lambda: pl.read_parquet(path),
        }
    if path.suffix == ".arrows":
        return {
            "reader": lambda: pa.ipc.open_stream(pa.memory_map(str(path))),
            "table": lambda: pa.ipc.open_stream(path.read_bytes()).read_all(),
            "dataset": lambda: __import__("datasets").Dataset.from_file(str(path)),
        }
    return {
        "table": lambda: pa.ipc.open_file(pa.memory_map(str(path))).read_all(),
        "batch": lambda: pa.ipc.open_file(path.read_bytes()).get_batch(1),
        "array": lambda: pa.ipc.open_file(path.read_bytes()).read_all().column(0),
        "pandas": lambda: without_runs(pa.ipc.open_file(path.read_bytes()).read_all()).to_pandas(types_mapper=pd.ArrowDtype),
    }


def without_runs(data):
    """Leave out the columns of types that pandas cannot filter."""
    return data.drop_columns([name for name in ("runs", "view") if name in data.schema.names])


# The arguments that lookalike is called with.
ASKED = [
    {},
    {"id": "id"},
    {"text": "struct.a"},
    {"text": "view"},
    {"text": "dictionary"},
    {"text": "bytes"},
    {"text": "words", "tokens": "items"},
    {"text": "runs"},
    {"id": "time", "keep": "max:float"},
    {"id": "decimal"},
]


def attempt(path, way, asked, say):
    """Read a file and give it to lookalike. Each step is reported before it begins, so that a crash shows its step."""
    import lookalike

    say("reading")
    try:
        data = readings(Path(path))[way]()
    except BaseException as error:
        return f"refused by its reader: {type(error).__name__}"
    say("deduplicating")
    if way == "array":
        asked = {}
    try:
        kept, _ = lookalike.dedup(data, **asked)
        if hasattr(kept, "read_all"):
            kept.read_all()
    except lookalike.errors.Error as error:
        return f"error: {type(error).__name__}"
    except BaseException as error:
        return f"OTHER: {type(error).__name__}: {str(error)[:200]}"
    return "answered"


def child(jobs):
    """Work on jobs, one per line of a file."""
    for line in Path(jobs).read_text().splitlines():
        number, path, way, asked = json.loads(line)

        def say(what, number=number):
            print(json.dumps([number, what]), flush=True)

        say("ended " + attempt(path, way, asked, say))


def run(jobs, folder):
    """Run jobs in child processes; return how each ended. After a crash, a new process continues with the remaining jobs."""
    ends, left = {}, list(jobs)
    while left:
        (folder / "jobs").write_text("".join(json.dumps(job) + "\n" for job in left))
        command = [sys.executable, __file__, "child", str(folder / "jobs")]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False, errors="replace")
        for line in ran.stdout.splitlines():
            number, what = json.loads(line)
            ends[number] = what.removeprefix("ended ")
        if ran.returncode == 0:
            break
        # The last job that began is the one that crashed.
        number = max(ends)
        ends[number] = f"CRASH {ran.returncode} while {ends[number]}"
        left = [job for job in left if job[0] > number]
    return ends


def ways_to_end(count, seed=1, kinds=None):
    """Flip bytes of `count` files; count how runs ended, for each kind of file and each way to read it."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "whole").mkdir()
        (folder / "flipped").mkdir()
        files = [path for path in written(folder / "whole", draw) if kinds is None or path.name in kinds]
        jobs = []
        for number in range(count):
            whole = files[number % len(files)]
            path = folder / "flipped" / f"{number}-{whole.name}"
            path.write_bytes(flipped(whole.read_bytes(), draw))
            way = draw.choice(sorted(readings(path)))
            jobs.append([number, str(path), way, draw.choice(ASKED)])
        ends = run(jobs, folder)
    counted = collections.Counter(
        (f"{Path(path).name.partition('-')[2]}, {way}", ends.get(number)) for number, path, way, _ in jobs
    )
    return counted, [(job, ends.get(job[0])) for job in jobs]


if __name__ == "__main__":
    if sys.argv[1] == "child":
        child(sys.argv[2])
    else:
        found, each = ways_to_end(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1, sys.argv[3:] or None)
        totals = collections.Counter()
        for (kind, end), times in sorted(found.items(), key=str):
            print(f"{times:5} {kind}: {end}")
            totals[str(end).partition(":")[0]] += times
        print(dict(totals))
        for job, end in each:
            if end is None or "CRASH" in end or "OTHER" in end:
                print(job[0], Path(job[1]).name, job[2], job[3], end)
