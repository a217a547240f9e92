"""Archives of documents, made by other programs."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
import zipfile

import lookalike
import pytest


def text(number: int) -> str:
    return " ".join(f"w{number % 30}x{word}" for word in range(50))


# The last two are alike to others.
TEXTS = {f"docs/{number % 5}/{number}.txt": text(number) for number in range(45)} | {
    "docs/é 文.md": text(101),
    "docs/" + "long" * 50 + ".txt": text(102),
    "docs/page.html": f"<p>{text(7)}</p>",
    "docs/big.txt": text(103) * 4000,
}
OTHERS = {"docs/picture.png": b"png", "docs/.hidden.txt": b"hidden"}


def members() -> dict[str, bytes]:
    return {name: text.encode() for name, text in sorted(TEXTS.items())} | OTHERS


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("folder")
    for name, content in members().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return decisions(folder, "")


def decisions(path, prefix: str) -> list[tuple]:
    _, report = lookalike.dedup(path)
    rows = report.decisions.to_pylist()
    assert {row["verdict"] for row in rows} == {"kept", "dropped"}

    def plain(name):
        return name and name.removeprefix(prefix)

    return sorted((plain(row["id"]), row["verdict"], row["reason"]) for row in rows)


def by_zipfile(path, method):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.mkdir("docs")
        for name, content in members().items():
            archive.writestr(name, content)


def by_tarfile(path, mode, form):
    with tarfile.open(path, mode, format=form) as archive:
        for name, content in members().items():
            info = tarfile.TarInfo(f"./{name}" if form == tarfile.GNU_FORMAT else name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_zipfile(tmp_path, expected, method):
    path = tmp_path / "a.zip"
    by_zipfile(path, method)
    assert decisions(path, f"{path}/") == expected


def test_zip_without_sizes_in_front(tmp_path, expected):
    """Python writes the sizes after a member if the file cannot be positioned."""

    class Pipe(io.RawIOBase):
        def __init__(self):
            self.bytes = b""

        def writable(self):
            return True

        def write(self, bytes):
            self.bytes += bytes
            return len(bytes)

    pipe = Pipe()
    by_zipfile(pipe, zipfile.ZIP_DEFLATED)
    path = tmp_path / "a.zip"
    path.write_bytes(pipe.bytes)
    assert decisions(path, f"{path}/") == expected


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("ending", ["tar", "tar.gz", "tgz", "tar.bz2", "tar.xz"])
def test_tarfile(tmp_path, expected, form, ending):
    path = tmp_path / f"a.{ending}"
    mode = {"tar": "w", "tar.gz": "w:gz", "tgz": "w:gz", "tar.bz2": "w:bz2", "tar.xz": "w:xz"}[ending]
    by_tarfile(path, mode, form)
    assert decisions(path, f"{path}/") == expected


@pytest.mark.parametrize("program", ["zip", "tar"])
def test_programs(tmp_path, expected, program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    for name, content in members().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    path = tmp_path / ("a.zip" if program == "zip" else "a.tar.gz")
    run = ["zip", "-q", path, "-@"] if program == "zip" else ["tar", "-czf", path, "-T", "-"]
    names = "".join(f"{name}\n" for name in members())
    subprocess.run(run, cwd=tmp_path, check=True, input=names.encode())
    assert decisions(path, f"{path}/") == expected


@pytest.mark.slow
def test_more_than_64_thousand_members(tmp_path):
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(66_000):
            archive.writestr(f"{number}.txt", f"text {number // 2}")
    _, report = lookalike.dedup(path, shingle=1, method="exact")
    assert (report.summary["documents"], report.summary["kept"]) == (66_000, 33_000)


def test_bombs_are_bounded_and_encrypted_members_are_named(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"x" * 50_000_000)
    bomb = bytearray(path.read_bytes())
    # The member says that it has ten bytes.
    at = bomb.rindex(b"PK\x01\x02")
    bomb[at + 24 : at + 28] = (10).to_bytes(4, "little")
    path.write_bytes(bomb)
    with pytest.raises(lookalike.errors.InputError, match=r"a\.zip/a\.txt"):
        lookalike.dedup(path)
    if shutil.which("zip"):
        (tmp_path / "s.txt").write_text("one two three")
        subprocess.run(["zip", "-q", "-P", "word", "s.zip", "s.txt"], cwd=tmp_path, check=True)
        with pytest.raises(lookalike.errors.InputError, match=r"s\.zip/s\.txt: is encrypted"):
            lookalike.dedup(tmp_path / "s.zip")


def test_kept_documents_are_written_as_records(tmp_path):
    path = tmp_path / "a.zip"
    by_zipfile(path, zipfile.ZIP_DEFLATED)
    output, report = lookalike.dedup(path, output=tmp_path / "kept.jsonl")
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert len(rows) == report.summary["kept"]
    assert all(row["text"] == TEXTS[row["id"].removeprefix(f"{path}/")] for row in rows)
