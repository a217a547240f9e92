"""Removes repeated bytes with text-dedup's `suffix_array`.

It runs Google's ExactSubstr from the clone in the folder REPOSITORY. It joins the texts without separators, so a run can begin in
one text and end in the next one.
"""

import os
import subprocess
import sys
from pathlib import Path

import exchange


def main() -> None:
    """Runs its command, and writes the data set that it saves as JSON Lines."""
    args = exchange.for_runs_of_bytes(__doc__.split("\n")[0])
    work = args.work.absolute()
    command = [sys.executable, "-m", "text_dedup.suffix_array", "--path", "json", "--data_files", str(args.input.absolute())]
    command += ["--split", "train", "--column", "text", "--output", str(work / "saved"), "--cache_dir", str(work / "cache")]
    command += ["--google_repo_path", str(args.repository.absolute()), "--k", str(args.bytes), "--num_proc", str(args.threads)]
    # It starts `python`, which must be the one with numpy.
    path = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "HF_HUB_OFFLINE": "1"}
    subprocess.run(command, check=True, env={**os.environ, **path}, stdout=sys.stderr)
    from datasets import load_from_disk

    exchange.write(args.output, ((row["id"], row["text"]) for row in load_from_disk(str(work / "saved"))))


if __name__ == "__main__":
    main()
