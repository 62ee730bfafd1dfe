"""The state of a step: whether it is still to be done, done already, or impossible by now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple, cast

import msgspec

from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    DocumentKind,
    ObjectDocument,
    ObjectKind,
)
from viewscribe.catalog_store.documents.normalization import from_plain
from viewscribe.catalog_store.documents.versions import Change, Version
from viewscribe.catalog_store.errors import (
    CatalogError,
    ConcurrentUpdateError,
    DamagedDocumentError,
    ObjectNotFoundError,
)
from viewscribe.catalog_store.protocol import NAMESPACE, Catalog, Loaded, Stored, Token
from viewscribe.environments.migration.journal import (
    ApplyFailedError,
    Journal,
    JournalError,
    Record,
)
from viewscribe.environments.migration.model import Expected, Plan, Step, stamp
from viewscribe.environments.migration.snapshot import (
    Key,
    Snapshot,
    Watch,
    content,
    key_of,
    keys_read,
    read,
)
from viewscribe.schemas import DocumentSchemaError, validate

_FEW = 200
"""Up to how many objects are read one by one instead of all at once."""


class Found(NamedTuple):
    """An object of the target as it is now."""

    document: Any
    token: Token
    version: Version | None


class Reader:
    """Reads single objects of a catalog, all at once where there are many to read.

    Args:
        catalog: the catalog.
        count: about how many objects will be asked for.
    """

    def __init__(self, catalog: Catalog, count: int = 0) -> None:
        self._catalog = catalog
        self._snapshot = Snapshot(catalog.load_all()) if count > _FEW else None

    def find(self, kind: DocumentKind, database: str, name: str) -> Found | None:
        """The object of that name, of a view or table whichever there is; None for none.

        Raises:
            DamagedDocumentError: it cannot be read.
        """
        if self._snapshot is not None:
            return self._in_snapshot(self._snapshot, kind, database, name)
        if kind == "database":
            return self._database(database)
        for each in NAMESPACE[kind]:
            try:
                stored = self._catalog.get(each, database, name)
            except ObjectNotFoundError:
                continue
            return Found(stored.document, stored.token, stored.version)
        return None

    def _database(self, name: str) -> Found | None:
        try:
            stored: Stored[Any] = self._catalog.get_database(name)
        except ObjectNotFoundError:
            return None
        return Found(stored.document, stored.token, None)

    def _in_snapshot(
        self, snapshot: Snapshot, kind: DocumentKind, database: str, name: str
    ) -> Found | None:
        key = key_of(kind, database, name)
        if key in snapshot.unreadable:
            raise snapshot.unreadable[key].error
        loaded = snapshot.loaded.get(key)
        return None if loaded is None else Found(loaded.document, loaded.token, loaded.version)


class State(NamedTuple):
    """What is to be said of a step.

    Args:
        is_: ``todo``; ``half``, a rename whose change is to follow; ``done``; ``conflict``.
        found: what is there now.
        why: what is in the way.
    """

    is_: Literal["todo", "half", "done", "conflict"]
    found: Found | None = None
    why: str = ""


def state_of(step: Step, reader: Reader) -> State:
    """The state of a step. Raises ``CatalogError`` where the catalog cannot be read."""
    try:
        found = reader.find(step.kind, step.database, step.name)
        if step.kind == "database":
            return State("todo" if found is None else "done", found)
        if found is not None and found.document.kind != step.kind:
            return State("conflict", found, f"is a {found.document.kind} now")
        if step.operation == "rename":
            return _of_rename(step, found, reader)
    except DamagedDocumentError as error:
        return State("conflict", None, f"cannot be read: {error.message}")
    return _HANDLERS[step.operation](step, found)


GOING = "viewscribe.going"
"""The property of an object that is about to be taken back."""


def without_mark(document: Any) -> Any:
    """The document as it was before it was marked as going."""
    kept = {key: value for key, value in document.properties.items() if key != GOING}
    return msgspec.structs.replace(document, properties=kept)


def _of_create(step: Step, found: Found | None) -> State:
    if found is None:
        return State("todo")
    if content(found.document) == desired_content(step):
        return State("done", found)
    if content(without_mark(found.document)) == desired_content(step):
        return State("todo", found)  # somebody is about to take it back: whoever is first wins
    return State("conflict", found, f"is there by now{_by(found)}")


def _of_change(step: Step, found: Found | None) -> State:
    if found is None:
        return State("conflict", None, "is not there any more")
    # What is wanted comes first: a plan may be applied twice.
    if content(found.document) == desired_content(step):
        return State("done", found)
    if _as_expected(step.expected, found):
        return State("todo", found)
    return State("conflict", found, f"was changed since the plan was made{_by(found)}")


def _of_delete(step: Step, found: Found | None) -> State:
    if found is None:
        return State("done")
    if _as_expected(step.expected, found):
        return State("todo", found)
    return State("conflict", found, f"was changed since the plan was made{_by(found)}")


def _of_rename(step: Step, found: Found | None, reader: Reader) -> State:
    assert step.former is not None
    former = reader.find(step.kind, *step.former)
    if found is None:
        if former is None:
            return State("conflict", None, f"`{'.'.join(step.former)}` is not there any more")
        if _as_expected(step.expected, former):
            return State("todo", former)
        why = f"`{'.'.join(step.former)}` was changed since the plan was made{_by(former)}"
        return State("conflict", former, why)
    if former is not None:
        return State("conflict", found, f"is there by now{_by(found)}")
    if content(found.document) == desired_content(step):
        return State("done", found)
    back = msgspec.structs.replace(found.document, database=step.former[0], name=step.former[1])
    if step.expected is not None and content(back) == step.expected.content:
        return State("half", found)
    return State("conflict", found, f"is there by now{_by(found)}")


_HANDLERS = {"create": _of_create, "change": _of_change, "delete": _of_delete}


def _as_expected(expected: Expected | None, found: Found) -> bool:
    """By token, or by content where somebody changed it and took that back."""
    if expected is None:
        return False
    return found.token == expected.token or content(found.document) == expected.content


def make_desired(step: Step) -> ObjectDocument:
    """The document that a step writes."""
    assert step.document is not None
    return cast(ObjectDocument, from_plain(step.document))


def desired_content(step: Step) -> str | None:
    """What the object's content is to be; None where it is to be gone."""
    return None if step.document is None else content(make_desired(step))


