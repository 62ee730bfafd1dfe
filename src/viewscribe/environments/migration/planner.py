"""Planning: the steps that bring the target to the state of the source.

Writes nothing. Everything that would stop the plan halfway (a missing table, a cycle, a name that
is taken) is found here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple, cast

import msgspec

from viewscribe.catalog_store.columns import without_collecting
from viewscribe.catalog_store.documents.model import (
    Column,
    Dependency,
    FunctionDocument,
    ObjectKind,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import is_untouched
from viewscribe.catalog_store.functions import stored_function
from viewscribe.catalog_store.protocol import Loaded, fold
from viewscribe.catalog_store.shared_work import TOGETHER, share_out
from viewscribe.catalog_store.text_reader import COMMENT, with_comments
from viewscribe.environments import Environment, Translation
from viewscribe.environments.migration.breaking_changes import find_circle, in_order, with_breaks
from viewscribe.environments.migration.execution import open_if_there
from viewscribe.environments.migration.journal import is_selected, refuse_to_select_nothing
from viewscribe.environments.migration.model import Place, Plan, Problem, ProblemCode, Step, plan_id
from viewscribe.environments.migration.renamer import Renamer, Translated
from viewscribe.environments.migration.snapshot import (
    Desired,
    Key,
    Needs,
    Snapshot,
    Watch,
    columns_of,
    key_of,
    owner_kept,
    read,
    same,
    silent,
)
from viewscribe.environments.migration.steps import (
    Deliveries,
    database_steps,
    deletion,
    drift_problems,
    name_of,
    place_of,
    requirements,
    step_to,
)
from viewscribe.environments.migration.widening import widen
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.serializer import to_sql
from viewscribe.serializer.dialects import to_dialect
from viewscribe.serializer.plan_document import from_plan
from viewscribe.types.policy import coercion, coercion_of

# Printing the texts of views whose plans have the names of the target, many in several processes.
#
# What a text is printed from stands in its document, so that nothing else goes to a process.


class Unprinted(msgspec.Struct, frozen=True):
    """What the texts of a view of the target are printed from.

    Args:
        plan: with the names of the target.
        style, spark_version, settings: those of the view.
        dialects: the dialects that it has texts in.
        commented: its text and its plan in the source, where the text has comments.
    """

    plan: Mapping[str, Any]
    style: str
    spark_version: str | None
    settings: Mapping[str, str]
    dialects: tuple[str, ...]
    commented: tuple[str, Mapping[str, Any]] | None

    @classmethod
    def of(cls, before: ViewDocument, after: ViewDocument) -> Unprinted:
        """Returns what a view is printed from.

        Args:
            before: as the source has it.
            after: as it is to be, but for its texts.
        """
        assert before.plan is not None
        assert after.plan is not None
        return cls(
            plan=after.plan,
            style=after.style,
            spark_version=after.spark_version,
            settings=after.settings,
            dialects=tuple(after.representations),
            commented=(before.sql, before.plan) if COMMENT in before.sql else None,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to other processes in a fraction of the time that nested dictionaries take."""
        try:
            return _unpacked, (msgspec.msgpack.encode(self),)
        except (OverflowError, ValueError):  # numbers and characters that only a damaged plan has
            return Unprinted, msgspec.structs.astuple(self)


def _unpacked(packed: bytes) -> Unprinted:
    return msgspec.msgpack.decode(packed, type=Unprinted)


class Printed(NamedTuple):
    """The texts of a view of the target; ``bare`` where it loses the comments of the source."""

    sql: str
    representations: Mapping[str, str]
    bare: bool = False

    def within(self, document: ViewDocument) -> ViewDocument:
        """Returns the document with these texts."""
        return msgspec.structs.replace(document, sql=self.sql, representations=self.representations)


class Refused(NamedTuple):
    """Why there is no such document or text."""

    message: str
    hint: str | None


_WORTH_PROCESSES = 1_500
"""How many views are printed sooner with other processes, which have to start first."""


