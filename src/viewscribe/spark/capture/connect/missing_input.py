"""Columns that a step left out: Spark brings them back for the moment.

A filter or sort finds those that selects left out. These two and a select find the keys that a
join by names has left out, ``df1.join(df2, "k").select(df2["k"])``: it shows one for both sides.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from viewscribe.errors import CaptureError, UnknownColumnError
from viewscribe.expressions.dsl import (
    CallExpression,
    Expression,
    ItemExpression,
    StarExpression,
    ValueExpression,
)
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    FieldReference,
    OuterReference,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.resolve import resolve
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.subquery_names import outer_text
from viewscribe.operations import nodes as n
from viewscribe.operations.base import ColumnOrigin, QueryOperation
from viewscribe.spark.capture.connect.pieces import is_mark
from viewscribe.types.identifiers import parse_name

if TYPE_CHECKING:
    from pyspark.sql.connect.proto import Expression as Message

    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.scopes import Scope
    from viewscribe.spark.capture.connect.walker import Walk


# Which output column of a step is still the column of a step below: ``df["a"]`` further up.


class Copy(NamedTuple):
    """What a step that does nothing was made of.

    Args:
        original: the step below.
        taken_over: whether Spark no longer finds the columns of ``original`` by its plan id, which
            is that of the step now.
        made: what it became, which lives as long as its identity is a key.
    """

    original: QueryOperation
    taken_over: bool
    made: QueryOperation


TAKEN_OVER = 1_000_000
"""How deep a step lies whose plan id was taken over: it counts where nothing else is found."""


def find_column(
    root: QueryOperation,
    target: QueryOperation,
    index: int,
    deduplicated: Container[int],
    copies: Mapping[int, Copy],
) -> list[tuple[int, int]]:
    """The ways in which a column of ``target`` reaches the output of ``root``.

    Args:
        root: a step.
        target: a step below.
        index: a column of it.
        deduplicated: the ids of groups whose columns are those of their input.
        copies: what steps that do nothing were made of, by the ids of what they became.

    Each is how deep the target lies and the position in the output.
    """
    found: list[tuple[int, int]] = []
    stack: list[tuple[QueryOperation, tuple[Any, ...], int]] = [(root, (), 0)]
    while stack:
        operation, path, depth = stack.pop()
        same = operation
        while same is not target and id(same) in copies:
            same, taken_over, _ = copies[id(same)]
            depth += TAKEN_OVER if taken_over else 1
        if same is target:
            place = _lift(path, index, deduplicated)
            if place is not None:
                found.append((depth, place))
            continue
        for number, child in enumerate(operation.inputs()):
            stack.append((child, (operation, number, path), depth + 1))
    return found


def reaches(root: QueryOperation, target: QueryOperation, copies: Mapping[int, Copy]) -> bool:
    """Whether Spark looks for ``target`` below ``root`` where it finds it: not below a union."""
    stack = [root]
    while stack:
        operation = same = stack.pop()
        while same is not target and id(same) in copies:
            same = copies[id(same)].original
        if same is target:
            return True
        if not (isinstance(operation, n.SetOperation) and operation.kind is n.SetKind.UNION):
            stack.extend(operation.inputs())
    return False


def _lift(path: tuple[Any, ...], index: int, deduplicated: Container[int]) -> int | None:
    """The column's position after the steps of a path, None where one of them lost it."""
    place: int | None = index
    while path and place is not None:
        operation, number, path = path
        same = id(operation) in deduplicated
        place = _first(operation, place) if same else find_position(operation, number, place)
    return place


def find_position(operation: QueryOperation, number: int, index: int) -> int | None:
    """The position in the output of a column of the input of that number."""
    origins = operation.column_origins()
    wanted = ColumnOrigin(number, index)
    return origins.index(wanted) if wanted in origins else None


def _first(operation: n.Aggregate, index: int) -> int | None:
    """The place of a key, or of the first value of another column."""
    firsts = map(strip_alias, operation.aggregates)
    taken = [each.args[0] for each in firsts if isinstance(each, AggregateCall)]
    for place, expression in enumerate((*operation.keys, *taken)):
        if type(expression) is FieldReference and expression.index == index:
            return place
    return None


