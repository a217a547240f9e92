"""The results of a run: what it decided, and why."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cached_property
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from lookalike import _lookalike
from lookalike.errors import ConfigError, OutputError
from lookalike.page import page, paired

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

_Id = str | int | float

TABLES = (".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc")


def table_of(columns: _lookalike.Columns) -> pa.Table:
    """Return a pyarrow table or, without pyarrow, an object with the PyCapsule interface, which any library can read."""
    if find_spec("pyarrow") is None:
        return columns
    import pyarrow as pa

    return pa.table(columns)


def frame_of(columns: _lookalike.Columns) -> pd.DataFrame:
    """Return a pandas frame; pandas 3 or later does not need pyarrow for it."""
    if find_spec("pyarrow") is not None:
        return table_of(columns).to_pandas()
    import pandas as pd

    return pd.DataFrame.from_arrow(columns)


class Pair(NamedTuple):
    """Two similar documents; figures that were not counted are None."""

    a: _Id
    b: _Id
    row_a: int
    row_b: int
    resemblance: float | None
    containment_ab: float | None
    containment_ba: float | None
    intersection: int | None
    size_a: int | None
    size_b: int | None


class _Shown:
    """A result that can be looked at in a browser."""

    _again: Callable[[str], None] | None

    def __getstate__(self) -> dict[str, Any]:
        # A copy in another process has no data to read again.
        return {**self.__dict__, "_again": None}

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write one HTML file that shows the result: groups, pairs, texts side by side, and what another threshold would change.

        The file opens from disk, without a network. This runs again over the data, which must still be there and unchanged; to
        write the file in the run itself, use `report=`. Data that can be read only once is refused with `ConfigError`.

        >>> import lookalike
        >>> kept, report = lookalike.dedup(["one two three four five six", "One two three four five six!", "another text"])
        >>> report.to_html("report.html")  # doctest: +SKIP
        """
        if self._again is None:
            raise ConfigError("this result was not made by a run in this process; use report= in a run")
        self._again(os.fspath(path))

    def view(self, height: int = 720) -> View:
        """Return what `to_html` writes as an object that notebooks show in a frame of this height, in pixels.

        The notebook then contains the page: some megabytes, and texts of the data.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.html")
            self.to_html(path)
            with open(path, encoding="utf-8") as file:
                return View(file.read(), height)


class View:
    """A page that a notebook shows in a frame. The frame cannot reach the notebook."""

    def __init__(self, html: str, height: int) -> None:
        self.html = html
        """The page."""
        self._height = height

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self._height}px;border:1px solid #ccc"
        return f'<iframe sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{escape(self.html)}"></iframe>'


class Report(_Shown):
    """What `dedup` decided, and why. Documents are identified by their ids or, without ids, by their rows, from 0.

    A report takes about 5 bytes of memory per document, 56 more per dropped document, and the ids. Tables are created when they
    are requested.
    """

    def __init__(
        self,
        decisions: _lookalike.Decisions,
        summary: dict[str, Any],
        read: NDArray[np.bool_] | None = None,
        again: Callable[[str], None] | None = None,
    ) -> None:
        self._decisions = decisions
        self._read = read
        self._again = again
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`): the numbers of documents, kept and dropped, the reasons, the method and the time.

        `found_at_threshold` is the minimum share of the pairs at the threshold that are found, for texts of `found_from_size`
        shingles or more; `found_of_shorter` lists the shorter texts by their number of shingles: how many texts there are, and
        the minimum share of their pairs that is found.
        """

    def __len__(self) -> int:
        return len(self._decisions)

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Which rows of the input are kept, in input order; for files, which documents. Skipped rows are not kept."""
        if self._read is None:
            return self._decisions.kept()
        kept = self._read.copy()
        kept[kept] = self._decisions.kept()
        return kept

    @cached_property
    def skipped(self) -> NDArray[np.int64]:
        """The rows of data in memory that `skip_bad=True` skipped, from 0."""
        import numpy as np

        return np.flatnonzero(~self._read) if self._read is not None else np.empty(0, np.int64)

    @property
    def decisions(self) -> pa.Table:
        """The decisions as a table with one row per document, in input order.

        Its columns: row, id, verdict (kept, dropped), reason (unique, representative, empty; exact, near, contained),
        representative and its row, resemblance, containment (the share of this text found in the representative),
        containment_of_representative, cluster_size, and estimated (true if sketches gave the similarity and it was not counted).

        With `against` there are two more columns: reference, the place of the reference that a document duplicates, and
        reference_row, its row among all references, from 0. The representative is then the reference's id, and representative_row
        is null. A place is a file and a line, or `against row 3` in memory, or `against[1] row 3` if `against` is a list of
        collections; rows count from 0. If the ids of the references have a different type from the ids of the data,
        representative contains JSON.

        The table is a `pyarrow.Table` if pyarrow is installed, else an object with `__arrow_c_stream__`, which polars and pandas
        accept.
        """
        return table_of(self._decisions.columns())

    @property
    def duplicates(self) -> pa.Table:
        """The rows of `decisions` of the dropped documents: which they are, why they were dropped, and their representatives.

        It needs pyarrow.

        >>> import lookalike
        >>> kept, report = lookalike.dedup(["one two three four five", "something else", "One two three four five!"])
        >>> report.duplicates.select(["row", "reason", "representative_row", "resemblance"]).to_pylist()
        [{'row': 2, 'reason': 'exact', 'representative_row': 0, 'resemblance': 1.0}]
        """
        import pyarrow as pa

        return pa.table(_lookalike.filtered(self._decisions.columns(), ~self._decisions.kept()))

    @property
    def pairs(self) -> pa.Table:
        """A table with one row per dropped document: its id (dropped), its representative's id, and their measured similarity.

        With `against` it also has the column reference, the place of a representative that is a reference.

        The table is of the same kind as `decisions`.
        """
        return table_of(self._decisions.pairs())

    @cached_property
    def similarities(self) -> NDArray[np.float64]:
        """How similar each dropped document is to its representative, in input order; nan if the similarity was not measured."""
        return self._decisions.similarities()

    @cached_property
    def clusters(self) -> dict[_Id, list[_Id]]:
        """The groups of more than one document: maps the id of each kept document to all ids of its group, its own id first.

        Groups are in the input order of their kept documents. If ids are repeated, groups with the same id are merged here;
        `decisions` distinguishes them by rows. Documents that duplicate a reference are in no group; `decisions` lists them.
        """
        import numpy as np

        representatives = self._decisions.representatives()
        # A document whose representative is a reference has no representative row.
        dropped = np.flatnonzero(~self._decisions.kept() & (representatives >= 0))
        order = np.argsort(representatives[dropped], kind="stable")
        dropped = dropped[order]
        firsts, starts = np.unique(representatives[dropped], return_index=True)
        members = np.split(dropped, starts[1:])
        groups: dict[_Id, list[_Id]] = {}
        for first, rows in zip(self._decisions.ids(firsts.tolist()), members, strict=False):
            groups.setdefault(first, [first]).extend(self._decisions.ids(rows.tolist()))
        return groups

    def to_pandas(self) -> pd.DataFrame:
        """Return `decisions` as a pandas frame."""
        return frame_of(self._decisions.columns())

    def decisions_json(self) -> bytes:
        """Return the lines of the command's decisions file, byte for byte."""
        return self._decisions.lines()

    def write_decisions(self, path: str | os.PathLike[str]) -> None:
        """Write the lines of the command's decisions file, which `apply` reads.

        Raises
        ------
        OutputError
            If the name has the extension of a table. For a table, which `apply` reads too, write `decisions` with pyarrow.

        """
        if os.fspath(path).lower().endswith(TABLES):
            message = (
                f"{os.fspath(path)}: these are JSON Lines; give a name that ends with .jsonl, or write the table "
                "`report.decisions`, for example with pyarrow.parquet.write_table"
            )
            raise OutputError(message)
        self._decisions.write(path)

    def __repr__(self) -> str:
        return f"<lookalike.Report: {self._headline()}>"

    def _headline(self) -> str:
        documents, kept, dropped = (self.summary[name] for name in ("documents", "kept", "dropped"))
        share = 100 * dropped / max(documents, 1)
        noun = "document" if documents == 1 else "documents"
        return f"{documents:,} {noun} in = {kept:,} kept + {dropped:,} dropped ({share:.1f} %)"

    def _repr_html_(self) -> str:
        return page(self._headline(), self.summary, self.similarities, self._largest(8), self._examples(6))

    def _examples(self, count: int) -> list[tuple[_Id, _Id, float]]:
        """Return dropped documents, their representatives and similarities, from the least similar pair to the most similar.

        Exact duplicates, and documents that duplicate a reference, are left out.
        """
        import numpy as np

        representatives, similarities = self._decisions.representatives(), self.similarities
        dropped = np.flatnonzero(~self._decisions.kept())
        rows = np.flatnonzero((representatives[dropped] >= 0) & (similarities < 1))
        rows = rows[np.argsort(similarities[rows], kind="stable")]
        rows = rows[np.unique(np.linspace(0, rows.size - 1, min(count, rows.size)).astype(int))] if rows.size else rows
        names = self._decisions.ids(dropped[rows].tolist()), self._decisions.ids(representatives[dropped[rows]].tolist())
        return list(zip(*names, similarities[rows].tolist(), strict=True))

    def _largest(self, count: int) -> list[tuple[_Id, int]]:
        """Return the largest groups: for each, the id of its representative, and its size."""
        import numpy as np

        representatives = self._decisions.representatives()
        sizes = np.bincount(representatives[representatives >= 0], minlength=len(self))
        rows = np.argsort(-sizes, kind="stable")[:count]
        rows = rows[sizes[rows] > 1]
        return list(zip(self._decisions.ids(rows.tolist()), sizes[rows].tolist(), strict=True))