def print_all(views: Iterable[Unprinted], processes: int = 1) -> Iterator[Printed | Refused]:
    """Yields the texts of views, in their order.

    Other processes print the first ones while the last ones are still made here.

    Args:
        views: the views.
        processes: how many processes may share the work, if there is much of it.
    """
    views = iter(views)
    first = list(islice(views, _WORTH_PROCESSES))
    processes = processes if len(first) == _WORTH_PROCESSES else 1
    groups = _in_groups(chain(first, views))
    for found in share_out(_print, None, groups, documents=len(first), processes=processes):
        yield from found


def _in_groups(views: Iterator[Unprinted]) -> Iterator[list[Unprinted]]:
    while group := list(islice(views, TOGETHER)):
        yield group


def _print(_: None, views: Sequence[Unprinted]) -> list[Printed | Refused]:
    return [_print_or_refuse(view) for view in views]


def _print_or_refuse(view: Unprinted) -> Printed | Refused:
    try:
        return print_view(view)
    except ViewscribeError as error:
        return Refused(error.message, error.hint)


def print_view(view: Unprinted) -> Printed:
    """Returns the texts of a view in the target.

    Raises:
        ViewscribeError: the plan is damaged, or has no such text.
    """
    with coercion(coercion_of(view.settings)):
        tree = from_plan(view.plan)
        sql = to_sql(tree, view.style, view.spark_version)
        others = {each: to_dialect(tree, each) for each in view.dialects}
        if view.commented is not None:
            text, plan = view.commented
            plain = to_sql(from_plan(plan), view.style, view.spark_version)
            if plain != text:
                found = with_comments(text, plain, sql)
                return Printed(sql if found is None else found, others, found is None)
    return Printed(sql, others)


def make_plan(
    source: Environment,
    target: Environment,
    *,
    select: Sequence[str] = (),
    delete: bool = False,
    delete_foreign: bool = False,
    overwrite_drift: bool = False,
    processes: int = 1,
    watch: Watch = silent,
) -> Plan:
    """Plans how to bring ``target`` to the state of ``source``.

    Args:
        source: the environment that has the views and functions.
        target: the environment to change.
        select: patterns of names in the source, such as ``sales.*``; empty means all.
        delete: also delete objects that earlier plans created and the source no longer has, in the
            databases that the source has.
        delete_foreign: also delete objects there that no plan created.
        overwrite_drift: also overwrite manual edits in the target since a plan wrote the object;
            without it, such an edit is a problem of the plan.
        processes: how many processes may share the work, if there is much of it.
        watch: a progress listener.

    Raises:
        CatalogError: a catalog cannot be read.
        SelectionError: a pattern matches nothing.
        ValidationError: a pattern is malformed.
    """
    with without_collecting():  # what was read is gone again when it ends
        planned = _planned(source, target, tuple(select), delete, delete_foreign, processes, watch)
    if overwrite_drift:
        kept = tuple(each for each in planned.problems if each.code != "drift")
        return msgspec.structs.replace(planned, overwrite_drift=True, problems=kept)
    return planned


def _planned(
    source: Environment,
    target: Environment,
    select: tuple[str, ...],
    delete: bool,
    delete_foreign: bool,
    processes: int,
    watch: Watch,
) -> Plan:
    sources = read(source.open(), f"Reading {source.name}", watch)
    there = open_if_there(target)
    targets = Snapshot() if there is None else read(there, f"Reading {target.name}", watch)
    deliveries = Deliveries(there, targets)
    planner = _Planner(source, target, sources, targets, deliveries, processes)
    if there is None:
        planner.say_missing()
    return planner.plan(select, delete or delete_foreign, delete_foreign, watch)


_Outcome = Translated | Refused | None
"""What becomes of a document; None where it was edited by hand."""


