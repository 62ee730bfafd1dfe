"""The walk over a Connect program: each relation becomes operations, what it reads first."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql.connect import proto

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes
from viewscribe.spark.capture.connect.exclusions import REFUSED_RELATIONS
from viewscribe.spark.capture.connect.expressions import Reader
from viewscribe.spark.capture.connect.origins import step_line
from viewscribe.spark.capture.connect.program import Program
from viewscribe.spark.capture.connect.provenance import Copy
from viewscribe.spark.capture.connect.refusals import table_function
from viewscribe.spark.capture.connect.scopes import LeftOut, Namesakes, Place, Scope
from viewscribe.spark.capture.connect.sql_world import PlanWorld, SettingsReader
from viewscribe.spark.capture.refusals import refusal, refusal_because
from viewscribe.spark.capture.session_functions import without_dropped
from viewscribe.spark.capture.sources import Sources

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
    return _inputs_of(message)


def _all_inputs(relation: Relation) -> list[Relation]:
    return [relation] if relation.WhichOneof("rel_type") is None else inputs(relation)


def _inputs_of(message: Any) -> list[Relation]:
    found: list[Relation] = []
    for field, value in message.ListFields():
        if field.message_type is not None and field.message_type.full_name == _RELATION:
            found += list(value) if field.is_repeated else [value]
    return found


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
