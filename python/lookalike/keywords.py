"""The values that each keyword takes, and errors that name the keyword."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from lookalike.errors import ConfigError


class _Takes(NamedTuple):
    """The values that a keyword takes: a description, and a test of a value."""

    words: str
    fits: Callable[[Any], bool]


def _is_path(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, os.PathLike) and isinstance(os.fspath(value), str))


def _is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _is_switch(value: Any) -> bool:
    # `numpy.bool_` is not a `bool`.
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def _is_one_of(*names: str) -> _Takes:
    return _Takes(f"one of {', '.join(map(repr, names))}", lambda value: value in names if isinstance(value, str) else False)


def _is_listed(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value))


_NAME = _Takes("the name of a column or field, a str", lambda value: isinstance(value, str))
_PATH = _Takes("the name of a file or folder, a str or a pathlib.Path", _is_path)
_SWITCH = _Takes("True or False", _is_switch)
_COUNT = _Takes("a whole number of 1 or more", lambda value: _is_whole(value) and value >= 1)
_SHARE = _Takes("a number between 0 and 1", _is_number)
_SIZE = _Takes(
    'a whole number of bytes, or a size such as "512M" or "8G"',
    lambda value: isinstance(value, str) or (_is_whole(value) and value >= 0),
)
_KIND = _Takes("the name of a kind, a str, or a dictionary with its kind", lambda value: isinstance(value, (str, Mapping)))

_TAKES = {
    "text": _NAME,
    "id": _NAME,
    "labels": _NAME,
    "threshold": _Takes("a number above 0 and at most 1", _is_number),
    "recall": _SHARE,
    "keep": _Takes('"first", "longest", "newest:FIELD", "max:FIELD" or "min:FIELD"', lambda value: isinstance(value, str)),
    "measure": _is_one_of("resemblance", "containment"),
    "verify": _is_one_of("exact", "sketch", "none"),
    "preset": _is_one_of("quotations"),
    "tokens": _is_one_of("auto", "words", "chars", "lines", "jieba", "items"),
    "occurrences": _is_one_of("once", "labelled"),
    "one_to_one": _Takes('True, False or "auto"', lambda value: _is_switch(value) or value in ("auto", "yes", "no")),
    "format": _is_one_of("jsonl", "json", "csv", "text", "html", "warc", "parquet", "arrow"),
    "html": _is_one_of("text", "main"),
    "candidates": _KIND,
    "fingerprint": _KIND,
    "cluster": _KIND,
    "fold": _Takes('differences to ignore, such as "accents,digits" or a list', _is_listed),
    "folds": _Takes('a dictionary such as {"accents": True}', lambda value: isinstance(value, Mapping)),
    "shingle": _Takes("a whole number of tokens, 1 to 64", lambda value: value is None or _is_whole(value)),
    "anchors": _Takes('languages, such as "en,de" or a list', _is_listed),
    "method": _is_one_of("minhash", "simhash", "sentences", "exact", "shingle"),
    "permutations": _is_one_of("one", "many"),
    "features": _is_one_of("shingles", "tokens"),
    "digest": _is_one_of("xxh3", "md5"),
    "representative": _is_one_of("first", "popular"),
    "input_command": _Takes("a command, or a list of several", _is_listed),
    **dict.fromkeys(("and_field", "or_field"), _Takes("the name of a field, or a list of several", _is_listed)),
    **dict.fromkeys(("set_field", "against_text_field"), _NAME),
    "seed": _Takes("a whole number from 0 to below 2^64", lambda value: _is_whole(value) and 0 <= value < 2**64),
    "threads": _Takes("a whole number, 0 for one per core", lambda value: _is_whole(value) and value >= 0),
    **dict.fromkeys(("memory", "bytes_per_file"), _SIZE),
    "report_by": _NAME,
    "report_floor": _Takes("a number above 0 and at most threshold=", _is_number),
    "delimiter": _Takes("one character, a str", lambda value: isinstance(value, str)),
    "encoding": _Takes('the label of an encoding, such as "gbk"', lambda value: isinstance(value, str)),
    **dict.fromkeys(("label_prefix", "mark_prefix"), _Takes('a str, such as "near_"', lambda value: isinstance(value, str))),
    **dict.fromkeys(
        ("degree", "bands", "rows", "modulus", "common", "run_length", "bits", "distance", "blocks", "longest"),
        _Takes("a whole number of 0 or more", lambda value: _is_whole(value) and value >= 0),
    ),
    "store": _is_one_of("texts", "sets", "sketches"),
    "on_conflict": _is_one_of("fail", "skip", "replace"),
    "missing": _is_one_of("error", "ignore"),
    "least": _COUNT,
    "window": _Takes("a whole number from 1 to 1000", lambda value: _is_whole(value) and 1 <= value <= 1000),
    "more_than": _COUNT,
    "unit": _is_one_of("runs", "lines", "paragraphs", "sentences"),
    **dict.fromkeys(
        ("after", "limit", "min_tokens", "min_left", "recheck", "worst"),
        _Takes("a whole number of 0 or more", lambda value: _is_whole(value) and value >= 0),
    ),
    # The functions say what else is wrong with it.
    "within": _Takes('a str, such as "all" or the name of a field', lambda _: True),
    "by": _Takes('"host", "folder" or "field:NAME"', lambda value: isinstance(value, str)),
    "depth": _Takes("a whole number of 0 or more", lambda value: _is_whole(value) and value >= 0),
    "share": _SHARE,
    "share_of": _is_one_of("both", "either", "a", "b"),
    "changed": _Takes("True, or a number above 0 and at most 1", lambda value: _is_switch(value) or _is_number(value)),
    "common_sites": _COUNT,
    "sample": _COUNT,
    "nearest": _COUNT,
    "rows_per_file": _COUNT,
    "keep_per_group": _COUNT,
    "min_containment": _SHARE,
    "drop": _is_one_of("duplicates", "all"),
    "output_format": _is_one_of("jsonl", "json", "csv", "parquet", "arrow"),
    "repeat": _COUNT,
    "skip_bad": _Takes("True, or the name of a file", lambda value: isinstance(value, bool) or _is_path(value)),
    "kind": _is_one_of("removed", "kept", "clusters", "pairs", "decisions"),
    **dict.fromkeys(("right_by", "result_id", "cluster_field", "kept_field", "duplicate_of_field"), _NAME),
    **dict.fromkeys(("output", "decisions", "write_decisions", "cuts", "dolma", "report", "resume", "temp_dir", "truth"), _PATH),
    **dict.fromkeys(
        (
            "against_only",
            "drop_holders",
            "fold_www",
            "all_pairs",
            "dry_run",
            "exact",
            "label",
            "mark",
            "allow_repeated_ids",
            "gitignore",
            "all_splits",
            "progress",
            "readonly",
            "sets",
            "kept",
            "passages",
            "regions",
            "matches_only",
            "verbatim",
            "whole_lines",
            "by_position",
        ),
        _SWITCH,
    ),
}

# Other names for the keywords: those of the command's flags, and those of other tools.
_OTHERWISE = {
    "text_field": "text",
    "text_column": "text",
    "column": "text",
    "id_field": "id",
    "id_column": "id",
    "similarity": "threshold",
    "jaccard_threshold": "threshold",
    "ngram": "shingle",
    "ngram_size": "shingle",
    "workers": "threads",
    "n_jobs": "threads",
    "num_proc": "threads",
    "tmp_dir": "temp_dir",
    "references": "against",
}


# The command's flags that are not keywords, and the alternatives in Python.
NO_KEYWORDS = {
    "json": "report.summary contains what it prints about the run",
    "quiet": "nothing is printed; progress=False shows no bar",
    "summary": "report.summary contains what it writes about the run",
    "index": "lookalike.Index.create() makes an index, and its add() takes the same data",
    "no_decisions": "decisions are written only to the file that decisions= names",
    "help": "help(lookalike.dedup)",
}


def check(of: str, given: Mapping[str, Any], known: Iterable[str], needed: Sequence[str] = ("text", "threshold")) -> None:
    """Check that the function named `of` takes these keywords and values; None means *not given*, except for `needed` ones.

    Raises `TypeError` for an unknown keyword, and `ConfigError` for an invalid value.
    """
    known = list(known)
    for name, value in given.items():
        if name not in known:
            near = get_close_matches(name, known, 3, 0.6)
            otherwise = _OTHERWISE.get(name)
            meant = [otherwise] if otherwise in known else near
            advice = f"did you mean {' or '.join(f'{one}=' for one in meant)}?" if meant else "leave it out;"
            raise TypeError(
                f"{of}() got an unexpected keyword argument {name!r}; {advice} help(lookalike.{of}) lists all keywords"
            )
        if value is None and name not in needed:
            continue
        takes = _TAKES.get(name)
        if takes is not None and (is_data(value) or not takes.fits(value)):
            raise ConfigError(f"{name}= takes {takes.words}, not {_shown(value)}", option=name)
        if name == "threshold" and math.isnan(value):
            raise ConfigError("threshold= takes a number above 0 and at most 1, not nan", option=name)


def is_data(value: Any) -> bool:
    """Return whether a value is data of another library: if it is damaged, comparing or showing it ends the process."""
    return type(value).__module__.partition(".")[0] in ("pandas", "pyarrow", "datasets")


def _shown(value: Any) -> str:
    if is_data(value):
        return f"a {type(value).__name__}"
    words = repr(value)
    if len(words) > 60:
        words = f"{words[:57]}..."
    return words if isinstance(value, (str, bool)) or value is None else f"{words} ({type(value).__name__})"
