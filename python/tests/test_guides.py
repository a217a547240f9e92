"""Every example of the guides is run exactly as written, and prints what the guide says. Translated pages have the same examples.

A page's blocks run one after another in their own folder, which contains `testdata`. In a `console` block, the text after a line
`$ …` is its expected output, except for the line with the running time. An `sh` block must succeed, a `python` block runs, and a
`pycon` block is a doctest. The page's Python blocks share their names. A block below a comment `<!-- not run: why -->` is not
run.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
# Pages with the same blocks as another, which a test below checks.
TRANSLATED = {
    "README.md": "README.zh.md",
    "docs/start.md": "docs/zh/start.md",
    "docs/sources.md": "docs/zh/sources.md",
    "docs/recipes/chinese.md": "docs/zh/chinese.md",
}
RUNNING = [page for page in PAGES if str(page.relative_to(ROOT)) not in TRANSLATED.values()]
FENCE = re.compile(r"(?P<before>[^\n]*)\n(?P<indent> *)```(?P<kind>\w+)[^\n]*\n(?P<text>.*?)\n(?P=indent)```", re.DOTALL)
RUN = ("console", "sh", "python", "pycon")


class Block(NamedTuple):
    kind: str
    text: str
    line: int
    not_run: str | None


def blocks(page: Path) -> list[Block]:
    text = "\n" + page.read_text()
    found = []
    for fence in FENCE.finditer(text):
        # The line above the block or, if that line is empty, the line above it.
        above = fence["before"] or text[: fence.start()].rpartition("\n")[2]
        not_run = re.fullmatch(r"<!-- not run: (.+) -->", above.strip())
        block = re.sub(f"^{fence['indent']}", "", fence["text"], flags=re.MULTILINE)
        line = text.count("\n", 0, fence.start("text"))
        found.append(Block(fence["kind"], block, line, not_run and not_run[1]))
    return found


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "NO_COLOR": "1", "PATH": path}
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.run(["bash", "-ec", script], cwd=folder, env=environment, text=True, timeout=300, check=False, **both)


def examples(console: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with what it must print. A backslash continues a command."""
    found = []
    for example in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, printed = example.partition("\n")
        while command.endswith("\\"):
            more, _, printed = printed.partition("\n")
            command += f"\n{more}"
        found.append((command, printed))
    return found


def same(text: str) -> list[str]:
    """Return the lines of a text, except the line with the running time."""
    return [line.rstrip() for line in text.strip().split("\n") if not line.startswith("  time ")]


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNNING, ids=[str(page.relative_to(ROOT)) for page in RUNNING])
def test_examples_give_the_results_in_the_guide(page, tmp_path, monkeypatch):
    (tmp_path / "testdata").symlink_to(ROOT / "testdata")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for block in blocks(page):
        place = f"{page.name}:{block.line}"
        if block.kind not in RUN or block.not_run:
            continue
        if block.kind == "sh":
            ran = shell(block.text, tmp_path)
            assert ran.returncode == 0, f"{place}: {ran.stdout}"
        elif block.kind == "console":
            for command, expected in examples(block.text):
                ran = shell(command, tmp_path)
                assert same(ran.stdout) == same(expected), f"{place}: {command}"
                assert ran.returncode == 0, f"{place}: {command}"
        elif block.kind == "python":
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)
        else:
            test = doctest.DocTestParser().get_doctest(block.text + "\n", names, page.name, str(page), block.line - 1)
            test.globs = names  # not a copy, so that the next block can use the names that a block defines
            failures: list[str] = []
            doctest.DocTestRunner().run(test, out=failures.append, clear_globs=False)
            assert not failures, "".join(failures)


def test_skipped_blocks_have_a_reason():
    shown = [(page.name, block.not_run) for page in PAGES for block in blocks(page) if block.not_run]
    reasons = ("install", "network", "tests/spark runs it")
    assert all(page == "stores.md" or any(reason in why for reason in reasons) for page, why in shown), shown
    assert sum(block.kind in RUN and not block.not_run for page in PAGES for block in blocks(page)) > 20


def test_failures_are_detected(tmp_path):
    assert shell("false; true", tmp_path).returncode == 1
    assert examples("$ a \\\n  b\nc\n$ d\n") == [("a \\\n  b", "c\n"), ("d", "")]
    (tmp_path / "page.md").write_text("words\n\n<!-- not run: no -->\n```sh\nx\n```\n\n```python\ny\n```\n")
    assert blocks(tmp_path / "page.md") == [Block("sh", "x", 5, "no"), Block("python", "y", 9, None)]


def test_the_chinese_pages_have_the_blocks_of_the_english_ones():
    for english, chinese in TRANSLATED.items():
        same_in_both = [block for block in blocks(ROOT / english) if block.kind in RUN]
        translated = [block for block in blocks(ROOT / chinese) if block.kind in RUN]
        pairs = zip(same_in_both, translated, strict=True)
        different = [(chinese, other.line) for one, other in pairs if code_of(one) != code_of(other)]
        assert not different


def code_of(block: Block) -> list[str]:
    """Return the lines of a block, except those with a running time, and without comments, which are translated."""
    return [re.sub(r"\s+# .*", "", line) for line in same(block.text) if not line.strip().startswith("# ")]
