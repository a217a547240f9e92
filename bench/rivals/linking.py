"""Code shared by the programs that link records: reading, writing and reporting.

Each program is run as `TOOL_link.py RECIPE INPUT [INPUT] --out PAIRS`. It reads one or two JSON Lines collections of {"id",
"fields": {...}}, and writes each scored pair to PAIRS as {"a", "b", "score", "match"}, where `match` is the tool's own decision.
It prints one line of JSON with the number of scored pairs. An empty value counts as missing.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

PEOPLE = (
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
RESTAURANT = ("name", "address", "city", "cuisine")
PAPER = ("title", "authors", "venue", "year")
CITATION = ("title", "author", "venue", "year", "pages")
# The fields that each recipe reads, and whether they are cleaned: febrl's examples use the values as they are.
FIELDS = {
    "febrl": (PEOPLE, False),
    "febrl-wide": (PEOPLE, False),
    "people": (PEOPLE, False),
    "restaurant": (RESTAURANT, True),
    "dblp_acm": (PAPER, True),
    "cora": (CITATION, True),
}

Record = dict[str, str | None]


def arguments(tool: str, recipes: Iterable[str]) -> argparse.Namespace:
    """Parse the command line that all programs have in common."""
    parser = argparse.ArgumentParser(description=f"Links records with {tool}.")
    parser.add_argument("recipe", choices=sorted(recipes))
    parser.add_argument("inputs", type=Path, nargs="+", help="one collection, or two collections to link")
    parser.add_argument("--out", type=Path, required=True, help="write the scored pairs to this file")
    parser.add_argument("--floor", type=float, default=0.0, help="count pairs with a lower score, but do not write them")
    parser.add_argument("--truth", type=Path, help='true pairs {"a", "b"}, for tools that learn')
    options = parser.parse_args()
    if len(options.inputs) > 2:
        parser.error("one input or two")
    return options


def clean(text: str) -> str:
    """Return the words and numbers of a text in lower case, separated by spaces."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def read(path: Path, recipe: str) -> dict[str, Record]:
    """Read records by id."""
    names, is_cleaned = FIELDS[recipe]
    prepare: Callable[[str], str] = clean if is_cleaned else str.strip
    found = {}
    with path.open("rb") as file:
        for line in file:
            record = json.loads(line)
            fields = record["fields"]
            found[record["id"]] = {name: prepare(fields[name]) or None for name in names}
    return found


def write(path: Path, pairs: Iterable[tuple[str, str, float, bool]]) -> None:
    """Write the scored pairs, one per line."""
    with path.open("w", encoding="utf-8") as file:
        for a, b, score, match in pairs:
            file.write(f'{{"a": "{a}", "b": "{b}", "score": {score:.6g}, "match": {"true" if match else "false"}}}\n')


def tell(candidates: int, **more: object) -> None:
    """Print the numbers that the bench needs in addition to the pairs."""
    print(json.dumps({"candidates": int(candidates), **more}))
