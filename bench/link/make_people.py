"""Makes records of persons like febrl's: originals with the values of febrl1 and febrl3, and duplicates with febrl's errors.

Given name, surname, street number, the two words of a street, `address_2`, and a suburb with its postcode and state are drawn
independently, with the frequencies of febrl's originals, including empty values. Dates of birth are uniform over a century, and
each original has its own number in `soc_sec_id`. A million people share about 600 given names and 1,000 surnames. So there are
more namesakes than in reality, blocks are larger, and the task is harder.

A duplicate has one to four errors, in fields drawn by weight: a character inserted, left out, replaced or swapped with the next
one; an error of a scanner or by ear; a space removed or inserted; an empty field; the value of another person (moved, married);
or the two names, or the two lines of the address, swapped. `opened` is the day on which the record was made, and is not one of
the compared fields. On average, two records are 10 days apart if they are of the same person, and 45 days otherwise. With
`opened`, judging.py compares the source's estimate of precision with the truth.

The output depends only on the seed: `--count 1000000` makes the same file everywhere (run.py records its SHA-256).
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
# How often an error affects each field, and the fields that consist of digits.
FIELD_WEIGHTS = (12, 12, 8, 18, 14, 12, 7, 3, 8, 6)
DIGITS = {NUMBER, POSTCODE, BORN, SOCIAL}
# The weights of 1, 2, 3, ... errors in a record, and of 1, 2, 3, ... duplicates of an original.
ERRORS, DUPLICATES = (40, 30, 20, 10), (70, 20, 10)
DUPLICATE_SHARE = 0.2
# A person first came on one of DAYS days, and each record of the person was made less than WITHIN days later. Two uniform draws
# are a third of their range apart on average: 10 days for the same person, and 45.1 for two persons, because their records were
# made a little later.
DAYS, WITHIN = 132, 30
# Characters that a scanner confuses, and characters that sound alike.
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
# The rows of a keyboard: most letters that are hit by mistake are next to the right one.
KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890")
BESIDE = {key: row[max(0, at - 1) : at] + row[at + 1 : at + 2] for row in KEYS for at, key in enumerate(row)}


class Pool:
    """The values of febrl's originals, and how often each occurs."""

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
    """Returns the records of a set that are not duplicates."""
    lines = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.splitlines()
    return [record for record in map(json.loads, lines) if record["role"] == "org"]


def weighted(values) -> tuple[list, list[int]]:
    """Returns the distinct values in order, and their cumulative counts, for `choices`."""
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
        """Draws `count` values, with the frequencies of the pool."""
        return self.draw.choices(counted[0], cum_weights=counted[1], k=count)

    def persons(self, count: int) -> list[list[str]]:
        """Draws persons, each a list of fields."""
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
        """Returns the same person as recorded by another clerk; at least one field is different."""
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
        """Returns the text with a character inserted, left out, replaced, or swapped with the next one."""
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
        """Returns the text with a misread or misheard part, if one is possible."""
        possible = [(right, wrong) for right, wrong in MISTAKEN if right in text]
        if not possible:
            return self.mistyped(text, string.ascii_lowercase)
        right, wrong = self.draw.choice(possible)
        return text.replace(right, wrong, 1)

    def respaced(self, text: str) -> str:
        """Returns the text with a space removed or inserted."""
        if " " in text and self.draw.random() < 0.6:
            return text.replace(" ", "", 1)
        at = self.draw.randrange(1, len(text)) if len(text) > 1 else 0
        return text[:at] + " " + text[at:] if at else text

    def records(self, count: int) -> list[str]:
        """Returns the collection, one line for each record, in random order."""
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
        # Each distinct value is encoded once. All are plain ASCII without quotation marks or backslashes, unless febrl has some.
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
    """Writes the records to a file, completely or not at all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder with er/febrl1.jsonl.zst and er/febrl3.jsonl.zst")
    parser.add_argument("out", type=Path, help="write the records to this JSON Lines file")
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
