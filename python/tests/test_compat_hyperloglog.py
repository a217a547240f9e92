"""datasketch's HyperLogLog sketches and their replacements agree, bit by bit."""

from __future__ import annotations

import math
import pickle
import struct
import sys
import warnings

import datasketch as theirs
import datasketch.hyperloglog_const as published
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lookalike.compat import datasketch as ours
from lookalike.compat.datasketch import hyperloglog_bias

pytestmark = pytest.mark.slow

NAMES = ["HyperLogLog", "HyperLogLogPlusPlus"]
PRECISIONS = st.integers(4, 16)
TOKENS = st.lists(st.binary(max_size=20), max_size=70)


def make(name, **arguments):
    return [getattr(of, name)(**arguments) for of in (ours, theirs)]


def counted(sketch):
    """The bits of the estimate and the number of warnings; None if datasketch divides by zero."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            return struct.pack("d", sketch.count()), len(caught)
        except ZeroDivisionError:
            return None


def same(a, b):
    assert type(a).__name__ == type(b).__name__
    assert (a.p, a.m, a.alpha, a.max_rank, len(a), a.bytesize()) == (b.p, b.m, b.alpha, b.max_rank, len(b), b.bytesize())
    assert a.reg.dtype == b.reg.dtype
    assert a.reg.tolist() == b.reg.tolist() == a.digest().tolist()
    assert a.is_empty() == b.is_empty()
    buffers = bytearray(a.bytesize()), bytearray(b.bytesize())
    a.serialize(buffers[0])
    b.serialize(buffers[1])
    assert buffers[0] == buffers[1] == a.__getstate__() == b.__getstate__()
    return True


def updated(name, tokens, p):
    a, b = make(name, p=p)
    for token in tokens:
        a.update(token)
        b.update(token)
    return a, b


@pytest.mark.parametrize("name", NAMES)
@given(TOKENS, PRECISIONS)
def test_updated_sketches_are_the_same(name, tokens, p):
    a, b = updated(name, tokens, p)
    assert same(a, b)
    assert counted(a) == counted(b)
    a.clear()
    b.clear()
    assert same(a, b)
    assert a.is_empty()
    assert a.count() == 0.0


@pytest.mark.parametrize("name", NAMES)
@given(PRECISIONS, st.integers(0, 2**32 - 1), st.floats(0, 8))
def test_estimates_of_all_sizes_are_the_same(name, p, seed, filled):
    # As many hashes as 2^p times a number up to 8: empty registers, corrected estimates, and estimates without correction.
    generator = np.random.default_rng(seed)
    bits = 32 if name == "HyperLogLog" else 64
    ranks = generator.geometric(0.5, size=int(filled * (1 << p))).clip(max=bits - p + 1).astype(np.int8)
    reg = np.zeros(1 << p, dtype=np.int8)
    np.maximum.at(reg, generator.integers(0, 1 << p, len(ranks)), ranks)
    a, b = make(name, reg=reg)
    assert same(a, b)
    expected = counted(b)
    if expected is not None:
        assert counted(a) == expected


@pytest.mark.parametrize("name", NAMES)
@given(PRECISIONS, st.integers(0, 60), st.integers(0, 60), st.integers(0, 2**32 - 1))
def test_estimates_of_any_registers_are_the_same(name, p, low, high, seed):
    # Some are out of the range of 32 bits, for which both return NaN.
    low, high = sorted((low, high))
    a, b = make(name, reg=np.random.default_rng(seed).integers(low, high + 1, 1 << p).astype(np.int8))
    expected = counted(b)
    if expected is not None:
        assert counted(a) == expected


def test_without_an_empty_register_a_small_estimate_is_not_corrected():
    a, b = make("HyperLogLog", reg=np.ones(16, dtype=np.int8))
    with pytest.raises(ZeroDivisionError):
        b.count()
    assert a.count() == 0.673 * 16 * 2


@pytest.mark.parametrize("p", range(4, 17))
def test_the_bias_is_the_published_one(p):
    estimates, biases = hyperloglog_bias._measured(p)
    assert estimates.tobytes() == published._raw_estimate[p - 4].tobytes()
    assert biases.tobytes() == published._bias[p - 4].tobytes()
    assert hyperloglog_bias.THRESHOLDS[p] == published._thresholds[p - 4]


@pytest.mark.parametrize("name", NAMES)
@given(st.lists(TOKENS, min_size=2, max_size=4), PRECISIONS)
def test_unions_are_the_same(name, sets, p):
    made = [make(name, p=p) for _ in sets]
    for pair, tokens in zip(made, sets, strict=True):
        for sketch in pair:
            for token in tokens:
                sketch.update(token)
    assert same(getattr(ours, name).union(*(a for a, _ in made)), getattr(theirs, name).union(*(b for _, b in made)))
    (a, b), (c, d), *_ = made
    assert (a == c) == (b == d)
    copied = a.copy()
    assert copied == a
    assert copied != b
    a.merge(c)
    b.merge(d)
    assert same(a, b)
    a.update(b"another")
    assert same(copied, copied.copy())
    assert copied.reg is not a.reg


@pytest.mark.parametrize("name", NAMES)
@given(TOKENS, PRECISIONS)
def test_bytes_are_read_by_the_other_package(name, tokens, p):
    a, b = updated(name, tokens, p)
    assert pickle.loads(pickle.dumps(a)) == a
    sys.modules["lookalikes_hyperloglog"] = sys.modules["lookalike.compat.datasketch.hyperloglog"]
    # A pickle stores the length of each name before it, so the replaced name must have the same length.
    read = pickle.loads(pickle.dumps(b).replace(b"datasketch.", b"lookalikes_"))
    assert type(read) is type(a)
    assert read == a
    stored = b.__getstate__()
    for buf in (stored, bytes(stored), memoryview(stored), stored + b"more"):
        assert type(a).deserialize(buf) == a
    assert type(b).deserialize(a.__getstate__()) == b


@pytest.mark.parametrize("name", NAMES)
def test_other_hash_functions_are_the_same(name):
    bits = 32 if name == "HyperLogLog" else 64
    a, b = make(name, p=5, hashfunc=lambda value: value)
    for value in (0, 1, 31, 32, 1 << (bits - 1), (1 << bits) - 1, 0xF5):
        a.update(value)
        b.update(value)
    assert same(a, b)
    assert a.copy().hashfunc is type(a).union(a, a).hashfunc is a.hashfunc
    for sketch in (a, b):
        with pytest.raises(ValueError, match="bits"):
            sketch.update(1 << bits)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "arguments",
    [
        {"p": 3},
        {"p": 17},
        {"reg": [0] * 16},
        {"reg": np.zeros(0, dtype=np.int8)},
        {"reg": np.zeros(8, dtype=np.int8)},
        {"reg": np.zeros(17, dtype=np.int8)},
        {"hashfunc": 3},
    ],
)
def test_the_same_arguments_are_refused(name, arguments):
    for of in (ours, theirs):
        with pytest.raises(ValueError, match=r"\w"):
            getattr(of, name)(**arguments)
    for of in (ours, theirs):
        with pytest.warns(DeprecationWarning, match="hashobj"):
            getattr(of, name)(hashobj=object())


def test_unlike_sketches_are_refused():
    for of in (ours, theirs):
        a, b = of.HyperLogLog(4), of.HyperLogLog(5)
        for call in (lambda a=a, b=b: a.merge(b), lambda a=a, b=b: a.union(a, b), lambda a=a: a.union(a)):
            with pytest.raises(ValueError, match="Cannot"):
                call()
        assert a != b
        with pytest.raises(TypeError, match="unhashable"):
            hash(a)
        with pytest.raises(ValueError, match="buffer"):
            a.serialize(bytearray(16))
        with pytest.raises(struct.error):
            of.HyperLogLog.deserialize(bytes([4, 0, 0]))
    # datasketch merges these, but the same value has a different rank in each of them.
    with pytest.raises(ValueError, match="32 and 64 bits"):
        ours.HyperLogLog(8).merge(ours.HyperLogLogPlusPlus(8))
    with pytest.raises(ValueError, match="a register is 200"):
        ours.HyperLogLog.deserialize(bytes([4] + [200] * 16))


def test_the_estimate_is_close():
    for name, p in (("HyperLogLog", 12), ("HyperLogLogPlusPlus", 12)):
        sketch = getattr(ours, name)(p)
        for number in range(30000):
            sketch.update(number.to_bytes(4, "little"))
        assert math.isclose(sketch.count(), 30000, rel_tol=3 * 1.04 / 64)
