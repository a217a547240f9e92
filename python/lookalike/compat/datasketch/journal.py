"""A file with the changes of an index of signatures, from which the index is built again.

The folder has two files: `lock`, which the writing process locks, and `journal`. The journal begins with 8 magic bytes. Records
follow: the length of the content (4 bytes), a hash of the length (4 bytes), a hash of the content (8 bytes), the content, and
the byte a5. Both hashes depend on the position. Numbers are little-endian. The first record is JSON: the version and the
settings. Any other record is a list of changes that were made in one step.

If the file ends inside a record, or if a record is invalid and the last byte of the file is zero, the record was never
complete, and is cut off. Any other invalid record is damage.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from typing import Any, BinaryIO, cast

from lookalike.errors import ClosedError, ConfigError, FormatError, LockedError, OutputError

_MAGIC = b"\x89LKDSK\n\x1a"
_VERSION = 1
_HEAD, _END = 16, b"\xa5"

Change = tuple[str, Any, list[bytes]]
"""`"insert"` with a key and its bands, `"remove"` with a key, or `"scheme"` with the name of the scheme."""

_NAMES = ("insert", "remove", "scheme")


class Journal:
    """The journal of one index. One process can write it, and any number can read it."""

    def __init__(self, folder: str, settings: dict[str, Any], readonly: bool) -> None:
        self._folder, self._settings, self._readonly = folder, settings, readonly
        self._path = os.path.join(folder, "journal")
        self._lock: BinaryIO | None = None
        self._file: BinaryIO | None = None
        self._process = os.getpid()
        self._waiting: list[bytes] = []
        self._buffer = 0
        self._failed = False
        if not readonly:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            self._lock = _locked(os.path.join(folder, "lock"), folder)

    def read(self) -> list[Change]:
        """Return all changes, and open the file for writing unless the index is only read.

        Raises `FormatError` if the file is damaged, and `ConfigError` if the index has other settings.
        """
        try:
            with _opened(self._path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            if self._readonly:
                raise
            self._replace([])
            return []
        if data[: len(_MAGIC)] != _MAGIC:
            raise FormatError(f"{self._path}: not the journal of an index; give another path", path=self._path)
        records, end = _records(data, self._path)
        self._agree(next(records, b""))
        changes = [change for content in records for change in _changes(content, self._path)]
        if self._readonly:
            return changes
        live = sum(1 if name == "insert" else -1 for name, _, _ in changes if name != "scheme")
        if len(changes) > 2 * live + 1000:
            changes = _remaining(changes)
            self._replace(changes)
            return changes
        self._file = _opened(self._path, "r+b")
        if end() < len(data):
            self._file.truncate(end())
            os.fsync(self._file.fileno())
        self._file.seek(0, os.SEEK_END)
        return changes

    def buffer(self, count: int) -> None:
        """Write changes in groups of `count` until `flush` is called."""
        self._buffer = max(count, 1)

    def append(self, changes: Iterable[Change]) -> None:
        """Write changes. When this returns they are on the disk, unless they are buffered."""
        self._check()
        # A key of a wrong type is refused before anything changes.
        self._waiting += [_encoded(change) for change in changes]
        if len(self._waiting) >= self._buffer:
            self._write()

    def flush(self) -> None:
        """Write all buffered changes, and buffer no more."""
        self._buffer = 0
        if self._waiting:
            self._write()

    def close(self) -> None:
        """Write all buffered changes, and let another process write the index."""
        try:
            if not self._failed and self._process == os.getpid():
                self.flush()
        finally:
            for file in (self._file, self._lock):
                if file is not None:
                    file.close()
            self._file = self._lock = None

    def _check(self) -> None:
        if self._readonly:
            raise OutputError(f"{self._path}: the index was opened for reading", path=self._path)
        if self._failed:
            raise OutputError(f"{self._path}: a write failed; open the index again when this is mended", path=self._path)
        if self._file is None:
            raise ClosedError(f"{self._path}: the index is closed; open it again", path=self._path)
        if self._process != os.getpid():
            words = f"{self._path}: the index was opened before this process was forked; open it again in this process"
            raise ClosedError(words, path=self._path)

    def _write(self) -> None:
        self._check()
        assert self._file is not None
        changes, self._waiting = self._waiting, []
        start = self._file.tell()
        # After a failed write or sync, it is unknown what is on the disk.
        self._failed = True
        try:
            self._file.write(_record(start, b"".join(changes)))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError:
            with suppress(OSError):
                self._file.truncate(start)
            raise
        self._failed = False

    def _agree(self, content: bytes) -> None:
        """Check the first record.

        Raises `FormatError` for another version, and `ConfigError` for other settings.
        """
        try:
            head = json.loads(content)
        except ValueError:
            raise FormatError(f"{self._path}: damaged: its settings cannot be read", path=self._path) from None
        if head["version"] != _VERSION:
            words = f"{self._path}: a journal of version {head['version']}, but this release reads version {_VERSION}"
            raise FormatError(words, path=self._path)
        if head["settings"] != self._settings:
            words = f"{self._path}: the index was made with {head['settings']}, not with {self._settings}; use the same arguments"
            raise ConfigError(words, path=self._path)

    def _replace(self, changes: list[Change]) -> None:
        """Write a new journal under another name, and rename it."""
        head = json.dumps({"version": _VERSION, "settings": self._settings}).encode()
        data = bytearray(_MAGIC)
        data += _record(len(data), head)
        if changes:
            data += _record(len(data), b"".join(map(_encoded, changes)))
        new = f"{self._path}.new"
        # A process that was killed may have left this file.
        with suppress(FileNotFoundError):
            os.unlink(new)
        with _opened(new, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self._path)
        _sync_folder(self._folder)
        self._file = _opened(self._path, "r+b")
        self._file.seek(0, os.SEEK_END)


def _hash(start: int, content: bytes, size: int) -> bytes:
    return blake2b(start.to_bytes(8, "little") + content, digest_size=size).digest()


def _record(start: int, content: bytes) -> bytes:
    length = len(content).to_bytes(4, "little")
    return length + _hash(start, length, 4) + _hash(start, content, 8) + content + _END


def _records(data: bytes, path: str) -> tuple[Iterator[bytes], Any]:
    """Return the contents of all records, and a function that returns the end of the last one that was read."""
    at = len(_MAGIC)

    def each() -> Iterator[bytes]:
        nonlocal at
        while at < len(data):
            start = at + _HEAD
            length, of_length, of_content = data[at : at + 4], data[at + 4 : at + 8], data[at + 8 : start]
            end = start + int.from_bytes(length, "little") + len(_END)
            content = data[start : end - len(_END)]
            has_length = of_length == _hash(at, length, 4)
            if not has_length or of_content != _hash(at, content, 8) or data[end - 1 : end] != _END:
                if len(data) < start or (has_length and len(data) < end) or data[-1] == 0:
                    return
                raise FormatError(f"{path}: damaged at byte {at}; create the index again, or use an intact copy", path=path)
            yield content
            at = end

    return each(), lambda: at


def _sized(data: bytes) -> bytes:
    return len(data).to_bytes(4, "little") + data


def _encoded(change: Change) -> bytes:
    name, key, bands = change
    return b"".join([bytes([_NAMES.index(name)]), _sized(_key(key)), len(bands).to_bytes(4, "little"), *map(_sized, bands)])


def _key(key: Any) -> bytes:
    if isinstance(key, bytes):
        return b"\0" + key
    if isinstance(key, str):
        return b"\1" + key.encode("utf-8", "surrogatepass")
    if isinstance(key, int) and not isinstance(key, bool):
        return b"\2" + str(key).encode()
    kind = type(key).__name__
    raise ConfigError(f"a persistent index has keys of the types str, bytes and int, not {kind}; use prepickle=True for others")


def _key_of(written: bytes) -> Any:
    kind, rest = written[0], written[1:]
    return rest if kind == 0 else rest.decode("utf-8", "surrogatepass") if kind == 1 else int(rest)


def _changes(content: bytes, path: str) -> Iterator[Change]:
    at = 0

    def take(count: int) -> bytes:
        nonlocal at
        at += count
        return content[at - count : at]

    def number() -> int:
        return int.from_bytes(take(4), "little")

    while at < len(content):
        kind = take(1)[0]
        if kind >= len(_NAMES):
            raise FormatError(f"{path}: damaged: an unknown change", path=path)
        key = _key_of(take(number()))
        yield _NAMES[kind], key, [take(number()) for _ in range(number())]


def _remaining(changes: list[Change]) -> list[Change]:
    """Return the changes that make the same index, without removed keys."""
    last = {key: number for number, (name, key, _) in enumerate(changes) if name == "remove"}
    return [change for number, change in enumerate(changes) if change[0] == "scheme" or number > last.get(change[1], -1)]


def _opened(path: str, mode: str) -> BinaryIO:
    """Open a file of the folder; a new one is for this user alone.

    Another user may have written to the folder, so a link is not followed, and a pipe is not waited for.
    """

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o600)

    try:
        return cast(BinaryIO, open(path, mode, opener=opener))
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise OutputError(f"{path}: is a link, which is not followed; remove it, or give another path", path=path) from None


def _locked(path: str, folder: str) -> BinaryIO:
    file = _opened(path, "a+b")
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        words = f'{folder}: the index is open for writing already; close it there, or open it with "readonly": True'
        raise LockedError(words, path=folder) from None
    return file


def _sync_folder(folder: str) -> None:
    if sys.platform == "win32":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
