"""A pytest plugin: `import datasketch` gives `lookalike.compat.datasketch`.

The published tests are those of datasketch 1.7.0, the last release whose source distribution has them. They run twice. With
`--as-of 1`, a sketch that is made without a scheme gets the scheme that is now called `legacy`, as in 1.7.0. With `--as-of 2`,
the classes are those of the package, and four tests are left out because datasketch 2.0.0 itself fails them: they expect hash
values of 8 bytes, or no scheme.
"""

from __future__ import annotations

import sys
import unittest.mock
from types import ModuleType

from lookalike.compat import datasketch
from lookalike.compat.datasketch import (
    b_bit_minhash,
    hashfunc,
    hyperloglog,
    lean_minhash,
    lsh,
    lshensemble,
    lshforest,
    minhash,
    weighted_minhash,
)


class _LegacyMinHash(minhash.MinHash):
    """MinHash as it was before datasketch had schemes."""

    def __init__(self, *args, **kwargs):
        kwargs.setdefault("scheme", "legacy")
        super().__init__(*args, **kwargs)


class _LegacyLeanMinHash(lean_minhash.LeanMinHash):
    """LeanMinHash as it was before datasketch had schemes."""

    def __init__(self, minhash=None, seed=None, hashvalues=None):
        super().__init__(minhash, seed, hashvalues, None if minhash is not None else "legacy")


def _module(name, **content):
    module = ModuleType(name)
    module.__dict__.update(content)
    sys.modules[name] = module
    return module


def fake_hash_func(value):
    """Return the value."""
    return value


def _absent(*_args, **_kwargs):
    raise RuntimeError("not a part of lookalike.compat.datasketch")


def pytest_addoption(parser):
    """Add the option."""
    parser.addoption("--as-of", choices=["1", "2"], required=True)


def pytest_configure(config):
    """Put the modules in place before tests are collected."""
    as_of_1 = config.getoption("--as-of") == "1"
    legacy = {"MinHash": _LegacyMinHash, "LeanMinHash": _LegacyLeanMinHash} if as_of_1 else {}
    package = _module("datasketch", **{**datasketch.__dict__, **legacy})
    package.__path__ = []
    for module in (
        b_bit_minhash,
        hashfunc,
        hyperloglog,
        lean_minhash,
        lsh,
        lshensemble,
        lshforest,
        minhash,
        weighted_minhash,
    ):
        name = "datasketch." + module.__name__.rpartition(".")[2]
        content = {key: legacy.get(key, value) for key, value in module.__dict__.items()}
        setattr(package, name.rpartition(".")[2], _module(name, **content))
    # Other imports of the tests: a mock of a server, and helpers that are not in the distribution.
    _module("mockredis", mock_redis_client=_absent)
    sys.modules.setdefault("mock", unittest.mock)
    _module("test").__path__ = []
    _module("test.utils", fake_hash_func=fake_hash_func)
