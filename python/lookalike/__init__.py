"""Find documents that are roughly the same, keep one of each, and say why.

Two texts resemble each other as their sets of shingles (runs of five words) overlap: shared shingles divided by all, |A ∩ B|
/ |A ∪ B|. Everything here has the names and the defaults of lookalike's core, gives the same answers as its command, byte for
byte, and computes without holding the interpreter.

- `dedup`: a collection, of which one of each group stays, and why; `pairs`: all its similar pairs; `evaluate`: which method does
  what on it. Lists, frames of pandas and polars, Arrow tables, data sets of Hugging Face, files and URLs; compared with
  references of the same kinds too, such as test sets. `apply`: drops from files by decisions that were written before.
- `compare`: two texts, exactly, and what they share; `passages`: what they share word for word, and where it stands.
- `LshIndex`: texts in memory that can be asked for those that resemble a text.
- `MinHash`, `Bottom`, `Modulo`, `SimHash`: makers of sketches, one text or a batch at a time.
- `curve`: which pairs bands and rows find.
- `lookalike.compat.datasketch`: datasketch's classes, with its hash values, faster.
- `python -m lookalike`: the command.

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
    SharedPassage,
    Signature,
    SimHash,
    SimHashSketch,
    compare,
    curve,
    default_config,
    fingerprints,
    passages,
)
from lookalike.applying import apply
from lookalike.config import CollectionConfig, Config, DedupOptions, PairsOptions, ReadOptions, RunOptions, ShinglesConfig
from lookalike.errors import Error
from lookalike.files import Files
from lookalike.judging import Evaluation, evaluate
from lookalike.report import Pairs, Report
from lookalike.running import dedup, pairs

__version__ = _version("lookalike")

__all__ = [
    "Bottom",
    "BottomSketch",
    "CollectionConfig",
    "Columns",
    "Comparison",
    "Config",
    "Curve",
    "DedupOptions",
    "Error",
    "Estimate",
    "Evaluation",
    "Files",
    "LshIndex",
    "Match",
    "MinHash",
    "Modulo",
    "ModuloSketch",
    "Pairs",
    "PairsOptions",
    "Passage",
    "ReadOptions",
    "Report",
    "RunOptions",
    "SharedPassage",
    "ShinglesConfig",
    "Signature",
    "SimHash",
    "SimHashSketch",
    "apply",
    "compare",
    "curve",
    "dedup",
    "default_config",
    "errors",
    "evaluate",
    "fingerprints",
    "pairs",
    "passages",
]
