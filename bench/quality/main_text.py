"""Measures extractors of main texts on pages with gold texts, and runs some of them on hostile pages.

The gold texts are the output of Readability.js, reviewed by people, so ports of Readability.js have an advantage. The results
mark which extractors are ports. The results show how much a different idea of a main text changes the result, not which idea is
better.
"""

import argparse
import json
import os
import subprocess
from pathlib import Path

import recorded

HERE = Path(__file__).parent / "html"


def main() -> None:
    """Builds and runs the judge, prints the results and records them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with readability_html.jsonl.zst")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parents[2] / "target")).absolute()
    build = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", target, "--manifest-path", HERE / "Cargo.toml"]
    subprocess.run(build, check=True)
    judge = target / "release" / "lookalike-bench-html"
    pages = subprocess.run(["zstd", "-dc", arguments.data / "readability_html.jsonl.zst"], capture_output=True, check=True).stdout
    results = {}
    for name, command in (("pages", [judge]), ("hostile", [judge, "--hostile"])):
        done = subprocess.run(command, input=pages, capture_output=True, check=True)
        results[name] = [json.loads(line) for line in done.stdout.splitlines()]
    print("| extractor | precision | recall | F1 | median | MB/s | nothing | panics |\n|---|---|---|---|---|---|---|---|")
    for run in results["pages"]:
        figures = [f"{100 * run[name]['mean']:.2f}" for name in ("precision", "recall", "f1")]
        figures += [
            f"{100 * run['f1']['median']:.2f}",
            f"{run['megabytes_per_second']:.0f}",
            f"{run['nothing']}",
            f"{run['panics']}",
        ]
        print(f"| {run['extractor']} | {' | '.join(figures)} |")
    for run in results["hostile"]:
        if run["ended"] != "well" or run["seconds"] > 1:
            print(f"{run['extractor']}, {run['hostile']}: ended {run['ended']} after {run['seconds']:.1f} s")
    if arguments.out:
        recorded.write(arguments.out, results)


if __name__ == "__main__":
    main()
