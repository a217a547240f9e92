"""`make bench`: the command end to end and the floor under it, in turn, on the bench collection.

Prints medians: wall and CPU seconds, MB/s, peak memory, bytes of memory per document, and the ratio to the floor of the
same run. Needs nothing but Python's standard library and the built binaries.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]


def measure(command: Sequence[str]) -> tuple[float, float, float, str]:
    """Wall seconds, CPU seconds, peak MB and standard output of one process."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        # wait4 and not Popen.wait: it alone gives the cost of this process.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"failed: {' '.join(command)}")
        out.seek(0)
        told = out.read().decode()
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, told


def first_half(collection: Path, documents: int, half: Path) -> None:
    """Copies the first half of the documents."""
    with collection.open("rb") as lines, half.open("wb") as out:
        for _ in range(documents // 2):
            out.write(lines.readline())


def bytes_per_document(collection: Path, documents: int, folder: str, peak_mb: float) -> float:
    """Memory that grows with the collection: the difference of two peaks, so that buffers of fixed size fall out."""
    half = Path(folder) / "half.jsonl"
    first_half(collection, documents, half)
    command = [str(ROOT / "target/release/lookalike"), "dedup", str(half), "-o", f"{folder}/kept.jsonl", "--threads", "2", "-q"]
    half_mb = median(measure(command)[2] for _ in range(3))
    return (peak_mb - half_mb) * 1e6 / (documents - documents // 2)


def cpu_model() -> str:
    """The processor's name, as the kernel tells it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collection", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path, help="write the figures as JSON too")
    args = parser.parse_args()
    megabytes = args.collection.stat().st_size / 1e6
    rows: dict[str, list[tuple[float, float, float]]] = {}
    summary = {}
    with tempfile.TemporaryDirectory() as folder:
        for threads in (2, 1):
            dedup = [str(ROOT / "target/release/lookalike"), "dedup", str(args.collection), "--json", "--threads", str(threads)]
            dedup += ["-o", f"{folder}/kept.jsonl", "--decisions", f"{folder}/why.jsonl"]
            floor = [str(ROOT / "target/release/floor"), str(args.collection), "--threads", str(threads)]
            # One run of each that does not count brings the collection into the page cache.
            for turn in range(args.runs + 1):
                for name, command in ((f"dedup, {threads} threads", dedup), (f"floor, {threads} threads", floor)):
                    *figures, told = measure(command)
                    if turn > 0:
                        rows.setdefault(name, []).append(tuple(figures))
                    if name.startswith("dedup"):
                        summary = json.loads(told)
        documents = summary["documents"]
        medians = {name: [median(run[i] for run in runs) for i in range(3)] for name, runs in rows.items()}
        growth = bytes_per_document(args.collection, documents, folder, medians["dedup, 2 threads"][2])
    print(f"{args.collection.name}: {megabytes:.0f} MB, {documents:,} documents, {summary['kept']:,} kept; {cpu_model()}\n")
    print("| | wall s | CPU s | MB/s | peak MB |\n|---|---|---|---|---|")
    for name, (wall, cpu, peak) in medians.items():
        print(f"| {name} | {wall:.2f} | {cpu:.2f} | {megabytes / wall:.0f} | {peak:.0f} |")
    print(f"\n{growth:.0f} bytes of memory a document besides buffers")
    ratios = {}
    for threads in (2, 1):
        pairs = zip(rows[f"dedup, {threads} threads"], rows[f"floor, {threads} threads"], strict=True)
        ratios[threads] = median(dedup[0] / floor[0] for dedup, floor in pairs)
        print(f"\n{threads} threads: {ratios[threads]:.2f} times the floor")
    if args.out:
        record = {
            "date": datetime.now(UTC).date().isoformat(),
            "machine": cpu_model(),
            "cores": os.cpu_count(),
            "megabytes": megabytes,
            "medians": {name: dict(zip(("wall_s", "cpu_s", "peak_mb"), values, strict=True)) for name, values in medians.items()},
            "bytes_per_document": growth,
            "times_the_floor": ratios,
            "summary": summary,
        }
        args.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
