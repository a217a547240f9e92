"""Makes two pairs of product catalogues: devices, whose titles have model numbers, and programs, whose titles have versions.

Two shops describe the same products in their own way. Products of a series differ only in a digit of the model number, in the
colour, in the version or in the edition, so that most wrong candidates have nearly the same words. The second shop leaves out
model numbers, prices, makers and descriptions, writes other words for the same thing, and sells products that the first one does
not have. All names are invented. Each shop has a product once.

The output depends only on the seed.
"""

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]

BRANDS = [
    "Ardent",
    "Veltro",
    "Kombi",
    "Nordlys",
    "Asama",
    "Brightwell",
    "Cantora",
    "Delphin",
    "Eskimax",
    "Fulgor",
    "Gantry",
    "Halcyon",
    "Ibera",
    "Junova",
    "Kestrel",
    "Lumora",
    "Mikado",
    "Novatek",
    "Orbiton",
    "Palisade",
    "Quintar",
    "Rotalux",
    "Sonata",
    "Tessara",
    "Umbra",
    "Vectron",
    "Wolfram",
    "Xandria",
    "Yukata",
    "Zephyra",
]
# A kind of device, its other name, and what its models have.
DEVICES = (
    ("Digital Camera", "Camera", ("{n} Megapixel", "{n}x Optical Zoom", "2.5 inch LCD", "Image Stabilization")),
    ("Camcorder", "Video Camera", ("{n}x Zoom", "60GB Hard Drive", "High Definition", "2.7 inch LCD")),
    ("LCD TV", "Flat Panel Television", ("{n}2 inch", "1080p", "Widescreen", "HDMI")),
    ("Washer", "Front Load Washing Machine", ("{n}.5 Cu. Ft.", "Stainless Steel Drum", "Energy Star", "5 Cycles")),
    ("Refrigerator", "Side by Side Fridge", ("2{n} Cu. Ft.", "Ice Maker", "Energy Star", "Water Filter")),
    ("Microwave Oven", "Over the Range Microwave", ("1.{n} Cu. Ft.", "1000 Watts", "Sensor Cooking", "Turntable")),
    ("Headphones", "Noise Canceling Headset", ("Over Ear", "Foldable", "Bass Boost", "In Line Volume")),
    ("Speaker System", "Home Theater Speakers", ("5.1 Channel", "{n}00 Watts", "Subwoofer", "Wall Mount")),
    ("Cordless Phone", "Expandable Handset System", ("5.8 GHz", "Answering Machine", "{n} Handsets", "Caller ID")),
    ("Ink Cartridge", "Inkjet Print Cartridge", ("Photo", "{n}00 Pages", "High Yield", "Single Pack")),
    ("Laser Printer", "Monochrome Printer", ("{n}2 ppm", "Duplex", "USB", "Network Ready")),
    ("GPS Navigator", "Portable Navigation System", ("4.{n} inch Touchscreen", "Text to Speech", "Bluetooth", "Traffic")),
    ("DVD Player", "Upconverting DVD", ("Progressive Scan", "HDMI", "DivX", "Slim")),
    ("Car Receiver", "CD Receiver", ("{n}0 Watts x 4", "MP3", "Satellite Radio Ready", "Detachable Face")),
    ("Coffee Maker", "Programmable Brewer", ("{n} Cup", "Thermal Carafe", "Auto Shutoff", "Brew Strength Control")),
    ("Vacuum Cleaner", "Bagless Upright Vacuum", ("{n} Amp", "HEPA Filter", "Pet Hair Tool", "Extension Wand")),
    ("Network Switch", "Ethernet Switch", ("{n} Port", "10/100 Mbps", "Unmanaged", "Auto Uplink")),
    ("Hard Drive", "External Storage Drive", ("{n}00GB", "USB 2.0", "7200 rpm", "Desktop")),
)
COLOURS = (("Black", "B"), ("Silver", "S"), ("White", "W"), ("Stainless Steel", "SS"), ("Red", "R"))
SALES = ("New", "with Remote", "Factory Sealed", "Retail Box", "1 Year Warranty", "Free Shipping", "Best Price")

