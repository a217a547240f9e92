"""`make bench-tables`: compares the wall-clock and CPU time of runs on Parquet and on the same rows as JSON Lines.

The runs on the two formats alternate. pyarrow writes the Parquet file, with zstd and row groups of 50,000 rows. The kept rows are
written in the format of the input, or only the decisions are written. The JSON Lines are measured both uncompressed and
compressed with zstd, at the same compression level as the Parquet file.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from statistics import median

import measuring
from measuring import lookalike, measure

ROWS = 50_000


def make(lines: Path, table: Path) -> None:
    """Writes the same rows as a table."""
    import pyarrow.json
    import pyarrow.parquet

    rows = pyarrow.json.read_json(lines, read_options=pyarrow.json.ReadOptions(block_size=64 << 20))
    pyarrow.parquet.write_table(rows, table, compression="zstd", row_group_size=ROWS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lines", type=Path, help="a collection, JSON Lines")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path, help="also write the figures to this JSON file")
    args = parser.parse_args()
    table = args.lines.with_suffix(".parquet")
    if not table.exists():
        make(args.lines, table)
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "lines.jsonl.zst"
        subprocess.run(["zstd", "-q", "-1", str(args.lines), "-o", str(packed)], check=True)
        for file in (args.lines, table, packed):
            measuring.warm(file)
        run = [lookalike(), "dedup", "-q", "--temp-dir", folder]
        kept = [*run, "--decisions", f"{folder}/why.jsonl", "-o"]
        contestants = {
            "lines": [*kept, f"{folder}/kept.jsonl", str(args.lines)],
            "packed lines": [*kept, f"{folder}/kept.jsonl.zst", str(packed)],
            "table": [*kept, f"{folder}/kept.parquet", str(table)],
            "table to lines": [*kept, f"{folder}/kept.jsonl", str(table)],
            "lines, decisions alone": [*run, "--decisions", f"{folder}/why.jsonl", str(args.lines)],
            "table, decisions alone": [*run, "--decisions", f"{folder}/why.jsonl", str(table)],
        }
        costs: dict[str, list[tuple[float, float, float]]] = {}
        for _ in range(args.runs):
            for contestant, command in contestants.items():
                cost, _ = measure(command)
                costs.setdefault(contestant, []).append((cost.wall_s, cost.cpu_s, cost.peak_mb))
    medians = {contestant: [round(median(values), 3) for values in zip(*all_, strict=True)] for contestant, all_ in costs.items()}
    ratios = {
        "table / packed lines": ("table", "packed lines"),
        "table / lines": ("table", "lines"),
        "table to lines / lines": ("table to lines", "lines"),
        "decisions alone": ("table, decisions alone", "lines, decisions alone"),
    }
    for contestant, (wall, cpu, peak) in medians.items():
        print(f"{contestant}: {wall:.2f} s, {cpu:.2f} s of CPU, {peak:.0f} MB")
    times = {name: [round(medians[a][i] / medians[b][i], 3) for i in (0, 1)] for name, (a, b) in ratios.items()}
    for name, (wall, cpu) in times.items():
        print(f"{name}: {wall:.2f} by the clock, {cpu:.2f} by CPU")
    if args.out:
        by_contestant = {contestant: dict(zip(("wall_s", "cpu_s", "peak_mb"), values, strict=True)) for contestant, values in medians.items()}
        figures = {**measuring.machine(), "runs": args.runs, "table_mb": table.stat().st_size / 1e6, "medians": by_contestant, "ratios": times}
        args.out.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
