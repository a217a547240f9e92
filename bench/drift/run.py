"""Compares this build with the committed figures of an earlier one, in figures that do not depend on the machine's load.

`make drift` builds the programs and runs this. It counts instructions of kernels and of small jobs with valgrind, the bytes of
the command, its packages and compile units, the tokens of the code, and the tests of the first ring. A figure that differs from
drift.json by more than its limit is an error, also if it is better: `run.py --write` records the new figures, and the commit says
why they changed.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import tokens

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = Path(__file__).with_name("drift.json")
RELEASE = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release"
# The packages of the first ring, as in the Makefile, so that cargo finds them built.
WORKSPACE = ("--workspace", "--exclude", "lookalike-bench", "--locked")

# How far a figure may change, in percent, by the first word of its name.
LIMITS = {
    "binary": 1.0,
    "functions": 5.0,
    "job": 2.0,
    "kernel": 2.0,
    "packages": 0.0,
    "programs": 0.0,
    "tests": 1.0,
    "tokens": 0.5,
    "units": 0.0,
}
# When figures are written, each count is measured twice, and the two may differ by this, in percent. Kernels do not differ. Jobs
# do, because waiting threads look for work for a moment before they sleep: `index-add` by 0.2 %, and the others by 0.03 %.
REPEATABLE = 0.5

# The kernels of bench/speed/src/bin/drift.rs, and the two numbers of rounds whose counts are subtracted.
KERNELS = (
    "digest",
    "folded-form",
    "minhash",
    "overlap",
    "rabin",
    "set-english",
    "shared-runs",
    "simhash",
    "sketch-chinese",
    "sketch-english",
)
ROUNDS = (1, 3)

# The memory limit is fixed because the default depends on the free memory, and buffers depend on the limit.
EVERY_JOB = ("--threads", "1", "--memory", "256M", "--quiet")
RECORDS = 3000
LINK = """
match = 0.85
possible = 0.6

[[field]]
name = "name"
type = "name"

[[field]]
name = "street"
type = "address"

[[field]]
name = "phone"
type = "phone"
"""
GIVEN = (
    "Ada",
    "Boris",
    "Chloe",
    "Dmitri",
    "Elena",
    "Farid",
    "Grace",
    "Hugo",
    "Ines",
    "Jonas",
    "Keiko",
    "Lucia",
    "Mary-Ann",
    "Nils",
)
STEMS = ("Ash", "Black", "Cart", "Dun", "Ever", "Fair", "Green", "Hart", "King", "Lang", "Mill", "North", "Oak", "Wood")
ENDS = ("berg", "by", "ford", "ley", "man", "son", "ton", "well")
STREETS = ("Street", "St.", "Lane", "Ln", "Avenue", "Ave")

Figures = dict[str, int | float]


@dataclass(frozen=True)
class Programs:
    """The two programs that are measured."""

    lookalike: Path
    drift: Path


def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    """Runs a command in the root of the repository. Ends this program if the command fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"`{' '.join(command)}` failed:\n{done.stderr}")
    return done


def fixed_environment(folder: Path) -> dict[str, str]:
    """Returns an environment without anything that differs between users."""
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C", "TMPDIR": str(folder)}


def instructions(folder: Path, *command: object) -> int:
    """Runs a program under valgrind and returns the number of instructions of all its threads."""
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = run([*callgrind, *map(str, command)], env=fixed_environment(folder))
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def kernel(name: str, programs: Programs) -> int:
    """Returns the instructions of a kernel for one round over its texts."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = (instructions(Path(folder), programs.drift, name, rounds) for rounds in ROUNDS)
    return round((many - few) / (ROUNDS[1] - ROUNDS[0]))


def make_people(path: Path) -> None:
    """Writes records of persons. Every third is the one before it with one character less in the name and another street type.

    Uses only `random()`, whose numbers are the same in all versions of Python.
    """
    numbers = random.Random(1)

    def draw(values: tuple[str, ...]) -> str:
        return values[int(numbers.random() * len(values))]

    lines, name, house = ["id,name,street,phone"], "", ""
    for record in range(RECORDS):
        if record % 3 == 2:
            cut = int(numbers.random() * len(name))
            name = name[:cut] + name[cut + 1 :]
        else:
            name = f"{draw(GIVEN)} {draw(STEMS)}{draw(ENDS)}"
            house = f"{int(numbers.random() * 300)} {draw(STEMS)}{draw(ENDS)}"
            phone = f"(213) 555-{int(numbers.random() * 10000):04}"
        lines.append(f"{record},{name},{house} {draw(STREETS)},{phone}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def prepare_link(folder: Path, _: Path) -> None:
    """Writes the inputs of the job `link`."""
    make_people(folder / "people.csv")
    (folder / "link.toml").write_text(LINK, encoding="utf-8")


def prepare_index(folder: Path, lookalike: Path) -> None:
    """Creates an empty index."""
    run([str(lookalike), "index", "create", str(folder / "index"), "--quiet"], env=fixed_environment(folder))


@dataclass(frozen=True)
class Job:
    """A run of the command. In the arguments, `{}` is a temporary folder."""

    arguments: str
    prepare: Callable[[Path, Path], None] = lambda _folder, _lookalike: None


JOBS = {
    "cut": Job("cut testdata/ota_versions.jsonl.zst -o {}/rest.jsonl"),
    "dedup": Job("dedup testdata/licenses.jsonl.zst -o {}/kept.jsonl"),
    "index-add": Job("index add {}/index testdata/zh_tang.jsonl.zst", prepare_index),
    "link": Job("link {}/people.csv --config {}/link.toml -o {}/pairs.jsonl", prepare_link),
    "pairs": Job("pairs testdata/zh_tang.jsonl.zst -o {}/pairs.jsonl"),
}


def job(name: str, programs: Programs) -> int:
    """Returns the instructions of a job, from its start to its end."""
    with tempfile.TemporaryDirectory() as folder:
        JOBS[name].prepare(Path(folder), programs.lookalike)
        arguments = JOBS[name].arguments.replace("{}", folder).split()
        return instructions(Path(folder), programs.lookalike, *arguments, *EVERY_JOB)


def counts(programs: Programs) -> Figures:
    """Counts the instructions of all kernels and jobs, on all cores: a count does not depend on what else runs."""
    tasks = {f"job {name}": partial(job, name, programs) for name in JOBS}
    tasks |= {f"kernel {name}": partial(kernel, name, programs) for name in KERNELS}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {name: pool.submit(task) for name, task in tasks.items()}
        return {name: task.result() for name, task in running.items()}


def repeated_counts(programs: Programs) -> Figures:
    """Counts twice. Ends this program if a count is not repeatable."""
    first, second = counts(programs), counts(programs)
    print(f"{'count':28} {'first':>15} {'second':>15} {'difference':>10}")
    for name, count in first.items():
        difference = abs(change(count, second[name]))
        print(f"{name:28} {count:>15,} {second[name]:>15,} {difference:8.4f} %")
        if difference > REPEATABLE:
            sys.exit(f"{name} is not repeatable: {count:,} instructions, then {second[name]:,}")
    return second


def build_figures(lookalike: Path) -> Figures:
    """Measures what is built for the command: bytes, packages, and the steps that cargo counts while it builds."""
    first = ("-p", "lookalike-cli", "--locked")
    tree = run(["cargo", "tree", *first, "-e", "normal,build", "--prefix", "none"]).stdout
    # The graph is an unstable output of cargo, which the variable allows for a stable one. It builds nothing.
    graph = ["cargo", "build", "--release", *first, "--bin", "lookalike", "--unit-graph", "-Z", "unstable-options"]
    units = json.loads(run(graph, env={**os.environ, "RUSTC_BOOTSTRAP": "1"}).stdout)["units"]
    return {
        "binary bytes": lookalike.stat().st_size,
        "packages": len({tuple(line.split()[:2]) for line in tree.splitlines()}),
        "units of compilation": len(units),
    }


def code_figures() -> Figures:
    """Measures the product's Rust code."""
    size = tokens.count(ROOT)
    return {
        "tokens": size.tokens,
        f"functions over {tokens.LONG} tokens, %": round(100 * size.long_share(), 2),
    }


