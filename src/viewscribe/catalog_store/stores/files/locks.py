"""The exclusive write lock of a file catalog; the system releases it if its holder dies."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from viewscribe.catalog_store.errors import CatalogBusyError
from viewscribe.catalog_store.stores.files.storage import Directory

LOCK_FILE = ".viewscribe.lock"
"""Never removed: removing it would let two writers hold locks on two different files."""

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_TAKEN = frozenset([errno.EAGAIN, errno.EACCES])


@contextmanager
def write_lock(root: Directory, timeout: float) -> Iterator[None]:
    """Holds the write lock of the catalog at ``root``; raises :class:`CatalogBusyError` on timeout.

    Works between processes and between threads. Readers need no lock.
    """
    fd = os.open(LOCK_FILE, _FLAGS, 0o666, dir_fd=root.fd)
    try:
        _acquire(fd, root, timeout)
        yield
    finally:
        os.close(fd)


def _acquire(fd: int, root: Directory, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    pause = 0.001
    while not _try(fd):
        if time.monotonic() >= deadline:
            raise CatalogBusyError(
                f"{root.path} is being written by another process for more than {timeout:g} s",
                hint="wait for it to end, or stop it, then repeat",
            )
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def _try(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise
    return True
