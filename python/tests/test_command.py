"""`python -m lookalike` is the command."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import lookalike
from lookalike import __main__


def test_exit_codes_and_streams(command, tmp_path):
    (tmp_path / "a").write_text("one two three four five six")
    (tmp_path / "b").write_text("quite another text, about nothing")
    said = command("compare", "a", "a")
    assert (said.returncode, b"resemblance" in said.stdout, said.stderr) == (0, True, b"")
    assert command("compare", "a", "b", "--threshold", "0.5").returncode == 1
    missing = command("compare", "a", "missing")
    assert (missing.returncode, missing.stdout) == (2, b"")
    assert b"missing" in missing.stderr
    wrong = command("compare", "--nonsense")
    assert (wrong.returncode, b"lookalike compare" in wrong.stderr) == (2, True)
    assert command().returncode == 2


def test_it_is_called_lookalike(command):
    said = command("--version")
    assert (said.returncode, said.stdout.decode()) == (0, f"lookalike {lookalike.__version__}\n")
    usage = command("dedup", "--help").stdout.decode()
    assert "Usage: lookalike dedup" in usage


def test_the_script_is_the_command():
    script = shutil.which("lookalike", path=str(Path(sys.executable).parent))
    assert script is not None
    said = subprocess.run([script, "curve", "--json"], capture_output=True, check=True)
    assert b'"bands": 21' in said.stdout


def test_a_closed_output_pipe_is_not_an_error(tmp_path):
    ran = subprocess.run(
        f"{sys.executable} -m lookalike completions bash | head -c 10 > out; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        cwd=tmp_path,
        capture_output=True,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_an_interrupt_ends_it_at_once(tmp_path):
    # The command waits for bytes from a pipe.
    os.mkfifo(tmp_path / "never")
    argv = [sys.executable, "-m", "lookalike", "pairs", str(tmp_path / "never")]
    running = subprocess.Popen(argv, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        # An interrupt ends the process both while Python starts and in the command, but only the command ends silently. A
        # writer can open the pipe when the command reads it.
        writer = None
        while writer is None and running.poll() is None:
            try:
                writer = os.open(tmp_path / "never", os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        _, words = running.communicate(timeout=200)
        os.close(writer)
    finally:
        running.kill()
    assert running.returncode == -signal.SIGINT
    assert words == b""


def test_the_calling_program_keeps_its_signal_handler(monkeypatch, capfd):
    handler = lambda *_: None  # noqa: E731
    before = signal.signal(signal.SIGINT, handler)
    try:
        monkeypatch.setattr(sys, "argv", ["anything", "curve"])
        assert __main__.main() == 0
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)
    thread = threading.Thread(target=__main__.main)
    thread.start()
    thread.join()
    assert capfd.readouterr().out.count("21 bands of 6 rows") == 2


def test_importing_it_does_not_import_numpy():
    code = "import sys, lookalike; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_readmes_words_are_true():
    import doctest

    assert doctest.testmod(lookalike).failed == 0
