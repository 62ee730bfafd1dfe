"""Files in one directory: read without following links, published atomically.

Publishing writes a temporary file beside the target, flushes it to disk, renames it in one system
call and flushes the directory. A crash at any moment leaves the old or the new file. All calls are
relative to an open directory, so that nobody can swap a path under us.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from viewscribe.catalog_store.errors import StorageError, UnknownOutcomeError

TEMPORARY = ".tmp-"
"""The prefix of temporary files, reserved for them."""

_STALE_SECONDS = 3600.0
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# After these errors it is unknown whether the call took effect.
_UNCLEAR = frozenset([errno.EIO, errno.EINTR, errno.ESTALE, errno.ETIMEDOUT])
_NO_LINKS = frozenset([errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK])

_HINTS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "you have no permission",
    errno.EPERM: "you have no permission",
    errno.ELOOP: "symbolic links inside a catalog are not followed",
    errno.ENOTDIR: "a file or symbolic link is where a directory should be",
}


class TooLargeError(OSError):
    """A file is larger than the caller wants to read."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EFBIG, os.strerror(errno.EFBIG), path)


class NotRegularError(OSError):
    """A symbolic link or something else is where a file or a directory should be."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ELOOP, "a link, or something else, is in its place", path)


class Directory:
    """An open directory. Use as a context manager."""

    def __init__(self, fd: int, path: str) -> None:
        self.fd = fd
        self.path = path

    @classmethod
    def open(cls, path: str, *, shown: str | None = None) -> Directory:
        """Opens the directory at ``path``; follows a link, since the user named it."""
        return cls(os.open(path, _DIRECTORY_FLAGS), shown or path)

    def __enter__(self) -> Directory:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    def child(self, name: str) -> Directory:
        """Opens a directory in this one. Raises ``NotRegularError`` for a link."""
        if name == os.pardir:
            raise NotRegularError(self.join(name))
        try:
            fd = os.open(name, _DIRECTORY_FLAGS | os.O_NOFOLLOW, dir_fd=self.fd)
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP):
                raise NotRegularError(self.join(name)) from None
            raise
        return Directory(fd, self.join(name))

    def join(self, name: str) -> str:
        """Returns the path of ``name`` in this directory, for messages."""
        return os.path.join(self.path, name)

    def names(self) -> list[str]:
        """Returns the sorted names of all entries except temporary files."""
        return sorted(name for name in os.listdir(self.fd) if not name.startswith(TEMPORARY))

    def is_removed(self) -> bool:
        """Returns whether somebody removed the directory while it was open."""
        return os.fstat(self.fd).st_nlink == 0

    def exists(self, name: str) -> bool:
        """Returns whether there is an entry of that name, including a dangling link."""
        try:
            os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def is_file(self, name: str) -> bool:
        """Returns whether there is a regular file of that name."""
        try:
            found = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return stat.S_ISREG(found.st_mode)

    def read(self, name: str, limit: int, *, whole: bool = True) -> bytes:
        """Reads a regular file; unless ``whole``, only its first ``limit`` bytes.

        Raises ``FileNotFoundError``, ``NotRegularError``, ``TooLargeError``.
        """
        try:
            fd = os.open(name, _READ_FLAGS, dir_fd=self.fd)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                raise NotRegularError(self.join(name)) from None
            raise
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise NotRegularError(self.join(name))
            data = _read_up_to(fd, limit + 1 if whole else limit)
        finally:
            os.close(fd)
        if whole and len(data) > limit:
            raise TooLargeError(self.join(name))
        return data

    def make_child(self, name: str) -> None:
        """Creates a directory in this one unless it exists."""
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=self.fd)
            os.fsync(self.fd)

    @contextmanager
    def temporary(
        self, data: bytes, *, mode: int | None = None, durable: bool = True
    ) -> Iterator[str]:
        """Writes ``data`` to a flushed temporary file, which is removed unless it was renamed."""
        name = f"{TEMPORARY}{os.getpid()}-{secrets.token_hex(8)}"
        fd = os.open(name, _WRITE_FLAGS, 0o666, dir_fd=self.fd)
        try:
            try:
                if mode not in (None, stat.S_IMODE(os.fstat(fd).st_mode)):
                    os.fchmod(fd, mode)
                view = memoryview(data)
                while view:
                    view = view[os.write(fd, view) :]
                if durable:
                    os.fsync(fd)
            finally:
                os.close(fd)
            yield name
        finally:
            # A leftover file only costs space; sweep() removes it later.
            with suppress(OSError):
                os.unlink(name, dir_fd=self.fd)

    def publish_new(self, temporary: str, name: str) -> None:
        """Gives a temporary file its final name. Raises ``FileExistsError`` if it is taken."""
        with self._change(name):
            try:
                os.link(
                    temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd, follow_symlinks=False
                )
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                # No hard links here. Writers hold the catalog's lock, so checking first is enough.
                if self.exists(name):
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from None
                os.rename(temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
        self.flush(name)

    def write(
        self, name: str, data: bytes, *, mode: int | None = None, durable: bool = True
    ) -> None:
        """Makes a file, or replaces what has the name; a link there is replaced itself.

        Args:
            name: the name of the file.
            data: what will be in it.
            mode: its permission bits; by default those of the file that it replaces.
            durable: whether it is to survive a power failure.
        """
        mode = self.mode_of(name) if mode is None else mode
        with self.temporary(data, mode=mode, durable=durable) as temporary, self._change(name):
            os.rename(temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
        if durable:
            self.flush(name)

    def remove(self, name: str) -> None:
        """Removes a file."""
        with self._change(name):
            os.unlink(name, dir_fd=self.fd)
        self.flush(name)

    def move(self, name: str, into: Directory, to: str) -> None:
        """Renames a file or directory, possibly into another directory."""
        with self._change(name):
            os.rename(name, to, src_dir_fd=self.fd, dst_dir_fd=into.fd)
        into.flush(to)
        self.flush(name)

    def discard_child(self, name: str, *, into: Directory | None = None) -> None:
        """Atomically hides a directory, then removes it with everything in it.

        Args:
            name: the directory.
            into: the directory in which ``sweep`` finds what a crash leaves; by default this one.
        """
        bin_ = into or self
        trash = f"{TEMPORARY}{os.getpid()}-{secrets.token_hex(8)}"
        with self._change(name):
            os.rename(name, trash, src_dir_fd=self.fd, dst_dir_fd=bin_.fd)
        self.flush(name)
        with suppress(OSError):
            bin_._erase(trash)

    def flush(self, name: str) -> None:
        """Flushes changes to ``name``, so that they survive a power failure."""
        try:
            os.fsync(self.fd)
        except OSError as error:
            raise self._unknown(name, error) from error

    def changed_ms(self, name: str) -> int:
        """Returns the modification time of a file, in milliseconds since 1970."""
        found = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        return found.st_mtime_ns // 1_000_000

    def mode_of(self, name: str) -> int | None:
        """Returns the permission bits of a file, for its replacement; None where there is none."""
        try:
            mode = os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None
        return mode & 0o777 if stat.S_ISREG(mode) else None

    def sweep(self) -> None:
        """Removes temporary files and directories older than an hour, left by crashes."""
        oldest = time.time() - _STALE_SECONDS
        with suppress(OSError):
            for name in os.listdir(self.fd):
                if name.startswith(TEMPORARY) and self._did_change_before(name, oldest):
                    with suppress(OSError):
                        self._erase(name)

    def _did_change_before(self, name: str, moment: float) -> bool:
        try:
            found = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        except OSError:
            return False
        return found.st_mtime < moment

    def _erase(self, name: str) -> None:
        """Removes a file, or a directory with its content; never follows a link."""
        found = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        if not stat.S_ISDIR(found.st_mode):
            os.unlink(name, dir_fd=self.fd)
            return
        with self.child(name) as directory:
            for inner in os.listdir(directory.fd):
                directory._erase(inner)
        os.rmdir(name, dir_fd=self.fd)

    @contextmanager
    def _change(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in _UNCLEAR:
                raise self._unknown(name, error) from error
            raise

    def _unknown(self, name: str, error: OSError) -> UnknownOutcomeError:
        return UnknownOutcomeError(
            f"the change of {self.join(name)} may or may not have been kept: {error.strerror}",
            hint="read it again; saving the same document again is safe",
        )


def make_directories(path: str) -> None:
    """Creates a directory and its parents, and flushes each to disk."""
    path = os.path.abspath(path)
    parent = os.path.dirname(path)
    if parent != path and not os.path.isdir(path):
        make_directories(parent)
        with Directory.open(parent) as directory:
            directory.make_child(os.path.basename(path))


def storage_error(path: str, error: OSError) -> StorageError:
    """Returns the error to raise for a system error that changed nothing."""
    hint = _HINTS.get(error.errno or 0)
    return StorageError(f"{path}: {error.strerror or error}", hint=hint)


def _read_up_to(fd: int, limit: int) -> bytes:
    chunks = []
    while limit > 0 and (chunk := os.read(fd, min(limit, 1 << 20))):
        chunks.append(chunk)
        limit -= len(chunk)
    return b"".join(chunks)
