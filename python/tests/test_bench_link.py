"""The linking bench evaluates correctly: its figures agree with counts by hand and with the numbers of the source."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench/link"
sys.path.append(str(BENCH))
import judging  # noqa: E402
import make_people  # noqa: E402

pytestmark = pytest.mark.slow

sys.path.remove(str(BENCH))


@pytest.mark.parametrize(("days", "share"), [(10, 1.0), (45, 0.0), (27.5, 0.5), (17, 0.8), (12, 33 / 35), (50, 0.0), (5, 1.0)])
def test_share_of_valid_pairs_by_the_days_between_as_in_the_source(days: float, share: float) -> None:
    assert judging.valid_share(days) == pytest.approx(share)


def test_estimate_finds_the_share_of_a_mixture() -> None:
    draw = random.Random(1)
    for share in (0.1, 0.5, 0.95):
        days = [draw.uniform(0, 20) if draw.random() < share else draw.uniform(0, 90) for _ in range(100_000)]
        assert judging.valid_share(sum(days) / len(days)) == pytest.approx(share, abs=0.01)


def test_figures_and_hindsight_counted_by_hand() -> None:
    truth = {("a", "b"), ("c", "d"), ("e", "f")}
    pairs = [
        judging.Scored(("a", "b"), 0.9, True),
        judging.Scored(("a", "c"), 0.8, True),
        judging.Scored(("c", "d"), 0.8, False),
        judging.Scored(("b", "c"), 0.1, False),
    ]
    verdict = judging.judge(pairs, truth)
    assert (verdict["matches"], verdict["precision"], verdict["recall"]) == (2, 0.5, pytest.approx(1 / 3))
    # Of the 3 pairs with a score of 0.8 or more, 2 are right; there are 3 true pairs.
    assert verdict["hindsight"] == {"f1": pytest.approx(2 / 3), "threshold": 0.8}


def test_clusters_give_all_their_pairs() -> None:
    found = judging.pairs_of_clusters([("2", "x"), ("1", "x"), ("3", "y"), ("0", "x")])
    assert found == {("1", "2"), ("0", "2"), ("0", "1")}


def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> make_people.Pool:
    person = dict.fromkeys(make_people.FIELDS, "")
    names = [("ann", "lee", "oak street"), ("bob", "ng", "elm place"), ("cy", "o'hara", "")]
    people = [
        {
            **person,
            "given_name": given,
            "surname": last,
            "address_1": street,
            "suburb": last,
            "postcode": "20" + str(at),
            "state": "wa",
        }
        for at, (given, last, street) in enumerate(names)
    ]
    monkeypatch.setattr(make_people, "originals", lambda path: [{"fields": fields} for fields in people])
    return make_people.Pool(tmp_path)


def test_people_are_reproducible_and_as_many_as_requested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_people.People(pool(tmp_path, monkeypatch), 6).records(1000)
    assert made == make_people.People(pool(tmp_path, monkeypatch), 6).records(1000)
    assert made != make_people.People(pool(tmp_path, monkeypatch), 7).records(1000)
    records = [json.loads(line) for line in made]
    assert len({record["id"] for record in records}) == 1000
    assert len({record["cluster"] for record in records}) == 800
    assert {tuple(record["fields"]) for record in records} == {make_people.FIELDS}


def test_duplicates_differ_and_were_made_within_a_month(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = [json.loads(line) for line in make_people.People(pool(tmp_path, monkeypatch), 6).records(1000)]
    clusters: dict[str, list[dict]] = {}
    for record in records:
        clusters.setdefault(record["cluster"], []).append(record)
    twice = [group for group in clusters.values() if len(group) == 2]
    assert twice
    for one, other in twice:
        assert one["fields"] != other["fields"]
        assert abs(one["opened"] - other["opened"]) < make_people.WITHIN


def test_days_between_are_those_of_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = [json.loads(line) for line in make_people.People(pool(tmp_path, monkeypatch), 6).records(40_000)]
    draw, clusters = random.Random(1), {}
    one = []
    for record in records:
        one += [abs(record["opened"] - other) for other in clusters.setdefault(record["cluster"], [])]
        clusters[record["cluster"]].append(record["opened"])
    two = [abs(a["opened"] - b["opened"]) for a, b in zip(records, draw.sample(records, len(records)), strict=True)]
    assert sum(one) / len(one) == pytest.approx(judging.OF_ONE, abs=0.3)
    assert sum(two) / len(two) == pytest.approx(judging.OF_TWO, abs=0.7)


def test_too_many_or_too_few_people_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    for count in ("0", "-1", "5000001"):
        monkeypatch.setattr(sys, "argv", ["make_people.py", str(tmp_path), str(tmp_path / "people.jsonl"), "--count", count])
        with pytest.raises(SystemExit):
            make_people.main()
        assert "--count must be from 10 to 5,000,000" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
