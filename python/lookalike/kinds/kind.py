"""The interface that every kind of collection has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from lookalike._lookalike import CutRows, CutTexts, Texts, with_texts
from lookalike.errors import ConfigError, InputError
from lookalike.kinds.parts import column_of, columns_of, field_of, is_joined, parts_of
from lookalike.kinds.sets import arrays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# The number of texts that are converted to Python in one call.
_STRETCH = 1000


class Wanted(NamedTuple):
    """The parts of a collection in memory that a run reads."""

    called: str
    """The name of the collection in messages."""
    text: str
    others: Sequence[str]
    """Columns other than the text."""
    folder: str | None
    """The folder for temporary files."""
    or_none: bool = False
    """Whether the columns in `others` may be absent."""
    sets: bool = False
    """Whether texts are sets."""
    skip_bad: bool = False
    """Whether rows without a usable text or id are skipped, instead of refused."""
    whole: bool = False
    """Whether rows are records with fields, and not documents: all columns are read, with values of any type."""
    all_splits: bool = False
    """Whether several splits, such as train and test, are read as one collection."""
    only_read: bool = False
    """Whether no rows are returned, so that a stream stores only the columns that are read."""

    keyword: str = "text"
    """The keyword that names the column of the texts."""

    def of_lists(self, columns: dict[str, list[Any]]) -> Texts:
        """Pass lists, by the names of their columns, to the engine."""
        if self.whole:
            return Texts.of_records(self.called, columns, max(map(len, columns.values()), default=0))
        if self.text not in columns and is_joined(self.text):
            # Lists cannot hold nested values as columns, so the texts are put together here.
            rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
            others = {name for other in self.others for name in columns_of(other, list(columns))}
            columns = {self.text: [field_of(row, self.text) for row in rows]} | {name: columns[name] for name in others}
        return Texts.of_lists(self.called, self.text, self.written(columns), self.sets, self.skip_bad)

    def of_arrow(self, data: object, lists: dict[str, list[Any]] | None = None) -> Texts:
        """Pass Arrow data, and additional columns that are lists, to the engine."""
        if self.whole:
            texts = Texts.of_arrow(self.called, self.text, data)
            return texts.with_records(self.called, lists) if lists else texts
        return Texts.of_arrow(self.called, self.text, data, self.written(lists or {}), self.sets, self.skip_bad)

    def written(self, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """If texts are sets, convert the column of sets to the form that the engine reads."""
        if not self.sets or self.text not in columns:
            return columns
        return columns | {self.text: arrays(self.called, self.text, columns[self.text], self.skip_bad)}

    def of_plain(self, texts: list[Any]) -> Texts:
        """Pass values that have no column names. Records have such names, so an empty list is the only one without."""
        if not texts and self.or_none:
            # Without rows, references have all columns.
            return self.of_lists({self.text: [], **{name: [] for name in self.others}})
        if texts or not self.whole:
            self.alone()
        return self.of_lists({} if self.whole else {self.text: texts})

    def columns(self, names: Sequence[str]) -> list[str]:
        """Find the columns that are read.

        Raises `InputError` for a missing or duplicate column.
        """
        found: list[str] = []
        for asked in names if self.whole else self._read(names):
            if self.whole and not isinstance(asked, str):
                words = f"{self.called}: the column {asked!r} has a name of the type {type(asked).__name__}; use strings as names"
                raise InputError(words, path=self.called)
            name = asked if self.whole else column_of(asked, names)
            if name is None:
                if self.or_none and asked != self.text:
                    continue
                there = ", ".join(map(repr, names))
                advice = (
                    f"name the column with the {'set' if self.sets else 'text'} with {self.keyword}="
                    if asked == self.text
                    else "name another column where this one is named"
                )
                words = f"{self.called}: no column {asked!r}; the table has {there or 'none'}; {advice}"
                raise InputError(words, path=self.called, field=asked)
            if list(names).count(name) > 1:
                words = f"{self.called}: duplicate column {name!r}; rename one of the two"
                raise InputError(words, path=self.called, field=asked)
            if name not in found:
                found.append(name)
        return found

    def _read(self, names: Sequence[str]) -> list[str]:
        """Return the fields that are read. A text of several parts has several."""
        fields: list[str] = []
        for asked in (self.text, *self.others):
            is_one = asked in names or not is_joined(asked)
            if not is_one and self.skip_bad:
                words = "skip_bad= does not work with a text of several columns, because any of them may be null; leave it out"
                raise ConfigError(words, option="skip_bad")
            fields += [asked] if is_one else parts_of(asked)
        return fields

    def alone(self) -> None:
        """Raise `InputError` if columns are required, because plain texts have none."""
        if self.whole:
            words = f"{self.called}: plain values have no fields; give a frame, a table or a list of dictionaries"
            raise InputError(words, path=self.called)
        if self.others and not self.or_none:
            raise InputError(
                f"{self.called}: plain texts have no column {self.others[0]!r}; give a frame or table that has it",
                path=self.called,
                field=self.others[0],
            )


class Changes(NamedTuple):
    """The rows of a collection in memory that are kept, and the texts that replace their own."""

    called: str
    """The name of the collection in messages."""
    text: str
    kept: NDArray[np.bool_]
    rows: NDArray[np.int64]
    """The kept rows that get another text, in order."""
    texts: CutTexts
    """Texts that contain those of these rows, in order."""
    folder: str | None
    """The folder for temporary files."""
    first: int = 0
    """The place of the first row's text in `texts`."""

    def part(self, start: int, end: int) -> Changes:
        """Return the changes of some consecutive rows, as those of a collection that has only these rows."""
        first, last = self.rows.searchsorted([start, end])
        rows = self.rows[first:last] - start
        return self._replace(kept=self.kept[start:end], rows=rows, first=self.first + int(first))

    def written(self) -> list[str]:
        """Return the texts of these rows."""
        return self.texts.texts(self.first, self.first + len(self.rows))

    def places(self) -> NDArray[np.int64]:
        """Return the places of the rows with another text among the kept rows."""
        import numpy as np

        return np.cumsum(self.kept)[self.rows] - 1

    def each(self) -> Iterator[tuple[int, str]]:
        """Yield the rows with another text, and their texts."""
        for start in range(0, len(self.rows), _STRETCH):
            rows = self.rows[start : start + _STRETCH].tolist()
            yield from zip(rows, self.texts.texts(self.first + start, self.first + start + len(rows)), strict=True)

    def column(self, data: object, start: int = 0, count: int | None = None) -> CutRows:
        """Return Arrow data that has the column of the text, with the kept rows and their texts.

        `data` has `count` rows, which begin with the row `start`; by default they are all rows.
        """
        end = len(self.kept) if count is None else start + count
        part = self.part(start, end)
        return with_texts((self.called, self.text), data, part.kept, part.rows, (self.texts, part.first))


def with_field(row: dict[str, Any], name: str, text: str) -> dict[str, Any]:
    """Return a copy of a dictionary with another text in a field, which is given by its name or its path through dictionaries."""
    made = copy(row)
    step, _, rest = (name, "", "") if name in row else name.partition(".")
    made[step] = with_field(row[step], rest, text) if rest else text
    return made


class Kind(Protocol):
    """A collection in memory, or a stream that is copied to a temporary file first."""

    def texts(self, wanted: Wanted) -> Texts:
        """Pass the wanted parts, and nothing else, to the engine."""

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Return a collection of the same kind with the kept rows."""

    def rewritten(self, changes: Changes) -> Any:
        """Return a collection of the same kind with the kept rows, of which some have other texts."""


def usable(texts: Texts, fields: Sequence[str]) -> tuple[Texts, NDArray[np.bool_] | None]:
    """Skip the rows in which one of the fields has no usable value, and return which rows remain, or None for all."""
    return texts.usable(list(fields)) or (texts, None)


def numbered(texts: Texts) -> tuple[str, Texts]:
    """Add a column of row numbers, with a name that is not used yet."""
    called = next(free for free in ("id", "row", "number") if free not in texts.column_names)
    return called, texts.numbered(called)
