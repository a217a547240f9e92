"""Check that Arrow data is valid for its types. Data from a damaged file may be invalid, and code that trusts it crashes.

Arrow's C interface does not pass the sizes of buffers, so only the library that created an array can check that its offsets are
within its buffers. pyarrow validates its own arrays, including those inside pandas, before anything else reads them. The native
module checks all data again, including data of other libraries.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from lookalike.errors import InputError

_ADVICE = "read or download it again; if its texts are not in UTF-8, decode them first"


@contextmanager
def readable(called: str) -> Iterator[None]:
    """Convert the exceptions of pyarrow for unreadable data to `InputError`."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        raise InputError(f"{called}: cannot be read ({_first_line(error)}); {_ADVICE}") from error


def check_column(called: str, name: object, column: Any, first: int = 0) -> None:
    """Check a pyarrow array, or the chunks of a chunked array, which are counted from `first`.

    Raises `InputError` with the column and the batch. Cost: one pass over offsets and strings, without the interpreter lock.
    """
    import pyarrow as pa

    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    for number, chunk in enumerate(chunks, first):
        try:
            chunk.validate(full=True)
        except (pa.ArrowException, OSError, OverflowError) as error:
            where = f"column {str(name)!r}, batch {number}"
            raise InputError(f"{called}: {where} is damaged ({_first_line(error)}); {_ADVICE}") from error


def check_table(called: str, data: Any, number: int = 0) -> Any:
    """Check all columns of a table, or of a batch with the given number, and return it.

    Columns that a run does not read are checked too, because the kept rows are selected from all columns.
    """
    with readable(called):
        names = data.schema.names
        columns = [data.column(at) for at in range(len(names))]
    for name, column in zip(names, columns, strict=True):
        check_column(called, name, column, number)
    with readable(called):
        # The validation of the table checks that all columns have the same length.
        data.validate()
    return data


def checked(called: str, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the batches of a reader, each checked before anything else reads it."""
    number, rest = 0, iter(batches)
    while True:
        with readable(f"{called} batch {number}"):
            batch = next(rest, None)
        if batch is None:
            return
        yield check_table(called, batch, number)
        number += 1


def check_pandas(called: str, data: Any) -> None:
    """Check the columns and the index of a frame or series, or an index or array, that are Arrow data. Ignore other objects."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is None or sys.modules.get("pyarrow") is None:
        return
    if isinstance(data, pandas.Index):
        data = pandas.Series(0, index=data, dtype="int8")
    elif isinstance(data, pandas.api.extensions.ExtensionArray):
        data = pandas.Series(data, name="values")
    if not isinstance(data, (pandas.DataFrame, pandas.Series)):
        return
    columns = [(data.name, data)] if isinstance(data, pandas.Series) else data.items()
    for name, series in columns:
        for array in _arrow_arrays(series.array):
            check_column(called, name, array)
    levels = data.index.levels if isinstance(data.index, pandas.MultiIndex) else [data.index]
    for level in levels:
        # Levels of other types are not Arrow data, and their arrays would be created just for this check.
        if isinstance(level.dtype, pandas.api.extensions.ExtensionDtype):
            for array in _arrow_arrays(level.array):
                check_column(called, "index" if level.name is None else level.name, array)


def _arrow_arrays(array: Any) -> Iterator[Any]:
    pandas: Any = sys.modules["pandas"]
    if isinstance(array, pandas.Categorical):
        yield from _arrow_arrays(array.categories.array)
    kinds = [getattr(pandas.arrays, name, ()) for name in ("ArrowExtensionArray", "ArrowStringArray")]
    if any(isinstance(array, kind) for kind in kinds):
        yield array.__arrow_array__()


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
