"""Code that the rivals' programs share, so that they differ only in the library that is measured.

Most of the time of each run is spent on reading texts and cutting them into words and shingles. This module does that in the
fastest plain Python that we found, because a slow tokeniser would make every rival look slow through no fault of its own.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from pathlib import Path
from typing import TypeVar

PERMUTATIONS = 128

Item = TypeVar("Item")


def arguments(rival: str) -> argparse.Namespace:
    """Parses the command line that all rivals have in common."""
    parser = argparse.ArgumentParser(description=f"Near-duplicate removal with {rival}.")
    parser.add_argument("input", type=Path, help="JSON Lines with the fields id and text")
    parser.add_argument("kept", type=Path, help="write the kept lines to this file, byte for byte")
    parser.add_argument("--threshold", type=float, default=0.8)
    parser.add_argument("--bands", type=int, default=16)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--ngram", type=int, default=5, help="words per shingle")
    parser.add_argument("--threads", type=int, default=2, help="for rivals that can use more than one")
    args = parser.parse_args()
    if args.bands * args.rows != PERMUTATIONS:
        parser.error(f"bands x rows must be {PERMUTATIONS}: every rival spends all its permutations")
    # The rivals in Rust take the size of their thread pool from this variable on first use, which is after this call.
    os.environ["RAYON_NUM_THREADS"] = str(args.threads)
    return args


def lines(path: Path) -> Iterator[bytes]:
    """Yields the documents' lines as they are in the file, without blank lines, which are not documents."""
    with path.open("rb") as file:
        yield from (line for line in file if not line.isspace())


class _Separators(dict[int, str]):
    """A table for str.translate that replaces non-alphanumeric characters with spaces; it grows as characters occur."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = character if character.isalnum() else " "
        return self[code]


_SEPARATORS = _Separators()
_ASCII = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else ord(" ") for code in range(256))


def normalised(path: Path) -> Iterator[bytes]:
    """Yields each document's words in lower case, with white space between them, in UTF-8.

    A word is a maximal run of alphanumeric characters. A document without words gets a unique word with a capital
    letter, which no lower-cased text can contain, so that no rival can treat it as a duplicate.
    """
    for number, line in enumerate(lines(path)):
        text: str = json.loads(line)["text"]
        if text.isascii():
            words = text.encode().translate(_ASCII)
        else:
            words = text.lower().translate(_SEPARATORS).encode()
        yield words if words.strip() else b"X%d" % number


def shingles(text: bytes, ngram: int) -> list[bytes]:
    """Returns the shingles of `ngram` words, joined by spaces; a shorter text has one shingle, the whole text."""
    words = text.split()
    if len(words) < ngram:
        return [b" ".join(words)]
    return list(map(b" ".join, zip(*(words[start:] for start in range(ngram)))))


def shingle_sets(path: Path, ngram: int) -> Iterator[list[bytes]]:
    """Yields the shingles of each document."""
    return (shingles(text, ngram) for text in normalised(path))


def greedy(
    documents: Iterable[Item], is_duplicate: Callable[[Item], bool], keep: Callable[[int, Item], None]
) -> list[bool]:
    """Returns for each document, in input order, whether it is kept: it is dropped if the rival finds an earlier kept duplicate.

    `keep` passes a kept document to the rival. Dropped documents are not passed, so nothing is dropped as their duplicate.
    """
    kept = []
    for number, document in enumerate(documents):
        duplicate = is_duplicate(document)
        if not duplicate:
            keep(number, document)
        kept.append(not duplicate)
    return kept


def write_kept(args: argparse.Namespace, kept: list[bool]) -> None:
    """Copies the kept lines in a second pass: holding them would count as the rival's memory."""
    with args.kept.open("wb") as file:
        file.writelines(compress(lines(args.input), kept))
