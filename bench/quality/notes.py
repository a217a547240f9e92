"""Makes notes and briefs like those of a news wire, and counts how many are dropped with shingles that begin with a stop word.

A note on a dividend or on earnings has one or two stop words, and notes on different firms share these words. Two in a hundred
are sent again with one word corrected: these pairs should be found. A found pair counts as unlike if its resemblance by all
shingles is below 0.2.
"""

import argparse
import json
import random
from pathlib import Path

import lookalike

FIRST = (
    "Amber Atlas Baker Beacon Calder Canyon Carbon Cedar Centra Clark Dalton Delta Dyna Eagle Eastern Fairway Falcon Garnet General Grand "
    "Harbor Hudson Inter Ivory Jordan Kenton Key Lakeland Liberty Magna Mercer Micro Midland Nash National Norton Oakwood Omni Pacific "
    "Pioneer Quaker Ranger Regal Sierra Southern Sterling Summit Texas Tri Union Valley Vector Wells Western York Zenith"
).split()
TRADE = (
    "Airlines Bancorp Brands Chemical Communications Controls Data Drug Electronics Energy Financial Foods Gas Homes Industries Insurance "
    "Labs Medical Metals Mines Oil Paper Petroleum Power Products Resources Savings Steel Stores Systems Technologies Trust Utilities"
).split()
MONTHS = "Jan Feb March April May June July Aug Sept Oct Nov Dec".split()
FOOTNOTES = (
    "NOTE: Full name of company is {firm}.",
    "NOTE: Results restated for 3-for-2 stock split.",
    "NOTE: 1986 net includes loss of {sum} dlrs from discontinued operations.",
    "NOTE: Prior year share figures are adjusted for the two-for-one stock split in {month}.",
    "NOTE: Net includes tax credits of {sum} vs {other}.",
    "",
)


class Wire:
    """Draws notes and briefs."""

    def __init__(self) -> None:
        self.draw = random.Random(1)

    def firm(self) -> str:
        return f"{self.draw.choice(FIRST)} {self.draw.choice(TRADE)} {self.draw.choice(('Corp', 'Inc', 'Ltd', 'Co'))}"

    def day(self) -> str:
        return f"{self.draw.choice(MONTHS)} {self.draw.randint(1, 30)}"

    def sum(self) -> str:
        if self.draw.random() < 0.6:
            return f"{self.draw.randint(1, 99)},{self.draw.randint(100, 999)},000"
        return f"{self.draw.randint(1, 90)}.{self.draw.randint(0, 9)} mln"

    def cents(self) -> str:
        if self.draw.random() < 0.8:
            return f"{self.draw.randint(2, 99)} cts"
        return f"{self.draw.randint(1, 4)}.{self.draw.randint(10, 99)} dlrs"

    def dividend(self) -> str:
        title = self.draw.choice(("SETS QUARTERLY", "SETS QTLY PAYOUT", "IN PAYOUT", "UPS PAYOUT", "REGULAR DIVIDEND SET"))
        now = self.cents()
        before = self.cents() if self.draw.random() < 0.4 else now
        prior = self.draw.choice((" prior", " in prior qtr", ""))
        return f"{self.firm().upper()} {title} Qtly div {now} vs {before}{prior} Pay {self.day()} Record {self.day()} Reuter"

    def earnings(self) -> str:
        firm = self.firm()
        parts = [f"{firm.upper()} {self.draw.choice(('1ST', '2ND', '3RD', '4TH'))} QTR NET"]
        for period in ("", "Year" if self.draw.random() < 0.5 else None):
            if period is not None:
                parts.append(f"{period} Shr {self.cents()} vs {self.cents()} Net {self.sum()} vs {self.sum()}")
                parts.append(f"Revs {self.sum()} vs {self.sum()}")
        note = self.draw.choice(FOOTNOTES)
        parts.append(note.format(firm=firm, sum=self.sum(), other=self.sum(), month=self.draw.choice(MONTHS)))
        return " ".join(parts) + " Reuter"

    def brief(self) -> str:
        one, other = self.firm(), self.firm()
        return self.draw.choice(
            (
                f"{one} said it agreed in principle to acquire {other} for {self.sum()} dlrs in cash. The company said it expects to "
                f"complete the transaction by {self.day()}, subject to approval of the boards of both companies.",
                f"{one} said its board has approved a {self.draw.randint(2, 5)}-for-1 stock split, payable {self.day()} to holders of "
                f"record {self.day()}. The company also said it will seek approval of an increase in authorized shares.",
                f"{one} said {self.draw.choice(FIRST)} has been named president, succeeding {self.draw.choice(FIRST)} who is retiring.",
            )
        )

    def texts(self, count: int) -> list[str]:
        texts = []
        for _ in range(count):
            kind = self.draw.random()
            text = self.dividend() if kind < 0.35 else self.earnings() if kind < 0.75 else self.brief()
            texts.append(text)
            if self.draw.random() < 0.02:
                words = text.split()
                words[self.draw.randrange(len(words))] = str(self.draw.randint(1, 99))
                texts.append("CORRECTED " + " ".join(words))
        return texts


def main() -> None:
    """Counts the drops, prints the results and records them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--texts", type=Path, help="write the texts to this JSON Lines file")
    parser.add_argument("--out", type=Path, help="the record that the figures are added to, as JSON")
    arguments = parser.parse_args()
    texts = Wire().texts(arguments.count)
    if arguments.texts:
        arguments.texts.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    _, report = lookalike.dedup(texts, anchors=["en"])
    near = [(row["row"], row["representative_row"]) for row in report.decisions.to_pylist() if row["reason"] == "near"]
    unlike = sum(lookalike.compare(texts[a], texts[b]).resemblance < 0.2 for a, b in near)
    figures = {"texts": len(texts), "few_anchors": report.summary["few_anchors"], "near": len(near), "unlike": unlike}
    print(figures)
    if arguments.out:
        record = json.loads(arguments.out.read_text(encoding="utf-8"))
        arguments.out.write_text(json.dumps(record | {"notes": figures}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
