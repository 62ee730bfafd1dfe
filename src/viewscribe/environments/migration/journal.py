"""The journal of a plan: an undo log beside the plan file, with one line per event.

It is written before the first step and after each step, so that an interrupted run can be resumed
or rolled back. Only one process at a time can open it; the catalog itself is not locked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from viewscribe.catalog_store.documents.yaml_writer import dump
from viewscribe.catalog_store.line_files import LineFile
from viewscribe.catalog_store.whole_files import read_whole, replace_own
from viewscribe.environments import (
    Environment,
    environment_of,
    load_environments,
    matches,
    seen_from,
)
from viewscribe.environments.migration.model import PLAN_VERSION, Plan, Step, plan_id
from viewscribe.environments.migration.snapshot import Snapshot
from viewscribe.errors import ViewscribeError, did_you_mean
from viewscribe.schemas import DocumentSchemaError, validate
from viewscribe.schemas.strict_json import OUTER_DEPTH, loads
from viewscribe.types.identifiers import parse_name

# The errors of migrations.


class MigrationError(ViewscribeError):
    """Base class of errors in moving views between environments."""


class PlanFileError(MigrationError):
    """A file is not a migration plan, is damaged, or was written by a newer viewscribe."""


class SelectionError(MigrationError):
    """A pattern matches nothing; the hint lists existing names."""


class PlanBlockedError(MigrationError):
    """The plan has problems or breaks views, so it cannot be applied. Nothing was written."""


class OutdatedPlanError(MigrationError):
    """The target has changed since the plan was made. Nothing was written."""


class PlanBusyError(MigrationError):
    """Another process is applying the plan or rolling it back. Nothing was written."""


class JournalError(MigrationError):
    """A journal cannot be read or written, or belongs to another plan."""


class ApplyFailedError(MigrationError):
    """A step failed.

    Args:
        message: what failed.
        undone: the steps that were applied and rolled back.
        standing: the steps that were applied and could not be rolled back.
        hint: what to do next.
    """

    def __init__(
        self,
        message: str,
        *,
        undone: Sequence[str] = (),
        standing: Sequence[str] = (),
        hint: str | None = None,
    ) -> None:
        stands = [f"stands: {each}" for each in standing]
        super().__init__(message, hint=hint, location="\n      ".join(stands) or None)
        self.undone = tuple(undone)
        self.standing = tuple(standing)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.message, self.undone, self.standing, self.hint))


def _rebuild(
    message: str, undone: Sequence[str], standing: Sequence[str], hint: str | None
) -> ApplyFailedError:
    return ApplyFailedError(message, undone=undone, standing=standing, hint=hint)


# Which objects a plan is about: patterns of the source's names.

_FEW = 5


def is_selected(select: Sequence[str], database: str, name: str) -> bool:
    """Whether an object of the source is chosen; without patterns everything is."""
    return not select or any(matches(pattern, database, name) for pattern in select)


def refuse_to_select_nothing(
    select: Sequence[str], sources: Snapshot, name: str, gone: Callable[[str], bool]
) -> None:
    """A pattern that nothing fits is misspelled, or made of names of the other environment.

    Args:
        select: the patterns.
        sources: what the source holds.
        name: what the source is called.
        gone: whether a pattern fits something that only the target still has.

    Raises:
        SelectionError: a pattern chooses nothing; the hint has names that are there.
    """
    if not select:
        return
    ids = [each.id for each in sources.loaded.values()]
    ids += [each.id for each in sources.unreadable.values()]
    movable = {(each.database, each.name) for each in ids if each.kind in ("view", "function")}
    tables = {(each.database, each.name) for each in ids if each.kind == "table"}
    for pattern in select:
        if any(matches(pattern, *each) for each in movable) or gone(pattern):
            continue
        if any(matches(pattern, *each) for each in tables):
            hint = "only tables do, which are data and do not travel"
        else:
            hint = _names_like(pattern, sorted({".".join(each) for each in movable}), name)
        raise SelectionError(f"no view or function of {name} fits `{pattern}`", hint=hint)


def _names_like(pattern: str, names: Sequence[str], source: str) -> str:
    databases = sorted({each.partition(".")[0] for each in names})
    home, *name = parse_name(pattern)
    near = did_you_mean(pattern, names) if name and "*" not in pattern else None
    near = near or did_you_mean(home, databases)
    if near:
        return near
    shown = ", ".join(databases[:_FEW]) + (", …" if len(databases) > _FEW else "")
    return f"patterns are of the names in {source}, whose databases are: {shown or 'none'}"


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


# Plans as files: JSON, or YAML where the name ends so; checked when they are read.

_YAML = (".yaml", ".yml")
_HEAD = {"schema_version": PLAN_VERSION, "kind": "migration"}


def write_plan(plan: Plan, path: str | os.PathLike[str]) -> None:
    """Write a plan; the file appears as a whole or not at all.

    Raises:
        PlanFileError: the file cannot be written, is no plan, or is a plan that was applied, which
            could not be taken back without it.
        JournalError: there is a journal beside it that cannot be read.
    """
    place = Path(path)
    journal = journal_of(path)
    if journaled_plan(journal) not in (None, plan.id):
        raise PlanFileError(
            f"{path} is another plan, and {journal} tells what it did: both are needed to take it "
            "back",
            hint="name another file; or remove both, where nothing of it is to be taken back",
        )
    plan = _with_base(plan, _relative(plan.base, place.parent))
    data = (
        dump(_write_step(plan)).encode()
        if place.suffix in _YAML
        else (msgspec.json.format(msgspec.json.encode(_write_step(plan)), indent=2) + b"\n")
    )
    try:
        replace_own(place, data, b'"kind": "migration"', b"kind: migration")
    except OSError as error:
        raise PlanFileError(f"{path} cannot be written: {error.strerror}") from None


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """The plan of a file.

    Raises:
        PlanFileError: it cannot be read, is damaged, was edited or is of a newer viewscribe.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise PlanFileError(f"{path} cannot be read: {error.strerror}") from None
    plain = _plain(path, data)
    version = plain.get("schema_version") if isinstance(plain, dict) else None
    if type(version) is int and version > PLAN_VERSION:
        raise PlanFileError(
            f"{path}: schema version {version} is newer than this viewscribe, which reads up to "
            f"version {PLAN_VERSION}",
            hint="upgrade viewscribe to read it",
        )
    try:
        validate(plain, "migration")
        fields = {key: plain[key] for key in plain if key not in _HEAD}
        plan = msgspec.convert(fields, Plan)
    except DocumentSchemaError as error:
        raise PlanFileError(f"{path}: {error.problems[0]}") from None
    except msgspec.ValidationError as error:
        raise PlanFileError(f"{path}: {error}") from None
    for step in plan.steps:
        _check_step(path, step)
    if plan.id != plan_id(plan.source, plan.target, plan.steps):
        raise PlanFileError(
            f"{path} was changed since it was made: its id does not fit its steps",
            hint="make the plan anew",
        )
    return _with_base(plan, _relative(Path(path).parent / plan.base, Path()))


