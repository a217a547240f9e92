"""Texts that are put together from several columns, or from the elements of lists: `title,body`, `messages[].content`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

# What the engine puts between the parts of a text.
_BETWEEN = "\n\n"


def is_joined(name: str) -> bool:
    """Return whether a name means a text of several parts, unless there is a column with exactly this name."""
    return ("," in name or "[]" in name) and all(part.strip().partition("[]")[0] for part in name.split(","))


def column_of(asked: str, names: Sequence[str]) -> str | None:
    """Find the column that contains a field: `a.b` is in the column `a` unless a column has exactly this name."""
    return next((name for name in (asked, asked.split(".")[0]) if name in names), None)


def parts_of(asked: str) -> list[str]:
    """Return the fields of which a text is put together, without what is read from elements."""
    return list(dict.fromkeys(part.strip().partition("[]")[0] for part in asked.split(",")))


def columns_of(asked: str, names: Sequence[str]) -> list[str]:
    """Find the columns that are needed for a field, or for a text of several parts."""
    fields = parts_of(asked) if asked not in names and is_joined(asked) else [asked]
    found = (column_of(field, names) for field in fields)
    return [name for name in found if name is not None]


def field_of(row: dict[str, Any], name: str) -> Any:
    """Find a field by its name, or by its path through dictionaries; None if it is missing.

    If there is no such field, and the name means a text of several parts, returns this text. A part that is not a string is
    returned instead of the text, so that it is reported.
    """
    if name in row:
        return row[name]
    if not is_joined(name):
        return _at(row, name)
    parts = [values for part in name.split(",") if (values := _values(row, part.strip())) is not None]
    return _joined([value for values in parts for value in values]) if parts else None


def _at(row: Any, path: str) -> Any:
    if isinstance(row, dict) and path in row:
        return row[path]
    found: Any = row
    for step in path.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    return found


def _values(row: Any, part: str) -> list[Any] | None:
    """Return the values of a part: one, or those of all elements of a list. None if the part is missing."""
    path, has_elements, rest = part.partition("[]")
    value = _at(row, path) if path else row
    # Missing values of a pandas frame are NaN or NA.
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and math.isnan(value)):
        return None
    if not has_elements:
        return [value]
    elements = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(elements, (list, tuple)):
        return [value]
    return [found for element in elements for found in _values(element, rest.removeprefix(".")) or ()]


def _joined(values: list[Any]) -> Any:
    strange = next((value for value in values if not isinstance(value, str)), None)
    return _BETWEEN.join(filter(None, values)) if strange is None else strange
