"""datasketch's own published tests pass against `lookalike.compat.datasketch`.

`make slow-python` downloads the tests into the environment's folder, and no line of them is kept in this repository. Tests of
features that `lookalike.compat` does not have are left out: indexes on a server, `MinHashLSHBloom` and `HNSW`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DOWNLOADED = Path(os.environ.get("DATASKETCH_TESTS", Path(sys.prefix) / "published/datasketch-1.7.0/test"))

MODULES = ["hyperloglog", "minhash", "lean_minhash", "lsh", "lshensemble", "lshforest", "weighted_minhash"]

# Tests that datasketch 2.0.0 fails too: they expect values of 8 bytes, or hash values without their scheme.
NOT_OF_2 = ["test_byte_tokens", "test_bytesize and not bBit", "TestLeanMinHash and test_init", "test_get_minhash_hashvalues"]


@pytest.mark.parametrize(("as_of", "left_out", "least"), [("1", [], 95), ("2", NOT_OF_2, 91)])
def test_the_published_tests_pass(as_of, left_out, least):
    assert DOWNLOADED.is_dir(), f"{DOWNLOADED} is missing: `make slow-python` downloads it"
    plugin = Path(__file__).parent / "published"
    selected = " and not ".join(["not redis", *(f"({name})" for name in left_out)])
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "mapped", "-p", "no:cacheprovider", "--import-mode=importlib"]
    argv += ["--as-of", as_of, "-k", selected, "-c", os.devnull, *(f"test_{module}.py" for module in MODULES)]
    # The package may itself come from PYTHONPATH, as in another worktree.
    path = os.pathsep.join(filter(None, [str(plugin), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(argv, cwd=DOWNLOADED, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    passed = re.search(r"(\d+) passed", ran.stdout)
    assert passed is not None
    assert int(passed[1]) == least
