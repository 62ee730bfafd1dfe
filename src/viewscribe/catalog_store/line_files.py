"""Files that a line is added to for each thing that happens: journals, and records of proofs."""

from __future__ import annotations

import fcntl
import os
import stat
from types import TracebackType
from typing import Self

from viewscribe.catalog_store.stores.files.storage import NotRegularError

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LineFile:
    """An open file of lines, which is made where it is missing; use it as a context manager.

    A process that is killed while it writes leaves a part of a line, as if it had not begun it.

    Args:
        path: the file.

    Raises:
        OSError: it cannot be opened, or a link or something else is in its place.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        fd = os.open(path, _FLAGS, 0o666)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise NotRegularError(os.fspath(path))
        self._file = os.fdopen(fd, "a+b")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def lock(self) -> bool:
        """Returns whether no other process works with the file; until it is closed none will."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def read(self) -> tuple[list[bytes], bytes]:
        """Returns the lines, without their ends, and what there is of one that is not whole."""
        self._file.seek(0)
        *lines, part = self._file.read().split(b"\n")
        return lines, part

    def cut(self, part: bytes) -> None:
        """Takes off what there is of the last line, as ``read`` gave it."""
        self._file.truncate(self._file.seek(0, os.SEEK_END) - len(part))

    def clear(self) -> None:
        """Takes off all lines."""
        self._file.truncate(0)

    def append(self, *lines: bytes, durable: bool = False) -> None:
        """Adds lines, for which others need not wait; ``durable`` ones survive a power failure."""
        self._file.write(b"".join(line + b"\n" for line in lines))
        self._file.flush()
        if durable:
            os.fsync(self._file.fileno())
