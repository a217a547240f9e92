"""Dask frames, which are read partition by partition."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.errors import InputError
from lookalike.kinds.frames import Pandas
from lookalike.kinds.kind import Changes, Kind, Wanted
from lookalike.kinds.sound import check_pandas
from lookalike.kinds.spool import Spool, remove_soon

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Partitions:
    """A `dask.dataframe.DataFrame`: its graph is computed once, and each partition is written to a temporary file.

    Partitions are pickled, so that their index and their types are those of pandas. The returned frame has the same partitions,
    and reads these files when it is computed.
    """

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Compute the frame, and return the columns that are read."""
        import dask

        chosen = wanted.columns(self._data.columns.tolist())
        frame = self._data[chosen] if wanted.only_read else self._data
        parts = frame.to_delayed()
        self._files = [_File.made(wanted.folder) for _ in parts]
        # One computation of all partitions: computing them one by one would repeat what they share, such as a shuffle.
        stored = dask.delayed(_store)
        self._rows = list(dask.compute(*(stored(part, file.path) for part, file in zip(parts, self._files, strict=True))))
        batches = self._batches(wanted, chosen)
        self._spool = Spool.of_any(batches, wanted.folder, wanted.called)
        return wanted.of_arrow(self._spool.batches(chosen)) if self._spool else wanted.of_lists({name: [] for name in chosen})

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Return a frame of the kept rows."""
        start, masks = 0, []
        for rows in self._rows:
            masks.append(kept[start : start + rows])
            start += rows
        return self._frame(_kept, self._files, masks)

    def rewritten(self, changes: Changes) -> Any:
        """Write the kept rows with other texts to temporary files, and return a frame that reads them."""
        start, files = 0, []
        for file, rows in zip(self._files, self._rows, strict=True):
            files.append(_File.made(changes.folder))
            _store(Pandas(file.read()).rewritten(changes.part(start, start + rows)), files[-1].path)
            start += rows
        return self._frame(_File.read, files)

    def _frame(self, read: Any, *parts: list[Any]) -> Any:
        """Return a frame whose partitions a function reads. It has the index and the types of the data."""
        import dask.dataframe

        divisions = self._data.divisions if self._data.known_divisions else None
        return dask.dataframe.from_map(read, *parts, meta=self._data._meta, divisions=divisions, enforce_metadata=False)

    def _batches(self, wanted: Wanted, chosen: list[str]) -> Iterator[Any]:
        import pyarrow as pa

        for number, file in enumerate(self._files):
            called = f"{wanted.called} partition {number}"
            frame = file.read()
            check_pandas(called, frame)
            for name in chosen:
                try:
                    pa.Table.from_pandas(frame[[name]], preserve_index=False)
                except (pa.ArrowException, UnicodeError, OverflowError, TypeError, ValueError) as error:
                    words = f"{called}: column {name!r} has values of several types; give all its rows one type first ({error})"
                    raise InputError(words, path=wanted.called, field=name) from error
            yield from pa.Table.from_pandas(frame[chosen], preserve_index=False).replace_schema_metadata().to_batches()


class _File:
    """A partition in a temporary file, which is removed when nothing can read it any more, except through copies."""

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def made(cls, folder: str | None) -> _File:
        """Make an empty file, which is removed with the returned object."""
        file, path = tempfile.mkstemp(".pickle", "lookalike-", folder)
        os.close(file)
        own = cls(path)
        weakref.finalize(own, remove_soon, path)
        return own

    def read(self) -> Any:
        """Return the partition."""
        try:
            with open(self.path, "rb") as file:
                return pickle.load(file)
        except (EOFError, FileNotFoundError) as error:
            words = f"{self.path}: a partition is missing; let temp_dir= name a folder that all workers share"
            raise InputError(words, path=self.path) from error

    def __reduce__(self) -> Any:
        # A copy in another process does not remove the file.
        return _File, (self.path,)

    def __dask_tokenize__(self) -> str:
        return self.path


def _store(partition: Any, path: str) -> int:
    """Write a partition to a file, and return the number of its rows."""
    with open(path, "wb") as file:
        pickle.dump(partition, file, pickle.HIGHEST_PROTOCOL)
    return len(partition)


def _kept(file: _File, kept: NDArray[np.bool_]) -> Any:
    return file.read().iloc[kept]


def of(data: Any) -> Kind | None:
    """Return the kind of the data if it is a frame of Dask; else None."""
    dataframe = sys.modules.get("dask.dataframe")
    return Partitions(data) if dataframe is not None and isinstance(data, dataframe.DataFrame) else None
