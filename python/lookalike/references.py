"""References: what a collection is compared with, by name and in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lookalike._lookalike import Texts
from lookalike.errors import InputError
from lookalike.files import names_of
from lookalike.kinds import Wanted, column_of, is_collection, kind_of, usable


def references_of(
    against: Any, data: Any, text: str, id: str | None, called: str, folder: str | None, sets: bool, skip_bad: bool
) -> tuple[list[str], list[tuple[str, Texts]], int]:
    """Give the names among the references, what is in memory with its name for messages, and how many rows are skipped.

    Those in memory that have no column `id` get their rows' numbers in the column `called`.
    """
    names: list[str] = []
    tables: list[tuple[str, Texts]] = []
    skipped = 0
    several = None if sets and _is_of_sets(against) else _several(against)
    for number, one in enumerate([against] if several is None else several):
        named = names_of(one)
        if named is not None:
            names.extend(named)
            continue
        name = "against" if several is None else f"against[{number}]"
        # Of what is named the engine sees it. There is but one empty tuple.
        if one is data and not (type(data) is tuple and not data):
            raise InputError(f"{name} is the data itself, each document of which would be dropped for itself: leave it out")
        others = [] if id is None else [id]
        texts = kind_of(one).texts(Wanted(name, text, others, folder, or_none=True, sets=sets, skip_bad=skip_bad))
        if id is None or column_of(id, texts.column_names) is None:
            texts, others = texts.numbered(called), []
        if skip_bad:
            texts, read = usable(texts, [text, *others])
            skipped += 0 if read is None else int((~read).sum())
        tables.append((name, texts))
    return names, tables, skipped


def _is_of_sets(against: Any) -> bool:
    """Tell whether it is one list of sets, and no list of collections of such: an item of these is no set or row by itself."""
    if type(against) not in (list, tuple):
        return False
    kinds = (list, tuple, set, frozenset)
    return all(isinstance(one, kinds) and not any(isinstance(item, (*kinds, dict)) for item in one) for one in against)


def _several(against: Any) -> Sequence[Any] | None:
    """Give the collections of a list of such. A list with strings, or of rows, is one collection, as it is as data."""
    if type(against) not in (list, tuple) or not against or isinstance(against[0], dict):
        return None
    others = [one for one in against if not isinstance(one, str)]
    if len(others) == len(against):
        return others
    if any(names_of(one) is not None or is_collection(one) for one in others):
        raise TypeError(
            "against= has a str beside collections: give a name as a pathlib.Path or lookalike.Files, texts as a list"
        )
    return None
