"""Removes repeated spans of sentences with datatrove's three steps of sentence deduplication.

The input is divided into a file for each thread, because datatrove runs a task for each file. No text is dropped for being short.
"""

import argparse
import os
from pathlib import Path

import exchange

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import SentenceDedupFilter, SentenceDedupSignature, SentenceFindDedups
from datatrove.pipeline.dedup.sentence_dedup import SentDedupConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter


def main() -> None:
    """Runs the three steps."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("work", type=Path, help="an empty folder for temporary files")
    parser.add_argument("--sentences", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    work = args.work
    parts = work / "parts"
    exchange.divide(args.input, parts, args.threads)
    config = SentDedupConfig(n_sentences=args.sentences, min_doc_words=0, min_num_sentences=0)
    read = JsonlReader(str(parts))
    write = JsonlWriter(str(work / "kept"), compression=None)
    steps = (
        ([read, SentenceDedupSignature(str(work / "signatures"), config=config)], args.threads),
        ([SentenceFindDedups(str(work / "signatures"), str(work / "found"), config=config)], 1),
        ([read, SentenceDedupFilter(str(work / "found"), config=config), write], args.threads),
    )
    for number, (pipeline, tasks) in enumerate(steps):
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=tasks, logging_dir=str(work / f"log{number}")).run()
    kept = (record for part in sorted((work / "kept").glob("*.jsonl")) for record in exchange.records(part))
    # The writer leaves out fields whose value counts as false, such as the id 0.
    exchange.write(args.output, ((record.get("id", 0), record["text"]) for record in kept))


if __name__ == "__main__":
    main()
