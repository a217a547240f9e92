"""Exceptions, their attributes and their messages."""

from __future__ import annotations

import errno
import pickle
import re

import lookalike
import numpy as np
import pytest
from lookalike import errors


def test_exception_classes_are_few_and_fit_those_of_python():
    own = {name: vars(errors)[name] for name in vars(errors) if isinstance(vars(errors)[name], type)}
    assert set(own) == {
        "Error",
        "ConfigError",
        "InputError",
        "RecordError",
        "OutputError",
        "LockedError",
        "ClosedError",
        "UnknownIdError",
        "FormatError",
        "Interrupted",
        "InternalError",
        "EvaluationError",
    }
    for exception in own.values():
        assert issubclass(exception, errors.Error)
        assert exception.__doc__
    assert issubclass(errors.ConfigError, ValueError)
    assert issubclass(errors.RecordError, (errors.InputError, ValueError))
    assert issubclass(errors.InputError, OSError)
    assert issubclass(errors.OutputError, OSError)


def known(error):
    return error.path, error.line, error.field, error.option


def test_attributes_contain_the_place_and_the_cause(tmp_path):
    file = tmp_path / "in.jsonl"
    file.write_text('{"text": "one"}\n{"text": 7}\n')
    with pytest.raises(errors.RecordError, match=r"in\.jsonl:2: .*text=") as caught:
        lookalike.dedup(str(file))
    assert known(caught.value) == (str(file), 2, "text", "text")
    with pytest.raises(errors.InputError, match="no such file") as caught:
        lookalike.dedup(str(tmp_path / "none.jsonl"))
    assert known(caught.value) == (str(tmp_path / "none.jsonl"), None, None, None)
    assert caught.value.errno == errno.ENOENT
    with pytest.raises(errors.RecordError, match="list row 1") as caught:
        lookalike.dedup(["one", 7])
    assert known(caught.value) == ("list", 1, "text", None)
    with pytest.raises(errors.ConfigError, match=r"against=; name the references") as caught:
        lookalike.dedup(["one"], against_only=True)
    assert known(caught.value) == (None, None, None, "against_only")
    with pytest.raises(errors.ConfigError) as caught:
        lookalike.curve(1.5)
    assert known(caught.value) == (None, None, None, "threshold")
    with pytest.raises(errors.ConfigError, match="bands= takes") as caught:
        lookalike.dedup(["one"], bands="many")
    assert caught.value.option == "bands"


def test_an_exception_is_the_same_after_a_pickle():
    error = errors.RecordError("bad\n", path="a", line=1, field="text", option="id")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), known(again)) == ("bad\\u000a", ("a", 1, "text", "id"))


@pytest.mark.parametrize(
    ("refused", "exception", "words"),
    [
        (lambda: lookalike.curve(1.5), errors.ConfigError, "1.5"),
        (lambda: lookalike.curve(0.8, 1.0), errors.ConfigError, "0.99"),
        (lambda: lookalike.curve(bands=3), errors.ConfigError, "together"),
        (lambda: lookalike.curve(bands=0, rows=3), errors.ConfigError, "at least 1"),
        (lambda: lookalike.curve(1e-6), errors.ConfigError, "higher threshold"),
        (lambda: lookalike.fingerprints("a", shingle=0), errors.ConfigError, "1 to 64"),
        (lambda: lookalike.MinHash(fingerprint={"kind": "rabin", "degree": 8}), errors.ConfigError, "16 to 64"),
        (lambda: lookalike.Bottom(0), errors.ConfigError, "at least 1"),
        (lambda: lookalike.Bottom(5, 64), errors.ConfigError, "63"),
        (lambda: lookalike.SimHash(96), errors.ConfigError, "64 or 128"),
        (lambda: lookalike.LshIndex(candidates={"kind": "bands", "bands": 9, "rows": 13}), errors.ConfigError, "82 bands"),
        (
            lambda: lookalike.LshIndex(candidates={"kind": "simhash", "features": "tokens"}),
            errors.ConfigError,
            "such as 3",
        ),
        (lambda: lookalike.LshIndex(candidates="all"), errors.ConfigError, "by keys"),
        (lambda: lookalike.MinHash(0), errors.ConfigError, "1 to 4096"),
        (lambda: lookalike.MinHash(permutations="two"), errors.ConfigError, "two"),
        (lambda: lookalike.MinHash(tokens="letters"), errors.ConfigError, "letters"),
        (lambda: lookalike.MinHash(shingle=-1), errors.ConfigError, "-1"),
        (lambda: lookalike.MinHash(folds={"accent": True}), errors.ConfigError, "accents"),
    ],
)
def test_refusals(refused, exception, words):
    with pytest.raises(exception, match=re.escape(words)) as caught:
        refused()
    assert type(caught.value) is exception
    assert isinstance(caught.value, lookalike.Error)


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        (lambda: lookalike.MinHash(treshold=1), "unexpected keyword argument 'treshold'"),
        # This is an option of an index, not of a signature.
        (lambda: lookalike.MinHash(threshold=0.8), "it takes preset, tokens"),
        (lambda: lookalike.MinHash().signature(b"bytes"), "not bytes"),
        (lambda: lookalike.MinHash().signature(np.array([1, 2], dtype=np.int64)), "uint64"),
        (lambda: lookalike.MinHash().signatures("one text"), "give a list"),
        (lambda: lookalike.LshIndex().query_many("one text"), "give a list"),
        (lambda: lookalike.compare("a", None), "None"),
    ],
)
def test_wrong_types(refused, words):
    with pytest.raises(TypeError, match=words):
        refused()


def test_a_text_that_is_not_valid_unicode_is_refused():
    with pytest.raises(UnicodeEncodeError):
        lookalike.fingerprints("\ud800")


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        (lookalike.MinHash(64), lookalike.MinHash(32), ["64 slots", "32 slots"]),
        (lookalike.MinHash(seed=1), lookalike.MinHash(seed=2), ["seed 1", "seed 2"]),
        (lookalike.MinHash(), lookalike.MinHash(permutations="many"), ["one-permutation MinHash", "other MinHash"]),
        (lookalike.Bottom(5), lookalike.Bottom(6), ["5 elements", "6 elements"]),
        (lookalike.Modulo(seed=1), lookalike.Modulo(seed=2), ["seed 1", "seed 2"]),
        (lookalike.SimHash(64), lookalike.SimHash(128), ["64 bits", "128 bits"]),
    ],
)
def test_incompatible_sketches_are_refused_and_both_named(left, right, words):
    a, b = (getattr(maker, "sketch", None) or maker.signature for maker in (left, right))
    with pytest.raises(errors.ConfigError) as caught:
        a("some text").resemblance(b("some text"))
    assert all(word in str(caught.value) for word in words)
