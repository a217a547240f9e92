"""Compares lookalike.Index with other tools that keep a collection of texts and search it for near-duplicates.

Each task of each tool is a process of its own. In each round, all tools do a task in turn before the next task begins, so that a
slow minute of the machine affects all of them.
"""

import argparse
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import tool
import worker

sys.path.append(str(Path(__file__).resolve().parents[1] / "speed"))
import measuring

TASKS = ("fill", "query", "change")
PACKAGES = {"datasketch-redis": "datasketch", "lance": "pylance"}
HEADER = (
    "tool", "fills/s", "adds/s", "deletes/s", "queries/s", "p50 ms", "p99 ms", "memory", "stored", "recall", "answers", "wrong",
)  # fmt: skip


@contextmanager
def redis_server(folder: Path) -> Iterator[int | None]:
    """Runs a Redis server on a free port of this machine, with a log that is synced every second; yields the port.

    Yields None if Redis is not installed.
    """
    if not shutil.which("redis-server"):
        yield None
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        "redis-server",
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--dir",
        str(folder),
        "--save",
        "",
        "--appendonly",
        "yes",
    ]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait()


def described(name: str) -> dict:
    """Returns the version of a tool's package, and the problem if it is not installed."""
    try:
        package = version(PACKAGES.get(name, name))
    except PackageNotFoundError:
        return {"version": None, "problem": "not installed", "rounds": []}
    problem = "redis-server is not installed" if name == "datasketch-redis" and not shutil.which("redis-server") else None
    return {"version": package, "problem": problem, "rounds": []}


def work(name: str, task: str, place: str, args: argparse.Namespace) -> dict:
    """Runs a worker; returns its result, or the problem."""
    command = [sys.executable, str(Path(worker.__file__)), name, task, str(args.folder), place]
    command += ["--documents", str(args.documents), "--threads", str(args.threads)]
    try:
        cost, output = measuring.measure(command, bound=args.bound)
    except measuring.TooSlow as error:
        return {"problem": str(error)}
    except measuring.Failed as error:
        return {"problem": str(error).strip().splitlines()[-1]}
    return {"peak_mb": cost.peak_mb, "cpu_s": cost.cpu_s, **json.loads(output.splitlines()[-1])}


def judged(answers: list[list[int]], queries: list[dict]) -> dict:
    """Compares answers with the truth: all documents whose exact resemblance is at least the threshold."""
    true, found, given = 0, 0, 0
    for answer, row in zip(answers, queries, strict=True):
        similar = set(row["similar"])
        true += len(similar)
        found += len(similar & set(answer))
        given += len(set(answer))
    return {"true": true, "answers": given, "found": found, "recall": found / true, "wrong": given - found}


def quantile(times: list[float], share: float) -> float:
    """Returns a quantile in milliseconds."""
    return sorted(times)[round((len(times) - 1) * share)] * 1e3


def figures(results: dict[str, dict], queries: list[dict], documents: int) -> dict:
    """Returns the figures of one round of one tool."""
    filled, asked, changed = (results[task] for task in TASKS)
    times = asked["times"]
    kinds: dict[str, list[float]] = {}
    for took, row in zip(times, queries, strict=True):
        kinds.setdefault(row["kind"], []).append(took)
    return {
        "fills_per_s": documents / filled["seconds"],
        "adds_per_s": changed["adds"] / (changed["added_s"] + changed["settle_s"]),
        "deletes_per_s": changed["deletes"] / changed["deleted_s"],
        "queries_per_s": len(times) / sum(times),
        "p50_ms": quantile(times, 0.5),
        "p99_ms": quantile(times, 0.99),
        "p50_ms_of": {kind: quantile(some, 0.5) for kind, some in sorted(kinds.items())},
        "memory_per_document": filled["memory"] / documents,
        "peak_mb": filled["peak_mb"],
        "stored_per_document": None if filled["stored"] is None else filled["stored"] / documents,
        "open_s": asked["open_s"],
        "query_memory_mb": asked["memory"] / 1e6,
        "settle_s": changed["settle_s"],
        "missing_after_add": changed["missing_after_add"],
        "found_after_delete": changed["found_after_delete"],
        "decisions_changed": changed["decisions_changed"],
        **judged(asked["answers"], queries),
    }


