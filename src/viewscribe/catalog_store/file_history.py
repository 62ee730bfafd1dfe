"""The earlier versions of the objects of a file catalog, each as the file that it was.

    <root>/<database>/_history/<name>.view/000001.yaml

A version is kept here before the file that replaces it is published, so that a crash between the
two leaves one copy too many and never one too few. A number that is not smaller than the present
file's is such a copy and is not told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from viewscribe.catalog_store.errors import StorageError, UnknownOutcomeError
from viewscribe.catalog_store.file_reading import HISTORY_DIRECTORY, open_child, read
from viewscribe.catalog_store.storage import Directory
from viewscribe.catalog_store.versioned import Held

_SUFFIX = ".yaml"
_FILE = re.compile(r"([0-9]{6,})\.yaml")


def keep(home: Directory, file: str, number: int, data: bytes) -> None:
    """Keep ``data``, the present content of ``file``, as version ``number``.

    Who may not read the file may not read what it was, either.
    """
    mode = home.mode_of(file) if home.exists(file) else None
    home.make_child(HISTORY_DIRECTORY)
    with open_child(home, HISTORY_DIRECTORY) as histories:
        histories.make_child(_stem(file))
        with open_child(histories, _stem(file)) as own, own.temporary(data, mode=mode) as temporary:
            try:
                own.publish_over(temporary, f"{number:06d}{_SUFFIX}")
            except UnknownOutcomeError as error:
                raise StorageError(
                    f"{home.join(file)} was left as it is, for the version to be replaced could "
                    "not be kept for sure",
                    hint="repeat the change",
                ) from error


def earlier(home: Directory, file: str, before: int) -> Iterator[Held[bytes]]:
    """The kept versions of ``file`` with numbers below ``before``, the oldest first."""
    with suppress(FileNotFoundError), _own(home, file) as own:
        for number, name in _numbered(own):
            if number < before:
                yield Held(read(own, name), own.join(name), number)


def last_number(home: Directory, file: str) -> int:
    """The number of the last version kept of ``file``; 0 where none is."""
    try:
        with _own(home, file) as own:
            return max((number for number, _ in _numbered(own)), default=0)
    except FileNotFoundError:
        return 0


def move(home: Directory, file: str, target: Directory, to: str) -> None:
    """Give the versions kept of ``file`` to the file ``to`` of the database ``target``."""
    with suppress(FileNotFoundError), open_child(home, HISTORY_DIRECTORY) as histories:
        if histories.exists(_stem(file)):
            target.make_child(HISTORY_DIRECTORY)
            with open_child(target, HISTORY_DIRECTORY) as others:
                histories.move(_stem(file), others, _stem(to))


def forget(home: Directory, file: str) -> None:
    """Remove what is kept of ``file``, which is no more."""
    with suppress(FileNotFoundError), open_child(home, HISTORY_DIRECTORY) as histories:
        if histories.exists(_stem(file)):
            histories.discard_child(_stem(file), into=home)


@contextmanager
def _own(home: Directory, file: str) -> Iterator[Directory]:
    with (
        open_child(home, HISTORY_DIRECTORY) as histories,
        open_child(histories, _stem(file)) as own,
    ):
        yield own


def _numbered(own: Directory) -> list[tuple[int, str]]:
    matches = (_FILE.fullmatch(name) for name in own.names())
    return sorted((int(match[1]), match[0]) for match in matches if match)


def _stem(file: str) -> str:
    return file.removesuffix(_SUFFIX)
