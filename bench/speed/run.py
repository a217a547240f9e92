"""`make bench`: runs the whole command and `floor`, which does the least work that any run needs, in turn.

Prints medians: wall and CPU seconds, MB/s, peak memory, bytes of memory per document, and the ratios to the floor (the cost of
`floor`) in the same turn. Both read the bench collection. Needs only Python's standard library and the built binaries.
"""

import argparse
import json
import tempfile
from pathlib import Path
from statistics import median

import measuring
from measuring import Cost, lookalike, measure

KERNELS = ("", "--core")


def dedup(inputs: list[str], folder: Path, threads: int = 2) -> list[str]:
    """Returns the command as a user runs it, with kept lines and decisions; temporary files have their own folder in `folder`."""
    temp = folder / "temp"
    temp.mkdir(exist_ok=True)
    command = [lookalike(), "dedup", *inputs, "--json", "--threads", str(threads), "--temp-dir", str(temp)]
    return [*command, "-o", f"{folder}/kept.jsonl", "--decisions", f"{folder}/why.jsonl"]


def first_half(collection: Path, documents: int, half: Path) -> None:
    """Copies the first half of the documents."""
    with collection.open("rb") as lines, half.open("wb") as out:
        for _ in range(documents // 2):
            out.write(lines.readline())


def bytes_per_document(collection: Path, documents: int, folder: Path, peak_mb: float) -> float:
    """Returns the memory that grows with the collection: the difference of two peaks, so that fixed buffers cancel out."""
    half = folder / "half.jsonl"
    first_half(collection, documents, half)
    half_mb = median(measure(dedup([str(half)], folder))[0].peak_mb for _ in range(3))
    return (peak_mb - half_mb) * 1e6 / (documents - documents // 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collection", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path, help="also write the figures to this JSON file")
    args = parser.parse_args()
    megabytes = args.collection.stat().st_size / 1e6
    measuring.warm(args.collection)
    runs: dict[str, list[Cost]] = {}
    summary, floor_summary = {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for threads in (2, 1):
            contestants = {f"dedup, {threads} threads": dedup([str(args.collection)], folder, threads)}
            for kernel in KERNELS:
                floor = [lookalike("floor"), str(args.collection), "--threads", str(threads), *([kernel] if kernel else [])]
                contestants[f"floor{' by the core' if kernel else ''}, {threads} threads"] = floor
            for _ in range(args.runs):
                for contestant, command in contestants.items():
                    cost, output = measure(command)
                    runs.setdefault(contestant, []).append(cost)
                    if contestant.startswith("dedup"):
                        summary = json.loads(output)
                    elif "core" not in contestant:
                        floor_summary = json.loads(output)
        documents = summary["documents"]
        medians = {
            name: Cost(*(median(getattr(cost, figure) for cost in costs) for figure in vars(costs[0])))
            for name, costs in runs.items()
        }
        growth = bytes_per_document(args.collection, documents, folder, medians["dedup, 2 threads"].peak_mb)
    machine = measuring.machine()
    print(f"{args.collection.name}: {megabytes:.0f} MB, {documents:,} documents, {summary['kept']:,} kept; {machine['machine']}\n")
    print("| | wall s | CPU s | MB/s | peak MB |\n|---|---|---|---|---|")
    for name, cost in medians.items():
        print(f"| {name} | {cost.wall_s:.2f} | {cost.cpu_s:.2f} | {megabytes / cost.wall_s:.0f} | {cost.peak_mb:.0f} |")
    print(f"\n{growth:.0f} bytes of memory per document, without buffers")
    ratios = {}
    for threads in (2, 1):
        # `floor` has two versions of its loop. In each turn, the faster version counts.
        floors = zip(*(runs[f"floor{kind}, {threads} threads"] for kind in ("", " by the core")), strict=True)
        pairs = list(zip(runs[f"dedup, {threads} threads"], floors, strict=True))
        ratios[threads] = {
            "wall": median(cost.wall_s / min(floor.wall_s for floor in of) for cost, of in pairs),
            "cpu": median(cost.cpu_s / min(floor.cpu_s for floor in of) for cost, of in pairs),
        }
        print(f"\n{threads} threads: {ratios[threads]['wall']:.2f} times the floor, {ratios[threads]['cpu']:.2f} in CPU seconds")
    if args.out:
        record = {
            **machine,
            "megabytes": megabytes,
            "medians": {name: cost.record() for name, cost in medians.items()},
            "bytes_per_document": growth,
            "times_the_floor": ratios,
            "floor": floor_summary,
            "summary": summary,
        }
        args.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
