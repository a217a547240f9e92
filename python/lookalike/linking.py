"""Record linkage: `link` and `suggest_link`."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from lookalike import _lookalike
from lookalike.config import LinkOptions, LinkRunOptions
from lookalike.errors import ConfigError, InputError
from lookalike.files import names_of
from lookalike.keywords import check
from lookalike.kinds import Wanted, column_of, kind_of
from lookalike.progress import shown
from lookalike.report import frame_of, table_of
from lookalike.running import leave_splits, only_for_files, plain

if TYPE_CHECKING:
    import pandas as pd


class LinkConfig(dict[str, Any]):
    """A configuration of `link`: the fields, blocks and thresholds of `link.toml` as a dictionary, which can be changed."""

    def __init__(self, config: Mapping[str, Any], toml: str) -> None:
        super().__init__(config)
        self.toml: str = toml
        """The suggested configuration as TOML with comments: why each field and block was chosen, and what was left out. Changes
        of the dictionary do not change it."""


class Links:
    """The pairs of records that `lookalike.link` found; iteration yields the command's line for each pair, as a dictionary."""

    def __init__(
        self, data: Any, pairs: _lookalike.Lines, clusters: _lookalike.Lines, summary: dict[str, Any], config: dict[str, Any]
    ) -> None:
        self._as = _result_of(data)
        self._pairs, self._clusters = pairs, clusters
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`): the numbers of records, pairs and clusters, the blocks, what was learned, and the
        comparison with the ground truth (`judged`), if there is one."""
        self.config: dict[str, Any] = config
        """The configuration of the run, given or suggested; it can be passed to `link` again."""

    def __len__(self) -> int:
        return len(self._pairs)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(json.loads, self._pairs.lines().splitlines())

    @property
    def pairs(self) -> Any:
        """The pairs with one row per pair, in the order of the records, as a collection of the same kind as the data.

        Its columns: a, b (ids, or row numbers from 0), score, verdict (match or possible), and for each field `points.NAME`,
        which is null if one record lacks the field. With learned weights, there are probability, bits and `weights.NAME` instead
        of score and points.

        For a pandas or polars frame, this is such a frame; for rows in a list, a list of dictionaries, as the command writes
        them; for a dataset, a dataset; otherwise a `pyarrow.Table` if pyarrow is installed, else an object with
        `__arrow_c_stream__`.
        """
        return self._as(self._pairs)

    @property
    def clusters(self) -> Any:
        """The cluster of each record, in input order, as a collection of the same kind as `pairs`.

        Its columns: id, representative (the id of the first record of the cluster) and size (the number of records in the
        cluster). With two collections, the columns of and representative_of say which of them a record belongs to: a or b. If
        ids have different types, such as integers and strings, these columns contain them as JSON.
        """
        return self._as(self._clusters)

    def to_pandas(self) -> pd.DataFrame:
        """Return `pairs` as a pandas frame."""
        return frame_of(self._pairs.columns())

    def json(self) -> bytes:
        """Return the lines that the command prints, byte for byte: one for each pair."""
        return self._pairs.lines()

    def clusters_json(self) -> bytes:
        """Return the lines that the command writes with `--clusters`, byte for byte."""
        return self._clusters.lines()

    def __repr__(self) -> str:
        matches, possible, records = (self.summary[name] for name in ("matches", "possible", "records"))
        noun = "match" if matches == 1 else "matches"
        return f"<lookalike.Links: {matches:,} {noun} and {possible:,} possible among {records:,} records>"


def link(
    a: Any,
    b: Any = None,
    config: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    id: str | None = None,
    **options: Unpack[LinkRunOptions],
) -> Links:
    """Find records of the same person, firm or thing, in one collection or in two.

    `a` and `b` are collections of records with fields: pandas and polars frames, Arrow tables, lists of dictionaries, Hugging
    Face datasets, and paths and URLs of JSON Lines, CSV, Parquet and Arrow files. Both may be of different kinds. With `b`, each
    pair has one record of each collection. Nested fields have names such as `address.city`.

    `config` says which fields are compared and how, which pairs are compared, and what a match is: the path of a TOML file, or a
    dictionary with the same keys, such as `{"field": [{"name": "name", "type": "name"}]}`. Without it, a configuration is
    suggested (see `suggest_link`), and its weights are learned from the records.

    - `id=None`: the column or field with the id. By default it is `"id"`, if there is one; otherwise records in memory are
      identified by their rows, from 0, and records of files by their files and lines.
    - `labels=None`: a column or field that is equal in records of the same thing, or `truth=None`: a file of true pairs (JSON
      Lines with two ids, `a` and `b`). `summary["judged"]` then has precision and recall. The field is not compared if a
      configuration is suggested.
    - `one_to_one=None`: whether each record is in at most one pair; by default as the configuration says. "auto" means that it is
      if there are two collections, and neither seems to contain duplicates. `matches_only=False`: whether possible matches are
      left out.
    - `right_by=None`: a date or number that is not compared, from which the share of right pairs is estimated
      (`summary["right"]`).
    - `allow_repeated_ids=False`: whether several records of a collection may have the same id.
    - `report=None`: an HTML file to look at, with pairs field by field.
    - `threads=0`, `memory=None`, `temp_dir=None`, `progress=None`: as for `dedup`. The answer is the same for any of them.
    - `format=None`, `delimiter=None`, `encoding=None`, `all_splits=False`: how files are read, as for `dedup`.

    The values are those of the records as JSON: null, None, NA and nan are missing values, and dates and times are ISO 8601
    strings. This runs the same job as the command, with the same result, byte for byte.

    Raises one of `lookalike.errors`, or `TypeError` for an unknown keyword or unsupported data. A keyboard interrupt ends the
    run.

    Cost: see the guide (docs/link.md); Arrow data is not copied.

    >>> import lookalike
    >>> ours = [{"id": 1, "name": "Mary-Ann O'Brien", "phone": "(213) 555-0100"}, {"id": 2, "name": "Ann Lee", "phone": None}]
    >>> theirs = [{"id": "x", "name": "OBrien, Mary Ann", "phone": "+1 213 555 0100"}]
    >>> fields = [{"name": "name", "type": "name"}, {"name": "phone", "type": "phone"}]
    >>> blocks = [{"equal": [{"field": "phone", "suffix": 7}]}]
    >>> links = lookalike.link(ours, theirs, {"field": fields, "block": blocks})
    >>> links
    <lookalike.Links: 1 match and 0 possible among 3 records>
    >>> links.pairs
    [{'a': 1, 'b': 'x', 'score': 1.0, 'verdict': 'match', 'points': {'name': 100.0, 'phone': 100.0}}]
    >>> [record["representative"] for record in links.clusters]
    [1, 2, 1]
    """
    check("link", {"id": id, **options}, ["id", *LinkRunOptions.__annotations__], needed=())
    if isinstance(config, (str, os.PathLike)):
        config = os.fspath(config)
    elif isinstance(config, Mapping):
        config = dict(config)
    elif config is not None:
        words = f"config= takes the path of a TOML file, a dictionary or None, not a {type(config).__name__}"
        raise ConfigError(words, option="config")
    tables, given, progress = _asked(a, b, id, options)
    with tempfile.TemporaryDirectory(prefix="lookalike-", dir=given.get("temp_dir")) as folder, shown(progress) as bar:
        found = _lookalike.link(*tables, config, given, folder, bar)
    return Links(a, *found)


def suggest_link(a: Any, b: Any = None, *, id: str | None = None, **options: Unpack[LinkOptions]) -> LinkConfig:
    """Suggest a configuration for `link`: which fields to compare as what, and which pairs to compare.

    `a`, `b` and the keywords are those of `link`. The result is a dictionary, which can be changed and passed to `link`; its
    attribute `toml` has the text that the command writes with `--suggest`, with comments. The weights of the fields are learned
    from the records when they are linked. The fields that `id` and `labels` name are not compared.

    Raises `InputError` if no field can be compared, and otherwise the same errors as `link`.

    >>> import lookalike
    >>> firms = [{"name": f"{name} & Sons", "city": "Leeds"} for name in ("Miller", "Millar", "Smith", "Smyth", "Baker", "Cook")]
    >>> config = lookalike.suggest_link(firms)
    >>> config["weights"], [field["name"] for field in config["field"]]
    ('learned', ['name'])
    >>> config.toml.splitlines()[-1]
    ''
    """
    check("suggest_link", {"id": id, **options}, ["id", *LinkOptions.__annotations__], needed=())
    tables, given, progress = _asked(a, b, id, options)
    with shown(progress) as bar:
        text, config = _lookalike.suggest_link(*tables, given, bar)
    return LinkConfig(config, text)


_Table = tuple[str, _lookalike.Texts] | None


def _asked(
    a: Any, b: Any, id: str | None, options: Mapping[str, Any]
) -> tuple[tuple[_Table, _Table], dict[str, Any], bool | None]:
    """Return the collections in memory, the options for the engine, and whether a progress bar is wanted."""
    given = plain(options)
    progress = given.pop("progress", None)
    if b is not None and b is a:
        raise InputError("a and b are the same data; leave b out to find records of a that belong together")
    all_splits = bool(given.get("all_splits"))
    if names_of(a) is None and (b is None or names_of(b) is None):
        leave_splits(given, a, b)
        only_for_files(given)
    if id is not None:
        given["id"] = id
    if b is None:
        names, table = _collection(a, type(a).__name__, id, given, all_splits)
        return (None, table), {**given, "inputs": names, "against": []}, progress
    (first, table_a), (second, table_b) = (
        _collection(own, called, id, given, all_splits) for own, called in ((a, "a"), (b, "b"))
    )
    return (table_a, table_b), {**given, "against": first, "inputs": second}, progress


def _collection(data: Any, called: str, id: str | None, options: Mapping[str, Any], all_splits: bool) -> tuple[list[str], _Table]:
    """Return the names of a collection, or its records in memory."""
    names = names_of(data)
    if names is not None:
        return list(names), None
    wanted = Wanted(called, "", (), options.get("temp_dir"), whole=True, all_splits=all_splits, only_read=True)
    texts = kind_of(data).texts(wanted)
    if column_of(id or "id", texts.column_names) is None and len(texts):
        if id is not None:
            there = ", ".join(map(repr, texts.column_names))
            words = f"{called}: no column {id!r}; the records have {there}; name another column with id="
            raise InputError(words, path=called, field=id)
        texts = texts.numbered("id")
    return [], (called, texts)


def _result_of(data: Any) -> Any:
    """Return the function that makes a collection of the same kind as the data from lines."""
    pandas, polars, datasets = (sys.modules.get(name) for name in ("pandas", "polars", "datasets"))
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return lambda lines: frame_of(lines.columns())
    if polars is not None and isinstance(data, polars.DataFrame):
        return lambda lines: polars.DataFrame(lines.columns())
    if datasets is not None and isinstance(data, (datasets.Dataset, datasets.IterableDataset)):
        return lambda lines: datasets.Dataset(table_of(lines.columns()))
    if isinstance(data, (list, tuple)) and names_of(data) is None:
        return lambda lines: [json.loads(line) for line in lines.lines().splitlines()]
    return lambda lines: table_of(lines.columns())
