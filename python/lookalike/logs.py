"""Messages about runs, through Python's `logging` under the name `lookalike`.

A run logs its start, and its end with the numbers of documents, at the level INFO. No handler is installed, so that a program
that does not configure logging shows nothing.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from lookalike.files import names_of

_LOGGER = logging.getLogger("lookalike")
_LOGGER.addHandler(logging.NullHandler())

# The parts of a URL that may be secret: a password, and the signature of an address that was signed for a limited time.
_SECRET = re.compile(r"(?<=://)[^/]*@|\?.*", re.DOTALL)

_COUNTS = ("documents", "kept", "dropped", "unchanged", "cut", "pairs", "references", "bad_lines")


def started(of: str, data: Any) -> Callable[[Mapping[str, Any]], None]:
    """Log the start of a run, and return a function that logs its end with the counts of its summary."""
    names = names_of(data)
    what = type(data).__name__
    if names is not None:
        what = _SECRET.sub("", names[0]) if "://" in names[0] else names[0]
        what += f" and {len(names) - 1} more" if len(names) > 1 else ""
    _LOGGER.info("%s starts: %s", of, what)
    start = time.monotonic()

    def ended(summary: Mapping[str, Any]) -> None:
        # A run skips bad lines only if it should, so they are no warning.
        counts = [f"{name.replace('_', ' ')} {summary[name]}" for name in _COUNTS if summary.get(name) is not None]
        _LOGGER.info("%s ends: %s, in %.1f s", of, ", ".join(counts), time.monotonic() - start)

    return ended
