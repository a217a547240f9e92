"""Python computes the same numbers that the core has recorded."""

from __future__ import annotations

import lookalike
import numpy as np
import pytest


def whole(numbers):
    return [int(number, 16) for number in numbers]


@pytest.mark.parametrize("number", range(5))
def test_sketches_match_the_record(golden, number):
    case = golden["cases"][number]
    config, texts = case["config"], [text["text"] for text in case["texts"]]
    one, many = (lookalike.MinHash(16, permutations, **config) for permutations in ("one", "many"))
    bottom, modulo = lookalike.Bottom(4, **config), lookalike.Modulo({"kind": "fixed", "level": 1}, **config)
    narrow, wide = lookalike.SimHash(64, **config), lookalike.SimHash(128, **config)
    for text, expected in zip(texts, case["texts"], strict=True):
        fingerprints = lookalike.fingerprints(text, **config)
        assert fingerprints.dtype == np.uint64
        assert fingerprints.tolist() == whole(expected["fingerprints"])
        # Sketches can be made from a text or from its fingerprints.
        for item in (text, fingerprints):
            assert one.signature(item).slots.tolist() == expected["signature_one"]
            assert many.signature(item).slots.tolist() == expected["signature_many"]
            assert bottom.sketch(item).sample.tolist() == whole(expected["bottom_4"])
            assert modulo.sketch(item).elements.tolist() == whole(expected["modulo_level_1"])
        assert narrow.sketch(text).bits == int(expected["simhash_64"], 16)
        assert wide.sketch(text).bits == int(expected["simhash_128"], 16)
    for threads in (0, 1, 3):
        assert one.signatures(texts, threads).tolist() == [text["signature_one"] for text in case["texts"]]
        assert many.signatures(iter(texts), threads).tolist() == [text["signature_many"] for text in case["texts"]]
        hashes = wide.hashes(texts, threads)
        assert [int(high) << 64 | int(low) for low, high in hashes] == [int(text["simhash_128"], 16) for text in case["texts"]]
        assert bottom.sketches(texts, threads) == [bottom.sketch(text) for text in texts]
        assert modulo.sketches(texts, threads) == [modulo.sketch(text) for text in texts]
    for pair in case["pairs"]:
        found = lookalike.compare(texts[pair["a"]], texts[pair["b"]], **config)
        assert {name: getattr(found, name) for name in pair["figures"]} == pair["figures"]


def test_defaults_match_the_core(golden):
    assert lookalike.default_config() == golden["default_config"]
    assert lookalike.MinHash().slots == 128
    assert (lookalike.Bottom().s, lookalike.SimHash().bits) == (200, 64)
    assert lookalike.LshIndex().config == lookalike.default_config()


def test_the_documented_settings_match_the_core():
    known = set(lookalike.default_config())
    flags = {name for name, _, _ in lookalike._lookalike.flags("")}
    assert set(lookalike.Config.__annotations__) <= known | flags
    # The settings for groups and for containment apply only to whole collections.
    assert known - set(lookalike.Config.__annotations__) == {"measure", "cluster"}
