"""Does one task with one tool, in a process of its own, and prints what it cost.

The tasks are: `fill` makes the collection; `query` searches in it with one caller; `change` adds documents to it one by one, and
deletes some of its documents one by one. A collection in memory is filled again for each task, and that is not measured.
"""

import argparse
import gc
import importlib
import json
import os
import random
import sys
import time
from pathlib import Path

import tool

TOOLS = {
    "lookalike": ("with_lookalike", "Lookalike"),
    "gaoya": ("with_gaoya", "Gaoya"),
    "rensa": ("with_rensa", "Rensa"),
    "datasketch": ("with_datasketch", "Datasketch"),
    "datasketch-redis": ("with_datasketch", "DatasketchRedis"),
    "lance": ("with_lance", "Lance"),
    "milvus-lite": ("with_milvus", "Milvus"),
}


def rows(path: Path) -> list[dict]:
    """Returns the objects of JSON Lines."""
    with path.open() as file:
        return [json.loads(line) for line in file]


def resident() -> int:
    """Returns the number of bytes that this process has in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def fill(collection: tool.Tool, documents: tool.Documents) -> dict:
    """Makes the collection."""
    empty, before = collection.stored() or 0, resident()
    start = time.perf_counter()
    collection.fill(documents)
    seconds = time.perf_counter() - start
    grown = resident() - before
    collection.close()
    stored = collection.stored()
    return {"seconds": seconds, "memory": grown, "stored": None if stored is None else stored - empty}


def ready(collection: tool.Tool, documents: tool.Documents) -> float | None:
    """Opens the collection, or fills it if it is in memory; returns the seconds that opening takes."""
    if not collection.persistent:
        return collection.fill(documents)
    start = time.perf_counter()
    collection.open()
    return time.perf_counter() - start


def query(collection: tool.Tool, documents: tool.Documents, folder: Path) -> dict:
    """Asks all queries one after the other."""
    texts = [row["text"] for row in rows(folder / "queries.jsonl")]
    before = resident()
    open_s = ready(collection, documents)
    answers, times = [], []
    for text in texts:
        start = time.perf_counter()
        answer = collection.query(text)
        times.append(time.perf_counter() - start)
        answers.append(answer)
    return {"open_s": open_s, "times": times, "memory": resident() - before, "answers": answers}


def change(collection: tool.Tool, documents: tool.Documents, additions: tool.Documents, deletes: int) -> dict:
    """Adds documents one by one, then deletes documents one by one, and searches for those that were deleted."""
    ready(collection, documents)
    start = time.perf_counter()
    for number, text in additions:
        collection.add(number, text)
    added_s = time.perf_counter() - start
    start = time.perf_counter()
    collection.settle()
    settle_s = time.perf_counter() - start
    missing = sum(number not in collection.query(text) for number, text in additions)
    gone = random.Random(2).sample(documents, deletes)
    start = time.perf_counter()
    changed = [collection.delete(number) for number, _ in gone]
    deleted_s = time.perf_counter() - start
    deleted = {number for number, _ in gone}
    left = sum(not deleted.isdisjoint(collection.query(text)) for _, text in gone)
    collection.close()
    decisions = None if None in changed else sum(changed)
    return {
        "adds": len(additions), "added_s": added_s, "settle_s": settle_s, "missing_after_add": missing,
        "deletes": deletes, "deleted_s": deleted_s, "found_after_delete": left, "decisions_changed": decisions,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("task", choices=("fill", "query", "change"))
    parser.add_argument("folder", type=Path, help="made by collection.py")
    parser.add_argument("place", help="the folder of the collection, or the port of Redis")
    parser.add_argument(
        "--documents", type=int, required=True, help="documents to fill the collection with; the others are added"
    )
    parser.add_argument("--deletes", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=2, help="for tools that can use more than one")
    args = parser.parse_args()
    # gaoya takes the size of its thread pool from this variable on first use.
    os.environ["RAYON_NUM_THREADS"] = str(args.threads)

    documents = [(row["id"], row["text"]) for row in rows(args.folder / "documents.jsonl")]
    documents, additions = documents[: args.documents], documents[args.documents :]
    module, name = TOOLS[args.tool]
    collection: tool.Tool = getattr(importlib.import_module(module), name)(args.place)
    try:
        match args.task:
            case "fill":
                result = fill(collection, documents)
            case "query":
                result = query(collection, documents, args.folder)
            case _:
                result = change(collection, documents, additions, args.deletes)
    except Exception as error:
        result = {"problem": f"{type(error).__name__}: {error}"}
        print(result["problem"], file=sys.stderr)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