def listed_tests(*options: str) -> tuple[int, int]:
    """Returns the number of test programs, and of tests, documentation included, that cargo lists."""
    done = run(["cargo", "test", *WORKSPACE, "--color", "never", "--", "--list", *options])
    return len(re.findall(r"^ +Running ", done.stderr, re.M)), len(re.findall(r": test$", done.stdout, re.M))


def test_figures() -> Figures:
    """Counts the tests that `make test` runs. They are built already, in the profile of all tests."""
    (programs, tests), (_, ignored) = listed_tests(), listed_tests("--ignored")
    return {"programs of tests": programs, "tests of the first ring": tests - ignored}


def rustc() -> str:
    """Returns the version of the compiler."""
    return run(["rustc", "--version"]).stdout.split()[1]


def change(old: float, new: float) -> float:
    """Returns a change in percent."""
    return 100 * (new - old) / old


def beyond(committed: Figures, now: Figures) -> Iterator[str]:
    """Prints the table of old and new figures. Yields the names of those that are beyond their limits, or new, or missing."""
    print(f"{'figure':28} {'committed':>15} {'now':>15} {'change':>10} {'limit':>8}")
    for name in sorted(committed.keys() | now.keys()):
        old, new, limit = committed.get(name), now.get(name), LIMITS.get(name.split()[0], 0.0)
        percent = None if old is None or new is None else change(old, new)
        cells = ["-" if value is None else f"{value:,}" for value in (old, new)]
        shown = "-" if percent is None else f"{percent:+.2f} %"
        is_beyond = percent is None or abs(percent) > limit
        print(f"{name:28} {cells[0]:>15} {cells[1]:>15} {shown:>10} {limit:>6} %{' !' if is_beyond else ''}")
        if is_beyond:
            yield name


def main() -> None:
    """Measures, compares and, if asked to, records."""
    parser = argparse.ArgumentParser(description="compare this build with the committed figures")
    parser.add_argument("--lookalike", type=Path, default=RELEASE / "lookalike", help="the release build of the command")
    parser.add_argument("--drift", type=Path, default=RELEASE / "drift", help="the release build of the kernels' program")
    parser.add_argument("--write", action="store_true", help="record the figures of this build")
    arguments = parser.parse_args()
    programs = Programs(arguments.lookalike.resolve(), arguments.drift.resolve())
    measured = repeated_counts if arguments.write else counts
    now = {**build_figures(programs.lookalike), **code_figures(), **test_figures(), **measured(programs)}
    recorded = json.loads(COMMITTED.read_text(encoding="utf-8")) if COMMITTED.exists() else {}
    compilers = recorded.pop("rustc", None), rustc()
    names = list(beyond(recorded, now))
    if arguments.write:
        text = json.dumps({**now, "rustc": compilers[1]}, indent=0, sort_keys=True)
        COMMITTED.write_text(text + "\n", encoding="utf-8")
    elif names:
        sys.stdout.flush()
        other = "" if compilers[0] == compilers[1] else f" (rustc {compilers[1]}, the committed figures are of {compilers[0]})"
        sys.exit(
            f"beyond the limit{other}: {', '.join(names)}; if this is intended, run bench/drift/run.py --write, "
            "commit drift.json, and say why in the commit"
        )


if __name__ == "__main__":
    main()
