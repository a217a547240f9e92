"""A persistent index: a folder with documents and the decisions about them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, Unpack, overload

from lookalike import _lookalike
from lookalike.config import IndexConfig, InputOptions
from lookalike.errors import ConfigError, InputError, OutputError
from lookalike.files import names_of
from lookalike.keywords import check
from lookalike.kinds import Kind, Wanted, kind_of, numbered, sound, usable
from lookalike.progress import shown
from lookalike.report import TABLES, table_of
from lookalike.running import OF_FILES, leave_splits, only_for_files, plain, skips

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_Id = str | int | float
_Path = str | os.PathLike[str]


class Decided(NamedTuple):
    """The decision about a document."""

    verdict: Literal["kept", "dropped"]
    representative: _Id | None
    """The id of the kept document that represents it, if it is dropped."""
    similarity: float | None
    """Its similarity to the representative; None if it is kept, or if the similarity was not measured."""


class Document(NamedTuple):
    """What an index knows of a document."""

    id: _Id
    verdict: Literal["kept", "dropped"]
    representative: _Id | None
    similarity: float | None
    copies: list[_Id]
    """The other documents with the same text, after normalisation."""
    represents: list[_Id]
    """The documents that were dropped because of this one."""
    text: str | None
    """The text, if the index stores texts; for sets, a JSON array."""


class FoundPassage(NamedTuple):
    """A passage that a text shares word for word with a document; its places are in characters."""

    text: str
    start: int
    end: int
    start_of_document: int
    end_of_document: int
    tokens: int


class Found(NamedTuple):
    """A document that is similar to a text."""

    id: _Id
    verdict: Literal["kept", "dropped"]
    similarity: float
    resemblance: float | None
    """The exact resemblance; None if the index verifies by sketches. So are the other two figures."""
    containment: float | None
    """The share of the text that the document contains."""
    containment_of_document: float | None
    """The share of the document that the text contains."""
    passages: list[FoundPassage] | None
    """The shared passages, if they were requested."""


class Deleted:
    """What `Index.delete` changed."""

    def __init__(self, deleted: _lookalike.Deleted) -> None:
        self._deleted = deleted
        self.deleted: int
        """The number of deleted documents."""
        self.missing: int
        """The number of ids that no document had."""
        self.changed: int
        """The number of changed decisions about other documents."""
        self.deleted, self.missing, self.changed = deleted.counts()

    @property
    def changes(self) -> pa.Table:
        """All changed decisions, as in `Index.changes`, but without the column change."""
        return table_of(self._deleted.changes())

    def __repr__(self) -> str:
        return f"<lookalike.Deleted: {self.deleted:,} deleted, {self.missing:,} missing; {self.changed:,} decisions changed>"


class Added:
    """What `Index.add` or `Index.replace` changed. It takes about 100 bytes for each document."""

    def __init__(
        self, index: _lookalike.Index, added: _lookalike.Added, kind: Kind | None, read: NDArray[np.bool_] | None
    ) -> None:
        self._index, self._added, self._kind, self._read = index, added, kind, read
        counts = added.counts()
        self.documents: int = counts[0]
        """The number of documents that were read."""
        self.added: int = counts[1]
        """The number of documents that were added; the others were skipped."""
        self.skipped: int = counts[2]
        """The number of documents that were not added, because their ids are in the index."""
        self.replaced: int = counts[3]
        """The number of documents that replaced another one."""
        self.kept_count: int = counts[4]
        """The number of added documents that are kept."""
        self.dropped_count: int = counts[5]
        """The number of added documents that are dropped."""
        self.changed: int = counts[6]
        """The number of changed decisions about earlier documents."""
        self.bad_lines: int = counts[7] + (0 if read is None else int((~read).sum()))
        """The number of lines or rows that `skip_bad` skipped."""
        self.without_id: int = counts[8]
        """The number of documents of files that had no id, so that their ids are `file:line`."""
        self.bytes: int = counts[9]
        """The bytes of all records."""

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Which rows of the input were added and are kept, in input order; for files, which documents."""
        if self._read is None:
            return self._added.kept()
        kept = self._read.copy()
        kept[kept] = self._added.kept()
        return kept

    @property
    def data(self) -> Any:
        """The rows of the input that were added and are kept, as the same kind of object; None for files."""
        return None if self._kind is None else self._kind.select(self.kept)

    @property
    def decisions(self) -> pa.Table:
        """The decisions about the added documents, with the columns of `Index.decisions`.

        They are read from the index when they are requested, which must be open, and are as they are then. A representative
        that was added earlier is not a row of this table, so its row is null.
        """
        return table_of(self._index.decisions_of(self._added).columns())

    @property
    def changes(self) -> pa.Table:
        """All decisions that were made or changed, as in `Index.changes`, but without the column change."""
        return table_of(self._added.changes())

    def __repr__(self) -> str:
        noun = "document" if self.documents == 1 else "documents"
        words = f"{self.documents:,} {noun} in = {self.added:,} added + {self.skipped:,} skipped"
        return f"<lookalike.Added: {words}; {self.kept_count:,} kept, {self.dropped_count:,} dropped>"


