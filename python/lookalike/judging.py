"""Evaluate methods on a collection, as the command's `eval` does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Unpack

from lookalike.config import ShinglesConfig
from lookalike.errors import ConfigError, EvaluationError
from lookalike.files import names_of
from lookalike.keywords import check
from lookalike.kinds import Wanted, kind_of, numbered, sound

_Path = str | os.PathLike[str]
_Pair = tuple[str | int, str | int] | tuple[str | int, str | int, float]


class Evaluation:
    """What each method found and dropped, compared with the ground truth."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.truth: dict[str, Any] = found["truth"]
        """The ground truth: its kind, the number of judged documents, and the number of their pairs."""
        self.parameters: dict[str, Any] = found["parameters"]
        """The shared settings, which apply to the ground truth and to every run that does not override them."""
        self.runs: list[dict[str, Any]] = found["runs"]
        """One dictionary per method, with all figures of the command's `eval --json`."""

    def __repr__(self) -> str:
        rows = [("method", "precision", "recall", "dropped", "wrong", "missed", "s")]
        for run in self.runs:
            pairs, drops = run["pairs"], run["drops"]
            shares = [f"{pairs[name]['value']:.4f}" if pairs[name] else "-" for name in ("precision", "recall")]
            counts = [f"{count:,}" for count in (run["dropped"], drops["wrong"], drops["missed"])]
            rows.append((run["label"], shares[0], shares[1], counts[0], counts[1], counts[2], f"{run['seconds']:.2f}"))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = []
        for name, *figures in rows:
            cells = (figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=True))
            lines.append("  ".join([name.ljust(widths[0]), *cells]))
        return "\n".join(lines)


def evaluate(
    data: Any,
    text: str = "text",
    id: str | None = None,
    threshold: float | None = None,
    *,
    sample: int | None = None,
    labels: str | None = None,
    truth: _Path | Iterable[_Pair] | None = None,
    runs: Sequence[str] = (),
    repeat: int = 1,
    measure: Literal["resemblance", "containment"] = "resemblance",
    skip_bad: _Path | None = None,
    encoding: str | None = None,
    all_splits: bool = False,
    threads: int = 0,
    memory: int | str | None = None,
    temp_dir: _Path | None = None,
    **config: Unpack[ShinglesConfig],
) -> Evaluation:
    """Evaluate methods on a collection against ground truth, as the command `lookalike eval` does.

    The ground truth is one of these: `sample`, a number of random documents whose exact similarities with all other documents are
    computed (this needs no prior knowledge); `labels`, a column or field that has the same value in documents that belong
    together; `truth`, all similar pairs, either as tuples (two ids and, if known, their similarity) or as a file of pairs.

    `runs` are the methods to evaluate, each as flags of the command, such as "--method simhash --bits 128", or "" for the default
    `dedup`. Without `runs`, all methods are evaluated. Each run is a separate process, so that its time and memory are measured
    separately. Data in memory is written to a temporary file for these processes.

    For files, `encoding` is the encoding of CSV and JSON Lines that are not UTF-8, and `all_splits` reads all splits of a dataset
    in a folder, such as train and test.

    >>> import lookalike
    >>> texts = [f"one two three four five six seven {number}" for number in range(20)]
    >>> lookalike.evaluate(texts, sample=20, threshold=0.5, runs=[""]).runs[0]["pairs"]["recall"]["value"]
    1.0
    """
    own: dict[str, Any] = {
        "text": text,
        "id": id,
        "threshold": threshold,
        "sample": sample,
        "labels": labels,
        "repeat": repeat,
        "measure": measure,
    }
    own |= {"skip_bad": skip_bad, "encoding": encoding, "all_splits": all_splits}
    own |= {"threads": threads, "memory": memory, "temp_dir": temp_dir}
    check("evaluate", {**own, **config}, [*own, "truth", "runs", *ShinglesConfig.__annotations__], needed=("text",))
    if sum(given is not None for given in (sample, labels, truth)) != 1:
        raise ConfigError("exactly one ground truth is needed; give sample=, labels= or truth=")
    sets = config.get("tokens") == "items"
    with tempfile.TemporaryDirectory(prefix="lookalike-", dir=temp_dir) as folder:
        named, called, written = names_of(data), id, None
        if named is None:
            kind, written = kind_of(data), os.path.join(folder, "texts.jsonl")
            others = [other for other in (id, labels) if other]
            wanted = Wanted(type(data).__name__, text, others, folder, sets=sets, all_splits=all_splits, only_read=True)
            texts = kind.texts(wanted)
            if called is None:
                called, texts = numbered(texts)
            texts.write(written)
            named = [written]
        flags = [
            "--set-field" if sets else "--text-field",
            text,
            *_flag("id-field", called),
            *_flag("threshold", threshold),
            "--measure",
            measure,
        ]
        flags += [*_flag("sample", sample), *_flag("labels", labels), "--repeat", str(repeat), "--threads", str(threads)]
        flags += [*_flag("skip-bad", skip_bad), *_flag("temp-dir", temp_dir), *_flag("memory", memory), *_shingles(config)]
        flags += [*_flag("encoding", encoding), *(["--all-splits"] if all_splits else [])]
        if truth is not None:
            flags += ["--truth", _truth(truth, folder)]
        flags += [f"--run={run}" for run in runs]
        command = [sys.executable, "-m", "lookalike", "eval", "--json", "--quiet", *flags, "--", *named]
        ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if ran.returncode != 0:
        words = ran.stderr.strip().removeprefix("error: ")
        if written is not None:
            # The line numbers refer to our temporary file, which the caller does not know.
            lines = re.compile(re.escape(written) + r":(\d+)")
            words = lines.sub(lambda line: f"{type(data).__name__} row {int(line[1]) - 1}", words)
        raise EvaluationError(words or f"eval ended with {ran.returncode}")
    return Evaluation(json.loads(ran.stdout))


def _flag(name: str, value: object) -> list[str]:
    return [] if value is None else [f"--{name}", str(value)]


def _shingles(config: ShinglesConfig) -> list[str]:
    flags: list[str] = []
    for name, value in config.items():
        match name, value:
            case "folds", dict():
                asked = ",".join(fold for fold, on in value.items() if on)
                flags += ["--fold", asked] if asked else []
            case "anchors" | "fold", [_, *_]:
                flags += [f"--{name}", ",".join(map(str, value))]
            case (_, [] | () | None) | ("tokens", "items"):
                pass
            case "fingerprint", {"kind": kind, **rest}:
                flags += ["--fingerprint", str(kind), *_flag("degree", rest.get("degree"))]
            case _:
                flags += [f"--{name}", str(value)]
    return flags


def _truth(truth: _Path | Iterable[_Pair], folder: str) -> str:
    if isinstance(truth, (str, os.PathLike)):
        return os.fspath(truth)
    name = os.path.join(folder, "truth.jsonl")
    with open(name, "w", encoding="utf-8") as out:
        for a, b, *similarity in sound("truth", truth):
            line = {"a": a, "b": b, **({"similarity": similarity[0]} if similarity else {})}
            # A number that is not a Python number is a numpy scalar.
            out.write(json.dumps(line, default=lambda number: number.item()) + "\n")
    return name
