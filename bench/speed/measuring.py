"""What the benches measure of a process, and how they tell of the machine."""

import contextlib
import os
import platform
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "target/release"
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cost:
    """What one process cost. `generator_cpu_s` is that of the processes it started, apart."""

    wall_s: float
    cpu_s: float
    generator_cpu_s: float
    peak_mb: float
    temp_mb: float

    def record(self) -> dict[str, float]:
        """The figures as a file keeps them."""
        return {name: round(value, 4) for name, value in vars(self).items()}


class TooSlow(Exception):
    """A run was stopped at its bound."""


class Failed(SystemExit):
    """A run ended with an error. It ends the bench with its message, unless the bench goes on without that run."""


class Watch(threading.Thread):
    """Looks, twice a second, how large a process's temporary files are, those without a name among them."""

    def __init__(self, pid: int, folder: Path) -> None:
        super().__init__(daemon=True)
        self.pid, self.folder, self.most, self.over = pid, folder.resolve(), 0, threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.5):
            self.most = max(self.most, self.size())

    def size(self) -> int:
        """Bytes on disk now."""
        sizes = {}
        with contextlib.suppress(OSError):
            for link in Path(f"/proc/{self.pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    if Path(os.readlink(link)).is_relative_to(self.folder):
                        found = link.stat()
                        sizes[found.st_ino] = found.st_blocks * 512
        for path in self.folder.rglob("*"):
            with contextlib.suppress(OSError):
                found = path.stat()
                sizes[found.st_ino] = found.st_blocks * 512
        return sum(sizes.values())


def _own_and_started(pid: int) -> tuple[float, float]:
    """CPU seconds of an ended process, and of those it started and waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system, started_user, started_system = (int(field) / TICK for field in fields[11:15])
    return user + system, started_user + started_system


def measure(
    command: Sequence[str], temp: Path | None = None, bound: float = 36_000, summary_on_stderr: bool = False
) -> tuple[Cost, str]:
    """Runs a command to its end: its cost, and what it wrote to standard output. `temp` is its folder for temporary files.

    With `summary_on_stderr`, what it wrote to standard error instead.

    What a run before wrote to its outputs is removed first: replacing a large file costs what deleting it does.
    """
    for flag, value in pairwise(command):
        if flag in ("-o", "--decisions") and Path(value).is_file():
            Path(value).unlink()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as messages:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=messages)
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            process.kill()

        timer = threading.Timer(bound, stop)
        timer.start()
        watch = Watch(process.pid, temp) if temp else None
        if watch:
            watch.start()
        # Ended but not yet reaped: /proc still tells what it cost, apart from what it started.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - start
        own, started = _own_and_started(process.pid)
        if watch:
            watch.over.set()
        timer.cancel()
        # wait4 and not Popen.wait: it alone gives the cost of this process.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if stopped.is_set():
            raise TooSlow(f"over {bound:.0f} s")
        if process.returncode != 0:
            messages.seek(0)
            raise Failed(f"failed ({process.returncode}): {' '.join(command)}\n{messages.read().decode(errors='replace')}")
        answer = messages if summary_on_stderr else out
        answer.seek(0)
        told = answer.read().decode()
    # The kernel counts own time finer than /proc, but not apart. Linux gives ru_maxrss in KiB.
    own = usage.ru_utime + usage.ru_stime - started if started else usage.ru_utime + usage.ru_stime
    return Cost(wall, own, started, usage.ru_maxrss * 1024 / 1e6, watch.most / 1e6 if watch else 0.0), told


def lookalike(name: str = "lookalike") -> str:
    """A built program."""
    return str(PROGRAMS / name)


def takes_commands() -> bool:
    """Whether this build can read a program's output again and again."""
    told = subprocess.run([lookalike(), "dedup", "--help"], capture_output=True, text=True, check=True).stdout
    return "--input-command" in told


def keeps_memory() -> bool:
    """Whether this build can be told how much memory it may use."""
    told = subprocess.run([lookalike(), "dedup", "--help"], capture_output=True, text=True, check=True).stdout
    return "--memory" in told


def machine() -> dict[str, str | int]:
    """What a reader must know to compare figures from two places."""
    model = platform.processor()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return {"machine": model, "cores": len(os.sched_getaffinity(0)), "date": datetime.now(UTC).date().isoformat()}


def warm(path: Path) -> None:
    """Brings a file into the page cache, in small pieces: Linux counts a parent's size into its child's peak."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass
