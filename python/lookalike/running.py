"""Whole collections: `dedup` and `pairs`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, Unpack, overload

from lookalike import _lookalike
from lookalike.config import CollectionConfig, DedupOptions, RunOptions
from lookalike.errors import ConfigError
from lookalike.files import Files, names_of
from lookalike.kinds import Kind, kind_of
from lookalike.progress import shown
from lookalike.report import Pairs, Report

_Path = str | os.PathLike[str]
_Names = _Path | Files | Sequence[os.PathLike[str]]
_Data = TypeVar("_Data")
_Output = TypeVar("_Output", bound=str | os.PathLike[str])

# What only inputs that are named can have.
_OF_FILES = ("output", "format", "delimiter", "encoding", "skip_bad", "resume")


@overload
def dedup(
    data: _Names,
    text: str = "text",
    id: str | None = None,
    threshold: float = 0.8,
    *,
    output: None = None,
    **options: Unpack[DedupOptions],
) -> tuple[None, Report]: ...
@overload
def dedup(
    data: _Names,
    text: str = "text",
    id: str | None = None,
    threshold: float = 0.8,
    *,
    output: _Output,
    **options: Unpack[DedupOptions],
) -> tuple[_Output, Report]: ...
@overload
def dedup(
    data: _Data,
    text: str = "text",
    id: str | None = None,
    threshold: float = 0.8,
    *,
    output: None = None,
    **options: Unpack[DedupOptions],
) -> tuple[_Data, Report]: ...
def dedup(
    data: Any,
    text: str = "text",
    id: str | None = None,
    threshold: float = 0.8,
    *,
    output: _Path | None = None,
    **options: Unpack[DedupOptions],
) -> tuple[Any, Report]:
    """Keep one of each group of documents that are roughly the same: gives what stays, and a `Report`.

    A document goes when one that stays is at least as similar to it as the threshold says; its representative is the most
    similar of these. Similarity is the exact resemblance of the two sets of shingles, unless asked otherwise.

    `data` is one of these, and what stays comes as the same kind of object, in the same order, of the same types:

    - a list or tuple of `str`, a numpy array of them;
    - a frame or series of pandas (with its index) or polars;
    - a pyarrow `Table`, `RecordBatch`, `Array` or `ChunkedArray`, read where it is, without copies;
    - a pyarrow `RecordBatchReader`, or anything else with `__arrow_c_stream__`: it goes through a temporary file, and what stays
      is again a reader;
    - a Hugging Face `Dataset` or `IterableDataset` (which is read once, into a temporary file);
    - a path or URL as `str` or `pathlib.Path`, several as a list of `Path` or as `Files(…)`: what the command reads. What stays
      is written to `output`, byte for byte as it came, and that name is given back; without `output` nothing is written, and
      `None` is given back beside the report.

    A list of `str` is a list of texts, never of names.

    `text` and `id` name the columns, or fields; `a.b` is a field of a struct. Without `id`, documents in memory are called by
    their rows, from 0, and those of files by their field `id`, or file and line.

    The other keywords are the flags of the command `lookalike dedup`, by their names and with their defaults, and the settings of
    the core: see `DedupOptions`, `RunOptions` and `CollectionConfig`. A bar is shown with tqdm when standard error is a
    terminal, or `progress` is true.

    Raises one of `lookalike.errors`, a class for each kind of refusal. An interrupt from the keyboard ends the run.

    Cost: one to two seconds a gigabyte on two cores; some 300 bytes of memory a document, beyond `memory` on the disk; for lists
    one copy of the texts, for Arrow none.

    >>> import lookalike
    >>> texts = ["one two three four five six seven", "One, two, three, four, five, six, seven!", "something else"]
    >>> kept, report = lookalike.dedup(texts)
    >>> kept
    ['one two three four five six seven', 'something else']
    >>> report.clusters
    {0: [0, 1]}
    """
    running, config, progress = _split(options, DedupOptions)
    kind, source, running = _source(data, text, id, {"output": output, **running})
    with shown(progress) as bar:
        found, summary = _lookalike.dedup(source, running, {"threshold": threshold, **config}, bar)
    report = Report(found, summary)
    return (output if kind is None else kind.select(report.kept)), report


def pairs(data: Any, text: str = "text", id: str | None = None, threshold: float = 0.5, **options: Unpack[RunOptions]) -> Pairs:
    """Find every pair of similar documents, sorted by their places in the input.

    `data` and the keywords are those of `dedup`. Similar is what reaches the threshold by exact count, unless `verify` says
    otherwise. Candidates come from sketches and miss a share of the pairs, which the summary tells (see `curve`); with
    `candidates="all"` none is missed, and all sets are held in memory.

    >>> import lookalike
    >>> found = lookalike.pairs(["one two three four five six", "one two three four five six seven", "something else"])
    >>> found.table.to_pylist()[0]["resemblance"]
    0.6666666666666666
    """
    running, config, progress = _split(options, RunOptions)
    _, source, running = _source(data, text, id, running)
    with shown(progress) as bar:
        found, summary = _lookalike.pairs(source, running, {"threshold": threshold, **config}, bar)
    return Pairs(found, summary)


def _split(options: Mapping[str, Any], known: type) -> tuple[dict[str, Any], dict[str, Any], bool | None]:
    """Part how a run is done from what decides the answer, among which is what nobody knows, and from the bar."""
    running = set(known.__annotations__) - set(CollectionConfig.__annotations__)
    done = {name: value for name, value in options.items() if name in running}
    return done, {name: value for name, value in options.items() if name not in running}, done.pop("progress", None)


def _source(
    data: Any, text: str, id: str | None, options: Mapping[str, Any]
) -> tuple[Kind | None, tuple[str, _lookalike.Texts] | None, dict[str, Any]]:
    """Find out what data is, and make of the keywords what the engine takes."""
    named = names_of(data)
    given = {name: os.fspath(value) if isinstance(value, os.PathLike) else value for name, value in options.items()}
    given = {name: value for name, value in given.items() if value is not None}
    given["text"] = text
    if named is not None:
        return None, None, {**given, "inputs": list(named), **({} if id is None else {"id": id})}
    for name in _OF_FILES:
        if name in given:
            raise ConfigError(f"{name}= goes with paths and URLs, and this is a {type(data).__name__}: leave it out")
    kind = kind_of(data)
    keep = str(given.get("keep", "")).partition(":")[2]
    others = [name for name in (id, keep) if name]
    texts = kind.texts(text, others, given.get("temp_dir"))
    called = id
    if called is None:
        called = next(name for name in ("id", "row", "number") if name not in (text, keep))
        texts = texts.numbered(called)
    return kind, (type(data).__name__, texts), {**given, "id": called}
