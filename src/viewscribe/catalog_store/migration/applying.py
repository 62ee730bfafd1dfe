"""Applying a plan, and taking it back.

A step is one write of the catalog that says which state it starts from, so that nothing is locked
longer than a write and nobody's change is lost. Before the first step the state of all is checked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from viewscribe.catalog_store.documents import DatabaseDocument, ObjectDocument
from viewscribe.catalog_store.errors import (
    AlreadyExistsError,
    CatalogError,
    ConcurrentUpdateError,
    ObjectNotFoundError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.migration.errors import (
    ApplyFailedError,
    JournalError,
    OutdatedPlanError,
    PlanBlockedError,
)
from viewscribe.catalog_store.migration.journal import Journal, Record
from viewscribe.catalog_store.migration.model import Plan, Step, stamp
from viewscribe.catalog_store.migration.needs import columns_hash, keys_read
from viewscribe.catalog_store.migration.snapshot import Key, as_plain, content, key_of, read
from viewscribe.catalog_store.migration.states import (
    GOING,
    Found,
    Reader,
    State,
    desired,
    desired_content,
    object_kind,
    state_of,
    without_mark,
)
from viewscribe.catalog_store.migration.watching import Watch, silent
from viewscribe.catalog_store.plain import from_plain
from viewscribe.catalog_store.protocol import Catalog, Loaded, Token
from viewscribe.catalog_store.versions import Change, default_author

JournalPath = str | os.PathLike[str] | None


class Outcome(msgspec.Struct, frozen=True):
    """What a run did: the steps that were carried out, and those that were so already."""

    done: tuple[str, ...]
    already: tuple[str, ...]


def apply_plan(
    plan: Plan,
    catalog: Catalog,
    *,
    journal: JournalPath = None,
    allow_breaking: bool = False,
    reason: str | None = None,
    watch: Watch = silent,
) -> Outcome:
    """Carry a plan out; where a step fails, take back what was done.

    Args:
        plan: the plan.
        catalog: the target's catalog.
        journal: the file that tells what was done; without one a crash cannot be taken back.
        allow_breaking: whether views of the target may break, as the plan says.
        reason: why, for the histories of the objects.
        watch: is told how far it is.

    Raises:
        PlanBlockedError: the plan has problems. Nothing was written.
        OutdatedPlanError: the target is not what the plan was made for. Nothing was written.
        PlanBusyError: another process is applying it. Nothing was written.
        ApplyFailedError: a step failed; says what was taken back and what stands.
    """
    check_applicable(plan, allow_breaking=allow_breaking)
    with Journal(journal, plan.id) as opened:
        return _Run(plan, catalog, opened, reason, watch).apply()


def check_plan(
    plan: Plan, catalog: Catalog, *, allow_breaking: bool = False, watch: Watch = silent
) -> None:
    """Raise what ``apply_plan`` would raise before it writes."""
    check_applicable(plan, allow_breaking=allow_breaking)
    _Run(plan, catalog, Journal(None, plan.id), None, watch).check()


def rollback_plan(
    plan: Plan,
    catalog: Catalog,
    *,
    journal: JournalPath,
    allow_breaking: bool = False,
    reason: str | None = None,
    watch: Watch = silent,
) -> Outcome:
    """Take back what a plan did, the last step first.

    Raises:
        JournalError: there is nothing to take back.
        OutdatedPlanError: something was changed since. Nothing was written.
        PlanBlockedError: views that were made since read what would go. Nothing was written.
        ApplyFailedError: a step could not be taken back; says what stands.
    """
    with Journal(journal, plan.id) as opened:
        if not opened.records:
            raise JournalError(
                "there is nothing to take back: no journal says that the plan was applied",
                hint="the journal is beside the plan file, on the machine that applied it",
            )
        return _Run(plan, catalog, opened, reason, watch).rollback(allow_breaking)


def check_applicable(plan: Plan, *, allow_breaking: bool) -> None:
    """Raise ``PlanBlockedError`` for a plan that must not be carried out."""
    if plan.blocking:
        count = len(plan.blocking)
        more = f", and {count - 1} more" if count > 1 else ""
        raise PlanBlockedError(
            f"the plan has problems: {plan.blocking[0]}{more}",
            hint="solve them and plan again; nothing was written",
        )
    if plan.breaking and not allow_breaking:
        broken = [each for step in plan.breaking for each in step.breaks]
        more = f", and {len(broken) - 1} more" if len(broken) > 1 else ""
        raise PlanBlockedError(
            f"the plan breaks views of the target: {broken[0]}{more}",
            hint="change those views too, or allow it: --allow-breaking, allow_breaking=True",
        )


class _Run:
    def __init__(
        self, plan: Plan, catalog: Catalog, journal: Journal, reason: str | None, watch: Watch
    ) -> None:
        self.plan = plan
        self.catalog = catalog
        self.journal = journal
        self.watch = watch
        self.change = Change(source=stamp(plan), reason=reason)
        self.orphaning = False

    def apply(self) -> Outcome:
        states = self.check()
        pending = {place: s for place, s in states.items() if s.is_ != "done"}
        already = [str(self.plan.steps[each]) for each in states if each not in pending]
        self._begin(states, pending)
        if not pending:
            if self.journal.open_run:
                self.journal.end("applied")
            return Outcome((), tuple(already))
        done: list[str] = []
        others = [place for place in states if place not in pending]
        with self.watch("Applying", len(pending)) as progress:
            for place, state in pending.items():
                step = self.plan.steps[place]
                progress.start(step.target)
                ours = self._carried_out(place, step, state)
                (done if ours else already).append(str(step))
                others += [] if ours else [place]
                progress.done(step.target, _PAST[step.operation])
        self._still_done(others)
        self.journal.end("applied")
        return Outcome(tuple(done), tuple(already))

    def _carried_out(self, place: int, step: Step, state: State) -> bool:
        try:
            return self._carry_out(place, step, state)
        except (CatalogError, JournalError, OSError) as error:
            raise self._undo_all(step, error) from error

    def _still_done(self, places: Sequence[int]) -> None:
        """What another plan had done already, and may have taken back meanwhile."""
        reader = Reader(self.catalog, len(places))
        for place in places:
            step = self.plan.steps[place]
            state = state_of(step, reader)
            if state.is_ == "conflict":
                error = ConcurrentUpdateError(f"{step.target} {state.why}")
                raise self._undo_all(step, error) from error
            if state.is_ != "done":
                self.journal.add(place, _record(step, state))
                self._carried_out(place, step, state)

    def rollback(self, allow_breaking: bool) -> Outcome:
        reader = Reader(self.catalog, len(self.journal.records))
        pending: list[int] = []
        conflicts: list[str] = []
        for place in self._done_places(reader):
            step = self.plan.steps[place]
            if _is_before(step, self.journal.records[place], reader):
                continue
            state = state_of(step, reader)
            if state.is_ in ("done", "half") or _is_going(state):
                pending.append(place)
            else:
                conflicts.append(f"{step.target} {state.why or 'was changed since'}")
        if conflicts:
            raise _outdated("cannot be taken back", conflicts)
        self.orphaning = allow_breaking
        if not allow_breaking:
            self._refuse_to_orphan(pending)
        undone, standing = self._undo(pending)
        if standing:
            self.journal.end("standing")
            raise ApplyFailedError(
                f"{len(standing)} of {len(pending)} steps could not be taken back",
                undone=undone,
                standing=standing,
                hint="what stands is listed; try again when the cause is gone",
            )
        self.journal.end("rolled back")
        return Outcome(tuple(undone), ())

    def _refuse_to_orphan(self, places: Sequence[int]) -> None:
        """Others may have built on what the plan brought."""
        steps = [self.plan.steps[place] for place in places]
        gone = {
            key_of(step.kind, step.database, step.name): step
            for step in steps
            if step.operation in ("create", "rename") and step.kind != "database"
        }
        if not gone:
            return
        name = self.plan.target.catalog_name
        ours = {key_of(step.kind, step.database, step.name) for step in steps}
        for key, entry in read(self.catalog, "Looking for readers", self.watch).loaded.items():
            orphaned = [gone[each] for each in keys_read(entry, name) if each in gone]
            if orphaned and key not in ours:
                raise PlanBlockedError(
                    f"the plan cannot be taken back: {entry.id} reads {orphaned[0].target}",
                    hint="change or drop it first, or allow it: --allow-breaking",
                )

    # -- before anything is written ---------------------------------------------------------------

    def check(self) -> dict[int, State]:
        """The state of every step; raises where one is impossible."""
        reader = Reader(self.catalog, len(self.plan.steps) + len(self.plan.requires))
        conflicts = list(self._requirements(reader))
        states: dict[int, State] = {}
        with self.watch("Checking", len(self.plan.steps)) as progress:
            for place, step in enumerate(self.plan.steps):
                state = states[place] = state_of(step, reader)
                if state.is_ == "conflict":
                    conflicts.append(f"{step.target} {state.why}")
                progress.done(step.target)
        if conflicts:
            raise _outdated("no longer fits the target", conflicts)
        return states

    def _requirements(self, reader: Reader) -> Iterator[str]:
        for each in self.plan.requires:
            found = reader.find(each.kind, each.database, each.name)
            name = f"{each.database}.{each.name}"
            if found is None:
                yield f"{name} is not there any more"
            elif columns_hash(found.document) != each.columns:
                yield f"{name}, which it reads, has other columns by now"

    def _begin(self, states: Mapping[int, State], pending: Mapping[int, State]) -> None:
        """Write down what is there, unless this continues a run that was cut off."""
        if self.journal.open_run:
            for place, state in states.items():
                record = self.journal.records.get(place)
                if state.is_ == "done" and record is not None and not record.done:
                    # Written, and the process ended before it could say so.
                    self.journal.done(place, _token(state.found))
            # What somebody else undid meanwhile is found anew.
            missing = {p: s for p, s in pending.items() if p not in self.journal.records}
            if not missing:
                return
        if pending:
            claimed = dict(self._claimed(states))
            found = {place: _record(self.plan.steps[place], s) for place, s in pending.items()}
            kept = self.journal.records if self.journal.open_run else {}
            self.journal.begin({**claimed, **found, **kept}, default_author())

    def _claimed(self, states: Mapping[int, State]) -> Iterator[tuple[int, Record]]:
        """Steps that an earlier run of this plan did, whose journal is lost: its stamp tells."""
        for place, state in states.items():
            step, found = self.plan.steps[place], state.found
            if state.is_ != "done" or found is None or found.version is None:
                continue
            if found.version.source != stamp(self.plan) or step.kind == "database":
                continue
            if step.operation == "create":
                yield place, Record(token=found.token, done=True)
            elif step.operation == "change":
                history = self.catalog.history(object_kind(step), step.database, step.name)
                if len(history) > 1:
                    before = as_plain(history[-2].document)
                    yield place, Record(before=before, token=found.token, done=True)

    # -- steps ------------------------------------------------------------------------------------

    def _carry_out(self, place: int, step: Step, state: State) -> bool:
        """Do a step; False where somebody else did the very same meanwhile."""
        try:
            token = _DO[step.operation](self, step, state)
        except UnknownOutcomeError:
            again = state_of(step, Reader(self.catalog))
            if again.is_ != "done":
                raise
            token = _token(again.found)
        except (ConcurrentUpdateError, AlreadyExistsError, ObjectNotFoundError):
            if state_of(step, Reader(self.catalog)).is_ != "done":
                raise
            return False
        self.journal.done(place, token)
        return True

    def _create(self, step: Step, state: State) -> str | None:
        if step.kind == "database":
            assert step.document is not None
            document = from_plain(step.document)
            assert isinstance(document, DatabaseDocument)
            return self.catalog.create_database(document)
        if state.found is not None:
            return self._replace(step, state)
        return self.catalog.create(desired(step), change=self.change)

    def _replace(self, step: Step, state: State) -> str | None:
        assert state.found is not None
        return self.catalog.replace(desired(step), expected=state.found.token, change=self.change)

    def _rename(self, step: Step, state: State) -> str | None:
        assert state.found is not None
        assert step.former is not None
        token = state.found.token
        if state.is_ == "todo":
            to = (step.database, step.name)
            kind = object_kind(step)
            token = self.catalog.rename(kind, *step.former, to, expected=token, change=self.change)
        return self.catalog.replace(desired(step), expected=token, change=self.change)

    def _delete(self, step: Step, state: State) -> str | None:
        assert state.found is not None
        kind = object_kind(step)
        self.catalog.delete(kind, step.database, step.name, expected=state.found.token)
        return None

    # -- and back ---------------------------------------------------------------------------------

    def _undo_all(self, failed: Step, error: Exception) -> ApplyFailedError:
        done = [place for place, each in self.journal.records.items() if _stands(each)]
        done += self._unsaid(failed)
        undone, standing = self._undo(sorted(set(done)))
        self._end("standing" if standing else "undone")
        first = getattr(error, "message", None) or str(error)
        message = f"{failed} failed: {first}"
        hint = getattr(error, "hint", None)
        if standing:
            return ApplyFailedError(
                f"{message}; what was done before could not all be taken back",
                undone=undone,
                standing=standing,
                hint="apply the plan again to go on, or roll it back, when the cause is gone",
            )
        return ApplyFailedError(
            f"{message}; the target is as it was, {_steps(len(undone))} taken back",
            undone=undone,
            hint=hint,
        )

    def _unsaid(self, failed: Step) -> list[int]:
        """The step that failed, where it was done all the same, or by half."""
        place = self.plan.steps.index(failed)
        try:
            state = state_of(failed, Reader(self.catalog))
        except (CatalogError, OSError):
            return []
        ours = place in self.journal.records
        return [place] if ours and state.is_ in ("done", "half") else []

    def _end(self, outcome: str) -> None:
        try:
            self.journal.end(outcome)
        except JournalError:
            # The journal's last lines say what was done, and that is what counts.
            return

    def _undo(self, places: Sequence[int]) -> tuple[list[str], list[str]]:
        undone: list[str] = []
        standing: list[str] = []
        kept = self._kept(places)
        with self.watch("Taking back", len(places)) as progress:
            for place in reversed(places):
                step = self.plan.steps[place]
                progress.start(step.target)
                try:
                    if place in kept:
                        raise ConcurrentUpdateError(kept[place])
                    self._undo_one(step, self.journal.records[place])
                except (CatalogError, OSError) as error:
                    first = getattr(error, "message", None) or str(error)
                    standing.append(f"{step}: {first}")
                    progress.done(step.target, "stands")
                else:
                    self._say_undone(place)
                    undone.append(str(step))
                    progress.done(step.target, "taken back")
        return undone, standing

    def _kept(self, places: Sequence[int]) -> dict[int, str]:
        """What was created and must stay, because others came to read it; with the reason.

        Another plan that is being applied may have found the object there and count on it. So it is
        marked first, then readers are looked for, then it goes. The other plan looks at the end
        whether what it counts on is there unmarked: whoever looks second sees the other.
        """
        marked = {place: self.plan.steps[place] for place in places if self._mark(place)}
        if not marked:
            return {}
        ours = {
            key_of(step.kind, step.database, step.name)
            for step in (self.plan.steps[place] for place in places)
        }
        readers = {
            read_key: str(entry.id)
            for key, entry in self._all_entries().items()
            if key not in ours
            for read_key in keys_read(entry, self.plan.target.catalog_name)
        }
        kept = {}
        for place, step in marked.items():
            reader = readers.get(key_of(step.kind, step.database, step.name))
            if reader is not None and not self.orphaning:
                kept[place] = f"{reader} reads it by now"
                self._unmark(step)
        return kept

    def _all_entries(self) -> Mapping[Key, Loaded]:
        try:
            return read(self.catalog, "Looking for readers", self.watch).loaded
        except (CatalogError, OSError):
            return {}  # nothing can be deleted from a catalog that cannot be read either

    def _mark(self, place: int) -> bool:
        step = self.plan.steps[place]
        if step.operation != "create" or step.kind == "database":
            return False
        try:
            found = Reader(self.catalog).find(step.kind, step.database, step.name)
            if found is None or content(found.document) != desired_content(step):
                return found is not None and GOING in found.document.properties
            properties = {**found.document.properties, GOING: self.plan.id}
            document = msgspec.structs.replace(found.document, properties=properties)
            self.catalog.replace(document, expected=found.token, change=self._back())
        except (CatalogError, OSError):
            return False  # taking it back will meet the same, and tell
        return True

    def _unmark(self, step: Step) -> None:
        found = Reader(self.catalog).find(step.kind, step.database, step.name)
        if found is not None and GOING in found.document.properties:
            document = without_mark(found.document)
            self.catalog.replace(document, expected=found.token, change=self._back())

    def _back(self) -> Change:
        return msgspec.structs.replace(self.change, operation="rollback")

    def _say_undone(self, place: int) -> None:
        try:
            self.journal.undone(place)
        except JournalError:
            # Whoever reads the journal looks at the target first, which is as before.
            self.journal.records[place].undone = True

    def _undo_one(self, step: Step, record: Record) -> None:
        reader = Reader(self.catalog)
        if _is_before(step, record, reader):
            return
        found = reader.find(step.kind, step.database, step.name)
        if step.kind == "database":
            self.catalog.drop_database(step.database)
            return
        before = None if record.before is None else _object(record.before)
        if found is not None and content(without_mark(found.document)) != desired_content(step):
            half = before is not None and step.operation == "rename"
            if not half or content(found.document) != content(_moved(before, step)):
                raise ConcurrentUpdateError(f"{step.target} was changed since")
        self._restore(step, before, found)

    def _restore(self, step: Step, before: ObjectDocument | None, found: Found | None) -> None:
        change = self._back()
        kind = object_kind(step)
        if step.operation == "delete":
            assert before is not None
            self.catalog.create(before, change=change)
            return
        if found is None:
            raise ConcurrentUpdateError(f"{step.target} was dropped since")
        if before is None:
            if GOING not in found.document.properties:
                raise ConcurrentUpdateError("another plan counts on it by now")
            self.catalog.delete(kind, step.database, step.name, expected=found.token)
            return
        token: Token = found.token
        if step.former is not None:
            to = (before.database, before.name)
            token = self.catalog.rename(
                kind, step.database, step.name, to, expected=token, change=change
            )
        self.catalog.replace(before, expected=token, change=change)

    def _done_places(self, reader: Reader) -> list[int]:
        """What this plan did and nobody took back, said or not yet said."""
        found = []
        for place, record in sorted(self.journal.records.items()):
            unsaid = self.journal.open_run and not record.done
            if _stands(record) or (
                unsaid and state_of(self.plan.steps[place], reader).is_ in ("done", "half")
            ):
                found.append(place)
        return found


_Do = Callable[[_Run, Step, State], str | None]
_DO: dict[str, _Do] = {
    "create": _Run._create,
    "change": _Run._replace,
    "rename": _Run._rename,
    "delete": _Run._delete,
}
_PAST = {"create": "created", "change": "changed", "rename": "renamed", "delete": "deleted"}


def _stands(record: Record) -> bool:
    return record.done and not record.undone


def _record(step: Step, state: State) -> Record:
    found = state.found
    if found is None or step.kind == "database" or step.operation == "create":
        return Record()
    document = found.document
    if state.is_ == "half" and step.former is not None:
        document = msgspec.structs.replace(document, database=step.former[0], name=step.former[1])
    return Record(before=as_plain(document))


def _is_before(step: Step, record: Record, reader: Reader) -> bool:
    """Whether the target is as the step found it."""
    before = None if record.before is None else _object(record.before)
    if step.operation == "rename":
        assert before is not None
        former = reader.find(step.kind, before.database, before.name)
        return former is not None and content(former.document) == content(before)
    found = reader.find(step.kind, step.database, step.name)
    if found is None or before is None:
        return found is None and before is None
    return content(found.document) == content(before)


def _moved(before: Any, step: Step) -> Any:
    return msgspec.structs.replace(before, database=step.database, name=step.name)


def _object(plain: Mapping[str, Any]) -> ObjectDocument:
    document = from_plain(plain)
    assert not isinstance(document, DatabaseDocument)
    return document


def _is_going(state: State) -> bool:
    """Whether an earlier run was cut off in the middle of taking the object back."""
    return state.found is not None and GOING in getattr(state.found.document, "properties", ())


def _token(found: Found | None) -> str | None:
    return None if found is None else found.token


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count:,} steps"


def _outdated(what: str, conflicts: Sequence[str]) -> OutdatedPlanError:
    shown = "; ".join(conflicts[:5])
    more = f"; and {len(conflicts) - 5} more" if len(conflicts) > 5 else ""
    return OutdatedPlanError(
        f"the plan {what}: {shown}{more}", hint="nothing was written: plan again"
    )
