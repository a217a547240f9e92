"""Removes near-duplicates with gaoya's parallel interface: par_bulk_insert_docs, then par_bulk_query of the same documents.

It cuts the shingles itself, in Rust, which is faster than passing it lists of tokens. It cannot keep a sketch between
inserting and querying, so each document is sketched twice, as in its own examples.
"""

from collections.abc import Iterator
from itertools import islice

from gaoya.minhash import MinHashStringIndex

import common

# Large enough to keep the threads busy (gaoya uses them for 100 texts or more), small enough that the texts in flight do not
# count as the index's memory. Larger blocks were no faster.
BLOCK = 256


def padded(text: bytes, ngram: int) -> str:
    """Returns the text, padded to at least `ngram` words, because gaoya gives all shorter texts the same signature.

    The padding is a capital letter, because no text in lower case contains it, and gaoya would drop punctuation.
    """
    missing = ngram - len(text.split(None, ngram))
    return text.decode() + " X" * missing


def reported(index: MinHashStringIndex, texts: Iterator[str]) -> Iterator[list[int]]:
    """Yields, for each document, the inserted documents whose similarity, estimated by gaoya, reaches the threshold."""
    while block := list(islice(texts, BLOCK)):
        first = index.size()
        index.par_bulk_insert_docs(list(range(first, first + len(block))), block)
        yield from index.par_bulk_query(block)


def main() -> None:
    args = common.arguments("gaoya")
    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=args.threshold,
        num_bands=args.bands,
        band_size=args.rows,
        analyzer="word",
        ngram_range=(args.ngram, args.ngram),
        id_container="vec",
    )
    texts = (padded(text, args.ngram) for text in common.normalised(args.input))
    staying: set[int] = set()
    kept = common.greedy(
        reported(index, texts),
        is_duplicate=lambda others: not staying.isdisjoint(others),
        keep=lambda number, _: staying.add(number),
    )
    common.write_kept(args, kept)


if __name__ == "__main__":
    main()
