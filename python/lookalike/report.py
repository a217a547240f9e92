"""What a run did, and why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from lookalike import _lookalike
from lookalike.errors import OutputError
from lookalike.page import page, paired

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

_Id = str | int | float

_TABLES = (".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc")


def _table(columns: _lookalike.Columns) -> pa.Table:
    """Give a table of pyarrow's where that is installed, else what any library takes by the PyCapsule interface."""
    if find_spec("pyarrow") is None:
        return columns
    import pyarrow as pa

    return pa.table(columns)


def _frame(columns: _lookalike.Columns) -> pd.DataFrame:
    """Give a frame of pandas, which needs no pyarrow from its version 3 on."""
    if find_spec("pyarrow") is not None:
        return _table(columns).to_pandas()
    import pandas as pd

    return pd.DataFrame.from_arrow(columns)


class Pair(NamedTuple):
    """Two similar documents; what was not counted is None."""

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


class Report:
    """What `dedup` decided, and why. Documents are called by their ids; without ids, by their rows, from 0.

    It holds some 5 bytes a document, 56 for a dropped one, and the ids; tables are made when they are asked for.
    """

    def __init__(self, decisions: _lookalike.Decisions, summary: dict[str, Any], read: NDArray[np.bool_] | None = None) -> None:
        self._decisions = decisions
        self._read = read
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`): how many documents, kept, dropped, why, how they were found, in what time.

        `found_at_threshold` is the share of the pairs at the threshold that are found at the least, of texts of `found_from_size`
        shingles or more; `found_of_shorter` lists the texts with fewer, how many they are, and what is found of them.
        """

    def __len__(self) -> int:
        return len(self._decisions)

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Which rows of the input are kept, in input order; of files, which documents. Skipped rows are not kept."""
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
        """A row a document, in input order.

        Its columns: row, id, verdict (kept, dropped), reason (unique, representative, empty; exact, near, contained),
        representative and its row, resemblance, containment (the share of this text found in the representative),
        containment_of_representative, cluster_size, and estimated, where sketches say so and nobody counted.

        With `against` there are two more: reference, the place of the reference that a document was dropped for, and
        reference_row, its row among all references, from 0. Its representative is then the reference's id, and
        representative_row is null. A place is file and line, or `against row 3` in memory, `against[1] row 3` where `against`
        is a list of collections; rows count from 0. Where ids of references are of another type than those of the data,
        representative holds JSON.

        A `pyarrow.Table` where pyarrow is installed; else an object with `__arrow_c_stream__`, which polars and pandas take.
        """
        return _table(self._decisions.columns())

    @property
    def pairs(self) -> pa.Table:
        """A row a dropped document: its id (dropped), its representative's, and their similarity by what was measured.

        With `against` there is the column reference as well, the place of a representative that is one.

        A table as `decisions` is.
        """
        return _table(self._decisions.pairs())

    @cached_property
    def similarities(self) -> NDArray[np.float64]:
        """How similar each dropped document is to its representative, in input order; nan where nobody looked."""
        return self._decisions.similarities()

    @cached_property
    def clusters(self) -> dict[_Id, list[_Id]]:
        """Groups of more than one: by the id of the document that stays, the ids of all, that one first.

        Groups come in the input order of those that stay. Where ids are repeated, groups of the same id are one here; `decisions`
        tells them apart by rows. Documents that were dropped for a reference are in no group: `decisions` names them.
        """
        import numpy as np

        representatives = self._decisions.representatives()
        # Where a reference stands for one there is no row.
        dropped = np.flatnonzero(~self._decisions.kept() & (representatives >= 0))
        order = np.argsort(representatives[dropped], kind="stable")
        dropped = dropped[order]
        leaders, starts = np.unique(representatives[dropped], return_index=True)
        members = np.split(dropped, starts[1:])
        groups: dict[_Id, list[_Id]] = {}
        for leader, rows in zip(self._decisions.ids(leaders.tolist()), members, strict=False):
            groups.setdefault(leader, [leader]).extend(self._decisions.ids(rows.tolist()))
        return groups

    def to_pandas(self) -> pd.DataFrame:
        """Give `decisions` as a frame of pandas."""
        return _frame(self._decisions.columns())

    def decisions_json(self) -> bytes:
        """Give the lines of the command's decisions file, byte for byte."""
        return self._decisions.lines()

    def write_decisions(self, path: str | os.PathLike[str]) -> None:
        """Write these lines to a file, which `apply` takes.

        Raises
        ------
        OutputError
            For a name that says it is a table: that would be `decisions`, written by pyarrow, which `apply` takes too.

        """
        if os.fspath(path).lower().endswith(_TABLES):
            message = (
                f"{os.fspath(path)}: these are JSON Lines; give a name that ends with .jsonl, or write the table "
                "`report.decisions`, as with pyarrow.parquet.write_table"
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
        return page(self._headline(), self.summary, self.similarities, self._largest(8))

    def _largest(self, count: int) -> list[tuple[_Id, int]]:
        """Give the largest groups: who stands for each, and how many they are."""
        import numpy as np

        representatives = self._decisions.representatives()
        sizes = np.bincount(representatives[representatives >= 0], minlength=len(self))
        rows = np.argsort(-sizes, kind="stable")[:count]
        rows = rows[sizes[rows] > 1]
        return list(zip(self._decisions.ids(rows.tolist()), sizes[rows].tolist(), strict=True))


# Pairs that are made at once, and that a notebook shows.
_STRETCH, _SHOWN = 1000, 20


class Pairs:
    """Similar pairs, in input order, as `lookalike.pairs` found them; iterating gives a `Pair` for each."""

    def __init__(self, pairs: _lookalike.Pairs, summary: dict[str, Any]) -> None:
        self._pairs = pairs
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`): how many documents and pairs, and how they were found."""

    def __len__(self) -> int:
        return len(self._pairs)

    @property
    def table(self) -> pa.Table:
        """A row a pair.

        Its columns: a, b (ids), row_a, row_b, resemblance, containment_ab (the share of a found in b), containment_ba,
        intersection, size_a, size_b; null what was not counted. With `against`, a is a reference, and row_a its row among all
        references, from 0.

        A `pyarrow.Table` where pyarrow is installed; else an object with `__arrow_c_stream__`, which polars and pandas take.
        """
        return _table(self._pairs.columns())

    def to_pandas(self) -> pd.DataFrame:
        """Give `table` as a frame of pandas."""
        return _frame(self._pairs.columns())

    def __iter__(self) -> Iterator[Pair]:
        for start in range(0, len(self), _STRETCH):
            yield from self._some(start, start + _STRETCH)

    def _some(self, start: int, end: int) -> list[Pair]:
        return [Pair(*ids, *rows, *shares, *counts) for ids, rows, shares, counts in self._pairs.rows(start, end)]

    def json(self) -> bytes:
        """Give the lines that the command prints, byte for byte."""
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
