"""Writes the tables of a page from the recorded figures: `page.py RECORD PAGE`; with `--check`, only compares the page with them.

The tables are between the two comments `<!-- figures -->` and `<!-- end of figures -->` of the page.
"""

import argparse
import json
import sys
from pathlib import Path

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
DEFAULT = "minhash"


def cell(value: float | None, scale: float = 100, digits: int = 1) -> str:
    """Returns a number, formatted for a table cell."""
    return "–" if value is None else f"{value * scale:.{digits}f}"


def name(run: dict) -> str:
    """Returns the name of a method on the page."""
    return run["label"].removeprefix("--method ")


def table(result: dict) -> str:
    """Returns the results for one set as a table in Markdown."""
    truth = result["truth"]
    lines = [
        f"**{result['title']}** ({truth['documents']:,} texts, {truth['pairs']:,} pairs)",
        "",
        "| method | precision | recall | F1 | B³ F | dropped | wrongly | candidates | s | MB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for run in result["runs"]:
        pairs, groups, drops = run["pairs"], run["clusters"]["b_cubed"], run["drops"]
        precision, recall = ((pairs.get(measure) or {}).get("value") for measure in ("precision", "recall"))
        figures = [cell(precision), cell(recall), cell(pairs.get("f1")), cell(groups["f"])]
        figures += [f"{drops['dropped']:,}", f"{drops['wrong']:,}", f"{run['pairs_met']:,}"]
        figures += [cell(run["seconds"], 1, 2), cell(run["peak_memory"], 1e-6, 0)]
        lines.append(f"| {name(run)} | {' | '.join(figures)} |")
    return "\n".join(lines)


def span(values: list[float], digits: int) -> str:
    """Returns the least and the largest of some numbers."""
    least, largest = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return least if least == largest else f"{least} to {largest}"


def ranges(record: dict) -> str:
    """Returns the range of each method's results over all sets; time and memory are relative to the default's on each set."""
    lines = [
        f"**All {len(record['sets'])} sets: the least and the largest figure of each method**",
        "",
        "| method | precision | recall | wrongly dropped, of all sets | time, default = 1 | memory, default = 1 |",
        "|---|---|---|---|---|---|",
    ]
    results = [{name(run): run for run in result["runs"]} for result in record["sets"]]
    for method in results[0]:
        runs = [(runs[method], runs[DEFAULT]) for runs in results]
        shares = [
            [100 * run["pairs"][measure]["value"] for run, _ in runs if run["pairs"].get(measure)]
            for measure in ("precision", "recall")
        ]
        ratios = [[run[figure] / default[figure] for run, default in runs] for figure in ("seconds", "peak_memory")]
        figures = [span(values, 1) for values in [*shares, *ratios]]
        figures.insert(2, f"{sum(run['drops']['wrong'] for run, _ in runs):,}")
        lines.append(f"| {method} | {' | '.join(figures)} |")
    return "\n".join(lines)


def filled(page: str, record: dict) -> str:
    """Returns the page with the tables of a record."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no {BEGIN} … {END}")
    made = f"Measured on {record['date']} with two threads on {record['cores']} cores ({record['machine']})."
    parts = [BEGIN, made, ranges(record), *map(table, record["sets"]), END]
    return before + "\n\n".join(parts) + after


def main() -> None:
    """Writes the tables; with --check, exits with 1 if they differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    parser.add_argument("page", type=Path)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    page = arguments.page.read_text(encoding="utf-8")
    made = filled(page, json.loads(arguments.record.read_text(encoding="utf-8")))
    if not arguments.check:
        arguments.page.write_text(made, encoding="utf-8")
    elif page != made:
        sys.exit(f"{arguments.page} does not have the figures of {arguments.record}; write them with bench/quality/page.py")


if __name__ == "__main__":
    main()
