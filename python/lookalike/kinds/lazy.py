"""Polars lazy frames."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.errors import InputError
from lookalike.kinds.frames import Polars
from lookalike.kinds.kind import Changes, Kind, Wanted
from lookalike.kinds.parts import column_of
from lookalike.kinds.spool import remove_soon

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Lazy:
    """A polars `LazyFrame`: the query is executed once, into a temporary file, and the returned lazy frame reads that file.

    A second execution could give other rows, so the decisions would be about rows that no longer exist. Polars writes and maps
    the file itself, because Arrow does not have all of its types. The frames that read it keep it mapped, so that its name can be
    removed at once.
    """

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Execute the query, and return the columns that are read."""
        import polars as pl

        file, path = tempfile.mkstemp(".arrow", "lookalike-", wanted.folder)
        os.close(file)
        try:
            chosen = wanted.columns(self._data.collect_schema().names())
            query = self._data.select(chosen) if wanted.only_read else self._data
            query.sink_ipc(path, compression="uncompressed")
            self._frame = pl.read_ipc(path)
        except pl.exceptions.PolarsError as error:
            first = str(error).partition("\n")[0]
            words = f"{wanted.called}: the query failed ({first}); give the frame that collect() returns"
            raise InputError(words, path=wanted.called) from error
        finally:
            remove_soon(path)
        return Polars(self._frame).texts(wanted)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Return a lazy frame of the kept rows."""
        return _kept(self._frame, kept)

    def rewritten(self, changes: Changes) -> Any:
        """Return a lazy frame of the kept rows with other texts. If a text changed, their column is copied to memory."""
        name = column_of(changes.text, self._frame.columns)
        if not changes.rows.size or name is None:
            return self.select(changes.kept)
        # The rows that are not kept are left out by the lazy frame.
        every = changes._replace(kept=changes.kept | True)
        return _kept(self._frame.with_columns(Polars(self._frame.select(name)).rewritten(every).to_series()), changes.kept)


def _kept(frame: Any, kept: NDArray[np.bool_]) -> Any:
    import polars as pl

    # Rows are counted by a column, because polars moves filters and slices within a query.
    names = frame.columns
    mask = next(free for free in ("kept", *(f"kept {number}" for number in range(len(names)))) if free not in names)
    return frame.with_columns(pl.Series(mask, kept)).lazy().filter(pl.col(mask)).drop(mask)


def of(data: Any) -> Kind | None:
    """Return the kind of the data if it is a lazy frame; else None."""
    polars = sys.modules.get("polars")
    return Lazy(data) if polars is not None and isinstance(data, polars.LazyFrame) else None