def typical(rounds: list[list[float]]) -> dict:
    """Returns quantiles of the queries' median times: a pause of the machine falls on another query in each round."""
    times = [median(times) for times in zip(*rounds, strict=True)]
    return {"p50_ms": quantile(times, 0.5), "p99_ms": quantile(times, 0.99)}


def middle(rounds: list) -> object:
    """Returns the median of each figure."""
    if isinstance(rounds[0], dict):
        return {name: middle([figures[name] for figures in rounds]) for name in rounds[0]}
    return None if None in rounds else median(rounds)


def rounded(value: object) -> object:
    """Rounds all numbers for the record."""
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def table(tools: dict[str, dict]) -> str:
    """Returns the Markdown table."""
    rows = [HEADER, tuple("---" for _ in HEADER)]
    for name, record in tools.items():
        title = f"{name} {record['version']}"
        if record["problem"]:
            rows.append((title, record["problem"], *("" for _ in HEADER[2:])))
            continue
        figures, typical = record["median"], record["typical_query"]
        per_second = [f"{figures[what]:,.0f}" for what in ("fills_per_s", "adds_per_s", "deletes_per_s", "queries_per_s")]
        stored = figures["stored_per_document"]
        rows.append((
            title, *per_second, f"{typical['p50_ms']:.3f}", f"{typical['p99_ms']:.3f}", f"{figures['memory_per_document']:,.0f}",
            "-" if stored is None else f"{stored:,.0f}", f"{figures['recall']:.4f}", f"{figures['answers']:,.0f}",
            f"{figures['wrong']:,.0f}",
        ))  # fmt: skip
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="made by collection.py")
    parser.add_argument("--tools", nargs="*", choices=worker.TOOLS, default=list(worker.TOOLS))
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bound", type=float, default=900, help="seconds for one task")
    parser.add_argument("--out", type=Path, help="where the JSON goes")
    args = parser.parse_args()

    queries = worker.rows(args.folder / "queries.jsonl")
    tools = {name: described(name) for name in args.tools}
    times: dict[str, list[list[float]]] = {name: [] for name in tools}
    for turn in range(args.runs):
        with tempfile.TemporaryDirectory(dir=args.folder) as temp:
            log = Path(temp) / "redis"
            log.mkdir()
            with redis_server(log) as port:
                results: dict[str, dict[str, dict]] = {name: {} for name in tools}
                for task in TASKS:
                    for name, record in tools.items():
                        if record["problem"]:
                            continue
                        print(f"run {turn + 1} of {args.runs}: {task} with {name}", file=sys.stderr)
                        place = Path(temp) / name
                        place.mkdir(exist_ok=True)
                        results[name][task] = work(name, task, str(port) if name == "datasketch-redis" else str(place), args)
                        record["problem"] = results[name][task].get("problem")
        for name, record in tools.items():
            if not record["problem"]:
                record["rounds"].append(figures(results[name], queries, args.documents))
                times[name].append(results[name]["query"]["times"])
    for name, record in tools.items():
        record["median"] = None if record["problem"] else middle(record["rounds"])
        record["typical_query"] = None if record["problem"] else typical(times[name])

    print(table(tools))
    if args.out:
        sizes = [len(row["text"]) for row in worker.rows(args.folder / "documents.jsonl")[: args.documents]]
        settings = {
            "documents": args.documents, "bytes_per_document": sum(sizes) / len(sizes), "queries": len(queries),
            "threshold": tool.THRESHOLD, "ngram": tool.NGRAM, "bands_rows_of_others": f"{tool.BANDS} x {tool.ROWS}",
            "threads": args.threads, "runs": args.runs,
        }  # fmt: skip
        args.out.write_text(json.dumps(rounded({**measuring.machine(), "settings": settings, "tools": tools}), indent=1) + "\n")


if __name__ == "__main__":
    main()
