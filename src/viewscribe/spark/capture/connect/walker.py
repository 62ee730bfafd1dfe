"""The walk over a Connect program: each relation becomes operations, what it reads first."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from google.protobuf.message import DecodeError
from pyspark.sql.connect import proto
from pyspark.sql.connect.plan import LogicalPlan

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import Literal
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.parser.grammar import Reading
from viewscribe.parser.settings import READ, READING, make_reading, refuse_settings
from viewscribe.spark.capture.connect.exclusions import REFUSED_RELATIONS, table_function
from viewscribe.spark.capture.connect.expressions import Reader
from viewscribe.spark.capture.connect.missing_input import Copy
from viewscribe.spark.capture.connect.pieces import Pieces
from viewscribe.spark.capture.connect.scopes import LeftOut, Namesakes, Place, Scope
from viewscribe.spark.capture.lines import short_line
from viewscribe.spark.capture.session_functions import (
    all_refused,
    python_line,
    refusal,
    refusal_because,
    refusals_in,
    without_dropped,
)
from viewscribe.spark.capture.sources import Sources
from viewscribe.types import Field
from viewscribe.types.identifiers import quote_name
from viewscribe.types.policy import IN_FORCE

# Where the steps of a program are written: what PySpark notes, and what a recording notes.

_STEP = "spark.connect.Relation"


def with_line(relation: Any, lines: Mapping[int, str]) -> Any:
    """The relation, its line noted where PySpark notes those of expressions."""
    site = lines.get(relation.common.plan_id)
    if site is not None:
        relation.common.origin.python_origin.call_site = site
    if relation.WhichOneof("rel_type") == "with_relations":
        with_line(relation.with_relations.root, lines)
    return relation


def step_line(relation: Any) -> str | None:
    """The line of a step: its own, or that of its first expression that has one."""
    pending = [relation]
    while pending:
        message = pending.pop()
        line = (
            python_line(message.common.origin)
            if ("common" in message.DESCRIPTOR.fields_by_name and message.HasField("common"))
            else None
        )
        if line is not None:
            return short_line(line)
        pending += reversed(list(parts_of(message)))
    return None


def parts_of(message: Any) -> Iterator[Any]:
    """The messages in a message, but for what a step reads: those are steps of their own."""
    for field, value in message.ListFields():
        kind = field.message_type
        if kind is None or kind.full_name == _STEP or kind.GetOptions().map_entry:
            continue
        if field.is_repeated:
            yield from value
        else:
            yield value


# The steps of a Connect DataFrame, however long the chain is.
#
# PySpark's own ``plan()`` recurses and copies what lies below into every step. Here each step is
# asked for its own message alone: what it reads is replaced by a mere plan id first.


class Program:
    """Relations by plan id, each reading others by their plan ids.

    Args:
        plan: the DataFrame's plan, ``df._plan``.
        client: the session's client, which some steps ask for their settings.
        lines: where steps are written, by plan id, as far as that is known.
    """

    def __init__(
        self, plan: LogicalPlan, client: Any, lines: Mapping[int, str] | None = None
    ) -> None:
        self.root: int = plan._plan_id
        self.relations: dict[int, proto.Relation] = {}
        self._client = client
        self._pieces = Pieces()
        for step in _postorder(plan):
            message = with_line(self._message(step), lines or {})
            self.relations[step._plan_id] = message
            for each in _embedded(message):
                self.relations.setdefault(each.common.plan_id, each)

    def _message(self, step: LogicalPlan) -> proto.Relation:
        """The step's own message, with marks for what lies too deep in it."""
        lone = _alone(step)
        try:
            return lone.plan(self._client)
        except (RecursionError, DecodeError):
            return self._pieces.cut(lone).plan(self._client)  # type: ignore[no-any-return]

    def pieces(self, mark: str) -> Iterator[tuple[str, proto.Expression]]:
        """The expression that a mark stands for, and before it those that it needs."""
        return self._pieces.upto(mark, self._client)


def _embedded(relation: proto.Relation) -> Iterator[proto.Relation]:
    """The relations that stand in a message themselves, as those that SQL text reads do."""
    stack = [relation]
    while stack:
        current = stack.pop()
        kind = current.WhichOneof("rel_type")
        if kind is None:
            continue
        if current is not relation and current.common.HasField("plan_id"):
            yield current
        for field, value in getattr(current, kind).ListFields():
            if field.message_type is proto.Relation.DESCRIPTOR:
                stack += [value] if isinstance(value, proto.Relation) else value


