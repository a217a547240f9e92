"""A report as notebooks show it: a table of figures and a histogram, without scripts or external resources."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from lookalike import _lookalike

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_WIDTH, _HEIGHT, _BINS = 420, 90, 20


def page(
    headline: str,
    summary: dict[str, Any],
    similarities: NDArray[np.float64],
    largest: Sequence[tuple[object, int]],
    examples: Sequence[tuple[object, object, float]],
) -> str:
    """Write the page. All data is escaped."""
    alone = summary["kept"] - summary["representatives"] - summary["empty"]
    seconds = summary["seconds"]["total"]
    rows = [
        ("dropped", f"{summary['dropped_exact']:,} exact duplicates (after normalisation), {summary['dropped_near']:,} similar"),
        ("kept", f"{summary['representatives']:,} represent dropped duplicates, {alone:,} unique, {summary['empty']:,} empty"),
        ("found by", str(summary["found_by"])),
        ("time", f"{seconds:.2f} s for {summary['bytes'] / 1e6:,.1f} MB"),
    ]
    if summary.get("few_anchors"):
        rows.insert(3, ("anchors", f"{summary['few_anchors']:,} with few stop words, compared by all their shingles"))
    against = summary.get("against")
    if against:
        noun = "reference" if against["documents"] == 1 else "references"
        others = ", not compared with each other" if against["only"] else ""
        words = f"{against['documents']:,} {noun}: {against['dropped']:,} dropped as duplicates of these{others}"
        rows.insert(0, ("against", words))
    for hint in summary.get("hints", []):
        rows.append(("hint", f"{hint['why']}: {hint['option']}={hint['value']!r} {hint['effect']}"))
    table = "".join(f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(words)}</td></tr>" for name, words in rows)
    parts = [f"<p><b>{escape(headline)}</b></p><table>{table}</table>", histogram(similarities)]
    if examples:
        cells = "".join(
            f"<tr><td>{similarity:.4f}</td><td>{_name(dropped)}</td><td>{_name(kept)}</td></tr>"
            for dropped, kept, similarity in examples
        )
        head = "<tr><th>similarity</th><th>dropped</th><th>kept</th></tr>"
        parts.append(f"<p>Examples, from the least similar to the most similar pair</p><table>{head}{cells}</table>")
    if largest:
        listed = "".join(f"<li>{_name(name)}: {size:,}</li>" for name, size in largest)
        parts.append(f"<p>Largest groups</p><ul>{listed}</ul>")
    return f"<div class='lookalike-report'>{''.join(parts)}</div>"


def _name(name: object) -> str:
    return escape(_lookalike.cut(str(name)))


def histogram(similarities: NDArray[np.float64]) -> str:
    """Draw a histogram of how similar dropped documents are to their representatives; return "" if no similarity was measured."""
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
    label = f"Similarity of {known.size:,} dropped documents to their representatives"
    return f"<p>{label} (at most {most:,} in a bar)</p><svg {size} role='img' aria-label='{label}'>{''.join(bars)}{axis}</svg>"


def paired(headline: str, count: int, pairs: Sequence[Any]) -> str:
    """Write the page of pairs: a table of the first pairs. All data is escaped."""
    names = ("a", "b", "resemblance", "containment_ab", "containment_ba")
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(getattr(pair, name))}</td>' for name in names)}</tr>" for pair in pairs)
    more = f"<p>and {count - len(pairs):,} more</p>" if count > len(pairs) else ""
    return f"<div class='lookalike-pairs'><p><b>{escape(headline)}</b></p><table><tr>{head}</tr>{rows}</table>{more}</div>"


def compared(comparison: Any, a: str, b: str) -> str:
    """Write the page of a comparison: figures, and both texts with shared passages marked. Texts are escaped and truncated."""
    figures = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{_cell(value)}</td></tr>" for name, value in comparison)
    texts = "".join(
        f"<td style='vertical-align:top;text-align:left;white-space:pre-wrap'>{_marked(text, passages)}</td>"
        for text, passages in ((a, comparison.passages_a), (b, comparison.passages_b))
    )
    return f"<div class='lookalike-comparison'><table>{figures}</table><table><tr>{texts}</tr></table></div>"


def figures_frame(comparison: Any) -> Any:
    """Return the figures of a comparison as a pandas frame with one row."""
    import pandas as pd

    return pd.DataFrame([dict(comparison)])


# The number of characters of a text that a notebook shows.
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
