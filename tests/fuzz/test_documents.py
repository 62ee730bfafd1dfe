"""Whatever a document says, what reads it says so in an error of ours, soon, and touches nothing.

A document of a stranger leads to no file outside of the folder and to no connection. A failure
prints the name of the reader and the seed: ``python -m tests.fuzz.test_documents NAME SEED`` reads
that document again.
"""

from __future__ import annotations

import random
import socket
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.mutations import mutated
from tests.fuzz.readers import Reader, readers
from tests.fuzzing import examples

NAMES = (
    *("view", "table", "function", "database", "history", "case file", "row"),
    *("Hive parameters", "Hive document", "Hive columns", "Hive function", "Hive database"),
    *("Spark schema", "Iceberg metadata", "plan in JSON", "plan in YAML", "journal", "proofs"),
    *("viewscribe.yaml", "export record", "site manifest", "dbt manifest", "SQL files"),
    *("Avro schema", "plan document", "approved file"),
)
SECONDS = 2
"""How much of a processor's time one document may take."""


class ConnectedError(BaseException):
    """Somebody opens a connection."""


def refuse_connections(patch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **named: Any) -> None:
        raise ConnectedError(arguments)

    for name in ("connect", "connect_ex", "sendto"):
        patch.setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "create_connection"):
        patch.setattr(socket, name, refuse)


class World:
    """A folder deep in others, in which all documents are read."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.home = place / "a" / "b" / "c" / "home"
        self.home.mkdir(parents=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.home)
            self.readers = readers(self.home)
        self.outside = [*self.files_outside()]

    def files_outside(self) -> Iterator[Path]:
        """What is there beside the folder."""
        pending = [self.place]
        while pending:
            for each in pending.pop().iterdir():
                yield each
                if each.is_dir() and not each.is_symlink() and each != self.home:
                    pending.append(each)

    def read(self, name: str, seed: int) -> None:
        """Reads one document. Raises ``AssertionError`` for anything but errors of ours."""
        rng = random.Random(f"{name} {seed}")
        reader: Reader = self.readers[name]
        of = rng.randrange(len(reader.originals))
        data = mutated(reader.originals[of], reader.form, rng)
        before = time.process_time()
        try:
            reader.read(data, of, rng)
        except BaseException as error:
            told = "".join(traceback.format_exception(error)[-12:])
            raise AssertionError(f"{name} {seed}: {told}\n{data[:3000]!r}") from None
        spent = time.process_time() - before
        assert spent < SECONDS, f"{name} {seed}: {spent:.1f} s\n{data[:3000]!r}"
        assert [*self.files_outside()] == self.outside, f"{name} {seed}: {data[:3000]!r}"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(autouse=True)
def _at_home(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world.home)
    refuse_connections(monkeypatch)


def test_every_reader_has_a_name(world: World) -> None:
    assert {*world.readers} == {*NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_what_a_reader_was_made_for_is_read(
    world: World, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or else a reader that reads nothing would never be found."""
    monkeypatch.setattr("tests.fuzz.readers.tried", lambda *calls: [call() for call in calls])
    reader = world.readers[name]
    for of, data in enumerate(reader.originals):
        reader.read(data, of, random.Random(0))


@pytest.mark.parametrize("name", NAMES)
def test_any_document_is_read_or_refused(world: World, name: str) -> None:
    count = examples(20, fuzz=400)
    first = 0 if count == 20 else random.SystemRandom().randrange(10**9)
    for seed in range(first, first + count):
        world.read(name, seed)


def main(name: str, first: int, count: int = 1) -> None:
    """Reads documents of one reader; prints what fails and goes on."""
    import tempfile

    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        world = World(Path(place).resolve())
        patch.chdir(world.home)
        refuse_connections(patch)
        for seed in range(first, first + count):
            try:
                world.read(name, seed)
            except AssertionError as error:
                print(error)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
