"""Compares the page pairs that `mirrors` finds with the true ones, in the releases of one project's documentation.

Each release is a site. A page of one release corresponds to the page of the same name in another release. If a module was
renamed, its pages correspond to the pages of the same commands. The names would give the pairs away, so they are hidden: pages
get numbers, and only their texts show which pages correspond. The one-to-one pairs are compared with three other answers: the
page that is most similar to each page, which is the result of a similarity search; all pairs that match; and the most similar
page according to datasketch, if it is installed.
"""

import argparse
import json
import re
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import recorded

Pair = tuple[int, int]


def run(command: list[str]) -> float:
    """Run a command; return the seconds it took."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def best(matches: Iterable[tuple[int, int, float]], releases: list[str]) -> set[Pair]:
    """Returns, for each page, the most similar page in each other release; of equally similar pages, the first."""
    found: dict[tuple[int, str], tuple[float, int]] = {}
    for a, b, resemblance in matches:
        for page, other in ((a, b), (b, a)):
            key, value = (page, releases[other]), (-resemblance, other)
            found[key] = min(found.get(key, value), value)
    return {(min(page, other), max(page, other)) for (page, _), (_, other) in found.items()}


def datasketch_matches(texts: list[str], releases: list[str], threshold: float) -> list[tuple[int, int, float]]:
    """Returns the page pairs of two releases that datasketch's MinHashLSH finds if used as documented, and their estimates."""
    from datasketch import MinHash, MinHashLSH

    lsh, sketches = MinHashLSH(threshold=threshold, num_perm=128), []
    for number, text in enumerate(texts):
        words = re.findall(r"\w+", text.lower())
        shingles = {" ".join(words[at : at + 5]).encode() for at in range(max(1, len(words) - 4))}
        sketch = MinHash(num_perm=128)
        sketch.update_batch(shingles)
        sketches.append(sketch)
        lsh.insert(number, sketch)
    matches = []
    for number, sketch in enumerate(sketches):
        for other in lsh.query(sketch):
            if other > number and releases[other] != releases[number]:
                estimate = sketch.jaccard(sketches[other])
                if estimate >= threshold:
                    matches.append((number, other, estimate))
    return matches


def truth(pages: list[str], releases: list[str]) -> tuple[set[Pair], set[Pair]]:
    """Returns the pairs of the same page in two releases, and those of them that moved because their module was renamed."""
    same, commands, times = defaultdict(list), defaultdict(list), Counter()
    for number, (page, release) in enumerate(zip(pages, releases, strict=True)):
        command = page.rsplit("/", 1)[-1].lower()
        same[page].append(number)
        commands[command].append(number)
        times[command, release] += 1

    def pairs(groups: Iterable[list[int]]) -> set[Pair]:
        return {(a, b) for group in groups for a in group for b in group if a < b and releases[a] != releases[b]}

    # If two modules of a release have a command of the same name, the name does not show which of the two commands a page is
    # about.
    known = pairs(group for command, group in commands.items() if all(times[command, releases[at]] == 1 for at in group))
    stayed = pairs(same.values())
    return stayed | known, known - stayed


def figures(found: set[Pair], gold: set[Pair], moved: set[Pair], seconds: float) -> dict[str, float]:
    """Returns precision, recall and F1 of pairs, and recall of the pages that moved."""
    right = len(found & gold)
    precision, recall = right / max(1, len(found)), right / len(gold)
    f1 = 2 * precision * recall / max(1e-12, precision + recall)
    shares = {"precision": precision, "recall": recall, "f1": f1, "moved": len(found & moved) / len(moved)}
    return {"pairs": len(found), "right": right, **shares, "seconds": seconds}


def main() -> None:
    """Judges each method at each threshold, prints the results and records them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with winps_docs.jsonl.zst")
    parser.add_argument("--lookalike", default="lookalike", help="the program")
    parser.add_argument("--thresholds", type=float, nargs="+", default=[0.5, 0.65, 0.8])
    parser.add_argument(
        "--rival-at", type=float, nargs="*", default=[0.5, 0.8], help="thresholds at which datasketch also runs"
    )
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    lines = subprocess.run(["zstd", "-dc", arguments.data / "winps_docs.jsonl.zst"], capture_output=True, check=True).stdout
    records = [json.loads(line) for line in lines.splitlines()]
    releases = [record["release"] for record in records]
    gold, moved = truth([record["page"] for record in records], releases)

    results = []
    with tempfile.TemporaryDirectory() as folder:
        hidden, named, pairs = (str(Path(folder, name)) for name in ("hidden.jsonl", "named.jsonl", "pairs.jsonl"))
        for path, name in ((hidden, lambda number: number), (named, lambda number: records[number]["id"])):
            with open(path, "w", encoding="utf-8") as file:
                for number, record in enumerate(records):
                    line = {"id": name(number), "release": record["release"], "text": record["text"]}
                    print(json.dumps(line, ensure_ascii=False), file=file)
        numbers = {record["id"]: number for number, record in enumerate(records)}

        def mirrors(path: str, threshold: float, *more: str) -> tuple[list[tuple[int, int, float]], float]:
            command = [arguments.lookalike, "mirrors", path, "--by", "field:release", "--share", "0", "--quiet"]
            seconds = run([*command, "--threshold", str(threshold), "--pages", pairs, *more])
            with open(pairs, encoding="utf-8") as file:
                read = [json.loads(line) for line in file]
            number = [[numbers.get(row[side], row[side]) for side in "ab"] for row in read]
            return [(min(two), max(two), row["resemblance"]) for two, row in zip(number, read, strict=True)], seconds

        for threshold in arguments.thresholds:
            one_to_one, seconds = mirrors(hidden, threshold)
            everything, seconds_all = mirrors(hidden, threshold, "--all-pairs")
            by_name, seconds_named = mirrors(named, threshold)
            ways = {
                "one to one, names hidden": ({(a, b) for a, b, _ in one_to_one}, seconds),
                "most similar, names hidden": (best(everything, releases), seconds_all),
                "all that match, names hidden": ({(a, b) for a, b, _ in everything}, seconds_all),
                "one to one, same path first": ({(a, b) for a, b, _ in by_name}, seconds_named),
            }
            if threshold in arguments.rival_at:
                try:
                    start = time.perf_counter()
                    matches = datasketch_matches([record["text"] for record in records], releases, threshold)
                    ways["most similar by datasketch"] = (best(matches, releases), time.perf_counter() - start)
                except ImportError:
                    print("datasketch is not installed; its figures are left out")
            for way, (found, seconds) in ways.items():
                results.append({"threshold": threshold, "way": way, **figures(found, gold, moved, seconds)})

    print(f"{len(records)} pages of {len(set(releases))} releases, {len(gold)} pairs of one page, {len(moved)} of them moved")
    print("| threshold | pairs | of one page | found | of those that moved | F1 | seconds |\n|---|---|---|---|---|---|---|")
    for row in results:
        shares = f"{100 * row['precision']:.1f} % | {100 * row['recall']:.1f} % | {100 * row['moved']:.1f} % | {row['f1']:.3f}"
        print(f"| {row['threshold']} {row['way']} | {row['pairs']} | {shares} | {row['seconds']:.1f} |")
    if arguments.out:
        recorded.write(arguments.out, {"pages": len(records), "gold": len(gold), "moved": len(moved), "results": results})


if __name__ == "__main__":
    main()
