"""Documents that are sets by themselves, as Python has them, on the way to the engine: JSON arrays."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from lookalike.errors import RecordError


def array(given: Any) -> str:
    """Write a set as a JSON array; a `str` is one already.

    Raises `RecordError` for what is no set, and for items that JSON cannot have. What its items are, the engine looks at.
    """
    if isinstance(given, str):
        return given
    items = given.tolist() if hasattr(given, "tolist") and hasattr(given, "dtype") else given
    if not isinstance(items, (list, tuple, set, frozenset)):
        what = "None" if given is None else f"of the type {type(given).__name__}"
        raise RecordError(f"is {what}, not a set; give a list, tuple or set of strings and numbers")
    try:
        return json.dumps(list(items), allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"has an item that is none ({error}); the items of a set are strings and finite numbers") from None


def arrays(called: str, field: str, values: Iterable[Any], skip_bad: bool = False) -> list[str | None]:
    """Write the sets of a column so; what is wrong with one is reported with its row, from 0, or is None with `skip_bad`."""
    written: list[str | None] = []
    for row, value in enumerate(values):
        try:
            written.append(array(value))
        except RecordError as error:
            if skip_bad:
                written.append(None)
                continue
            raise RecordError(f"{called} row {row}: field {field!r} {error}", path=called, line=row, field=field) from None
    return written


def _plain(item: Any) -> Any:
    """Make what Python's JSON does not know what it does: numpy's scalars, and times, as the engine writes them."""
    if hasattr(item, "dtype") and hasattr(item, "item"):
        return item.item()
    if hasattr(item, "isoformat"):
        return item.isoformat()
    raise TypeError(f"of the type {type(item).__name__}")
