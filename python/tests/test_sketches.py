"""Properties of sketches."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import lookalike
import numpy as np
import pytest
from conftest import variants
from hypothesis import given
from hypothesis import strategies as st

TEXTS = st.lists(st.sampled_from(["rose", "a", "is", "漢", "字", "naïve", "\n", "Ａ", "12"]), max_size=40).map(" ".join)

MAKERS = [
    lookalike.MinHash().signature,
    lookalike.MinHash(permutations="many").signature,
    lookalike.Bottom(20).sketch,
    lookalike.Bottom(20, 1).sketch,
    lookalike.Modulo().sketch,
    lookalike.SimHash().sketch,
    lookalike.SimHash(128, "tokens").sketch,
]


@pytest.mark.parametrize("sketch", MAKERS)
@given(a=TEXTS, b=TEXTS)
def test_a_sketch_is_a_function_of_the_text_and_survives_pickle(sketch, a, b):
    one = sketch(a)
    assert one == sketch(a)
    assert pickle.loads(pickle.dumps(one)) == one == copy.deepcopy(one)
    estimate = pickle.loads(pickle.dumps(one)).resemblance(sketch(b))
    assert estimate == sketch(b).resemblance(one)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert float(estimate) == estimate.value


@given(a=TEXTS, b=TEXTS)
def test_estimates_are_exact_if_a_sketch_contains_its_whole_set(a, b):
    exact = lookalike.compare(a, b)
    bottom = lookalike.Bottom(1000)
    assert bottom.sketch(a).resemblance(bottom.sketch(b)).value == exact.resemblance
    modulo = lookalike.Modulo({"kind": "fixed", "level": 0})
    assert modulo.sketch(a).resemblance(modulo.sketch(b)).value == exact.resemblance
    if exact.size_a:
        assert modulo.sketch(a).containment(modulo.sketch(b)).value == exact.containment_ab
    assert bottom.sketch(a).distinct().value == exact.size_a


@given(a=TEXTS, b=TEXTS)
def test_the_merge_is_the_sketch_of_the_union(a, b):
    union = np.union1d(lookalike.fingerprints(a), lookalike.fingerprints(b))
    bottom, modulo = lookalike.Bottom(7), lookalike.Modulo({"kind": "fixed", "level": 1})
    assert bottom.sketch(a).merge(bottom.sketch(b)) == bottom.sketch(union)
    assert modulo.sketch(a).merge(modulo.sketch(b)) == modulo.sketch(union)


@given(texts=st.lists(TEXTS, max_size=12), threads=st.integers(0, 4))
def test_batches_are_single_sketches(texts, threads):
    minhash = lookalike.MinHash(33)
    signatures = minhash.signatures(texts, threads=threads)
    assert (signatures.shape, signatures.dtype) == ((len(texts), 33), np.uint32)
    assert signatures.tolist() == [minhash.signature(text).slots.tolist() for text in texts]
    simhash = lookalike.SimHash(features="tokens")
    hashes = simhash.hashes(texts, threads=threads)
    assert (hashes.shape, hashes.dtype) == ((len(texts), 1), np.uint64)
    assert hashes[:, 0].tolist() == [simhash.sketch(text).bits for text in texts]


def test_b_bit_sketches_are_a_byte_of_each_slot():
    texts = variants(random.Random(8), 50)
    minhash = lookalike.MinHash(200)
    bits = minhash.bits(texts, threads=2)
    assert (bits.shape, bits.dtype) == ((50, 128), np.uint8)
    mixed = minhash.signatures(texts)[:, :128] * np.uint32(0x9E3779B1)
    assert (bits == mixed >> np.uint32(24)).all()
    with pytest.raises(lookalike.errors.ConfigError, match="128 slots"):
        lookalike.MinHash(127).bits(texts)


def test_signatures_estimate_the_resemblance():
    texts = [text for text in variants(random.Random(1), 60) if len(text) > 100]
    minhash = lookalike.MinHash(1024)
    held = total = 0
    for a, b in itertools.pairwise(texts):
        estimate = minhash.signature(a).resemblance(minhash.signature(b))
        held += estimate.low <= lookalike.compare(a, b).resemblance <= estimate.high
        total += 1
    assert held >= 0.85 * total


def test_an_empty_text_resembles_nothing():
    for sketch in MAKERS[:5]:
        assert sketch("").resemblance(sketch("")).high == 0
    assert lookalike.compare("", "").resemblance == 0


def test_a_fixed_modulus_is_compared_on_the_larger_level():
    text = " ".join(map(str, range(3000)))
    low, high = (lookalike.Modulo({"kind": "fixed", "level": level}).sketch(text) for level in (2, 5))
    assert low.at_level(5) == high
    assert low.resemblance(high).value == 1
    assert lookalike.Modulo().sketch(text).level == 4
    with pytest.raises(lookalike.errors.ConfigError):
        high.at_level(2)


@pytest.mark.parametrize("kind", ["Signature", "BottomSketch", "ModuloSketch", "SimHashSketch"])
def test_foreign_bytes_are_not_a_sketch(kind):
    for data in (b"", b"{}", b'{"bottom":{"s":3,"level":0,"permutation":1},"sample":[5,4],"whole":false,"empty":false}'):
        with pytest.raises(lookalike.errors.FormatError):
            getattr(lookalike, kind)._from_bytes(data)


def test_makers_and_sketches_have_different_reprs():
    assert repr(lookalike.MinHash()) == "MinHash(slots=128, permutations='one', seed=1)"
    assert "20" in repr(lookalike.Bottom(20).sketch("a b c"))
    assert repr(lookalike.curve()) == "Curve(bands=21, rows=6, threshold=0.8)"


def test_the_curve_matches_the_command(command):
    import json

    said = json.loads(command("curve", "--threshold", "0.7", "--recall", "0.9", "--json").stdout)
    curve = lookalike.curve(0.7, 0.9)
    for name in ("bands", "rows", "slots", "threshold", "found_at_threshold", "midpoint"):
        assert getattr(curve, name) == said[name]
    assert curve.false_negative_area == said["false_negative_area"]
    similarities = np.array([[point["similarity"] for point in said["found"]]])
    assert curve.found(similarities).tolist() == [[point["found"] for point in said["found"]]]
    assert curve.found(0.7) == curve.found_at_threshold
