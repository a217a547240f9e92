"""Makes the collections of `make bench-spark`, as Parquet with the columns number, id and text.

- `pieces`: pieces of 1,130 characters of the documents of `make bench`, so many of them are similar
- `even`: texts of random words, a fifth of which are copies of another text with a changed word
- `copies`: copies of one text, each with another changed word; they are one part, and share most buckets
- `path`: versions of one text; each version changes a word of the version before it, and never changes it back
- `template`: texts that share two thirds of their words, and are not similar enough to be duplicates
"""

from __future__ import annotations

import argparse
import json
import random
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq

WORDS = [f"w{number:x}" for number in range(200_000)]


def pieces(count, collection):
    """Yield pieces of documents."""
    with open(collection, "rb") as lines:
        for line in lines:
            text = json.loads(line)["text"]
            for start in range(0, max(1, len(text)), 1130):
                yield text[start : start + 1130]


def even(count, draw):
    """Yield texts, a fifth of which are copies with a changed word."""
    held = []
    for number in range(count):
        if held and draw.random() < 0.2:
            text = list(draw.choice(held))
            text[draw.randrange(len(text))] = draw.choice(WORDS)
        else:
            text = draw.choices(WORDS, k=120)
            if number < 10_000:
                held.append(text)
        yield " ".join(text)


def copies(count, draw):
    """Yield copies of one text, each with another changed word."""
    text = draw.choices(WORDS, k=120)
    for number in range(count):
        own = list(text)
        own[number % 120] = f"c{number}"
        yield " ".join(own)


def path(count, draw):
    """Yield versions of one text."""
    text = draw.choices(WORDS, k=120)
    for number in range(count):
        text[number * 7 % 120] = f"v{number}"
        yield " ".join(text)


def template(count, draw):
    """Yield texts that share two thirds of their words, in one run, so that their resemblance is about 0.5."""
    text = draw.choices(WORDS, k=80)
    for number in range(count):
        yield " ".join(text + [f"t{number}x{at}" for at in range(40)])


def main():
    """Write a collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=["pieces", "even", "copies", "path", "template"])
    parser.add_argument("count", type=int)
    parser.add_argument("output")
    parser.add_argument("--collection", help="for pieces: the documents, as JSON Lines")
    asked = parser.parse_args()
    source = asked.collection if asked.case == "pieces" else random.Random(1)
    texts = globals()[asked.case](asked.count, source)
    schema = pa.schema([("number", pa.int64()), ("id", pa.string()), ("text", pa.string())])
    with pq.ParquetWriter(asked.output, schema, compression="zstd") as writer:
        start = 0
        while rows := list(islice(texts, min(20_000, asked.count - start))):
            numbers = range(start, start + len(rows))
            writer.write_table(pa.table([numbers, [f"doc{number:08}" for number in numbers], rows], schema=schema))
            start += len(rows)


if __name__ == "__main__":
    main()
