"""Print the licence texts of everything in the command's binary: `notices.py TARGET`.

The crates are those in the command for the target, without crates that only builds or tests need. The licence texts of the crates
come from their sources. A crate without a text gets the standard text of its licence, with its authors' names. Equal texts are
printed once.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
LICENSES = Path(__file__).parent / "licenses"

IS_LICENSE = re.compile(r"(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)

# The licence texts of third-party sources in a crate's folders. It is an error if a crate with C code is missing here.
VENDORED = {
    "zstd-sys": ["zstd/LICENSE"],
    "liblzma-sys": ["xz/COPYING", "xz/COPYING.0BSD"],
    "libmimalloc-sys": ["c_src/mimalloc/*/LICENSE"],
    "ring": ["third_party/fiat/LICENSE", "src/polyfill/once_cell/LICENSE-MIT"],
    "regex-syntax": ["src/unicode_tables/LICENSE-UNICODE"],
    "tracing-core": ["src/spin/LICENSE"],
}
# These crates end with -sys, but need no entry in VENDORED: the texts next to their manifests are complete.
COMPLETE = {"libbz2-rs-sys", "linux-raw-sys"}


class Crate(NamedTuple):
    """A crate and its licence texts."""

    name: str
    version: str
    license: str
    texts: list[str]

    @property
    def title(self) -> str:
        """The crate's name, and its version if it has one."""
        return f"{self.name} {self.version}".rstrip()


def output(*command: str) -> str:
    """Return the output of a program."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def crates(target: str) -> list[Crate]:
    """Return the crates of the command, except the project's own."""
    selected = ("--locked", "--target", target, "-p", "lookalike-cli", "--features", "full")
    tree = output("cargo", "tree", *selected, "-e", "normal", "--prefix", "none", "--format", "{p}")
    used = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    metadata = json.loads(output("cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", target))
    packages = [p for p in metadata["packages"] if p["source"] and (p["name"], f"v{p['version']}") in used]
    return [crate(package) for package in sorted(packages, key=lambda package: (package["name"], package["version"]))]


def crate(package: dict[str, Any]) -> Crate:
    """Return a crate with its texts."""
    name, license = package["name"], package["license"]
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and IS_LICENSE.match(path.name))
    # If a crate can be used under MIT alone, it is used under MIT.
    may_be_mit = "MIT" in re.split(r"\s+OR\s+|\s*/\s*", license)
    mit = [path for path in files if "mit" in path.name.lower()]
    texts = [path.read_text(errors="replace") for path in (mit if may_be_mit and mit else files)]
    if not texts:
        texts = [standard(name, license, package["authors"])]
    if name.endswith("-sys") and name not in COMPLETE and name not in VENDORED:
        raise SystemExit(f"{name}: contains third-party code; add the files with its licences to VENDORED in {__file__}")
    for pattern in VENDORED.get(name, []):
        found = sorted(folder.glob(pattern))
        if not found:
            raise SystemExit(f"{name}: has no {pattern}; add the files with its licences to VENDORED in {__file__}")
        texts += [path.read_text(errors="replace") for path in found]
    return Crate(name, package["version"], license, texts)


def standard(name: str, license: str, authors: list[str]) -> str:
    """Return the licence text for a crate without one."""
    holders = "Copyright (c) " + (", ".join(author.partition(" <")[0] for author in authors) or f"the {name} developers")
    if "MIT" in license:
        own = (ROOT / "LICENSE-MIT").read_text()
        return re.sub(r"^Copyright .*$", holders, own, count=1, flags=re.MULTILINE)
    if "Apache-2.0" in license:
        return f"{holders}\n\n{(ROOT / 'LICENSE-APACHE').read_text()}"
    path = LICENSES / f"{license}.txt"
    if not path.exists():
        raise SystemExit(f"{name}: contains no text of its licence, {license}; put the standard text into {path}")
    return f"{holders}\n\n{path.read_text()}"


def toolchain(target: str) -> Crate:
    """Return Rust's standard library, and for musl also the C library, which a static binary contains."""
    documents = Path(output("rustc", "--print", "sysroot").strip()) / "share/doc/rust"
    version = output("rustc", "--version").split()[1]
    texts = [(documents / name).read_text() for name in ("LICENSE-MIT", "COPYRIGHT") if (documents / name).exists()]
    texts = texts or [standard("rust", "MIT OR Apache-2.0", ["The Rust Project Developers"])]
    if "musl" in target:
        texts.append((LICENSES / "musl.txt").read_text())
    return Crate("the Rust standard library", version, "MIT OR Apache-2.0", texts)


def data() -> list[Crate]:
    """Return the third-party data in the core's folders."""
    texts = ROOT / "crates/lookalike/src/text"
    apache = (ROOT / "LICENSE-APACHE").read_text()
    return [
        Crate("jieba's dictionary", "", "MIT", [(texts / "dictionary/words.LICENSE").read_text()]),
        Crate("OpenCC's table of characters", "", "Apache-2.0", [apache]),
        Crate("NLTK's stop words", "", "Apache-2.0", [apache]),
        Crate("Stopwords ISO", "", "MIT", [standard("Stopwords ISO", "MIT", ["Gene Diaz"])]),
    ]


def notices(target: str) -> str:
    """Return the notices: a list of the crates, and each text with the crates that it belongs to."""
    all_crates = [toolchain(target), *data(), *crates(target)]
    texts: dict[str, tuple[str, list[str]]] = {}
    for each in all_crates:
        for text in each.texts:
            _, names = texts.setdefault(" ".join(text.split()), (text.strip("\n"), []))
            if each.title not in names:
                names.append(each.title)
    rule = "=" * 78
    lines = ["lookalike contains code of these projects, under these licences.", ""]
    lines += [f"{each.title}: {each.license}" for each in all_crates]
    for text, names in texts.values():
        lines += ["", rule, ", ".join(names), rule, "", text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(notices(sys.argv[1]))