MAKERS = BRANDS[:18]
SUBJECTS = [
    "photo studio",
    "print shop",
    "tax planner",
    "home accounting",
    "virus shield",
    "language tutor",
    "route mapper",
    "movie editor",
    "music composer",
    "family tree",
    "garden designer",
    "typing coach",
    "web builder",
    "office suite",
    "disk doctor",
    "backup manager",
    "font collection",
    "clip art",
    "chess master",
    "flight pilot",
    "math tutor",
    "reading adventure",
    "business plan",
    "inventory manager",
    "contact organizer",
    "pdf converter",
    "dvd burner",
    "slide show",
    "screen recorder",
    "password vault",
    "kitchen planner",
    "resume writer",
    "legal forms",
    "crossword maker",
]
EDITIONS = (
    "",
    "",
    "",
    "professional",
    "deluxe",
    "premium",
    "standard",
    "small business",
    "home",
    "ultimate",
    "academic",
    "upgrade",
)
PLATFORMS = ("", "", "win", "mac", "win/mac", "5 user", "10 user")
SHORT = {"professional": "pro", "standard": "std", "premium": "prem", "academic": "edu", "win": "windows", "mac": "macintosh"}
FILLERS = ("software", "for windows", "cd", "dvd rom", "full version", "complete package", "jewel case", "license", "box")


def mistyped(rng: random.Random, text: str, share: float) -> str:
    """Leaves out or doubles a letter in some of the words."""
    words = text.split(" ")
    for at, word in enumerate(words):
        if len(word) > 4 and word.isalpha() and rng.random() < share:
            place = rng.randrange(1, len(word))
            words[at] = word[:place] + word[place + 1 :] if rng.random() < 0.5 else word[:place] + word[place - 1 :]
    return " ".join(words)


def devices(rng: random.Random, count: int) -> list[Row]:
    """Returns different devices, several in each series."""
    made: list[Row] = []
    codes: set[str] = set()
    while len(made) < count:
        brand = rng.choice(BRANDS)
        kind, other, facts = rng.choice(DEVICES)
        letters = "".join(rng.choice("ABCDEFGHKLMNPRSTVWX") for _ in range(rng.randint(2, 3)))
        digits = rng.choice((2, 3, 3, 4))
        first = rng.randrange(10 ** (digits - 1), 10**digits - 60)
        base = rng.choice((30, 80, 150, 300, 700))
        for step in range(rng.randint(1, 4)):
            number = first + step * rng.choice((1, 5, 10))
            colours = rng.sample(COLOURS, rng.choice((1, 1, 1, 2, 3)))
            of_model = [fact.format(n=rng.randint(2, 9)) for fact in rng.sample(facts, 3)]
            for colour, suffix in colours:
                code = f"{letters}{number}{suffix if len(colours) > 1 or rng.random() < 0.4 else ''}"
                if code in codes:
                    continue
                codes.add(code)
                made.append(
                    {
                        "brand": brand,
                        "kind": kind,
                        "other": other,
                        "facts": of_model,
                        "colour": colour,
                        "code": code,
                        "letters": letters,
                        "price": round(base * rng.uniform(0.8, 1.3) + 10 * step, 2),
                    }
                )
    rng.shuffle(made)
    return made[:count]


def device_of_first(rng: random.Random, of: Row) -> Row:
    """Describes a device as the first shop does: title with the model number, and a long description."""
    facts = rng.sample(of["facts"], rng.choice((0, 1, 1, 2)))
    title = " ".join([of["brand"], *facts, of["kind"]]) + f" - {of['code']}"
    about = [of["brand"], *of["facts"], of["kind"], "-", of["code"], "/", f"{of['colour']} Finish"]
    price = f"${of['price']:,.2f}" if rng.random() < 0.6 else ""
    return {"name": mistyped(rng, title, 0.01), "description": " ".join(about), "price": price}


def device_of_second(rng: random.Random, of: Row) -> Row:
    """Describes a device as the second shop does: other words, and often no model number."""
    code = of["code"]
    if rng.random() < 0.35:
        code = code.replace(of["letters"], of["letters"] + "-", 1)
    kind = of["kind"] if rng.random() < 0.5 else of["other"]
    facts = rng.sample(of["facts"], rng.choice((0, 0, 1, 2)))
    sale = [rng.choice(SALES)] if rng.random() < 0.3 else []
    colour = [of["colour"]] if rng.random() < 0.4 else []
    form = rng.random()
    if form < 0.45:
        words = [of["brand"], code, kind, *facts, *colour, *sale]
    elif form < 0.7:
        words = [of["brand"], *facts, kind, *colour, f"({code})", *sale]
    elif form < 0.8:
        words = [code, "-", of["brand"], *colour, kind, *sale]
    else:
        words = [of["brand"], *of["facts"], *(colour or [of["colour"]]), kind, *sale]
    about = " ".join([*rng.sample(of["facts"], 2), *sale, of["colour"]]) if rng.random() < 0.6 else ""
    price = f"${of['price'] * rng.uniform(0.85, 1.15):,.2f}" if rng.random() < 0.55 else ""
    maker = of["brand"] if rng.random() < 0.9 else ""
    return {"name": mistyped(rng, " ".join(words), 0.02), "description": about, "manufacturer": maker.upper(), "price": price}


