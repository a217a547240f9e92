"""Convert documents that are sets to JSON arrays for the engine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from lookalike.errors import RecordError
from lookalike.kinds.sound import check_pandas


def array(given: Any) -> str:
    """Write a set as a JSON array; a `str` is already a JSON array.

    Raises `RecordError` for a value that is not a set, and for items that JSON cannot represent. The engine checks the items.
    """
    if isinstance(given, str):
        return given
    check_pandas("set", given)
    items = given.tolist() if hasattr(given, "tolist") and hasattr(given, "dtype") else given
    if not isinstance(items, (list, tuple, set, frozenset)):
        what = "None" if given is None else f"of the type {type(given).__name__}"
        raise RecordError(f"is {what}, not a set; give a list, tuple or set of strings and numbers")
    try:
        return json.dumps(list(items), allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"has an invalid item ({error}); the items of a set must be strings and finite numbers") from None


def arrays(called: str, field: str, values: Iterable[Any], skip_bad: bool = False) -> list[str | None]:
    """Write the sets of a column as JSON arrays.

    An invalid set is an error that reports its row, from 0; with `skip_bad`, the set becomes None instead.
    """
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
    """Convert values that Python's JSON does not support: numpy's scalars to Python's, and times to the engine's format."""
    if hasattr(item, "dtype") and hasattr(item, "item"):
        return item.item()
    if hasattr(item, "isoformat"):
        return item.isoformat()
    raise TypeError(f"of the type {type(item).__name__}")
