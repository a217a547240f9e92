"""Whole collections: `dedup` and `pairs`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack, overload

from lookalike import _lookalike
from lookalike.config import CollectionConfig, DedupOptions, PairsOptions
from lookalike.errors import ConfigError
from lookalike.files import Files, names_of
from lookalike.keywords import check
from lookalike.kinds import Kind, Wanted, kind_of, numbered, usable
from lookalike.progress import shown
from lookalike.references import references_of
from lookalike.report import Pairs, Report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_Path = str | os.PathLike[str]
_Names = _Path | Files | Sequence[os.PathLike[str]]
_Data = TypeVar("_Data")
_Output = TypeVar("_Output", bound=str | os.PathLike[str])

# How files are read, data's or references'.
_OF_FILES = ("format", "delimiter", "encoding", "gitignore", "all_splits")

# What goes with data that is named, and what to do with data in memory instead.
_INSTEAD = {
    "output": "what stays is given back",
    "resume": "write the data to a file first",
    "dry_run": "nothing is written unless decisions= names a file",
    "input_command": "give its output as a path, or what it prints as a list",
    "label": "report.decisions has what was decided, a row a document",
}


@overload
def dedup(
    data: _Names,
    text: str = "text",
    id: str | None = None,
    threshold: float | None = None,
    *,
    output: None = None,
    against: Any = None,
    **options: Unpack[DedupOptions],
) -> tuple[None, Report]: ...
@overload
def dedup(
    data: _Names,
    text: str = "text",
    id: str | None = None,
    threshold: float | None = None,
    *,
    output: _Output,
    against: Any = None,
    **options: Unpack[DedupOptions],
) -> tuple[_Output, Report]: ...
@overload
def dedup(
    data: _Data,
    text: str = "text",
    id: str | None = None,
    threshold: float | None = None,
    *,
    output: None = None,
    against: Any = None,
    **options: Unpack[DedupOptions],
) -> tuple[_Data, Report]: ...
def dedup(
    data: Any,
    text: str = "text",
    id: str | None = None,
    threshold: float | None = None,
    *,
    output: _Path | None = None,
    against: Any = None,
    **options: Unpack[DedupOptions],
) -> tuple[Any, Report]:
    """Keep one of each group of documents that are roughly the same: gives what stays, and a `Report`.

    A document goes when one that stays is at least as similar to it as the threshold says; its representative is the most
    similar of these. Similarity is the exact resemblance of the two sets of shingles, unless asked otherwise.

    `data` is one of these, and what stays comes as the same kind of object, in the same order, of the same types:

    - a list or tuple of `str`, a numpy array of them; a list or tuple of dictionaries, which are rows;
    - a frame or series of pandas (with its index) or polars;
    - a pyarrow `Table`, `RecordBatch`, `Array` or `ChunkedArray`, read where it is, without copies;
    - a pyarrow `RecordBatchReader`, or anything else with `__arrow_c_stream__`: it goes through a temporary file, and what stays
      is again a reader;
    - a Hugging Face `Dataset` or `IterableDataset` (which is read once, into a temporary file);
    - a path or URL as `str` or `pathlib.Path`, several as a list of `Path` or as `Files(…)`: what the command reads. What stays
      is written to `output`, byte for byte as it came, and that name is given back; without `output` nothing is written, and
      `None` is given back beside the report. With `label=True` all records are written there, each with what was decided about
      it, for `apply` to drop by later.

    A list of `str` is a list of texts, never of names.

    With `tokens="items"` documents are sets by themselves, as the films that a user has seen: `data` is a list of sets, lists or
    tuples of strings and numbers, or its column `text` has such; of files, JSON arrays. Items are compared as they are, each by
    itself: 1 and 1.0 are one, 1 and "1", "a" and "A" are two.

    `text` and `id` name the columns, or fields; `a.b` is the one with exactly this name, or else a field of a struct or object.
    Without `id`, documents in memory are called by
    their rows, from 0, and those of files by their field `id`, or file and line.

    `against` are references, such as a test set or what was kept before: documents that `data` is compared with too. They stay
    whatever they are like, come first in keep order, and are neither given back nor decided about. They are anything that `data`
    may be, or a list of several such, mixed as you like (in it a name is a `Path` or `Files`); their text is in the column or
    field `text`. They need no ids: files' documents without one are called by file and line, those in memory without a column
    `id` by their rows. References that are named come before those in memory.

    - `against_only=True` compares with references alone: what is alike within `data` all stays.
    - `drop_holders=True`, with `measure="containment"`: a document goes for a reference that it contains, as a page for a test
      question, and not for one that contains it.

    The other keywords, with their defaults. What is similar:

    - `threshold=None`: the similarity from which a document goes, above 0 up to 1; None for 0.8, or what `preset` sets.
    - `preset=None`: settings for a kind of texts; other keywords win. `"quotations"`, for texts of one or two sentences, is
      `shingle=2, threshold=0.5`.
    - `measure="resemblance"`: shared shingles divided by all of both; `"containment"`: by those of the document that may go.
    - `shingle=None`: tokens in a shingle, 1 to 64; None for 5, of lines for 2, with anchors for 3. `tokens="auto"`: what these
      are, or `"words"`, `"chars"`, `"lines"`, `"jieba"`; or `"items"`.
    - `anchors=[]`: languages, such as `["en"]` or `"en,de"`: only shingles that begin with one of their stop words. Articles have
      many, menus and advertisements few, so pages with one article among unlike things are alike. A text with few stop words is
      compared by all its shingles; `report.summary["few_anchors"]` counts these.
    - `fold=[]`: differences that are ignored, such as `"accents,digits"`, `"marks"` or `["simplified"]`; `folds={}` is the same
      as a dictionary, `{"accents": True}`.
    - `occurrences="once"`: a shingle counts once in a text, or each time (`"labelled"`).
    - `recall=0.99`: the share of the pairs at the threshold that must be found.
    - `method="minhash"`: how candidates are found; or `"simhash"`, `"sentences"`, `"exact"`, `"shingle"` (none is missed).
    - `candidates="bands"`: for MinHash `"bands"`, `"shared"` (the default for containment) or `"super"`. The other names,
      `"simhash"`, `"sentences"`, `"exact"` and `"all"`, choose the method. A dictionary has the settings of one: `Bands`,
      `Shared`, `SimHashBy`, `Sentences`. The following keywords have the same settings one by one.
    - `bands=None`, `rows=None`, `permutations=None`: for bands. `modulus=None`, `common=None`: for shared and super, with
      `run_length=None` for super. `bits=None`, `features=None`, `distance=None`, `blocks=None`: for SimHash. `longest=None`,
      `digest=None`: for sentences. One that the method does not use is refused.
    - `verify=None`: what makes a candidate similar: `"exact"`, `"sketch"` or `"none"`; what goes with `candidates` unless given.
    - `cluster="law"`: a kept document and those similar to it; `"components"`: all that chains of similar pairs connect;
      `"greedy"`: Broder's clusters, with `representative=None` and `sample=None`; or `{"greedy": {…}}`.
    - `fingerprint="rolling"`, or `"rabin"` with `degree=None`, or `{"kind": "rabin", "degree": 64}`; `seed=1`: what shingles are
      numbered by.
    - `set_field=None`: the column or field of sets, as `text` with `tokens="items"`.

    Who stays, and how ids are taken:

    - `keep="first"`: or `"longest"`, by the characters of the text as it is (the default for containment), `"newest:FIELD"`,
      `"max:FIELD"`, `"min:FIELD"`; ties go to the first.
    - `allow_repeated_ids=False`: whether several documents may have the same id.

    How the run is done:

    - `threads=0`: one a core; the answer is the same for any number.
    - `memory=None`: bytes, or a size such as `"8G"`; half of what is free. What is above goes to files in `temp_dir=None`.
    - `progress=None`: whether a bar is shown with tqdm; when standard error is a terminal, unless it is said.
    - `decisions=None`: a file for the command's decision lines. `report.decisions` has them in any case.
    - `html=None`: take texts for pages of HTML, and compare their `"text"` or `"main"` part.

    Of paths and URLs only:

    - `format=None`, `delimiter=None`, `encoding=None`: how files are read where they do not say it themselves.
    - `gitignore=False`: of folders, leave out what .gitignore files say.
    - `all_splits=False`: read all splits of a data set that a folder holds, such as train and test, as one collection; such a
      folder is refused otherwise.
    - `skip_bad=None`: a file to set bad lines aside in, instead of stopping at the first. With data in memory (and with files,
      where the lines need not be kept) `skip_bad=True`: rows without a text, such as null, or without an id, where `id` names a
      column, are skipped. They are counted in `report.summary["bad_lines"]`, are not given back, and have no decision;
      `report.skipped` has their numbers.
    - `input_command=None`: a command, or several, whose output is read after the other inputs; `data` may be None then.
    - `dry_run=False`: do everything except write files.
    - `resume=None`: a folder to keep what is done in, so that the same call goes on from there.
    - `label=False`, `label_prefix=""`: write all records to `output`, with four fields that say what was decided.

    They are the command's flags, with underscores and the same values, and the core's settings: see `DedupOptions`, `RunOptions`
    and `CollectionConfig`. `text` and `id` are `--text-field` and `--id-field`. `--json`, `--summary`, `--quiet` and
    `--no-decisions` concern what the command prints, and what it writes without being asked; they are not keywords.

    A text is a string, an id a string, a number or a time; 1 and "1" are two ids. What is neither, as null, is refused, with its
    row, from 0; of files with its line, from 1. Batches that come by and by may have columns of other types than those before:
    they come back in the types that hold all values exactly (whole numbers and fractions as float64), and what no type holds
    is refused.

    Raises one of `lookalike.errors`, whose attributes say where and what; `TypeError` for a keyword that is none, and for data of
    another kind. An interrupt from the keyboard ends the run.

    Cost: one to two seconds a gigabyte on two cores; some 300 bytes of memory a document, beyond `memory` on the disk; for lists
    one copy of the texts, for Arrow none.

    >>> import lookalike
    >>> texts = ["one two three four five six seven", "One, two, three, four, five, six, seven!", "something else"]
    >>> kept, report = lookalike.dedup(texts)
    >>> kept
    ['one two three four five six seven', 'something else']
    >>> report.clusters
    {0: [0, 1]}
    >>> kept, report = lookalike.dedup(texts, against=["Something ELSE"])
    >>> kept
    ['one two three four five six seven']
    >>> report.decisions["reference"].to_pylist()
    [None, None, 'against row 0']
    """
    known = _known(DedupOptions)
    check("dedup", {"text": text, "id": id, "threshold": threshold, "output": output, **options}, known, needed=("text",))
    text = _field(text, options)
    running, config, progress = _split(options, DedupOptions)
    if output is None and running.get("label"):
        raise ConfigError("label= goes with output=: name a file for the labelled records", option="label")
    if "label_prefix" in running and not running.get("label"):
        raise ConfigError("label_prefix= goes with label=True", option="label_prefix")
    source = _source(data, text, id, against, {"output": output, **running}, config.get("tokens") == "items")
    with shown(progress) as bar:
        found, summary = _lookalike.dedup(
            source.texts, source.references, {**source.options, "threshold": threshold, **config}, bar
        )
    source.count_skipped(summary)
    report = Report(found, summary, source.read)
    return (output if source.kind is None else source.kind.select(report.kept)), report


def pairs(
    data: Any,
    text: str = "text",
    id: str | None = None,
    threshold: float = 0.5,
    *,
    against: Any = None,
    **options: Unpack[PairsOptions],
) -> Pairs:
    """Find every pair of similar documents, sorted by their places in the input.

    `data` and the keywords are those of `dedup`, but for those of what stays and what is written: there is no `output`, `keep`,
    `cluster`, `representative`, `sample`, `against_only`, `drop_holders`, `label`, `label_prefix`, `decisions`, `dry_run` and
    `resume` here; `exact=True` is `method="shingle"`. With `against` these are the pairs of
    a reference and a document of `data`, in which a is the reference. Similar is what reaches the threshold by exact count,
    unless `verify` says otherwise.

    With `nearest=K` each document, a, is listed with its K most similar matches, b: the most similar first, equally similar ones
    in input order. A pair is listed twice where each is among the other's nearest. With `against` the neighbours, b, are
    references.

    Candidates come from sketches and miss a share of the pairs, which the summary tells (see
    `curve`); with `candidates="all"` none is missed, and all sets are held in memory.

    >>> import lookalike
    >>> found = lookalike.pairs(["one two three four five six", "one two three four five six seven", "something else"])
    >>> found.table.to_pylist()[0]["resemblance"]
    0.6666666666666666
    >>> texts = ["one two three", "one two three four", "one two three four five"]
    >>> nearest = lookalike.pairs(texts, shingle=1, nearest=1).table
    >>> list(zip(nearest["a"].to_pylist(), nearest["b"].to_pylist()))
    [(0, 1), (1, 2), (2, 1)]
    """
    check("pairs", {"text": text, "id": id, "threshold": threshold, **options}, _known(PairsOptions))
    text = _field(text, options)
    running, config, progress = _split(options, PairsOptions)
    source = _source(data, text, id, against, running, config.get("tokens") == "items")
    with shown(progress) as bar:
        found, summary = _lookalike.pairs(
            source.texts, source.references, {**source.options, "threshold": threshold, **config}, bar
        )
    source.count_skipped(summary)
    return Pairs(found, summary)


def plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is None, and make names of paths."""
    given = {name: value for name, value in options.items() if value is not None}
    return {name: os.fspath(value) if isinstance(value, os.PathLike) else value for name, value in given.items()}


