"""Columns that a step left out: Spark brings them back for the moment.

A filter or sort finds those that selects left out. These two and a select find the keys that a
join by names has left out, ``df1.join(df2, "k").select(df2["k"])``: it shows one for both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from viewscribe.errors import UnknownColumnError
from viewscribe.expressions.nodes import FieldReference
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.missing_columns import (
    HiddenColumns,
    Widening,
    is_transparent,
    with_left_out,
)

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.scopes import Scope
    from viewscribe.spark.capture.connect.walker import Walk


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
