"""In-memory tables, with the methods that datasketch's indexes call and expose."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator
from typing import Any


class Table:
    """Keys, each with its values in insertion order."""

    def __init__(self) -> None:
        self._dict: dict[Any, Any] = {}

    def keys(self) -> Any:
        """Return the keys."""
        return self._dict.keys()

    def get(self, key: Hashable) -> Any:
        """Return the values of a key, or no values if the key does not exist."""
        return self._dict.get(key, [])

    def getmany(self, *keys: Hashable) -> list[Any]:
        """Return the values of each key."""
        return [self.get(key) for key in keys]

    def insert(self, key: Hashable, *vals: Any, **_: Any) -> None:
        """Add values to those of a key."""
        self._dict.setdefault(key, []).extend(vals)

    def remove(self, *keys: Hashable, **_: Any) -> None:
        """Remove keys."""
        for key in keys:
            del self._dict[key]

    def remove_val(self, key: Hashable, val: Any, **_: Any) -> None:
        """Remove a value of a key."""
        self._dict[key].remove(val)

    def size(self) -> int:
        """Return the number of keys."""
        return len(self._dict)

    def itemcounts(self) -> dict[Any, int]:
        """Return the number of values of each key."""
        return {key: len(values) for key, values in self._dict.items()}

    def has_key(self, key: Hashable) -> bool:
        """Return whether a key exists."""
        return key in self._dict

    def status(self) -> dict[str, int]:
        """Return a dictionary that has the number of keys, under the name that datasketch uses."""
        return {"keyspace_size": len(self)}

    def __getitem__(self, key: Hashable) -> Any:
        return self.get(key)

    def __delitem__(self, key: Hashable) -> None:
        self.remove(key)

    def __len__(self) -> int:
        return len(self._dict)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._dict)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._dict


class Buckets(Table):
    """Keys, each with its set of values."""

    def get(self, key: Hashable) -> Any:
        """Return the values of a key, or no values if the key does not exist."""
        return self._dict.get(key, set())

    def insert(self, key: Hashable, *vals: Any, **_: Any) -> None:
        """Add values to those of a key."""
        self._dict.setdefault(key, set()).update(vals)


def folder(config: dict[str, Any] | None) -> tuple[str, bool] | None:
    """Return the folder of a persistent index, and whether it is only read; None if the storage is in memory.

    Raises:
        ValueError: for any type other than `dict` and `lookalike`, and for unknown settings.

    """
    if (config or {}).get("type") != "lookalike":
        check(config)
        return None
    assert config is not None
    unknown = set(config) - {"type", "path", "readonly"}
    if unknown or "path" not in config:
        raise ValueError(
            'storage_config takes {"type": "lookalike", "path": …} and, to open an index for reading, "readonly": True'
        )
    return os.fspath(config["path"]), bool(config.get("readonly"))


def check(config: dict[str, Any] | None) -> None:
    """Check that the storage is in memory.

    Raises:
        ValueError: for any type other than `dict`.

    """
    kind = (config or {"type": "dict"})["type"]
    if kind != "dict":
        raise ValueError(
            f"Unknown storage type: {kind}. lookalike.compat.datasketch keeps indexes in memory; leave storage_config out, "
            "use MinHashLSH with the type lookalike, or use datasketch itself for this storage"
        )
