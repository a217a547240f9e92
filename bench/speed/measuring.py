"""Measures processes for the benches, and describes the machine."""

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
    """The cost of one process. `generator_cpu_s` is the CPU time of the processes that it started, counted separately."""

    wall_s: float
    cpu_s: float
    generator_cpu_s: float
    peak_mb: float
    temp_mb: float

    def record(self) -> dict[str, float]:
        """Returns the measurements, rounded for a file."""
        return {name: round(value, 4) for name, value in vars(self).items()}


class TooSlow(Exception):
    """A run was stopped at its time limit."""


class Failed(SystemExit):
    """A run ended with an error. This exception ends the bench with a message, unless the bench catches it."""


class Watch(threading.Thread):
    """Checks the size of a process's temporary files twice a second, including files without a name."""

    def __init__(self, pid: int, folder: Path) -> None:
        super().__init__(daemon=True)
        self.pid, self.folder, self.most, self.over = pid, folder.resolve(), 0, threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.5):
            self.most = max(self.most, self.size())

    def size(self) -> int:
        """Returns the current number of bytes on disk."""
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
    """Returns the CPU seconds of an ended process, and of the processes that it started and waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system, started_user, started_system = (int(field) / TICK for field in fields[11:15])
    return user + system, started_user + started_system


def measure(
    command: Sequence[str], temp: Path | None = None, bound: float = 36_000, summary_on_stderr: bool = False
) -> tuple[Cost, str]:
    """Runs a command; returns its cost and its standard output. `temp` is its folder for temporary files.

    With `summary_on_stderr`, returns its standard error instead.

    The outputs of an earlier run are removed first, because the run would otherwise replace them, which for a large file costs as
    much as deleting it.
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
        # The process has ended but is not yet reaped, so /proc still has its cost, separate from that of started processes.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - start
        own, started = _own_and_started(process.pid)
        if watch:
            watch.over.set()
        timer.cancel()
        # This uses wait4 instead of Popen.wait, because only wait4 returns the cost of this process.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if stopped.is_set():
            raise TooSlow(f"over {bound:.0f} s")
        if process.returncode != 0:
            messages.seek(0)
            raise Failed(f"failed ({process.returncode}): {' '.join(command)}\n{messages.read().decode(errors='replace')}")
        answer = messages if summary_on_stderr else out
        answer.seek(0)
        output = answer.read().decode()
    # The kernel's rusage is more precise than /proc, but includes started processes. Linux gives ru_maxrss in KiB.
    own = usage.ru_utime + usage.ru_stime - started if started else usage.ru_utime + usage.ru_stime
    return Cost(wall, own, started, usage.ru_maxrss * 1024 / 1e6, watch.most / 1e6 if watch else 0.0), output


def lookalike(name: str = "lookalike") -> str:
    """Returns the path of a built program."""
    return str(PROGRAMS / name)


def takes_commands() -> bool:
    """Returns whether this build can read the output of a command, and run the command again."""
    output = subprocess.run([lookalike(), "dedup", "--help"], capture_output=True, text=True, check=True).stdout
    return "--input-command" in output


def keeps_memory() -> bool:
    """Returns whether this build has a memory limit."""
    output = subprocess.run([lookalike(), "dedup", "--help"], capture_output=True, text=True, check=True).stdout
    return "--memory" in output


def machine() -> dict[str, str | int]:
    """Returns the facts that a reader needs to compare measurements from two machines."""
    model = platform.processor()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return {"machine": model, "cores": len(os.sched_getaffinity(0)), "date": datetime.now(UTC).date().isoformat()}


def warm(path: Path) -> None:
    """Brings a file into the page cache, in small pieces, because Linux counts a parent's size into its child's peak."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass
