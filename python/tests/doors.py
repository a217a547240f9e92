"""Give damaged Arrow data to every argument of the package's own functions, which are found in the package.

`python doors.py` prints a line for each call: the function and the argument, and how the call ended. A line without an end is
written before each call, so that the last line names the call that ended the process.
"""

from __future__ import annotations

import inspect
import json
import sys
import tempfile
import typing
from itertools import count

import datasets
import lookalike
import numpy as np
import pandas as pd
import pyarrow as pa
from lookalike.compat import datasketch

ROWS = [{"id": f"d{number}", "text": f"one two three four five six {number}"} for number in range(3)]
# The arguments that a function needs, by their names.
USUAL = {
    "a": ROWS,
    "b": ROWS[:1],
    "crawl": ROWS,
    "data": ROWS,
    "decisions": "none.jsonl",
    "id": "x",
    "ids": ["x", "y", "z"],
    "inputs": "none.jsonl",
    "result": ["d1"],
    "text": "one two three",
    "texts": ["one two", "three four", "five six"],
}
# Two kinds show whether an argument is checked; `sound` and `kind_of` check the others in the same place.
KINDS = ("table", "series")
FOLDER = tempfile.mkdtemp()
NUMBERS = count()
MADE = {
    "Index": lambda: lookalike.Index.create(f"{FOLDER}/{next(NUMBERS)}"),
    "LshIndex": lookalike.LshIndex,
    "datasketch.MinHash": datasketch.MinHash,
    "datasketch.MinHashLSH": datasketch.MinHashLSH,
} | {name: getattr(lookalike, name) for name in ("MinHash", "Bottom", "Modulo", "SimHash")}


def damaged():
    """Make an object of each kind, with a column of strings that end far beyond their bytes."""
    held = np.zeros(4, np.int32)
    strings = pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(held), pa.py_buffer(b"abc")])
    table = pa.table({"id": ["a", "b", "c"], "text": strings, "cluster": strings, "minutiae": strings})
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    made = {
        "table": table,
        "batch": table.to_batches()[0],
        "array": table.column("text").chunk(0),
        "chunks": table.column("text"),
        "reader": table.to_reader(),
        "frame": frame,
        "series": frame["text"],
        "clusters": frame.set_index("id")["cluster"],
        "extension": frame["text"].array,
        "data set": datasets.Dataset(table),
        "stream": datasets.Dataset(table).to_iterable_dataset(),
    }
    held[:] = [0, 1, 2, 2**30]
    return made


def functions():
    """Yield the functions and methods of the package, with their names."""
    for module, before in ((lookalike, ""), (datasketch, "datasketch.")):
        for name in module.__all__:
            own = getattr(module, name)
            if before + name in MADE:
                methods = [method for method, _ in inspect.getmembers(own, callable) if not method.startswith("_")]
                yield from ((f"{before}{name}.{method}", None) for method in methods)
            elif inspect.isroutine(own):
                yield before + name, own


def arguments(function):
    """Return the names of a function's arguments and keywords, and whether each is given by its place and is needed."""
    names = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.VAR_KEYWORD:
            is_placed = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL)
            names[parameter.name] = is_placed, is_placed or parameter.default is parameter.empty
        elif parameter.annotation is not parameter.empty:
            for keywords in typing.get_args(typing.get_type_hints(function)[parameter.name]):
                names |= dict.fromkeys(typing.get_type_hints(keywords), (False, False))
    return names


def call(name, function, asked, kind):
    """Give damaged data of a kind to an argument; return how the call ended."""
    if function is None:
        made, _, method = name.rpartition(".")
        function = getattr(MADE[made](), method)
    placed, keywords = [], {"sample": 1} if name == "evaluate" and asked == "data" else {}
    for own, (is_placed, is_needed) in arguments(function).items():
        if own == asked or is_needed:
            value = damaged()[kind] if own == asked else USUAL.get(own, "x")
            if is_placed:
                placed += [value] * (2 if own == "crawls" else 1)
            else:
                keywords[own] = value
    try:
        function(*placed, **keywords)
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    return "answered"


def main(first):
    """Make all calls after the first ones, which an earlier process made."""
    number = 0
    for name, function in functions():
        own = function if function is not None else getattr(MADE[name.rpartition(".")[0]](), name.rpartition(".")[2])
        for asked in arguments(own):
            for kind in KINDS:
                number += 1
                if number > first:
                    print(json.dumps([number, name, asked, kind]), flush=True)
                    print(json.dumps([number, name, asked, kind, call(name, function, asked, kind)]), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
