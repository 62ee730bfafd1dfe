"""What stands for columns: a name, a star, a pattern of names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.dsl import (
    CallExpression,
    Expression,
    ItemExpression,
    StarExpression,
    ValueExpression,
)
from viewscribe.expressions.nodes import OuterReference
from viewscribe.expressions.resolve import resolve
from viewscribe.expressions.subquery_names import outer_text
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.missing_input import star_of
from viewscribe.spark.capture.connect.pieces import is_mark
from viewscribe.types.identifiers import parse_name

if TYPE_CHECKING:
    from pyspark.sql.connect.proto import Expression as Message

    from viewscribe.spark.capture.connect.expressions import Reader


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
        return _columns_of(reader, reader.walk.known(message.plan_id))
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


def _columns_of(reader: Reader, operation: QueryOperation | None) -> list[Expression]:
    if operation is None:
        raise CaptureError("the star is of a DataFrame that this one does not read")
    scope = reader.scope
    places = [scope.place_of(operation, at) for at in range(len(operation.schema))]
    return [ValueExpression(scope.schema.reference(place)) for place in places]


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