def object_kind(step: Step) -> ObjectKind:
    """The kind of a step that is not of a database."""
    assert step.kind != "database"
    return step.kind


def _by(found: Found) -> str:
    author = found.version.author if found.version is not None else None
    return f" by {author}" if author else ""


# Rolling back a plan step by step, without removing what other objects depend on by now.


class TakingBack:
    """Rolls back steps of a plan; the base of a run.

    Args:
        plan: the plan.
        catalog: the target's catalog.
        journal: knows what was done, and records what is rolled back.
        change: author and reason, for the objects' histories.
        watch: a progress listener.
    """

    def __init__(
        self, plan: Plan, catalog: Catalog, journal: Journal, change: Change, watch: Watch
    ) -> None:
        self.plan = plan
        self.catalog = catalog
        self.journal = journal
        self.watch = watch
        self.change = msgspec.structs.replace(change, source=stamp(plan))
        for place, record in journal.records.items():
            _check_record(plan, place, record)
        self.orphaning = False

    def _undo_all(self, failed: Step, error: Exception) -> ApplyFailedError:
        done = [place for place, each in self.journal.records.items() if stands(each)]
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
        """Returns the failed step if it took effect nevertheless, wholly or in part."""
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
            # What counts is what the last lines of the journal say was done.
            return

    def _undo(self, places: Sequence[int]) -> tuple[list[str], list[str]]:
        undone: list[str] = []
        standing: list[str] = []
        kept = self._kept(places)
        with self.watch("Taking back", len(places)) as progress:
            for place in reversed(places):
                step = self.plan.steps[place]
                progress.start(step.target)
                if place in kept:
                    standing.append(f"{step}: {kept[place]}")
                    progress.done(step.target, "stands")
                    continue
                try:
                    self._undo_one(step, self.journal.records[place])
                except (CatalogError, OSError) as error:
                    if not self._is_back(place):
                        standing.append(f"{step}: {self._why(step, error)}")
                        progress.done(step.target, "stands")
                        continue
                self._say_undone(place)
                undone.append(str(step))
                progress.done(step.target, "taken back")
        return undone, standing

    def _is_back(self, place: int) -> bool:
        """Returns whether another run that rolls the plan back was faster."""
        try:
            step, reader = self.plan.steps[place], Reader(self.catalog)
            return is_before(step, self.journal.records[place], reader)
        except (CatalogError, OSError):
            return False

    def _why(self, step: Step, error: CatalogError | OSError | None) -> str:
        """Returns why a step was not rolled back, and who changed the object if somebody did."""
        told = getattr(error, "message", None) or str(error or "was changed since")
        if error is not None and not isinstance(error, ConcurrentUpdateError | ObjectNotFoundError):
            return told
        with suppress(CatalogError, OSError):
            found = Reader(self.catalog).find(step.kind, step.database, step.name)
            version = None if found is None else found.version
            ours = version is not None and version.source == stamp(self.plan)
            if version is not None and ours and version.operation == "rollback":
                return "another run of this plan is taking it back at this moment"
        return told

    def _kept(self, places: Sequence[int]) -> dict[int, str]:
        """Returns created objects that must be kept because others read them, with the reason.

        Another plan that is being applied may depend on the object. So it is marked first, then
        checked for readers, then removed. At its end the other plan checks that its dependencies
        exist without a mark: whichever looks second sees the other.
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
            return {}  # a catalog that cannot be read cannot be deleted from either

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
            return False  # rolling it back will run into the same error and report it
        return True

    def _unmark(self, step: Step) -> None:
        """Takes the mark away. Other plans mark and unmark what they brought as well."""
        while True:
            found = Reader(self.catalog).find(step.kind, step.database, step.name)
            if found is None or GOING not in found.document.properties:
                return
            document = without_mark(found.document)
            with suppress(ConcurrentUpdateError):  # somebody else went on, so this ends
                self.catalog.replace(document, expected=found.token, change=self._back())
                return

    def _back(self) -> Change:
        return msgspec.structs.replace(self.change, operation="rollback")

    def _say_undone(self, place: int) -> None:
        try:
            self.journal.undone(place)
        except JournalError:
            # Whoever reads the journal checks the target first, and finds it as before.
            self.journal.records[place].undone = True

    def _undo_one(self, step: Step, record: Record) -> None:
        reader = Reader(self.catalog)
        if is_before(step, record, reader):
            return
        found = reader.find(step.kind, step.database, step.name)
        if step.kind == "database":
            self.catalog.drop_database(step.database)
            return
        before = None if record.before is None else _object(record.before)
        if found is not None and content(without_mark(found.document)) != desired_content(step):
            half = before is not None and step.operation == "rename"
            if not half or content(found.document) != content(_move_back(before, step)):
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
        """Returns what this plan did and nobody undid, journaled or not."""
        found = []
        for place, record in sorted(self.journal.records.items()):
            unsaid = self.journal.open_run and not record.done
            if stands(record) or (
                unsaid and state_of(self.plan.steps[place], reader).is_ in ("done", "half")
            ):
                found.append(place)
        return found


def _check_record(plan: Plan, place: int, record: Record) -> None:
    """Refuses what a journal tells of no step of the plan, or what cannot be taken back."""
    if not 0 <= place < len(plan.steps):
        raise JournalError(f"the journal tells of a step {place}, which the plan does not have")
    step = plan.steps[place]
    if (record.before is None) != (step.operation == "create"):
        raise JournalError(f"the journal does not tell how it was before: {step}")
    if record.before is None:
        return
    try:
        validate(record.before, step.kind)
    except DocumentSchemaError as error:
        raise JournalError(f"the journal is damaged: {step}: {error.problems[0]}") from None


def stands(record: Record) -> bool:
    """Returns whether a step was applied and not rolled back."""
    return record.done and not record.undone


def is_before(step: Step, record: Record, reader: Reader) -> bool:
    """Returns whether the target is as it was before the step."""
    before = None if record.before is None else _object(record.before)
    if step.operation == "rename":
        assert before is not None
        former = reader.find(step.kind, before.database, before.name)
        return former is not None and content(former.document) == content(before)
    found = reader.find(step.kind, step.database, step.name)
    if found is None or before is None:
        return found is None and before is None
    return content(found.document) == content(before)


def _move_back(before: Any, step: Step) -> Any:
    return msgspec.structs.replace(before, database=step.database, name=step.name)


def _object(plain: Mapping[str, Any]) -> ObjectDocument:
    document = from_plain(plain)
    assert not isinstance(document, DatabaseDocument)
    return document


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count:,} steps"
