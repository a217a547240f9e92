"""Counts the tokens of the product's Rust code, without comments and tests: `python3 bench/drift/tokens.py`.

A string literal counts as two tokens, whatever is in it. Tests are files below `tests`, `benches` and `examples`, everything
under `#[cfg(test)]`, and the files of modules that are declared under it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

# A function with more tokens than this should be divided.
LONG = 400
SKIPPED = {"tests", "benches", "examples", "target"}
COMMENT_OR_LITERAL = re.compile(r"""//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^\\'\n])'""", re.DOTALL)
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|'\w+|::|->|=>|\.\.=?|[-+*/%&|^=!<>]=|&&|\|\||<<|>>|[^\s\w]")
FUNCTION = re.compile(r"\bfn\s+\w+")
# An item for tests; group 1 is the name if it is a module.
TEST_ITEM = re.compile(
    r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*(?=[;{]))?"
)


@dataclass(frozen=True)
class Size:
    """The size of the code."""

    tokens: int
    functions: list[int]

    def long_share(self) -> float:
        """Returns the share of functions that are too long."""
        return sum(size > LONG for size in self.functions) / len(self.functions)


def bare(text: str) -> str:
    """Returns the code without comments, and with empty strings in place of string and character literals."""
    return COMMENT_OR_LITERAL.sub(lambda found: "" if found[0].startswith("/") else '""', text)


def end_of_item(text: str, start: int) -> int:
    """Returns the end of the item that begins at `start`: after its closing brace, or after a semicolon before any brace."""
    depth = 0
    for at in range(start, len(text)):
        match text[at]:
            case ";" if depth == 0:
                return at + 1
            case "{":
                depth += 1
            case "}" if depth > 0:
                depth -= 1
                if depth == 0:
                    return at + 1
    return len(text)


def without_tests(path: Path, text: str, tests: set[Path]) -> str:
    """Removes the items for tests from the code of a file. Adds the paths of modules that only tests have to `tests`."""
    folder = path.parent if path.name in ("mod.rs", "lib.rs", "main.rs") else path.with_suffix("")
    parts, at = [], 0
    while found := TEST_ITEM.search(text, at):
        parts.append(text[at : found.start()])
        at = end_of_item(text, found.end())
        if found[1] and text[found.end()] == ";":
            tests |= {folder / found[1], folder / f"{found[1]}.rs"}
    return "".join([*parts, text[at:]])


def functions(text: str) -> list[int]:
    """Returns the number of tokens of each function that has a body."""
    sizes = []
    for found in FUNCTION.finditer(text):
        body = text[found.start() : end_of_item(text, found.end())]
        if body.endswith("}"):
            sizes.append(len(TOKEN.findall(body)))
    return sizes


def count(root: Path) -> Size:
    """Counts the code of all crates."""
    paths = [path for path in sorted(root.glob("crates/**/*.rs")) if not SKIPPED & set(path.relative_to(root).parts)]
    tests: set[Path] = set()
    texts = {path: without_tests(path, bare(path.read_text(encoding="utf-8")), tests) for path in paths}
    product = [text for path, text in texts.items() if not tests & {path, *path.parents}]
    return Size(sum(len(TOKEN.findall(text)) for text in product), [size for text in product for size in functions(text)])


if __name__ == "__main__":
    size = count(Path(__file__).resolve().parents[2])
    print(
        f"{size.tokens:,} tokens, {len(size.functions):,} functions, {size.long_share():.2%} of them with more than {LONG} tokens"
    )
