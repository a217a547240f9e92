"""Comparisons of sites and crawls: `mirrors` and `history`."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from lookalike import _lookalike
from lookalike.config import HistoryOptions, MirrorsOptions
from lookalike.errors import InputError
from lookalike.files import names_of
from lookalike.keywords import check
from lookalike.kinds import Wanted, kind_of, usable
from lookalike.progress import shown
from lookalike.report import table_of
from lookalike.running import leave_splits, only_for_files, plain, skips

if TYPE_CHECKING:
    import pyarrow as pa

_SITES = [
    *(("a", "str"), ("b", "str"), ("pages_a", "int"), ("pages_b", "int"), ("matched_a", "int"), ("matched_b", "int")),
    *(("share_a", "float"), ("share_b", "float"), ("counterparts", "int"), ("same_path", "int")),
]
_PAGES = [("a", "id"), ("b", "id"), ("site_a", "str"), ("site_b", "str"), ("resemblance", "float"), ("same_path", "bool")]
_UNMATCHED = [("id", "id"), ("of", "str"), ("site", "str"), ("mirror", "str"), ("alike", "bool")]
_EVENTS = [("history", "int"), ("crawl", "int"), ("event", "str"), ("id", "id"), ("resemblance", "float"), ("by", "str")]


class Mirrors:
    """The pairs of sites that `lookalike.mirrors` found, and their pages."""

    def __init__(self, lines: Sequence[_lookalike.Lines], summary: dict[str, Any]) -> None:
        self._sites, self._pages, self._unmatched = lines
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`): the numbers of pages, sites and pairs, and the method."""

    def __len__(self) -> int:
        return len(self._sites)

    @property
    def sites(self) -> pa.Table:
        """The pairs of sites as a table with one row per pair, the best first.

        Its columns: a, b, pages_a, pages_b, matched_a, matched_b, share_a, share_b, counterparts, same_path and, with `changed=`,
        changed.

        The table is a `pyarrow.Table` if pyarrow is installed, else an object with `__arrow_c_stream__`, which polars and pandas
        accept.
        """
        return table_of(self._sites.columns())

    @property
    def pages(self) -> pa.Table:
        """The pairs of corresponding pages as a table with one row per pair.

        Its columns: a, b (ids), site_a, site_b, resemblance, same_path and, with `changed=`, by.

        The table is of the same kind as `sites`.
        """
        return table_of(self._pages.columns())

    @property
    def unmatched(self) -> pa.Table:
        """The pages without a counterpart as a table: id, of (a or b), site, mirror (null if the site has none) and alike.

        The table is of the same kind as `sites`.
        """
        return table_of(self._unmatched.columns())

    def json(self) -> bytes:
        """Return the lines that the command prints, byte for byte: one for each pair of sites."""
        return self._sites.lines()

    def __repr__(self) -> str:
        pairs, pages = self.summary["site_pairs"], self.summary["counterparts"] + self.summary.get("changed", 0)
        return f"<lookalike.Mirrors: {_counted(pairs, 'pair')} of sites, {_counted(pages, 'pair')} of pages>"