# Steps with the columns that they, and the steps below them, left out.
#
# It is as far as Spark looks for a column that a filter or a sort names: through projections, and
# through what keeps columns as they are. A table alias ends it, and so does what has two inputs.


def is_transparent(operation: QueryOperation) -> bool:
    """Whether it keeps the columns of its input, and would keep the rows of a wider one."""
    ends = operation.compares_rows or isinstance(operation, n.SubqueryAlias)
    return operation.keeps_columns and not ends


class Widening:
    """Widens steps.

    Args:
        deduplicated: the groups that ``dropDuplicates`` of some columns became, by identity; takes
            those that are made here.
        copies: what steps were made of, by identity of what they became; takes the wider steps,
            whose first columns are still those of the DataFrame.
    """

    def __init__(self, deduplicated: dict[int, n.Aggregate], copies: dict[int, Copy]) -> None:
        self._deduplicated, self._copies = deduplicated, copies

    def widened(
        self, operation: QueryOperation, depth: int
    ) -> tuple[QueryOperation, list[int]] | None:
        """The step with the columns at its end that the nearest projections below left out.

        Args:
            operation: the step.
            depth: of how many projections at most that leave something out.

        Returns:
            The step, and how many columns it has without them, with those of the nearest
            projection, and so on. None where nothing was left out.
        """
        path: list[QueryOperation] = []
        widths = [len(operation.schema)]
        deepest: tuple[QueryOperation, int, QueryOperation] | None = None
        while len(widths) <= depth:
            if self._passes(operation):
                path.append(operation)
                operation = operation.inputs()[0]
                continue
            wider = with_left_out(operation)
            if wider is not None:
                widths.append(widths[-1] + len(wider.schema) - len(operation.schema))
                deepest = wider, len(path), operation
            if not isinstance(operation, n.Project | n.WithColumns):
                break
            path.append(operation)
            operation = operation.child
        if deepest is None:
            return None
        found, above, narrow = deepest
        self._copies[id(found)] = Copy(narrow, False, found)
        for step in reversed(path[:above]):
            found = self._over(step, found)
            self._copies[id(found)] = Copy(step, False, found)
        return found, widths

    def _passes(self, operation: QueryOperation) -> bool:
        """Whether the step gives the columns that it reads."""
        if is_transparent(operation) or isinstance(operation, n.Distinct):
            return True
        return id(operation) in self._deduplicated

    def _over(self, step: QueryOperation, wider: QueryOperation) -> QueryOperation:
        """The step over its input with further columns, which it gives at its end."""
        width = len(step.inputs()[0].schema)
        added = wider.schema.references[width:]
        if isinstance(step, n.Distinct):
            return self._widen_groups(wider, wider.schema.references[:width], (), added)
        if isinstance(step, n.Aggregate):
            return self._widen_groups(wider, step.keys, step.aggregates, added)
        shown = _split_projection(step)
        if shown is None:
            return step.copy_with({"child": wider})
        below, expressions = shown
        return n.Project.of(wider, (*expressions, *_lack(below, expressions), *added))

    def _widen_groups(
        self,
        wider: QueryOperation,
        keys: tuple[ResolvedExpression, ...],
        aggregates: tuple[ResolvedExpression, ...],
        added: tuple[FieldReference, ...],
    ) -> QueryOperation:
        """``distinct`` and ``dropDuplicates`` take the first of a column that is not compared."""
        first = built_in("first")
        firsts = [
            Alias(call := AggregateCall(first, (ref,), first.infer((ref,))), ref.name, call.type)
            for ref in added
        ]
        made = n.Aggregate.of(wider, keys, (*aggregates, *firsts))
        self._deduplicated[id(made)] = made
        return made


