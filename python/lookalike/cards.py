"""Fingerprint cards: `minutiae`."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

from lookalike import _lookalike
from lookalike.config import MinutiaeOptions
from lookalike.errors import ConfigError, RecordError
from lookalike.files import names_of
from lookalike.keywords import check
from lookalike.kinds import sound
from lookalike.report import table_of
from lookalike.running import only_for_files, plain

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = [("a", "id"), ("b", "id"), ("score", "float")]


class PrintPair(NamedTuple):
    """Two prints that may be from the same finger."""

    a: str | int
    """The id of the earlier print."""
    b: str | int
    score: float
    """The score; higher is more similar."""
    same: bool | None
    """Whether both prints have the same label; None without `labels=`."""


class PrintPairs:
    """The pairs of prints that `lookalike.minutiae` ranked, the best first; iteration yields a `PrintPair` for each pair."""

    def __init__(self, lines: _lookalike.Lines, summary: dict[str, Any]) -> None:
        self._lines = lines
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`): the numbers of prints, pairs and candidates and, with `labels=`, the evaluation."""

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[PrintPair]:
        for line in self._lines.lines().splitlines():
            pair = json.loads(line)
            yield PrintPair(pair["a"], pair["b"], pair["score"], pair.get("same"))

    @property
    def table(self) -> pa.Table:
        """The pairs as a table with one row per pair, the best first: a, b, score and, with `labels=`, same.

        The table is a `pyarrow.Table` if pyarrow is installed, else an object with `__arrow_c_stream__`, which polars and pandas
        accept.
        """
        return table_of(self._lines.columns())

    def json(self) -> bytes:
        """Return the lines that the command prints, byte for byte."""
        return self._lines.lines()

    def __repr__(self) -> str:
        return f"<lookalike.PrintPairs: the best {len(self):,} of {self.summary['pairs']:,} pairs of prints>"


def minutiae(
    data: Any,
    minutiae: str = "minutiae",
    id: str | None = None,
    by: Literal["neighbours", "aligned", "grid", "reranked"] = "neighbours",
    first: int | str = "1%",
    **options: Unpack[MinutiaeOptions],
) -> PrintPairs:
    """Rank the pairs of prints in a collection of fingerprint cards by how likely both prints are from one finger.

    `data` is a path, a URL or a `Files` (JSON Lines, JSON, CSV with one minutia per row, templates of ISO/IEC 19794-2), or an
    iterable of prints. A print is a pair `(id, minutiae)`, or a dictionary with the fields that `id` (`"id"` unless given) and
    `minutiae` name; without an id, it is the print's position. Minutiae are rows of numbers `(x, y, angle)`, in lists or in an
    array; by default, angles are 256ths of a turn, counter-clockwise, and y grows downwards.

    `by` says how prints are compared: by triangles of neighbouring minutiae, by the squares of a grid with or without aligning
    the prints, or by aligning the nearest prints (`"reranked"`). `first` is how many of the best pairs are returned: a number, or
    a share of all pairs such as `"1%"`. The other keywords are the command's flags: see `MinutiaeOptions`.

    Raises one of `lookalike.errors`, or `TypeError` for an unknown keyword or unsupported data.

    >>> import lookalike
    >>> card = [(20, 30, 5), (60, 35, 90), (41, 80, 200), (75, 99, 30), (15, 120, 64), (90, 20, 170)]
    >>> moved = [(x + 9, y - 4, angle) for x, y, angle in card]
    >>> other = [(10, 99, 80), (31, 14, 3), (95, 64, 250), (52, 57, 140), (70, 11, 33), (22, 45, 100)]
    >>> found = lookalike.minutiae([("left", card), ("again", moved), ("other", other)], first=1)
    >>> found
    <lookalike.PrintPairs: the best 1 of 3 pairs of prints>
    >>> list(found)
    [PrintPair(a='left', b='again', score=1.0, same=None)]
    """
    known = ["id", "by", "first", *MinutiaeOptions.__annotations__]
    given: dict[str, Any] = {"id": id, "by": by, "first": first, **options}
    # `mirrors` has by=, and an index has sets=, with other values.
    check("minutiae", {name: value for name, value in given.items() if name not in ("by", "sets")}, known, needed=())
    if not isinstance(minutiae, str):
        raise ConfigError(f"minutiae= takes the name of a column or field, a str, not {_shown(minutiae)}", option="minutiae")
    names = names_of(data)
    asked = {**plain(given), "minutiae": minutiae, "inputs": list(names or [])}
    prints = None
    if names is None:
        only_for_files(plain(given), "prints in memory")
        fields = (id or "id", minutiae, options.get("within"), options.get("labels"))
        prints = (
            type(data).__name__,
            [_print(number, one, fields) for number, one in enumerate(_iterable(sound("prints", data)))],
        )
    with tempfile.TemporaryDirectory(prefix="lookalike-") as folder:
        path = os.path.join(folder, "pairs.jsonl")
        summary = _lookalike.minutiae(prints, asked, path)
        columns = [*_COLUMNS, ("same", "bool")] if options.get("labels") else _COLUMNS
        return PrintPairs(_lookalike.Lines.read(path, columns), summary)


