"""Writing a file as a whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file so that nobody ever sees a part of it; it takes the place of a link.

    What is there and no file is written to as it is: ``/dev/null`` stays a device.

    Raises:
        OSError: it cannot be written; what was there is there still.
    """
    place = Path(path)
    if place.exists() and not place.is_file():
        with place.open("wb") as stream:
            stream.write(data)
        return
    temporary = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        with temporary.open("xb") as file:  # through no link that somebody put there
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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
