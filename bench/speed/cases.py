"""`make bench-cases`: measures cases that the one large collection of `make bench` does not cover.

The cases are starting the program, a collection of a megabyte, languages, short texts, memory and disk space per document, and
sixteen gigabytes compared with one gigabyte. There are also worst-case collections, which have a time limit: a run that exceeds
the limit is stopped, and the report says so.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import measuring
from measuring import Cost, TooSlow, lookalike, measure
from run import dedup

Figures = dict[str, object]


@dataclass(frozen=True)
class Bench:
    """The settings that every case needs."""

    data: Path
    folder: Path
    # Whether all sizes are about a hundredth of the full ones, to check that every case still works.
    tiny: bool
    runs: int
    bound: float

    def of(self, full: int, tiny: int) -> int:
        """Returns the full size, or the tiny one if `tiny` is set."""
        return tiny if self.tiny else full

    def make(self, name: str, *command: str) -> Path:
        """Writes a collection to a file, with a program that prints it to standard output."""
        path = self.folder / name
        with path.open("wb") as file:
            subprocess.run(command, stdout=file, check=True)
        return path

    def run(self, inputs: list[str], *flags: str) -> tuple[Cost, Figures]:
        """Measures one run, within the time limit."""
        cost, output = measure([*dedup(inputs, self.folder), *flags], self.folder / "temp", self.bound)
        return cost, json.loads(output)

    def generated(self, *command: str) -> tuple[list[str], Callable[[], None]]:
        """Returns the arguments to read a generator's output, as a stream if this build can, and a function that cleans up."""
        if measuring.takes_commands():
            return ["--input-command", shlex.join(command)], lambda: None
        path = self.make("generated.jsonl", *command)
        return [str(path)], path.unlink


def medians(bench: Bench, command: list[str]) -> Cost:
    """Returns the medians of several runs, without the first one."""
    costs = [measure(command)[0] for _ in range(bench.runs + 1)][1:]
    return Cost(*(median(getattr(cost, figure) for cost in costs) for figure in vars(costs[0])))


def start(bench: Bench) -> Figures:
    """Measures the start of the program. Goal: 20 ms."""
    ten = bench.make("ten.jsonl", lookalike("make-shape"), "short", "--documents", "10")
    return {
        "version_ms": 1000 * medians(bench, [lookalike(), "--version"]).wall_s,
        "ten_lines_ms": 1000 * medians(bench, dedup([str(ten)], bench.folder)).wall_s,
    }


def megabyte(bench: Bench) -> Figures:
    """Measures a collection of a megabyte. Goal: 60 ms."""
    path = bench.make("one.jsonl", lookalike("make-web"), "--data", str(bench.data), "--documents", "160")
    cost = medians(bench, dedup([str(path)], bench.folder))
    return {"megabytes": path.stat().st_size / 1e6, "ms": 1000 * cost.wall_s, "peak_mb": cost.peak_mb}


def languages(bench: Bench) -> Figures:
    """Measures texts in several languages. Goal: Chinese and Japanese take at most twice the time of English per byte."""
    megabytes = str(bench.of(100, 5))
    figures: Figures = {}
    commands = {}
    for language, corpus in (("english", "newsgroups20"), ("chinese", "zh_tang"), ("japanese", "ja_aozora_dev")):
        path = bench.folder / f"{language}.jsonl"
        make = [lookalike("make-collection"), "--data", str(bench.data), "--megabytes", megabytes, "--only", corpus, str(path)]
        subprocess.run(make, check=True, stderr=subprocess.DEVNULL)
        commands[language] = dedup([str(path)], bench.folder)
    # The commands run in turn, so that a slow minute of the machine affects all of them.
    costs: dict[str, list[float]] = {language: [] for language in commands}
    for _ in range(bench.runs + 1):
        for language, command in commands.items():
            costs[language].append(measure(command)[0].cpu_s)
    for language, seconds in costs.items():
        figures[f"{language}_ns_a_byte"] = 1000 * median(seconds[1:]) / float(megabytes)
        figures[f"{language}_to_english"] = median(a / b for a, b in zip(seconds[1:], costs["english"][1:], strict=True))
    return figures


def short(bench: Bench) -> Figures:
    """Measures texts of 200 bytes. Goal: a million per second on two cores."""
    documents = bench.of(2_000_000, 20_000)
    path = bench.make("short.jsonl", lookalike("make-shape"), "short", "--words", "22", "--documents", str(documents))
    cost = medians(bench, dedup([str(path)], bench.folder))
    return {"documents": documents, "megabytes": path.stat().st_size / 1e6, "documents_a_second": documents / cost.wall_s, **cost.record()}


