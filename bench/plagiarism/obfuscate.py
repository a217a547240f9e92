"""Changes a passage, as the random obfuscation of the PAN corpora does: by order, insertions, deletions and replacements."""

from __future__ import annotations

import random
from collections.abc import Callable

from corpora import Language

Passage = list[str]
Words = list[str]


def verbatim(passage: Passage, language: Language, words: Words, chance: random.Random) -> Passage:
    """Changes nothing."""
    return passage


def shuffled(passage: Passage, language: Language, words: Words, chance: random.Random) -> Passage:
    """Puts the sentences into another order."""
    sentences = language.sentences(passage)
    chance.shuffle(sentences)
    return [unit for sentence in sentences for unit in sentence]


def inserted(passage: Passage, language: Language, words: Words, chance: random.Random) -> Passage:
    """Inserts 10 to 50 % of foreign units, one to four at a time, and deletes half as many."""
    return _inserted(passage, words, chance.choice((0.1, 0.2, 0.3, 0.4, 0.5)), chance)


def _inserted(passage: Passage, words: Words, share: float, chance: random.Random) -> Passage:
    changed: Passage = []
    for unit in passage:
        if chance.random() < share / 2.5:
            changed += [chance.choice(words) for _ in range(chance.randint(1, 4))]
        if chance.random() >= share / 2:
            changed.append(unit)
    return changed


def replaced(passage: Passage, language: Language, words: Words, chance: random.Random) -> Passage:
    """Replaces 10 to 60 % of the units by others: single words, or one to three characters at a time."""
    return _replaced(passage, language, words, chance.choice((0.1, 0.2, 0.3, 0.4, 0.5, 0.6)), chance)


def _replaced(passage: Passage, language: Language, words: Words, share: float, chance: random.Random) -> Passage:
    longest = 1 if language.joiner else 3
    changed, at = list(passage), 0
    while at < len(changed):
        length = chance.randint(1, longest)
        if chance.random() < share:
            for number in range(at, min(at + length, len(changed))):
                changed[number] = chance.choice(words)
        at += length
    return changed


def mixed(passage: Passage, language: Language, words: Words, chance: random.Random) -> Passage:
    """Does all of it: replaces 30 %, inserts 20 %, shuffles sentences, and in half of them neighbouring units."""
    sentences = language.sentences(_inserted(_replaced(passage, language, words, 0.3, chance), words, 0.2, chance))
    chance.shuffle(sentences)
    changed: Passage = []
    for sentence in sentences:
        if chance.random() < 1 / 2:
            sentence = [unit for _, unit in sorted((at + 4 * chance.random(), unit) for at, unit in enumerate(sentence))]
        changed += sentence
    return changed


KINDS: dict[str, Callable[[Passage, Language, Words, random.Random], Passage]] = {
    "verbatim": verbatim,
    "shuffled": shuffled,
    "inserted": inserted,
    "replaced": replaced,
    "mixed": mixed,
}
