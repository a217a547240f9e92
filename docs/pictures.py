"""Draw the pictures of the README from real runs and records: `pictures.py COMMAND [--check]`.

`session.svg` shows a terminal session, run with COMMAND. `rivals.svg` compares lookalike with its peers, from
`bench/record/rivals.json`. Both are committed, because a README cannot run code. `--check` draws them again and fails if a
committed picture differs; running times are ignored.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from html import escape, unescape
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs/pictures"
COLUMNS = 122

SESSION = [
    "lookalike dedup testdata/licenses.jsonl.zst -o kept.jsonl",
    "lookalike compare scancode/afl-2.0 scancode/afl-2.1 --in testdata/licenses.jsonl.zst | head -4",
]

# This draws a terminal as rich does, but without the fonts that rich would load from the network.
TERMINAL = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="A terminal session with lookalike">
<style>
.{unique_id}-matrix {{ font: {char_height}px/{line_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
.{unique_id}-title {{ font: 16px system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def session(command: Path) -> str:
    """Return a terminal session: the commands and what they print, in colour."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "testdata").symlink_to(ROOT / "testdata")
        (Path(folder) / "lookalike").symlink_to(command.resolve())
        colours = {**os.environ, "CLICOLOR_FORCE": "1", "PATH": f"{folder}:{os.environ['PATH']}", "COLUMNS": str(COLUMNS)}
        for line in SESSION:
            ran = subprocess.run(
                ["sh", "-c", f"{line} 2>&1"], cwd=folder, capture_output=True, text=True, check=True, env=colours
            )
            console.print(Text.assemble(("$ ", "green"), (line, "bold")))
            console.print(Text.from_ansi(ran.stdout.rstrip()))
            console.print()
    return console.export_svg(title="lookalike", code_format=TERMINAL, unique_id="session")


def rivals() -> str:
    """Return bars that show how long each tool takes for the same input, and how many documents it drops wrongly."""
    record = json.loads((ROOT / "bench/record/rivals.json").read_text())
    tools = sorted((tool for tool in record["tools"] if not tool["problem"]), key=lambda tool: tool["median"]["wall_s"])
    most = max(tool["median"]["wall_s"] for tool in tools)
    row, left, width = 34, 150, 760
    height = 58 + row * len(tools)
    size = record["input"]["bytes"] / 1e6
    parts = [
        f'<text class="title" x="12" y="24">Seconds to deduplicate {size:.0f} MB of English text (lower is better)</text>',
        f'<text class="note" x="{width - 12}" y="24" text-anchor="end">wrong drops</text>',
    ]
    for number, tool in enumerate(tools):
        top = 40 + row * number
        seconds, wrong = tool["median"]["wall_s"], tool["verdict"]["wrong_drops"]
        long = max(2, seconds / most * (width - left - 190))
        own = "own" if tool["name"] == "lookalike" else "other"
        parts += [
            f'<text x="{left - 10}" y="{top + 18}" text-anchor="end">{escape(tool["name"])} {escape(tool["version"])}</text>',
            f'<rect class="{own}" x="{left}" y="{top + 4}" width="{long:.1f}" height="20" rx="2"/>',
            f'<text x="{left + long + 8:.1f}" y="{top + 18}">{seconds:.2f} s</text>',
            f'<text x="{width - 12}" y="{top + 18}" text-anchor="end">{wrong:,}</text>',
        ]
    machine = record["machine"]
    settings = f"threshold {record['settings']['threshold']}, medians of {record['settings']['runs']}"
    note = escape(f"{machine['cores']} cores, {machine['date']}, {settings}; bench/record/rivals.json")
    parts.append(f'<text class="note" x="12" y="{height - 6}">{note}</text>')
    style = """\
text { font: 14px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; }
.note { font-size: 12px; fill: #59636e; }
.own { fill: #d55e00; }
.other { fill: #0072b2; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .note { fill: #9198a1; }
  .own { fill: #f0883e; }
  .other { fill: #56b4e9; }
}"""
    body = "\n".join(parts)
    label = "Running time of lookalike and its peers"
    return (
        f'<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}">\n'
        f"<style>\n{style}\n</style>\n{body}\n</svg>\n"
    )


def words(svg: str) -> list[str]:
    """Return the text of a picture, without running times and memory."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    return [text for text in map(unescape, texts) if not re.search(r"\bMB/s\b", text)]


def main() -> None:
    """Draw the pictures, or check them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("command", type=Path)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a committed picture is out of date")
    asked = parser.parse_args()
    drawn = {"session.svg": session(asked.command), "rivals.svg": rivals()}
    if asked.check:
        old = [name for name, svg in drawn.items() if words(svg) != words((FOLDER / name).read_text())]
        if old:
            sys.exit(f"out of date: {', '.join(old)} in docs/pictures; run `make pictures`")
        return
    FOLDER.mkdir(exist_ok=True)
    for name, svg in drawn.items():
        (FOLDER / name).write_text(svg)


if __name__ == "__main__":
    main()
