"""`make bench-link`: links records of the same person, restaurant or paper with lookalike and other tools.

The tools run in turn as whole processes, from JSON Lines to scored pairs, and judging.py judges all of them with the same code.
lookalike runs with our configuration, whose points were tuned, and with the one that it suggests, without any change.
One set has a million people, and two have the products of two shops (make_products.py), on which only lookalike runs. If a tool
fails or is stopped at the time limit, the table says so; a slow tool runs only once. The rivals are programs in bench/rivals and
have the settings of their own manuals if these have a recipe for the set ("documented" in the table), and ours otherwise.
"""

import argparse
import hashlib
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from judging import Pair, Scored, bands, judge, lines, ordered, pairs_of_clusters, scored

HERE = Path(__file__).resolve().parent
RIVALS = HERE.parent / "rivals"
sys.path.append(str(HERE.parent / "speed"))
import measuring  # noqa: E402

# The limit of a rival's address space: on febrl3 with 10,000 pairs to learn from, dedupe used all the memory of the machine.
LARGEST = 8 << 30
HEADER = (
    "set",
    "tool",
    "precision",
    "recall",
    "F1",
    "F1 in hindsight",
    "pairs scored",
    "of all",
    "wall s",
    "CPU s",
    "peak MB",
    "runs",
)


@dataclass(frozen=True)
class Contest:
    """A set, its files, and the tools that run on it with their recipes."""

    name: str
    inputs: tuple[str, ...]
    rivals: tuple[tuple[str, str], ...]
    # The recipes that come from a manual.
    documented: tuple[str, ...] = ()
    # Whether the truth is a file of pairs instead of the records' clusters.
    is_pairs: bool = False
    # A factor for the time limit: a million records take longer than the other sets, for every tool that can process them.
    patience: int = 1


PEOPLE = (("recordlinkage", "febrl"), ("recordlinkage", "febrl-wide"), ("splink", "febrl"), ("dedupe", "febrl"))
CONTESTS = (
    Contest("febrl1", ("febrl1",), PEOPLE, ("recordlinkage febrl", "splink febrl")),
    Contest("febrl3", ("febrl3",), PEOPLE, ("recordlinkage febrl", "splink febrl")),
    Contest(
        "restaurant_dedupe",
        ("restaurant_dedupe",),
        (("recordlinkage", "restaurant"), ("splink", "restaurant"), ("dedupe", "restaurant")),
        ("dedupe restaurant",),
    ),
    Contest(
        "dblp_acm", ("dblp", "acm"), (("recordlinkage", "dblp_acm"), ("splink", "dblp_acm"), ("dedupe", "dblp_acm")), (), True
    ),
    Contest("cora", ("cora",), (("recordlinkage", "cora"), ("splink", "cora"), ("dedupe", "cora")), (), True),
    Contest("devices", ("devices_a", "devices_b"), (), (), True),
    Contest("programs", ("programs_a", "programs_b"), (), (), True),
    Contest("people", ("people",), (("splink", "people"),), patience=3),
)
# Two pairs of catalogues, which make_products.py makes.
PRODUCTS = ("devices", "programs")


@dataclass
class Tool:
    """A tool, the cost of its runs, and the verdict on its last answer."""

    contest: Contest
    name: str
    recipe: str
    command: list[str]
    out: Path
    is_documented: bool
    version: str | None = None
    problem: str | None = None
    runs: list[measuring.Cost] = field(default_factory=list)
    summary: dict = field(default_factory=dict)
    verdict: dict = field(default_factory=dict)

    def median(self) -> dict[str, float]:
        """Returns the median of each measure separately; CPU time includes that of started processes."""
        return {
            "wall_s": round(median(run.wall_s for run in self.runs), 3),
            "cpu_s": round(median(run.cpu_s + run.generator_cpu_s for run in self.runs), 3),
            "peak_mb": round(median(run.peak_mb for run in self.runs), 1),
        }

    def record(self, possible: int) -> dict[str, object]:
        """Returns the measurements that are written to the record."""
        candidates = self.summary.get("candidates")
        return {
            "tool": self.name,
            "version": self.version,
            "recipe": self.recipe,
            "documented": self.is_documented,
            "problem": self.problem,
            "median": self.median() if self.runs else None,
            "runs": [run.record() for run in self.runs],
            "candidates": candidates,
            "share_scored": candidates / possible if candidates is not None else None,
            **({"labelled": self.summary["labelled"]} if "labelled" in self.summary else {}),
            **self.verdict,
        }

    def row(self, possible: int) -> tuple[str, ...]:
        """Returns a row of the table."""
        name = f"{self.name} {self.version or ''}".strip() + (f" ({self.recipe})" if self.recipe else "")
        name += " *" if self.is_documented else ""
        if not self.verdict:
            return (self.contest.name, name, self.problem or "not run", *("" for _ in HEADER[3:]))
        cost, verdict, candidates = self.median(), self.verdict, self.summary["candidates"]
        return (
            self.contest.name,
            name,
            *(f"{verdict[of]:.4f}" for of in ("precision", "recall", "f1")),
            f"{verdict['hindsight']['f1']:.4f}",
            f"{candidates:,}",
            f"{100 * candidates / possible:.4f} %",
            f"{cost['wall_s']:.2f}",
            f"{cost['cpu_s']:.2f}",
            f"{cost['peak_mb']:.0f}",
            str(len(self.runs)),
        )


