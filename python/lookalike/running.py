"""Runs over whole collections: `dedup` and `pairs`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack, overload

from lookalike import _lookalike
from lookalike.config import CollectionConfig, DedupOptions, PairsOptions
from lookalike.errors import ConfigError
from lookalike.files import Files, names_of
from lookalike.keywords import check
from lookalike.kinds import Kind, Wanted, has_splits, is_read_once, kind_of, numbered, usable
from lookalike.logs import started
from lookalike.progress import shown
from lookalike.references import references_of
from lookalike.report import Pairs, Report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_Path = str | os.PathLike[str]
_Names = _Path | Files | Sequence[os.PathLike[str]]
_Data = TypeVar("_Data")
_Item = TypeVar("_Item")
_Output = TypeVar("_Output", bound=str | os.PathLike[str])

# Keywords that control how files are read, for the data or the references.
OF_FILES = ("format", "delimiter", "encoding", "gitignore", "all_splits")

# Keywords that only work with named data, and the alternatives for data in memory.
_INSTEAD = {
    "output": "the kept documents are returned",
    "output_format": "the kept documents are returned",
    "rows_per_file": "the kept documents are returned",
    "bytes_per_file": "the kept documents are returned",
    "resume": "write the data to a file first",
    "dry_run": "nothing is written unless decisions= names a file",
    "input_command": "pass its output as a path, or what it prints as a list",
    "label": "report.decisions has one row with the decision for each document",
    "mark": "report.cuts has one row for each cut",
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
    data: Iterator[_Item],
    text: str = "text",
    id: str | None = None,
    threshold: float | None = None,
    *,
    output: None = None,
    against: Any = None,
    **options: Unpack[DedupOptions],
) -> tuple[Iterator[_Item], Report]: ...
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
    """Keep one document from each group of near-duplicates; returns the kept documents and a `Report`.

    A document is dropped if its similarity to a kept document reaches the threshold; its representative is the most similar of
    these kept documents. Similarity is the exact resemblance of the two sets of shingles, unless set otherwise.

    `data` is one of the kinds below. The kept documents are returned as the same kind of object unless another is named, in the
    same order, with the same types:

    - a list or tuple of `str`, or a numpy array of them; a list or tuple of dictionaries, which are rows;
    - a generator or other iterator of `str` or of dictionaries: it is read once, and the kept items are returned as an iterator;
    - a pandas frame or series (its index is preserved), or a polars frame or series;
    - a pyarrow `Table`, `RecordBatch`, `Array` or `ChunkedArray`, which is read without copies;
    - a pyarrow `RecordBatchReader`, a `pyarrow.dataset.Dataset` or `Scanner`, or any other object with `__arrow_c_stream__`: it
      is read once, and the kept rows are returned as a reader;
    - a polars `LazyFrame`, a DuckDB relation, or a Dask `DataFrame`: the query is executed once, and the result is lazy too. A
      relation belongs to the connection of the data, and a Dask frame has the same partitions and divisions;
    - a Hugging Face `Dataset` or `IterableDataset` (which is read once);
    - a Hugging Face `DatasetDict` or `IterableDatasetDict`. With several splits, such as train and test, `all_splits=True` is
      needed: the splits are then one collection, in the order of the dictionary, and a dictionary of the same splits with their
      kept rows is returned. Rows are counted through all splits, so the first row of the second split follows the last row of the
      first one in `report.kept` and `report.decisions`;
    - a path or URL as `str` or `pathlib.Path`, or several as a list of `Path` or as `Files(…)`: anything that the command reads.
      The kept records are written to `output`, unchanged byte for byte, and that name is returned; without `output` nothing is
      written, and `None` is returned with the report. With `label=True` all records are written to `output`, each with its
      decision, so that `apply` can drop records later.

    A list of `str` is a list of texts, never of names. What is read once or executed once is stored in a temporary file without
    compression, and what is returned reads that file. The file is removed when nothing reads it any more.

    With `tokens="items"` documents are sets, such as the films that a user has seen: `data` is a list of sets, lists or tuples of
    strings and numbers, or its column `text` contains these; in files they are JSON arrays. Items are compared as they are, each
    separately: 1 and 1.0 are the same item, but 1 and "1" are different, as are "a" and "A".

    `text` and `id` name the columns, or fields; a name such as `a.b` is the column or field with exactly this name or, if there
    is none, a field of a struct or object. Without `id`, documents in memory are identified by their rows, from 0, and documents
    in files by their field `id`, or by file and line.

    `against` are references, such as a test set or the documents that were kept before. `data` is compared with the references
    too. References are always kept, are first in keep order (the order in which documents are considered), and are neither
    returned nor listed in the decisions. References can be anything that `data` can be, or a list of several collections of any
    kinds (in which a name is a `Path` or `Files`). Their text is in the column or field `text`. References do not need ids:
    documents in files without an id are identified by file and line, and those in memory without a column `id` by their rows.
    Named references precede those in memory.

    - `against_text_field=None`: the field or column of references with the text, if it has another name there.
    - `against_only=True` compares documents with references, and not with each other: documents that are similar only to each
      other are all kept.
    - `drop_holders=True`, with `measure="containment"`: a document is dropped if it contains a reference (for example, a page
      that contains a test question), rather than if a reference contains it.

    The other keywords are listed here with their defaults. What is similar:

    - `threshold=None`: the similarity at which a document is dropped, above 0 and at most 1; None means 0.8, or the value of
      `preset`.
    - `preset=None`: settings for a kind of text; other keywords override them. `"quotations"`, for texts of one or two sentences,
      is `shingle=2, threshold=0.5`.
    - `measure="resemblance"`: shared shingles divided by all shingles of both texts; `"containment"`: divided by the shingles of
      the document that may be dropped.
    - `min_containment=None`: also require that this share of the shingles of a dropped document is in its representative.
    - `shingle=None`: the number of tokens in a shingle, 1 to 64; None means 5, except for lines (2), with anchors (3) and for
      sets (1). `tokens="auto"`: what a token is, or `"words"`, `"chars"`, `"lines"`, `"jieba"`; or `"items"`.
    - `anchors=[]`: languages, such as `["en"]` or `"en,de"`: use only shingles that begin with one of their stop words. Articles
      have many stop words, and menus and advertisements have few, so pages with the same article in different surroundings are
      similar. A text with few stop words is compared by all its shingles; `report.summary["few_anchors"]` counts these texts.
    - `fold=[]`: differences to ignore, such as `"accents,digits"`, `"marks"` or `["simplified"]`; `folds={}` is the same as a
      dictionary, `{"accents": True}`.
    - `occurrences="once"`: a shingle counts once in a text, or each time (`"labelled"`).
    - `recall=0.99`: the share of the pairs at the threshold that must be found.
    - `method="minhash"`: how candidates are found; or `"simhash"`, `"sentences"`, `"exact"`, `"shingle"` (misses no pair).
    - `candidates="bands"`: for MinHash `"bands"`, `"shared"` (the default for containment) or `"super"`. The other names,
      `"simhash"`, `"sentences"`, `"exact"` and `"all"`, select the method. A dictionary contains the settings of one kind:
      `Bands`, `Shared`, `SimHashBy`, `Sentences`. The following keywords are the same settings, one by one.
    - `bands=None`, `rows=None`, `permutations=None`: for bands. `modulus=None`, `common=None`: for shared and super, with
      `run_length=None` for super. `bits=None`, `features=None`, `distance=None`, `blocks=None`: for SimHash. `longest=None`,
      `digest=None`: for sentences. A keyword that the method does not use is an error.
    - `verify=None`: what makes a candidate similar: `"exact"`, `"sketch"` or `"none"`; by default it depends on `candidates`.
    - `cluster="law"`: a group is a kept document and the documents similar to it; `"components"`: documents that are connected by
      chains of similar pairs; `"greedy"`: Broder's clusters, with `representative=None` and `sample=None`; or `{"greedy": {…}}`.
    - `fingerprint="rolling"`, or `"rabin"` with `degree=None`, or `{"kind": "rabin", "degree": 64}`; `seed=1`: how shingles are
      mapped to numbers.
    - `set_field=None`: the column or field of sets, the same as `text` with `tokens="items"`.

    Which document is kept, and how ids are treated:

    - `keep="first"`: or `"longest"`, by the characters of the unchanged text (the default for containment), `"newest:FIELD"`,
      `"max:FIELD"`, `"min:FIELD"`; on a tie, the first.
    - `keep_per_group=None`: keep this number of documents of each group, the first ones, instead of one; or `drop="all"`: keep no
      document of a group (`drop="duplicates"` drops all except one). In `report.decisions`, only the verdicts change.
    - `allow_repeated_ids=False`: whether several documents may have the same id.

    How the run is executed:

    - `threads=0`: 0 for one per core; the answer is the same for any number.
    - `memory=None`: the limit in bytes, or a size such as `"8G"`; by default half of the free memory. Data beyond it is spilled
      to files in `temp_dir=None`.
    - `progress=None`: whether a progress bar is shown with tqdm; by default if standard error is a terminal.
    - `decisions=None`: a file for the command's decision lines. `report.decisions` has the decisions in any case.
    - `report=None`: an HTML file to look at (see `Report.to_html`), with `report_by=None`, a column or field by whose values
      documents are counted, and `report_floor=None`, the smallest threshold that can be tried in the page.
    - `html=None`: parse texts as HTML pages, and compare their `"text"` or `"main"` part.

    Several fields:

    - `text="title,body"`: compare the texts of several columns together; `text="messages[].content"`: those of all elements.
    - `and_field=[]`, `or_field=[]`: columns that are compared in addition to `text`. A document is dropped only if it is similar
      in each of `and_field` too, or if it is similar in any of `or_field` instead.

    For paths and URLs only:

    - `format=None`, `delimiter=None`, `encoding=None`: how files are read, if their names and first bytes do not show it.
    - `gitignore=False`: whether to ignore the files of a folder that its .gitignore files exclude.
    - `all_splits=False`: whether to read all splits of a dataset in a folder, such as train and test, as one collection;
      otherwise such a folder is an error. It is also for a `DatasetDict`.
    - `skip_bad=None`: a file to which bad lines are written, instead of stopping at the first one. `skip_bad=True` is for
      data in memory, and for files if the bad lines need not be written. It skips rows whose text is null or no text and, if
      `id` is given, rows without an id. These rows are counted in `report.summary["bad_lines"]`, are not returned, and have no
      decision; `report.skipped` has their row numbers.
    - `input_command=None`: a command, or several, whose output is read after the other inputs; `data` may be None then.
    - `dry_run=False`: whether to do everything except write files.
    - `resume=None`: a folder for saved progress, from which the same call continues after an interruption.
    - `output_format=None`: `"jsonl"`, `"json"`, `"csv"`, `"parquet"` or `"arrow"`, to convert the records if the name `output`
      does not say the format, such as the name of a folder.
    - `rows_per_file=None`, `bytes_per_file=None`: divide the output into files with this number of records, or of this size,
      such as `"500MB"`. The name `output` then has `{}` for the number of each file, such as `"part-{:05}.parquet"`. If
      `output` is a folder, such as `"clean/"`, each input file has a file of its own there, or kept documents are copied to it.
    - `label=False`, `label_prefix=""`: whether to write all records to `output`, with four fields that contain the decision.

    These keywords are the command's flags, with underscores and the same values, and the core's settings: see `DedupOptions`,
    `RunOptions` and `CollectionConfig`. `text` and `id` are `--text-field` and `--id-field`. `--json`, `--summary`, `--quiet` and
    `--no-decisions` affect what the command prints, and what it writes by default; they are not keywords.

    A text is a string; an id is a string, a number or a time; 1 and "1" are different ids. Any other value, such as null, is an
    error that reports its row, from 0, or for files its line, from 1. If batches of a stream differ in column types, the result
    uses the types that hold all values exactly (float64 for whole numbers and fractions); values that no type can hold are an
    error.

    Raises one of `lookalike.errors`, whose attributes show the place and the cause, or `TypeError` for an unknown keyword or
    unsupported data. A keyboard interrupt ends the run. The start and the end of a run are logged with the numbers of documents:
    level INFO, logger `lookalike`.

    Cost: one to two seconds per gigabyte on two cores; about 300 bytes of memory per document, which are spilled to the disk
    beyond `memory`. The texts of lists are copied once; Arrow data is not copied.

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
        raise ConfigError("label= only works with output=; name a file for the labelled records", option="label")
    if "label_prefix" in running and not running.get("label"):
        raise ConfigError("label_prefix= only works with label=True", option="label_prefix")
    ended = started("dedup", data)
    source = _source(data, text, id, against, {"output": output, **running}, config.get("tokens") == "items")
    if output is None:
        refuse_limits(running)
    with shown(progress) as bar:
        found, summary = _lookalike.dedup(
            source.texts, source.references, {**source.options, "threshold": threshold, **config}, bar
        )
    source.count_skipped(summary)
    ended(summary)
    again = _Again(dedup, data, (text, id, threshold), {"against": against, **options})
    report = Report(found, summary, source.read, again)
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
    """Find all pairs of similar documents, sorted by their places in the input.

    `data` is one of the kinds that `dedup` takes. From a stream or query, only the columns that are compared are stored.

    The keywords are those of `dedup`, except those that control what is kept and written: there is no `output`,
    `output_format`, `rows_per_file`, `bytes_per_file`, `keep`, `drop`, `keep_per_group`, `cluster`, `representative`, `sample`,
    `against_only`, `drop_holders`, `min_containment`, `and_field`, `or_field`, `label`, `label_prefix`, `decisions`,
    `report_floor`, `dry_run` and `resume` here; `exact=True` is `method="shingle"`. With `against`, `a` of each pair is a
    reference, and `b` is a document of `data`. A pair is similar if its exactly counted similarity reaches the threshold, unless
    `verify` is set otherwise.

    With `nearest=K`, each document (`a`) is listed with its K most similar matches (`b`): the most similar match comes first, and
    equally similar matches are in input order. A pair is listed twice if each document is among the other's nearest. With
    `against`, these matches are references.

    Candidates are found by sketches, which miss a share of the pairs; the summary reports this share (see `curve`). With
    `candidates="all"` no pair is missed, and all sets are held in memory.

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
    ended = started("pairs", data)
    source = _source(data, text, id, against, running, config.get("tokens") == "items", only_read=True)
    with shown(progress) as bar:
        found, summary = _lookalike.pairs(
            source.texts, source.references, {**source.options, "threshold": threshold, **config}, bar
        )
    source.count_skipped(summary)
    ended(summary)
    return Pairs(found, summary, _Again(pairs, data, (text, id, threshold), {"against": against, **options}))


@dataclass(frozen=True)
class _Again:
    """A run that can be repeated, to write its report."""

    run: Any
    data: Any
    first: tuple[Any, ...]
    keywords: dict[str, Any]

    def __call__(self, path: str) -> None:
        if is_read_once(self.data) or is_read_once(self.keywords["against"]):
            raise ConfigError("data that is read only once cannot be read again; name the file with report= in the run itself")
        # The files that the run wrote are not written again.
        outputs = (
            "output",
            "output_format",
            "rows_per_file",
            "bytes_per_file",
            "decisions",
            "label",
            "label_prefix",
            "resume",
            "dry_run",
            "report",
        )
        keywords = {name: value for name, value in self.keywords.items() if name not in outputs}
        if isinstance(keywords.get("skip_bad"), (str, os.PathLike)):
            keywords["skip_bad"] = True
        self.run(self.data, *self.first, **keywords, report=path, progress=False)


def refuse_limits(given: Mapping[str, Any]) -> None:
    """Raise `ConfigError` for a format or a limit of outputs, because there is no output."""
    for name, example in (
        ("output_format", "kept/"),
        ("rows_per_file", "part-{:05}.jsonl"),
        ("bytes_per_file", "part-{:05}.jsonl"),
    ):
        if given.get(name) is not None:
            raise ConfigError(f"{name}= only works with output=; give a name such as {example!r}", option=name)


def only_for_files(given: Mapping[str, Any], what: str = "data in memory", names: Iterable[str] = OF_FILES) -> None:
    """Raise `ConfigError` for a keyword that says how files are read."""
    for name in names:
        if given.get(name, False) is not False:
            raise ConfigError(f"{name}= only works with paths and URLs, not with {what}; leave it out", option=name)


def leave_splits(given: dict[str, Any], *collections: Any) -> None:
    """Remove `all_splits` from the keywords of files if it is meant for a collection that is a dictionary of splits."""
    if given.get("all_splits") and any(map(has_splits, collections)):
        del given["all_splits"]


def plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are not None, with paths as strings."""
    given = {name: value for name, value in options.items() if value is not None}
    return {name: os.fspath(value) if isinstance(value, os.PathLike) else value for name, value in given.items()}


