"""The journal of a plan: an undo log beside the plan file, with one line per event.

It is written before the first step and after each step, so that an interrupted run can be resumed
or rolled back. Only one process at a time can open it; the catalog itself is not locked.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import msgspec

from viewscribe.environments.migration.errors import JournalError, PlanBusyError

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
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        if self.path is None:
            return self
        try:
            self._file = self.path.open("a+b")
        except OSError as error:
            raise self._failed("opened", error) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise PlanBusyError(
                f"another process is at work on this plan: it holds {self.path}",
                hint="wait until it is done, then do this again",
            ) from None
        try:
            self._replay()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
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
        lines = b"".join(json.dumps(event).encode() + b"\n" for event in events)
        try:
            self._file.write(lines)
            self._file.flush()
            if durable:
                os.fsync(self._file.fileno())
        except OSError as error:
            raise self._failed("written", error) from error

    def _replay(self) -> None:
        assert self._file is not None
        self._file.seek(0)
        lines = self._file.read().split(b"\n")
        torn = lines.pop()
        found: dict[int, Record] = {}
        for number, line in enumerate(lines, 1):
            try:
                event = json.loads(line)
                self._apply(event, found)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise JournalError(
                    f"{self.path}:{number}: not a journal of a migration: {error!r}",
                    hint="move the file away if it is something else",
                ) from None
        if torn:  # the process died while writing the line, so the event had not happened yet
            self._file.truncate(sum(len(line) + 1 for line in lines))
            self._file.seek(0, os.SEEK_END)

    def _apply(self, event: Mapping[str, Any], found: dict[int, Record]) -> None:
        match event["event"]:
            case "found":
                found[event["step"]] = Record(before=event["before"], done=event["done"])
            case "begin":
                if event["plan"] != self.plan:
                    raise JournalError(
                        f"{self.path} is the journal of the plan {event['plan']}, not of this one",
                        hint="the plan was made anew: give it another file name",
                    )
                self.records = dict(found)
                self.open_run = True
                found.clear()
            case "also":
                self.records[event["step"]] = Record(before=event["before"])
            case "done":
                record = self.records[event["step"]]
                record.done, record.undone, record.token = True, False, event["token"]
            case "undone":
                self.records[event["step"]].undone = True
            case "end":
                self.open_run = event["outcome"] == "standing"

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
        lines = path.read_bytes().split(b"\n")[:-1]
        begun = [event["plan"] for event in map(json.loads, lines) if event["event"] == "begin"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise JournalError(f"{path} is not a journal of a migration: {error!r}") from None
    return begun[-1] if begun else None
