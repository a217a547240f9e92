"""Pandas and polars frames and series."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.errors import InputError
from lookalike.kinds.kind import Changes, Kind, Wanted, with_field
from lookalike.kinds.parts import column_of
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

    def rewritten(self, changes: Changes) -> Any:
        """Select rows, with their index, and replace the column of the texts."""
        # The frame is a new object, whose columns can be replaced without a warning.
        frame = self._data.iloc[changes.kept].copy(deep=False)
        name = column_of(changes.text, self._data.columns.tolist())
        frame[name] = _with_texts(self._data[name], changes)
        return frame


def _with_texts(column: Any, changes: Changes) -> Any:
    """Select rows of a column, and replace some of its texts. Its type does not change."""
    pandas = sys.modules["pandas"]
    kept = column.iloc[changes.kept]
    if not changes.rows.size:
        return kept
    if isinstance(column.dtype, getattr(pandas, "ArrowDtype", ())):
        import pyarrow as pa

        first = changes.text if column.name == changes.text else changes.text.partition(".")[0]
        made = pa.table(changes.column(pa.table({first: column.array.__arrow_array__()}))).column(0)
        return pandas.Series(type(column.array)(made), index=kept.index, name=column.name, dtype=column.dtype)
    made, texts = kept.copy(), changes.written()
    if isinstance(column.dtype, pandas.CategoricalDtype):
        made = made.cat.add_categories(list(dict.fromkeys(text for text in texts if text not in made.cat.categories)))
        made.iloc[changes.places()] = texts
        return made.cat.remove_unused_categories()
    if column.dtype != object:
        made.iloc[changes.places()] = texts
        return made
    values = made.to_numpy(object, copy=True)
    for place, text in zip(changes.places().tolist(), texts, strict=True):
        before = values[place]
        if isinstance(before, dict):
            values[place] = with_field(before, changes.text.partition(".")[2], text)
        else:
            values[place] = text.encode() if isinstance(before, bytes) else text
    return pandas.Series(values, index=made.index, name=made.name, dtype=object)


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

    def rewritten(self, changes: Changes) -> Any:
        """Select rows, with their index, and replace texts."""
        return _with_texts(self._data.rename(changes.text), changes).rename(self._data.name)


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

    def rewritten(self, changes: Changes) -> Any:
        """Select the kept rows, and replace the column of the texts."""
        import polars as pl

        frame = self.select(changes.kept)
        name = column_of(changes.text, self._data.columns)
        if not changes.rows.size or name is None:
            return frame
        column = self._data[name]
        if isinstance(column.dtype, pl.Enum):
            words = f"{changes.called}: column {name!r} is an Enum, which cannot have new texts; cast it to pl.String first"
            raise InputError(words, path=changes.called, field=changes.text)
        if column.dtype == pl.Object:
            values = column.to_list()
            for row, text in changes.each():
                values[row] = text
            made = pl.Series(name, values, dtype=pl.Object).filter(pl.Series(changes.kept))
        else:
            # Arrow's form of a category names categories that the new texts do not have.
            plain = column.cast(pl.String) if column.dtype == pl.Categorical else column
            made = pl.DataFrame(changes.column(plain.to_frame())).to_series().cast(column.dtype)
        return frame.with_columns(made.alias(name))


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

    def rewritten(self, changes: Changes) -> Any:
        """Select the kept rows, with other texts."""
        return Polars(self._data.to_frame(changes.text)).rewritten(changes).to_series().alias(self._data.name)


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
