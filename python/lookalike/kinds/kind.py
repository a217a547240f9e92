"""What a kind of collection can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from lookalike._lookalike import Texts
from lookalike.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Kind(Protocol):
    """A collection in memory, or one that comes by and by and is put into a temporary file first."""

    def texts(self, text: str, others: Sequence[str], folder: str | None) -> Texts:
        """Give the texts and the other columns of these names, and nothing else, to the engine; `folder` for temporary files."""

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Make a collection of the same kind of the rows that stay."""


def columns(text: str, others: Sequence[str], names: Sequence[str]) -> list[str]:
    """Find the columns that a run reads: `a.b` is in the column `a` where no column is called so.

    Raises `InputError` for a column that is absent, or there twice.
    """
    found: list[str] = []
    for asked in [text, *others]:
        name = asked if asked in names else asked.split(".")[0]
        if name not in names:
            there = ", ".join(map(repr, names))
            advice = "name the one with the text with text=" if asked == text else "name another"
            raise InputError(f"no column {asked!r}; the table has {there or 'none'}: {advice}")
        if list(names).count(name) > 1:
            raise InputError(f"column {name!r} stands twice; rename one of the two")
        if name not in found:
            found.append(name)
    return found


def without_columns(others: Sequence[str]) -> None:
    """Refuse what texts alone cannot have."""
    if others:
        raise InputError(f"there is no column {others[0]!r} beside texts alone: give a frame or table that has it")
