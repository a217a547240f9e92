"""Exceptions: a few classes, and attributes that say where and what.

`Error` is the base of all. Each has `path`, `line`, `field` and `option`, which are None where they are not known, so that a
program need not read the message. The message says what is wrong and what to do instead.
"""

from __future__ import annotations

import builtins as _builtins

from lookalike import _lookalike


class Error(Exception):
    """The base of all that this package refuses.

    Its message is on one line, with control characters of data and names written out, and of bounded length: it may be printed
    on a terminal, whatever the data is.

    Attributes:
        path: The file or URL, or what a collection in memory is called.
        line: The number of a line or a record, from 1; in a collection in memory the row, from 0.
        field: The field or column of the record.
        option: The keyword argument that is to blame, or that helps.

    """

    def __init__(
        self,
        *words: object,
        path: str | None = None,
        line: int | None = None,
        field: str | None = None,
        option: str | None = None,
    ) -> None:
        super().__init__(*(_lookalike.message(word) if isinstance(word, str) else word for word in words))
        self.path = path
        self.line = line
        self.field = field
        self.option = option


class ConfigError(Error, ValueError):
    """A setting has a value that it cannot have, two settings do not go together, or two sketches were made by different ones."""


class InputError(Error, OSError):
    """An input cannot be found, opened, read or decompressed; or it has no such column.

    `errno` is the system's number where the system refused it.
    """


class RecordError(InputError, ValueError):
    """A document is no usable record: a text that is no string, an id that another has."""


class OutputError(Error, OSError):
    """An output or a temporary file cannot be written.

    `errno` is the system's number where the system refused it.
    """


class FormatError(Error, ValueError):
    """Stored bytes are not what they should be: of another kind, of another version, or damaged."""


class Interrupted(Error, _builtins.InterruptedError):  # noqa: N818
    """A run was ended from outside; what ended it is raised instead wherever it is known, such as `KeyboardInterrupt`."""


class InternalError(Error, RuntimeError):
    """A fault of lookalike's own: please report it."""


class EvaluationError(Error, RuntimeError):
    """A run of `evaluate` failed, each of which is a process of its own: what it said."""
