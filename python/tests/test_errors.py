"""One exception a kind."""

from __future__ import annotations

import re
from pathlib import Path

import lookalike
import numpy as np
import pytest
from lookalike import errors

CRATES = Path(__file__).parents[2] / "crates"


def kinds_of(crate):
    """Read the kinds in a crate's source."""
    kinds = (CRATES / crate / "src/error.rs").read_text().split("pub enum ErrorKind {")[1].split("\n}")[0]
    return {f"{kind}Error" for kind in re.findall(r"^    (\w+)(?:,|\(| \{)", kinds, re.MULTILINE)}


def test_every_kind_has_its_exception():
    core, engine = kinds_of("lookalike"), kinds_of("lookalike-io")
    assert len(core) > 30
    assert len(engine) > 7
    own = {"Error", "FormatError", "EvaluationError"}
    assert core | engine == {name for name in vars(errors) if name.endswith("Error")} - own
    for name in core | engine:
        exception = getattr(errors, name)
        assert issubclass(exception, errors.Error)
        assert name not in core or issubclass(exception, ValueError)
        assert exception.__doc__


@pytest.mark.parametrize(
    ("refused", "exception", "words"),
    [
        (lambda: lookalike.curve(1.5), errors.ThresholdError, "1.5"),
        (lambda: lookalike.curve(0.8, 1.0), errors.RecallError, "0.99"),
        (lambda: lookalike.curve(bands=3), errors.HalfShapeError, "together"),
        (lambda: lookalike.curve(bands=0, rows=3), errors.ShapeError, "at least 1"),
        (lambda: lookalike.curve(1e-6), errors.NoShapeError, "higher threshold"),
        (lambda: lookalike.fingerprints("a", shingle=0), errors.ShingleError, "1 to 64"),
        (lambda: lookalike.MinHash(fingerprint={"kind": "rabin", "degree": 8}), errors.DegreeError, "16 to 64"),
        (lambda: lookalike.Bottom(0), errors.EmptySampleError, "from 1"),
        (lambda: lookalike.Bottom(5, 64), errors.LevelError, "63"),
        (lambda: lookalike.SimHash(96), errors.SimHashBitsError, "64 or 128"),
        (lambda: lookalike.LshIndex(candidates={"kind": "bands", "bands": 9, "rows": 13}), errors.UnreachableError, "82 bands"),
        (
            lambda: lookalike.LshIndex(candidates={"kind": "simhash", "features": "tokens"}),
            errors.TokensDistanceError,
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
        # Of an index, not of a signature.
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


def test_a_text_that_is_no_unicode_is_refused():
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
def test_unlike_sketches_refuse_each_other_and_name_both(left, right, words):
    a, b = (getattr(maker, "sketch", None) or maker.signature for maker in (left, right))
    with pytest.raises(errors.UnlikeSketchesError) as caught:
        a("some text").resemblance(b("some text"))
    assert all(word in str(caught.value) for word in words)