def programs(rng: random.Random, count: int) -> list[Row]:
    """Returns different programs, several versions and editions of each."""
    made: list[Row] = []
    seen = set()
    while len(made) < count:
        maker, subject = rng.choice(MAKERS).lower(), rng.choice(SUBJECTS)
        line = rng.choice(("", "", "magic", "express", "power", "easy", "instant"))
        yearly = rng.random() < 0.4
        first = rng.randint(2003, 2006) if yearly else rng.randint(1, 9)
        price = rng.choice((19.99, 29.99, 49.95, 79.99, 199.0, 399.0))
        for step in range(rng.randint(1, 3)):
            for _ in range(rng.randint(1, 3)):
                version = str(first + step) + ("" if yearly or rng.random() < 0.5 else rng.choice((".0", ".5")))
                product = (maker, line, subject, version, rng.choice(EDITIONS), rng.choice(PLATFORMS))
                key = tuple(part.removesuffix(".0") for part in product)
                if key in seen:
                    continue
                seen.add(key)
                made.append({"product": product, "price": round(price * rng.uniform(0.8, 1.4), 2)})
    rng.shuffle(made)
    return made[:count]


def program_of_first(rng: random.Random, of: Row) -> Row:
    """Describes a program as the first shop does."""
    maker, line, subject, version, edition, platform = of["product"]
    title = " ".join(part for part in (maker, line, subject, edition, version, platform) if part)
    about = f"{title} {rng.choice(FILLERS)} {rng.choice(FILLERS)}" if rng.random() < 0.8 else ""
    price = f"{of['price']:.2f}" if rng.random() < 0.95 else "0.0"
    return {"title": mistyped(rng, title, 0.01), "description": about, "manufacturer": maker, "price": price}


def program_of_second(rng: random.Random, of: Row) -> Row:
    """Describes a program as the second shop does: abbreviations, and parts left out."""
    maker, line, subject, version, edition, platform = of["product"]
    version = version.removesuffix(".0") if rng.random() < 0.3 else version
    edition = SHORT.get(edition, edition) if rng.random() < 0.4 else edition
    platform = SHORT.get(platform, platform) if rng.random() < 0.4 else platform
    platform = "" if rng.random() < 0.3 else platform
    maker = maker if rng.random() < 0.75 else ""
    version = "" if rng.random() < 0.07 else version
    subject = subject.replace(" ", "") if rng.random() < 0.15 else subject
    parts = [maker, line, subject, version, edition, platform]
    if rng.random() < 0.3:
        parts = [maker, line, subject, edition, version, platform]
    parts += [rng.choice(FILLERS)] if rng.random() < 0.4 else []
    title = " ".join(part for part in parts if part)
    price = f"{of['price'] * rng.uniform(0.7, 1.1):.2f}" if rng.random() < 0.9 else "0.0"
    made = {"title": mistyped(rng, title, 0.02), "description": "", "manufacturer": "", "price": price}
    if rng.random() < 0.5:
        made["description"] = f"{line} {subject} helps you with {rng.choice(SUBJECTS)}".strip()
    if rng.random() < 0.1:
        made["manufacturer"] = of["product"][0]
    return made


def write(path: Path, rows: Sequence[Row]) -> None:
    """Writes JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def catalogues(rng: random.Random, kind: str, sizes: tuple[int, int, int]) -> tuple[list[Row], list[Row], list[Row]]:
    """Returns the products of both shops, and the pairs of the same product. `sizes`: common, only first, only second."""
    common, first, second = sizes
    make, of_first, of_second = (
        (devices, device_of_first, device_of_second) if kind == "devices" else (programs, program_of_first, program_of_second)
    )
    products = make(rng, common + first + second)
    ones = [(at, of_first(rng, products[at])) for at in range(common + first)]
    others = [(at, of_second(rng, products[at])) for at in (*range(common), *range(common + first, len(products)))]
    rng.shuffle(ones)
    rng.shuffle(others)
    rows = [{"id": f"a{at}", "fields": row} for at, row in ones], [{"id": f"b{at}", "fields": row} for at, row in others]
    return *rows, [{"a": f"a{at}", "b": f"b{at}"} for at in range(common)]


def main() -> None:
    """Writes both pairs of catalogues."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path, help="where the files are written")
    arguments.add_argument("--seed", type=int, default=1)
    asked = arguments.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for kind, sizes in (("devices", (900, 150, 150)), ("programs", (1100, 200, 1900))):
        first, second, pairs = catalogues(random.Random(f"{asked.seed} {kind}"), kind, sizes)
        write(asked.folder / f"{kind}_a.jsonl", first)
        write(asked.folder / f"{kind}_b.jsonl", second)
        write(asked.folder / f"{kind}.pairs.jsonl", pairs)


if __name__ == "__main__":
    main()
