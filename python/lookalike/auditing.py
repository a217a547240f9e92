"""Check the result of any deduplication tool, as the command's `audit` does."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Unpack

from lookalike import _lookalike
from lookalike.config import AuditOptions
from lookalike.errors import ConfigError, Error
from lookalike.files import names_of
from lookalike.keywords import check, is_data
from lookalike.kinds import Wanted, kind_of, numbered, sound
from lookalike.progress import shown
from lookalike.report import Pairs, Report, table_of
from lookalike.running import leave_splits, only_for_files, plain

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = [
    *(("id", "id"), ("justified", "bool"), ("cause", "str"), ("nearest", "id"), ("similarity", "float")),
    *(("named", "id"), ("named_similarity", "float")),
]

# A pandas Series with such a name has the clusters of the ids in its index. Any other has ids of documents.
_CLUSTERS = ("cluster", "group", "component", "duplicate_group", "dup_cluster")


class Audit:
    """What `lookalike.audit` found out about a result."""

    def __init__(self, lines: _lookalike.Lines, summary: dict[str, Any]) -> None:
        self._lines = lines
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`): `removals`, `missed`, `clusters` and the worst cases."""

    @property
    def removals(self) -> pa.Table:
        """The removed documents as a table with one row per document, in input order.

        Its columns: id, justified (null if the document has no text, or was not checked), cause (similar, chained, not_similar,
        empty or unchecked), nearest (the id of the most similar kept document), similarity, named (the document that the result
        keeps instead, if it names one) and named_similarity.

        The table is a `pyarrow.Table` if pyarrow is installed, else an object with `__arrow_c_stream__`, which polars and pandas
        accept.
        """
        return table_of(self._lines.columns())

    def json(self) -> bytes:
        """Return the lines that the command writes with `--output`, byte for byte: one for each removed document."""
        return self._lines.lines()

    def __repr__(self) -> str:
        removed, missed = self.summary["removals"], self.summary["missed"]
        return (
            f"<lookalike.Audit: {removed['justified']:,} of {self.summary['removed']:,} removals justified, "
            f"{missed['similar']:,} of {missed['sampled']:,} kept documents with a missed duplicate>"
        )


def audit(
    result: Any,
    texts: Any,
    text: str = "text",
    id: str | None = None,
    threshold: float | None = None,
    *,
    kind: Literal["removed", "kept", "clusters", "pairs", "decisions"] | None = None,
    **options: Unpack[AuditOptions],
) -> Audit:
    """Check the result of another deduplication tool on these texts, by exact similarity.

    `result` is a file or a folder, as for the command `lookalike audit`, or rows in memory: ids of removed documents; a
    dictionary of ids and clusters, or a pandas Series called `cluster` or `group` whose index has the ids; pairs of ids, as
    tuples; a frame, an Arrow table or dictionaries with columns such as id and cluster, or id and kept; or the `Report` or
    `Pairs` of a run. `kind` says what the rows are if their columns do not, such as `"kept"` for ids of kept documents. `texts`
    is a collection of any kind that `dedup` takes. Without `id`, its documents in memory are named by their row numbers.

    A removal is justified if the exact similarity to a document that was kept reaches the threshold (0.8 unless given).
    `sample` kept documents (1,000 unless given) are compared with all documents to find near-duplicates that were missed. The
    settings of the shingles, such as `shingle=3`, must be those of the tool.

    Raises one of `lookalike.errors`, or `TypeError` for an unknown keyword or unsupported data.

    Cost: several passes over the texts, and about 32 bytes of memory per document in addition to those of `dedup`.

    >>> import lookalike
    >>> fox = "The quick brown fox jumps over the lazy dog and runs away into the dark green wood."
    >>> texts = [fox, fox.upper(), "Bread needs flour, water, salt and time.", fox + " It is late."]
    >>> found = lookalike.audit([1, 2], texts, threshold=0.8)
    >>> found
    <lookalike.Audit: 1 of 2 removals justified, 2 of 2 kept documents with a missed duplicate>
    >>> [(row["id"], row["cause"]) for row in found.removals.to_pylist()]
    [(1, 'similar'), (2, 'not_similar')]
    """
    given: dict[str, Any] = {"text": text, "id": id, "threshold": threshold, "kind": kind, **options}
    # The command's default is 1,000, and 0 means that no sample is compared.
    checked = {name: value for name, value in given.items() if not (name == "sample" and type(value) is int and value == 0)}
    check("audit", checked, ["text", "id", "threshold", "kind", *AuditOptions.__annotations__], needed=("text",))
    asked = plain(given)
    wanted, sets = asked.pop("progress", None), asked.get("tokens") == "items" or "set_field" in asked
    names, rows = names_of(texts), None
    with tempfile.TemporaryDirectory(prefix="lookalike-", dir=asked.get("temp_dir")) as folder:
        if names is None:
            leave_splits(asked, texts)
            only_for_files(asked)
            if asked.pop("skip_bad", False):
                raise ConfigError("skip_bad= only works with paths and URLs, because rows are numbered", option="skip_bad")
            called, field = type(texts).__name__, asked.get("set_field", text)
            splits = bool(options.get("all_splits"))
            read = Wanted(called, field, [id] if id else [], folder, sets=sets, all_splits=splits, only_read=True)
            columns = kind_of(texts).texts(read)
            if id is None:
                asked["id"], columns = numbered(columns)
            rows = (called, columns)
        elif asked.get("skip_bad") is True:
            asked["skip_bad"] = os.devnull
        output = os.path.join(folder, "removals.jsonl")
        results = _named(result, folder)
        asked |= {"inputs": list(names or []), "result": results}
        with shown(wanted) as bar:
            try:
                summary = _lookalike.audit(rows, asked, output, bar)
            except Error as error:
                if names_of(result) is not None:
                    raise
                raise _about_rows(error, results[0]) from None
        return Audit(_lookalike.Lines.read(output, _COLUMNS), summary)


