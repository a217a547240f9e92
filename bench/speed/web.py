"""`make bench-web`: repeats AltaVista's experiment of 1997, with 30 million documents (150 GB) that are never on disk.

The generator is first timed alone, through a pipe. Then `lookalike dedup` runs it as often as needed, and the decisions are
compared with the generator's own truth. Fails if a drop is wrong, recall is below 0.99, or the memory limit was exceeded.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measuring
from measuring import lookalike

DOCUMENTS = 30_000_000


def generator_alone(command: list[str]) -> tuple[float, int]:
    """Returns wall-clock seconds and output bytes of the generator; its output is read from a pipe and discarded."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=False) as process:
        with subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL) as sink:
            process.stdout.close()
            output = process.stderr.read().decode()
            sink.wait()
        process.wait()
    if process.returncode != 0:
        sys.exit(f"the generator failed: {output}")
    return time.perf_counter() - start, int(output.split()[0])


def megabytes(size: str) -> float:
    """Returns the megabytes of a size in the notation of `--memory`, such as 300M or 4G."""
    return float(size[:-1]) * {"M": 1, "G": 1000}[size[-1]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder with the corpora")
    parser.add_argument("--scale", type=int, default=1, help="run a version of 1/SCALE of the size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--generator-threads", type=int, default=1)
    parser.add_argument("--temp", type=Path, help="folder for temporary files, decisions and truth [default: the system's]")
    parser.add_argument("--bound", type=float, default=3600, help="seconds of wall time")
    parser.add_argument("--out", type=Path, help="also write the figures to this JSON file")
    args = parser.parse_args()
    documents = DOCUMENTS // args.scale
    options = ["--data", str(args.data), "--documents", str(documents), "--seed", str(args.seed)]
    generator = [lookalike("make-web"), *options, "--threads", str(args.generator_threads)]

    with tempfile.TemporaryDirectory(dir=args.temp) as name:
        folder = Path(name)
        temp, truth, decisions = folder / "temp", folder / "truth", folder / "decisions.jsonl"
        temp.mkdir()
        alone_s, size = generator_alone([*generator, "--truth", str(truth), "--verbose"])
        command = [lookalike(), "dedup", "-o", "/dev/null", "--decisions", str(decisions), "--json"]
        command += ["--threads", str(args.threads), "--temp-dir", str(temp)]
        streamed = measuring.takes_commands()
        if streamed:
            command += ["--input-command", shlex.join(generator)]
        else:
            collection = folder / "web.jsonl"
            with collection.open("wb") as file:
                subprocess.run(generator, stdout=file, check=True)
            command.append(str(collection))
        if measuring.keeps_memory():
            command += ["--memory", args.memory]
        cost, summary = measuring.measure(command, temp, args.bound)
        judge = [lookalike("judge-web"), str(truth), str(decisions), *options]
        verdict = json.loads(subprocess.run(judge, stdout=subprocess.PIPE, check=True).stdout)
        decisions_mb = decisions.stat().st_size / 1e6

    gigabytes = size / 1e9
    record = {
        **measuring.machine(),
        "documents": documents,
        "gigabytes": round(gigabytes, 3),
        "memory": args.memory if measuring.keeps_memory() else None,
        "threads": args.threads,
        "generated": "as it is read" if streamed else "into a file first",
        "generator_alone_s": round(alone_s, 2),
        "generator_gb_per_s": round(gigabytes / alone_s, 3),
        "dedup": cost.record(),
        "decisions_mb": round(decisions_mb, 1),
        "verdict": verdict,
        "summary": json.loads(summary),
    }
    print(f"{documents:,} documents, {gigabytes:.1f} GB; generator alone {alone_s:.1f} s, {gigabytes / alone_s:.2f} GB/s")
    print(f"dedup: {cost.wall_s:.1f} s wall, {cost.cpu_s:.1f} s CPU plus {cost.generator_cpu_s:.1f} s of the generator, ", end="")
    print(f"{1000 * gigabytes / cost.wall_s:.0f} MB/s, {cost.peak_mb:.0f} MB of memory, {cost.temp_mb:.0f} MB of temporary files")
    print(f"without the generator: {cost.wall_s - alone_s:.1f} s if it ran once, {cost.wall_s - 3 * alone_s:.1f} s if thrice")
    print(f"recall {verdict['recall']:.6f}, wrong drops {verdict['wrong_drops']}, judged in {verdict['seconds']:.1f} s")
    if args.out:
        args.out.write_text(json.dumps(record, indent=1) + "\n")
    if verdict["wrong_drops"] or verdict["recall"] < 0.99:
        sys.exit("the answer is wrong")
    if measuring.keeps_memory() and cost.peak_mb > megabytes(args.memory):
        sys.exit(f"memory limit exceeded: used {cost.peak_mb:.0f} MB, allowed {args.memory}")


if __name__ == "__main__":
    main()
