"""Cut repeated passages out of texts: `cut`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from lookalike import _lookalike
from lookalike.config import CutOptions
from lookalike.errors import ConfigError
from lookalike.files import Files, names_of
from lookalike.keywords import check
from lookalike.kinds import Changes
from lookalike.logs import started
from lookalike.progress import shown
from lookalike.report import frame_of, table_of
from lookalike.running import _source, _split, refuse_limits

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

_Path = str | os.PathLike[str]
_Names = _Path | Files | Sequence[os.PathLike[str]]
_Data = TypeVar("_Data")
_Item = TypeVar("_Item")
_Output = TypeVar("_Output", bound=str | os.PathLike[str])

# Tokens that other functions take, and the alternatives.
_OTHER_TOKENS = {"items": "a set has no passages; use dedup()", "lines": 'to cut lines, use unit="lines"'}


class CutReport:
    """What `cut` removed from texts, and where the same words are kept.

    Documents are identified by their ids or, without ids, by their rows, from 0. A report takes about 70 bytes of memory per
    cut, 100 more for each document that keeps what was cut, and the ids. Tables are created when they are requested.
    """

    def __init__(self, cuts: _lookalike.Cuts, summary: dict[str, Any], read: NDArray[np.bool_] | None = None) -> None:
        self._cuts = cuts
        self._read = read
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`): the numbers of documents, tokens and cuts, the settings and the time."""

    def __len__(self) -> int:
        return self.documents

    @property
    def documents(self) -> int:
        """The number of documents, without references."""
        return int(self.summary["documents"])

    @property
    def unchanged(self) -> int:
        """The number of documents from which nothing was cut."""
        return int(self.summary["unchanged"])

    @property
    def cut(self) -> int:
        """The number of documents from which something was cut, and of which enough is left."""
        return int(self.summary["cut"])

    @property
    def dropped(self) -> int:
        """The number of documents of which too little was left."""
        return int(self.summary["dropped"])

    @property
    def tokens(self) -> int:
        """The number of tokens in all documents: the sum of `tokens_kept`, `tokens_cut` and `tokens_dropped`."""
        return int(self.summary["tokens"])

    @property
    def tokens_kept(self) -> int:
        """The number of tokens that are left."""
        return int(self.summary["tokens_kept"])

    @property
    def tokens_cut(self) -> int:
        """The number of tokens that were cut because another place has them."""
        return int(self.summary["tokens_cut"])

    @property
    def tokens_dropped(self) -> int:
        """The number of tokens of dropped documents that no other place has."""
        return int(self.summary["tokens_dropped"])

    @property
    def largest(self) -> list[dict[str, Any]]:
        """The passages that were cut most, the largest number of tokens first.

        Each is a dictionary: id (of the document that keeps the passage), text (its beginning), documents (the number of
        documents that lost it, or a part of it) and tokens (the number of tokens that were cut).
        """
        return list(self.summary["largest"])

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Which rows of the input are kept, in input order; for files, which documents. Skipped rows are not kept."""
        return self._rows(self._cuts.dropped(), among_kept=False)

    @cached_property
    def changed(self) -> NDArray[np.bool_]:
        """Which rows of the input are kept with a shorter text; for files, which documents."""
        return self._rows(self._cuts.cut(), among_kept=True)

    @cached_property
    def skipped(self) -> NDArray[np.int64]:
        """The rows of data in memory that `skip_bad=True` skipped, from 0."""
        import numpy as np

        return np.flatnonzero(~self._read) if self._read is not None else np.empty(0, np.int64)

    @property
    def cuts(self) -> pa.Table:
        """The cuts as a table with one row per cut, in the order of the documents and of their texts.

        Its columns: row, id and verdict of the document (cut, dropped); start and end, in characters of its original text, as
        Python counts them; insert, the text that replaces these characters, or null; tokens; source and source_row, the id and
        the row of the document that keeps the same words; source_start and source_end, their place in its original text.

        With `against` there are two more columns: reference, the place of the reference that has the same words, and
        reference_row, its row among all references, from 0. The source is then the reference's id, and source_row is null. A
        place is a file and a line, or `against row 3` in memory, or `against[1] row 3` if `against` is a list of collections;
        rows count from 0. If the ids have different types, such as integers and strings, they are JSON.

        The table is a `pyarrow.Table` if pyarrow is installed, else an object with `__arrow_c_stream__`, which polars and
        pandas accept.
        """
        return table_of(self._cuts.columns())

    def to_pandas(self) -> pd.DataFrame:
        """Return `cuts` as a pandas frame."""
        return frame_of(self._cuts.columns())

    def __repr__(self) -> str:
        noun = "document" if self.documents == 1 else "documents"
        words = f"{self.documents:,} {noun} in = {self.unchanged:,} unchanged + {self.cut:,} cut + {self.dropped:,} dropped"
        share = 100 * self.tokens_cut / max(self.tokens, 1)
        return f"<lookalike.CutReport: {words} ({share:.1f} % of the tokens cut)>"

    def _rows(self, documents: NDArray[np.int64], among_kept: bool) -> NDArray[np.bool_]:
        """Return a mask of rows: `among_kept` for the given documents, the opposite for all others, and false if skipped."""
        import numpy as np

        mask = np.full(self.documents, not among_kept)
        mask[documents] = among_kept
        if self._read is None:
            return mask
        rows = self._read.copy()
        rows[rows] = mask
        return rows


@overload
def cut(
    data: _Names,
    text: str = "text",
    id: str | None = None,
    *,
    output: None = None,
    against: Any = None,
    **options: Unpack[CutOptions],
) -> tuple[None, CutReport]: ...
@overload
def cut(
    data: _Names,
    text: str = "text",
    id: str | None = None,
    *,
    output: _Output,
    against: Any = None,
    **options: Unpack[CutOptions],
) -> tuple[_Output, CutReport]: ...
@overload
def cut(
    data: Iterator[_Item],
    text: str = "text",
    id: str | None = None,
    *,
    output: None = None,
    against: Any = None,
    **options: Unpack[CutOptions],
) -> tuple[Iterator[_Item], CutReport]: ...
@overload
def cut(
    data: _Data,
    text: str = "text",
    id: str | None = None,
    *,
    output: None = None,
    against: Any = None,
    **options: Unpack[CutOptions],
) -> tuple[_Data, CutReport]: ...
def cut(
    data: Any,
    text: str = "text",
    id: str | None = None,
    *,
    output: _Path | None = None,
    against: Any = None,
    **options: Unpack[CutOptions],
) -> tuple[Any, CutReport]:
    """Cut repeated passages out of texts, and keep one copy of each; returns the shorter texts and a `CutReport`.

    A passage is kept where it occurs first, and cut everywhere else: in later documents, and in the rest of the same document.
    Case, punctuation and white space are not compared. Every cut has a source, which is a place with the same words in the
    result or in a reference. A second run in the same order cuts nothing.

    `data` is one of the kinds that `dedup` takes. The result is a collection of the kind that `dedup` returns: in the column or
    field `text`, the texts without what was cut; all other columns, the types and the index are unchanged. Documents of which
    too little is left are dropped. For a path or URL, the records are written to `output`, and that name is returned; without
    `output`, no records are written, and `None` is returned with the report. Dictionaries in a list are copied if their text
    changes; the data itself is never changed. A `Dataset`, also in a `DatasetDict`, is written to a temporary file, which the
    result reads; the file exists until the program ends. The texts of a `LazyFrame` are copied to memory.

    A text is a string, as for `dedup`; sets have no passages. A column of texts in a dictionary or of a category stays one,
    with the new texts. If it has too few keys, or is a polars `Enum`, which cannot have new values, this is an error.

    `text` and `id` name the columns, or fields, as for `dedup`. Without `id`, documents in memory are identified by their rows,
    from 0.

    `against` are references, such as a test set: everything that they contain is cut out of the documents. They are what
    `against` of `dedup` can be, and are neither changed nor returned. If their text is in a field of another name,
    `against_text_field=None` names it.

    What is cut:

    - `unit="runs"`: what is compared and cut: runs of tokens, which may start and end anywhere; or `"lines"`, `"paragraphs"`,
      `"sentences"`.
    - `window=None`: the number of units in the shortest passage that is cut; None means 50 for runs, else 1.
    - `more_than=1`: the number of documents that keep a passage: it is cut if at least so many earlier documents contain it.
    - `within="all"`: which documents are compared: all of them; `"document"`, only parts of the same document; or
      `"group:FIELD"`, documents with the same value of a column or field, such as `"group:site"`. Only `"all"` works with
      `against`.
    - `min_tokens=None`: the smallest number of tokens in a passage; None means 5, and no minimum for runs.
    - `min_left=1`: a document from which something was cut is dropped if fewer tokens are left.
    - `verbatim=False`: whether the original bytes must be equal too.
    - `whole_lines=False`: with runs, whether only lines that are completely in repeated runs are cut.
    - `keep="first"`: the order in which documents are considered; the first one that has a passage keeps it. Or `"longest"`,
      `"newest:FIELD"`, `"max:FIELD"`, `"min:FIELD"`. The result is in input order in any case.
    - `tokens="auto"`: what a token is, or `"words"`, `"chars"`, `"jieba"`. `fold=[]`, or `folds={}` as a dictionary:
      differences to ignore, such as `"accents,digits"`.

    How the run is executed:

    - `mark=False`, `mark_prefix="cut_"`: whether to write all records to `output` with their whole texts, and with two fields
      that contain what would be cut.
    - `output_format=None`: for files, the format of the records if `output` does not say it, as for `dedup`.
    - `rows_per_file=None`, `bytes_per_file=None`: for files, several outputs of limited size, as for `dedup`; or `output` is a
      folder.
    - `cuts=None`: a file for the command's line about each document, which `apply` reads. `report.cuts` has the cuts in any
      case.
    - `dolma=None`: a file for the cuts as attributes of Dolma.
    - `report=None`: an HTML file to look at: the passages that were cut most, and documents with their cuts in place.
    - `resume=None`: for files, a folder for saved progress, from which the same call continues after an interruption.
    - `allow_repeated_ids=False`: whether several documents may have the same id.
    - `threads=0`, `memory=None`, `temp_dir=None`, `progress=None`: as for `dedup`. The result is the same for any of them.
    - `html=None`: parse texts as HTML pages, and return their `"text"` or `"main"` part, also of documents that are not cut.
    - `format=None`, `delimiter=None`, `encoding=None`, `gitignore=False`, `all_splits=False`, `input_command=None`: how files
      are read, as for `dedup`; `all_splits` is also for a `DatasetDict`.
    - `skip_bad=None`: a file to which bad lines are written, or True, as for `dedup`: rows without a usable text or id are
      skipped, not returned and have no cuts; `report.skipped` has their row numbers.

    These keywords are the command's flags, with underscores and the same values: see `CutOptions`. The result is what the
    command writes for the same records.

    Raises one of `lookalike.errors`, or `TypeError` for an unknown keyword or unsupported data. A keyboard interrupt ends the
    run.

    Cost: 5 to 8 seconds per gigabyte on two cores; 10 bytes of memory per kept token, and the texts that changed.

    >>> import lookalike
    >>> notice = "No part of this page may be copied. Ask the owner first."
    >>> pages = [f"Rain in the north. {notice}", f"Sun in the south. {notice.upper()}"]
    >>> texts, report = lookalike.cut(pages, window=8)
    >>> texts
    ['Rain in the north. No part of this page may be copied. Ask the owner first.', 'Sun in the south.']
    >>> report
    <lookalike.CutReport: 2 documents in = 1 unchanged + 1 cut + 0 dropped (37.5 % of the tokens cut)>
    >>> [(cut["id"], cut["start"], cut["end"], cut["source"]) for cut in report.cuts.to_pylist()]
    [(1, 17, 74, 0)]
    """
    known = ["text", "id", "output", "against", *CutOptions.__annotations__]
    check("cut", {"text": text, "id": id, "output": output, **options}, known, needed=("text",))
    tokens = str(options.get("tokens"))
    if tokens in _OTHER_TOKENS:
        raise ConfigError(f"tokens={tokens!r} does not work with cut(); {_OTHER_TOKENS[tokens]}", option="tokens")
    if options.get("whole_lines") and options.get("unit", "runs") != "runs":
        words = 'whole_lines= only works with unit="runs", because other units are whole already; leave it out'
        raise ConfigError(words, option="whole_lines")
    where = str(options.get("within") or "all")
    if against is not None and where != "all":
        words = "within= does not work with against=, because references are compared with all documents; cut in two calls"
        raise ConfigError(words, option="within")
    running, config, progress = _split(options, CutOptions)
    if output is None and running.get("mark") and names_of(data) is not None:
        raise ConfigError("mark= only works with output=; name a file for the marked records", option="mark")
    if "mark_prefix" in running and not running.get("mark"):
        raise ConfigError("mark_prefix= only works with mark=True", option="mark_prefix")
    group = [where.partition(":")[2]] if where.startswith("group:") else []
    ended = started("cut", data)
    source = _source(data, text, id, against, {"output": output, **running}, False, group)
    if output is None:
        refuse_limits(running)
    with shown(progress) as bar:
        found, texts, summary = _lookalike.cut_texts(source.texts, source.references, {**source.options, **config}, bar)
    source.count_skipped(summary)
    ended(summary)
    report = CutReport(found, summary, source.read)
    if source.kind is None:
        return output, report
    folder = source.options.get("temp_dir")
    rows = texts.rows() if source.read is None else source.read.nonzero()[0][texts.rows()]
    return source.kind.rewritten(Changes(type(data).__name__, text, report.kept, rows, texts, folder)), report