class History:
    """What happened to each page in several crawls; iteration yields the command's line for each page, as a dictionary."""

    def __init__(self, lines: bytes, events: _lookalike.Lines, summary: dict[str, Any]) -> None:
        self._lines = lines
        self._events = events
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`); `crawls` has the number of events of each kind in each crawl."""

    def __len__(self) -> int:
        return int(self.summary["histories"])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(json.loads, self._lines.splitlines())

    @property
    def events(self) -> pa.Table:
        """All events as a table with one row per page and crawl.

        Its columns: history (the number of the page's line, from 0), crawl (from 1), event (appeared, unchanged, changed, moved,
        disappeared or returned), id (in this crawl; null if the page disappeared), resemblance (to the page in the crawl before)
        and by (match, similarity or path: why both are the same page).

        The table is a `pyarrow.Table` if pyarrow is installed, else an object with `__arrow_c_stream__`, which polars and pandas
        accept.
        """
        return table_of(self._events.columns())

    def json(self) -> bytes:
        """Return the lines that the command prints, byte for byte: one for each page."""
        return self._lines

    def __repr__(self) -> str:
        crawls = self.summary["crawls"]
        return f"<lookalike.History: {_counted(len(self), 'page')} in {_counted(len(crawls), 'crawl')}>"


def mirrors(
    a: Any,
    b: Any = None,
    text: str = "text",
    id: str | None = None,
    threshold: float | None = None,
    **options: Unpack[MirrorsOptions],
) -> Mirrors:
    """Find sites that mirror each other, and pair their pages one to one.

    `a` and `b` are collections of pages, of the kinds that `dedup` takes: frames, Arrow tables, lists of rows, datasets, paths
    and URLs. Without `b`, the sites of `a` are compared with each other. `text` and `id` name the columns or fields with the text
    and with the page's URL or path, which determines its site. Collections in memory need this column; it is called `"id"` unless
    given.

    Two sites are a pair if at least `share=0.5` of the pages of both have a match on the other site. Pages match if their exactly
    counted resemblance reaches the threshold (0.8 unless given).

    - `by=None`: what a site is: `"host"` (for URLs), `"folder"` (for other ids) or `"field:NAME"`; `depth=1`: the number of
      outermost folders that identify a site; `fold_www=False`: whether `www.example.com` is `example.com`.
    - `share=0.5`, and `share_of="both"`, `"either"`, `"a"` or `"b"`: which sites must reach it.
    - `changed=None`: True, or a resemblance below the threshold, for a second round: pages of a pair of sites that have no
      counterpart are paired if they reach this resemblance (0.3 for True), or if they have the same path. The column `by` of
      `pages` distinguishes these pairs from matches.
    - `common_sites=None`: pages with matches on more sites do not make pairs of sites. `all_pairs=False`: whether `pages` has all
      matching pages, not only those that are paired one to one.
    - `report=None`: an HTML file to look at.

    The other keywords are those of `pairs`: see `MirrorsOptions`.

    Raises one of `lookalike.errors`, or `TypeError` for an unknown keyword or unsupported data.

    >>> import lookalike
    >>> text = "One page of a manual, which explains how the program is installed on Linux, step by step."
    >>> old = [{"id": "http://a.example/install", "text": text}, {"id": "http://a.example/news", "text": "News of March."}]
    >>> new = [{"id": "http://b.example/setup", "text": text}, {"id": "http://b.example/news", "text": "The month's last news."}]
    >>> found = lookalike.mirrors(old, new, changed=True)
    >>> found
    <lookalike.Mirrors: 1 pair of sites, 2 pairs of pages>
    >>> [(page["a"], page["b"], page["by"]) for page in found.pages.to_pylist()]
    [('http://a.example/install', 'http://b.example/setup', 'match'), ('http://a.example/news', 'http://b.example/news', 'path')]
    """
    known = ["text", "id", "threshold", *_known(MirrorsOptions)]
    check("mirrors", {"text": text, "id": id, "threshold": threshold, **options}, known, needed=("text",))
    asked, wanted = _asked(options, [a] if b is None else [a, b], text, id, threshold)
    if b is not None and b is a:
        raise InputError("a and b are the same data; leave b out to compare the sites of a with each other")
    first, skipped_a = _crawl(a, "a", asked)
    second, skipped_b = (None, 0) if b is None else _crawl(b, "b", asked)
    given = {**asked.options, "against": first[0] if b is not None else [], "inputs": second[0] if second else first[0]}
    with tempfile.TemporaryDirectory(prefix="lookalike-", dir=given.get("temp_dir")) as folder:
        with shown(wanted) as bar:
            tables = (first[1], second[1]) if second else (None, first[1])
            summary = _lookalike.mirrors(*tables, given, folder, bar)
        changed = options.get("changed")
        later = changed is not None and changed is not False
        columns = {
            "sites": [*_SITES, ("changed", "int")] if later else _SITES,
            "pages": [*_PAGES, ("by", "str")] if later else _PAGES,
            "unmatched": _UNMATCHED,
        }
        lines = [_lookalike.Lines.read(os.path.join(folder, f"{name}.jsonl"), own) for name, own in columns.items()]
    summary["bad_lines"] += skipped_a + skipped_b
    return Mirrors(lines, summary)


def history(
    *crawls: Any,
    text: str = "text",
    id: str | None = None,
    threshold: float | None = None,
    **options: Unpack[HistoryOptions],
) -> History:
    """Follow each page through two or more crawls of the same sites, the oldest first.

    Each crawl is a collection of pages, as for `mirrors`. Each page of a crawl is paired with at most one page of the crawl
    before: first by matches (at the same address, then on the same site, then anywhere), then by a lower resemblance on the same
    site (`changed=0.3`), then by the same address. A page that disappears continues its history if it returns at the same
    address.

    `by=None`, `depth=1` and `fold_www=False` determine sites, as for `mirrors`. The other keywords are those of `pairs`: see
    `HistoryOptions`.

    Raises one of `lookalike.errors`, or `TypeError` for an unknown keyword or unsupported data.

    >>> import lookalike
    >>> text = "One page of a manual, which explains how the program is installed on Linux, step by step."
    >>> march = [{"id": "guide/install.html", "text": text}, {"id": "guide/faq.html", "text": "Questions and answers."}]
    >>> april = [{"id": "guide/linux.html", "text": text}]
    >>> may = [{"id": "guide/linux.html", "text": text}, {"id": "guide/faq.html", "text": "All questions and answers."}]
    >>> found = lookalike.history(march, april, may)
    >>> found
    <lookalike.History: 2 pages in 3 crawls>
    >>> [[event["event"] for event in page["events"]] for page in found]
    [['appeared', 'moved', 'unchanged'], ['appeared', 'disappeared', 'returned']]
    """
    known = ["text", "id", "threshold", *_known(HistoryOptions)]
    check("history", {"text": text, "id": id, "threshold": threshold, **options}, known, needed=("text",))
    if len(crawls) < 2:
        raise TypeError(f"history() takes two crawls or more, not {len(crawls)}: history(march, april, may)")
    asked, wanted = _asked(options, crawls, text, id, threshold)
    read = [_crawl(crawl, f"crawl {number}", asked) for number, crawl in enumerate(crawls, 1)]
    with tempfile.TemporaryDirectory(prefix="lookalike-", dir=asked.options.get("temp_dir")) as folder:
        path = os.path.join(folder, "history.jsonl")
        with shown(wanted) as bar:
            summary = _lookalike.history([crawl for crawl, _ in read], {**asked.options, "inputs": []}, path, bar)
        with open(path, "rb") as file:
            lines = file.read()
        events = os.path.join(folder, "events.jsonl")
        with open(events, "w", encoding="utf-8") as file:
            for number, line in enumerate(lines.splitlines()):
                for event in json.loads(line)["events"]:
                    file.write(json.dumps({"history": number, **event}) + "\n")
        table = _lookalike.Lines.read(events, _EVENTS)
    summary["bad_lines"] += sum(skipped for _, skipped in read)
    return History(lines, table, summary)


class _Asked:
    """What is read of each collection, and the options of the run."""

    def __init__(
        self, options: dict[str, Any], text: str, fields: Sequence[str], sets: bool, skips: bool, all_splits: bool
    ) -> None:
        self.options, self.text, self.fields, self.sets, self.skips = options, text, fields, sets, skips
        self.all_splits = all_splits


def _asked(
    options: Mapping[str, Any], collections: Sequence[Any], text: str, id: str | None, threshold: float | None
) -> tuple[_Asked, bool | None]:
    """Return what is asked for, and whether a progress bar is wanted."""
    given = plain(options)
    progress = given.pop("progress", None)
    field = given.pop("set_field", None)
    if field is not None:
        given["tokens"], text = "items", field
    by = str(given.get("by", ""))
    label = by.removeprefix("field:") if by.startswith("field:") else None
    fields = [id or "id", *([label] if label else [])]
    named = [names_of(one) is not None for one in collections]
    skips_bad = given.get("skip_bad") is not None and given.get("skip_bad") is not False
    all_splits = bool(given.get("all_splits"))
    if not any(named):
        skips_bad = skips(given)
        leave_splits(given, *collections)
        only_for_files(given)
    elif given.get("skip_bad") is True:
        # Skipped lines are counted, but not stored.
        given["skip_bad"] = os.devnull
    given |= {"text": text, "threshold": threshold}
    if id is not None:
        given["id"] = id
    return _Asked(plain(given), text, fields, given.get("tokens") == "items", skips_bad, all_splits), progress


def _crawl(data: Any, called: str, asked: _Asked) -> tuple[tuple[list[str], tuple[str, _lookalike.Texts] | None], int]:
    """Return the names or the texts of a collection, and the number of skipped rows."""
    names = names_of(data)
    if names is not None:
        return (list(names), None), 0
    wanted = Wanted(
        called,
        asked.text,
        asked.fields,
        asked.options.get("temp_dir"),
        sets=asked.sets,
        skip_bad=asked.skips,
        all_splits=asked.all_splits,
        only_read=True,
    )
    texts, skipped = kind_of(data).texts(wanted), 0
    if asked.skips:
        texts, read = usable(texts, [asked.text, *asked.fields])
        skipped = 0 if read is None else int((~read).sum())
    return ([], (called, texts)), skipped


def _known(options: type) -> list[str]:
    """List the keywords of a function with these options. Inputs that are commands have no collection that they belong to."""
    return [name for name in options.__annotations__ if name != "input_command"]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
