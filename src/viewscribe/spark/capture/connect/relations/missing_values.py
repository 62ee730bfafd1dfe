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
from viewscribe.spark.capture.connect.exclusions import literal_of
from viewscribe.spark.capture.connect.qualifiers import Item, select
from viewscribe.types import (
    DOUBLE,
    INT,
    STRING,
    ArrayType,
    BooleanType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    LogicalType,
    NumericType,
    StringType,
)
from viewscribe.types.nested_types import value_type

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk


# ``describe`` and ``summary``: a row for each figure, as Spark's ``StatFunctions`` builds them.
#
# The figures of each column are a map in one row; for every name of a figure there is a row then,
# which picks its figure out of each map.

_DESCRIBED = ("count", "mean", "stddev", "min", "max")
_SUMMARIZED = ("count", "mean", "stddev", "min", "25%", "50%", "75%", "max")
_ACCURACY = 10_000
_NAME = "summary"


def _describe(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    if message.cols:
        reader = walk.reader(child)
        chosen = [Item(reader.scope.column(name, None), name) for name in message.cols]
        child = select(child, chosen, reader)
    return _figures(walk, child, _DESCRIBED)


def _summary(walk: Walk, message: Any) -> QueryOperation:
    return _figures(walk, walk.input(message.input), tuple(message.statistics) or _SUMMARIZED)


def _figures(walk: Walk, child: QueryOperation, figures: Sequence[str]) -> QueryOperation:
    columns = [
        each
        for each in child.schema.references
        if isinstance(value_type(each.type), NumericType | StringType)
    ]
    if any(each.name.lower() == _NAME for each in columns):
        raise CaptureError(
            f"a column called `{_NAME}` hides the names of the figures", hint="rename it first"
        )
    if not columns:
        cells = tuple(literal(figure) for figure in figures)
        return n.Values.of(cells, (Field(_NAME, STRING.not_null()),))
    reader = walk.reader(child)
    maps = [Item(_map(reader, each, figures), each.name) for each in columns]
    gathered = select(child, maps, reader)
    names = literal(tuple(figures), ArrayType(element=STRING).not_null())
    above = walk.reader(gathered)
    rows = build.generate(gathered, above.call("explode", [ValueExpression(names)]), (_NAME,))
    *held, name = rows.schema.references
    last = walk.reader(rows)
    picked = [
        Item(last.call("element_at", [ValueExpression(each), ValueExpression(name)]), each.name)
        for each in held
    ]
    return select(rows, [Item.of(name), *picked], last)


def _map(reader: Reader, column: FieldReference, figures: Sequence[str]) -> Expression:
    """The figures of a column as texts by their names."""
    given: Expression = ValueExpression(column)
    is_text = isinstance(value_type(column.type), StringType)
    number = given.try_cast(DOUBLE) if is_text else given
    shares = [_share(figure) for figure in figures if figure.endswith("%")]
    pairs: list[Any] = []
    place = 0
    for figure in figures:
        if figure.endswith("%"):
            array = ArrayType(element=DOUBLE.not_null()).not_null()
            wanted = [ValueExpression(literal(tuple(shares), array)), literal(_ACCURACY)]
            found = reader.call("percentile_approx", [number, *wanted])
            found = reader.call("get", [found, literal(place, INT.not_null())])
            place += 1
        else:
            made = _FIGURES.get(figure.lower())
            if made is None:
                raise CaptureError(
                    f"`{figure}` is no figure of summary()",
                    hint=f"the figures are {', '.join(_FIGURES)} and percentages",
                )
            found = made(reader, given, number)
        pairs += [literal(figure), found.cast(STRING)]
    return reader.call("map", pairs)


def _share(figure: str) -> float:
    try:
        return float(figure.removesuffix("%")) / 100.0
    except ValueError as error:
        raise CaptureError(f"`{figure}` is no percentage") from error


_FIGURES: dict[str, Callable[[Reader, Expression, Expression], Expression]] = {
    "count": lambda reader, given, number: reader.call("count", [given]),
    "count_distinct": lambda reader, given, number: reader.call("count", [given], True),
    "approx_count_distinct": lambda reader, given, number: reader.call(
        "approx_count_distinct", [given]
    ),
    "mean": lambda reader, given, number: reader.call("avg", [number]),
    "stddev": lambda reader, given, number: reader.call("stddev", [number]),
    "min": lambda reader, given, number: reader.call("min", [given]),
    "max": lambda reader, given, number: reader.call("max", [given]),
}


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
    "describe": _describe,
    "summary": _summary,
    "fill_na": _fill,
    "drop_na": _drop,
    "replace": _replace,
}
