"""Files that are written as a whole or not at all, and through no link that somebody put there.

A path that a user gives may lead through links. Below a folder, where names are ours, none is
followed: neither when a file is written or removed nor when it is read to be compared.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath

from viewscribe.catalog_store.stores.files.storage import Directory, NotRegularError


def write_whole(path: str | os.PathLike[str], data: bytes, *, durable: bool = True) -> None:
    """Writes a file so that nobody ever sees a part of it; it takes the place of a link.

    What is there and no file is written to as it is: ``/dev/null`` stays a device.

    Args:
        path: the file.
        data: what will be in it.
        durable: whether it is to survive a power failure.

    Raises:
        OSError: it cannot be written; what was there is there still.
    """
    place = Path(path)
    if _is_stream(place):
        with place.open("ab") as stream:
            stream.write(data)
        return
    with Directory.open(str(place.parent)) as directory:
        directory.write(place.name, data, durable=durable)


def _is_stream(place: Path) -> bool:
    """Whether a path leads to no file, or to one as ``/dev/stdout`` does, which stays a link."""
    of_system = place.is_symlink() and place.parent.resolve().parts[1:2] in (("dev",), ("proc",))
    return place.exists() and (of_system or not place.is_file())


_NO_LIMIT = sys.maxsize - 1


def read_whole(path: str | os.PathLike[str], limit: int = _NO_LIMIT) -> bytes:
    """Returns what is in a file, which must be neither a link nor a pipe.

    Args:
        path: the file.
        limit: how many bytes it may have.

    Raises:
        OSError: it cannot be read, is larger, or something else is in its place.
    """
    place = Path(path)
    with Directory.open(str(place.parent)) as directory:
        return directory.read(place.name, limit)


def replace_own(path: str | os.PathLike[str], data: bytes, *marks: bytes) -> None:
    """Writes a file as a whole; one that is there must be empty or have a mark in its beginning.

    Raises:
        OSError: it cannot be written, or the file that is there is something else.
    """
    place = Path(path)
    if place.is_file():
        with place.open("rb") as stream:
            start = stream.read(_BEGINNING)
        if start.strip() and not any(mark in start for mark in marks):
            reason = "the file that is there is something else; remove it, or name another"
            raise FileExistsError(errno.EEXIST, reason, str(path))
    write_whole(place, data)


_BEGINNING = 2000


class Folder:
    """Files below a folder by their paths in it, ``a/b.sql``, which lead through no link.

    Args:
        root: the folder, which may be a link itself.
        durable: whether what is written is to survive a power failure.
    """

    def __init__(self, root: str | os.PathLike[str], *, durable: bool = True) -> None:
        self._root = os.fspath(root)
        self._durable = durable

    def read(self, path: str) -> bytes | None:
        """Returns what is in a file; None where there is none, or something else."""
        try:
            with self._open(path) as (directory, name):
                return directory.read(name, _NO_LIMIT)
        except (FileNotFoundError, NotADirectoryError, NotRegularError):
            return None

    def write(self, path: str, data: bytes) -> None:
        """Writes a file as a whole, and makes the folders that it is in."""
        with self._open(path, make=True) as (directory, name):
            directory.write(name, data, durable=self._durable)

    def remove(self, path: str) -> None:
        """Removes a file, and the folders that are empty without it."""
        with self._open(path) as (directory, name):
            directory.remove(name)
        for folder in [*PurePosixPath(path).parents][:-1]:
            try:
                os.rmdir(os.path.join(self._root, folder))
            except OSError:
                return

    @contextmanager
    def _open(self, path: str, *, make: bool = False) -> Iterator[tuple[Directory, str]]:
        """Opens the folder of a file, and says what the file is called there."""
        if "\0" in path:
            raise FileNotFoundError(errno.ENOENT, "no file has such a name", path)
        *folders, name = PurePosixPath(path).parts
        with ExitStack() as opened:
            directory = opened.enter_context(Directory.open(self._root))
            for each in folders:
                if make:
                    directory.make_child(each)
                directory = opened.enter_context(directory.child(each))
            yield directory, name
