"""Checks that the prose of the repository uses plain words: `words.py [--counts]`.

It reads the comments of Rust and Python files, the help of the command (which is made of comments), messages in Rust, and the
English guides. Words of the private dialect that was used before must not come back. `--counts` prints how often each occurs.
"""

import argparse
import collections
import io
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = ("testdata/", "fuzz/corpus/", "docs/zh/", "README.zh.md", "tests/words.py", "bench/quality/notes.py", "bench/link/")
# Each word with the number of uses that may remain. These uses, such as two example texts with "Nobody", were read one by one.
LIMITS = {
    "whoever, nobody, somebody": (r"\b(whoever|whomever|nobody|somebody)\b", 2),
    "stands": (r"\b(stands?|stood)\b", 5),
    "told, tells": (r"\b(told|tells?)\b", 3),
    "behind": (r"\bbehind\b", 3),
    "set aside": (r"\bset aside\b", 0),
    "but for": (r"(?<!, )\bbut for\b", 0),
    "sentences that begin with Of, Where, Who, Whose": (None, 20),
}
BEGINS = re.compile(r"(Of|Where|Who|Whose|Whom)\s(?!.*\?$)")
# The largest mean length of a sentence, in words, over all prose.
LONGEST_MEAN = 20


def rust_comments(text):
    """Yields paragraphs of comments, without blocks of code and tables, and the strings that have several words."""
    paragraph, code = [], False
    for line in [*text.splitlines(), ""]:
        comment = re.match(r"\s*//[/!]?(?: (.*)|)$", line)
        words = (comment[1] or "") if comment else ""
        if words.startswith("```"):
            code = not code
        if not comment:
            code = False
        if code or not words.strip() or words.startswith(("```", "|", "#")):
            yield " ".join(paragraph)
            paragraph = []
        else:
            if re.match(r"\s*([-*]|\d+\.) ", words):
                yield " ".join(paragraph)
                paragraph = []
            paragraph.append(words.strip())
    for message in re.findall(r'"((?:[^"\\\n]|\\.){25,})"', text):
        if message.count(" ") >= 4:
            yield message


def python_comments(text):
    """Yields comments, one by one, and paragraphs of docstrings."""
    paragraph, last = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1:
                yield " ".join(paragraph)
                paragraph = []
            paragraph.append(token.string.lstrip("# "))
            last = token.start[0]
        elif token.type == tokenize.STRING and '"""' in token.string[:5]:
            for part in re.split(r"\n\s*\n", token.string.strip("rbf").strip('"')):
                yield " ".join(part.split())
    yield " ".join(paragraph)


def markdown(text):
    """Yields paragraphs, items of lists and cells of tables, without code."""
    paragraph, code = [], False
    for line in [*text.splitlines(), ""]:
        if line.strip().startswith("```"):
            code = not code
        if code or not line.strip() or line.lstrip().startswith(("```", "|", "#", "- ", "* ", "<")):
            yield " ".join(paragraph)
            paragraph = []
        if code or line.strip().startswith("```"):
            continue
        if line.startswith("|"):
            yield from (cell.strip() for cell in line.strip("|").split("|"))
        elif line.strip() and not line.startswith("#"):
            paragraph.append(line.strip().lstrip("-*> "))


READERS = {".rs": rust_comments, ".py": python_comments, ".pyi": python_comments, ".md": markdown}


def main():
    """Counts the words; if any occurs too often, prints its uses and fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", action="store_true")
    asked = parser.parse_args()
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    uses, sentences, words = collections.defaultdict(list), 0, 0
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix not in READERS or name.startswith(SKIPPED) or not path.is_file():
            continue
        for paragraph in READERS[path.suffix](path.read_text()):
            prose = re.sub(r"`[^`]*`", "X", paragraph)
            for what, (pattern, _) in LIMITS.items():
                if pattern:
                    uses[what] += [f"{name}: {paragraph[:150]}"] * len(re.findall(pattern, prose, re.IGNORECASE))
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z\[])", prose):
                if len(sentence.split()) >= 4:
                    sentences, words = sentences + 1, words + len(sentence.split())
                if BEGINS.match(sentence):
                    uses[list(LIMITS)[-1]].append(f"{name}: {sentence[:150]}")
    mean = words / max(sentences, 1)
    if asked.counts:
        for what, (_, limit) in LIMITS.items():
            print(f"{len(uses[what]):6} (at most {limit})  {what}")
        print(f"{mean:6.1f} words in a sentence, {sentences:,} sentences")
    for what, (_, limit) in LIMITS.items():
        if len(uses[what]) > limit:
            print(f"{what}: {len(uses[what])} uses, at most {limit}:", *uses[what], sep="\n  ", file=sys.stderr)
    failed = [what for what, (_, limit) in LIMITS.items() if len(uses[what]) > limit]
    if failed or mean > LONGEST_MEAN:
        sys.exit(f"words: {', '.join(failed) or f'{mean:.1f} words in a sentence'}")


if __name__ == "__main__":
    main()