class Index:
    """A folder with documents and the decisions about them: which are kept, which are dropped, and why.

    Documents can be added, replaced and deleted at any time. The decisions are always those that one run of `lookalike.dedup`
    would make about the documents that the index holds, in the order in which they were added. Each change returns the
    decisions that it changed. The command `lookalike index` uses the same folder.

    `Index(path)` opens an existing index; `Index.create` makes a new one. One process can write an index at a time, and any
    number can read it: `readonly=True` opens it as it is now. `with` closes the index at the end, so that another process can
    write it.

    Several threads can use one object. A change is on the disk when its function returns, or nothing of it remains; changes
    that several threads make at the same time share one sync. A collection is added in steps: if it is interrupted, the
    documents of earlier steps are added. The interpreter lock is released during all work. An index works in the process that
    opened it: after a fork, open it in the new process.

    Raises `InputError` if there is no index, `LockedError` if it is open for writing already, and `FormatError` if it is damaged.

    >>> import lookalike, tempfile
    >>> path = tempfile.mkdtemp()
    >>> fox = "The quick brown fox jumps over the lazy dog and runs away into the dark green wood."
    >>> with lookalike.Index.create(path) as index:
    ...     index.add([fox, fox.upper(), "Something else."], ids=["a", "b", "c"])
    ...     index.query("The quick brown fox jumps over the lazy dog and runs away into the dark green forest.")[0].id
    ...     index.delete(["a"]).changes["after"].to_pylist()
    <lookalike.Added: 3 documents in = 3 added + 0 skipped; 2 kept, 1 dropped>
    'a'
    [None, 'kept']
    >>> with lookalike.Index(path, readonly=True) as index:
    ...     len(index), "a" in index, index.get("b").verdict
    (2, False, 'kept')
    """

    def __init__(self, path: _Path, *, readonly: bool = False) -> None:
        check("Index", {"readonly": readonly}, ["readonly"])
        self._native = _lookalike.Index.open(_folder(path), bool(readonly))
        self._path = os.fspath(path)

    @classmethod
    def create(
        cls,
        path: _Path,
        *,
        store: Literal["texts", "sets", "sketches"] = "texts",
        keep: str = "first",
        sets: bool = False,
        **config: Unpack[IndexConfig],
    ) -> Self:
        """Create an index in a folder, which must not exist or must be empty, and open it.

        - `store="texts"`: what is stored of each document: the compressed texts; `"sets"`, the shingles as hashes: answers are
          exact, but texts and passages cannot be shown; or `"sketches"`, which take the least space and require
          `verify="sketch"`.
        - `keep="first"`: or `"longest"`, `"newest:FIELD"`, `"max:FIELD"`, `"min:FIELD"`, as in `dedup`.
        - `sets=False`: whether documents are sets; the same as `tokens="items"`.
        - The other keywords are those of `dedup` that determine how documents are compared, with the same defaults. Candidates
          must be found by bands, SimHash or sentences, or be exact copies. Containment, shared shingles, exact joins, components
          and greedy clusters are refused, because with these a new document can change any decision.

        Raises `ConfigError` if a setting is invalid, and `OutputError` if the folder is not empty or cannot be written.

        >>> import lookalike, tempfile
        >>> with lookalike.Index.create(tempfile.mkdtemp(), threshold=0.9, keep="longest") as index:
        ...     index.settings["config"]["threshold"], index.settings["keep"], index.settings["store"]
        (0.9, 'longest', 'texts')
        """
        given = {"store": store, "keep": keep, "sets": sets, **config}
        check("Index.create", given, ["store", "keep", "sets", *IndexConfig.__annotations__], needed=())
        made = object.__new__(cls)
        made._native = _lookalike.Index.create(_folder(path), plain(given))
        made._path = os.fspath(path)
        return made

    @property
    def path(self) -> str:
        """The folder."""
        return self._path

    @property
    def settings(self) -> dict[str, Any]:
        """The settings: config (how documents are compared), store and keep."""
        return self._native.settings()

    @property
    def closed(self) -> bool:
        """Whether the index is closed."""
        return self._native.closed

    def close(self) -> None:
        """Wait for the operations of other threads, and close the index. Other processes can write it afterwards."""
        self._native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, id: _Id) -> bool:
        return self._native.get(id) is not None

    def __repr__(self) -> str:
        if self.closed:
            return f"<lookalike.Index {self._path!r}: closed>"
        return f"<lookalike.Index {self._path!r}: {len(self):,} documents{', read-only' if self._native.readonly else ''}>"

    def add(
        self,
        data: Any,
        text: str = "text",
        id: str = "id",
        *,
        ids: Iterable[_Id] | None = None,
        on_conflict: Literal["fail", "skip", "replace"] = "fail",
        **options: Unpack[InputOptions],
    ) -> Added:
        """Add the documents of a collection, and decide about them.

        `data` is any kind of collection that `dedup` takes. `text` and `id` name its columns or fields; in place of `id`, `ids`
        are the ids of data in memory, one for each document. An id is a string or a number; 1 and "1" are different ids.
        Documents of files without an id get the id `file:line`. In an index of sets, `text` is the column of the sets.

        `on_conflict`: what happens if a document of the index has the same id: `"fail"` raises `RecordError`; with `"skip"` the
        new document is not added; with `"replace"` it replaces the old one, as `replace` does.

        The other keywords are those of `dedup` that determine how data is read: see `InputOptions`.

        The documents of a large collection are added some at a time, 64 MiB of them in a step. If a document is bad, documents
        before it can be added already; correct it, and add the same data again with `on_conflict="skip"`.

        >>> import lookalike, tempfile
        >>> index = lookalike.Index.create(tempfile.mkdtemp())
        >>> rows = [{"id": 1, "text": "one two three four five six"}, {"id": 2, "text": "One, two, three, four, five, six!"}]
        >>> added = index.add(rows)
        >>> added.kept.tolist(), added.data
        ([True, False], [{'id': 1, 'text': 'one two three four five six'}])
        >>> added.decisions.select(["id", "verdict", "representative"]).to_pylist()[1]
        {'id': 2, 'verdict': 'dropped', 'representative': 1}
        >>> index.add(rows, on_conflict="skip")
        <lookalike.Added: 2 documents in = 0 added + 2 skipped; 0 kept, 0 dropped>
        """
        check("Index.add", {"text": text, "id": id, "on_conflict": on_conflict, **options}, _ADDING, needed=("text", "id"))
        return self._add(data, text, id, ids, on_conflict, options)

    def replace(
        self,
        data: Any,
        text: str = "text",
        id: str = "id",
        *,
        ids: Iterable[_Id] | None = None,
        **options: Unpack[InputOptions],
    ) -> Added:
        """Add documents in place of those with the same ids.

        The old documents are deleted, and the new ones are added at the end, as if the old ones had never been there. Documents
        with new ids are added too. The keywords are those of `add`.

        >>> import lookalike, tempfile
        >>> index = lookalike.Index.create(tempfile.mkdtemp())
        >>> index.add(["a text", "a text", "another"], ids=["a", "b", "c"])
        <lookalike.Added: 3 documents in = 3 added + 0 skipped; 2 kept, 1 dropped>
        >>> replaced = index.replace(["a new text"], ids=["a"])
        >>> replaced.replaced, replaced.changed, index.get("b").verdict
        (1, 1, 'kept')
        """
        check("Index.replace", {"text": text, "id": id, **options}, [*_ADDING[:2], *_ADDING[3:]], needed=("text", "id"))
        return self._add(data, text, id, ids, "replace", options)

    def _add(self, data: Any, text: str, id: str, ids: Iterable[_Id] | None, on_conflict: str, options: Any) -> Added:
        progress = options.pop("progress", None)
        source = self._source(data, text, id, ids, options, needs_ids=True)
        with shown(progress) as bar:
            added = self._native.add(source.texts, {**source.options, "on_conflict": on_conflict}, bar)
        return Added(self._native, added, source.kind, source.read)

    def delete(self, ids: _Id | Iterable[_Id], missing: Literal["error", "ignore"] = "error") -> Deleted:
        """Delete the documents with these ids. Documents that they represented are decided again.

        `missing`: what happens if an id is not in the index: with `"error"`, `UnknownIdError` is raised and nothing is deleted;
        with `"ignore"`, the id is counted.

        >>> import lookalike, tempfile
        >>> index = lookalike.Index.create(tempfile.mkdtemp())
        >>> index.add(["a text", "a text"], ids=["a", "b"])
        <lookalike.Added: 2 documents in = 2 added + 0 skipped; 1 kept, 1 dropped>
        >>> index.delete(["a", "z"], missing="ignore")
        <lookalike.Deleted: 1 deleted, 1 missing; 1 decisions changed>
        """
        check("Index.delete", {"missing": missing}, ["missing"])
        given = [ids] if isinstance(ids, (str, int, float)) else _listed(ids)
        return Deleted(self._native.delete(given, missing == "ignore"))

    def get(self, id: _Id) -> Decided | None:
        """Return the decision about a document, or None if no document has this id.

        >>> import lookalike, tempfile
        >>> index = lookalike.Index.create(tempfile.mkdtemp())
        >>> index.add(["a text", "a text"], ids=["a", "b"])
        <lookalike.Added: 2 documents in = 2 added + 0 skipped; 1 kept, 1 dropped>
        >>> index.get("b")
        Decided(verdict='dropped', representative='a', similarity=1.0)
        """
        decided: Any = self._native.get(id)
        return None if decided is None else Decided(*decided)

    def show(self, id: _Id) -> Document:
        """Return everything that the index knows about a document. Cost: a search for similar documents.

        Raises `UnknownIdError` if no document has this id.

        >>> import lookalike, tempfile
        >>> index = lookalike.Index.create(tempfile.mkdtemp())
        >>> index.add(["a text", "A text!"], ids=["a", "b"])
        <lookalike.Added: 2 documents in = 2 added + 0 skipped; 1 kept, 1 dropped>
        >>> index.show("a").represents, index.show("b").text
        (['b'], 'A text!')
        """
        shown: Any = self._native.show(id)
        (verdict, representative, similarity), copies, represents, text = shown
        return Document(id, verdict, representative, similarity, copies, represents, text)

    @overload
    def query(
        self,
        data: str | set[Any] | frozenset[Any] | None = None,
        text: str = "text",
        id: _Id | None = None,
        *,
        nearest: int | None = None,
        threshold: float | None = None,
        kept: bool = False,
        passages: bool = False,
        least: int = 8,
        **options: Unpack[InputOptions],
    ) -> list[Found]: ...
    @overload
    def query(
        self,
        data: Any,
        text: str = "text",
        id: str | None = None,
        *,
        nearest: int | None = None,
        threshold: float | None = None,
        kept: bool = False,
        passages: bool = False,
        least: int = 8,
        **options: Unpack[InputOptions],
    ) -> pa.Table: ...
    def query(
        self,
        data: Any = None,
        text: str = "text",
        id: Any = None,
        *,
        nearest: int | None = None,
        threshold: float | None = None,
        kept: bool = False,
        passages: bool = False,
        least: int = 8,
        **options: Unpack[InputOptions],
    ) -> Any:
        """Find the documents that are similar to a text, to a document of the index, or to the texts of a collection.

        - `query("a text")`, or for an index of sets `query({"a", "b"})`: returns a list of `Found`, the most similar first. A
          `str` is always a text; name a file with `pathlib.Path`.
        - `query(id="a")`: the same for a document of the index, which is not in the list itself.
        - `query(data)`: for any kind of collection that `dedup` takes, returns a table with a row for each document that is
          found: query (the id of the text), id, verdict, similarity, resemblance, containment (the share of the text that the
          document contains), containment_of_document and, with `passages`, the list of passages. `text` and `id` name the
          columns, as in `dedup`: without `id`, texts in memory are identified by their rows.

        `nearest`: only this many of the most similar documents. `threshold`: only documents that are at least so similar; it
        cannot be below the threshold of the index. `kept`: only documents that are kept. `passages`: also the passages of at
        least `least` tokens that both share word for word, in characters.

        Raises `UnknownIdError` if no document has the id, and `ConfigError` if the threshold is below that of the index, or
        passages are requested and the index does not store texts.

        >>> import lookalike, tempfile
        >>> index = lookalike.Index.create(tempfile.mkdtemp(), threshold=0.4)
        >>> index.add(["one two three four five six seven eight", "something else"], ids=["a", "b"])
        <lookalike.Added: 2 documents in = 2 added + 0 skipped; 2 kept, 0 dropped>
        >>> index.query("zero one two three four five six seven eight nine")[0]._asdict()["containment_of_document"]
        1.0
        >>> [found.id for found in index.query("Something else?")], index.query(id="a")
        (['b'], [])
        >>> index.query(["one two three four five six seven", "unknown"])["id"].to_pylist()
        ['a']
        """
        given = {"text": text, "nearest": nearest, "threshold": threshold, "kept": kept, "passages": passages, "least": least}
        check("Index.query", {**given, **options}, [*given, *InputOptions.__annotations__], needed=("text", "kept", "passages"))
        asking = (nearest, threshold, bool(kept), int(least) if passages else None)
        is_one = isinstance(data, (str, set, frozenset))
        if data is None and id is None and options.get("input_command") is None:
            raise TypeError("query() needs a text, a collection, or the id= of a document of the index")
        if is_one or (data is None and options.get("input_command") is None):
            if options or (is_one and id is not None):
                words = "options of reading, and id= in addition to a text, only work with collections; leave them out"
                raise ConfigError(words, option="id" if id is not None and is_one else next(iter(options)))
            answers: Any = self._native.query_text(data, asking) if is_one else self._native.query_id(id, asking)
            return [_found(*answer) for answer in answers]
        progress = options.pop("progress", None)
        source = self._source(data, text, id, None, options, needs_ids=False)
        with shown(progress) as bar:
            return table_of(self._native.query_all(source.texts, source.options, asking, bar))

    def decisions(self) -> pa.Table:
        """Return the decisions about all documents, in the order in which they were added, as a table.

        Its columns are those of `Report.decisions`: row, id, verdict, reason, representative and its row, resemblance,
        containment, containment_of_representative, cluster_size, and estimated. Cost: documents that are dropped as
        near-duplicates are compared again. Memory: about 5 bytes per document, 56 more per dropped document, and the ids.

        >>> import lookalike, tempfile
        >>> index = lookalike.Index.create(tempfile.mkdtemp())
        >>> index.add(["a text", "A text!", "another"], ids=["a", "b", "c"])
        <lookalike.Added: 3 documents in = 3 added + 0 skipped; 2 kept, 1 dropped>
        >>> index.decisions()["reason"].to_pylist()
        ['representative', 'exact', 'unique']
        """
        return table_of(self._native.decisions().columns())

    def decisions_json(self) -> bytes:
        """Return the lines of the command's decisions file: those that `dedup` writes for the documents that the index holds."""
        return self._native.decisions().lines()

    def write_decisions(self, path: _Path) -> None:
        """Write the lines of the command's decisions file, which `apply` reads.

        Raises `OutputError` if the name has the extension of a table.
        """
        if os.fspath(path).lower().endswith(TABLES):
            message = (
                f"{os.fspath(path)}: these are JSON Lines; give a name that ends with .jsonl, or write the table `decisions()`"
            )
            raise OutputError(message)
        self._native.decisions().write(path)

    def changes(self, after: int = 0, limit: int | None = None) -> pa.Table:
        """Return the changed decisions after the change with the number `after`, at most `limit`, as a table.

        Every change of an index adds the decisions that it changed to the change feed. Changes are numbered from 1. A program
        that follows an index remembers the number of the last change that it has seen, and asks for those after it.

        The columns: change (the number), id, before and after (kept, dropped, or null for a document that was not there), and the
        representative and the similarity before and after, for dropped documents.

        >>> import lookalike, tempfile
        >>> index = lookalike.Index.create(tempfile.mkdtemp())
        >>> index.add(["a text", "A text!"], ids=["a", "b"])
        <lookalike.Added: 2 documents in = 2 added + 0 skipped; 1 kept, 1 dropped>
        >>> index.changes(after=1).select(["change", "id", "before", "after", "after_representative"]).to_pylist()
        [{'change': 2, 'id': 'b', 'before': None, 'after': 'dropped', 'after_representative': 'a'}]
        """
        check("Index.changes", {"after": after, "limit": limit}, ["after", "limit"])
        return table_of(self._native.changes(int(after), None if limit is None else int(limit)))

    def compact(self) -> None:
        """Write the index again without deleted documents, in one segment.

        Searches are faster afterwards, and deleted documents take no space. The decisions do not change. The disk needs room
        for a second copy.
        """
        self._native.compact()

    def snapshot(self, to: _Path) -> None:
        """Copy the index as it is now to a folder, which must not exist or must be empty.

        If both folders are on one file system, large files are shared (hard links). Both indexes can be changed independently.
        """
        self._native.snapshot(_folder(to))

    def check(self, decisions: bool = False) -> dict[str, int]:
        """Read all files and verify their checksums; with `decisions`, also make every decision again.

        Returns the numbers of documents, bytes and decisions that were checked. Raises `FormatError` at the first fault.
        """
        return self._native.check(bool(decisions))

    def stats(self) -> dict[str, int]:
        """Return the sizes of the index.

        The names: documents, kept, dropped, empty, segments, in_memory (documents that are not in a segment yet), removed
        (deleted documents that still take space), bytes (of segments), and last_change (the number of the last change).
        """
        return self._native.stats()

    def _source(self, data: Any, text: str, id: str | None, ids: Iterable[_Id] | None, options: Any, needs_ids: bool) -> _Source:
        """Convert the data and the keywords to the form that the native index takes."""
        given = plain(options)
        inputs = [] if data is None and "input_command" in given else names_of(data)
        if inputs is not None:
            if ids is not None:
                raise ConfigError("ids= only works with data in memory; name the field with id=", option="ids")
            if given.get("skip_bad") is True:
                # Skipped lines are counted, but not stored.
                given["skip_bad"] = os.devnull
            fields = {"text": text} if id is None else {"text": text, "id": id}
            return _Source(None, None, given | fields | {"inputs": list(inputs)}, None)
        all_splits = bool(given.get("all_splits"))
        leave_splits(given, data)
        only_for_files(given, f"a {type(data).__name__}", (*OF_FILES, "input_command"))
        skip_bad = skips(given)
        settings = self.settings
        sets = settings["config"]["tokens"] == "items"
        kind, called = kind_of(data), type(data).__name__
        keep = settings["keep"].partition(":")[2] if needs_ids else ""
        column = id if ids is None else None
        others = [name for name in (column, keep) if name]
        try:
            texts = kind.texts(
                Wanted(called, text, others, given.get("temp_dir"), sets=sets, skip_bad=skip_bad, all_splits=all_splits),
            )
        except InputError as error:
            if needs_ids and column is not None and error.field == column:
                words = f"{called}: documents need ids; name their column with id=, or give the ids as a list with ids="
                raise InputError(words, path=called, field=column, option="ids") from error
            raise
        if ids is not None:
            column = next(free for free in ("id", "ids", "number") if free not in texts.column_names)
            texts = texts.identified(called, column, _listed(ids))
        elif column is None:
            column, texts = numbered(texts)
        texts, read = usable(texts, [text, column, *others]) if skip_bad else (texts, None)
        return _Source(kind, (called, texts), given | {"text": text, "id": column}, read)


