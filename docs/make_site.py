"""Put together what the site is rendered from: `make_site.py PAGES PACKAGE`, run where lookalike is installed.

PAGES gets the guides, with plots and passages of the README where they ask for them, and what every command says of itself.
PACKAGE gets the Python sources, and in place of the native module its stubs with its docstrings. So neither can go stale, and
the renderer needs nothing of its own but Markdown.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import plots
from lookalike import _lookalike

DOCS = Path(__file__).parent
ROOT = DOCS.parent
COMMAND = Path(sys.executable).with_name("lookalike")

# Where a file of the repository stands on the site.
PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "README.md": "index.md",
}


def main(pages: Path, package: Path) -> None:
    """Make both folders anew."""
    for folder in (pages, package):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for source in sorted(DOCS.rglob("*.md")):
        write(pages / source.relative_to(DOCS), page(source.read_text()))
    for name in PAGES.keys() - {"README.md"}:
        write(pages / PAGES[name], to_site((ROOT / name).read_text()))
    for name in ("site.css", "summaries.schema.json"):
        shutil.copy(DOCS / name, pages)
    write(pages / "commands.md", commands())
    shutil.copytree(ROOT / "python/lookalike", package / "lookalike", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for source in package.rglob("*.py"):
        write(source, fenced(source.read_text()))
    stubs = package / "lookalike/_lookalike.pyi"
    write(stubs, documented(stubs.read_text()))


def write(path: Path, text: str) -> None:
    """Write a file, and the folders that it stands in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def page(text: str) -> str:
    """A guide, with what it asks for in comments: a plot, or a passage of the README under its heading."""
    text = re.sub(r"^<!-- plot: (\w+) -->$", lambda asked: plots.PLOTS[asked[1]](COMMAND, ROOT), text, flags=re.MULTILINE)
    text = text.replace("<!-- datasketch -->", datasketch())
    return re.sub(r"^<!-- README: (.+) -->$", lambda asked: passage(asked[1]), text, flags=re.MULTILINE)


def passage(heading: str) -> str:
    """What the README says under a heading."""
    readme = (ROOT / "README.md").read_text()
    _, found, behind = readme.partition(f"\n## {heading}\n")
    if not found:
        raise ValueError(f"README.md has no heading {heading!r}")
    return to_site(behind.partition("\n## ")[0].strip())


def datasketch() -> str:
    """What is on record beside datasketch, as a table."""
    record = json.loads((ROOT / "bench/record/python.json").read_text())
    rows = ["| case | items | datasketch, s | lookalike, s | times |", "|---|---|---|---|---|"]
    for name, case in record["cases"].items():
        seconds = case["seconds"]
        rows.append(
            f"| {name} | {case['items']:,} | {seconds['datasketch']:.3f} | {seconds['lookalike']:.3f} | {seconds['ratio']:.1f} |"
        )
    return "\n".join(rows)


def to_site(text: str) -> str:
    """Links to files of the repository, as links to pages."""
    text = text.replace("](docs/", "](")
    for name, place in PAGES.items():
        text = text.replace(f"]({name})", f"]({place})")
    return text


def said(*arguments: str) -> str:
    """What the command prints."""
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=True, env=environment).stdout


def commands() -> str:
    """The page of all commands: what `--help` says, its parts under headings."""
    overall = said("--help")
    names = re.findall(r"^  (\w+) ", overall.partition("Commands:\n")[2].partition("\n\n")[0], flags=re.MULTILINE)
    parts = [f"# The command\n\nWhat `--help` says, of version {said('--version').split()[-1]}.\n\n```text\n{overall}```\n"]
    for name in names:
        if name != "help":
            parts.append(f"## lookalike {name}\n\n{''.join(sections(name, said(name, '--help')))}")
    return "\n".join(parts)


def sections(name: str, text: str) -> Iterator[str]:
    """A command's help: words as words, and all that is a list as it stands, under the heading that it has."""
    words, usage, lists = text.partition("Usage:")
    # A blank line begins a paragraph; the rest is wrapped for a terminal.
    yield "\n\n".join(" ".join(part.split()) for part in words.split("\n\n")).strip().replace("<", "&lt;") + "\n\n"
    for part in re.split(r"^(?=[A-Z][^\n]*:$)", usage + lists, flags=re.MULTILINE):
        heading, colon, rest = part.partition(":\n")
        if colon and "\n" not in heading:
            anchor = f"{name}-{heading.lower().replace(' ', '-')}"
            yield f"### {heading} {{ #{anchor} }}\n\n```text\n{rest.strip(chr(10))}\n```\n\n"
        else:
            yield f"```text\n{part.strip()}\n```\n\n"


def documented(stubs: str) -> str:
    """Stubs with the docstrings of what they stand for."""
    tree = ast.parse(stubs)
    describe(tree, _lookalike)
    return ast.unparse(ast.fix_missing_locations(tree))


def fenced(text: str) -> str:
    """Examples in docstrings, up to an empty line or the docstring's end, as blocks of code."""
    example = re.compile(r"^( *)>>> .*\n(?:\1(?!\"\"\").+\n)*", flags=re.MULTILINE)
    return example.sub(lambda lines: f"{lines[1]}```pycon\n{lines[0]}{lines[1]}```\n", text)


def describe(node: ast.Module | ast.ClassDef, value: object) -> None:
    """Put the docstrings of a value's members into its stub."""
    body: list[ast.stmt] = []
    # From the end, since behind its overloads stands the function itself.
    for child in reversed(node.body):
        body.insert(0, child)
        # Some names are the stubs' own, protocols say.
        if not isinstance(child, ast.ClassDef | ast.FunctionDef) or (own := getattr(value, child.name, None)) is None:
            continue
        if isinstance(child, ast.ClassDef):
            describe(child, own)
        # What every object has says nothing of this one.
        if child.name.startswith("__") or not (words := inspect.getdoc(own)):
            continue
        if any(ast.unparse(decorator) == "overload" for decorator in child.decorator_list):
            if any(getattr(other, "name", None) == child.name for other in body[1:]):
                continue
            child = cast(ast.FunctionDef, ast.parse(f"def {child.name}{inspect.signature(own)}: ...").body[0])
            body.insert(1, child)
        child.body.insert(0, ast.Expr(ast.Constant(fenced(f"{words}\n"))))
    node.body = body


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
