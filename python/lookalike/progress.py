"""A progress bar for a run, if tqdm is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

_UNITS = {"pairing": "steps", "counting": "documents", "deciding": "documents", "learning": "pairs", "scoring": "pairs"}


@contextmanager
def shown(wanted: bool | None) -> Iterator[Callable[[str, int, int], None] | None]:
    """Yield a function that a run calls to report progress, and that shows one bar per stage; None if nothing is shown.

    By default a bar is shown if standard error is a terminal and tqdm is installed. Raises `ImportError` if a bar is requested
    but tqdm is not installed.
    """
    if wanted is False or (wanted is None and (not sys.stderr.isatty() or find_spec("tqdm") is None)):
        yield None
        return
    from tqdm.auto import tqdm

    bar: Any = None
    stage_shown = ""

    def show(stage: str, done: int, total: int) -> None:
        nonlocal bar, stage_shown
        if stage != stage_shown:
            if bar is not None:
                bar.close()
            unit = _UNITS.get(stage, "B")
            # Work done before the bar appeared does not count towards the speed.
            bar = tqdm(total=total or None, initial=done, desc=stage, unit=unit, unit_scale=unit == "B", leave=False)
            stage_shown = stage
        bar.update(done - bar.n)

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