class HiddenColumns:
    """The columns that selects below an input left out, found again as names ask for them.

    The columns of a nearer select come first, so the place of a column stays the same whether or
    not deeper selects are looked at.

    Args:
        child: the input.
        widening: widens it.
    """

    def __init__(self, child: QueryOperation, widening: Widening) -> None:
        self.operation = child
        self.widths: Sequence[int] = (len(child.schema),)
        self._child, self._widening = child, widening
        self._depth = 0
        self._last = 0

    def look_deeper(self) -> bool:
        """Finds the columns of further selects; returns False if there are none."""
        if len(self.widths) <= self._depth:
            return False  # the last look met the end
        # Twice as deep each time: a chain of a thousand selects is not widened a thousand times.
        self._depth = 2 * self._depth or 1
        found = self._widening.widened(self._child, self._depth)
        before = len(self.widths)
        if found is not None:
            self.operation, self.widths = found
        return len(self.widths) > before

    def use(self, index: int) -> None:
        """Notes that an expression names the column at ``index``."""
        self._last = max(self._last, index)

    def widen(self) -> QueryOperation:
        """The input, with the columns of as few selects as have all that was named."""
        depth = bisect_right(self.widths, self._last)
        if depth in (0, len(self.widths) - 1):
            return self.operation if depth else self._child
        found = self._widening.widened(self._child, depth)
        assert found is not None, "a deeper look found as much"
        return found[0]


def with_left_out(operation: QueryOperation) -> QueryOperation | None:
    """A projection, or a join by names, with the columns at its end that it left out.

    Returns:
        None where it leaves nothing out.
    """
    shown = _split_projection(operation)
    if shown is None:
        return None
    below, expressions = shown
    lacking = _lack(below, expressions)
    return n.Project.of(below, (*expressions, *lacking)) if lacking else None


def _lack(
    below: QueryOperation, expressions: tuple[ResolvedExpression, ...]
) -> tuple[FieldReference, ...]:
    known = {each.index for each in expressions if type(each) is FieldReference}
    return tuple(ref for ref in below.schema.references if ref.index not in known)


def _split_projection(
    operation: QueryOperation,
) -> tuple[QueryOperation, tuple[ResolvedExpression, ...]] | None:
    """What a projection reads, and the columns it makes of it."""
    if isinstance(operation, n.Join) and operation.using:
        return _join_on(operation)
    if not isinstance(operation, n.Project | n.WithColumns):
        return None
    return operation.child, operation.column_expressions()


def _join_on(join: n.Join) -> tuple[QueryOperation, tuple[ResolvedExpression, ...]] | None:
    """A join by names as Spark makes it: one on equal keys, and a projection to one key each."""
    left, right = join.left.schema, join.right.schema
    if not join.kind.keeps_right:
        return None
    both = n.join_schema(left, right, n.JoinKind.INNER)
    pairs = [(left.find(name), right.find(name) + len(left)) for name in join.using]
    keys = [_call("equals", both.reference(one), both.reference(other)) for one, other in pairs]
    condition = keys[0]
    for key in keys[1:]:
        condition = _call("and", condition, key)
    made = n.Join.of(join.left, join.right, join.kind, condition)
    columns: list[ResolvedExpression] = []
    for place, other in n.using_columns(left, right, join.kind, join.using):
        column: ResolvedExpression = made.schema.reference(place)
        if other is not None:
            shared = _call("coalesce", column, made.schema.reference(other))
            column = alias(shared, left.names[place])
        columns.append(column)
    types = tuple(strip_alias(column).type for column in columns)
    same = types == tuple(field.type for field in join.schema.fields)
    return (made, tuple(columns)) if same else None


def _call(name: str, *args: ResolvedExpression) -> ResolvedExpression:
    function = built_in(name)
    return Call(function, args, function.infer(args))


E = TypeVar("E")


