"""Compares a run's kept documents with the truth: every pair of documents, with its exact resemblance."""

import argparse
import json
from collections import defaultdict
from pathlib import Path


def _ids(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [json.loads(line)["id"] for line in file if not line.isspace()]


def true_pairs(path: Path, threshold: float) -> list[tuple[str, str]]:
    """Returns the pairs at or above the threshold; in truth files, the value is called resemblance or jaccard."""
    pairs = []
    with path.open("rb") as file:
        for line in file:
            pair = json.loads(line)
            value = pair["resemblance"] if "resemblance" in pair else pair["jaccard"]
            if value >= threshold:
                pairs.append((pair["a"], pair["b"]))
    return pairs


def judge(truth: Path, documents: Path, kept: Path, threshold: float) -> dict[str, float | int | None]:
    """Judges one run. Fails if the kept file has documents that are repeated or not in the input."""
    ids = _ids(documents)
    all_ids = set(ids)
    kept_list = _ids(kept)
    kept_ids = set(kept_list)
    if len(all_ids) != len(ids):
        raise ValueError(f"{documents.name}: ids are not unique")
    if len(kept_ids) != len(kept_list) or not kept_ids <= all_ids:
        raise ValueError(f"{kept.name}: contains a document twice, or one that is not in {documents.name}")
    pairs = true_pairs(truth, threshold)
    partners: defaultdict[str, set[str]] = defaultdict(set)
    for a, b in pairs:
        partners[a].add(b)
        partners[b].add(a)
    if not partners.keys() <= all_ids:
        raise ValueError(f"{truth.name}: contains documents that are not in {documents.name}")
    both_kept = sum(a in kept_ids and b in kept_ids for a, b in pairs)
    return {
        "documents": len(ids),
        "kept": len(kept_ids),
        "dropped": len(ids) - len(kept_ids),
        "true_pairs": len(pairs),
        "pairs_both_kept": both_kept,
        "recall": 1 - both_kept / len(pairs) if pairs else None,
        "wrong_drops": sum(partners[dropped].isdisjoint(kept_ids) for dropped in all_ids - kept_ids),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", type=Path, help='JSON Lines {"a": id, "b": id, "resemblance": x}')
    parser.add_argument("input", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--threshold", type=float, default=0.8)
    args = parser.parse_args()
    print(json.dumps(judge(args.truth, args.input, args.kept, args.threshold), indent=2))


if __name__ == "__main__":
    main()
