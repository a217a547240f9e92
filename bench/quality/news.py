"""Compares parts of real pages: the same article in different boilerplate, and different articles in the same boilerplate.

Pages with gold main texts are split into an article and the text around it, and recombined. For pages i and j: does page i
resemble its own article in the boilerplate of j more than it resembles its own boilerplate with the article of j? This is
measured with all shingles, and with those that begin with a stop word.
"""

import argparse
import json
import random
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import lookalike
import recorded

UNSEEN = {"script", "style", "noscript", "template", "head", "svg", "iframe"}
INLINE = {
    "a",
    "abbr",
    "b",
    "bdi",
    "cite",
    "code",
    "em",
    "font",
    "i",
    "kbd",
    "mark",
    "q",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "time",
    "u",
}
# A text with fewer words is not an article, or not the text around an article.
LEAST_ARTICLE, LEAST_AROUND = 100, 50
# A block with more letters may occur anywhere in the gold text; a shorter block must be a block of the gold text.
LONG = 40
WAYS = {
    "all shingles of 5 words": {},
    "all shingles of 3 words": {"shingle": 3},
    "anchored, 3 words": {"anchors": ["en"]},
    "anchored, 5 words": {"anchors": ["en"], "shingle": 5},
}


class Blocks(HTMLParser):
    """The texts of a page, one for each block."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts, self.unseen = [""], 0
        self.feed(html)
        self.texts = [text for text in (" ".join(text.split()) for text in self.texts) if text]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.unseen += tag in UNSEEN
        if tag not in INLINE:
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.unseen = max(0, self.unseen - (tag in UNSEEN))
        if tag not in INLINE:
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.texts[-1] += data


@dataclass
class Page:
    """A page in three parts: before, in and after the article."""

    before: str
    article: str
    behind: str

    @classmethod
    def of(cls, record: dict[str, str]) -> "Page":
        """Cuts a page by its gold text."""
        gold = Blocks(record["expected_html"]).texts
        whole, known = " ".join(gold), set(gold)
        texts = Blocks(record["text"]).texts
        inside = [text in known or (len(text) > LONG and text in whole) for text in texts]
        first = inside.index(True) if True in inside else len(texts)
        behind = [text for text, is_inside in zip(texts[first:], inside[first:], strict=True) if not is_inside]
        article = [text for text, is_inside in zip(texts, inside, strict=True) if is_inside]
        return cls("\n".join(texts[:first]), "\n".join(article), "\n".join(behind))

    def is_usable(self) -> bool:
        """Returns whether the page has an article and text around it."""
        around = len(self.before.split()) + len(self.behind.split())
        return len(self.article.split()) >= LEAST_ARTICLE and around >= LEAST_AROUND

    def around(self, other: "Page") -> str:
        """Returns the text around this page's article, with another page's article."""
        return "\n\n".join((self.before, other.article, self.behind))


def judge(pages: list[Page], pairs: Iterable[tuple[int, int]], way: dict[str, object]) -> dict[str, float]:
    """Returns how often the page with the same article is more similar, and the mean resemblances."""
    rows = []
    for i, j in pairs:
        page = pages[i].around(pages[i])
        resemblances = [
            lookalike.compare(page, other, **way).resemblance for other in (pages[j].around(pages[i]), pages[i].around(pages[j]))
        ]
        rows.append(resemblances)
    return {
        "article_above": sum(article > around for article, around in rows) / len(rows),
        "same_article": sum(article for article, _ in rows) / len(rows),
        "same_around": sum(around for _, around in rows) / len(rows),
    }


def main() -> None:
    """Judges each method, prints the results and records them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with readability_html.jsonl.zst")
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    lines = subprocess.run(["zstd", "-dc", arguments.data / "readability_html.jsonl.zst"], capture_output=True, check=True).stdout
    pages = [page for page in (Page.of(json.loads(line)) for line in lines.splitlines()) if page.is_usable()]
    draw = random.Random(1)
    pairs = draw.sample([(i, j) for i in range(len(pages)) for j in range(len(pages)) if i != j], arguments.pairs)
    results = {name: judge(pages, pairs, way) for name, way in WAYS.items()}
    print(
        f"{len(pages)} pages, {len(pairs)} pairs\n| shingles | article above | same article | same surroundings |\n|---|---|---|---|"
    )
    for name, figures in results.items():
        print(
            f"| {name} | {100 * figures['article_above']:.1f} % | {figures['same_article']:.3f} | {figures['same_around']:.3f} |"
        )
    if arguments.out:
        recorded.write(arguments.out, {"pages": len(pages), "pairs": len(pairs), "ways": results})


if __name__ == "__main__":
    main()
