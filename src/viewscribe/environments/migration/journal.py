"""The journal of a plan: an undo log beside the plan file, with one line per event.

It is written before the first step and after each step, so that an interrupted run can be resumed
or rolled back. Only one process at a time can open it; the catalog itself is not locked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from viewscribe.catalog_store.line_files import LineFile
from viewscribe.catalog_store.whole_files import read_whole
from viewscribe.environments.migration.errors import JournalError, PlanBusyError
from viewscribe.schemas.strict_json import OUTER_DEPTH, loads

SUFFIX = ".journal"


class Record(msgspec.Struct, kw_only=True):
    """What the journal records about a step.

    Args:
        before: the document before the step, as plain data; None if there was none.
        token: the token of the document that it wrote; None for a deletion.
        done: whether this plan applied it.
        undone: whether it was rolled back.
    """

    before: Mapping[str, Any] | None = None
    token: str | None = None
    done: bool = False
    undone: bool = False


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    """One line."""


class _Found(_Event, frozen=True, tag="found"):
    step: int
    before: dict[str, Any] | None
    done: bool


class _Begin(_Event, frozen=True, tag="begin"):
    plan: str


class _Also(_Event, frozen=True, tag="also"):
    step: int
    before: dict[str, Any] | None


class _Done(_Event, frozen=True, tag="done"):
    step: int
    token: str | None


class _Undone(_Event, frozen=True, tag="undone"):
    step: int


class _End(_Event, frozen=True, tag="end"):
    outcome: str


_AnyEvent = _Found | _Begin | _Also | _Done | _Undone | _End


def _events(path: Path, lines: list[bytes]) -> list[_AnyEvent]:
    """Returns the events of whole lines. Raises ``JournalError``."""
    found: list[_AnyEvent] = []
    for number, line in enumerate(lines, 1):
        try:
            plain = loads(line, limit=None, depth=OUTER_DEPTH)
            found.append(msgspec.convert(plain, _AnyEvent))
        except (ValueError, msgspec.ValidationError) as error:
            raise _no_journal(path, number, str(error)) from None
    return found


def _no_journal(path: Path, line: int, why: str) -> JournalError:
    return JournalError(
        f"{path}:{line}: not a journal of a migration: {why}",
        hint="move the file away if it is something else",
    )


class Journal:
    """A journal, used as a context manager; without a path it is kept in memory.

    Args:
        path: the file.
        plan: the id of the plan.

    Raises:
        PlanBusyError: another process has it open.
        JournalError: it cannot be read, or is the journal of another plan.
    """

    def __init__(self, path: str | os.PathLike[str] | None, plan: str) -> None:
        self.path = None if path is None else Path(path)
        self.plan = plan
        self.records: dict[int, Record] = {}
        self.open_run = False
        self._file: LineFile | None = None

    def __enter__(self) -> Self:
        if self.path is not None:
            self._file = self._opened(self.path)
        return self

    def _opened(self, path: Path) -> LineFile:
        """Opens the file, for this process alone, and learns what it tells."""
        try:
            file = LineFile(path)
        except OSError as error:
            raise self._failed("opened", error) from None
        with ExitStack() as unless_kept:
            unless_kept.enter_context(file)
            if not file.lock():
                raise PlanBusyError(
                    f"another process is at work on this plan: it holds {path}",
                    hint="wait until it is done, then do this again",
                )
            self._replay(path, file)
            unless_kept.pop_all()
        return file

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.__exit__(kind, error, traceback)
            self._file = None

    # -- events -----------------------------------------------------------------------------------

    def begin(self, records: Mapping[int, Record], author: str | None) -> None:
        """Records the start of a run, with the state before every step."""
        found = [
            {"event": "found", "step": step, "before": each.before, "done": each.done}
            for step, each in records.items()
        ]
        begin = {"event": "begin", "plan": self.plan, "author": author, "steps": len(found)}
        self._write(*found, begin, durable=True)
        self.records = dict(records)
        self.open_run = True

    def add(self, step: int, record: Record) -> None:
        """Records another step of this run."""
        self._write({"event": "also", "step": step, "before": record.before})
        self.records[step] = record

    def done(self, step: int, token: str | None) -> None:
        """Records that a step was applied."""
        self._write({"event": "done", "step": step, "token": token})
        record = self.records[step]
        record.done, record.undone, record.token = True, False, token

    def undone(self, step: int) -> None:
        """Records that a step was rolled back."""
        self._write({"event": "undone", "step": step})
        self.records[step].undone = True

    def end(self, outcome: str) -> None:
        """Records the end of a run: ``applied``, ``undone``, ``standing`` or ``rolled back``."""
        self._write({"event": "end", "outcome": outcome}, durable=True)
        self.open_run = outcome == "standing"

    # -- the file ---------------------------------------------------------------------------------

    def _write(self, *events: Mapping[str, Any], durable: bool = False) -> None:
        if self._file is None:
            return
        try:
            self._file.append(*(json.dumps(each).encode() for each in events), durable=durable)
        except OSError as error:
            raise self._failed("written", error) from error

    def _replay(self, path: Path, file: LineFile) -> None:
        lines, part = file.read()
        found: dict[int, Record] = {}
        for number, event in enumerate(_events(path, lines), 1):
            try:
                self._apply(event, found)
            except KeyError:
                raise _no_journal(path, number, "it never told of that step") from None
        file.cut(part)  # the process died while writing it, so the event had not happened yet

    def _apply(self, event: _AnyEvent, found: dict[int, Record]) -> None:
        match event:
            case _Found():
                found[event.step] = Record(before=event.before, done=event.done)
            case _Begin():
                if event.plan != self.plan:
                    raise JournalError(
                        f"{self.path} is the journal of the plan {event.plan}, not of this one",
                        hint="the plan was made anew: give it another file name",
                    )
                self.records = dict(found)
                self.open_run = True
                found.clear()
            case _Also():
                self.records[event.step] = Record(before=event.before)
            case _Done():
                record = self.records[event.step]
                record.done, record.undone, record.token = True, False, event.token
            case _Undone():
                self.records[event.step].undone = True
            case _End():
                self.open_run = event.outcome == "standing"

    def _failed(self, what: str, error: OSError) -> JournalError:
        return JournalError(
            f"the journal {self.path} cannot be {what}: {error.strerror}",
            hint="without a journal nothing could be taken back: make room for it",
        )


def journal_of(plan_file: str | os.PathLike[str]) -> Path:
    """Returns the path of the journal of a plan file."""
    return Path(f"{os.fspath(plan_file)}{SUFFIX}")


def journaled_plan(path: Path) -> str | None:
    """Returns the id of the plan that a journal belongs to; None if no run has begun.

    Raises:
        JournalError: it cannot be read.
    """
    try:
        lines = read_whole(path).split(b"\n")[:-1]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalError(f"{path} is not a journal of a migration: {error.strerror}") from None
    begun = [each.plan for each in _events(path, lines) if isinstance(each, _Begin)]
    return begun[-1] if begun else None
