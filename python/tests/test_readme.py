"""The README's Python examples, run exactly as written."""

from __future__ import annotations

import pytest
from readme import BLOCKS, run


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_an_example_runs(number, tmp_path):
    run(number, tmp_path)
