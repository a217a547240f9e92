"""The references that a collection is compared with, named or in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lookalike._lookalike import Texts
from lookalike.errors import InputError
from lookalike.files import names_of
from lookalike.kinds import Wanted, column_of, has_splits, is_collection, kind_of, usable


def references_of(
    against: Any,
    data: Any,
    text: str,
    id: str | None,
    called: str,
    folder: str | None,
    sets: bool,
    skip_bad: bool,
    all_splits: bool,
    fields: Sequence[str] = (),
    keyword: str = "text",
) -> tuple[list[str], list[tuple[str, Texts]], int]:
    """Return the named references, the references in memory with their names for messages, and the number of skipped rows.

    References in memory without a column `id` get their row numbers in the column `called`. `fields` are columns that are
    compared in addition to the text.
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
        # For named inputs, the engine detects that data is its own reference. All empty tuples are the same object in Python, so
        # `is` says nothing about them.
        if one is data and not (type(data) is tuple and not data):
            raise InputError(f"{name} is the data itself, so each document would be a duplicate of itself; leave it out")
        others = [] if id is None else [id]
        wanted = Wanted(
            name,
            text,
            [*others, *fields],
            folder,
            or_none=True,
            sets=sets,
            skip_bad=skip_bad,
            all_splits=all_splits,
            only_read=True,
            keyword=keyword,
        )
        texts = kind_of(one).texts(wanted)
        if id is None or column_of(id, texts.column_names) is None:
            texts, others = texts.numbered(called), []
        if skip_bad:
            texts, read = usable(texts, [text, *others])
            skipped += 0 if read is None else int((~read).sum())
        tables.append((name, texts))
    return names, tables, skipped


def _is_of_sets(against: Any) -> bool:
    """Return whether this is one list of sets, not a list of collections of sets: the items of a set are not sets or rows."""
    if type(against) not in (list, tuple):
        return False
    kinds = (list, tuple, set, frozenset)
    return all(isinstance(one, kinds) and not any(isinstance(item, (*kinds, dict)) for item in one) for one in against)


def _several(against: Any) -> Sequence[Any] | None:
    """Return the collections in a list of collections. A list with strings, or of rows, is one collection, as for `data`."""
    # A dictionary of splits is a collection, and not a row.
    if type(against) not in (list, tuple) or not against or (isinstance(against[0], dict) and not has_splits(against[0])):
        return None
    others = [one for one in against if not isinstance(one, str)]
    if len(others) == len(against):
        return others
    if any(names_of(one) is not None or is_collection(one) for one in others):
        raise TypeError(
            "against= mixes a str with collections; give a name as a pathlib.Path or lookalike.Files, and texts as a list"
        )
    return None
