"""The base of the query operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

import msgspec

from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions.node import MEMOS, Node, marks_in, marks_of, postorder
from viewscribe.expressions.nodes import Alias, FieldReference, ResolvedExpression, strip_alias
from viewscribe.expressions.schema import Qualifier, Schema
from viewscribe.operations.printing import operation_to_sql, operation_to_summary
from viewscribe.types import (
    STRING,
    ArrayType,
    BooleanType,
    CharType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    LogicalType,
    MapType,
    StructType,
    VarcharType,
)
from viewscribe.types.coercion import common_type_of, merged_type_of
from viewscribe.types.lexemes import Witness
from viewscribe.types.widening import cast_introduces_null, value

# The clauses of a SELECT; the kinds of joins, set operations and groupings.


class Clause(IntEnum):
    """The clauses of a SELECT in the order in which they are evaluated, a bit for each.

    A hint is about the rows that its SELECT gives in the end, so it comes last.
    """

    FROM = 1
    WHERE = 2
    GROUP_BY = 4
    HAVING = 8
    SELECT = 16
    QUALIFY = 32
    DISTINCT = 64
    SET_OPERATION = 128
    ORDER_BY = 256
    LIMIT = 512
    HINT = 1024


class Grouping(Enum):
    """How the keys of an aggregate make groups."""

    SIMPLE = "simple"
    ROLLUP = "rollup"
    CUBE = "cube"
    SETS = "sets"


class JoinKind(Enum):
    """The joins of Spark; the value is how SQL writes them."""

    INNER = "JOIN"
    LEFT = "LEFT JOIN"
    RIGHT = "RIGHT JOIN"
    FULL = "FULL JOIN"
    CROSS = "CROSS JOIN"
    SEMI = "LEFT SEMI JOIN"
    ANTI = "LEFT ANTI JOIN"

    def __init__(self, words: str) -> None:
        self.words = words
        """How SQL writes it; ``value`` is the same, but slower to get."""
        self.keeps_right = words not in ("LEFT SEMI JOIN", "LEFT ANTI JOIN")
        """Whether the right input's columns are in the output."""

    @classmethod
    def named(cls, how: str) -> JoinKind:
        """The join of a name: Flink's, Spark's and PySpark's spellings, in any case.

        Raises:
            ValidationError: no join has the name.
        """
        kind = _JOINS.get(str(how).lower().replace("_", ""))
        if kind is None:
            raise ValidationError(
                f"no join {how!r}", hint="the joins are inner, left, right, full, cross, semi, anti"
            )
        return kind


_JOINS = {
    "inner": JoinKind.INNER,
    "cross": JoinKind.CROSS,
    "left": JoinKind.LEFT,
    "leftouter": JoinKind.LEFT,
    "right": JoinKind.RIGHT,
    "rightouter": JoinKind.RIGHT,
    "outer": JoinKind.FULL,
    "full": JoinKind.FULL,
    "fullouter": JoinKind.FULL,
    "semi": JoinKind.SEMI,
    "leftsemi": JoinKind.SEMI,
    "anti": JoinKind.ANTI,
    "leftanti": JoinKind.ANTI,
}


