"""`make bench-cut`: checks `lookalike cut` with an independent oracle, compares it with other tools, and measures its cost.

The three parts are in `proving.py`, `rivals.py` and `costs.py`; `--only` runs one of them. The results of each part replace those
of its last run in the record.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "speed"))
import costs  # noqa: E402
import measuring  # noqa: E402
import proving  # noqa: E402
import rivals  # noqa: E402

PARTS = ("oracle", "rivals", "speed")


def built() -> Path:
    """Builds the oracle, which is a separate workspace, and returns its program."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parents[1] / "target")).absolute() / "bench-cut"
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", str(target)]
    subprocess.run([*command, "--manifest-path", str(HERE / "oracle/Cargo.toml")], check=True)
    return target / "release/lookalike-bench-cut"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints a Markdown table."""
    print("\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows)), flush=True)


def record(path: Path | None, part: str, results: object, settings: dict) -> None:
    """Writes the results of a part, and keeps those of the other parts."""
    if path:
        found = json.loads(path.read_text()) if path.exists() else {}
        found[part] = {**measuring.machine(), **settings, "results": results}
        path.write_text(json.dumps(found, indent=1) + "\n")


def prove(args: argparse.Namespace) -> bool:
    """Runs the oracle; returns whether it found no problem."""
    oracle, results = built(), []
    for name in args.sets:
        source = proving.unpacked(args.data, name, args.folder)
        for window in args.windows:
            results.append(proving.prove(oracle, source, window, args.folder))
            print(" | ".join(proving.row(results[-1])), *results[-1]["problems"], sep="\n  ", file=sys.stderr)
    table(proving.HEADER, map(proving.row, results))
    record(args.out, "oracle", results, {})
    return not any(result["problems"] for result in results)


def compare(args: argparse.Namespace) -> None:
    """Runs lookalike and the other tools on a part of a real set, which all of them finish, and on a larger collection."""
    oracle = built()
    results = {}
    news = rivals.part_of(proving.unpacked(args.data, "newsgroups20", args.folder), args.folder, args.megabytes)
    for source in (news, *args.large):
        runs = 1 if source in args.large else args.runs
        tools = rivals.compare(oracle, source, args.folder, args.exact, runs, args.bound, args.tools)
        print(f"\n{source.stem}: {source.stat().st_size / 1e6:.1f} MB\n")
        table(rivals.HEADER, (tool.row() for tool in tools))
        results[source.stem] = {"bytes": source.stat().st_size, "tools": [tool.record() for tool in tools]}
    record(args.out, "rivals", results, {"window": rivals.WINDOW, "bytes_of_others": rivals.BYTES, "bound_s": args.bound})


def measure(args: argparse.Namespace) -> None:
    """Measures lookalike on the large collection."""
    size = args.collection.stat().st_size

    def counts(answer: str) -> dict:
        summary = json.loads(answer)
        return {name: summary[name] for name in ("documents", "tokens", "tokens_cut", "cuts", "above_memory")}

    cases = costs.measure(args.collection, args.folder, args.runs, counts)
    table(costs.HEADER, (costs.row(case, size / 1e6) for case in cases))
    record(args.out, "speed", cases, {"bytes": size})


def main() -> None:
    """Runs the parts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, help="the folder of the real sets")
    parser.add_argument("--only", choices=PARTS, action="append", help="run only this part")
    parser.add_argument("--folder", type=Path, required=True, help="folder for unpacked sets and outputs")
    parser.add_argument("--sets", nargs="*", default=list(proving.SETS))
    parser.add_argument("--windows", nargs="*", type=int, default=list(proving.WINDOWS))
    parser.add_argument("--megabytes", type=int, default=5, help="size of the real set for the comparison with other tools")
    parser.add_argument("--large", nargs="*", type=Path, default=[], help="larger collections, with one run of each tool")
    parser.add_argument("--tools", nargs="*", help="compare only these tools")
    parser.add_argument("--exact", type=Path, help="a built clone of deduplicate-text-datasets")
    parser.add_argument("--collection", type=Path, help="the collection for measuring")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--bound", type=float, default=300, help="seconds for one run of another tool")
    parser.add_argument("--out", type=Path, help="where the JSON goes")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    parts = args.only or PARTS
    is_proved = "oracle" not in parts or prove(args)
    if "rivals" in parts:
        compare(args)
    if "speed" in parts:
        measure(args)
    if not is_proved:
        sys.exit("the oracle found problems")


if __name__ == "__main__":
    main()