def memory(bench: Bench) -> Figures:
    """Measures bytes per document in memory and on disk, from two sizes, so that buffers of fixed size cancel out."""
    documents = bench.of(2_000_000, 20_000)
    flags = ["--memory", "256M"] if measuring.keeps_memory() else []
    costs = []
    for count in (documents // 2, documents):
        path = bench.make("small.jsonl", lookalike("make-shape"), "short", "--words", "22", "--documents", str(count))
        costs.append(bench.run([str(path)], *flags)[0])
    half, whole = costs
    per = lambda figure: 1e6 * (getattr(whole, figure) - getattr(half, figure)) / (documents - documents // 2)  # noqa: E731
    return {"flags": flags, "memory_bytes": per("peak_mb"), "disk_bytes": per("temp_mb"), "peak_mb": whole.peak_mb}


def growth(bench: Bench) -> Figures:
    """Measures the time per gigabyte for a collection of 16 GB, relative to that for 1 GB. Goal: 1.15."""
    seconds, figures = [], {}
    for documents in (bench.of(195_000, 2_000), bench.of(16 * 195_000, 16 * 2_000)):
        generator = [lookalike("make-web"), "--data", str(bench.data), "--documents", str(documents)]
        inputs, afterwards = bench.generated(*generator)
        cost, summary = bench.run(inputs, *(["--memory", "1G"] if measuring.keeps_memory() else []))
        afterwards()
        seconds.append(cost.wall_s / summary["bytes"] * 1e9)
        figures[f"{summary['bytes'] / 1e9:.1f}_gb"] = {**cost.record(), "s_a_gb": seconds[-1]}
    return {**figures, "ratio": seconds[1] / seconds[0]}


def shape(
    name: str, full: int, tiny: int, *flags: str, tiny_flags: tuple[str, ...] = (), asked: tuple[str, ...] = ()
) -> Callable[[Bench], Figures]:
    """Returns a case with a worst-case collection and additional flags of the command."""

    def case(bench: Bench) -> Figures:
        documents = str(bench.of(full, tiny))
        chosen = (tiny_flags or flags) if bench.tiny else flags
        inputs, afterwards = bench.generated(lookalike("make-shape"), name, "--documents", documents, *chosen)
        try:
            cost, summary = bench.run(inputs, *asked)
        except TooSlow as over:
            return {"documents": int(documents), "stopped": str(over)}
        finally:
            afterwards()
        fields = ("documents", "kept", "dropped", "bytes", "pairs_met", "above_memory")
        finding = summary.get("finding", summary)
        return {**{field: summary.get(field, finding.get(field)) for field in fields}, **cost.record()}

    case.__doc__ = f"{full:,} documents."
    return case


CASES: dict[str, Callable[[Bench], Figures]] = {
    "start": start,
    "megabyte": megabyte,
    "languages": languages,
    "short texts": short,
    "bytes a document": memory,
    "growth": growth,
    "identical": shape("identical", 1_000_000, 10_000),
    # This also runs a tenth of the size, which shows how the time grows.
    "template, a tenth": shape("template", 100_000, 1_000),
    "template": shape("template", 1_000_000, 2_000),
    "template, 1 GB": shape("template", 1_000_000, 2_000, asked=("--memory", "1G")),
    "template, components": shape("template", 100_000, 2_000, asked=("--cluster", "components")),
    "huge": shape("huge", 100_000, 1_000, tiny_flags=("--megabytes", "10")),
    "ten words": shape("short", 10_000_000, 50_000),
    "header": shape("header", 300_000, 500),
    "collisions, a tenth": shape("collisions", 100_000, 1_000),
    "collisions": shape("collisions", 1_000_000, 2_000),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder with the corpora")
    parser.add_argument("--only", action="append", choices=CASES, help="run only this case; can be repeated")
    parser.add_argument("--tiny", action="store_true", help="run every case once, at about a hundredth of its size")
    parser.add_argument("--bound", type=float, default=900, help="seconds for one run")
    parser.add_argument("--temp", type=Path, help="folder for temporary files [default: the system's]")
    parser.add_argument("--out", type=Path, help="also write the figures to this JSON file; cases that are not run do not change")
    args = parser.parse_args()
    record = json.loads(args.out.read_text()) if args.out and args.out.exists() else {}
    for name in args.only or CASES:
        with tempfile.TemporaryDirectory(dir=args.temp) as folder:
            figures = CASES[name](Bench(args.data, Path(folder), args.tiny, 1 if args.tiny else 5, args.bound))
        words = ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in figures.items())
        print(f"{name}: {words}", flush=True)
        record[name] = {**measuring.machine(), **figures}
        if args.out:
            args.out.write_text(json.dumps(record, indent=1) + "\n")
    if args.tiny and any("stopped" in figures for figures in record.values()):
        sys.exit("a tiny case exceeded its time limit")


if __name__ == "__main__":
    main()
