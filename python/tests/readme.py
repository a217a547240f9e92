"""The README's Python examples: the tests import them as blocks, and `make pip` runs this file, which runs them in order.

A block imports what it needs. If this file runs by itself, it first installs the imported packages with pip.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)


def run(number, folder):
    """Run a block in a folder. It reads the repository's test data, and writes to the folder."""
    beside = Path(folder) / "testdata"
    if not beside.exists():
        beside.symlink_to(ROOT / "testdata")
    before = os.getcwd()
    os.chdir(folder)
    try:
        exec(compile(BLOCKS[number], f"README.md, block {number}", "exec"), {"__name__": "__main__"})
    finally:
        os.chdir(before)


def wanted():
    """Return the packages that the blocks import, except this one and Python's own."""
    names = {name for block in BLOCKS for name in re.findall(r"^(?:import|from) (\w+)", block, re.MULTILINE)}
    return sorted(names - {"lookalike"} - sys.stdlib_module_names)


if __name__ == "__main__":
    if wanted():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted()], check=True)
    for number in range(len(BLOCKS)):
        with tempfile.TemporaryDirectory() as folder:
            run(number, folder)
    print(f"{len(BLOCKS)} examples of the README run")
