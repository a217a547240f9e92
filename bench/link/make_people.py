"""Makes records of persons after febrl's: originals drawn from what febrl1 and febrl3 have, and duplicates with febrl's errors.

A given name, a surname, a street number, the two words of a street, what stands in `address_2`, and a suburb with its postcode
and state are drawn each for itself, as often as the originals of febrl have them, empty ones included; dates of birth are even
over a century, and each original has a number of its own in `soc_sec_id`. So there are some 600 given names and 1,000 surnames
for a million people: more namesakes than in life, which makes blocks larger and the task harder.

A duplicate has one to four errors, in fields drawn by weight: a character put in, left out, another or changed places with the
next; what a scanner or an ear mistakes; a space lost or put in; an empty field; the value of somebody else (moved, married); the
two names or the two lines of the address exchanged. `opened` is the day on which the record was made, and belongs to no field:
the records of one person are 10 days apart on average, those of two persons 45. By that the source's estimate of precision is
held against the truth (judging.py).

The output depends on the seed and on nothing else: `--count 1000000` is the same file everywhere (run.py records its SHA-256).
"""

import argparse
import json
import random
import string
import subprocess
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

FIELDS = (
    "given_name",
    "surname",
    "street_number",
    "address_1",
    "address_2",
    "suburb",
    "postcode",
    "state",
    "date_of_birth",
    "soc_sec_id",
)
GIVEN, SURNAME, NUMBER, STREET, ADDRESS, SUBURB, POSTCODE, STATE, BORN, SOCIAL = range(len(FIELDS))
# How often an error falls on a field, and what is done there.
FIELD_WEIGHTS = (12, 12, 8, 18, 14, 12, 7, 3, 8, 6)
DIGITS = {NUMBER, POSTCODE, BORN, SOCIAL}
# A record has so many errors, and an original so many duplicates, with these weights: 1, 2, 3, ...
ERRORS, DUPLICATES = (40, 30, 20, 10), (70, 20, 10)
DUPLICATE_SHARE = 0.2
# A person came on one of so many days, and each record was made within so many days of that. Two even draws are a third of their
# range apart on average: 10 days for one person; and for two, whose records move a little beside, 45.1.
DAYS, WITHIN = 132, 30
# What a scanner reads for another, and what sounds alike.
MISTAKEN = (
    ("rn", "m"),
    ("m", "rn"),
    ("cl", "d"),
    ("l", "1"),
    ("1", "l"),
    ("0", "o"),
    ("o", "0"),
    ("5", "s"),
    ("s", "5"),
    ("8", "b"),
    ("g", "q"),
    ("ph", "f"),
    ("f", "ph"),
    ("ck", "k"),
    ("c", "k"),
    ("ie", "y"),
    ("y", "ie"),
    ("ee", "ea"),
    ("th", "t"),
    ("sch", "sh"),
    ("mac", "mc"),
    ("street", "st"),
    ("avenue", "ave"),
    ("place", "pl"),
    ("crescent", "cres"),
)
# The rows of a keyboard: most letters that are hit instead of another stand beside it.
KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890")
BESIDE = {key: row[max(0, at - 1) : at] + row[at + 1 : at + 2] for row in KEYS for at, key in enumerate(row)}


class Pool:
    """The values of febrl's originals, and how often each is there."""

    def __init__(self, data: Path) -> None:
        people = [record["fields"] for name in ("febrl1", "febrl3") for record in originals(data / "er" / f"{name}.jsonl.zst")]
        self.columns = {field: weighted(person[field] for person in people) for field in FIELDS}
        self.places = weighted((person["suburb"], person["postcode"], person["state"]) for person in people)
        streets = [person["address_1"].rpartition(" ") for person in people if " " in person["address_1"]]
        self.streets = weighted(name for name, _, _ in streets)
        self.kinds = weighted(kind for _, _, kind in streets)
        self.no_street = sum(not person["address_1"] for person in people) / len(people)
        self.no_birth = sum(not person["date_of_birth"] for person in people) / len(people)


def originals(path: Path) -> list[dict]:
    """The records of a set that are nobody's duplicate."""
    lines = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.splitlines()
    return [record for record in map(json.loads, lines) if record["role"] == "org"]


def weighted(values) -> tuple[list, list[int]]:
    """Distinct values in order, and how many of each and of those before it there are: for `choices`."""
    counts = sorted(Counter(values).items())
    so_far, total = [], 0
    for _, count in counts:
        total += count
        so_far.append(total)
    return [value for value, _ in counts], so_far


