"""Removes repeated bytes with Google's ExactSubstr (deduplicate-text-datasets), whose clone is built in the folder REPOSITORY.

The steps are those of the repository's README: its script makes the suffix array, and its program finds the repeated runs of
bytes and joins them into ranges. Like its `load_dataset.py`, this program puts a separator with a number before each text, so
that no run crosses two texts. The repository has a script that removes the ranges from one file; this program removes them
from each text.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import exchange

PROGRAM = "target/debug/dedup_dataset"


def laid(source: Path, data: Path) -> Iterator[tuple[object, bytes, int]]:
    """Writes all texts into one file; yields each id, text and start in the file."""
    at = 0
    with data.open("wb") as out:
        for number, record in enumerate(exchange.records(source)):
            separator = b"\xff\xff" + number.to_bytes(4, "little")
            text = record["text"].encode()
            out.write(separator + text)
            yield record["id"], text, at + len(separator)
            at += len(separator) + len(text)


def found(listing: str) -> list[tuple[int, int]]:
    """Returns the ranges that `collect` printed after the line `out`."""
    lines = iter(listing.splitlines())
    for line in lines:
        if "out" in line:
            break
    return [(int(start), int(end)) for start, end in (line.split() for line in lines if line.strip())]


def within(texts: list[tuple[object, bytes, int]], ranges: list[tuple[int, int]]) -> Iterator[tuple[object, str]]:
    """Yields each text without the ranges."""
    first = 0
    for name, text, start in texts:
        end = start + len(text)
        while first < len(ranges) and ranges[first][1] <= start:
            first += 1
        own, at = [], first
        while at < len(ranges) and ranges[at][0] < end:
            own.append((max(ranges[at][0] - start, 0), min(ranges[at][1], end) - start))
            at += 1
        yield name, exchange.without(text, own)


def main() -> None:
    """Runs all steps."""
    args = exchange.for_runs_of_bytes(__doc__.split("\n")[0])
    data, cache = args.work.absolute() / "data", args.work.absolute() / "cache"
    texts = list(laid(args.input, data))
    (args.repository / "tmp").mkdir(exist_ok=True)

    def run(*command: object) -> str:
        given = [str(word) for word in command]
        return subprocess.run(given, cwd=args.repository, check=True, stdout=subprocess.PIPE, text=True).stdout

    run(sys.executable, "scripts/make_suffix_array.py", data)
    threshold = ["--length-threshold", args.bytes, "--cache-dir", cache]
    run(PROGRAM, "self-similar", "--data-file", data, *threshold, "--num-threads", args.threads)
    exchange.write(args.output, within(texts, found(run(PROGRAM, "collect", "--data-file", data, *threshold))))


if __name__ == "__main__":
    main()
