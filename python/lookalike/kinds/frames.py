"""Pandas and polars frames and series."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.kinds.kind import Kind, Wanted
from lookalike.kinds.sound import check_pandas

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Pandas:
    """A pandas frame.

    Without pyarrow, the columns are converted to lists; with pyarrow, only columns that are not Arrow data are copied.
    """

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted, is_sound: bool = False) -> Texts:
        """Convert the columns that are read."""
        chosen = wanted.columns(self._data.columns.tolist())
        if find_spec("pyarrow") is None:
            return wanted.of_lists({name: self._data[name].tolist() for name in chosen})
        import pyarrow as pa

        if not is_sound:
            check_pandas(wanted.called, self._data)
        columns, lists = {}, {}
        for name in chosen:
            try:
                columns[name] = pa.Table.from_pandas(self._data[[name]], preserve_index=False).column(0)
            except (pa.ArrowException, UnicodeError, OverflowError, TypeError, ValueError):
                # The column has values of several types, or unsupported values, so they are checked one by one.
                lists[name] = self._data[name].tolist()
        return wanted.of_arrow(pa.table(columns), lists)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Select rows, with their index."""
        return self._data.iloc[kept]


class PandasSeries:
    """A pandas series."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Convert the series."""
        wanted.alone()
        if find_spec("pyarrow") is not None:
            check_pandas(wanted.called, self._data)
        return Pandas(self._data.to_frame(wanted.text)).texts(wanted, is_sound=True)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Select rows, with their index."""
        return self._data.iloc[kept]


class Polars:
    """A polars frame, whose strings are read without copies."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Return the columns that are read."""
        import polars as pl

        chosen = wanted.columns(self._data.columns)
        # Arrow has neither objects nor 128-bit integers, and not all libraries support the type of a column of nulls only.
        odd = {getattr(pl, name, None) for name in ("Object", "Int128", "UInt128", "Null")}
        lists = {name: self._data[name].to_list() for name in chosen if self._data.schema[name] in odd}
        others = self._data.select(name for name in chosen if name not in lists)
        return wanted.of_arrow(others, lists)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Select the kept rows."""
        import polars as pl

        return self._data.filter(pl.Series(kept))


class PolarsSeries:
    """A polars series."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Return the series."""
        wanted.alone()
        return Polars(self._data.to_frame(wanted.text)).texts(wanted)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Select the kept rows."""
        import polars as pl

        return self._data.filter(pl.Series(kept))


def of(data: Any) -> Kind | None:
    """Return the kind of the data if it is a frame or a series; else None."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return Pandas(data)
    if pandas is not None and isinstance(data, pandas.Series):
        return PandasSeries(data)
    if polars is not None and isinstance(data, polars.DataFrame):
        return Polars(data)
    if polars is not None and isinstance(data, polars.Series):
        return PolarsSeries(data)
    return None