class SetKind(Enum):
    """The set operations; the value is how SQL writes them."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"


O = TypeVar("O", bound="QueryOperation")  # noqa: E741


class ColumnOrigin(NamedTuple):
    """The input column that an output column is, unchanged.

    Args:
        number: which input.
        place: which of its columns.
    """

    number: int
    place: int


class QueryOperation(Node, frozen=True, eq=False, kw_only=True):
    """A step of a pipeline, with its schema. Its children are its inputs and its expressions.

    ``of`` builds a node and derives its schema; the bare constructor takes the schema as given.

    The properties of an operation (what it does to columns and rows) are declared here once.
    """

    if TYPE_CHECKING:

        @property
        def schema(self) -> Schema: ...

    witness: Witness | None = None
    """The text that it was read from; equal operations may have been written in other words."""

    stored: bool = False
    """Whether it comes, with its inputs, from a document, which anybody may have written."""

    derived_fields: ClassVar[tuple[str, ...]] = ("schema",)
    input_fields: ClassVar[tuple[str, ...]] = ()
    is_query: ClassVar[bool] = True

    keeps_columns: ClassVar[bool] = False
    """Whether its columns are those of its only input, under their names and in their order."""
    compares_rows: ClassVar[bool] = False
    """Whether a further column of the input could change which rows there are."""
    mixes_rows: ClassVar[bool] = False
    """Whether its rows come in no order, whatever order those of its inputs are in."""

    counts_rows: ClassVar[bool] = False
    """Whether it keeps rows by their number."""

    computes_each_row: ClassVar[bool] = False
    """Whether its expressions are over its only input, so that a step below may compute parts."""
    follows_types: ClassVar[bool] = False
    """Whether it is the same operation over inputs of wider types, its own types with them."""
    is_recursive_step: ClassVar[bool] = False
    """Whether Spark lets it stand between a recursive query's step and the round before."""

    clause: ClassVar[Clause] = Clause.FROM
    """The clause of a SELECT that says it."""
    is_source: ClassVar[bool] = False
    """Whether it stands in FROM as one table, whatever it reads."""

    def inputs(self) -> list[QueryOperation]:
        """Returns the operations that this one reads."""
        return [getattr(self, name) for name in self.input_fields]

    def column_expressions(self) -> tuple[ResolvedExpression, ...]:
        """Returns the expressions that compute its columns from the input's; empty if none do."""
        return ()

    def column_origins(self) -> Sequence[ColumnOrigin | None]:
        """Returns for each output column the input column it is; None for a computed one.

        Outer joins and smaller grouping sets may still turn the value into NULL. An alias makes a
        new column, as in Spark's plans.
        """
        made = self.column_expressions()
        if made:
            return [
                ColumnOrigin(0, each.index) if type(each) is FieldReference else None
                for each in made
            ]
        if not self.input_fields:
            return [None] * len(self.schema)
        width = len(self.inputs()[0].schema) if self.keeps_columns else 0
        kept: list[ColumnOrigin | None] = [ColumnOrigin(0, place) for place in range(width)]
        return kept + [None] * (len(self.schema) - width)

    def as_summary_string(self) -> str:
        """The indented tree of operations, one line a node."""
        return operation_to_summary(self)

    def as_serializable_string(self) -> str:
        """Returns the pipeline as SQL text in the readable style.

        Raises:
            NotSerializableError: SQL cannot express a node; names it and the way out.
        """
        return operation_to_sql(self)

    def copy_with(self, changes: dict[str, object]) -> QueryOperation:
        """Returns a copy with some fields changed and the schema recomputed."""
        fields = {
            name: getattr(self, name)
            for name in self.__struct_fields__
            if name not in (*MEMOS, *self.derived_fields)
        }
        maker = getattr(type(self), "of", type(self))
        made: QueryOperation = maker(**(fields | changes))
        return as_stored(made) if self.stored else made


def with_witness(operation: O, witness: Witness) -> O:
    """Notes on an operation that was just made the text that it was read from."""
    msgspec.structs.force_setattr(operation, "witness", witness)
    return operation


def as_stored(operation: O, stored: bool = True) -> O:
    """Notes on an operation that was just made that it comes from a document, with its inputs."""
    msgspec.structs.force_setattr(operation, "stored", stored)
    return operation


# Texts beside the steps of a pipeline, such as the Python line of each, but not in the tree.


class Notes:
    """A text for each step, by identity: equal steps may have been written on different lines."""

    __slots__ = ("_noted",)

    def __init__(self) -> None:
        # With the step itself, so that it lives as long as its identity is a key.
        self._noted: dict[int, tuple[QueryOperation, str | None]] = {}

    def note(self, operation: QueryOperation, text: str | None) -> None:
        """Notes the text beside the step and those below it that were not looked at before."""
        noted, pending = self._noted, [operation]
        while pending:
            step = pending.pop()
            if id(step) not in noted:
                noted[id(step)] = (step, text)
                pending += step.inputs()

    def of(self, operation: QueryOperation) -> str | None:
        """The text beside a step."""
        found = self._noted.get(id(operation))
        return None if found is None else found[1]

    def carry(self, before: QueryOperation, after: QueryOperation) -> None:
        """Notes the text beside a step beside what a rewrite has made of it, too."""
        self.note(after, self.of(before))

    def join(self, one: QueryOperation, other: QueryOperation, after: QueryOperation) -> None:
        """Notes the texts beside two steps beside the one that a rewrite has made of both."""
        texts = dict.fromkeys(text for each in (one, other) if (text := self.of(each)))
        self.note(after, ", ".join(texts) or None)

    def carry_all(self, before: QueryOperation, after: QueryOperation) -> None:
        """As ``carry``, for each step of a tree that a rewrite has left its shape."""
        order: list[tuple[QueryOperation, QueryOperation]] = []
        pending = [(before, after)]
        while pending:
            old, new = pending.pop()
            if new is not old:
                order.append((old, new))
                pending += zip(old.inputs(), new.inputs(), strict=True)
        for old, new in reversed(order):
            self.carry(old, new)


