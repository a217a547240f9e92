"""Make the sources of the site: `make_site.py PAGES PACKAGE`, in an environment with lookalike installed.

PAGES gets the guides, with the plots and README passages that they request, and the help of every command. PACKAGE gets the
Python sources and, instead of the native module, its stubs with its docstrings. So neither the help nor the docstrings can become
outdated, and the renderer needs only Markdown.
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

# Where the files of the repository are on the site.
PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "README.md": "index.md",
    "README.zh.md": "zh/index.md",
}


def main(pages: Path, package: Path) -> None:
    """Make both folders anew."""
    for folder in (pages, package):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for source in sorted(DOCS.rglob("*.md")):
        to_root = os.path.relpath(ROOT, source.parent)
        text = page(source.read_text())
        # In the repository, links of guides lead to files of its root.
        for name, place in PAGES.items():
            text = text.replace(f"]({to_root}/{name}", f"]({os.path.relpath(DOCS / place, source.parent)}")
        write(pages / source.relative_to(DOCS), text)
    for name in PAGES.keys() - {"README.md", "README.zh.md"}:
        write(pages / PAGES[name], to_site((ROOT / name).read_text()))
    for name in ("site.css", "summaries.schema.json"):
        shutil.copy(DOCS / name, pages)
    shutil.copytree(DOCS / "pictures", pages / "pictures")
    write(pages / "commands.md", commands())
    shutil.copytree(ROOT / "python/lookalike", package / "lookalike", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for source in package.rglob("*.py"):
        write(source, fenced(source.read_text()))
    stubs = package / "lookalike/_lookalike.pyi"
    write(stubs, documented(stubs.read_text()))


def write(path: Path, text: str) -> None:
    """Write a file, and make its parent folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def page(text: str) -> str:
    """Return a guide with the parts that its comments request: a plot, or the passage of the README under a heading."""
    text = re.sub(r"^<!-- plot: (\w+) -->$", lambda asked: plots.PLOTS[asked[1]](COMMAND, ROOT), text, flags=re.MULTILINE)
    text = text.replace("<!-- datasketch -->", datasketch())
    return re.sub(r"^<!-- README: (.+) -->$", lambda asked: passage(asked[1]), text, flags=re.MULTILINE)


def passage(heading: str) -> str:
    """Return the text of the README under a heading."""
    readme = (ROOT / "README.md").read_text()
    _, found, behind = readme.partition(f"\n## {heading}\n")
    if not found:
        raise ValueError(f"README.md has no heading {heading!r}")
    return to_site(behind.partition("\n## ")[0].strip())


def datasketch() -> str:
    """Return the recorded comparison with datasketch, as a table."""
    record = json.loads((ROOT / "bench/record/python.json").read_text())
    rows = ["| case | items | datasketch, s | lookalike, s | times |", "|---|---|---|---|---|"]
    for name, case in record["cases"].items():
        seconds = case["seconds"]
        rows.append(
            f"| {name} | {case['items']:,} | {seconds['datasketch']:.3f} | {seconds['lookalike']:.3f} | {seconds['ratio']:.1f} |"
        )
    return "\n".join(rows)


def to_site(text: str) -> str:
    """Return the text with links to files of the repository changed to links to pages."""
    text = text.replace("](docs/", "](")
    for name, place in PAGES.items():
        text = text.replace(f"]({name})", f"]({place})")
    return text


def said(*arguments: str) -> str:
    """Return the output of the command."""
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=True, env=environment).stdout


def commands() -> str:
    """Return the page of all commands: the output of `--help`, with its parts under headings."""
    overall = said("--help")
    names = re.findall(r"^  (\w+) ", overall.partition("Commands:\n")[2].partition("\n\n")[0], flags=re.MULTILINE)
    parts = [f"# The command\n\nWhat `--help` says, of version {said('--version').split()[-1]}.\n\n```text\n{overall}```\n"]
    for name in names:
        if name != "help":
            parts.append(f"## lookalike {name}\n\n{''.join(sections(name, said(name, '--help')))}")
    return "\n".join(parts)


def sections(name: str, text: str) -> Iterator[str]:
    """Yield a command's help: paragraphs as text, and lists exactly as printed, under their headings."""
    words, usage, lists = text.partition("Usage:")
    # Paragraphs are separated by blank lines; other line breaks are only for a terminal.
    yield "\n\n".join(" ".join(part.split()) for part in words.split("\n\n")).strip().replace("<", "&lt;") + "\n\n"
    for part in re.split(r"^(?=[A-Z][^\n]*:$)", usage + lists, flags=re.MULTILINE):
        heading, colon, rest = part.partition(":\n")
        if colon and "\n" not in heading:
            anchor = f"{name}-{heading.lower().replace(' ', '-')}"
            yield f"### {heading} {{ #{anchor} }}\n\n```text\n{rest.strip(chr(10))}\n```\n\n"
        else:
            yield f"```text\n{part.strip()}\n```\n\n"


def documented(stubs: str) -> str:
    """Return the stubs with the docstrings of the members that they describe."""
    tree = ast.parse(stubs)
    describe(tree, _lookalike)
    return ast.unparse(ast.fix_missing_locations(tree))


def fenced(text: str) -> str:
    """Return the text with the examples in docstrings as code blocks; an example ends at an empty line or with the docstring."""
    example = re.compile(r"^( *)>>> .*\n(?:\1(?!\"\"\").+\n)*", flags=re.MULTILINE)
    return example.sub(lambda lines: f"{lines[1]}```pycon\n{lines[0]}{lines[1]}```\n", text)


def describe(node: ast.Module | ast.ClassDef, value: object) -> None:
    """Put the docstrings of a value's members into its stub."""
    body: list[ast.stmt] = []
    # Go through the members from the end, to find a function's last overload first: the docstring is put after it.
    for child in reversed(node.body):
        body.insert(0, child)
        # Some names exist only in the stubs, such as protocols.
        if not isinstance(child, ast.ClassDef | ast.FunctionDef) or (own := getattr(value, child.name, None)) is None:
            continue
        if isinstance(child, ast.ClassDef):
            describe(child, own)
        # Names that begin with two underscores are skipped: their docstrings are often those that every Python object has.
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
