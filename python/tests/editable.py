"""Make the package importable in the environment of this interpreter, as it is in the repository: `editable.py FOLDER`.

FOLDER has the module that cargo built for the tests. maturin would build parts of it again, because it names an interpreter to
pyo3, which the stable interface does not need.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = """#!{python}
from lookalike.__main__ import main

raise SystemExit(main())
"""


def main(built: Path) -> None:
    # A process that has loaded the old module keeps it, because the new one is another file.
    new = ROOT / "python/lookalike/.new.so"
    shutil.copyfile(built / "lib_lookalike.so", new)
    os.replace(new, ROOT / "python/lookalike/_lookalike.abi3.so")
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    packages = Path(sysconfig.get_path("purelib"))
    (packages / "lookalike.pth").write_text(f"{ROOT / 'python'}\n")
    described = packages / f"lookalike-{version}.dist-info"
    described.mkdir(exist_ok=True)
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: lookalike\nVersion: {version}\n")
    command = Path(sysconfig.get_path("scripts")) / "lookalike"
    command.write_text(COMMAND.format(python=sys.executable))
    command.chmod(0o755)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
