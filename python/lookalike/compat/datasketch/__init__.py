"""datasketch's classes, with its names, its arguments and its hash values.

Use `from lookalike.compat.datasketch import MinHash, MinHashLSH` in place of `from datasketch import …`: data that datasketch
stored (signatures, bytes of `LeanMinHash`) remains comparable, because every hash value is the same, bit by bit, for the same
seed and scheme. `MinHash.bulk` and `update_batch` hash and permute many tokens in one call, and release the interpreter lock.

The interface is that of datasketch 2.0.0: three permutation schemes, with `affine32` as the default; `legacy` is the scheme of
all earlier versions. There are three differences:

- Indexes are in memory or, with `storage_config={"type": "lookalike", "path": …}`, `MinHashLSH` is in a folder. Any other
  `storage_config` is an error.
- Nothing runs on a GPU: `gpu_mode="always"` is an error when tokens are hashed, as in datasketch without a GPU.
- A few results that mean nothing are errors, and one error is a result: see `HyperLogLog.merge`, `bBitMinHash.jaccard` and
  `HyperLogLog.count`.

Three parts of datasketch are not included: `HNSW` searches by any metric, and needs none of the sketches; `MinHashLSHBloom` needs
a package of Bloom filters, `pybloomfilter3`; and the asynchronous indexes (`AsyncMinHashLSH`) need a server, MongoDB or Redis.
"""

from __future__ import annotations

from lookalike.compat.datasketch.b_bit_minhash import bBitMinHash
from lookalike.compat.datasketch.hashfunc import sha1_hash32, sha1_hash64
from lookalike.compat.datasketch.hyperloglog import HyperLogLog, HyperLogLogPlusPlus
from lookalike.compat.datasketch.lean_minhash import LeanMinHash
from lookalike.compat.datasketch.lsh import MinHashLSH, MinHashLSHDeletionSession, MinHashLSHInsertionSession
from lookalike.compat.datasketch.lshensemble import MinHashLSHEnsemble
from lookalike.compat.datasketch.lshforest import MinHashLSHForest
from lookalike.compat.datasketch.minhash import MinHash
from lookalike.compat.datasketch.weighted_minhash import WeightedMinHash, WeightedMinHashGenerator

WeightedMinHashLSH = MinHashLSH
WeightedMinHashLSHForest = MinHashLSHForest

__all__ = [
    "HyperLogLog",
    "HyperLogLogPlusPlus",
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
    "bBitMinHash",
    "sha1_hash32",
    "sha1_hash64",
]
