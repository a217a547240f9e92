"""Removes near-duplicates with datasketch and xxHash, which its documentation advises for speed. It runs on one thread. It uses
MinHash.generator (update_batch on a shared set of permutations), MinHashLSH, and the estimate from the signatures.
"""

import xxhash
from datasketch import MinHash, MinHashLSH

import common


def xxh3_32(shingle: bytes) -> int:
    """Returns the low half of XXH3, because the default scheme uses 32 bits; XXH3 is faster than XXH32 on short strings."""
    return xxhash.xxh3_64_intdigest(shingle) & 0xFFFFFFFF


def main() -> None:
    args = common.arguments("datasketch")
    index = MinHashLSH(num_perm=common.PERMUTATIONS, params=(args.bands, args.rows))
    sketches: dict[int, MinHash] = {}

    def is_duplicate(sketch: MinHash) -> bool:
        return any(sketch.jaccard(sketches[other]) >= args.threshold for other in index.query(sketch))

    def keep(number: int, sketch: MinHash) -> None:
        index.insert(number, sketch, check_duplication=False)
        sketches[number] = sketch

    shingle_sets = common.shingle_sets(args.input, args.ngram)
    stream = MinHash.generator(shingle_sets, num_perm=common.PERMUTATIONS, hashfunc=xxh3_32)
    common.write_kept(args, common.greedy(stream, is_duplicate, keep))


if __name__ == "__main__":
    main()
