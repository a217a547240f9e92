"""Compares the pairs of files of sketches with the exact pairs of the texts, and prints the table of docs/sketches.md.

    python3 bench/quality/sketches.py COMMAND COLLECTION...

COMMAND is the built `lookalike`. The exact pairs are those of `pairs --exact`. A pair that is listed although its resemblance is below
the threshold is *wrong*; it is *far* if it is below by more than 0.05.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

THRESHOLD = 0.8
MARGIN = 0.05
KINDS = ["", "--slots 512 --bits 8", "--slots 256 --bits 16", "--sketch bottom", "--sketch modulo", "--sketch simhash --bits 128"]


def pairs(path: Path) -> dict[tuple[str, str], float]:
    lines = (json.loads(line) for line in path.read_text().splitlines())
    return {(json.dumps(line["a"]), json.dumps(line["b"])): line["resemblance"] for line in lines}


def main(command: str, collections: list[str]) -> None:
    def run(*arguments: str) -> None:
        done = subprocess.run([command, *arguments], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 2:
            sys.exit(done.stderr)

    print("| collection | sketch | bytes per document | documents/s | recall | at 0.85 and above | wrong | far | rms error |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        file = {name: Path(folder) / name for name in ("exact.jsonl", "sketches.parquet", "pairs.jsonl", "summary.json")}
        for collection in collections:
            run("pairs", collection, "--exact", "-t", "0.5", "-o", str(file["exact.jsonl"]), "-q")
            exact = pairs(file["exact.jsonl"])
            for kind in KINDS:
                made = ["sketch", collection, "-o", str(file["sketches.parquet"]), "--summary", str(file["summary.json"]), "-q"]
                seconds = []
                for _ in range(3):
                    started = time.perf_counter()
                    run(*made, *kind.split())
                    seconds.append(time.perf_counter() - started)
                summary = json.loads(file["summary.json"].read_text())
                run("pairs", str(file["sketches.parquet"]), "-t", str(THRESHOLD), "-o", str(file["pairs.jsonl"]), "-q")
                listed = pairs(file["pairs.jsonl"])
                similar = {pair for pair, value in exact.items() if value >= THRESHOLD}
                clearly = {pair for pair, value in exact.items() if value >= THRESHOLD + MARGIN}
                wrong = listed.keys() - similar
                far = [pair for pair in wrong if exact.get(pair, 0) < THRESHOLD - MARGIN]
                errors = [(value - exact[pair]) ** 2 for pair, value in listed.items() if 0 < exact.get(pair, 0) < 1]
                print(
                    f"| {Path(collection).name.split('.')[0]} | `{kind or '(default)'}` "
                    f"| {summary['sketch_bytes'] / summary['documents']:.0f} | {summary['documents'] / min(seconds):,.0f} "
                    f"| {len(listed.keys() & similar) / len(similar):.2%} | {len(listed.keys() & clearly) / len(clearly):.2%} "
                    f"| {len(wrong) / len(listed):.2%} | {len(far) / len(listed):.2%} "
                    f"| {(sum(errors) / max(1, len(errors))) ** 0.5:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
