"""Removes near-duplicates with datasketch or rensa, as their documentation shows, and writes the ids of the removed documents.

Tokens are what users of these libraries pass: the words of a text, or its characters if the script has no spaces. With `--ngram 5`,
they are shingles of five such tokens. All texts are in lower case and without punctuation, so that only the libraries differ.
"""

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

PERMUTATIONS = 128
WORD = re.compile(r"[^\W_]+")


def documents(path: Path, *, characters: bool, ngram: int) -> Iterator[tuple[str, list[str]]]:
    """Yields the id and the tokens of each document; a text shorter than an n-gram is one token."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            tokens = WORD.findall(record["text"].lower())
            if characters:
                tokens = list("".join(tokens))
            if ngram > 1 and tokens:
                starts = range(max(1, len(tokens) - ngram + 1))
                tokens = [" ".join(tokens[start : start + ngram]) for start in starts]
            yield record["id"], tokens


def removed_by_datasketch(texts: Iterable[tuple[str, list[str]]], threshold: float, *, estimate: bool) -> Iterator[str]:
    """Removes a document if MinHashLSH returns a kept one and, with `estimate`, if their estimated similarity is high enough."""
    from datasketch import MinHash, MinHashLSH

    lsh, kept = MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS), {}
    for name, tokens in texts:
        sketch = MinHash(num_perm=PERMUTATIONS)
        sketch.update_batch([token.encode() for token in tokens])
        found = lsh.query(sketch)
        if tokens and any(not estimate or sketch.jaccard(kept[other]) >= threshold for other in found):
            yield name
        elif tokens:
            lsh.insert(name, sketch)
            kept[name] = sketch


def removed_by_rensa(texts: Iterable[tuple[str, list[str]]], threshold: float) -> Iterator[str]:
    """Removes a document if RMinHashDeduplicator does not keep it."""
    from rensa import RMinHashDeduplicator

    deduplicator = RMinHashDeduplicator(threshold=threshold, num_perm=PERMUTATIONS, use_lsh=True)
    named = [(name, tokens) for name, tokens in texts if tokens]
    kept = deduplicator.add_pairs((str(number), tokens) for number, (_, tokens) in enumerate(named))
    return (name for (name, _), is_kept in zip(named, kept, strict=True) if not is_kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", choices=["datasketch", "datasketch-estimate", "rensa"])
    parser.add_argument("input", type=Path, help="JSON Lines with the fields id and text")
    parser.add_argument("removed", type=Path, help="write one id per line to this file")
    parser.add_argument("--threshold", type=float, default=0.8)
    parser.add_argument("--ngram", type=int, default=1, help="tokens per shingle")
    parser.add_argument("--characters", action="store_true", help="characters are tokens, instead of words")
    args = parser.parse_args()
    texts = documents(args.input, characters=args.characters, ngram=args.ngram)
    if args.tool == "rensa":
        removed = removed_by_rensa(texts, args.threshold)
    else:
        removed = removed_by_datasketch(texts, args.threshold, estimate=args.tool.endswith("estimate"))
    args.removed.write_text("".join(f"{name}\n" for name in removed), encoding="utf-8")


if __name__ == "__main__":
    main()
