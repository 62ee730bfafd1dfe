"""Whoever reads the log of a view's versions says the same: who won, and who lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.catalog_store.samples import view
from tests.fuzzing import examples
from tests.servers.iceberg_rest import IcebergServer
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.stores.iceberg.rest import states, version_log
from viewscribe.catalog_store.stores.iceberg.rest.records import ViewRecord
from viewscribe.catalog_store.stores.iceberg.rest.states import read_line
from viewscribe.catalog_store.stores.iceberg.rest.version_log import shows, steps_of

PATH = "namespaces/sales/views/v"

actions = st.lists(
    st.tuples(
        st.sampled_from(["read", "write", "write", "engine", "repair", "late"]), st.integers(0, 3)
    ),
    max_size=40,
)


class World:
    """A server, writers that know what they read last, and what must be true."""

    def __init__(self, kept: int) -> None:
        self.server = IcebergServer()
        self.server.namespaces["sales"] = {}
        commit = states.creation(("sales", "v"), _written(1, "0"), None)
        commit.body["properties"]["version.history.num-entries"] = str(kept)
        self.server.answer("POST", "namespaces/sales/views", {}, commit.body)
        self.texts = [_sql("0")]  # of the versions that count
        self.read = [self.record()] * 4
        self.lost: list[str] = []
        self.slow: list[tuple[ViewRecord, str]] = []  # who lost, and has not repaired anything yet

    def record(self) -> ViewRecord:
        metadata = json.loads(json.dumps(self.server.views["sales", "v"]))
        return ViewRecord("sales", "v", metadata, None)

    def send(self, body: Any) -> None:
        status, answer = self.server.answer("POST", PATH, {}, body)
        assert status == 200, answer

    def write(self, who: int, mark: str) -> None:
        """A writer replaces what he read, and wins if nobody did so before."""
        record = self.read[who]
        line = read_line(record, "lake", "v")
        number = line.state.version.number + 1
        commit = states.replacement(record, line, _written(number, mark))
        wins = line.state.written.document.sql == self.texts[-1]
        self.send(commit.body)
        if wins:
            self.texts.append(_sql(mark))
        else:
            self.lost.append(commit.key)
            self.slow.append((self.record(), commit.key))

    def engine(self, mark: str) -> None:
        """Another engine replaces whatever is there."""
        version = self.record().metadata["versions"][-1]
        text = {"type": "sql", "sql": _sql(mark), "dialect": "spark"}
        version = {**version, "summary": {"engine-name": "x"}, "representations": [text]}
        self.send(
            {
                "requirements": [],
                "updates": [
                    {"action": "add-view-version", "view-version": version},
                    {"action": "set-current-view-version", "view-version-id": -1},
                ],
            }
        )
        self.texts.append(_sql(mark))

    def late(self) -> None:
        """Somebody repairs what he saw when he lost, and sees what counts by now."""
        if self.slow:
            record, lost = self.slow.pop(0)
            line = read_line(record, "lake", "v")
            self.send(states.repair(record, line, lost).body)
            self.lost.append(lost)
            self.repair()

    def repair(self) -> None:
        """Somebody who lost repairs what other engines see, if that is not what counts."""
        record = self.record()
        line = read_line(record, "lake", "v")
        if self.lost and not shows(record.metadata, line.steps[-1]):
            self.send(states.repair(record, line, self.lost.pop()).body)
            metadata = self.record().metadata
            assert shows(metadata, steps_of(metadata)[-1])


@contextmanager
def short_logs(kept: int) -> Iterator[None]:
    """Lets writers be content with so many versions in a log, which they lengthen otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(version_log, "KEPT_VERSIONS", str(kept))
        yield


def _sql(mark: str) -> str:
    return f"SELECT '{mark}' AS name"


def _written(number: int, mark: str) -> embedded_document.Written:
    version = Version(number=number, timestamp_ms=1_700_000_000_000 + number, operation="replace")
    return embedded_document.write(view("v", sql=_sql(mark)), version)


@settings(max_examples=examples(120))
@given(actions=actions, kept=st.sampled_from([100, 9]))
def test_the_first_of_several_that_follow_one_version_wins_for_ever(actions, kept):
    with short_logs(kept):
        _act(World(kept), actions, kept)


def _act(world: World, actions: list[tuple[str, int]], kept: int) -> None:
    for turn, (action, who) in enumerate(actions, 1):
        match action:
            case "read":
                world.read[who] = world.record()
            case "write":
                world.write(who, str(turn))
                if kept < len(actions):  # as everybody does who is not killed
                    world.repair()
            case "engine":
                world.engine(str(turn))
            case "repair":
                world.repair()
            case "late":
                world.late()
        line = read_line(world.record(), "lake", "v")
        assert line.state.written.document.sql == world.texts[-1]
        if kept == 100:
            history = [*line.links][-len(world.texts) :]
            assert [each.written.document.sql for each in history] == world.texts


@pytest.mark.parametrize("before", range(1, 8))
def test_a_repair_that_comes_late_turns_nothing_back(before: int) -> None:
    with short_logs(9):
        _repair_late(World(9), before)


def _repair_late(world: World, before: int) -> None:
    world.write(1, "a")
    world.write(0, "b")  # who read what was there before, and lost
    for turn in range(12):
        if turn == before:
            world.late()
        world.read[1] = world.record()
        world.write(1, str(turn))
        line = read_line(world.record(), "lake", "v")
        assert line.state.written.document.sql == world.texts[-1]