def _known(options: type) -> list[str]:
    """List all keywords of a function with these options."""
    return ["text", "id", "threshold", "output", "against", *options.__annotations__]


def _field(text: str, options: Any) -> str:
    """Return the field that is compared; if `set_field` names it, documents are sets."""
    named = options.pop("set_field", None)
    if named is None:
        return text
    if text != "text" or options.setdefault("tokens", "items") != "items":
        raise ConfigError("set_field= names the field of the sets, whose items are the tokens; leave out text= and tokens=")
    return str(named)


def _split(options: Mapping[str, Any], known: type) -> tuple[dict[str, Any], dict[str, Any], bool | None]:
    """Split the options into those for running, those that determine the answer (including unknown ones), and `progress`."""
    running = set(known.__annotations__) - set(CollectionConfig.__annotations__)
    done = {name: value for name, value in options.items() if name in running}
    return done, {name: value for name, value in options.items() if name not in running}, done.pop("progress", None)


class _Source(NamedTuple):
    """The inputs of a run, in the form that the engine takes."""

    kind: Kind | None
    """The kind of the data, if it is in memory."""
    texts: tuple[str, _lookalike.Texts] | None
    references: list[tuple[str, _lookalike.Texts]]
    """The references in memory."""
    options: dict[str, Any]
    read: NDArray[np.bool_] | None
    """Which rows of the data are read, if some are skipped."""
    skipped: int
    """The number of skipped references in memory."""

    def count_skipped(self, summary: dict[str, Any]) -> None:
        """Add the number of skipped rows in memory to the number of bad lines."""
        skipped = self.skipped + (0 if self.read is None else int((~self.read).sum()))
        if skipped:
            summary["bad_lines"] += skipped


