"""Applying a plan, and rolling it back.

A step is a single compare-and-swap write of the catalog, so that nothing is locked for longer and
nobody's change is lost. The state of all steps is checked before the first one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from viewscribe.catalog_store.documents.model import DatabaseDocument
from viewscribe.catalog_store.documents.normalization import from_plain
from viewscribe.catalog_store.documents.versions import Change, default_author
from viewscribe.catalog_store.errors import (
    AlreadyExistsError,
    CatalogError,
    CatalogNotFoundError,
    ConcurrentUpdateError,
    ObjectNotFoundError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.protocol import Catalog
from viewscribe.catalog_store.stores.memory import MemoryCatalog
from viewscribe.environments import Environment
from viewscribe.environments.migration.journal import (
    ApplyFailedError,
    Journal,
    JournalError,
    OutdatedPlanError,
    PlanBlockedError,
    Record,
)
from viewscribe.environments.migration.model import Plan, Step, stamp
from viewscribe.environments.migration.snapshot import (
    Watch,
    as_plain,
    columns_hash,
    key_of,
    keys_read,
    read,
    silent,
)
from viewscribe.environments.migration.states import (
    GOING,
    Found,
    Reader,
    State,
    TakingBack,
    is_before,
    make_desired,
    object_kind,
    state_of,
)

JournalPath = str | os.PathLike[str] | None


class Outcome(msgspec.Struct, frozen=True):
    """The result of a run: the steps it applied, and those that had been applied before."""

    done: tuple[str, ...]
    already: tuple[str, ...]


def apply_plan(
    plan: Plan,
    catalog: Catalog,
    *,
    journal: JournalPath = None,
    allow_breaking: bool = False,
    author: str | None = None,
    reason: str | None = None,
    watch: Watch = silent,
) -> Outcome:
    """Applies a plan; if a step fails, rolls back the steps before it.

    Args:
        plan: the plan.
        catalog: the target's catalog.
        journal: the file that records what was done; without it, a crash cannot be rolled back.
        allow_breaking: whether to apply a plan that breaks views of the target.
        author: the author for the objects' histories; the default is that of ``Change``.
        reason: the reason, for the histories.
        watch: a progress listener.

    Raises:
        PlanBlockedError: the plan has problems. Nothing was written.
        OutdatedPlanError: the target has changed since the plan was made. Nothing was written.
        PlanBusyError: another process is applying it. Nothing was written.
        ApplyFailedError: a step failed; lists what was rolled back and what was not.
    """
    check_applicable(plan, allow_breaking=allow_breaking)
    with Journal(journal, plan.id) as opened:
        return _Run(plan, catalog, opened, Change(author=author, reason=reason), watch).apply()


def check_plan(
    plan: Plan, catalog: Catalog, *, allow_breaking: bool = False, watch: Watch = silent
) -> None:
    """Raises what ``apply_plan`` would raise before it writes."""
    check_applicable(plan, allow_breaking=allow_breaking)
    _Run(plan, catalog, Journal(None, plan.id), Change(), watch).check()


def rollback_plan(
    plan: Plan,
    catalog: Catalog,
    *,
    journal: JournalPath,
    allow_breaking: bool = False,
    author: str | None = None,
    reason: str | None = None,
    watch: Watch = silent,
) -> Outcome:
    """Rolls back what a plan did, last step first.

    Raises:
        JournalError: there is nothing to roll back.
        OutdatedPlanError: an object has been changed since. Nothing was written.
        PlanBlockedError: views created since read an object that would be removed. Nothing was
            written.
        ApplyFailedError: a step could not be rolled back; lists what is left.
    """
    with Journal(journal, plan.id) as opened:
        if not opened.records:
            raise JournalError(
                "there is nothing to take back: no journal says that the plan was applied",
                hint="the journal is beside the plan file, on the machine that applied it",
            )
        change = Change(author=author, reason=reason)
        return _Run(plan, catalog, opened, change, watch).rollback(allow_breaking)


def check_applicable(plan: Plan, *, allow_breaking: bool) -> None:
    """Raises ``PlanBlockedError`` for a plan that must not be applied."""
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


class _Run(TakingBack):
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
        """Checks that steps which another plan had done already have not been undone meanwhile."""
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
            if is_before(step, self.journal.records[place], reader):
                continue
            state = state_of(step, reader)
            if state.is_ in ("done", "half") or (
                state.found is not None and GOING in getattr(state.found.document, "properties", ())
            ):
                pending.append(place)
            elif not self._is_back(place):
                cause = ConcurrentUpdateError(state.why) if state.why else None
                conflicts.append(f"{step.target} {self._why(step, cause)}")
        if conflicts:
            hint = "nothing was written: see with viewscribe log what happened since"
            raise _outdated_error("cannot be taken back", conflicts, hint)
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
        """Raises if other objects have come to read what a rollback would remove."""
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
        """Returns the state of every step; raises if one is impossible."""
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
            raise _outdated_error("no longer fits the target", conflicts)
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
        """Records the present state, unless this continues an interrupted run."""
        if self.journal.open_run:
            for place, state in states.items():
                record = self.journal.records.get(place)
                if state.is_ == "done" and record is not None and not record.done:
                    # The write succeeded, but the process died before it was journaled.
                    self.journal.done(place, _token(state.found))
            # What somebody else undid meanwhile is found anew.
            missing = {p: s for p, s in pending.items() if p not in self.journal.records}
            if not missing:
                return
        if pending:
            claimed = dict(self._claim(states))
            found = {place: _record(self.plan.steps[place], s) for place, s in pending.items()}
            kept = self.journal.records if self.journal.open_run else {}
            author = self.change.author or default_author()
            self.journal.begin({**claimed, **found, **kept}, author)

    def _claim(self, states: Mapping[int, State]) -> Iterator[tuple[int, Record]]:
        """Finds steps of an earlier run whose journal is lost, by the plan's stamp on them."""
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
        """Executes a step; False if somebody else did exactly the same in the meantime."""
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
        return self.catalog.create(make_desired(step), change=self.change)

    def _replace(self, step: Step, state: State) -> str | None:
        assert state.found is not None
        return self.catalog.replace(
            make_desired(step), expected=state.found.token, change=self.change
        )

    def _rename(self, step: Step, state: State) -> str | None:
        assert state.found is not None
        assert step.former is not None
        token = state.found.token
        if state.is_ == "todo":
            to = (step.database, step.name)
            kind = object_kind(step)
            token = self.catalog.rename(kind, *step.former, to, expected=token, change=self.change)
        return self.catalog.replace(make_desired(step), expected=token, change=self.change)

    def _delete(self, step: Step, state: State) -> str | None:
        assert state.found is not None
        kind = object_kind(step)
        self.catalog.delete(kind, step.database, step.name, expected=state.found.token)
        return None


