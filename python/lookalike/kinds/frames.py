"""Frames and series of pandas and polars."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.kinds.kind import Kind, Wanted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Pandas:
    """A frame of pandas. Without pyarrow its columns go through lists; with it only what is no Arrow yet is copied."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Convert the columns that are read."""
        chosen = wanted.columns(self._data.columns.tolist())
        if find_spec("pyarrow") is None:
            return Texts.of_lists(wanted.text, {name: self._data[name].tolist() for name in chosen})
        import pyarrow as pa

        return Texts.of_arrow(wanted.text, pa.Table.from_pandas(self._data[chosen], preserve_index=False))

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Take rows, with their index."""
        return self._data.iloc[kept]


class PandasSeries:
    """A series of pandas."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Convert the series."""
        wanted.alone()
        return Pandas(self._data.to_frame(wanted.text)).texts(wanted)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Take rows, with their index."""
        return self._data.iloc[kept]


class Polars:
    """A frame of polars: its strings are read where they are."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Give the columns that are read."""
        return Texts.of_arrow(wanted.text, self._data.select(wanted.columns(self._data.columns)))

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Take the rows that stay."""
        import polars as pl

        return self._data.filter(pl.Series(kept))


class PolarsSeries:
    """A series of polars."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Give the series."""
        wanted.alone()
        return Texts.of_arrow(wanted.text, self._data.to_frame(wanted.text))

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Take the rows that stay."""
        import polars as pl

        return self._data.filter(pl.Series(kept))


def of(data: Any) -> Kind | None:
    """Take frames and series."""
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
