"""Apply saved decisions to the files that they were made for, as the command's `apply` does."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Unpack

from lookalike import _lookalike
from lookalike.config import ApplyOptions
from lookalike.errors import ConfigError
from lookalike.files import names_of
from lookalike.keywords import check
from lookalike.progress import shown
from lookalike.report import Pairs, Report
from lookalike.running import plain

_Path = str | os.PathLike[str]


def apply(
    decisions: Report | Pairs | _Path,
    data: Any,
    output: _Path,
    text: str = "text",
    id: str | None = None,
    *,
    keep: str | None = None,
    **options: Unpack[ApplyOptions],
) -> dict[str, Any]:
    """Write a file of the records that are kept according to decisions, as `dedup` would, byte for byte; return the summary.

    `decisions` is a decisions file, which may have been edited by hand, or the `Report` of a run. `data` names the inputs, as for
    `dedup`. Records and decisions are matched by their ids, in any order. Keywords that control how inputs are read must have the
    same values as in the call of `dedup`; `keep` is only needed with `skip_bad`. `output` can be a folder, or a name with a
    number, as for `dedup`.

    With `threshold=T`, `decisions` is a file that `lookalike pairs` wrote, or the `Pairs` that `pairs` returned. The law is
    applied to those of its pairs that have a resemblance of T or more, and no texts are compared. `keep`, `drop` and
    `keep_per_group` are as for `dedup`, and `write_decisions` is a file for the decision lines.

    Data in memory does not need this function: `data[report.kept]` selects the kept rows.

    Raises one of `lookalike.errors`: `RecordError` if a document has no decision, or a decision has no document. In that case
    nothing is written.

    Cost: two passes over the input, and 32 bytes of memory per decision.

    >>> import csv, pathlib, tempfile, lookalike
    >>> temporary = tempfile.TemporaryDirectory()
    >>> folder = pathlib.Path(temporary.name)
    >>> with open(folder / "in.csv", "w") as file:
    ...     csv.writer(file).writerows([["text"], ["one"], ["ONE!"], ["two"]])
    >>> _, report = lookalike.dedup(folder / "in.csv")
    >>> lookalike.apply(report, folder / "in.csv", folder / "kept.csv")["dropped"]
    1
    >>> (folder / "kept.csv").read_text().split()
    ['text', 'one', 'two']
    >>> temporary.cleanup()
    """
    asked: dict[str, Any] = {"text": text, "id": id, "keep": keep, "output": output, **options}
    if isinstance(decisions, Pairs) and options.get("threshold") is None:
        raise ConfigError("pairs need a threshold at which documents are dropped; give threshold=", option="threshold")
    if not isinstance(decisions, (Report, Pairs)):
        asked["decisions"] = decisions
    known = ["text", "id", "keep", "output", "decisions", *ApplyOptions.__annotations__]
    check("apply", asked, known, needed=("text", "output", "decisions"))
    named = [] if data is None and options.get("input_command") else names_of(data)
    if named is None:
        raise TypeError(f"apply() only works with paths and URLs, not with a {type(data).__name__}; select rows by report.kept")
    given = plain({**options, "keep": keep, "id": id, "text": text, "output": output, "inputs": list(named)})
    wanted = given.pop("progress", None)
    if given.get("skip_bad") is True:
        given["skip_bad"] = os.devnull
    with tempfile.TemporaryDirectory(prefix="lookalike-", dir=given.get("temp_dir")) as folder:
        if isinstance(decisions, Report):
            written = os.path.join(folder, "decisions.jsonl")
            decisions.write_decisions(written)
        elif isinstance(decisions, Pairs):
            written = os.path.join(folder, "pairs.jsonl")
            with open(written, "wb") as file:
                file.write(decisions.json())
        else:
            written = os.fspath(decisions)
        with shown(wanted) as bar:
            return _lookalike.apply(written, output, given, bar)
