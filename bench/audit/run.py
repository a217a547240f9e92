"""Runs datasketch, rensa and lookalike on two real sets, and audits each result with `lookalike audit`.

Each tool runs twice per set: with single tokens, as in the documentation of the other tools, and with shingles of five tokens. The
audit compares the same tokens.
"""

import argparse
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "quality"))
import recorded  # noqa: E402

THRESHOLD = 0.8
SETS = {"newsgroups20": [], "zh_tang": ["--characters"]}
TOOLS = ["datasketch", "datasketch-estimate", "rensa", "lookalike"]


def audited(binary: Path, texts: Path, folder: Path, tool: str, ngram: int) -> dict[str, object]:
    """Returns the figures of the audit of one tool's result."""
    name = f"{texts.stem}.{tool}.{ngram}"
    removed, flags = folder / f"{name}.txt", ["--shingle", str(ngram), "--threshold", str(THRESHOLD)]
    if tool == "lookalike":
        removed = folder / f"{name}.jsonl"
        run = [binary, "dedup", texts, "--decisions", removed, "--quiet", *flags]
    else:
        run = [sys.executable, HERE / "rivals.py", tool, texts, removed, "--ngram", str(ngram), *SETS[texts.stem]]
    subprocess.run(run, check=True)
    summary = folder / f"{name}.audit.json"
    audit = [binary, "audit", removed, "--texts", texts, *flags, "--sample", "2000", "--recheck", "1000000"]
    subprocess.run([*audit, "--summary", summary], check=True, stdout=(folder / f"{name}.audit.txt").open("w"))
    found = json.loads(summary.read_text(encoding="utf-8"))
    removals, missed = found["removals"], found["missed"]
    return {
        "set": texts.stem,
        "tool": tool,
        "version": found["version"] if tool == "lookalike" else version(tool.partition("-")[0]),
        "shingle": ngram,
        "documents": found["documents"],
        **{count: removals[count] for count in ("removed", "justified", "chained", "not_similar", "unchecked")},
        "sampled": missed["sampled"],
        "missed": missed["similar"],
        "missed_share": missed["share"],
        "lowest": [worst["similarity"] for worst in found["worst_removals"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with newsgroups20.jsonl.zst and zh_tang.jsonl.zst")
    parser.add_argument("--lookalike", type=Path, required=True, help="path of the binary")
    parser.add_argument("--folder", type=Path, required=True, help="for the texts and the results")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    results = []
    for name in SETS:
        texts = args.folder / f"{name}.jsonl"
        lines = subprocess.run(["zstd", "-dc", args.data / f"{name}.jsonl.zst"], capture_output=True, check=True).stdout
        texts.write_bytes(lines)
        for ngram in (1, 5):
            for tool in TOOLS:
                results.append(audited(args.lookalike.resolve(), texts, args.folder, tool, ngram))
                print(json.dumps(results[-1]), file=sys.stderr)
    recorded.write(args.out, {"threshold": THRESHOLD, "results": results})


if __name__ == "__main__":
    main()
