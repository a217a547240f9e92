"""`make bench-spark`: `lookalike.spark.dedup` on Sail and on classic Spark with two executors of one core each.

The engine `killed` is classic Spark with executors that are killed (-9) at random moments, five in all.

Each run is a process of its own: it starts the engine, decides a collection and writes the decisions. Reports the seconds of the
whole process, the peak memory of it and of all processes that it started (shared pages are divided among them), the bytes that
Spark shuffled, and whether the decisions are those of one machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "tests/spark"))

KILLS = 5
"""The executors that are killed in a run of `killed`."""

COLUMNS = ["verdict", "reason", "representative", "resemblance", "cluster_size"]


def decide(engine, collection, output, events):
    """Decide a collection on an engine, in this process."""
    import engines

    import lookalike.spark

    with tempfile.TemporaryDirectory() as folder:
        engines.prepare(folder)
        if engine == "sail":
            spark = engines.sail()
        else:
            spark = engines.classic("local-cluster[2,1,1024]", folder, events)
        result = lookalike.spark.dedup(spark.read.parquet(collection), order="number")
        result.decisions.write.mode("overwrite").parquet(output)
        if engine != "sail":
            spark.stop()
    os._exit(0)


def memory(process):
    """Return the bytes of memory of a process and of all processes that it started."""
    started, sizes = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            parent = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1]
            sizes[int(entry)] = Path(f"/proc/{entry}/smaps_rollup").read_text()
        except OSError:
            continue
        started.setdefault(int(parent), []).append(int(entry))
    found, total = [process], 0
    while found:
        one = found.pop()
        shares = [int(line.split()[1]) for line in sizes.get(one, "").splitlines() if line.startswith("Pss:")]
        total += 1024 * sum(shares)
        found += started.get(one, [])
    return total


def executors(process):
    """Return the executors that a process started."""
    found = subprocess.run(["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True, check=False)
    return [int(one) for one in found.stdout.split() if descends(int(one), process)]


def descends(process, ancestor):
    """Return whether a process was started by another one, or by one of its descendants."""
    while process > 1 and process != ancestor:
        try:
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return process == ancestor


def kill(process, ended, kills):
    """Kill executors of a run at random moments, until there were `KILLS`."""
    draw = random.Random()
    while len(kills) < KILLS and not ended.wait(draw.uniform(1, 7)):
        if found := executors(process):
            os.kill(draw.choice(found), signal.SIGKILL)
            kills.append(time.monotonic())


def shuffled(events):
    """Return the bytes that the tasks of a run wrote for other tasks."""
    total = 0
    for path in Path(events).iterdir():
        for line in path.read_text().splitlines():
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd":
                total += event.get("Task Metrics", {}).get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def measure(engine, collection, folder):
    """Run one process, and return its figures."""
    output, events = Path(folder, "decisions"), Path(folder, "events")
    shutil.rmtree(events, ignore_errors=True)
    events.mkdir()
    command = [sys.executable, __file__, "--decide", engine, str(collection), str(output), str(events)]
    figures = {"engine": engine, "collection": Path(collection).stem, **measured(command, engine, collection)}
    if engine == "classic":
        figures["shuffled_mb"] = round(shuffled(events) / 1e6, 1)
    return {**figures, "equal": equal(collection, output)}


def measured(command, engine, collection):
    """Run a process, and return its seconds and the peak memory of it and of what it started."""
    start, peak, ended = time.monotonic(), 0, threading.Event()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def watch():
        nonlocal peak
        while not ended.wait(0.5):
            peak = max(peak, memory(process.pid))

    kills = []
    watching = [threading.Thread(target=watch)]
    if engine == "killed":
        watching.append(threading.Thread(target=kill, args=(process.pid, ended, kills)))
    for thread in watching:
        thread.start()
    words = process.communicate()[1]
    seconds = time.monotonic() - start
    ended.set()
    for thread in watching:
        thread.join()
    if process.returncode:
        sys.exit(f"{engine} failed on {collection}:\n{words[-3000:]}")
    figures = {"seconds": round(seconds, 1), "gb": round(peak / 1e9, 2)}
    if engine == "killed":
        figures["kills_at"] = [round(at - start, 1) for at in kills]
    return figures


def equal(collection, output):
    """Compare the decisions with those of one machine."""
    import pyarrow.parquet as pq

    import lookalike

    table = pq.read_table(collection)
    expected = lookalike.dedup(table, id="id", progress=False)[1].decisions.select(["id", *COLUMNS]).sort_by("id")
    found = pq.read_table(output, columns=["id", *COLUMNS]).sort_by("id")
    return found.cast(expected.schema).equals(expected)


def main():
    """Measure the collections on the engines, in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+", help="collections that cases.py made")
    parser.add_argument("--engines", default="sail,classic")
    parser.add_argument("--out", help="a JSON file for the figures")
    asked = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for collection in asked.collections:
            for engine in asked.engines.split(","):
                found.append(measure(engine, collection, folder))
                print(json.dumps(found[-1]), flush=True)
    if asked.out:
        sys.path.append(str(HERE.parent / "speed"))
        import measuring

        Path(asked.out).write_text(json.dumps({**measuring.machine(), "runs": found}, indent=1) + "\n")


if __name__ == "__main__":
    decide(*sys.argv[2:]) if sys.argv[1:2] == ["--decide"] else main()