_Do = Callable[[_Run, Step, State], str | None]
_DO: dict[str, _Do] = {
    "create": _Run._create,
    "change": _Run._replace,
    "rename": _Run._rename,
    "delete": _Run._delete,
}
_PAST = {"create": "created", "change": "changed", "rename": "renamed", "delete": "deleted"}


def _record(step: Step, state: State) -> Record:
    found = state.found
    if found is None or step.kind == "database" or step.operation == "create":
        return Record()
    document = found.document
    if state.is_ == "half" and step.former is not None:
        document = msgspec.structs.replace(document, database=step.former[0], name=step.former[1])
    return Record(before=as_plain(document))


def _token(found: Found | None) -> str | None:
    return None if found is None else found.token


def _outdated_error(
    what: str, conflicts: Sequence[str], hint: str = "nothing was written: plan again"
) -> OutdatedPlanError:
    shown = "; ".join(conflicts[:5])
    more = f"; and {len(conflicts) - 5} more" if len(conflicts) > 5 else ""
    return OutdatedPlanError(f"the plan {what}: {shown}{more}", hint=hint)


# Opening the two catalogs of a migration: looking at one makes nothing where there is none.


def open_if_there(environment: Environment) -> Catalog | None:
    """The catalog of an environment; None where there is none yet."""
    try:
        return environment.open()
    except CatalogNotFoundError:
        return None


def open_to_apply(
    plan: Plan, target: Environment, *, allow_breaking: bool = False, watch: Watch = silent
) -> Catalog:
    """The catalog that a plan is for, made where there is none.

    Raises:
        PlanBlockedError, OutdatedPlanError: there is none, and the plan does not fit an empty one.
            Nothing was made.
    """
    found = open_if_there(target)
    if found is not None:
        return found
    check_plan(plan, MemoryCatalog(), allow_breaking=allow_breaking, watch=watch)
    return target.open(create=True)