_Print = tuple[str, list[list[float]], str | None, str | None]


def _iterable(data: Any) -> Iterable[Any]:
    if isinstance(data, Iterable) and not isinstance(data, (bytes, Mapping)):
        return data
    kind = type(data).__name__
    raise TypeError(f"minutiae() takes paths, or an iterable of pairs (id, minutiae) or of dictionaries, not a {kind}")


def _print(number: int, given: Any, fields: tuple[str, str, str | None, str | None]) -> _Print:
    """Return a print as the native function takes it. `fields` has the names of the id, the minutiae, `within` and the label."""
    named = dict(given) if isinstance(given, Mapping) else _paired(number, given, fields)
    if named.get(fields[1]) is None:
        names = ", ".join(map(repr, named)) or "no fields"
        raise _wrong(number, f"no field {fields[1]!r}; the print has {names}", fields[1])
    own = named.get(fields[0])
    within, label = (None if field is None else _name(number, named.get(field), field) for field in fields[2:])
    _name(number, own, fields[0])
    return json.dumps(number if own is None else _scalar(own)), _rows(number, named[fields[1]], fields[1]), within, label


def _paired(number: int, given: Any, fields: tuple[str, str, str | None, str | None]) -> dict[str, Any]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise _wrong(number, f"a print is a pair (id, minutiae) or a dictionary, not {_shown(given)}", None)
    for field in fields[2:]:
        if field is not None:
            raise _wrong(number, f"a pair has no field {field!r}; give dictionaries", field)
    return {fields[0]: given[0], fields[1]: given[1]}


def _name(number: int, value: Any, field: str) -> str | None:
    """Return the text of an id or a label."""
    value = _scalar(value)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _wrong(number, f"field {field!r} is {_shown(value)}; it must be a string or a number", field)
    if isinstance(value, float) and not math.isfinite(value):
        raise _wrong(number, f"field {field!r} is {value}; it must be a string or a number", field)
    return value if isinstance(value, str) else json.dumps(value)


def _rows(number: int, given: Any, field: str) -> list[list[float]]:
    given = sound(field, given)
    given = given.tolist() if hasattr(given, "tolist") else given
    try:
        return [[float(value) for value in minutia] for minutia in given]
    except (TypeError, ValueError, OverflowError):
        words = f"field {field!r} is {_shown(given)}; it must be rows of numbers, such as [(120, 88, 64), (97, 130, 201)]"
        raise _wrong(number, words, field) from None


def _scalar(value: Any) -> Any:
    """Return the Python value of a scalar of numpy."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value


def _shown(value: Any) -> str:
    words = repr(sound("value", value))
    return words if len(words) <= 60 else f"{words[:57]}..."


def _wrong(number: int, words: str, field: str | None) -> RecordError:
    return RecordError(f"print {number}: {words}", line=number, field=field)