def rewrite(
    root: QueryOperation,
    change: Callable[[Node, Node], Node],
    notes: Notes | None,
    *kinds: type[Node],
) -> QueryOperation:
    """The tree with every node replaced by what ``change`` makes of it, bottom-up.

    Args:
        root: the tree.
        change: what becomes of a node, given as it was and over its new children.
        notes: what stands beside a step is noted beside what became of it, too.
        kinds: the only nodes that may change; where none of them is, nothing is looked at.
    """
    marks = marks_of(kinds) or ~0
    done: dict[int, Node] = {}
    for node in postorder(root, skip=lambda node: not marks_in(node) & marks):
        old = node.children()
        new = [done.get(id(child), child) for child in old]
        same = all(one is other for one, other in zip(new, old, strict=True))
        made = done[id(node)] = change(node, node if same else node.with_children(new))
        if notes is not None and made is not node and isinstance(node, QueryOperation):
            assert isinstance(made, QueryOperation)
            notes.carry(node, made)
    found = done.get(id(root), root)
    assert isinstance(found, QueryOperation)
    return found


# Derives the schema of each operation from those of its inputs.

_LONGEST_NAME = 80
_NULLS_ON_LEFT = (JoinKind.RIGHT, JoinKind.FULL)
_NULLS_ON_RIGHT = (JoinKind.LEFT, JoinKind.FULL)


def output_name(expression: ResolvedExpression) -> str:
    """Returns the output name of an expression: its alias, its column's name, or else its text.

    The text is its SQL if that is short, close to Spark's own naming: ``price * 2``.
    """
    if type(expression) is Alias or type(expression) is FieldReference:
        return expression.name
    try:
        text = expression.as_serializable_string()
    except NotSerializableError:
        return expression.as_summary_string()
    short = len(text) <= _LONGEST_NAME and "\n" not in text
    return text if short else expression.as_summary_string()


_TAKEN_FIRST = (BooleanType, IntegralType, FloatType, DoubleType, DecimalType)


def pivoted_types(aggregates: Sequence[ResolvedExpression]) -> list[LogicalType]:
    """Returns the types of the aggregates of a pivot.

    Where all are numbers, Spark groups by the value first (``PivotFirst``), and a group may lack
    it; otherwise each aggregate is of NULLs there.
    """
    types = [strip_alias(each).type for each in aggregates]
    return [each.as_nullable() for each in types] if are_taken_first(aggregates) else types


def are_taken_first(aggregates: Sequence[ResolvedExpression]) -> bool:
    """Whether Spark computes the aggregates of a pivot for each of its values in turn."""
    return all(isinstance(strip_alias(each).type, _TAKEN_FIRST) for each in aggregates)


def project_schema(before: Schema, expressions: tuple[ResolvedExpression, ...]) -> Schema:
    """Returns the schema of a projection; plain column references keep their qualifiers."""
    known, sources = before.fields, before.qualifiers
    fields = []
    qualifiers: list[Qualifier] = []
    for expression in expressions:
        if type(expression) is FieldReference:
            fields.append(known[expression.index])
            qualifiers.append(sources[expression.index])
        else:
            fields.append(Field(output_name(expression), expression.type))
            qualifiers.append(())
    return Schema(fields, qualifiers)


def with_columns_schema(before: Schema, columns: tuple[Alias, ...]) -> Schema:
    """The input's columns, some replaced in place, others added at the end."""
    by_name = before.by_name
    if not any(column.name.lower() in by_name for column in columns):
        added = tuple([Field(column.name, column.type) for column in columns])
        return before.extended(added)
    changed, changed_qualifiers = list(before.fields), list(before.qualifiers)
    for column in columns:
        place = by_name.find_unique(column.name.lower())
        field = Field(column.name, column.type)
        if place < 0:
            changed.append(field)
            changed_qualifiers.append(())
        else:
            changed[place], changed_qualifiers[place] = field, ()
    return Schema(changed, changed_qualifiers)