@dataclass(frozen=True)
class Place:
    """The folder of the original sets (`data`), and the folder to which their records and true pairs are written."""

    data: Path
    folder: Path

    def records(self, name: str) -> Path:
        """Returns the path of a collection."""
        return self.folder / f"{name}.jsonl"

    def plain(self, name: str) -> Path:
        """Returns the path of a collection whose records have only an id and the fields to compare."""
        return self.folder / f"{name}.plain.jsonl"

    def lay_plain(self, name: str) -> None:
        """Writes the records of a collection without anything that has the answer."""
        with self.records(name).open() as source, self.plain(name).open("w") as out:
            for line in source:
                record = json.loads(line)
                out.write(json.dumps({"id": record["id"], **record["fields"]}) + "\n")

    def truth(self, contest: Contest) -> Path:
        """Returns the path of the true pairs of a set."""
        return self.folder / f"{contest.name}.truth.jsonl"

    def lay_out(self, contests: Sequence[Contest], people: int) -> None:
        """Writes the records and true pairs of the sets to uncompressed files, as a user would have them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for contest in contests:
            if contest.name == "people":
                self.make_people(people)
                self.lay_plain("people")
                continue
            if contest.name in PRODUCTS:
                subprocess.run([sys.executable, HERE / "make_products.py", self.folder], check=True)
                self.truth(contest).write_bytes((self.folder / f"{contest.name}.pairs.jsonl").read_bytes())
                for name in contest.inputs:
                    self.lay_plain(name)
                continue
            unpacked = self.unpacked(contest.name)
            if len(contest.inputs) == 1:
                self.records(contest.name).write_bytes(b"".join(unpacked))
            else:
                for name in contest.inputs:
                    of = [line for line in unpacked if json.loads(line)["source"] == name]
                    self.records(name).write_bytes(b"".join(of))
            for name in contest.inputs:
                self.lay_plain(name)
            if contest.is_pairs:
                self.truth(contest).write_bytes(b"".join(self.unpacked(f"{contest.name}.matches")))
            else:
                pairs = sorted(self.true_pairs(contest))
                self.truth(contest).write_text("".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in pairs))

    def make_people(self, count: int) -> None:
        """Makes the people, unless the same program has already made a file with as many people."""
        program, note = HERE / "make_people.py", self.folder / "people.made-by"
        maker = f"{count} {hashlib.sha256(program.read_bytes()).hexdigest()}"
        if not self.records("people").exists() or not note.exists() or note.read_text() != maker:
            subprocess.run([sys.executable, program, self.data, self.records("people"), "--count", str(count)], check=True)
            note.write_text(maker)

    def unpacked(self, name: str) -> list[bytes]:
        """Returns the lines of a set."""
        command = ["zstd", "-dc", self.data / "er" / f"{name}.jsonl.zst"]
        return subprocess.run(command, capture_output=True, check=True).stdout.splitlines(keepends=True)

    def true_pairs(self, contest: Contest) -> set[Pair]:
        """Returns the true pairs of a set: the given pairs, or all pairs of records in the same cluster."""
        if contest.is_pairs:
            return {ordered(line["a"], line["b"]) for line in lines(self.truth(contest))}
        return pairs_of_clusters((record["id"], record["cluster"]) for record in lines(self.records(contest.name)))

    def possible(self, contest: Contest) -> tuple[int, int]:
        """Returns the number of records, and of possible pairs: if there are two collections, only pairs between them."""
        sizes = []
        for name in contest.inputs:
            with self.records(name).open("rb") as file:
                sizes.append(sum(1 for _ in file))
        return sum(sizes), sizes[0] * sizes[1] if len(sizes) == 2 else sizes[0] * (sizes[0] - 1) // 2


def tools(place: Place, contest: Contest, options: argparse.Namespace) -> list[Tool]:
    """Returns the tools for a set: lookalike with the set's configuration, and the rivals that are installed."""
    inputs = [str(place.records(name)) for name in contest.inputs]
    out = place.folder / f"{contest.name}.lookalike.pairs.jsonl"
    command = [options.lookalike, "link", *inputs, "--config", str(HERE / f"{contest.name}.toml"), "-o", str(out), "--json"]
    output = subprocess.run([options.lookalike, "--version"], capture_output=True, text=True, check=True).stdout
    version = output.split()[-1]
    found = [Tool(contest, "lookalike", "", command, out, False, version)]
    # The suggestion is part of the run.
    plain, out = [str(place.plain(name)) for name in contest.inputs], place.folder / f"{contest.name}.suggested.pairs.jsonl"
    config = str(place.folder / f"{contest.name}.suggested.toml")
    suggest = shlex.join([options.lookalike, "link", *plain, "--suggest", "-o", config, "--quiet"])
    link = shlex.join([options.lookalike, "link", *plain, "--config", config, "-o", str(out), "--json"])
    found.append(Tool(contest, "lookalike", "suggested", ["sh", "-ec", f"{suggest}; exec {link}"], out, True, version))
    for name, recipe in contest.rivals if options.rivals else ():
        out = place.folder / f"{contest.name}.{name}.{recipe}.pairs.jsonl"
        # No result may depend on Python's random hash seed.
        command = ["prlimit", f"--as={LARGEST}", "env", "PYTHONHASHSEED=0", str(options.rivals), "-W", "ignore"]
        command += [str(RIVALS / f"{name}_link.py"), recipe, *inputs, "--out", str(out)]
        command += ["--truth", str(place.truth(contest))] if name == "dedupe" else []
        command += ["--floor", "0.01"] if contest.name == "people" else []
        tool = Tool(contest, name, recipe, command, out, f"{name} {recipe}" in contest.documented)
        asked = [options.rivals, "-c", f"import importlib.metadata as m; print(m.version('{name}'))"]
        answer = subprocess.run(asked, capture_output=True, text=True, check=False)
        tool.version = answer.stdout.strip() or None
        tool.problem = None if tool.version else "not installed"
        found.append(tool)
    return found