def _known(options: type) -> list[str]:
    """Name all keywords that go with some options."""
    return ["text", "id", "threshold", "output", "against", *options.__annotations__]


def _field(text: str, options: Any) -> str:
    """Give the field that is compared; where `set_field` names it, documents are sets."""
    named = options.pop("set_field", None)
    if named is None:
        return text
    if text != "text" or options.setdefault("tokens", "items") != "items":
        raise ConfigError("set_field= names the field of the sets, whose items are the tokens: leave out text= and tokens=")
    return str(named)


def _split(options: Mapping[str, Any], known: type) -> tuple[dict[str, Any], dict[str, Any], bool | None]:
    """Part how a run is done from what decides the answer, among which is what nobody knows, and from the bar."""
    running = set(known.__annotations__) - set(CollectionConfig.__annotations__)
    done = {name: value for name, value in options.items() if name in running}
    return done, {name: value for name, value in options.items() if name not in running}, done.pop("progress", None)


class _Source(NamedTuple):
    """What is read, as the engine takes it."""

    kind: Kind | None
    """Of data in memory."""
    texts: tuple[str, _lookalike.Texts] | None
    references: list[tuple[str, _lookalike.Texts]]
    """Those in memory."""
    options: dict[str, Any]
    read: NDArray[np.bool_] | None
    """Which rows of the data are read, where some are skipped."""
    skipped: int
    """How many references in memory are skipped."""

    def count_skipped(self, summary: dict[str, Any]) -> None:
        """Count what was skipped in memory among the bad lines."""
        skipped = self.skipped + (0 if self.read is None else int((~self.read).sum()))
        if skipped:
            summary["bad_lines"] += skipped