def _about_rows(error: Error, file: str) -> Error:
    """Return an error about a result in memory: its rows count from 0, and the caller does not know our temporary file."""
    words, path, line = str(error), error.path, error.line
    if path == file:
        path = "result"
        if line is not None:
            line -= 1
            words = words.replace(f"{file}:{line + 1}", f"result row {line}")
    return type(error)(words.replace(file, "result"), path=path, line=line, field=error.field, option=error.option)


def _named(result: Any, folder: str) -> list[str]:
    """Return the names of a result. Rows in memory are written to the folder."""
    names = names_of(result)
    if names is not None:
        return list(names)
    path = os.path.join(folder, "result.jsonl")
    if isinstance(result, Report):
        result.write_decisions(path)
        return [path]
    with open(path, "wb") as file:
        if isinstance(result, Pairs):
            file.write(result.json())
        else:
            for row in _rows(sound("result", result)):
                file.write(json.dumps(_plain(row), default=str, allow_nan=False).encode() + b"\n")
    return [path]


def _rows(result: Any) -> Iterable[Any]:
    """Return the rows of a result: ids, pairs of ids, or dictionaries."""
    if isinstance(result, Mapping):
        if any(isinstance(cluster, (list, tuple, set, frozenset)) for cluster in result.values()):
            raise TypeError(
                "audit() takes a dictionary of each id and its cluster, not lists of ids; give pairs, or the Report itself"
            )
        return ({"id": own, "cluster": cluster} for own, cluster in result.items())
    for method in ("collect", "read_all"):
        # Queries and streams.
        if hasattr(result, method):
            result = getattr(result, method)()
    if hasattr(result, "to_frame") and hasattr(result, "index") and str(result.name).strip("_").lower().startswith(_CLUSTERS):
        return ({"id": own, "cluster": cluster} for own, cluster in zip(result.index, result, strict=True))
    if hasattr(result, "to_dict") and hasattr(result, "columns") and not hasattr(result, "to_dicts"):
        return list(result.to_dict("records"))
    for method in ("to_pylist", "to_dicts", "tolist", "to_list"):
        if hasattr(result, method):
            return list(getattr(result, method)())
    if isinstance(result, (set, frozenset)):
        # The order of a set of strings is different in each process.
        return sorted(result, key=repr)
    if isinstance(result, Iterable) and not isinstance(result, (bytes, str)):
        return result
    kind = type(result).__name__
    raise TypeError(f"audit() takes paths, ids, a dictionary of clusters, pairs, a table or a Report as the result, not a {kind}")


def _plain(row: Any) -> Any:
    """Return a row as values that JSON has. Missing values of pandas are null."""
    if isinstance(row, Mapping):
        return {str(name): _value(value) for name, value in row.items()}
    if isinstance(row, bool) or type(row).__name__ == "bool_":
        raise TypeError("audit() takes ids, not True and False; give numbers of rows, such as numpy.flatnonzero(~report.kept)")
    if not isinstance(row, (tuple, list)):
        return _value(row)
    if hasattr(row, "a") and hasattr(row, "b"):
        return {"a": _value(row.a), "b": _value(row.b)}
    # The similarity of a pair may be given with it.
    if len(row) == 2 or (len(row) == 3 and isinstance(_value(row[2]), (int, float)) and 0 <= row[2] <= 1):
        return {"a": _value(row[0]), "b": _value(row[1])}
    raise TypeError(f"audit() takes ids, or pairs of ids and their similarity, not {row!r:.80}")


def _value(value: Any) -> Any:
    if is_data(value):
        value = sound("result", value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, float) and value.is_integer():
        # Whole numbers beside missing ones are floats in pandas.
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _value(inside) for name, inside in value.items()}
    if isinstance(value, (list, tuple)):
        return [_value(inside) for inside in value]
    return value