def run_in_turn(contestants: Sequence[Tool], options: argparse.Namespace) -> None:
    """Runs every tool once, and then repeats the tools that did not fail and were not slow."""
    for turn in range(options.runs):
        for tool in contestants:
            if tool.problem or any(run.wall_s > options.once_over for run in tool.runs):
                continue
            print(f"{tool.contest.name}, run {turn + 1} of {options.runs}: {tool.name} {tool.recipe}", file=sys.stderr)
            tool.out.unlink(missing_ok=True)
            try:
                cost, answer = measuring.measure(
                    tool.command, bound=options.bound * tool.contest.patience, summary_on_stderr=tool.name == "lookalike"
                )
                tool.summary = json.loads(answer)
                tool.runs.append(cost)
            except measuring.TooSlow as problem:
                tool.problem = str(problem)
            except measuring.Failed as problem:
                tool.problem = f"failed: {str(problem).strip().splitlines()[-1]}"


def main() -> None:
    """Writes the sets, runs and judges all tools, prints the table and records it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder with er/febrl1.jsonl.zst and the others")
    parser.add_argument("--lookalike", default=measuring.lookalike(), help="the program")
    parser.add_argument("--rivals", type=Path, help="the Python with the rivals installed; without it, only lookalike runs")
    parser.add_argument("--only", nargs="+", choices=[contest.name for contest in CONTESTS], help="only these sets")
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--once-over", type=float, default=10, help="run a tool only once if it takes more seconds than this")
    parser.add_argument("--bound", type=float, default=70, help="seconds for one run")
    parser.add_argument("--folder", type=Path, default=measuring.ROOT / "bench/data/link", help="where files are laid out")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()

    contests = [contest for contest in CONTESTS if not options.only or contest.name in options.only]
    place = Place(options.data, options.folder)
    place.lay_out(contests, options.people)
    contestants = {contest: tools(place, contest, options) for contest in contests}
    # All tools run before any is judged, because judging makes this process larger, and Linux counts a parent's size into its
    # child's peak.
    for contest in contests:
        for name in contest.inputs:
            measuring.warm(place.records(name))
        run_in_turn(contestants[contest], options)

    record, rows = {**measuring.machine(), "bound_s": options.bound, "sets": {}}, [HEADER, tuple("---" for _ in HEADER)]
    for contest in contests:
        truth = place.true_pairs(contest)
        records, possible = place.possible(contest)
        answer: list[Scored] = []
        for tool in contestants[contest]:
            if tool.runs and not tool.problem:
                pairs = scored(tool.out)
                tool.verdict = judge(pairs, truth)
                answer = pairs if tool.name == "lookalike" and not tool.recipe else answer
            rows.append(tool.row(possible))
        figures = {"records": records, "possible_pairs": possible, "true_pairs": len(truth)}
        if contest.name == "people":
            opened = {line["id"]: line["opened"] for line in lines(place.records("people"))}
            figures["sha256"] = hashlib.sha256(place.records("people").read_bytes()).hexdigest()
            figures["estimate"] = bands(answer, truth, opened)
        record["sets"][contest.name] = {**figures, "tools": [tool.record(possible) for tool in contestants[contest]]}

    print("\n".join(f"| {' | '.join(row)} |" for row in rows))
    print("* with its manual's recipe for this set, or with what lookalike suggests. dedupe sees some true pairs.")
    print("F1 in hindsight is that of the best threshold.")
    for band in record["sets"].get("people", {}).get("estimate", ()):
        print(
            f"people, scores {band['lowest']:g} to {band['highest']:g}: {band['pairs']:,} pairs, {band['days']:.1f} days apart, "
            f"so {100 * band['estimated']:.1f} % are estimated to be true; {100 * band['true']:.1f} % are"
        )
    if options.out:
        options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if any(tool.name == "lookalike" and tool.problem for found in contestants.values() for tool in found):
        sys.exit("lookalike failed on a set")


if __name__ == "__main__":
    main()
