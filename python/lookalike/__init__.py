"""Find near-duplicate documents, keep one from each group, and report why the others were dropped.

The resemblance of two texts is the overlap of their sets of shingles (runs of five words): the number of shared shingles divided
by the number of all shingles of both texts, |A ∩ B| / |A ∪ B|. The package uses the names and the defaults of lookalike's core,
gives the same answers as its command, byte for byte, and releases the interpreter lock while it computes.

- `dedup` keeps one document from each group of a collection and reports why; `pairs` lists all similar pairs; `evaluate` measures
  methods on your data. These functions take lists, iterators, pandas, polars and Dask frames, Arrow tables and datasets, DuckDB
  relations, Hugging Face datasets, files and URLs. `dedup` and `pairs` can also compare the data with references of the same
  kinds, such as test sets. `apply` applies the decisions of an earlier run to files.
- `cut` keeps one copy of each passage that repeats inside documents, and returns the collection with the shorter texts.
- `audit` checks the result of any deduplication tool: which removals are justified, and which duplicates were missed.
- `link` finds records of the same person, firm or thing in one frame or two; `suggest_link` suggests how to compare them.
- `mirrors` finds sites that mirror each other and pairs their pages; `history` follows each page through several crawls.
- `compare` measures the similarity of two texts exactly and shows what they share; `passages` finds the passages that they share
  word for word, and `regions` those that one of them copied and changed. `find_passages` does both for collections.
- `minutiae` ranks the pairs of fingerprint cards that may be from the same finger.
- `Index` is a persistent index: a folder with documents and the decisions about them, which can be changed at any time.
- `LshIndex` is an in-memory index that returns the stored texts similar to a query text, and decides nothing.
- `MinHash`, `Bottom`, `Modulo` and `SimHash` make sketches of one text or of a batch.
- `curve` computes the share of the similar pairs that is found with a given number of bands and rows.
- `lookalike.compat.datasketch` has datasketch's classes, with its hash values, but faster.
- `python -m lookalike` runs the command.

>>> import lookalike
>>> fox = "The quick brown fox jumps over the lazy dog and runs away into the dark green wood."
>>> lookalike.compare(fox, fox.replace("lazy", "sleeping")).resemblance
0.4444444444444444
>>> index = lookalike.LshIndex(threshold=0.4)
>>> index.insert("fox", fox)
>>> index.query(fox.upper())
[Match(id='fox', similarity=1.0)]
>>> kept, report = lookalike.dedup([fox, fox.upper(), "Something else."])
>>> report
<lookalike.Report: 3 documents in = 2 kept + 1 dropped (33.3 %)>
"""

from __future__ import annotations

from importlib.metadata import version as _version

from lookalike import errors
from lookalike._lookalike import (
    Bottom,
    BottomSketch,
    Columns,
    Comparison,
    Curve,
    Estimate,
    LshIndex,
    Match,
    MinHash,
    Modulo,
    ModuloSketch,
    Passage,
    Region,
    SharedPassage,
    Signature,
    SimHash,
    SimHashSketch,
    compare,
    curve,
    default_config,
    fingerprints,
    passages,
    regions,
)
from lookalike.applying import apply
from lookalike.auditing import Audit, audit
from lookalike.cards import PrintPair, PrintPairs, minutiae
from lookalike.config import (
    ApplyOptions,
    AuditOptions,
    CollectionConfig,
    Config,
    CutOptions,
    DedupOptions,
    HistoryOptions,
    IndexConfig,
    InputOptions,
    LinkOptions,
    LinkRunOptions,
    MinutiaeOptions,
    MirrorsOptions,
    OutputOptions,
    PairsOptions,
    ReadOptions,
    RunOptions,
    ShinglesConfig,
)
from lookalike.crawls import History, Mirrors, history, mirrors
from lookalike.cutting import CutReport, cut
from lookalike.errors import Error
from lookalike.files import Files
from lookalike.index import Added, Decided, Deleted, Document, Found, FoundPassage, Index
from lookalike.judging import Evaluation, evaluate
from lookalike.linking import LinkConfig, Links, link, suggest_link
from lookalike.report import Pairs, Report
from lookalike.reuse import Passages, Reuse, ReusedPassage, find_passages
from lookalike.running import dedup, pairs

__version__ = _version("lookalike")

__all__ = [
    "Added",
    "ApplyOptions",
    "Audit",
    "AuditOptions",
    "Bottom",
    "BottomSketch",
    "CollectionConfig",
    "Columns",
    "Comparison",
    "Config",
    "Curve",
    "CutOptions",
    "CutReport",
    "Decided",
    "DedupOptions",
    "Deleted",
    "Document",
    "Error",
    "Estimate",
    "Evaluation",
    "Files",
    "Found",
    "FoundPassage",
    "History",
    "HistoryOptions",
    "Index",
    "IndexConfig",
    "InputOptions",
    "LinkConfig",
    "LinkOptions",
    "LinkRunOptions",
    "Links",
    "LshIndex",
    "Match",
    "MinHash",
    "MinutiaeOptions",
    "Mirrors",
    "MirrorsOptions",
    "Modulo",
    "ModuloSketch",
    "OutputOptions",
    "Pairs",
    "PairsOptions",
    "Passage",
    "Passages",
    "PrintPair",
    "PrintPairs",
    "ReadOptions",
    "Region",
    "Report",
    "Reuse",
    "ReusedPassage",
    "RunOptions",
    "SharedPassage",
    "ShinglesConfig",
    "Signature",
    "SimHash",
    "SimHashSketch",
    "apply",
    "audit",
    "compare",
    "curve",
    "cut",
    "dedup",
    "default_config",
    "errors",
    "evaluate",
    "find_passages",
    "fingerprints",
    "history",
    "link",
    "minutiae",
    "mirrors",
    "pairs",
    "passages",
    "regions",
    "suggest_link",
]
