"""Pack a built command: `dist.py TARGET`, after `cargo build --release --target TARGET`; `make dist` does both.

This writes lookalike-VERSION-TARGET.tar.gz and its SHA-256 to target/dist. The archive has the command, its man pages and
completions, the licences of everything in the command, the README and the changelog. The command itself writes its man pages
and completions, so it must run on this machine. The same sources and binary give the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from notices import ROOT, notices

SHELLS = {
    "bash": "lookalike.bash",
    "zsh": "_lookalike",
    "fish": "lookalike.fish",
    "elvish": "lookalike.elv",
    "powershell": "_lookalike.ps1",
}
DOCUMENTS = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]


def said(*command: str | Path) -> str:
    """Return the output of a program."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main(target: str) -> None:
    """Make the archive."""
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    command = folder / target / "release" / "lookalike"
    version = said(command, "--version").split()[1]
    needs = libraries(command)
    if "musl" in target and needs != "nothing":
        raise SystemExit(f"{command}: must be static, but needs {needs}")
    name = f"lookalike-{version}-{target}"
    out = folder / "dist"
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        packed = Path(temporary) / name
        fill(packed, command, target)
        archive = out / f"{name}.tar.gz"
        pack(packed, archive)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    (out / f"{name}.tar.gz.sha256").write_text(f"{digest}  {archive.name}\n")
    sizes = f"{command.stat().st_size / 1e6:.1f} MB, packed with all {archive.stat().st_size / 1e6:.1f} MB"
    print(f"{archive}: the command has {sizes}; it needs {needs} on the machine")


def fill(packed: Path, command: Path, target: str) -> None:
    """Put everything into a folder."""
    (packed / "man").mkdir(parents=True)
    (packed / "completions").mkdir()
    executable = packed / "lookalike"
    executable.write_bytes(command.read_bytes())
    executable.chmod(0o755)
    said(command, "man", packed / "man")
    for shell, name in SHELLS.items():
        (packed / "completions" / name).write_text(said(command, "completions", shell))
    for document in DOCUMENTS:
        (packed / document).write_bytes((ROOT / document).read_bytes())
    (packed / "THIRD-PARTY.txt").write_text(notices(target))


def libraries(command: Path) -> str:
    """Return what a binary needs on its machine: nothing if it is static, else its libraries and the oldest suitable glibc."""
    dynamic = said("readelf", "--dynamic", "--wide", command)
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
    if not needed:
        return "nothing"
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", said("readelf", "--version-info", "--wide", command))
    newest = max(((int(major), int(minor)) for major, minor in versions), default=None)
    glibc = f" of glibc {newest[0]}.{newest[1]} or newer" if newest else ""
    return f"{', '.join(needed)}{glibc}"


def pack(folder: Path, archive: Path) -> None:
    """Pack a folder so that the archive depends only on its content, not on the time, the user or the file system's order."""
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime = epoch
        return info

    with (
        archive.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=epoch) as packed,
        tarfile.open(mode="w", fileobj=packed) as tar,
    ):
        # `add` sorts the entries of each folder by their names.
        tar.add(folder, arcname=folder.name, filter=plain)


if __name__ == "__main__":
    main(sys.argv[1])
