"""Data sets of Hugging Face, on the disk or streamed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Texts
from lookalike.kinds.kind import Kind, Wanted
from lookalike.kinds.spool import Spool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 1000


class Dataset:
    """A `datasets.Dataset`: its columns are read where they are mapped, or by its indices where it has such."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Give the columns that are read."""
        import pyarrow as pa

        chosen = wanted.columns(self._data.column_names)
        data = self._data.select_columns(chosen)
        if data._indices is None:
            return Texts.of_arrow(wanted.text, data.data.table)
        schema = data.data.table.schema
        rows = data.with_format("arrow").iter(batch_size=_BATCH)
        batches = (batch for table in rows for batch in table.cast(schema).to_batches())
        return Texts.of_arrow(wanted.text, pa.RecordBatchReader.from_batches(schema, batches))

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Take rows: indices beside the same data."""
        import numpy as np

        return self._data.select(np.flatnonzero(kept))


class Iterable:
    """A `datasets.IterableDataset`: it is read once, into a temporary file, all its columns with it.

    What is given back reads that file, which is there as long as the data set is.
    """

    def __init__(self, data: Any) -> None:
        self._data = data

    def texts(self, wanted: Wanted) -> Texts:
        """Read all, and give the columns that are read."""
        tables = iter(self._data.with_format("arrow").iter(batch_size=_BATCH))
        features = self._data.features
        first = next(tables, None)
        if features is None:
            features = _features(first)
        schema = features.arrow_schema
        chosen = wanted.columns(schema.names)

        def batches() -> Iterator[Any]:
            if first is None:
                return
            yield from first.select(schema.names).cast(schema).to_batches()
            for table in tables:
                yield from table.select(schema.names).cast(schema).to_batches()

        self._spool = Spool(schema, batches(), wanted.folder)
        return Texts.of_arrow(wanted.text, self._spool.batches(chosen))

    def select(self, kept: NDArray[np.bool_]) -> Any:
        """Make an iterable data set of the rows that stay."""
        import datasets
        import numpy as np

        mapped = datasets.Dataset.from_file(self._spool.path)
        self._spool.keep_for(mapped.data)
        selected = mapped.select(np.flatnonzero(kept)).to_iterable_dataset()
        formatting = getattr(self._data, "_formatting", None)
        return selected.with_format(formatting.format_type) if formatting else selected


def _features(first: Any) -> Any:
    import datasets

    return datasets.Features({}) if first is None else datasets.Features.from_arrow_schema(first.schema)


def of(data: Any) -> Kind | None:
    """Take data sets; of several splits one has to be given."""
    datasets = sys.modules.get("datasets")
    if datasets is not None and isinstance(data, datasets.Dataset):
        return Dataset(data)
    if datasets is not None and isinstance(data, datasets.IterableDataset):
        return Iterable(data)
    return None
