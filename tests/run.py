"""Builds and runs the Rust tests: all of them for `make unit`, those that a change affects for `make quick`.

cargo runs one test program after another, and some of them mostly wait for disks, or end with one long test on one core. This
script runs several programs in parallel, and starts with the programs that took longest the last time.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Programs that take minutes, for the first run, when no times are known.
LONG = ("lookalike-engine law", "lookalike-cli cli", "lookalike-engine against", "lookalike-engine faults", "lookalike-index")

# The tests of these programs take turns, because a plan of faults applies to a whole process. So each test gets a process of its
# own.
DIVIDED = ("lookalike-engine faults", "lookalike-index faults")

# These tests sync thousands of small files, and test nothing that a disk does. In memory, those of the index take a fifth of the
# time, and those of the engine half. The other fault tests write outputs that bypass the page cache, so they use the disk: before
# Linux 6.6, files in memory cannot do this.
SYNCING = (
    "lookalike-index",
    "lookalike-engine against",
    "lookalike-engine law",
    "lookalike-engine faults tables",
    "lookalike-engine faults a_run_",
)
MEMORY = pathlib.Path("/dev/shm")


def environment(name):
    """Returns the environment of a program's tests."""
    in_memory = name.startswith(SYNCING) and "TMPDIR" not in os.environ
    if in_memory and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 2 << 30:
        return {**os.environ, "TMPDIR": str(MEMORY)}
    return None


def guess(name):
    """Returns a number that is larger for programs that take longer."""
    return next((100 - place for place, long in enumerate(LONG) if name.startswith(long)), 1)


def git(*args):
    return subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def changed_files(base):
    """Returns the names of files that changed after this branch left `base`, committed or not."""
    start = git("merge-base", "HEAD", base).strip()
    names = git("diff", "--name-only", start) + git("ls-files", "--others", "--exclude-standard")
    return sorted(set(names.splitlines()))


def packages():
    """Returns the workspace's packages: name → (folder, names of the packages that it needs)."""
    ask = ["cargo", "metadata", "--no-deps", "--locked", "--format-version", "1"]
    listed = json.loads(subprocess.run(ask, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)["packages"]
    names = {package["name"] for package in listed}
    return {
        package["name"]: (
            pathlib.Path(package["manifest_path"]).parent.relative_to(ROOT).as_posix(),
            {needed["name"] for needed in package["dependencies"]} & names - {package["name"]},
        )
        for package in listed
    }


def concerned(files, known):
    """Returns the packages with changed files, and their dependents; if a file that all packages use changed, returns all."""
    everything = re.compile(r"Cargo\.(toml|lock)$|\.cargo/|rust-toolchain|testdata/")
    if any(everything.match(file) for file in files):
        return set(known)
    found = {name for name, (folder, _) in known.items() if any(file.startswith(folder + "/") for file in files)}
    while more := {name for name, (_, needs) in known.items() if needs & found} - found:
        found |= more
    return found


def programs(arguments, known):
    """Builds the tests; returns (package, name, command, folder) for each program, or for each test of a divided one."""
    build = ["cargo", "test", *arguments, "--no-run", "--message-format", "json-render-diagnostics"]
    done = subprocess.run(build, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    packages_by_folder = {ROOT / folder: name for name, (folder, _) in known.items()}
    found = []
    for message in map(json.loads, done.stdout.splitlines()):
        if message["reason"] == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            folder = pathlib.Path(message["manifest_path"]).parent
            package, target = packages_by_folder[folder], message["target"]
            name = target["name"] if target["kind"] == ["test"] else target["kind"][0]
            program = (package, f"{package} {name}", [message["executable"], "--quiet"], folder)
            found += divided(*program) if program[1] in DIVIDED else [program]
    return found


def divided(package, name, command, folder):
    """Divides a program into its tests."""
    listed = subprocess.run([*command, "--list", "--format", "terse"], stdout=subprocess.PIPE, text=True, check=True).stdout
    tests = re.findall("^(.+): test$", listed, re.MULTILINE)
    return [(package, f"{name} {test}", [*command, "--exact", test], folder) for test in tests]


class Runs:
    """Programs that run in parallel; each is reported when it ends."""

    def __init__(self, times):
        self.times = times
        self.failed = []
        self.lock = threading.Lock()

    def one(self, test):
        _, name, command, folder = test
        start = time.monotonic()
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run(command, cwd=folder, env=environment(name), **output)
        seconds = time.monotonic() - start
        with self.lock:
            count = re.findall(rb"(\d+) passed", done.stdout)
            if done.returncode:
                sys.stdout.flush()
                sys.stdout.buffer.write(done.stdout)
                self.failed.append(name)
            else:
                self.times[name] = round(seconds, 1)
            number = int(count[0]) if count else 0
            passed = "1 test" if number == 1 else f"{number or 'no'} tests"
            print(f"{'FAILED' if done.returncode else 'ok'}  {name}: {passed}, {seconds:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changed-since", metavar="BRANCH", help="run only tests that a change since BRANCH affects")
    parser.add_argument("cargo", nargs="*", help="arguments for cargo test")
    args = parser.parse_args()
    known = packages()
    # One command builds all tests, affected or not: for a part of the workspace, cargo would choose other features and rebuild
    # the dependencies.
    tests = programs(args.cargo, known)
    if args.changed_since:
        chosen = concerned(changed_files(args.changed_since), known) | {"lookalike-cli"}
        tests = [test for test in tests if test[0] in chosen]
    kept = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "test-times.json"
    try:
        times = json.loads(kept.read_text())
    except (OSError, ValueError):
        times = {}
    tests.sort(key=lambda test: -times.get(test[1], guess(test[1])))
    runs = Runs(times)
    with ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
        list(pool.map(runs.one, tests))
    kept.write_text(json.dumps(times, indent=1, sort_keys=True) + "\n")
    if runs.failed:
        sys.exit(f"failed: {', '.join(sorted(runs.failed))}")


if __name__ == "__main__":
    main()
