from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

# Some properties run a command or a thousand kernels. So there is no deadline, and the examples are the same each time.
# `make test` runs an eighth of them, as in Rust (`cases` in tests/support).
EXAMPLES = max(60 * int(os.environ.get("PROPTEST_CASES", "256")) // 256, 1)
settings.register_profile("repository", deadline=None, derandomize=True, max_examples=EXAMPLES)
settings.load_profile("repository")

# If a shell script runs the tests in the background, they and the programs that they start ignore interrupts. Some tests need
# interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def golden():
    return json.loads((ROOT / "testdata/golden/sketches.json").read_text())


def run_command(folder, *arguments, **options):
    """Run `python -m lookalike` in a folder."""
    environment = {**os.environ, "NO_COLOR": "1"}
    argv = [sys.executable, "-m", "lookalike", *map(str, arguments)]
    return subprocess.run(argv, capture_output=True, cwd=folder, env=environment, timeout=120, check=False, **options)


@pytest.fixture
def command(tmp_path):
    """Return a function that runs `python -m lookalike` in a folder of its own."""
    return partial(run_command, tmp_path)


SENTENCE = "the quick brown fox jumps over lazy dog and runs away into dark green wood near old stone bridge at night"

WORDS = SENTENCE.split()


def paragraph(random, words=60):
    return " ".join(random.choice(WORDS) for _ in range(words))


def variants(random, count=200):
    """Return texts, about half of which are near copies of another text."""
    texts = []
    for _ in range(count):
        if texts and random.random() < 0.5:
            words = random.choice(texts).split()
            for _ in range(random.randrange(4)):
                if words:
                    words[random.randrange(len(words))] = random.choice(WORDS) + str(random.randrange(5))
            texts.append(" ".join(words))
        else:
            texts.append(paragraph(random, random.randrange(0, 90)))
    return texts
