"""What the documentation and the help name exists: commands, flags, files and headings.

`lookalike man` writes a page for each command, so these pages show which commands and flags there are. In a command line, a flag
must belong to its command. Elsewhere, such as in a sentence, it must belong to any command, or to one of the tools listed below.
Links must lead to files and headings in the repository, because its pages are read there too.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest
from conftest import run_command
from test_guides import FENCE, ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# The messages of the command, and the words of the page of reports.
SAYING = ("cli/src", "options/src", "indexing/src", "engine/src/jobs")
SOURCES = sorted(
    [*(path for of in SAYING for path in (ROOT / f"crates/lookalike-{of}").rglob("*.rs")), *(ROOT / "web/src/words").glob("*.ts")]
)
LINKING = sorted({*PAGES, *(ROOT / "bench").rglob("*.md"), *(ROOT / "crates").glob("*/*.md"), *(ROOT / "tests").glob("*/*.md")})
# Flags of other tools.
FOREIGN = {
    *("--path", "--features", "--no-default-features", "--release", "--workspace", "--locked", "--all-targets"),  # cargo
    *("--include-ignored", "--accept"),  # cargo test, cargo insta
    *("--array", "--cpus-per-task", "--dependency", "--job-name", "--mem", "--parsable", "--time"),  # Slurm
    *("--for", "--timeout", "--rm", "--signal"),  # kubectl, docker, timeout
    *("--repo-type", "--local-dir"),  # hf
}
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")

Manual = dict[str, set[str]]


def named(pages):
    return {"argvalues": pages, "ids": [str(page.relative_to(ROOT)) for page in pages]}


@pytest.fixture(scope="module")
def manual(tmp_path_factory) -> Manual:
    """Return the flags of each command; the name of a command of `index` is "index add"."""
    folder = tmp_path_factory.mktemp("man")
    assert run_command(folder, "man", ".").returncode == 0
    flags = {}
    for page in folder.iterdir():
        name = page.stem.removeprefix("lookalike").removeprefix("-").replace("-", " ")
        bold = re.findall(r"\\fB(\\-.*?)\\fR", page.read_text())
        flags[name] = {"-h", "--help", *(flag.replace("\\", "") for flag in bold)}
    return flags


@pytest.fixture(scope="module")
def every(manual) -> set[str]:
    return FOREIGN.union(*manual.values())


def code(page: str) -> Iterator[str]:
    """Yield the lines of blocks of code, and the code in sentences."""
    for fence in FENCE.finditer("\n" + page):
        if fence["kind"] not in ("python", "pycon"):
            yield from fence["text"].replace("\\\n", " ").split("\n")
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", page, flags=re.DOTALL))


def words(line: str) -> list[str]:
    """Return the words of a command line, with quoted text as one word, and operators of the shell by themselves."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:  # the quotes are in several lines
        return line.split()


def unknown(line: str, manual: Manual) -> Iterator[str]:
    """Yield the commands of a line that do not exist, and the flags that their commands do not have."""
    given = words(line)
    if given and given[0] in manual:  # in a sentence, `pairs --exact`
        given.insert(0, "lookalike")
    for at, word in enumerate(given[:-1]):
        command = given[at + 1]
        if word != "lookalike" or not re.fullmatch(r"[a-z]+", command):
            continue
        if (two := " ".join(given[at + 1 : at + 3])) in manual:
            command = two
        if command not in manual:
            yield command
            continue
        for value in given[at + 2 :]:
            if re.fullmatch(r"[|&;<>()]+", value):
                break
            # `stage plan` and `eval --run` take flags of `dedup`.
            if value == "--":
                command = "dedup"
            of = "dedup" if " " in value else command
            flags = re.findall(r"(?<!\S)--?[a-zA-Z][a-z0-9-]*", value) if value.startswith("-") else []
            yield from (f"{of} {flag}" for flag in flags if flag not in manual[of])


@pytest.mark.parametrize("page", **named(PAGES))
def test_commands_and_flags_exist(page, manual, every):
    text = page.read_text()
    assert [(line, name) for line in code(text) for name in unknown(line, manual)] == []
    assert set(FLAG.findall(text)) - every == set()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("$ lookalike dedup a.jsonl --nearest 3 -o b.jsonl | head -1", ["dedup --nearest"]),
        ("lookalike pairs a.jsonl --nearest 3 -qx > b.jsonl; head --lines 1", ["pairs -qx"]),
        ("zcat a.gz | lookalike dedupe - -o b.jsonl", ["dedupe"]),
        ("pairs --label", ["pairs --label"]),
        ("lookalike index add news --method exact", ["index add --method"]),
        ("lookalike stage plan work --shards 3 -- a.jsonl -o b --shards 2", ["dedup --shards"]),
        ("lookalike eval a.jsonl --run '' --run '--bands 9 --raws 13'", ["dedup --raws"]),
        ("lookalike dedup --input-command 'grep --color x' --keep longest", []),
    ],
)
def test_what_does_not_exist_is_found(line, expected, manual):
    assert list(unknown(line, manual)) == expected


@pytest.mark.parametrize("source", **named(SOURCES))
def test_messages_name_flags_that_exist(source, every):
    assert set(FLAG.findall(source.read_text())) - every == set()


def anchors(text: str) -> set[str]:
    """Return the anchors of a page: those of its headings, as GitHub and the site make them, and its own."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), flags=re.MULTILINE)
    made = (re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)
    return {*made, *re.findall(r'<a id="(.+?)"', text)}


@pytest.mark.parametrize("page", **named(LINKING))
def test_links_lead_to_files_and_headings(page):
    text = page.read_text()
    for link in re.findall(r"\]\(<?([^)\s>]+)", re.sub(r"```.*?```|`[^`\n]+`", "", text, flags=re.DOTALL)):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        to = page.parent / name if name else page
        assert to.exists(), link
        assert not anchor or anchor in anchors(to.read_text()), link