class People:
    """Draws persons and their duplicates."""

    def __init__(self, pool: Pool, seed: int) -> None:
        self.pool, self.draw = pool, random.Random(seed)

    def column(self, counted: tuple[list, list[int]], count: int) -> list:
        """So many values, as often as the pool has them."""
        return self.draw.choices(counted[0], cum_weights=counted[1], k=count)

    def persons(self, count: int) -> list[list[str]]:
        """Persons, each a list of fields."""
        draw, of = self.draw, self.pool.columns
        given, surname, number, address = (
            self.column(of[field], count) for field in ("given_name", "surname", "street_number", "address_2")
        )
        streets = [
            f"{name} {kind}" if draw.random() >= self.pool.no_street else ""
            for name, kind in zip(self.column(self.pool.streets, count), self.column(self.pool.kinds, count), strict=True)
        ]
        century = [(date(1900, 1, 1) + timedelta(day)).strftime("%Y%m%d") for day in range(36_524)]
        born = [day if draw.random() >= self.pool.no_birth else "" for day in draw.choices(century, k=count)]
        places = self.column(self.pool.places, count)
        social = draw.sample(range(1_000_000, 10_000_000), count)
        return [
            [first, last, house, street, line, *place, birth, str(own)]
            for first, last, house, street, line, place, birth, own in zip(
                given, surname, number, streets, address, places, born, social, strict=True
            )
        ]

    def duplicate(self, person: list[str], others: list[list[str]]) -> list[str]:
        """The same person as another clerk wrote it down: never the same in all fields."""
        draw, copy = self.draw, person.copy()
        for _ in range(draw.choices(range(1, len(ERRORS) + 1), ERRORS)[0]):
            field = draw.choices(range(len(FIELDS)), FIELD_WEIGHTS)[0]
            kind = draw.random()
            if kind < 0.04 and field in (GIVEN, SURNAME):
                copy[GIVEN], copy[SURNAME] = copy[SURNAME], copy[GIVEN]
            elif kind < 0.04 and field in (STREET, ADDRESS):
                copy[STREET], copy[ADDRESS] = copy[ADDRESS], copy[STREET]
            elif kind < 0.14:
                copy[field] = ""
            elif kind < 0.22:
                copy[field] = draw.choice(others)[field]
            elif kind < 0.36:
                copy[field] = self.mistaken(copy[field])
            elif kind < 0.48 and field not in DIGITS:
                copy[field] = self.respaced(copy[field])
            else:
                copy[field] = self.mistyped(copy[field], string.digits if field in DIGITS else string.ascii_lowercase)
        while copy == person:
            copy[STREET] = self.mistyped(copy[STREET] or "street", string.ascii_lowercase)
        return copy

    def mistyped(self, text: str, letters: str) -> str:
        """A character put in, left out, changed, or exchanged with the next."""
        draw = self.draw
        if len(text) < 2:
            return text
        at, kind = draw.randrange(len(text)), draw.random()
        if kind < 0.2:
            return text[:at] + draw.choice(letters) + text[at:]
        if kind < 0.45:
            return text[:at] + text[at + 1 :]
        if kind < 0.75:
            near = BESIDE.get(text[at], "") if draw.random() < 0.7 else ""
            near = "".join(key for key in near if key in letters)
            return text[:at] + draw.choice(near or letters) + text[at + 1 :]
        at = min(at, len(text) - 2)
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]

    def mistaken(self, text: str) -> str:
        """One thing read or heard for another, if there is any that can be."""
        possible = [(right, wrong) for right, wrong in MISTAKEN if right in text]
        if not possible:
            return self.mistyped(text, string.ascii_lowercase)
        right, wrong = self.draw.choice(possible)
        return text.replace(right, wrong, 1)

    def respaced(self, text: str) -> str:
        """A space lost, or one put in."""
        if " " in text and self.draw.random() < 0.6:
            return text.replace(" ", "", 1)
        at = self.draw.randrange(1, len(text)) if len(text) > 1 else 0
        return text[:at] + " " + text[at:] if at else text

    def records(self, count: int) -> list[str]:
        """The collection, a line each, in an order of its own."""
        copies = round(count * DUPLICATE_SHARE)
        persons = self.persons(count - copies)
        came = self.draw.choices(range(DAYS), k=len(persons))
        made = [(person, cluster) for cluster, person in enumerate(persons)]
        for cluster in self.draw.sample(range(len(persons)), len(persons)):
            for _ in range(min(copies, self.draw.choices(range(1, len(DUPLICATES) + 1), DUPLICATES)[0])):
                made.append((self.duplicate(persons[cluster], persons), cluster))
                copies -= 1
            if not copies:
                break
        self.draw.shuffle(made)
        # The values are plain ASCII without quotation marks or backslashes, but for what febrl may have: encoded once.
        encoded = {}
        lines = []
        for number, (person, cluster) in enumerate(made):
            parts = []
            for field, value in zip(FIELDS, person, strict=True):
                text = encoded.get(value)
                if text is None:
                    text = encoded[value] = json.dumps(value)
                parts.append(f'"{field}": {text}')
            day = came[cluster] + self.draw.randrange(WITHIN)
            lines.append(f'{{"id": "p{number}", "fields": {{{", ".join(parts)}}}, "cluster": "{cluster}", "opened": {day}}}\n')
        return lines


def main() -> None:
    """Writes the records to a file, whole or not at all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder with er/febrl1.jsonl.zst and er/febrl3.jsonl.zst")
    parser.add_argument("out", type=Path, help="where the records go, as JSON Lines")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=6)
    options = parser.parse_args()
    if not 10 <= options.count <= 5_000_000:
        parser.error("--count must be from 10 to 5,000,000")
    lines = People(Pool(options.data), options.seed).records(options.count)
    unfinished = options.out.with_name(options.out.name + ".unfinished")
    with unfinished.open("w", encoding="ascii") as file:
        file.writelines(lines)
    unfinished.replace(options.out)


if __name__ == "__main__":
    main()
