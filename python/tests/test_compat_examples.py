"""The examples in datasketch's docstrings print the same with `lookalike.compat.datasketch`; only the import is changed."""

from __future__ import annotations

import contextlib
import io
import re
import textwrap
from pathlib import Path

import datasketch
import numpy as np
import pytest

pytestmark = pytest.mark.slow

# Examples use names from the text around them.
NAMES = """
from datasketch import *
minhash, minhash2 = MinHash(), MinHash()
minhash.update(b"a")
lean_minhash, lean_minhash2 = LeanMinHash(minhash), LeanMinHash(minhash2)
lean_minhashs = [lean_minhash, lean_minhash2]
buf = bytearray(lean_minhash.bytesize())
lean_minhash.serialize(buf)
"""

MODULES = [
    "b_bit_minhash",
    "hashfunc",
    "hyperloglog",
    "lean_minhash",
    "lsh",
    "lshensemble",
    "lshforest",
    "minhash",
    "weighted_minhash",
]

EXAMPLE = re.compile(r"^( *)\.\. code-block:: python\n((?:\1 +.*\n|\n)+)", re.MULTILINE)


def examples():
    for name in MODULES:
        text = (Path(datasketch.__file__).parent / f"{name}.py").read_text(encoding="utf-8")
        for number, found in enumerate(EXAMPLE.finditer(text)):
            yield pytest.param(textwrap.dedent(found[2]), id=f"{name}-{number}")


def printed(code, package):
    """What an example prints, or the exception with which it fails."""
    names = {}
    np.random.seed(1)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            exec(re.sub(r"^( *from) datasketch\b", rf"\1 {package}", NAMES + code, flags=re.MULTILINE), names)
        except Exception as error:
            return error
    return output.getvalue()


@pytest.mark.parametrize("code", list(examples()))
def test_an_example_prints_the_same(code):
    expected = printed(code, "datasketch")
    found = printed(code, "lookalike.compat.datasketch")
    if isinstance(expected, Exception):
        # The example needs a server or another package, or has a typo.
        assert isinstance(found, Exception)
    else:
        assert found == expected


def test_most_examples_run_in_datasketch():
    assert (
        sum(not isinstance(printed(code, "datasketch"), Exception) for (code,) in (example.values for example in examples()))
        >= 15
    )
