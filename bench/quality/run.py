"""Measures every method on real texts of several languages and lengths with `lookalike eval`, and records the results.

The truth of each set is a list of all pairs with an exact resemblance of 0.5 or more, which a different program found without
sketches. If a set is limited to texts of some length, its truth is limited to the same texts.
"""

import argparse
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import page
import recorded

THRESHOLD = "0.8"


@dataclass(frozen=True)
class Set:
    """Texts of one kind: a whole collection, its first texts, or only its texts of `least` to `most` words."""

    title: str
    name: str
    least: int = 0
    most: int = 10**9
    first: int = 10**9

    def is_whole(self) -> bool:
        """Whether the set is a whole collection."""
        return self == Set(self.title, self.name)


SETS = (
    Set("Chinese, quotations of some 20 characters", "zh_mingju"),
    Set("Chinese, poems of some 60 characters", "zh_tang", first=30_000),
    Set("English, posts of up to 100 words", "newsgroups20", most=100),
    Set("English, posts of more than 400 words", "newsgroups20", least=401),
    Set("English, licences of some 1,000 words", "licenses"),
    Set("English, manual pages of one template", "winps_docs"),
    Set("Many languages, versions of terms of service of some 15,000 words", "ota_us_versions"),
    Set("Japanese, stories of some 6,000 characters", "ja_aozora_dev"),
)

RUNS = (
    "--method minhash",
    "--method minhash --permutations many",
    "--method minhash --verify sketch",
    "--candidates shared",
    "--method simhash",
    "--method simhash --bits 128",
    "--method simhash --distance 3",
    "--method simhash --distance 3 --features tokens",
    "--method simhash --verify exact",
    "--method sentences",
    "--method sentences --verify sketch",
    "--method exact",
    "--method shingle",
)


def read(path: Path) -> list[dict]:
    """Returns the lines of a compressed JSON Lines file."""
    packed = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True)
    return [json.loads(line) for line in packed.stdout.splitlines()]


def cut(data: Path, kind: Set, folder: Path) -> tuple[Path, Path]:
    """Returns the collection and the truth of a set."""
    collection, truth = data / f"{kind.name}.jsonl.zst", data / f"{kind.name}.pairs.jsonl.zst"
    if kind.is_whole():
        return collection, truth
    records = [r for r in read(collection)[: kind.first] if kind.least <= len(r["text"].split()) <= kind.most]
    ids = {r["id"] for r in records}
    pairs = [p for p in read(truth) if p["a"] in ids and p["b"] in ids]
    paths = folder / "collection.jsonl", folder / "truth.jsonl"
    for path, lines in zip(paths, (records, pairs), strict=True):
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return paths


def judge(lookalike: Path, data: Path, kind: Set, repeat: int) -> dict:
    """Returns the output of `eval` for all runs on a set."""
    with tempfile.TemporaryDirectory() as folder:
        collection, truth = cut(data, kind, Path(folder))
        command = [lookalike, "eval", collection, "--truth", truth, "--threshold", THRESHOLD]
        command += ["--json", "--repeat", str(repeat)]
        for run in RUNS:
            command += ["--run", run]
        done = subprocess.run(command, capture_output=True, check=True, text=True)
    judged = json.loads(done.stdout)
    # The paths of this machine mean nothing to other readers.
    del judged["parameters"], judged["truth"]["from"]
    for run in judged["runs"]:
        del run["flags"]
    return {"title": kind.title, "set": kind.name, **judged}


def main() -> None:
    """Judges all sets, prints the tables and records the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with the collections")
    parser.add_argument("--lookalike", type=Path, default=Path("target/release/lookalike"))
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    results = []
    for kind in SETS:
        results.append(judge(arguments.lookalike.resolve(), arguments.data, kind, arguments.repeat))
        print(page.table(results[-1]), end="\n\n", flush=True)
    if arguments.out:
        recorded.write(arguments.out, {"sets": results})


if __name__ == "__main__":
    main()
