"""Figures in the guides are those that the benches recorded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_of_methods_has_the_recorded_figures():
    page = [ROOT / "bench/quality/page.py", ROOT / "bench/record/quality.json", ROOT / "docs/methods.md", "--check"]
    done = subprocess.run([sys.executable, "-P", *page], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
