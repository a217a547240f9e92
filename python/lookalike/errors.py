"""Exceptions: a few classes, and attributes that show where an error is and what it concerns.

`Error` is the base class. Each exception has `path`, `line`, `field` and `option`, which are None if they are unknown, so a
program does not need to parse the message. The message explains what is wrong and what to do instead.
"""

from __future__ import annotations

import builtins as _builtins

from lookalike import _lookalike


class Error(Exception):
    """The base class of the exceptions of this package.

    Its message is a single line of bounded length, in which control characters of data and names are escaped. It is safe to print
    on a terminal, whatever the data is.

    Attributes:
        path: The file or URL, or the name that messages use for a collection in memory.
        line: The number of a line or a record, from 1; for a collection in memory the row, from 0.
        field: The field or column of the record.
        option: The keyword argument that caused the error, or that solves it.

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
    """A setting has an invalid value, two settings cannot be combined, or two sketches were made with different settings."""


class InputError(Error, OSError):
    """An input cannot be found, opened, read or decompressed, or it does not have a requested column.

    `errno` is the system's error number if the error came from the system.
    """


class RecordError(InputError, ValueError):
    """A document is not a usable record: for example, its text is not a string, or another document has the same id."""


class OutputError(Error, OSError):
    """An output or a temporary file cannot be written.

    `errno` is the system's error number if the error came from the system.
    """


class LockedError(Error, OSError):
    """An index is open for writing already, in this or another process."""


class ClosedError(Error, ValueError):
    """An index is closed, or was opened before this process was forked."""


class UnknownIdError(Error, KeyError):
    """No document of an index has this id."""

    # A `KeyError` shows its message in quotes.
    __str__ = Exception.__str__


class FormatError(Error, ValueError):
    """Stored bytes are of an unexpected kind or version, or they are damaged."""


class Interrupted(Error, _builtins.InterruptedError):  # noqa: N818
    """A run was ended from outside; if the cause is known, such as `KeyboardInterrupt`, that exception is raised instead."""


class InternalError(Error, RuntimeError):
    """An internal error of lookalike; please report it."""


class EvaluationError(Error, RuntimeError):
    """A run of `evaluate`, which is a separate process, failed; the message is what that process reported."""
