"""Removes near-duplicates with rensa as its README shows: RMinHashDeduplicator.add_pairs over a stream of token lists.

It sketches, bands, estimates and decides in Rust, on one thread.
"""

from rensa import RMinHashDeduplicator

import common


def main() -> None:
    args = common.arguments("rensa")
    deduplicator = RMinHashDeduplicator(args.threshold, common.PERMUTATIONS, use_lsh=True, num_bands=args.bands)
    shingle_sets = common.shingle_sets(args.input, args.ngram)
    kept = deduplicator.add_pairs((str(number), shingles) for number, shingles in enumerate(shingle_sets))
    common.write_kept(args, kept)


if __name__ == "__main__":
    main()
