"""Relations of DuckDB."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.errors import InputError
from lookalike.kinds.arrow import Reader
from lookalike.kinds.kind import Changes, Kind, Wanted
from lookalike.kinds.spool import Spool, rewritten_each

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Types whose values change on the way through Arrow, such as a time that loses its zone.
_AS_TEXT = re.compile(r"\b(BIT|BIGNUM|TIME WITH TIME ZONE)\b")


class Relation(Reader):
    """A `DuckDBPyRelation`: the query is executed once, into a temporary file, and the returned relation reads that file.

    The returned relation belongs to the same connection, so it can be joined with other relations, and its columns have the same
    types. It can be executed repeatedly.
    """

    def texts(self, wanted: Wanted) -> Texts:
        """Execute the query, and return the columns that are read."""
        duckdb = sys.modules["duckdb"]
        self._types = [str(own) for own in self._data.types]
        try:
            if not wanted.only_read:
                self._check_setting(wanted.called)
            return super().texts(wanted)
        except duckdb.Error as error:
            words = f"{wanted.called}: the query failed ({str(error).partition(chr(10))[0]}); run it by itself first"
            raise InputError(words, path=wanted.called) from error

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Return a relation of the kept rows."""
        import pyarrow as pa

        rows = self._spool.batches().read_all()
        columns = [f"c{at}" for at in range(rows.num_columns)]
        return self._relation(rows.rename_columns(columns).append_column("kept", pa.array(kept)), "WHERE kept")

    def rewritten(self, changes: Changes) -> Any:
        """Write the kept rows with other texts to a second temporary file, and return a relation that reads it."""
        batches = rewritten_each(self._spool.batches(), changes)
        rows = Spool(self._spool.schema, batches, changes.folder, changes.called).batches().read_all()
        return self._relation(rows.rename_columns([f"c{at}" for at in range(rows.num_columns)]))

    def _names(self) -> list[str]:
        return list(self._data.columns)

    def _opened(self, columns: list[str] | None) -> Any:
        names = self._names()
        places = range(len(names)) if columns is None else [names.index(name) for name in columns]
        projected = self._data.project(", ".join(f"{self._read(at)} AS {_quoted(names[at])}" for at in places))
        # The old name is deprecated.
        opened = projected.to_arrow_reader if hasattr(projected, "to_arrow_reader") else projected.fetch_record_batch
        return opened(8192)

    def _read(self, at: int) -> str:
        """Return the expression of a column, as Arrow can hold its values. Names may be repeated, but places are not."""
        return f"CAST(#{at + 1} AS VARCHAR)" if _AS_TEXT.search(self._types[at]) else f"#{at + 1}"

    def _relation(self, lookalike_rows: Any, where: str = "") -> Any:
        """Return a relation over a table of Arrow, which DuckDB finds by the name of our argument."""
        names = self._names()
        columns = ", ".join(f"CAST(c{at} AS {own}) AS {_quoted(names[at])}" for at, own in enumerate(self._types))
        return self._data.query("lookalike_relation", f"SELECT {columns} FROM lookalike_rows {where}")

    def _check_setting(self, called: str) -> None:
        """Raise `InputError` if relations over Arrow tables are disabled, before a long run, which would have no result."""
        asked = self._data.query("lookalike_relation", "SELECT current_setting('python_enable_replacements')")
        if not asked.fetchall()[0][0]:
            words = f"{called}: the connection cannot read tables of Python; SET python_enable_replacements = true"
            raise InputError(words, path=called)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def of(data: Any) -> Kind | None:
    """Return the kind of the data if it is a relation; else None."""
    duckdb = sys.modules.get("duckdb")
    return Relation(data) if duckdb is not None and isinstance(data, duckdb.DuckDBPyRelation) else None
