"""Evaluates detected passages: precision, recall, granularity and PlagDet.

Source: Potthast, Stein, Barrón-Cedeño and Rosso 2010, *An Evaluation Framework for Plagiarism Detection*, section 2. The measures
count characters of both documents. Precision and recall are macro-averaged: each detection, and each case, has the same weight.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Range = tuple[int, int]


class Passage(NamedTuple):
    """A reused passage, known or detected: two documents, and the characters in each."""

    suspicious: str
    source: str
    in_suspicious: Range
    in_source: Range


class Figures(NamedTuple):
    """The measures of a set of detections."""

    plagdet: float
    precision: float
    recall: float
    granularity: float


def _length(passage: Passage) -> int:
    return sum(end - start for start, end in (passage.in_suspicious, passage.in_source))


def _overlap(a: Range, b: Range) -> Range | None:
    start, end = max(a[0], b[0]), min(a[1], b[1])
    return (start, end) if start < end else None


def _covered(ranges: Iterable[Range]) -> int:
    covered = end = 0
    for start, stop in sorted(ranges):
        covered += max(0, stop - max(start, end))
        end = max(end, stop)
    return covered


def _share(passage: Passage, others: Sequence[Passage]) -> float:
    """Returns the share of a passage's characters that the others cover, of those that overlap with it in both documents."""
    parts: tuple[list[Range], list[Range]] = ([], [])
    for other in others:
        both = _overlap(passage.in_suspicious, other.in_suspicious), _overlap(passage.in_source, other.in_source)
        if both[0] and both[1]:
            parts[0].append(both[0])
            parts[1].append(both[1])
    return (_covered(parts[0]) + _covered(parts[1])) / _length(passage)


def evaluate(cases: Sequence[Passage], detections: Sequence[Passage]) -> Figures:
    """Evaluates detections. Without cases or without detections the averages over them are 0, as in the PAN evaluator."""
    cases_of, detections_of = defaultdict(list), defaultdict(list)
    for passages, of in ((cases, cases_of), (detections, detections_of)):
        for passage in passages:
            of[passage[:2]].append(passage)
    precisions = [_share(found, cases_of[found[:2]]) for found in detections]
    recalls = [_share(case, detections_of[case[:2]]) for case in cases]
    counts = [
        sum(
            _overlap(case.in_suspicious, found.in_suspicious) is not None
            and _overlap(case.in_source, found.in_source) is not None
            for found in detections_of[case[:2]]
        )
        for case in cases
    ]
    detected = [count for count in counts if count]
    precision, recall = (sum(shares) / len(shares) if shares else 0.0 for shares in (precisions, recalls))
    granularity = sum(detected) / len(detected) if detected else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Figures(f1 / math.log2(1 + granularity), precision, recall, granularity)
