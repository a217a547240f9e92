"""Iterators give the result of a list with the same items, and its errors."""

from __future__ import annotations

import datetime
import re

import lookalike
import pytest
from lookalike import errors
from test_lazy_collections import START, TEXTS


def test_iterators_of_texts():
    texts = [*TEXTS] * 20
    expected, report = lookalike.dedup(texts)
    for data in ((text for text in texts), iter(texts), map(str, texts), filter(lambda _: True, texts)):
        kept, other = lookalike.dedup(data)
        assert iter(kept) is kept
        assert list(kept) == expected
        assert other.decisions_json() == report.decisions_json()
    shorter, _ = lookalike.cut(iter(texts), window=8)
    assert list(shorter) == lookalike.cut(texts, window=8)[0]
    assert list(lookalike.dedup(iter([]))[0]) == list(lookalike.cut(iter([]))[0]) == []


def test_items_are_returned_as_they_were():
    rows = [{"text": text, "own": {number, (number, "a")}, "at": START} for number, text in enumerate(TEXTS)]
    rows[3] |= {"more": [1.5]}
    expected, _ = lookalike.dedup(rows)
    assert list(lookalike.dedup(iter(rows))[0]) == expected
    nested = [{"page": {"body": text, "n": 1}} for text in TEXTS]
    assert list(lookalike.cut(iter(nested), "page.body", window=8)[0]) == lookalike.cut(nested, "page.body", window=8)[0]
    sets = [set(text.split()) for text in TEXTS]
    kept, report = lookalike.dedup(iter(sets), tokens="items")
    assert list(kept) == lookalike.dedup(sets, tokens="items")[0]
    assert report.decisions_json() == lookalike.dedup(sets, tokens="items")[1].decisions_json()
    written = [{"films": sorted(own)} for own in sets]
    assert list(lookalike.dedup(iter(written), set_field="films")[0]) == lookalike.dedup(written, set_field="films")[0]


def test_ids_of_iterators_may_have_several_types():
    rows = [{"text": f"text {own}", "id": own} for own in (1, "1", 1.5, datetime.date(2026, 1, 1))]
    assert lookalike.dedup(iter(rows), id="id")[1].decisions_json() == lookalike.dedup(rows, id="id")[1].decisions_json()


BEFORE = [f"text {number}" for number in range(1500)]


@pytest.mark.parametrize(
    ("items", "keywords"),
    [
        ([*BEFORE, None], {}),
        ([*BEFORE, 3, "a"], {}),
        ([*BEFORE, b"a"], {}),
        ([*BEFORE, "\ud800"], {}),
        ([*BEFORE, {"text": "a"}], {}),
        ([{"text": text} for text in BEFORE] + [{"text": None}], {}),
        ([{"text": text} for text in BEFORE] + [{"body": "a"}], {}),
        ([{"text": text} for text in BEFORE] + ["a"], {}),
        ([{"text": text, "id": text} for text in BEFORE] + [{"text": "a"}], {"id": "id"}),
        ([{"text": text} for text in BEFORE], {"id": "id"}),
        ([{"body": text} for text in BEFORE], {}),
        ([{"body": "a"}, {"text": "b"}], {}),
        ([{1} for _ in BEFORE] + [3], {"tokens": "items"}),
        ([{1} for _ in BEFORE] + [None], {"tokens": "items"}),
        (["[1]" for _ in BEFORE] + ["[1"], {"tokens": "items"}),
        (BEFORE, {"id": "id"}),
        ([3], {}),
        ([], {"id": "id"}),
    ],
)
def test_errors_are_those_of_a_list(items, keywords):
    with pytest.raises(errors.Error) as expected:
        lookalike.dedup(items, **keywords)
    with pytest.raises(type(expected.value)) as raised:
        lookalike.dedup(iter(items), **keywords)
    words = str(expected.value).replace("list row", "list_iterator row").replace("list:", "list_iterator:")
    assert str(raised.value) == words
    assert raised.value.line == expected.value.line
    try:
        kept, report = lookalike.dedup(items, skip_bad=True, **keywords)
    except errors.Error as error:
        with pytest.raises(type(error)):
            lookalike.dedup(iter(items), skip_bad=True, **keywords)
    else:
        own, other = lookalike.dedup(iter(items), skip_bad=True, **keywords)
        assert list(own) == kept
        assert other.skipped.tolist() == report.skipped.tolist()
        assert other.decisions_json() == report.decisions_json()


def test_items_that_cannot_be_stored_and_other_iterables(tmp_path):
    with pytest.raises(errors.InputError, match=r"list_iterator row 0: cannot be stored in a temporary file .*; give a list"):
        lookalike.dedup(iter([{"text": "a", "own": lambda: None}]))
    # Without returned rows, nothing needs to be stored.
    assert len(lookalike.pairs(iter([{"text": "a", "own": lambda: None}]))) == 0
    with pytest.raises(TypeError, match=re.escape("with iter(data)")):
        lookalike.dedup({"a", "b"})
    (tmp_path / "in.txt").write_text("a\nb\n")
    with open(tmp_path / "in.txt") as file, pytest.raises(TypeError, match="give its name as a path"):
        lookalike.dedup(file)


def test_iterators_need_no_pyarrow(monkeypatch):
    monkeypatch.setattr("lookalike.kinds.iterators.find_spec", lambda name: None)
    rows = [{"text": text, "id": number} for number, text in enumerate(TEXTS)]
    for items, keywords in ((TEXTS, {}), (rows, {"id": "id"}), ([], {})):
        kept, report = lookalike.dedup(iter(items), **keywords)
        assert iter(kept) is kept
        assert list(kept) == lookalike.dedup(items, **keywords)[0]
        assert list(lookalike.cut(iter(items), window=8)[0]) == lookalike.cut(items, window=8)[0]
        with pytest.raises(errors.ConfigError, match="read only once"):
            report.to_html("page.html")


def test_an_exception_of_a_generator_is_raised():
    def texts():
        yield "a"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        lookalike.dedup(texts())
