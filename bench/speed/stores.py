"""`make bench-stores`: compares runs on a collection in a store on this machine with runs on the same file, in turn.

One store is serve-object, our own server with as little overhead as possible. The others are full S3 servers: s3rver (npm)
streams files, and moto's server (PyPI) holds them in memory. A server shares the cores with the run, so its own cost is measured
in the same turn with curl, which reads the object as often as the run does and discards it. Then everything is measured again
with separate cores: the server on the first core, and all runs on the others, including the runs on the file. Prints medians.

s3s-fs is not used: to compute the tag, it reads the whole object again for each range.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from statistics import median

import measuring
from measuring import TICK, lookalike, measure

KEYS = {"AWS_ACCESS_KEY_ID": "S3RVER", "AWS_SECRET_ACCESS_KEY": "S3RVER", "AWS_REGION": "us-east-1"}
SIGNED = ["--aws-sigv4", "aws:amz:us-east-1:s3", "--user", "S3RVER:S3RVER", "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD"]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def started(process: subprocess.Popen, port: int) -> None:
    """Waits until a server answers."""
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1).read()
        except urllib.error.HTTPError:
            return
        except OSError:
            if process.poll() is not None:
                sys.exit(f"the store ended with {process.returncode}")
            time.sleep(0.1)
        else:
            return
    sys.exit("the store does not answer")


def serve(server: str, folder: Path, files: list[Path], cores: set[int]) -> tuple[subprocess.Popen, int]:
    """Starts a store with these files in a bucket, on these cores; this process also uses only these cores from now on."""
    port, name = free_port(), Path(server).name
    if name == "moto_server":
        command = [server, "-H", "127.0.0.1", "-p", str(port)]
    elif name == "s3rver":
        folder.mkdir()
        command = ["node", server, "--directory", str(folder), "--address", "127.0.0.1", "--port", str(port), "--silent"]
    else:
        command = [server, str(port), *map(str, files)]
    os.sched_setaffinity(0, cores)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started(process, port)
    if name in ("moto_server", "s3rver"):
        put = ["curl", "-sf", *SIGNED, "-X", "PUT"]
        subprocess.run([*put, f"http://127.0.0.1:{port}/bucket"], check=True)
        for file in files:
            subprocess.run([*put, "-T", str(file), f"http://127.0.0.1:{port}/bucket/{file.name}"], check=True)
    return process, port


def cpu_of(pid: int) -> float:
    """Returns the CPU seconds of a running process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def compare(server: int, port: int, file: Path, folder: str, runs: int) -> dict:
    """Measures a file and the object, in turn."""
    os.environ.update(KEYS, AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")
    measuring.warm(file)
    url = f"http://127.0.0.1:{port}/bucket/{file.name}"
    run = [lookalike(), "dedup", "-q", "--temp-dir", folder, "-o", f"{folder}/kept.jsonl"]
    contestants = {
        "file": [*run, str(file)],
        "store": [*run, f"s3://bucket/{file.name}"],
        "curl, twice": ["curl", "-sf", *SIGNED, "-o", "/dev/null", url, "-o", "/dev/null", url],
    }
    costs: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(runs):
        for contestant, command in contestants.items():
            before = cpu_of(server)
            cost, _ = measure(command)
            costs.setdefault(contestant, []).append((cost.wall_s, cost.cpu_s, cpu_of(server) - before))
    medians = {contestant: [round(median(values), 3) for values in zip(*all_, strict=True)] for contestant, all_ in costs.items()}
    ratio = round(medians["store"][0] / medians["file"][0], 3)
    print(f"{file.name}: {ratio} times the file's time", flush=True)
    for contestant, (wall, cpu, served) in medians.items():
        print(f"  {contestant}: {wall:.2f} s, {cpu:.2f} s of CPU, the server's {served:.2f} s", flush=True)
    told = {
        contestant: dict(zip(("wall_s", "cpu_s", "server_cpu_s"), values, strict=True)) for contestant, values in medians.items()
    }
    return {"megabytes": file.stat().st_size / 1e6, "medians": told, "times_the_file": ratio}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inputs", nargs="+", type=Path)
    parser.add_argument("--server", action="append", required=True, help="serve-object, s3rver or moto_server")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path, help="also write the figures to this JSON file")
    args = parser.parse_args()
    figures = {}
    all_cores = os.sched_getaffinity(0)
    first = {min(all_cores)}
    together, apart = (all_cores, all_cores), (first, all_cores - first)
    for server, (its, ours) in [(server, cores) for server in args.server for cores in (together, apart)]:
        name = Path(server).name + (", apart" if its == first else "")
        print(name, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            process, port = serve(server, Path(folder) / "store", args.inputs, its)
            os.sched_setaffinity(0, ours)
            try:
                figures[name] = {file.name: compare(process.pid, port, file, folder, args.runs) for file in args.inputs}
            finally:
                process.terminate()
                process.wait()
                os.sched_setaffinity(0, all_cores)
    if args.out:
        args.out.write_text(json.dumps({**measuring.machine(), "runs": args.runs, "servers": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
