"""Makes documents and queries from a bench collection with a fixed seed, and finds the true answers by counting shared shingles.

A document is a piece of `WORDS` words of a document of `make-collection`. The pieces of a copy are copies of pieces. All texts
are lower-case ASCII words with a space between them, so that every tool cuts them into the same shingles.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import xxhash
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).resolve().parents[1] / "rivals"))
import common

WORDS = 85
LONGEST = 40
"""The longest word in characters: Lance leaves longer words out."""
NGRAM = 5
THRESHOLD = 0.8
ADDED = 2000
"""The number of documents that are added one by one."""
KINDS = ("document", "changed", "stranger")


def pieces(path: Path) -> Iterator[str]:
    """Yields the pieces of all documents in order, without those that are too short or have other characters or long words."""
    for text in common.normalised(path):
        words = text.split()
        for start in range(0, len(words) - WORDS + 1, WORDS):
            piece = words[start : start + WORDS]
            joined = b" ".join(piece)
            if joined.isascii() and joined.islower() and max(map(len, piece)) <= LONGEST:
                yield joined.decode()


def changed(text: str, draw: random.Random) -> str:
    """Returns a copy with one to four words replaced, or with up to 12 words cut off at one end."""
    words = text.split()
    match draw.randrange(3):
        case 0:
            return " ".join(words[draw.randint(1, 12) :])
        case 1:
            return " ".join(words[: -draw.randint(1, 12)])
    for place in draw.sample(range(len(words)), draw.choice((1, 1, 2, 4))):
        words[place] = f"new{draw.randrange(10_000)}"
    return " ".join(words)


class Shingles:
    """The distinct shingles of all documents as 64-bit hashes, sorted, with the document of each."""

    def __init__(self, texts: list[str]) -> None:
        sets = [self.of(text) for text in texts]
        self.sizes = np.array([len(hashes) for hashes in sets])
        hashes = np.concatenate(sets)
        order = np.argsort(hashes, kind="stable")
        self.hashes = hashes[order]
        self.documents = np.repeat(np.arange(len(sets), dtype=np.int32), self.sizes)[order]

    @staticmethod
    def of(text: str) -> NDArray[np.uint64]:
        """Returns the hashes of the distinct shingles of a text."""
        distinct = set(common.shingles(text.encode(), NGRAM))
        return np.fromiter(map(xxhash.xxh3_64_intdigest, distinct), np.uint64, len(distinct))

    def similar(self, text: str) -> list[int]:
        """Returns all documents whose exact resemblance to a text reaches the threshold."""
        hashes = self.of(text)
        first, last = (np.searchsorted(self.hashes, hashes, side) for side in ("left", "right"))
        found = [self.documents[start:end] for start, end in zip(first, last, strict=True)]
        documents, shared = np.unique(np.concatenate(found), return_counts=True)
        resemblance = shared / (len(hashes) + self.sizes[documents] - shared)
        return documents[resemblance >= THRESHOLD].tolist()


def write(path: Path, rows: Iterator[dict[str, object]]) -> None:
    """Writes JSON Lines."""
    with path.open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("collection", type=Path, help="made by make-collection --english")
    parser.add_argument("folder", type=Path, help="where documents.jsonl and queries.jsonl go")
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=9000)
    args = parser.parse_args()

    each = args.queries // len(KINDS)
    texts = list(islice(pieces(args.collection), args.documents + ADDED + each))
    if len(texts) < args.documents + ADDED + each:
        sys.exit(f"{args.collection.name}: has only {len(texts)} pieces")
    documents, strangers = texts[: args.documents], texts[args.documents + ADDED :]
    draw = random.Random(1)
    queries = [("document", text) for text in draw.sample(documents, each)]
    queries += [("changed", changed(text, draw)) for text in draw.sample(documents, each)]
    queries += [("stranger", text) for text in strangers]
    draw.shuffle(queries)
    truth = Shingles(documents)
    args.folder.mkdir(parents=True, exist_ok=True)
    write(args.folder / "documents.jsonl", ({"id": number, "text": text} for number, text in enumerate(texts[:-each])))
    write(args.folder / "queries.jsonl", ({"kind": kind, "text": text, "similar": truth.similar(text)} for kind, text in queries))


if __name__ == "__main__":
    main()