class _Planner:
    def __init__(
        self,
        source: Environment,
        target: Environment,
        sources: Snapshot,
        targets: Snapshot,
        deliveries: Deliveries,
        processes: int,
    ) -> None:
        self.source = source
        self.target = target
        self.sources = sources
        self.targets = targets
        self.deliveries = deliveries
        self.processes = processes
        self.renamer = Renamer(Translation(source.names, target.names), sources)
        self.back = Translation(target.names, source.names)
        self.problems: list[Problem] = []
        self.desired: dict[Key, Desired] = {}
        self.unfit: set[Key] = set()
        self.without_comments: list[str] = []
        """Views of the target whose text has lost the comments that it has in the source."""

    def plan(self, select: tuple[str, ...], delete: bool, foreign: bool, watch: Watch) -> Plan:
        """Returns the plan; ``foreign`` also deletes objects that no plan created."""
        refuse_to_select_nothing(
            select, self.sources, self.source.name, lambda pattern: bool(self._extra((pattern,)))
        )
        chosen = self._chosen(select)
        with watch("Translating names", len(chosen)) as progress:
            for entry, found in self._translate_all(chosen):
                self._want(entry, found)
                progress.done(str(entry.id))
        for name in self.without_comments:
            cause = "loses the comments in its text, which is printed with other names"
            self._problem("comments", name, cause, "its text is not as it is printed now")
        self._widen()
        self._unreadable(select)
        extra = self._extra(select)
        renames = self._renames(extra)
        former = set(renames.values())
        extra = [key for key in extra if key not in former]
        unbrought = {key for key in extra if not self.deliveries.are_of(key)}
        deleted = [key for key in extra if foreign or key not in unbrought] if delete else []
        needs = Needs(self.source, self.target, self.sources, self.targets)
        needs.final(self.desired, {*deleted, *former})
        with watch("Looking for what is missing", len(self.desired)) as progress:
            for wanted in self.desired.values():
                self.problems += needs.check(wanted)
                progress.done(wanted.label)
        self.problems += needs.check_deleted()
        steps = self._steps(renames, deleted, needs, watch)
        steps = [
            msgspec.structs.replace(each, drift=self.deliveries.drift(each))
            for each in with_breaks(steps, needs, watch)
        ]
        self.problems += drift_problems(steps)
        kept = {key: name_of(self.targets.loaded[key]) for key in extra if key not in set(deleted)}
        made = self._made(select, delete, steps, needs, tuple(kept.values()))
        others = tuple(name for key, name in kept.items() if key in unbrought)
        return msgspec.structs.replace(made, delete_foreign=foreign, foreign=others)

    def _made(
        self,
        select: tuple[str, ...],
        delete: bool,
        steps: Sequence[Step],
        needs: Needs,
        extra: Sequence[str],
    ) -> Plan:
        source, target = _place(self.source), _place(self.target)
        databases = [*database_steps(steps, self.sources, self.targets), *steps]
        changed = sum(step.operation != "delete" for step in steps)
        return Plan(
            id=plan_id(source, target, databases),
            source=source,
            target=target,
            select=select,
            delete=delete,
            steps=tuple(databases),
            problems=tuple(dict.fromkeys(self.problems)),
            requires=tuple(requirements(steps, self.desired, self.targets, needs)),
            unchanged=len(self.desired) - changed - len(self.unfit),
            extra=tuple(extra),
        )

    def say_missing(self) -> None:
        """Warns that the target does not exist yet, which may be a misspelled name."""
        cause = f"there is no catalog at {self.target.shown_url} yet"
        hint = "applying the plan makes it"
        self._problem("missing-catalog", self.target.name, cause, hint)

    # -- what is wanted ---------------------------------------------------------------------------

    def _chosen(self, select: tuple[str, ...]) -> list[Loaded]:
        return [
            entry
            for entry in self.sources.of_kind("view", "function")
            if is_selected(select, entry.id.database, entry.id.name)
        ]

    def _translate_all(self, chosen: Sequence[Loaded]) -> Iterator[tuple[Loaded, _Outcome]]:
        """Yields what becomes of each document under the names of the target."""
        found: list[_Outcome] = []
        unprinted: list[int] = []
        """The places of those whose texts are printed."""

        def views() -> Iterator[Unprinted]:
            for place, entry in enumerate(chosen):
                each = self._translate(entry)
                found.append(each)
                if isinstance(each, Translated) and each.is_unprinted:
                    unprinted.append(place)
                    yield Unprinted.of(
                        cast(ViewDocument, entry.document), cast(ViewDocument, each.document)
                    )

        done = 0
        for at, texts in enumerate(print_all(views(), self.processes)):
            place = unprinted[at]
            yield from zip(chosen[done:place], found[done:place], strict=True)
            yield chosen[place], self._with_texts(cast(Translated, found[place]), texts)
            done = place + 1
        yield from zip(chosen[done:], found[done:], strict=True)

    def _translate(self, entry: Loaded) -> _Outcome:
        """Translates a document but for the texts of a view; None where it was edited by hand."""
        document = entry.document
        if isinstance(document, ViewDocument) and not is_untouched(document):
            return None
        try:
            if isinstance(document, ViewDocument):
                return self.renamer.view(document)
            return self.renamer.function(cast(FunctionDocument, document))
        except ViewscribeError as error:
            return Refused(error.message, error.hint)

    def _with_texts(self, view: Translated, texts: Printed | Refused) -> _Outcome:
        if isinstance(texts, Refused):
            return texts
        document = texts.within(cast(ViewDocument, view.document))
        if texts.bare:
            self.without_comments.append(f"{document.database}.{document.name}")
        return view._replace(document=document)

    def _want(self, entry: Loaded, found: _Outcome) -> None:
        name = name_of(entry)
        if found is None:
            cause = "was edited by hand: its text and its plan may say different things"
            self._problem("edited", name, cause, "save it again, or restore it")
            return
        if isinstance(found, Refused):
            self._problem("untranslatable", name, found.message, found.hint)
            return
        new = found.document
        key = key_of(new.kind, new.database, new.name)
        if key in self.desired:
            other = ".".join(self.desired[key].origin)
            cause = f"would be called `{new.database}.{new.name}` in the target, as {other} would"
            self._problem("name-clash", name, cause, "make the name mapping differ")
            return
        self.desired[key] = Desired(key, place_of(entry), new, found.dependencies)

    def _widen(self) -> None:
        """Adapts views to wider column types in the target, in dependency order."""
        here = fold(self.target.catalog_name)
        reads = {
            key: {
                key_of(each.kind, each.name[1], each.name[2])
                for each in wanted.dependencies
                if len(each.name) == 3 and fold(each.name[0]) == here
            }
            for key, wanted in self.desired.items()
        }

        def columns(path: Sequence[str]) -> Sequence[Column] | None:
            if len(path) != 3 or fold(path[0]) != here:
                return None
            key = key_of("table", path[1], path[2])
            wanted = self.desired.get(key)
            return columns_of(self.targets.document(key) if wanted is None else wanted.document)

        for key in in_order(reads):
            wanted = self.desired[key]
            if isinstance(wanted.document, ViewDocument):
                home = self.target.catalog_name
                found, fits = widen(wanted.document, columns, self._function, home)
                self.desired[key] = wanted._replace(document=found, fits_wider=fits)

    def _function(self, path: tuple[str, ...]) -> UserFunction | None:
        """Returns the desired state of a function of the target."""
        if len(path) != 3 or fold(path[0]) != fold(self.target.catalog_name):
            return None
        key = key_of("function", path[1], path[2])
        wanted = self.desired.get(key)
        found = self.targets.document(key) if wanted is None else wanted.document
        return stored_function(path, found) if isinstance(found, FunctionDocument) else None

    def _unreadable(self, select: tuple[str, ...]) -> None:
        for key, entry in self.sources.unreadable.items():
            wanted = key.space != "database" and entry.id.kind != "table"
            if wanted and is_selected(select, entry.id.database, entry.id.name):
                hint = entry.error.hint
                self._problem("unreadable", str(entry.id), entry.error.message, hint)
        for key in self.desired:
            broken = self.targets.unreadable.get(key)
            if broken is not None:
                self.unfit.add(key)
                self._problem("unreadable", str(broken.id), broken.error.message, broken.error.hint)

    def _extra(self, select: tuple[str, ...]) -> list[Key]:
        """Yields views and functions of the target that the source lacks, in shared databases."""
        found = []
        homes = {key.database for key in self.sources.loaded}
        for entry in self.targets.of_kind("view", "function"):
            key = key_of(entry.id.kind, entry.id.database, entry.id.name)
            if key in self.desired:
                continue
            try:
                origin = self.back((self.target.catalog_name, entry.id.database, entry.id.name))
            except ViewscribeError:
                continue  # a name outside the mapping is none of our business
            here = fold(origin[0]) == fold(self.source.catalog_name)
            known = key_of(entry.id.kind, *origin[1:]) in self.sources
            gone = here and not known and fold(origin[1]) in homes
            if gone and is_selected(select, origin[1], origin[2]):
                found.append(key)
        return found

    def _renames(self, extra: Sequence[Key]) -> dict[Key, Key]:
        """Returns the names that new objects, renamed in the source, still have in the target."""
        free = set(extra)
        found: dict[Key, Key] = {}
        if not free:
            return found
        for key, wanted in self.desired.items():
            if key in self.targets:
                continue
            for former in self._former_names(wanted):
                if former in free:
                    found[key] = former
                    free.discard(former)
                    break
        return found

    def _former_names(self, wanted: Desired) -> Iterator[Key]:
        """Yields the object's names in earlier versions, translated to the target."""
        entry = self.sources.loaded[key_of(wanted.document.kind, *wanted.origin)]
        if entry.version is None or entry.version.number == 1:
            return
        kind = cast(ObjectKind, entry.id.kind)
        history = self.source.open().history(kind, *wanted.origin)
        for stored in reversed(history):
            document = stored.document
            try:
                path = self.renamer.own_path(document.database, document.name)
            except ViewscribeError:
                continue
            yield key_of(kind, path[1], path[2])

    # -- the steps --------------------------------------------------------------------------------

    def _steps(
        self, renames: dict[Key, Key], deleted: Sequence[Key], needs: Needs, watch: Watch
    ) -> list[Step]:
        found: dict[Key, Step] = {}
        with watch("Comparing", len(self.desired)) as progress:
            for key, wanted in self.desired.items():
                step = self._step(wanted, self._with_kinds(wanted, needs), renames.get(key))
                if step is not None:
                    found[key] = step
                progress.done(wanted.label)
        reads = {key: needs.read_by(self.desired[key]) for key in self.desired}
        circle = find_circle(needs.graph())
        if circle:
            shown = " reads ".join(needs.label(key) for key in circle)
            cause = f"views and functions read each other in a circle: {shown}"
            self._problem("cycle", needs.label(circle[0]), cause, "break the circle in the source")
        ordered = [found[key] for key in in_order(reads) if key in found]
        goners = {key: needs.read_by_target(key) for key in deleted}
        return [
            *ordered,
            *(deletion(self.targets.loaded[key]) for key in reversed(in_order(goners))),
        ]

    def _with_kinds(self, wanted: Desired, needs: Needs) -> ViewDocument | FunctionDocument:
        """Returns the document with the kinds that its dependencies have in the target."""
        document = wanted.document
        if not isinstance(document, ViewDocument):
            return document
        known = tuple(Dependency(needs.kind(each), each.name) for each in document.dependencies)
        if known == document.dependencies:
            return document
        return msgspec.structs.replace(document, dependencies=known)

    def _step(
        self, wanted: Desired, document: ViewDocument | FunctionDocument, former: Key | None
    ) -> Step | None:
        current = self.targets.loaded.get(former or wanted.key)
        if current is None:
            if wanted.key in self.targets.unreadable:
                return None
            return step_to("create", wanted, document, None, None)
        if current.id.kind != document.kind:
            self.unfit.add(wanted.key)
            cause = f"is a {current.id.kind} in the target, and a {document.kind} in the source"
            self._problem(
                "other-kind", wanted.label, cause, "rename one of the two, or drop the target's"
            )
            return None
        document = owner_kept(document, current.document)
        if former is not None:
            return step_to("rename", wanted, document, current, former)
        if same(document, current.document):
            return None
        if fold(document.name) == fold(current.document.name):
            # Names are case-insensitive, so keep the spelling that the target already has.
            spelled = cast(Any, current.document)
            document = msgspec.structs.replace(
                document, database=spelled.database, name=spelled.name
            )
            if same(document, current.document):
                return None
        return step_to("change", wanted, document, current, None)

    def _problem(self, code: ProblemCode, what: str, cause: str, hint: str | None = None) -> None:
        self.problems.append(Problem(code=code, object=what, message=cause, hint=hint))


def _place(environment: Environment) -> Place:
    return Place(
        name=environment.name,
        url=environment.shown_url,
        catalog_name=environment.catalog_name,
        file=environment.file,
    )