def over_hidden(
    walk: Walk,
    child: QueryOperation,
    read: Callable[[Reader], E],
    make: Callable[[QueryOperation, E], QueryOperation],
) -> QueryOperation:
    """Builds a step over the input, with what it left out where the step's expressions name it.

    Args:
        walk: the walk over the plan.
        child: the input.
        read: reads the expressions.
        make: makes the step of them, over the input with the columns at its end that they name.

    Raises:
        UnknownColumnError: no step below has the column.
    """
    left_out = HiddenColumns(child, Widening(walk.deduplicated, walk.copies))
    expressions = read(walk.reader(child, left_out=left_out))
    wider = left_out.widen()
    made = make(wider, expressions)
    if wider is child:
        return made
    return n.Project.of(made, made.schema.references[: len(child.schema)])


class _KeysNamed(Exception):  # noqa: N818
    """Leaves a step that is read over its input, since it names keys that a join left out."""


class JoinKeys:
    """The keys that a join by names shows for both sides, found again as names ask for them.

    Args:
        child: the input of a step.
    """

    def __init__(self, child: QueryOperation) -> None:
        self.operation = child
        self.widths: Sequence[int] = (len(child.schema),)
        self._looked = False

    def look_deeper(self) -> bool:
        """Finds the keys of both sides; returns False if none was left out."""
        wider = None if self._looked else _with_keys(self.operation)
        self._looked = True
        if wider is None:
            return False
        self.operation, self.widths = wider, (*self.widths, len(wider.schema))
        return True

    def use(self, index: int) -> None:
        """Starts again over the wider input if the column at ``index`` is such a key."""
        if index >= self.widths[0]:
            raise _KeysNamed


def over_keys(
    walk: Walk, child: QueryOperation, make: Callable[[Reader, Any], QueryOperation]
) -> QueryOperation:
    """What ``make`` builds over the input, or over the join that it is with the keys of both sides.

    Raises:
        ViewscribeError: neither has what ``make`` asks for.
    """
    try:
        return make(walk.reader(child, keys=True, left_out=JoinKeys(child)), child)
    except _KeysNamed:
        wider = _with_keys(child)
        assert wider is not None, "a key that was named is there"
        return make(walk.reader(wider, visible=[len(child.schema)], keys=True), wider)


def star_of(scope: Scope, qualifier: Sequence[str]) -> list[FieldReference]:
    """The columns of ``d.*`` where a join by names has left out keys of ``d``: these come first.

    Returns:
        Nothing where no key was left out.

    Raises:
        UnknownColumnError: keys were left out, and are not there now.
    """
    wanted = tuple(part.lower() for part in qualifier)
    width = len(scope.shown)
    for schema in scope.widening_schemas():
        found = _of_qualifier(schema, wanted)
        if any(reference.index >= width for reference in found):
            for reference in found:
                scope.use(reference.index)
            return sorted(found, key=lambda reference: reference.index < width)
    for place in scope.places:
        wider = _with_keys(place.operation)
        shown = len(place.operation.schema)
        if wider and any(each.index >= shown for each in _of_qualifier(wider.schema, wanted)):
            raise UnknownColumnError(
                f"`{'.'.join(qualifier)}.*` has a key that the join shows for both sides",
                location=f"({scope.schema})",
                hint="name the columns in a select",
            )
    return []


def _of_qualifier(schema: Schema, wanted: tuple[str, ...]) -> list[FieldReference]:
    return [
        reference
        for reference, qualifier in zip(schema.references, schema.qualifiers, strict=True)
        if wanted and tuple(part.lower() for part in qualifier[-len(wanted) :]) == wanted
    ]


def _with_keys(operation: QueryOperation) -> QueryOperation | None:
    """The step with the keys at its end that a join by names below has left out."""
    path: list[QueryOperation] = []
    while is_transparent(operation) or isinstance(operation, n.Project):
        path.append(operation)
        operation = operation.inputs()[0]
    if not isinstance(operation, n.Join):
        return None
    wider = with_left_out(operation)
    if wider is None:
        return None
    count = len(wider.schema) - len(operation.schema)
    for step in reversed(path):
        if isinstance(step, n.Project):
            wider = n.Project.of(wider, (*step.expressions, *wider.schema.references[-count:]))
        else:
            wider = step.copy_with({"child": wider})
    return wider


