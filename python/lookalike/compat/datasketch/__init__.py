"""datasketch's classes, with its names, its arguments and its hash values.

`from lookalike.compat.datasketch import MinHash, MinHashLSH` in place of `from datasketch import …`: what was stored by
datasketch (signatures, bytes of `LeanMinHash`) stays comparable, since for the same seed and scheme every hash value is the
same, bit by bit. `MinHash.bulk` and `update_batch` hash and permute many tokens at once, without holding the interpreter.

The interface is that of datasketch 2.0.0: three permutation schemes, `affine32` by default; `legacy` is that of all versions
before. What differs: indexes are in memory (another `storage_config` than `{"type": "dict"}` is refused), and nothing runs on
a GPU (`gpu_mode="always"` is refused when it comes to hashing, as there without one).

The rest of datasketch (HNSW, HyperLogLog, bBitMinHash, MinHashLSHBloom, asynchronous indexes) is not here.
"""

from __future__ import annotations

from lookalike.compat.datasketch.hashfunc import sha1_hash32, sha1_hash64
from lookalike.compat.datasketch.lean_minhash import LeanMinHash
from lookalike.compat.datasketch.lsh import MinHashLSH, MinHashLSHDeletionSession, MinHashLSHInsertionSession
from lookalike.compat.datasketch.lshensemble import MinHashLSHEnsemble
from lookalike.compat.datasketch.lshforest import MinHashLSHForest
from lookalike.compat.datasketch.minhash import MinHash
from lookalike.compat.datasketch.weighted_minhash import WeightedMinHash, WeightedMinHashGenerator

WeightedMinHashLSH = MinHashLSH
WeightedMinHashLSHForest = MinHashLSHForest

__all__ = [
    "LeanMinHash",
    "MinHash",
    "MinHashLSH",
    "MinHashLSHDeletionSession",
    "MinHashLSHEnsemble",
    "MinHashLSHForest",
    "MinHashLSHInsertionSession",
    "WeightedMinHash",
    "WeightedMinHashGenerator",
    "WeightedMinHashLSH",
    "WeightedMinHashLSHForest",
    "sha1_hash32",
    "sha1_hash64",
]
