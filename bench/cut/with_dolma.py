"""Removes lines with dolma's Bloom filter: its deduper marks lines that the filter may have, and its mixer removes them.

Only the compiled module of dolma's package is loaded. Its Python part only passes settings to this module, but imports packages
for language models and object stores.

All lines are compared except empty ones. In dolma 1.2.1, a minimum number of words has no use: with one, the deduper skips the
shorter lines, and compares none of the others.
"""

import argparse
import importlib.machinery
import importlib.metadata
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import exchange


def compiled() -> ModuleType:
    """Returns the compiled module of dolma."""
    files = importlib.metadata.files("dolma") or []
    path = next(file for file in files if file.match("dolma/dolma.*.so")).locate()
    loader = importlib.machinery.ExtensionFileLoader("dolma", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("dolma", loader))
    loader.exec_module(module)
    return module


def main() -> None:
    """Runs the deduper and the mixer."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("work", type=Path, help="an empty folder for temporary files")
    parser.add_argument("--rate", type=float, default=1e-5, help="the rate of false positives that is asked for")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    work = args.work.absolute()
    documents = work / "documents"
    exchange.divide(args.input, documents, args.threads)
    lines = sum(record["text"].count("\n") + 1 for record in exchange.records(args.input))
    folders = {name: str(work / name) for name in ("input", "output")}
    for folder in folders.values():
        Path(folder).mkdir()
    compression = {"input": None, "output": None}
    dolma = compiled()
    dolma.deduper_entrypoint(
        json.dumps({
            "documents": [str(documents / "*.jsonl")],
            "dedupe": {
                "name": "lines", "paragraphs": {"attribute_name": "again", "paragraph_separator": "\n"}, "skip_empty": True,
                "min_length": 0, "min_words": 0, "num_partitions": 1, "partition_index": 0, "file_partition": False,
                "document_dir": "documents",
            },
            "bloom_filter": {
                "file": str(work / "filter.bin"), "read_only": False, "size_in_bytes": 0, "estimated_doc_count": lines,
                "desired_false_positive_rate": args.rate,
            },
            "is_s3_volume": False, "work_dir": folders, "processes": args.threads, "compression": compression,
        })
    )  # fmt: skip
    dolma.mixer_entrypoint(
        json.dumps({
            "streams": [{
                "name": "kept", "documents": [str(documents / "*.jsonl")], "attributes": ["lines"],
                "output": {"path": str(work / "mixed"), "max_size_in_bytes": 1 << 40},
                "span_replacement": [{"span": "$.attributes.again", "min_score": 0.5, "replacement": "", "syntax": "jsonpath"}],
                "compression": compression,
            }],
            "work_dir": folders, "processes": args.threads, "shuffle": False,
        })
    )  # fmt: skip
    kept = (record for part in sorted((work / "mixed").rglob("*.jsonl")) for record in exchange.records(part))
    exchange.write(args.output, ((record["id"], record["text"]) for record in kept))


if __name__ == "__main__":
    main()
