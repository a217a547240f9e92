"""Reads and writes collections (JSON Lines with `id` and `text`), and reads arguments, for the programs that run other tools."""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path


def for_runs_of_bytes(description: str) -> argparse.Namespace:
    """Returns the arguments of a program that removes repeated bytes with Google's clone."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("repository", type=Path)
    parser.add_argument("work", type=Path, help="an empty folder for temporary files")
    parser.add_argument("--bytes", type=int, required=True, help="the shortest run")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def records(path: Path) -> Iterator[dict]:
    """Yields the records of a collection."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def write(path: Path, kept: Iterable[tuple[object, str]]) -> None:
    """Writes ids and texts."""
    with path.open("w", encoding="utf-8") as out:
        for name, text in kept:
            out.write(json.dumps({"id": name, "text": text}, ensure_ascii=False) + "\n")


def without(text: bytes, ranges: Iterable[tuple[int, int]]) -> str:
    """Returns a text without ranges of bytes, which are in order, and without the characters of which only a part is left."""
    left, start = bytearray(), 0
    for first, end in ranges:
        left += text[start:first]
        start = max(start, end)
    return (left + text[start:]).decode("utf-8", errors="ignore")


def divide(source: Path, folder: Path, count: int) -> None:
    """Divides a collection into files of about the same size, for tools that run a thread for each file."""
    folder.mkdir(parents=True)
    total, done = source.stat().st_size, 0
    files = [(folder / f"{number:03}.jsonl").open("wb") for number in range(count)]
    with source.open("rb") as lines:
        for line in lines:
            files[min(done * count // total, count - 1)].write(line)
            done += len(line)
    for file in files:
        file.close()