class _Reference:
    """Stands for a step where the one above it asks for it."""

    def __init__(self, plan_id: int) -> None:
        self._plan_id = plan_id

    def plan(self, session: Any) -> proto.Relation:
        relation = proto.Relation()
        relation.common.plan_id = self._plan_id
        return relation


def _alone(step: LogicalPlan) -> LogicalPlan:
    """The step with plan ids for what it reads."""
    lone = copy.copy(step)
    for name, value in vars(step).items():
        if isinstance(value, LogicalPlan):
            setattr(lone, name, _Reference(value._plan_id))
        elif _are_plans(value):
            setattr(lone, name, [_Reference(each._plan_id) for each in value])
    return lone


def _inputs(step: LogicalPlan) -> Iterator[LogicalPlan]:
    for value in vars(step).values():
        if isinstance(value, LogicalPlan):
            yield value
        elif _are_plans(value):
            yield from value


def _are_plans(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and isinstance(value[0], LogicalPlan)


def _postorder(root: LogicalPlan) -> Iterator[LogicalPlan]:
    """Each step once, what it reads before it."""
    seen: set[int] = set()
    stack: list[tuple[LogicalPlan, bool]] = [(root, False)]
    while stack:
        step, expanded = stack.pop()
        if expanded:
            yield step
        elif id(step) not in seen:
            seen.add(id(step))
            stack.append((step, True))
            stack.extend((each, False) for each in reversed(list(_inputs(step))))


# What the parser of SQL text asks while a plan is captured: tables, functions, settings.


class PlanWorld:
    """Where a text in a plan finds its tables and functions.

    Args:
        sources: the session's, or those of viewscribe's catalogs.
        frames: DataFrames by the names that they have in the text.
    """

    def __init__(
        self, sources: Sources, frames: Mapping[str, QueryOperation] | None = None
    ) -> None:
        self._sources = sources
        self._frames = frames or {}

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table of a name; of a temporary view and of a DataFrame what it is made of."""
        frame = self._frames.get(parts[0]) if len(parts) == 1 else None
        return self._sources.table(parts) if frame is None else frame

    def columns_then(self, path: Sequence[str], as_of: str) -> tuple[Field, ...] | None:
        """The columns of a table as it was, which a session alone knows."""
        return self._sources.query_schema(f"SELECT * FROM {quote_name(path)} {as_of}")

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function of a user that a name means."""
        return self._sources.function(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """Refused: a session tells nothing of functions of tables.

        Raises:
            CaptureError: always.
        """
        raise CaptureError(
            f"`{'.'.join(parts)}` is a function of tables, which a capture does not know",
            location="sql",
            hint="call it in the Table API: env.from_call(call(…))",
        )


class SettingsReader:
    """Says how texts are read in the session of a plan; it is asked once."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._settings: dict[str, str] | None = None

    def reading(
        self, named: Mapping[str, Literal] | None = None, placed: Sequence[Literal] = ()
    ) -> Reading:
        """How a text with these parameters is read.

        Raises:
            NotSerializableError: with the settings it would mean something else.
        """
        if self._settings is None:
            asked = {name: self._sources.setting(name) for name in (*READ, *READING)}
            found = {name: value for name, value in asked.items() if value is not None}
            refuse_settings(found)
            if not IN_FORCE.get().ansi:  # Spark looks at it with ANSI alone
                found.pop("spark.sql.ansi.doubleQuotedIdentifiers", None)
            self._settings = found
        return make_reading(self._settings, named, placed)


Relation = proto.Relation
Handler = Callable[["Walk", Any], QueryOperation]


class Walk:
    """One walk over a program.

    Args:
        program: the relations by plan id.
        sources: what names of tables mean.
        notes: takes the Python line of each step.
        recorded: the program is of a recording, which stands for classic sessions too.
        as_declared: local rows have the nullability of their schema, not that of their text.
    """

    def __init__(
        self,
        program: Program,
        sources: Sources,
        notes: Notes | None = None,
        *,
        recorded: bool = False,
        as_declared: bool = False,
    ) -> None:
        self.recorded, self.as_declared = recorded, as_declared
        self._namesakes = Namesakes.REFUSED if recorded else Namesakes.TAKEN
        self.is_classic = recorded and not getattr(sources, "is_connect", False)
        """Whether what the program stands for is run by a classic session."""
        self.program = program
        self.sources = sources = sources.asked_by(self)
        self.world = PlanWorld(sources)
        self.texts = SettingsReader(sources)
        self.notes = notes
        self.origin: Any = None
        self.current = program.root
        """The plan id of the relation that is being captured."""
        self.deduplicated: dict[int, n.Aggregate] = {}
        """The groups that ``dropDuplicates`` became, by identity: their columns are the input's."""
        self.copies: dict[int, Copy] = {}
        """What steps that do nothing were made of, by identity of what they became."""
        self._outer: Scope | None = None
        self._done: dict[int, QueryOperation] = {}

    def run(self, plan_id: int) -> QueryOperation:
        """The operation of a relation, and of everything it reads, in a loop.

        Raises:
            CaptureError: the first relation that cannot be captured.
        """
        stack = [plan_id]
        while stack:
            current = stack[-1]
            waiting = [each for each in self._inputs(current) if each not in self._done]
            if waiting:
                stack.extend(reversed(waiting))
            else:
                stack.pop()
                if current not in self._done:
                    self._done[current] = self._made(self.program.relations[current])
        return self._done[plan_id]

    def _inputs(self, plan_id: int) -> list[int]:
        relation = self.program.relations[plan_id]
        return [each.common.plan_id for each in inputs(relation) if is_reference(each)]

    def _made(self, relation: Relation) -> QueryOperation:
        kind = relation.WhichOneof("rel_type")
        handler = handlers().get(kind or "")
        if handler is None:
            raise unknown_relation(kind, relation)
        if relation.common.HasField("plan_id"):
            self.current = relation.common.plan_id
        try:
            made = handler(self, getattr(relation, kind or ""))
            if any(self._done.get(each.common.plan_id) is made for each in inputs(relation)):
                return self._copy(made, kind in _TAKEN_OVER)
            if self.notes is not None:
                self.notes.note(made, step_line(relation))
            return made
        except CaptureError as error:
            if error.location and ", at " in error.location:
                raise
            where = error.location or kind or "relation"
            origin = relation.common.origin
            raise refusal(
                where, error.message, hint=error.hint, origin=origin, code=error.code
            ) from error
        except ViewscribeError as error:
            raise refusal_because(kind or "relation", error, relation.common.origin) from error

    def _copy(self, made: QueryOperation, taken_over: bool) -> QueryOperation:
        """The step again, for a DataFrame made of another one is not that one to Spark.

        ``other = df.drop("not there")`` can be joined to ``df``, and the sides be told apart.
        """
        twin = copy.copy(made)
        self.copies[id(twin)] = Copy(made, taken_over, twin)
        if isinstance(twin, n.Aggregate) and id(made) in self.deduplicated:
            self.deduplicated[id(twin)] = twin
        if self.notes is not None:
            self.notes.carry(made, twin)
        return twin

    # -- for the handlers ------------------------------------------------------------------------

    def input(self, relation: Relation) -> QueryOperation:
        """The operation of a relation that another one reads."""
        if relation.WhichOneof("rel_type") is None:
            return self._done[relation.common.plan_id]
        if not relation.common.HasField("plan_id"):
            return self._made(relation)
        plan_id = relation.common.plan_id
        if plan_id not in self._done:
            self._done[plan_id] = self._made(relation)
        return self._done[plan_id]

    def known(self, plan_id: int) -> QueryOperation | None:
        """The operation of another DataFrame that an expression refers to.

        Raises:
            CaptureError: this DataFrame reads nothing of it.
        """
        found = self._done.get(plan_id)
        if found is None:
            raise CaptureError(
                "a column belongs to a DataFrame that this one does not read",
                hint='name the column with col("…")',
            )
        return found

    def reader(
        self,
        operation: QueryOperation,
        *,
        visible: Sequence[int] = (),
        keys: bool = False,
        namesakes: Namesakes | None = None,
        left_out: LeftOut | None = None,
    ) -> Reader:
        """Reads expressions over the columns of one input."""
        places = (Place(operation, 0),)
        return self._reader(operation.schema, places, visible, keys, namesakes, left_out)

    def join_reader(self, left: QueryOperation, right: QueryOperation) -> Reader:
        """Reads expressions over the columns of two inputs side by side."""
        both = n.join_schema(left.schema, right.schema, n.JoinKind.INNER)
        places = (Place(left, 0), Place(right, len(left.schema)))
        return self._reader(both, places)

    def _reader(
        self,
        schema: Schema,
        places: Sequence[Place],
        visible: Sequence[int] = (),
        keys: bool = False,
        namesakes: Namesakes | None = None,
        left_out: LeftOut | None = None,
    ) -> Reader:
        scope = Scope(
            schema,
            places,
            outer=self._outer,
            visible=visible,
            deduplicated=self.deduplicated,
            keys=keys,
            namesakes=namesakes or self._namesakes,
            copies=self.copies,
            left_out=left_out,
        )
        return Reader(self, scope)

    def inner(self, plan_id: int, scope: Scope) -> QueryOperation:
        """The operation of a sub-query, whose expressions may name columns of ``scope``."""
        done, outer = self._done, self._outer
        # What was made outside may not stand for the same relation inside: its names mean more.
        self._done, self._outer = dict(done), scope
        self._done = {key: made for key, made in done.items() if key != plan_id}
        for each in below(self.program, plan_id):
            self._done.pop(each, None)
        try:
            return without_dropped(self.run(plan_id), self.notes)
        finally:
            inside = self._done
            self._done, self._outer = {**inside, **done}, outer

    def inner_relations(self) -> set[int]:
        """The relations that only sub-queries read, which mean nothing by themselves."""
        main = set(below(self.program, self.program.root))
        return self.program.relations.keys() - main


def below(program: Program, plan_id: int) -> list[int]:
    """The plan ids of a relation and everything it reads."""
    found: dict[int, None] = {}
    stack = [plan_id]
    while stack:
        current = stack.pop()
        if current not in found:
            found[current] = None
            if current not in program.relations:  # of a sub-query beside another, as PySpark 4.3
                raise CaptureError(
                    "PySpark sends a sub-query without its plan, so no server could run it",
                    hint="filter by one sub-query at a time",
                )
            waiting = inputs(program.relations[current])
            read = [each.common.plan_id for each in waiting if each.common.HasField("plan_id")]
            stack += [each for each in read if each in program.relations]
    return list(found)


def is_reference(relation: Relation) -> bool:
    """Whether the message only says a plan id, and the relation is one of its own."""
    return relation.WhichOneof("rel_type") is None


def inputs(relation: Relation) -> list[Relation]:
    """The relations that one reads and that come before it; not its sub-queries."""
    kind = relation.WhichOneof("rel_type")
    if kind is None:
        return []
    message = getattr(relation, kind)
    if kind == "with_relations":
        in_text = message.root.WhichOneof("rel_type") == "sql"
        return list(message.references) if in_text else _all_inputs(message.root)
    if kind == "lateral_join":
        return [message.left]
    found: list[Relation] = []
    for field, value in message.ListFields():
        if field.message_type is not None and field.message_type.full_name == _RELATION:
            found += list(value) if field.is_repeated else [value]
    return found


def _all_inputs(relation: Relation) -> list[Relation]:
    return [relation] if relation.WhichOneof("rel_type") is None else inputs(relation)


_RELATION = Relation.DESCRIPTOR.full_name

_TAKEN_OVER = ("drop", "with_columns_renamed")
"""Relations of which Spark, where they do nothing, gives the input itself a new plan id."""


def unknown_relation(kind: str | None, relation: Relation) -> CaptureError:
    """The error for a relation that cannot be captured."""
    reason, hint = REFUSED_RELATIONS.get(
        kind or "", (f"a relation of the kind {kind} is not known", None)
    )
    if kind == "common_inline_user_defined_table_function":
        reason, hint = table_function(relation.common_inline_user_defined_table_function)
    return refusal(kind or "relation", reason, hint=hint, origin=relation.common.origin)


def handlers() -> dict[str, Handler]:
    """What is made of each kind of relation."""
    from viewscribe.spark.capture.connect.relations import HANDLERS

    return HANDLERS


# Everything that cannot be captured, not only the first.


def check_all(walk: Walk) -> None:
    """Walks as far as it goes, and past every refusal.

    Raises:
        CaptureError: every refusal of a relation that is not above another refusal.
    """
    found: list[CaptureError] = []
    made: list[QueryOperation] = []
    broken: set[int] = set()
    inner = walk.inner_relations()
    for plan_id, relation in walk.program.relations.items():
        if any(each.common.plan_id in broken for each in inputs(relation)):
            broken.add(plan_id)
            kind = relation.WhichOneof("rel_type")
            if kind in REFUSED_RELATIONS and kind not in handlers():
                found.append(unknown_relation(kind, relation))
            continue
        if plan_id in inner:
            continue
        try:
            made.append(walk.run(plan_id))
        except CaptureError as error:
            broken.add(plan_id)
            found.append(error)
    if found:
        calls = {id(error): error for each in made for error in refusals_in(each)}
        raise all_refused([*calls.values(), *found])
