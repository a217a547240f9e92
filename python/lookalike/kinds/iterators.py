"""Generators and other iterators of texts, sets or rows (dictionaries)."""

from __future__ import annotations

import io
import pickle
import tempfile
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import chain, compress, islice
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.errors import InputError, RecordError
from lookalike.kinds import lists
from lookalike.kinds.kind import Changes, Kind, Wanted, with_field
from lookalike.kinds.parts import column_of, field_of
from lookalike.kinds.spool import Spool, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STRETCH = 1000


class Items:
    """An iterator that is read once, some items at a time: their texts are written to a temporary file, and so are the items.

    The ids stay in memory. The kept items are returned as an iterator, which reads them from the file. The items are pickled, so
    that they are equal to those that the iterator gave.
    """

    def __init__(self, data: Any) -> None:
        self._data = data
        self._items: _Pickles | None = None

    def texts(self, wanted: Wanted) -> Texts:
        """Read all items, and return the fields that are read."""
        if wanted.whole:
            return Listed(self._data).texts(wanted)
        first = list(islice(self._data, _STRETCH))
        if not first:
            return wanted.of_plain([])
        import pyarrow as pa

        self._rows = isinstance(first[0], dict)
        if not self._rows:
            wanted.alone()
        stretches = chain([first], iter(lambda: list(islice(self._data, _STRETCH)), []))
        # Texts are read from their own file anyway, so only other items are stored a second time.
        if not wanted.only_read and (self._rows or wanted.sets or not isinstance(first[0], str)):
            self._items = _Pickles(wanted.folder)
        self._fields = _Fields(wanted, list(first[0]) if self._rows else None)
        schema = pa.schema([(wanted.text, pa.large_string())])
        batches = (pa.RecordBatch.from_arrays([column], schema=schema) for column in self._read(stretches))
        self._spool = Spool(schema, batches, wanted.folder, wanted.called)
        names = self._fields.names
        wanted.columns(names)
        others = {name: values for name, values in self._fields.others.items() if column_of(name, names) is not None}
        return wanted.of_arrow(self._spool.batches(), others)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Return an iterator of the kept items."""
        return compress(self._each(), kept.tobytes())

    def rewritten(self, changes: Changes) -> Any:
        """Return an iterator of the kept items, with other texts."""

        def items() -> Iterator[Any]:
            texts = changes.each()
            row, text = next(texts, (-1, ""))
            for number, item in enumerate(self._each()):
                if number == row:
                    item = with_field(item, changes.text, text) if self._rows else text
                    row, text = next(texts, (-1, ""))
                yield item

        return compress(items(), changes.kept.tobytes())

    def _read(self, stretches: Iterable[list[Any]]) -> Iterator[Any]:
        start = 0
        for stretch in stretches:
            if self._items is not None:
                self._items.write(stretch, rows_of(self._fields.wanted.called, start, len(stretch)))
            yield self._fields.of(stretch, start)
            start += len(stretch)

    def _each(self) -> Iterator[Any]:
        """Yield all items."""
        if self._items is not None:
            yield from self._items
        elif hasattr(self, "_spool"):
            for batch in self._spool.batches():
                yield from batch.column(0).to_pylist()


class Listed:
    """An iterator whose items are held in memory: all their fields are read, or pyarrow, which stores texts, is not installed."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Read all items, and return the fields that are read."""
        items = list(self._data)
        self._kind = lists.Rows(items) if items and isinstance(items[0], dict) else lists.Plain(items)
        return self._kind.texts(wanted)

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Return an iterator of the kept items."""
        return iter(self._kind.select(kept))

    def rewritten(self, changes: Changes) -> Any:
        """Return an iterator of the kept items, with other texts."""
        return iter(self._kind.rewritten(changes))


class _Fields:
    """The fields of items that a run reads."""

    def __init__(self, wanted: Wanted, names: list[str] | None) -> None:
        self.wanted = wanted
        self._rows = names is not None
        self.names: list[str] = names or [wanted.text]
        """The fields that the first row has, and those that another row has a value of."""
        self.others: dict[str, list[Any]] = {name: [] for name in (wanted.others if self._rows else ())}
        """The values of the fields other than the text."""

    def of(self, items: list[Any], start: int) -> Any:
        """Return the texts of items as an array, and remember their other fields. The first item is the row `start`."""
        wanted = self.wanted
        if not self._rows:
            return self._array(items, start)
        stranger = next((row for row, own in enumerate(items) if not isinstance(own, dict)), None)
        if stranger is not None:
            kind, row = type(items[stranger]).__name__, start + stranger
            raise RecordError(
                f"{wanted.called} row {row}: is of the type {kind}, but the rows before it are dictionaries; give one kind",
                path=wanted.called,
                line=row,
            )
        texts = self._column(wanted.text, items)
        for name, values in self.others.items():
            values += self._column(name, items)
        if not start and not wanted.skip_bad:
            # A missing column is reported as such, and not as a row without a text.
            wanted._replace(others=()).columns(self.names)
        return self._array(texts, start)

    def _column(self, name: str, items: list[Any]) -> list[Any]:
        values = [field_of(row, name) for row in items]
        if name not in self.names and any(value is not None for value in values):
            self.names.append(name)
        return values

    def _array(self, texts: list[Any], start: int) -> Any:
        """Convert texts. Other values are refused as in a list or, with `skip_bad`, become null."""
        import pyarrow as pa

        wanted = self.wanted
        try:
            column = wanted.written({wanted.text: texts})
            if all(isinstance(text, str) for text in column[wanted.text]):
                return pa.array(column[wanted.text], pa.large_string())
        except RecordError as error:
            raise _later(error, wanted.called, start) from None
        except UnicodeEncodeError:
            # A lone surrogate (half of a character), which the engine reports.
            pass
        try:
            Texts.of_lists(wanted.called, wanted.text, column, wanted.sets, wanted.skip_bad)
        except RecordError as error:
            raise _later(error, wanted.called, start) from None
        return pa.array(map(_sound, column[wanted.text]), pa.large_string())


class _Pickles:
    """Items in a temporary file, which has no name."""

    def __init__(self, folder: str | None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115

    def write(self, items: list[Any], where: str) -> None:
        """Append items. Raises `InputError` for items that cannot be stored; `where` names them."""
        try:
            pickle.dump(items, self._file, pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
            raise InputError(f"{where}: cannot be stored in a temporary file ({error}); give a list") from error

    def __iter__(self) -> Iterator[Any]:
        self._file.seek(0)
        while True:
            try:
                items = pickle.load(self._file)
            except EOFError:
                return
            yield from items


def _sound(text: Any) -> str | None:
    """Return a text that can be stored; None for other values, which are skipped."""
    try:
        return text if isinstance(text, str) and text.encode() is not None else None
    except UnicodeEncodeError:
        return None


def _later(error: RecordError, called: str, start: int) -> RecordError:
    """Return an error about a row of some items as one about a row of all items."""
    if error.line is None:
        return error
    row = error.line + start
    words = str(error).replace(f"{called} row {error.line}", f"{called} row {row}", 1)
    return RecordError(words, path=error.path, line=row, field=error.field)


def of(data: Any) -> Kind | None:
    """Return the kind of the data if it is an iterator, but not an open file, whose lines may be of any format; else None."""
    if not isinstance(data, Iterator) or isinstance(data, io.IOBase):
        return None
    return Listed(data) if find_spec("pyarrow") is None else Items(data)