def _skips(options: dict[str, Any]) -> bool:
    """Take out whether rows that cannot be read are skipped."""
    skip_bad = options.pop("skip_bad", False)
    if not isinstance(skip_bad, bool):
        raise ConfigError(
            "skip_bad= names a file only for paths and URLs; with data in memory skip_bad=True skips and counts rows without a "
            "text, and report.skipped has their numbers",
            option="skip_bad",
        )
    return skip_bad


def _source(data: Any, text: str, id: str | None, against: Any, options: Mapping[str, Any], sets: bool) -> _Source:
    """Find out what data and references are, and make of the keywords what the engine takes."""
    given = plain(options)
    inputs, folder = names_of(data), given.get("temp_dir")
    if data is None and "input_command" in given:
        inputs = []
    kind, texts, called, read = None, None, id, None
    skip_bad, skipped = False, 0
    if inputs is None:
        for name in _INSTEAD:
            if given.get(name, False) is not False:
                raise ConfigError(
                    f"{name}= goes with paths and URLs, and this is a {type(data).__name__}: leave it out; {_INSTEAD[name]}",
                    option=name,
                )
        skip_bad = _skips(given)
        kind = kind_of(data)
        keep = str(given.get("keep", "")).partition(":")[2]
        others = [name for name in (id, keep) if name]
        texts = kind.texts(Wanted(type(data).__name__, text, others, folder, sets=sets, skip_bad=skip_bad))
        if id is None:
            called, texts = numbered(texts)
        if skip_bad:
            texts, read = usable(texts, [text, *others])
    elif given.get("skip_bad") is True:
        # Counted, and kept nowhere.
        given["skip_bad"] = os.devnull
    names: list[str] = []
    references: list[tuple[str, _lookalike.Texts]] = []
    if against is not None:
        # Of files and data in memory together the former are counted by the engine.
        skip_bad = skip_bad or given.get("skip_bad") is not None
        names, references, skipped = references_of(against, data, text, id, called or "id", folder, sets, skip_bad)
    if references and "resume" in given:
        words = "resume= goes with references that are named: write those in memory to a file, or leave it out"
        raise ConfigError(words, option="resume")
    for name in _OF_FILES:
        if given.get(name, False) is not False and not inputs and not names:
            words = f"{name}= goes with paths and URLs, and this is a {type(data).__name__}: leave it out"
            raise ConfigError(words, option=name)
    given |= {"text": text, "inputs": list(inputs or []), "against": names}
    if called is not None:
        given["id"] = called
    return _Source(kind, None if texts is None else (type(data).__name__, texts), references, given, read, skipped)