class _Source(NamedTuple):
    """The inputs of an operation, in the form that the native index takes."""

    kind: Kind | None
    """The kind of the data, if it is in memory."""
    texts: tuple[str, _lookalike.Texts] | None
    options: dict[str, Any]
    read: NDArray[np.bool_] | None
    """Which rows of the data are read, if some are skipped."""


_ADDING = ["text", "id", "on_conflict", *InputOptions.__annotations__]


def _folder(path: Any) -> str:
    """Return the name of a folder.

    Raises `ConfigError` for a URL.
    """
    name = os.fspath(path)
    if "://" in name:
        raise ConfigError("an index is a folder of this machine, not a URL; copy the folder first", option="path")
    return str(name)


def _listed(ids: Iterable[_Id]) -> list[Any]:
    """Return the ids in a list, with plain numbers in place of numpy's."""
    ids = sound("ids", ids)
    return list(ids.tolist() if hasattr(ids, "tolist") else ids)


def _found(id: _Id, verdict: Any, figures: Any, passages: Sequence[tuple[str, Sequence[int]]] | None) -> Found:
    shared = None if passages is None else [FoundPassage(text, *places) for text, places in passages]
    similarity, resemblance, containment, other = figures
    return Found(id, verdict, similarity, resemblance, containment, other, shared)
