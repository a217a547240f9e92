"""Makes a set like PAN's for text alignment, in English, Chinese and Japanese, with a fixed seed.

Each suspicious document is a document of its own into which one to three passages of source documents were inserted, all
changed in one way (`obfuscate.py`). For the kind *retold*, in English, the passage is from one translation of the Bible and the
source has the same verses in another. Documents of the kind *none* have no such passage. Hosts and sources of one fold occur in
no other fold.

For each language there are three files: `<language>.suspicious.jsonl` and `<language>.sources.jsonl` with `id`, `text`, `fold`
and, for suspicious documents, `kind`; and `<language>.cases.jsonl` with the reused passages, in characters.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
from pathlib import Path

from corpora import ENGLISH, LANGUAGES, Language, documents, verses
from obfuscate import KINDS

FOLDS = 5
# In each fold, for each language.
SUSPICIOUS_OF_A_KIND = 4
SOURCES = 14
BIBLES = 3


class Text:
    """A text that is put together from parts, and knows the places of the parts."""

    def __init__(self, joiner: str) -> None:
        self.joiner, self.text = joiner, ""

    def add(self, units: list[str]) -> tuple[int, int]:
        """Appends units and returns the characters at which they begin and end."""
        if self.text and units:
            self.text += self.joiner
        start = len(self.text)
        self.text += self.joiner.join(units)
        return start, len(self.text)


def cut(units: list[str], length: int, chance: random.Random) -> tuple[int, int]:
    """Returns a random range of units of about a length."""
    length = min(length, len(units))
    start = chance.randint(0, len(units) - length)
    return start, start + length


def make(language: Language, data: Path, folder: Path, seed: int) -> dict[str, int]:
    """Makes the three files of a language and returns the numbers of their records."""
    chance = random.Random(f"plagiarism {language.code}" + (f" {seed}" if seed else ""))
    kinds = [*KINDS, "none", *(["retold"] if language is ENGLISH else [])]
    needed = FOLDS * (SUSPICIOUS_OF_A_KIND * len(kinds) + SOURCES)
    order = [chance.random() for _ in range(100_000)]
    pool = iter(documents(language, data, needed, order))
    bible = verses(data) if language is ENGLISH else []
    least, most = language.passage
    suspicious, sources, cases = [], [], []
    for fold in range(FOLDS):
        own = [next(pool) for _ in range(SOURCES)]
        words = [unit for units in own for unit in units]
        texts: list[Text] = []
        for units in own:
            texts.append(Text(language.joiner))
            texts[-1].add(units)
        bibles: list[tuple[int, list[tuple[int, int]], int]] = []
        if "retold" in kinds:
            for _ in range(BIBLES):
                first, places = chance.randrange(len(bible) - 60), []
                text = Text(" ")
                places = [text.add(ENGLISH.units(king_james)) for _, king_james, _ in bible[first : first + 60]]
                bibles.append((len(texts), places, first))
                texts.append(text)
        for kind in kinds:
            for number in range(SUSPICIOUS_OF_A_KIND):
                id = f"{language.code}-{fold}-{kind}-{number}"
                host, text = language.sentences(next(pool)), Text(language.joiner)
                passages = 0 if kind == "none" else min(chance.randint(1, 3), len(host))
                borders = [0, *sorted(chance.sample(range(len(host) + 1), passages)), len(host)]
                for place_in_host, (border, until) in enumerate(itertools.pairwise(borders)):
                    text.add([unit for sentence in host[border:until] for unit in sentence])
                    if place_in_host == passages:
                        break
                    length = int(least * (most / least) ** chance.random())
                    if kind == "retold":
                        source, places, first = chance.choice(bibles)
                        start = chance.randrange(len(places) - 2)
                        end, count = start, 0
                        while end < len(places) and count < length:
                            count += len(ENGLISH.units(bible[first + end][1]))
                            end += 1
                        place = (places[start][0], places[end - 1][1])
                        changed = [unit for verse in bible[first + start : first + end] for unit in ENGLISH.units(verse[2])]
                    else:
                        source = chance.randrange(SOURCES)
                        start, end = cut(own[source], length, chance)
                        before = len(language.joiner.join(own[source][:start]))
                        before += len(language.joiner) if start else 0
                        place = (before, before + len(language.joiner.join(own[source][start:end])))
                        changed = KINDS[kind](own[source][start:end], language, words, chance)
                    here = text.add(changed)
                    case = {"suspicious": id, "source": f"{language.code}-{fold}-source-{source}"}
                    cases.append({**case, "in_suspicious": here, "in_source": place, "kind": kind, "fold": fold})
                suspicious.append({"id": id, "text": text.text, "kind": kind, "fold": fold})
        ids = (f"{language.code}-{fold}-source-{number}" for number in range(len(texts)))
        sources += [{"id": id, "text": text.text, "fold": fold} for id, text in zip(ids, texts, strict=True)]
    folder.mkdir(parents=True, exist_ok=True)
    files = {"suspicious": suspicious, "sources": sources, "cases": cases}
    for name, records in files.items():
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (folder / f"{language.code}.{name}.jsonl").write_text(lines, encoding="utf-8")
    return {name: len(records) for name, records in files.items()}


def main() -> None:
    """Makes the set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with the corpora")
    parser.add_argument("folder", type=Path, help="where the set is written")
    parser.add_argument("--seed", type=int, default=0, help="another number makes another set, of other documents")
    arguments = parser.parse_args()
    for language in LANGUAGES:
        print(language.code, make(language, arguments.data, arguments.folder, arguments.seed))


if __name__ == "__main__":
    main()