def _check_step(path: str | os.PathLike[str], step: Step) -> None:
    """Refuses a step that writes something else than it says."""
    document = step.document
    if (document is None) != (step.operation == "delete"):
        raise PlanFileError(f"{path}: to {step} a document is missing, or there is one too many")
    if (step.former is None) != (step.operation != "rename"):
        raise PlanFileError(f"{path}: to {step} a former name is missing, or there is one too many")
    if document is None:
        return
    try:
        validate(document, step.kind)
    except DocumentSchemaError as error:
        raise PlanFileError(f"{path}: to {step}: {error.problems[0]}") from None
    named = (document.get("database", document["name"]), document["name"])
    if named != (step.database, step.name):
        raise PlanFileError(f"{path}: to {step} the document of {'.'.join(named)} is given")


def _with_base(plan: Plan, base: str) -> Plan:
    return plan if plan.base == base else msgspec.structs.replace(plan, base=base)


def _relative(directory: str | Path, start: Path) -> str:
    """A directory as it is meant from another one; empty where it is that one."""
    found = os.path.relpath(directory or os.curdir, start)
    return "" if found == os.curdir else found


def target_of(plan: Plan, config: str | None = None) -> Environment:
    """The environment that a plan read from a file is for.

    Args:
        plan: the plan.
        config: the environments file, where it is not where it was.

    Raises:
        PlanFileError: the plan does not say enough to find it.
        EnvironmentFileError: the environments file is not there, or not valid.
    """
    place = plan.target
    file = config or (place.file and os.path.join(plan.base, place.file))
    if file is not None:
        return load_environments(file)[place.name]
    if "***" in place.url or place.url.startswith("memory:"):
        raise PlanFileError(
            f"the plan cannot say how to open its target {place.url}",
            hint="name the target: --target URL",
        )
    url = seen_from(plan.base, place.url)
    return environment_of(url, catalog_name=place.catalog_name)


def _write_step(plan: Plan) -> dict[str, Any]:
    return {**_HEAD, **msgspec.to_builtins(plan)}


def _plain(path: str | os.PathLike[str], data: bytes) -> Any:
    if Path(path).suffix in _YAML:
        from viewscribe.catalog_store.documents.codec import StrictYamlError, load

        try:
            return load(data)
        except StrictYamlError as error:
            raise PlanFileError(f"{path}:{error.line}:{error.column}: {error.cause}") from None
    try:
        return loads(data, limit=None, depth=OUTER_DEPTH)
    except ValueError as error:
        raise PlanFileError(f"{path} is not JSON: {error}") from None
