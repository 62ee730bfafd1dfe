"""The earlier versions of objects in a file catalog, each kept as its original file.

    <root>/<database>/_history/<name>.view/000001.yaml

A version is kept here before the file that replaces it is published, so a crash in between leaves
one copy too many, never one too few. Such a copy has a number that is not smaller than that of the
current file, and is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from viewscribe.catalog_store.errors import StorageError, UnknownOutcomeError
from viewscribe.catalog_store.stores.files.reader import HISTORY_DIRECTORY, open_child, read
from viewscribe.catalog_store.stores.files.storage import Directory
from viewscribe.catalog_store.versioned import Held

_SUFFIX = ".yaml"
_FILE = re.compile(r"([0-9]{6,})\.yaml")


def keep(home: Directory, file: str, number: int, data: bytes) -> None:
    """Keeps ``data``, the current content of ``file``, as version ``number``.

    The copy has the same permissions as the file.
    """
    home.make_child(HISTORY_DIRECTORY)
    with open_child(home, HISTORY_DIRECTORY) as histories:
        histories.make_child(_stem(file))
        with open_child(histories, _stem(file)) as own:
            try:
                own.write(f"{number:06d}{_SUFFIX}", data, mode=home.mode_of(file))
            except UnknownOutcomeError as error:
                raise StorageError(
                    f"{home.join(file)} was left as it is, for the version to be replaced could "
                    "not be kept for sure",
                    hint="repeat the change",
                ) from error


def earlier(home: Directory, file: str, before: int) -> Iterator[Held[bytes]]:
    """Yields the kept versions of ``file`` with numbers below ``before``, oldest first."""
    with suppress(FileNotFoundError), _own(home, file) as own:
        for number, name in _list_numbered(own):
            if number < before:
                yield Held(read(own, name), own.join(name), number)


def last_number(home: Directory, file: str) -> int:
    """Returns the number of the last kept version of ``file``, or 0."""
    try:
        with _own(home, file) as own:
            return max((number for number, _ in _list_numbered(own)), default=0)
    except FileNotFoundError:
        return 0


def move(home: Directory, file: str, target: Directory, to: str) -> None:
    """Moves the kept versions of ``file`` to the file ``to`` of the database ``target``."""
    with suppress(FileNotFoundError), open_child(home, HISTORY_DIRECTORY) as histories:
        if histories.exists(_stem(file)):
            target.make_child(HISTORY_DIRECTORY)
            with open_child(target, HISTORY_DIRECTORY) as others:
                histories.move(_stem(file), others, _stem(to))


def forget(home: Directory, file: str) -> None:
    """Removes the kept versions of ``file``, which has been deleted."""
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


def _list_numbered(own: Directory) -> list[tuple[int, str]]:
    matches = (_FILE.fullmatch(name) for name in own.names())
    return sorted((int(match[1]), match[0]) for match in matches if match)


def _stem(file: str) -> str:
    return file.removesuffix(_SUFFIX)
