"""The plagiarism bench evaluates correctly: known answers of PlagDet that can be checked by hand."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench/plagiarism"
sys.path.append(str(BENCH))
from plagdet import Passage, evaluate  # noqa: E402

pytestmark = pytest.mark.slow

sys.path.remove(str(BENCH))

CASE = Passage("a", "b", (100, 200), (300, 400))


def moved(a, b, suspicious="a", source="b"):
    """Returns a detection."""
    return Passage(suspicious, source, a, b)


def rounded(cases, detections):
    """Returns the figures with three decimals."""
    return tuple(round(figure, 3) for figure in evaluate(cases, detections))


def test_an_exact_detection_is_perfect():
    assert rounded([CASE], [CASE]) == (1, 1, 1, 1)


def test_nothing_detected_is_nothing():
    assert rounded([CASE], []) == (0, 0, 0, 1)
    assert rounded([], [CASE]) == (0, 0, 0, 1)
    assert rounded([], []) == (0, 0, 0, 1)


def test_a_detection_in_another_pair_or_in_one_document_only_is_wrong():
    assert rounded([CASE], [moved((100, 200), (300, 400), source="c")]) == (0, 0, 0, 1)
    assert rounded([CASE], [moved((100, 200), (0, 100))]) == (0, 0, 0, 1)


def test_half_a_case_has_half_the_recall():
    # Half of the characters are found, and all that was detected is right: F1 = 2/3.
    assert rounded([CASE], [moved((100, 150), (300, 350))]) == (0.667, 1, 0.5, 1)
    # Twice the characters: the recall is 1 and the precision 1/2.
    assert rounded([CASE], [moved((100, 300), (300, 500))]) == (0.667, 0.5, 1, 1)


def test_fragments_lower_the_score():
    halves = [moved((100, 150), (300, 350)), moved((150, 200), (350, 400))]
    assert rounded([CASE], halves) == (round(1 / math.log2(3), 3), 1, 1, 2)


def test_overlapping_detections_count_once():
    twice = [CASE, moved((100, 150), (300, 350))]
    assert rounded([CASE], twice) == (round(1 / math.log2(3), 3), 1, 1, 2)


def test_averages_are_macro():
    # A short case that is found and a long one that is missed: recall 1/2, not the share of characters.
    assert rounded([CASE, moved((1000, 9000), (1000, 9000))], [CASE]) == (0.667, 1, 0.5, 1)
    # One detection of two is wrong, however short it is.
    assert rounded([CASE], [CASE, moved((900, 901), (900, 901))]) == (0.667, 0.5, 1, 1)


def test_one_detection_of_two_cases():
    # It covers both cases and the gap between them: 200 of 300 characters are right in each document.
    cases = [CASE, moved((300, 400), (500, 600))]
    assert rounded(cases, [moved((100, 400), (300, 600))]) == (0.8, 0.667, 1, 1)