def skips(options: dict[str, Any]) -> bool:
    """Remove `skip_bad` from the options, and return whether unreadable rows are skipped."""
    skip_bad = options.pop("skip_bad", False)
    if not isinstance(skip_bad, bool):
        raise ConfigError(
            "skip_bad= with a file name only works with paths and URLs; with data in memory, skip_bad=True skips and counts rows "
            "without a text, and report.skipped has their row numbers",
            option="skip_bad",
        )
    return skip_bad


def _source(
    data: Any,
    text: str,
    id: str | None,
    against: Any,
    options: Mapping[str, Any],
    sets: bool,
    fields: Sequence[str] = (),
    only_read: bool = False,
) -> _Source:
    """Determine the kinds of data and references, and convert the keywords to the form that the engine takes.

    `fields` are columns that the run reads in addition to those that the keywords of `dedup` name; they may be null. With
    `only_read`, the run returns no rows of the data.
    """
    given = plain(options)
    inputs, folder = names_of(data), given.get("temp_dir")
    if data is None and "input_command" in given:
        inputs = []
    kind, texts, called, read = None, None, id, None
    several = [given.get(name, []) for name in ("and_field", "or_field")]
    compared = [field for one in several for field in ([one] if isinstance(one, str) else one)]
    skip_bad, skipped = False, 0
    if inputs is None:
        for name in _INSTEAD:
            if given.get(name, False) is not False:
                raise ConfigError(
                    f"{name}= only works with paths and URLs, not with a {type(data).__name__}; leave it out; {_INSTEAD[name]}",
                    option=name,
                )
        skip_bad = skips(given)
        if skip_bad and compared:
            words = "skip_bad= does not work with several fields, because any of them may be null; leave out one of the two"
            raise ConfigError(words, option="skip_bad")
        kind = kind_of(data)
        keep = str(given.get("keep", "")).partition(":")[2]
        others = [name for name in (id, keep) if name]
        counted = [*fields, *compared, given["report_by"]] if given.get("report_by") else [*fields, *compared]
        wanted = Wanted(
            type(data).__name__,
            text,
            [*others, *counted],
            folder,
            sets=sets,
            skip_bad=skip_bad,
            all_splits=bool(given.get("all_splits")),
            only_read=only_read,
        )
        texts = kind.texts(wanted)
        if id is None:
            called, texts = numbered(texts)
        if skip_bad:
            texts, read = usable(texts, [text, *others])
    elif given.get("skip_bad") is True:
        # Skipped lines are counted, but not stored.
        given["skip_bad"] = os.devnull
    names: list[str] = []
    references: list[tuple[str, _lookalike.Texts]] = []
    if against is not None:
        # If there are both files and data in memory, the engine counts the skipped lines of the files.
        skip_bad = skip_bad or given.get("skip_bad") not in (None, False)
        all_splits = bool(given.get("all_splits"))
        names, references, skipped = references_of(
            against,
            data,
            given.get("against_text_field", text),
            id,
            called or "id",
            folder,
            sets,
            skip_bad,
            all_splits,
            compared,
            "against_text_field" if "against_text_field" in given else "text",
        )
    if references and "resume" in given:
        words = "resume= only works with references that are named; write those in memory to a file, or leave it out"
        raise ConfigError(words, option="resume")
    if not inputs and not names:
        leave_splits(given, data, against)
        only_for_files(given, f"a {type(data).__name__}")
    given |= {"text": text, "inputs": list(inputs or []), "against": names}
    if called is not None:
        given["id"] = called
    return _Source(kind, None if texts is None else (type(data).__name__, texts), references, given, read, skipped)