def join_schema(left: Schema, right: Schema, kind: JoinKind) -> Schema:
    """Returns the columns of a join, nullable on a side that may be missing."""
    if not kind.keeps_right:
        return left
    if kind in _NULLS_ON_LEFT:
        left = _nullable(left)
    if kind in _NULLS_ON_RIGHT:
        right = _nullable(right)
    return left.extended(right.fields, right.qualifiers)


def _nullable(schema: Schema) -> Schema:
    if all(field.type.nullable for field in schema.fields):
        return schema
    fields = [Field(each.name, each.type.as_nullable(), each.comment) for each in schema.fields]
    return Schema(fields, schema.qualifiers)


def using_schema(left: Schema, right: Schema, kind: JoinKind, using: tuple[str, ...]) -> Schema:
    """Returns the schema of a USING join: the shared columns, then the others of each side."""
    order = using_columns(left, right, kind, using)
    if all(pair == (place, None) for place, pair in enumerate(order[: len(left)])):
        # The columns of the left side stay where they are: those of long chains are not copied.
        added = right if kind not in _NULLS_ON_RIGHT else _nullable(right)
        kept = [place - len(left) for place, _ in order[len(left) :]]
        return left.extended([added[p] for p in kept], [added.qualifiers[p] for p in kept])
    joined = join_schema(left, right, kind)
    fields, qualifiers = [], []
    for place, other in order:
        field = joined.fields[place]
        if other is not None:
            common = common_type_of([left.fields[place].type, joined.fields[other].type])
            field = Field(field.name, (common or field.type).as_nullable())  # as Spark says
        fields.append(field)
        qualifiers.append(joined.qualifiers[place] if other is None else ())
    return Schema(fields, qualifiers)


def using_columns(
    left: Schema, right: Schema, kind: JoinKind, using: tuple[str, ...]
) -> list[tuple[int, int | None]]:
    """Returns the output of a USING join as positions in (left, right).

    A pair (left, right) stands for the shared column of a full join, which is the left value
    coalesced with the right one.
    """
    keys_left = [left.find(name) for name in using]
    if not kind.keeps_right:
        rest = [place for place in range(len(left)) if place not in keys_left]
        return [(place, None) for place in (*keys_left, *rest)]
    keys_right = [right.find(name) + len(left) for name in using]
    order: list[tuple[int, int | None]] = []
    for on_left, on_right in zip(keys_left, keys_right, strict=True):
        if kind is JoinKind.FULL:
            order.append((on_left, on_right))
        else:
            order.append((on_right if kind is JoinKind.RIGHT else on_left, None))
    rest = [place for place in range(len(left)) if place not in keys_left]
    rest += [p for p in range(len(left), len(left) + len(right)) if p not in keys_right]
    return order + [(place, None) for place in rest]


def _merged(left: LogicalType, right: LogicalType) -> LogicalType:
    return merged_type_of([left, right]) or _merged_in_place(left, right)


def _merged_in_place(left: LogicalType, right: LogicalType) -> LogicalType:
    """Merges nullability into the left type, which is built like the right one, as Spark does."""
    merged: LogicalType = left
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        merged = ArrayType(element=_merged(left.element, right.element))
    elif isinstance(left, MapType) and isinstance(right, MapType):
        merged = MapType(key=_merged(left.key, right.key), value=_merged(left.value, right.value))
    elif (
        isinstance(left, StructType)
        and isinstance(right, StructType)
        and len(left.fields) == len(right.fields)
    ):
        fields = (
            Field(a.name, _merged(a.type, b.type))
            for a, b in zip(left.fields, right.fields, strict=True)
        )
        merged = StructType(fields=tuple(fields))
    return merged.with_nullability(left.nullable or right.nullable)


def set_schema(left: Schema, right: Schema, kind: SetKind) -> Schema:
    """Returns the columns of a set operation: the left names with the common types."""
    if kind is SetKind.UNION and left.fields == right.fields:
        return Schema(left.fields)
    fields = []
    for a, b in zip(left.fields, right.fields, strict=True):
        common = _merged(a.type, b.type)
        if kind is SetKind.UNION:
            nullable = common.nullable
        else:
            nullable = a.type.nullable or cast_introduces_null(value(a.type), common)
            if kind is SetKind.INTERSECT:
                nullable &= b.type.nullable or cast_introduces_null(value(b.type), common)
        # What needs no cast keeps its length, whatever the other side has.
        uncast = isinstance(a.type, CharType | VarcharType) and common.same_type(STRING)
        kept = a.type if uncast else common
        fields.append(Field(a.name, kept.with_nullability(nullable)))
    return Schema(fields)
