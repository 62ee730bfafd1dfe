"""Columns that a step left out: Spark brings them back for the moment.

A filter or sort finds those that selects left out. These two and a select find the keys that a
join by names has left out, ``df1.join(df2, "k").select(df2["k"])``: it shows one for both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import UnknownColumnError, ViewscribeError
from viewscribe.expressions.nodes import FieldReference
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.missing_columns import Widening, is_transparent, with_left_out

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.scopes import Scope
    from viewscribe.spark.capture.connect.walker import Walk


def over_hidden(
    walk: Walk, child: QueryOperation, make: Callable[[Reader, Any], QueryOperation]
) -> QueryOperation:
    """What ``make`` builds over the input, or over the input with the columns it left out.

    Raises:
        UnknownColumnError: no step below has the column.
    """
    try:
        return make(walk.reader(child), child)
    except ViewscribeError as error:
        made = _over_left_out(walk, child, make) if is_unknown_column(error) else None
        if made is None:
            raise
    return n.Project.of(made, made.schema.references[: len(child.schema)])


def _over_left_out(
    walk: Walk, child: QueryOperation, make: Callable[[Reader, Any], QueryOperation]
) -> QueryOperation | None:
    """What ``make`` builds over the input with what as few projections as can be left out."""
    widening = Widening(walk.deduplicated)

    def over(depth: int) -> tuple[QueryOperation | None, bool]:
        """What is built with so many, and whether there are more of them."""
        found = widening.widened(child, depth)
        if found is None:
            return None, False
        wider, widths = found
        try:
            return make(walk.reader(wider, visible=widths), wider), True
        except ViewscribeError as error:
            if not is_unknown_column(error):
                raise
        return None, len(widths) > depth

    few, depth = 0, 1
    made, more = over(depth)
    while made is None and more:
        few, depth = depth, 2 * depth
        made, more = over(depth)
    while made is not None and depth - few > 1:
        middle = (few + depth) // 2
        less, _ = over(middle)
        few, depth = (middle, depth) if less is None else (few, middle)
        made = less or made
    return made


def over_keys(
    walk: Walk, child: QueryOperation, make: Callable[[Reader, Any], QueryOperation]
) -> QueryOperation:
    """What ``make`` builds over the input, or over the join that it is with the keys of both sides.

    Raises:
        ViewscribeError: neither has what ``make`` asks for.
    """
    try:
        return make(walk.reader(child), child)
    except ViewscribeError as error:
        wider = _with_keys(child) if is_unknown_column(error) else None
        if wider is None:
            raise
        try:
            return make(walk.reader(wider, visible=[len(child.schema)], keys=True), wider)
        except ViewscribeError:
            raise error from error.__cause__


def star_of(scope: Scope, qualifier: Sequence[str]) -> list[FieldReference]:
    """The columns of ``d.*`` where a join by names has left out keys of ``d``: these come first.

    Returns:
        Nothing where no key was left out.

    Raises:
        UnknownColumnError: keys were left out, and are not there now.
    """
    wanted = tuple(part.lower() for part in qualifier)
    width = len(scope.shown)
    found = _of_qualifier(scope.schema, wanted)
    if any(reference.index >= width for reference in found):
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
