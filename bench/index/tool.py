"""What all tools have in common: a collection of texts that is filled, searched and changed."""

import os
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "rivals"))
import common

THRESHOLD = 0.8
NGRAM = 5
BANDS, ROWS = 16, 8
PERMUTATIONS = common.PERMUTATIONS
BATCH = 10_000
"""Documents that are prepared at a time, so that their shingles do not count as memory of the collection."""

Documents = list[tuple[int, str]]


class Tool:
    """A collection. `place` is a folder, or the port of a Redis server."""

    persistent = True
    """Whether another process can open the collection."""

    def __init__(self, place: str) -> None:
        self.place = place

    def fill(self, documents: Documents) -> None:
        """Creates the collection from these documents, as fast as the tool can."""
        raise NotImplementedError

    def open(self) -> None:
        """Opens the collection that another process filled."""
        raise NotImplementedError

    def add(self, number: int, text: str) -> None:
        """Adds one document."""
        raise NotImplementedError

    def settle(self) -> None:
        """Does what the tool's documentation advises after many small changes."""

    def query(self, text: str) -> list[int]:
        """Returns the documents whose similarity to a text is at least the threshold, by the exact value or an estimate."""
        raise NotImplementedError

    def delete(self, number: int) -> int | None:
        """Deletes a document; returns how many decisions about other documents changed, if the tool makes decisions."""
        raise NotImplementedError

    def stored(self) -> int | None:
        """Returns the number of bytes outside this process; None for a collection in memory."""
        files = [path for path in Path(self.place).rglob("*") if path.is_file()] if self.persistent else []
        return sum(os.stat(path).st_blocks * 512 for path in files) if files else None

    def close(self) -> None:
        """Closes the collection."""


def shingles(text: str) -> list[bytes]:
    """Returns the shingles of a text."""
    return common.shingles(text.encode(), NGRAM)


def batches(documents: Documents) -> Iterator[Documents]:
    """Yields the documents in lists of `BATCH`."""
    rest = iter(documents)
    while batch := list(islice(rest, BATCH)):
        yield batch
