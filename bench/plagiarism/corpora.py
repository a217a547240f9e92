"""Reads the documents that the set is made of: English posts and Bible verses, Tang poems, Japanese prose."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Two documents that share a run of this many units would be natural reuse without a truth, so only one of them is taken.
SHARED = {"en": 10, "zh": 12, "ja": 16}


@dataclass(frozen=True)
class Language:
    """How texts of a language are divided into units (words or characters), and how long documents and passages are."""

    code: str
    unit: re.Pattern[str]
    sentence_end: re.Pattern[str]
    joiner: str
    document: tuple[int, int]
    """The least and the largest number of units of a document."""
    passage: tuple[int, int]
    """The least and the largest number of units of a reused passage."""

    def units(self, text: str) -> list[str]:
        """Returns the words of a text with their punctuation or, without spaces, its characters."""
        return self.unit.findall(text)

    def sentences(self, units: list[str]) -> list[list[str]]:
        """Returns the sentences of a text; a sentence without an end is cut after 40 units."""
        found: list[list[str]] = [[]]
        for unit in units:
            found[-1].append(unit)
            if self.sentence_end.search(unit) or len(found[-1]) == 40:
                found.append([])
        return [sentence for sentence in found if sentence]


ENGLISH = Language("en", re.compile(r"\S+"), re.compile(r"[.!?][\"')\]]*$"), " ", (400, 2500), (25, 600))
CHINESE = Language("zh", re.compile(r"\S"), re.compile(r"[。！？]$"), "", (700, 3000), (40, 900))
JAPANESE = Language("ja", re.compile(r"\S"), re.compile(r"[。！？]$"), "", (1000, 5000), (40, 900))
LANGUAGES = (ENGLISH, CHINESE, JAPANESE)


def read(path: Path) -> Iterator[dict[str, str]]:
    """Reads the records of a compressed JSON Lines file."""
    lines = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.splitlines()
    return map(json.loads, lines)


def posts(data: Path) -> Iterator[list[str]]:
    """Returns the words of Usenet posts, without the lines that quote other posts."""
    for record in read(data / "newsgroups20.jsonl.zst"):
        own = [line for line in record["text"].splitlines() if not re.match(r"\s*([>|:#]|\w{1,4}>)", line)]
        # Lines of drawings, tables and encoded files are not prose.
        prose = [line for line in own if sum(c.isalpha() or c == " " for c in line) >= 0.8 * len(line)]
        yield ENGLISH.units("\n".join(prose))


def poems(data: Path) -> Iterator[list[str]]:
    """Returns the characters of successive Tang poems of one edition, as documents of 20 poems."""
    block: list[str] = []
    for number, record in enumerate(record for record in read(data / "zh_tang.jsonl.zst") if record["id"].startswith("全唐诗/")):
        block += CHINESE.units(record["text"])
        if number % 20 == 19:
            yield block
            block = []


def prose(data: Path) -> Iterator[list[str]]:
    """Returns the characters of Japanese works: of each its beginning."""
    for record in read(data / "ja_aozora_dev.jsonl.zst"):
        yield JAPANESE.units(record["text"])


def verses(data: Path) -> list[tuple[str, str, str]]:
    """Returns the verses of the Bible in two translations: reference, King James Version, World English Bible."""
    found: dict[str, dict[str, str]] = {"KJV": {}, "WEB": {}}
    for record in read(data / "bible_verses_dev.jsonl.zst"):
        found[record["translation"]][record["ref"]] = record["text"]
    return [(ref, text, found["WEB"][ref]) for ref, text in found["KJV"].items() if ref in found["WEB"]]


def documents(language: Language, data: Path, wanted: int, order: list[float]) -> list[list[str]]:
    """Returns documents that share no long run with each other, each cut to a length between the limits.

    `order` has numbers from 0 to 1: the documents are taken in their order, and their lengths too depend on them.
    """
    read_all = {"en": posts, "zh": poems, "ja": prose}[language.code]
    least, most = language.document
    long_enough = [units for units in read_all(data) if len(units) >= least]
    ranked = sorted(zip(order, long_enough, strict=False), key=lambda pair: pair[0])
    seen: set[int] = set()
    taken: list[list[str]] = []
    for rank, units in ranked:
        length = least + int((most - least) * (rank * 7919 % 1))
        units = units[:length]
        plain = [unit.lower().strip(".,;:!?\"'()") for unit in units]
        runs = {hash(tuple(plain[at : at + SHARED[language.code]])) for at in range(len(plain) - SHARED[language.code] + 1)}
        if seen.isdisjoint(runs):
            seen |= runs
            taken.append(units)
        if len(taken) == wanted:
            break
    return taken
