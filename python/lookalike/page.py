"""A report as notebooks show it: a table of figures and a histogram, without scripts and without anything from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from lookalike import _lookalike

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_WIDTH, _HEIGHT, _BINS = 420, 90, 20


def page(headline: str, summary: dict[str, Any], similarities: NDArray[np.float64], largest: Sequence[tuple[object, int]]) -> str:
    """Write the page. Whatever comes from the data is escaped."""
    alone = summary["kept"] - summary["representatives"] - summary["empty"]
    seconds = summary["seconds"]["total"]
    rows = [
        ("dropped", f"{summary['dropped_exact']:,} the same but for form, {summary['dropped_near']:,} similar"),
        ("kept", f"{summary['representatives']:,} with others dropped for them, {alone:,} alone, {summary['empty']:,} empty"),
        ("found by", str(summary["found_by"])),
        ("time", f"{seconds:.2f} s for {summary['bytes'] / 1e6:,.1f} MB"),
    ]
    if summary.get("few_anchors"):
        rows.insert(3, ("anchors", f"{summary['few_anchors']:,} with few stop words, compared by all their shingles"))
    against = summary.get("against")
    if against:
        noun = "reference" if against["documents"] == 1 else "references"
        others = ", not compared with each other" if against["only"] else ""
        words = f"{against['documents']:,} {noun}: {against['dropped']:,} dropped for one of these{others}"
        rows.insert(0, ("against", words))
    table = "".join(f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(words)}</td></tr>" for name, words in rows)
    parts = [f"<p><b>{escape(headline)}</b></p><table>{table}</table>", histogram(similarities)]
    if largest:
        listed = "".join(f"<li>{escape(_lookalike.cut(str(name)))}: {size:,}</li>" for name, size in largest)
        parts.append(f"<p>Largest groups</p><ul>{listed}</ul>")
    return f"<div class='lookalike-report'>{''.join(parts)}</div>"


def histogram(similarities: NDArray[np.float64]) -> str:
    """Draw how many dropped documents are how similar to their representatives; nothing where nobody measured."""
    import numpy as np

    known = similarities[~np.isnan(similarities)]
    if known.size == 0:
        return ""
    low = np.floor(known.min() * 20) / 20 if known.min() < 1 else 0.95
    counts, edges = np.histogram(known, _BINS, (low, 1.0))
    width, most = _WIDTH / _BINS, counts.max()
    bars = []
    for number, count in enumerate(counts.tolist()):
        height = 0 if count == 0 else max(1.0, _HEIGHT * count / most)
        words = f"{edges[number]:.3f} to {edges[number + 1]:.3f}: {count:,}"
        bars.append(
            f"<rect x='{number * width:.1f}' y='{_HEIGHT - height:.1f}' width='{width - 1:.1f}' height='{height:.1f}'"
            f" fill='#4c78a8'><title>{words}</title></rect>"
        )
    axis = (
        f"<text x='0' y='{_HEIGHT + 14}' font-size='11' fill='currentColor'>{low:.2f}</text>"
        f"<text x='{_WIDTH}' y='{_HEIGHT + 14}' font-size='11' fill='currentColor' text-anchor='end'>1</text>"
    )
    size = f"width='{_WIDTH}' height='{_HEIGHT + 18}' viewBox='0 0 {_WIDTH} {_HEIGHT + 18}'"
    label = f"Similarity of {known.size:,} dropped documents to what stays for them"
    return f"<p>{label} (at most {most:,} in a bar)</p><svg {size} role='img' aria-label='{label}'>{''.join(bars)}{axis}</svg>"


def paired(headline: str, count: int, pairs: Sequence[Any]) -> str:
    """Write the page of pairs: the first ones, as a table. Whatever comes from the data is escaped."""
    names = ("a", "b", "resemblance", "containment_ab", "containment_ba")
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(getattr(pair, name))}</td>' for name in names)}</tr>" for pair in pairs)
    more = f"<p>and {count - len(pairs):,} more</p>" if count > len(pairs) else ""
    return f"<div class='lookalike-pairs'><p><b>{escape(headline)}</b></p><table><tr>{head}</tr>{rows}</table>{more}</div>"


def compared(comparison: Any, a: str, b: str) -> str:
    """Write the page of a comparison: the figures, and both texts with what they share marked. The texts are escaped, and cut."""
    figures = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{_cell(value)}</td></tr>" for name, value in comparison)
    texts = "".join(
        f"<td style='vertical-align:top;text-align:left;white-space:pre-wrap'>{_marked(text, passages)}</td>"
        for text, passages in ((a, comparison.passages_a), (b, comparison.passages_b))
    )
    return f"<div class='lookalike-comparison'><table>{figures}</table><table><tr>{texts}</tr></table></div>"


def figures_frame(comparison: Any) -> Any:
    """Give the figures of a comparison as a frame of pandas with one row."""
    import pandas as pd

    return pd.DataFrame([dict(comparison)])


# Characters of a text that a notebook shows.
_CHARACTERS = 4000


def _marked(text: str, passages: Sequence[Any]) -> str:
    parts = []
    for passage in passages:
        if passage.start >= _CHARACTERS:
            break
        words = escape(text[passage.start : min(passage.end, _CHARACTERS)])
        parts.append(f"<mark>{words}</mark>" if passage.shared else words)
    more = f" … ({len(text):,} characters)" if len(text) > _CHARACTERS else ""
    return "".join(parts) + more


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else escape(str(value)[:80])
