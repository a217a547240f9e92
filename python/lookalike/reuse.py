"""Passages and regions of whole collections: `find_passages`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, Unpack

from lookalike import _lookalike
from lookalike.config import RunOptions
from lookalike.errors import ConfigError
from lookalike.keywords import check
from lookalike.logs import started
from lookalike.progress import shown
from lookalike.running import _source, _split


class ReusedPassage(NamedTuple):
    """A passage that two documents share; its places are in characters."""

    start_a: int
    end_a: int
    start_b: int
    end_b: int
    tokens: int
    """The number of tokens that both documents have in it."""
    density: float | None
    """For a region: the share of its tokens that both documents have in it, weighted by rarity."""
    score: float | None
    """For a region: the number of these tokens, weighted by rarity."""
    text_a: str
    text_b: str


class Reuse(NamedTuple):
    """Two documents that share passages."""

    a: str | int
    """The id of the reference or, without references, of the earlier document."""
    b: str | int
    resemblance: float
    containment_ab: float
    containment_ba: float
    tokens_a: int
    """Tokens of a."""
    tokens_b: int
    shared_a: int
    """Tokens of a that are in a run that b has too."""
    shared_b: int
    in_regions_a: int | None
    """Tokens of a that are in a region, if regions were searched."""
    in_regions_b: int | None
    passages: list[ReusedPassage]
    """The passages, in the order of a."""


class Passages:
    """The documents that share passages, in the order of b and then of a; iteration yields a `Reuse` for each pair."""

    def __init__(self, lines: bytes, summary: dict[str, Any]) -> None:
        self._lines = lines
        self.summary: dict[str, Any] = summary
        """The command's summary (`--json`): the numbers of texts, pairs and passages, and the conditions."""

    def __len__(self) -> int:
        return int(self.summary["pairs"])

    def __iter__(self) -> Iterator[Reuse]:
        for line in self._lines.splitlines():
            yield _reuse(json.loads(line))

    def json(self) -> bytes:
        """Return the lines that the command prints with `--offsets chars`, byte for byte."""
        return self._lines

    def __repr__(self) -> str:
        found = "regions" if "regions" in self.summary else "passages"
        return f"<lookalike.Passages: {len(self):,} pairs with {self.summary['passages']:,} {found}>"


def _reuse(pair: dict[str, Any]) -> Reuse:
    figures = [pair.get(name) for name in Reuse._fields[:-1]]
    return Reuse._make([*figures, [_passage(found) for found in pair["passages"]]])


def _passage(found: dict[str, Any]) -> ReusedPassage:
    places = [*found["a"], *found["b"]]
    return ReusedPassage._make([*places, *(found.get(name) for name in ReusedPassage._fields[4:])])


def find_passages(
    data: Any,
    text: str = "text",
    id: str | None = None,
    *,
    against: Any = None,
    regions: bool = False,
    least: int | None = None,
    gap: int | None = None,
    min_tokens: int = 20,
    density: float = 0.4,
    score: float = 14.0,
    containment: float = 0.0,
    **options: Unpack[RunOptions],
) -> Passages:
    """Find the passages that documents of a collection share with each other or, with `against`, with references.

    `data`, `text`, `id`, `against` and the other keywords are those of `pairs`. Without `regions`, passages are runs of at
    least `least` tokens (8 unless given) that both documents have word for word; runs with at most `gap` tokens between them are
    joined. Every such run is found.

    With `regions`, passages may also be changed: words replaced, inserted or deleted, sentences in another order. `least` is
    then 4 and `gap` 25 unless given. A region has at least `min_tokens` tokens in each document, a `density` (the share of its
    tokens that both have) and a `score` (the number of these tokens), both weighted by rarity. Each run of at least
    `min_tokens` and `least` tokens that both have is in regions, whatever their density and score. See the command's
    `passages --regions`.

    With `containment`, a pair is left out if neither document contains this share of the other; with `common=N`, runs that more
    than N documents have in common are not used to find pairs. The lines of all pairs are held in
    memory.

    >>> import lookalike
    >>> song = "row row row your boat gently down the stream"
    >>> found = lookalike.find_passages([song, "she sang row row row your boat gently down the stream to them"])
    >>> [(pair.a, pair.b, passage.text_b) for pair in found for passage in pair.passages]
    [(0, 1, 'row row row your boat gently down the stream')]
    """
    known = ["text", "id", "threshold", "against", "regions", "least", *RunOptions.__annotations__]
    given = {"text": text, "id": id, "threshold": 0.5, "regions": regions, "least": least, **options}
    check("find_passages", given, known)
    if options.get("tokens") == "items" or options.get("set_field") is not None:
        raise ConfigError("a set has no order and therefore no passages; to compare sets, use `pairs`", option="tokens")
    running, config, progress = _split(options, RunOptions)
    common = config.pop("common", None)
    ended = started("find_passages", data)
    source = _source(data, text, id, against, running, False, only_read=True)
    settings = (25 if gap is None else gap, min_tokens, density, score) if regions else None
    conditions = (least if least is not None else 4 if regions else 8, gap or 0, common, containment)
    with shown(progress) as bar:
        lines, summary = _lookalike.passages_among(
            source.texts, source.references, {**source.options, **config}, conditions, settings, bar
        )
    source.count_skipped(summary)
    ended(summary)
    return Passages(lines, summary)
