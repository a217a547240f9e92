"""`make bench-python`: compares `lookalike.dedup` on data in memory with the command on the same rows as JSON Lines.

Both run in turn. The command is a separate process, which reads from the page cache and writes the kept rows and the decisions.
The function returns the kept rows, as the same kind of object. The report has the median and the least wall-clock time, the ratio
of the least time to that of the command, and by how much the memory of the process grows.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from statistics import median

sys.path.append(str(Path(__file__).parents[1] / "speed"))
import measuring

KINDS = ["list", "pandas", "pandas objects", "polars", "table", "reader", "dataset", "iterable dataset", "path"]


def collection(path, megabytes):
    """Read the ids and texts of the first rows of a collection, up to `megabytes` of lines."""
    rows, size = {"id": [], "text": []}, 0
    with open(path, "rb") as lines:
        for line in lines:
            size += len(line)
            row = json.loads(line)
            rows["id"].append(str(row["id"]))
            rows["text"].append(row["text"])
            if size > megabytes * 1e6:
                break
    return rows


def make(kind, rows, path):
    """Make an object of a kind."""
    import datasets
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    match kind:
        case "list":
            return rows["text"]
        case "pandas":
            return pd.DataFrame(rows)
        case "pandas objects":
            return pd.DataFrame(rows).astype(object)
        case "polars":
            return pl.DataFrame(rows)
        case "table":
            return pa.table(rows)
        case "reader":
            # A reader can be read only once, so each run makes a new one from this table.
            return pa.table(rows)
        case "dataset":
            return datasets.Dataset.from_dict(rows)
        case "iterable dataset":
            return datasets.Dataset.from_dict(rows).to_iterable_dataset()
    return path


def resident():
    """Return the number of bytes that this process has in memory now, and the maximum so far."""
    now = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return now, 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def ours(kind, path, runs, results):
    """Measure one kind in its own process, so that no other memory counts; return seconds per run and peak growth in bytes."""
    import lookalike

    rows = collection(path, 1e6)
    data = make(kind, rows, path)
    if kind != "list":
        del rows
    gc.collect()
    before = resident()[0]
    # Reset the peak, which would include memory that was used before.
    Path("/proc/self/clear_refs").write_text("5")
    seconds = []
    for _ in range(runs):
        fresh = data.to_reader(max_chunksize=10_000) if kind == "reader" else data
        started = time.perf_counter()
        kept, report = lookalike.dedup(fresh, id=None if kind == "list" else "id", output=None)
        seconds.append(time.perf_counter() - started)
        assert not hasattr(kept, "__len__") or len(kept) == report.kept.sum()
    most = int(next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")).split()[1])
    results.send((seconds, 1024 * most - before, len(report), int(report.kept.sum())))


def main():
    """Measure all kinds, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("collection", type=Path)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        rows = collection(options.collection, options.megabytes)
        with open(path, "w") as out:
            for id_, text in zip(rows["id"], rows["text"], strict=True):
                out.write(json.dumps({"id": id_, "text": text}, ensure_ascii=False) + "\n")
        figures = {"megabytes": round(path.stat().st_size / 1e6), "documents": len(rows["id"]), "kinds": {}}
        figures["bytes_of_texts"] = sum(len(text.encode()) for text in rows["text"])
        del rows
        command = [sys.executable, "-m", "lookalike", "dedup", str(path), "-o", f"{folder}/kept.jsonl", "-q"]
        for kind in options.kinds:
            theirs = []
            for _ in range(options.runs):
                started = time.perf_counter()
                subprocess.run(command, check=True)
                theirs.append(time.perf_counter() - started)
            receive, send = get_context("spawn").Pipe(False)
            process = get_context("spawn").Process(target=ours, args=(kind, path, options.runs, send))
            process.start()
            seconds, grown, documents, kept = receive.recv()
            process.join()
            figures["kinds"][kind] = {
                "seconds": {"median": round(median(seconds), 3), "least": round(min(seconds), 3)},
                "command": {"median": round(median(theirs), 3), "least": round(min(theirs), 3)},
                "ratio": round(min(seconds) / min(theirs), 3),
                "grown_megabytes": round(grown / 1e6),
                "documents": documents,
                "kept": kept,
            }
            print(f"{kind:>18}", json.dumps(figures["kinds"][kind]), flush=True)
    if options.out:
        options.out.write_text(json.dumps({**measuring.machine(), **figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
