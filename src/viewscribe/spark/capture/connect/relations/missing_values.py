"""``na.fill``, ``na.drop`` and ``na.replace``, as Spark defines them: NaN counts as missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, TypeMismatchError
from viewscribe.expressions.constructors import and_, lit, or_
from viewscribe.expressions.dsl import CallExpression, Expression, ValueExpression, function_call
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import FieldReference, Literal, alias
from viewscribe.expressions.resolve import resolve
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.literals import literal_of
from viewscribe.types import (
    STRING,
    BooleanType,
    DoubleType,
    FloatType,
    IntegralType,
    LogicalType,
    NumericType,
    StringType,
)
from viewscribe.types.nested_types import value_type

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


def choose_columns(child: QueryOperation, names: Sequence[str]) -> list[int]:
    """The positions of the columns of these names; of all where there is no name."""
    references = child.schema.references
    if not names:
        return [reference.index for reference in references]
    found = []
    for name in names:
        same = [ref.index for ref in references if ref.name.lower() == name.lower()]
        found += same or [child.schema.find_path((name,))[0]]
    return found


def _fill(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    values = [literal_of(value) for value in message.values]
    places = choose_columns(child, message.cols)
    if len(values) == 1:
        if walk.recorded and len(message.cols) == 1:
            _refuse_other_kind(child, places, values[0])
        filled = {
            place: values[0]
            for place in places
            if _kind(child.schema[place].type) is _kind(values[0].type)
        }
    else:
        filled = dict(zip(places, values, strict=True))
    return change_columns(
        child, {place: _fill_column(child, place, value) for place, value in filled.items()}
    )


def _refuse_other_kind(child: QueryOperation, places: Sequence[int], value: Literal) -> None:
    """Refuses ``fill({"k": "7"})`` of a number: a classic session casts it, Connect leaves k."""
    for place in places:
        column = child.schema[place]
        if _kind(column.type) is not _kind(value.type):
            raise CaptureError(
                f"fill() of `{column.name}`, which is {column.type.ddl}, with a value of another "
                "kind: a classic session casts it if it is given in a dictionary, and Connect "
                "fills nothing",
                hint="give a value of the column's type",
            )


def change_columns(child: QueryOperation, new: dict[int, Expression]) -> QueryOperation:
    """The columns, some of them computed anew under their names."""
    if not new:
        return child
    expressions = tuple(
        alias(resolve(new[ref.index], child.schema), ref.name) if ref.index in new else ref
        for ref in child.schema.references
    )
    return n.Project.of(child, expressions)


def _kind(type_: LogicalType) -> type | None:
    """The kind of values that fill and replace each other: texts of a collation have none."""
    held = value_type(type_)
    if isinstance(held, StringType):
        return StringType if held.collation == STRING.collation else None
    return next((kind for kind in (NumericType, BooleanType) if isinstance(held, kind)), None)


def _fill_column(child: QueryOperation, place: int, value: Literal) -> Expression:
    """Spark's ``coalesce(nanvl(c, NULL), value)``, the value cast to the column's type."""
    reference = child.schema.reference(place)
    known: Expression = ValueExpression(reference)
    if _is_floating(reference.type):
        known = function_call(built_in("nanvl"), (known, lit(None, reference.type.as_nullable())))
    cast = _cast_double if isinstance(value.value, float) else _cast
    return function_call(built_in("coalesce"), (known, cast(value, value_type(reference.type))))


def _is_floating(type_: LogicalType) -> bool:
    return isinstance(type_, FloatType | DoubleType)


def as_type(value: Literal, type_: LogicalType) -> Literal | None:
    """The value as a literal of another type, where a cast would not change it."""
    held = value.value
    if held is None:
        return literal(None, type_.as_nullable())
    if isinstance(type_, IntegralType) and isinstance(held, float) and held.is_integer():
        held = int(held)
    if _is_floating(type_) and isinstance(held, int) and abs(held) < 2**24:
        held = float(held)
    try:
        made = literal(held, type_.not_null())
    except TypeMismatchError:
        return None
    return made if made.value == held and type(made.value) is type(held) else None


def _drop(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    places = choose_columns(child, message.cols)
    needed = message.min_non_nulls if message.HasField("min_non_nulls") else len(places)
    if needed <= 0:
        return child
    there = [_is_there(child.schema.reference(place)) for place in places]
    if needed > len(there):
        condition: Any = lit(False)
    elif needed == len(there):
        condition = and_(*there)
    elif needed == 1:
        condition = or_(*there)
    else:
        count = _count_present(there[0])
        for each in there[1:]:
            count = count + _count_present(each)
        condition = count >= needed
    return build.filter_rows(child, condition)


def _count_present(condition: Expression) -> Expression:
    return CallExpression(built_in("case"), (condition, literal(1), literal(0)))


def _is_there(reference: FieldReference) -> Expression:
    value = ValueExpression(reference)
    if not _is_floating(reference.type):
        return value.is_not_null()
    return and_(value.is_not_null(), ~function_call(built_in("isnan"), (value,)))


def _replace(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    pairs = [
        (literal_of(each.old_value), literal_of(each.new_value)) for each in message.replacements
    ]
    if not pairs:
        return child
    known = [value for pair in pairs for value in pair if value.value is not None]
    kind = _kind(known[0].type) if known else None
    new = {
        place: _replace_values(child.schema.reference(place), pairs)
        for place in choose_columns(child, message.cols)
        if kind is not None and _kind(child.schema[place].type) is kind
    }
    return change_columns(child, new)


def _replace_values(
    reference: FieldReference, pairs: Sequence[tuple[Literal, Literal]]
) -> Expression:
    """Spark's ``CASE c WHEN old THEN new … ELSE c END``, new values cast to the column's type."""
    value, type_ = ValueExpression(reference), value_type(reference.type)
    args: list[Any] = []
    for old, new in pairs:
        put = _cast if type_.nullable else _cast_double
        args += [value == _read_compared(old, type_), put(new, type_)]
    return CallExpression(built_in("case"), (*args, value))


def _read_compared(value: Literal, type_: LogicalType) -> Any:
    """The value that a column is compared with: Spark does not cast it, numbers are DOUBLE.

    It is one of the column's type where no row can tell the difference.
    """
    held = value.value
    alike = True
    if isinstance(held, float):
        alike = isinstance(type_, DoubleType) or (
            isinstance(type_, IntegralType | FloatType) and held.is_integer() and abs(held) < 2**24
        )
    fitting = as_type(value, type_) if alike else None
    return ValueExpression(value if fitting is None else fitting)


def _cast_double(value: Literal, type_: LogicalType) -> Any:
    """The value cast; to Spark a whole number that was a DOUBLE may be NULL."""
    if isinstance(type_, IntegralType):
        return ValueExpression(value).cast(type_.as_nullable())
    return _cast(value, type_)


def _cast(value: Literal, type_: LogicalType) -> Any:
    fitting = as_type(value, type_)
    return ValueExpression(fitting) if fitting is not None else ValueExpression(value).cast(type_)


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    "fill_na": _fill,
    "drop_na": _drop,
    "replace": _replace,
}
