"""A baseline: similar sentences by TF-IDF, joined where they are close to each other in both documents.

It follows Sanchez-Perez, Sidorov and Gelbukh 2014, *A Winning Approach to Text Alignment for Text Reuse Detection at PAN 2014*:
pairs of sentences whose cosine (weighted by inverse sentence frequency) and Dice coefficient are large enough are seeds; seeds
are divided where there are more than `GAP` sentences between them; a passage must have a large enough cosine, and 150 characters
(fewer in Chinese and Japanese, whose sentences have fewer characters).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from plagdet import Passage

# The values of the paper for the settings that are not tuned here.
DICE, GAP, LEAST = 0.33, 4, {"en": 150, "zh": 30, "ja": 60}

Sentence = tuple[int, int, Counter[str]]
Document = tuple[str, list[Sentence]]

_ENDS = {"en": re.compile(r"[^.!?]+[.!?]*"), "zh": re.compile(r"[^。！？]+[。！？]*"), "ja": re.compile(r"[^。！？]+[。！？]*")}


def document(id: str, text: str, language: str) -> Document:
    """Divides a document into sentences of at least three words, or characters; shorter ones are joined to the next one."""
    token = re.compile(r"\w+" if language == "en" else r"\w")
    found: list[Sentence] = []
    for match in _ENDS[language].finditer(text):
        words = Counter(token.findall(match[0].lower()))
        if found and sum(found[-1][2].values()) < 3:
            start, _, before = found.pop()
            found.append((start, match.end(), before + words))
        elif words:
            found.append((match.start() + len(match[0]) - len(match[0].lstrip()), match.end(), words))
    return id, found


def _vector(words: Counter[str], frequency: Counter[str], sentences: int) -> dict[str, float]:
    vector = {word: count * math.log(sentences / frequency[word]) for word, count in words.items()}
    norm = math.sqrt(sum(value * value for value in vector.values()))
    return {word: value / norm for word, value in vector.items()} if norm else {}


def _cosine(a: dict[str, float], b: dict[str, float]) -> float:
    return sum(value * b.get(word, 0.0) for word, value in a.items())


def _divided(seeds: list[tuple[int, int]]) -> Iterable[list[tuple[int, int]]]:
    """Divides seeds where more than `GAP` sentences are between them, in turn in each document, until nothing changes."""
    for side in (0, 1):
        ordered = sorted(seeds, key=lambda seed: seed[side])
        parts = [[ordered[0]]]
        for seed in ordered[1:]:
            if seed[side] - parts[-1][-1][side] > GAP + 1:
                parts.append([])
            parts[-1].append(seed)
        if len(parts) > 1:
            for part in parts:
                yield from _divided(part)
            return
    yield seeds


def detect(suspicious: Document, source: Document, least_cosine: float, language: str) -> list[Passage]:
    """Returns the passages of two documents whose sentences, and which as a whole, have at least this cosine."""
    sentences = [words for _, found in (suspicious, source) for _, _, words in found]
    frequency = Counter(word for words in sentences for word in words)
    vectors = [[_vector(words, frequency, len(sentences)) for _, _, words in found] for _, found in (suspicious, source)]
    # Only pairs of sentences that share a word of at most 20 sentences are compared: others do not reach the cosine.
    having = defaultdict(list)
    for number, vector in enumerate(vectors[1]):
        for word in vector:
            if frequency[word] <= 20:
                having[word].append(number)
    seeds = []
    for number, vector in enumerate(vectors[0]):
        for other in {other for word in vector for other in having.get(word, ())}:
            dice = 2 * len(vector.keys() & vectors[1][other].keys()) / (len(vector) + len(vectors[1][other]))
            if dice >= DICE and _cosine(vector, vectors[1][other]) >= least_cosine:
                seeds.append((number, other))
    found = []
    for part in _divided(seeds) if seeds else ():
        ranges, wholes = [], []
        for side, (_, own) in enumerate((suspicious, source)):
            first, last = min(seed[side] for seed in part), max(seed[side] for seed in part)
            ranges.append((own[first][0], own[last][1]))
            whole = sum((own[number][2] for number in range(first, last + 1)), Counter())
            wholes.append(_vector(whole, frequency, len(sentences)))
        if _cosine(*wholes) >= least_cosine and min(end - start for start, end in ranges) >= LEAST[language]:
            found.append(Passage(suspicious[0], source[0], ranges[0], ranges[1]))
    return found
