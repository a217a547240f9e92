"""Named inputs: files, folders, globs and URLs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any


class Files:
    """Several named inputs, in the order of their documents: `lookalike.Files("a.jsonl", "s3://b/c/")`.

    A single input does not need this class: if `data` is a `str` or a `pathlib.Path`, it is a name. A list of strings, however,
    is a list of texts; a list of `Path` is a list of names.
    """

    def __init__(self, *names: str | os.PathLike[str]) -> None:
        self.names: tuple[str, ...] = tuple(os.fspath(name) for name in names)
        if not self.names:
            raise ValueError("Files() needs a name; give a file, a folder, a glob or a URL")

    def __repr__(self) -> str:
        return f"Files({', '.join(map(repr, self.names))})"


def names_of(data: Any) -> Sequence[str] | None:
    """Return the names if the argument names inputs, and None if it is data."""
    if isinstance(data, Files):
        return data.names
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, os.PathLike) for one in data):
        return [os.fspath(one) for one in data]
    return None
