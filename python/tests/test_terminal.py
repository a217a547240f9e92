"""Data cannot control the terminal on which it is shown."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys

import pytest

# Colour, bell, title, clear screen, C1, DEL, and a right-to-left override.
EVIL = "\x1b[31mred\x07\x1b]0;title\x07\x1b[2J\x9b2J\x7f\u202etxt\u2066"
WORDS = "one two three four five six seven eight nine ten"
# The control sequences that the command itself writes: line ends and colours.
OURS = re.compile(r"\r\n|\n|\x1b\[(?:0|1|2|31|32|33)m|\x1b\[1m\x1b\[3[13]m")
COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def on_a_terminal(folder, *arguments, colours=False):
    """Run the command on a terminal; return its exit code, its output on the terminal, and its standard error."""
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"}}
    environment |= {"TERM": "xterm"} if colours else {"NO_COLOR": "1"}
    argv = [sys.executable, "-m", "lookalike", *arguments]
    process = subprocess.Popen(argv, stdout=theirs, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=folder, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:
            # Linux raises this error when the other end is closed.
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.stderr is not None
    said = process.stderr.read().decode()
    return process.wait(timeout=60), shown.decode(), said


@pytest.fixture
def place(tmp_path):
    (tmp_path / "a.txt").write_text(f"{WORDS} {EVIL} more\n")
    (tmp_path / "b.txt").write_text(f"{WORDS} {EVIL} else\n")
    lines = [{"id": f"{EVIL}{n}", "text": f"{WORDS} {EVIL} {n}", "url": f"http://{n}/"} for n in "ab"]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    (tmp_path / "in.csv").write_text(f"id,text\n1,{WORDS} {EVIL}\n2,{WORDS} {EVIL}\n")
    config = 'match = 0.5\npossible = 0.1\n[[field]]\nname = "text"\ntype = "text"\n[[block]]\nsimilar = "text"\n'
    (tmp_path / "link.toml").write_text(config)
    return tmp_path


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "a.txt", "b.txt"],
        ["compare", "a.txt", "b.txt", "--full", "--sketches"],
        ["compare", f"{EVIL}a", f"{EVIL}b", "--in", "in.jsonl", "--json"],
        ["passages", "in.jsonl"],
        ["passages", "in.jsonl", "--json"],
        ["pairs", "in.jsonl", "-t", "0.3"],
        ["pairs", "in.csv", "-t", "0.3"],
        ["dedup", "in.jsonl", "-o", "-"],
        ["dedup", "in.csv", "-o", "-"],
        ["dedup", "in.csv", "-o", "/dev/stdout"],
        ["dedup", "in.jsonl", "--decisions", "-"],
        ["mirrors", "in.jsonl", "-t", "0.3", "--by", "field:url"],
        ["link", "in.jsonl", "--config", "link.toml"],
        ["link", "in.jsonl", "--config", "link.toml", "--explain", f"{EVIL}a", f"{EVIL}b"],
        ["eval", "in.jsonl", "--sample", "2", "-q"],
    ],
    ids=lambda arguments: " ".join(arguments).translate(dict.fromkeys([*range(32), *range(127, 160), 8238, 8294])),
)
@pytest.mark.slow
def test_data_cannot_send_terminal_escapes(place, arguments, colours):
    code, shown, said = on_a_terminal(place, *arguments, colours=colours)
    assert code in {0, 1}, said
    assert shown
    assert not COMMANDS.search(OURS.sub("", shown) if colours else shown.replace("\r\n", "\n")), repr(shown)
    assert not COMMANDS.search(said.replace("\n", "")), repr(said)


def test_a_pipe_gets_unchanged_data(place, command):
    said = command("compare", "a.txt", "b.txt")
    assert EVIL in said.stdout.decode()
    assert command("dedup", "in.csv", "-o", "-").stdout.decode() == (place / "in.csv").read_text().split("\n2,")[0] + "\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["dedup", EVIL.replace("\x00", "")],
        ["dedup", f"--{EVIL}"],
        ["dedup", "in.jsonl", "--text-field", EVIL],
        ["dedup", "in.jsonl", "-t", EVIL],
        ["compare", "a.txt", EVIL],
        ["link", "in.jsonl", "--config", EVIL],
        ["dedup", "in.jsonl", "--input-command", f"exit 3 # {EVIL}"],
        [EVIL],
    ],
)
def test_messages_have_no_terminal_escapes(place, command, arguments):
    said = command(*arguments)
    assert said.returncode == 2
    assert not COMMANDS.search(said.stderr.decode().replace("\n", "")), said.stderr


def test_control_characters_in_file_names_are_escaped(place, command):
    os.rename(place / "in.jsonl", place / f"{EVIL}.jsonl")
    (place / "folder").mkdir()
    (place / "folder" / f"{EVIL}.bin").write_text("")
    (place / "folder" / "in.jsonl").write_text('{"id": 1, "text": "a"}\n')
    said = command("dedup", f"{EVIL}.jsonl", "folder", "-o", f"kept{EVIL}.jsonl", "--skip-bad", f"bad{EVIL}")
    words = said.stderr.decode()
    assert said.returncode == 0
    assert not COMMANDS.search(words.replace("\n", "")), words
    assert "skipped  1 .bin, such as folder/\\u001b[31mred" in words
    assert "written  kept records to kept\\u001b[31mred" in words