def is_unknown_column(error: BaseException | None) -> bool:
    """Whether the error is, or was made of, one of a column that is not there."""
    while error is not None:
        if isinstance(error, UnknownColumnError):
            return True
        error = error.__cause__
    return False


# What stands for columns: a name, a star, a pattern of names.


def attribute(reader: Reader, message: Any, whole: Message) -> Expression:
    """A column by its name, or by the mark of what was cut off a deep expression."""
    name = message.unparsed_identifier
    if message.is_metadata_column:
        raise CaptureError(
            f"the metadata column `{name}` depends on the source",
            hint="read the source's _metadata with a view of your own",
        )
    if is_mark(name):
        return reader.piece(name)
    of = reader.walk.known(message.plan_id) if message.HasField("plan_id") else None
    found = reader.scope.column(name, of)
    if isinstance(found, CallExpression):  # `user` where there is no such column
        return reader.spelling.name(found, f"{found.function.sql_name}()")
    if _is_of_query_around(found):
        reader.spelling.show(found, outer_text(resolve(found, reader.scope.schema)))
    return reader.spelling.name(found, parse_name(name)[-1])


def _is_of_query_around(found: Expression) -> bool:
    """Whether a column, or a field of one, is of a query around."""
    while isinstance(found, ItemExpression):
        found = found.base
    return isinstance(found, ValueExpression) and isinstance(found.resolved, OuterReference)


def star(reader: Reader, message: Any, whole: Message) -> Any:
    """All columns, or those of one table or DataFrame."""
    if message.HasField("plan_id"):
        operation = reader.walk.known(message.plan_id)
        if operation is None:
            raise CaptureError("the star is of a DataFrame that this one does not read")
        scope = reader.scope
        places = [scope.place_of(operation, at) for at in range(len(operation.schema))]
        return [ValueExpression(scope.schema.reference(place)) for place in places]
    if not message.unparsed_target:
        return StarExpression()
    qualifier = tuple(parse_name(message.unparsed_target.removesuffix(".*")))
    found = star_of(reader.scope, qualifier)
    return [ValueExpression(each) for each in found] or StarExpression(qualifier)


def forbid_star_of_table(counted: Message) -> None:
    """Refuses ``count(d.*)``, which Spark does not read as it does ``count(*)``.

    Raises:
        CaptureError: it is the star of one table.
    """
    if counted.unresolved_star.unparsed_target:
        raise CaptureError(
            f"Spark takes no count({counted.unresolved_star.unparsed_target})",
            hint="use count(*), or name the columns",
        )


_PATTERN = re.compile(r"`(.+)`", re.DOTALL)
_BEYOND_PYTHON = re.compile(r"&&|\[[^\]]*\[|\\[pPQEGhHRvVXzZ]|\(\?<[A-Za-z]|\(\?[a-z]*-?[dxU]")
"""What Java's patterns have and Python's have not, or in another way."""


def regex(reader: Reader, message: Any, whole: Message) -> Any:
    """The columns whose names the pattern of ``colRegex`` fits; without backticks it is a name."""
    written = message.col_name
    found = _PATTERN.fullmatch(written)
    if found is None:
        if "`" in written:
            raise CaptureError(f"the pattern {written} of one table", hint="name the columns")
        return reader.spelling.name(reader.scope.column(written, None), parse_name(written)[-1])
    if _BEYOND_PYTHON.search(found[1]):
        raise CaptureError(
            f"the pattern {written} is one of Java's that Python reads otherwise",
            hint="name the columns",
        )
    try:
        pattern = re.compile(found[1], re.IGNORECASE | re.ASCII)
    except re.error as error:
        raise CaptureError(
            f"the pattern {written} is not one of Python's: {error}",
            hint="name the columns",
        ) from error
    return [
        ValueExpression(reference)
        for reference in reader.scope.schema.references
        if pattern.fullmatch(reference.name)
    ]


HANDLERS = {
    "unresolved_attribute": attribute,
    "unresolved_star": star,
    "unresolved_regex": regex,
}
