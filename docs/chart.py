"""Small SVG charts that take their colours from the page, so that they are legible in light and dark mode (`site.css`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

WIDTH, HEIGHT = 680, 360
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 18, 46

Points = Sequence[tuple[float, float]]


def lines(
    title: str,
    x: tuple[str, Sequence[float]],
    y: tuple[str, Sequence[float]],
    series: Sequence[tuple[str, Points]],
    mark: float | None = None,
) -> str:
    """Draw a line for each series; the axes range from their first to their last tick. `mark` is a vertical line."""
    chart = _Chart(title, x, y)
    chart.mark(mark)
    for number, (_, points) in enumerate(series):
        path = "L".join(f"{chart.x(a):.1f} {chart.y(b):.1f}" for a, b in points)
        chart.draw(f'<path class="line s{number}" d="M{path}"/>')
    return chart.done([name for name, _ in series] if len(series) > 1 else [])


def bars(
    title: str,
    x: tuple[str, Sequence[float]],
    y: tuple[str, Sequence[float]],
    heights: Sequence[tuple[float, float, float]],
    names: Callable[[float], str] = str,
    mark: float | None = None,
    strong: float | None = None,
) -> str:
    """Draw a bar from a to b for each (a, b, height), labelled with its height; bars with a >= `strong` have another colour."""
    chart = _Chart(title, x, y)
    for a, b, height in heights:
        if height > 0:
            left, right, top = chart.x(a) + 1, chart.x(b) - 1, chart.y(height)
            colour = "b1" if strong is not None and a >= strong - 1e-9 else "b0"
            box = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{HEIGHT - BOTTOM - top:.1f}"'
            chart.draw(f'<rect class="{colour}" {box}/>')
            chart.draw(
                f'<text class="small" text-anchor="middle" x="{(left + right) / 2:.1f}" y="{top - 4:.1f}">{names(height)}</text>'
            )
    chart.mark(mark)
    return chart.done([])


class _Chart:
    """Axes, and the elements drawn between them."""

    def __init__(self, title: str, x: tuple[str, Sequence[float]], y: tuple[str, Sequence[float]]):
        self.title = title
        self.xs, self.ys = x[1], y[1]
        self.parts: list[str] = []
        for tick in self.xs:
            place = f'x="{self.x(tick):.1f}" y="{HEIGHT - BOTTOM + 18}"'
            self.draw(f'<text class="small" text-anchor="middle" {place}>{tick:g}</text>')
        for tick in self.ys:
            height = self.y(tick)
            self.draw(f'<path class="grid" d="M{LEFT} {height:.1f}H{WIDTH - RIGHT}"/>')
            self.draw(f'<text class="small" text-anchor="end" x="{LEFT - 7}" y="{height + 4:.1f}">{tick:,g}</text>')
        self.draw(f'<path class="axis" d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>')
        middle = (LEFT + WIDTH - RIGHT) / 2
        self.draw(f'<text text-anchor="middle" x="{middle}" y="{HEIGHT - 8}">{escape(x[0])}</text>')
        middle = (TOP + HEIGHT - BOTTOM) / 2
        self.draw(f'<text text-anchor="middle" transform="translate(14 {middle}) rotate(-90)">{escape(y[0])}</text>')

    def x(self, value: float) -> float:
        return LEFT + (value - self.xs[0]) / (self.xs[-1] - self.xs[0]) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (value - self.ys[0]) / (self.ys[-1] - self.ys[0]) * (HEIGHT - BOTTOM - TOP)

    def draw(self, part: str) -> None:
        self.parts.append(part)

    def mark(self, value: float | None) -> None:
        if value is not None:
            self.draw(f'<path class="mark" d="M{self.x(value):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')

    def done(self, names: Sequence[str]) -> str:
        """Return the figure as one HTML block (a blank line would end it in Markdown), with the names of its series above it."""
        above = 20 * -(-len(names) // 2)
        for number, name in enumerate(names):
            left, height = LEFT + number % 2 * (WIDTH - LEFT) // 2, 16 - above + 20 * (number // 2)
            self.draw(f'<path class="line s{number}" d="M{left} {height - 4}h22"/>')
            self.draw(f'<text x="{left + 30}" y="{height}">{escape(name)}</text>')
        title = escape(self.title, quote=True)
        body = "\n".join(self.parts)
        return (
            f'<figure class="plot"><svg viewBox="0 {-above} {WIDTH} {HEIGHT + above}" role="img" aria-label="{title}">\n'
            f"{body}\n</svg>\n"
            f"<figcaption>{escape(self.title)}</figcaption></figure>"
        )