# The number of pairs that are created in one call, and the number that a notebook shows.
_STRETCH, _SHOWN = 1000, 20


class Pairs(_Shown):
    """The similar pairs that `lookalike.pairs` found, in input order; iteration yields a `Pair` for each."""

    def __init__(self, pairs: _lookalike.Pairs, summary: dict[str, Any], again: Callable[[str], None] | None = None) -> None:
        self._pairs = pairs
        self._again = again
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`): the numbers of documents and pairs, and the method."""

    def __len__(self) -> int:
        return len(self._pairs)

    @property
    def table(self) -> pa.Table:
        """The pairs as a table with one row per pair.

        Its columns: a, b (ids), row_a, row_b, resemblance, containment_ab (the share of a found in b), containment_ba,
        intersection, size_a, size_b; figures that were not counted are null. With `against`, a is a reference, and row_a is its
        row among all references, from 0.

        The table is a `pyarrow.Table` if pyarrow is installed, else an object with `__arrow_c_stream__`, which polars and pandas
        accept.
        """
        return table_of(self._pairs.columns())

    def to_pandas(self) -> pd.DataFrame:
        """Return `table` as a pandas frame."""
        return frame_of(self._pairs.columns())

    def __iter__(self) -> Iterator[Pair]:
        for start in range(0, len(self), _STRETCH):
            yield from self._some(start, start + _STRETCH)

    def _some(self, start: int, end: int) -> list[Pair]:
        return [Pair(*ids, *rows, *shares, *counts) for ids, rows, shares, counts in self._pairs.rows(start, end)]

    def json(self) -> bytes:
        """Return the lines that the command prints, byte for byte."""
        return self._pairs.lines()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._pairs.columns().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<lookalike.Pairs: {self._headline()}>"

    def _headline(self) -> str:
        documents, references = self.summary["documents"], self.summary.get("references")
        others = "" if references is None else f" and {references:,} references"
        return f"{len(self):,} among {documents:,} documents{others}"

    def _repr_html_(self) -> str:
        return paired(self._headline(), len(self), self._some(0, _SHOWN))
