"""The types of operators: what Spark makes of their operands, nullability included."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.collations import takes_collation
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.inference import OutputStrategy
from viewscribe.expressions.functions.validators import ArgumentType, family
from viewscribe.expressions.nodes import Call, Literal, ResolvedExpression
from viewscribe.types import (
    BOOLEAN,
    DOUBLE,
    INT,
    STRING,
    ArrayType,
    BooleanType,
    CalendarIntervalType,
    CharType,
    DayTimeIntervalType,
    DecimalType,
    Field,
    IntegralType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TinyIntType,
    VarcharType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.coercion import (
    Operator,
    arithmetic_type,
    cast_introduces_null,
    comparison_type,
    decimal_of_literal,
    is_orderable,
    merged_type_of,
)
from viewscribe.types.nested_types import built_alike
from viewscribe.types.policy import IN_FORCE as COERCION


def _truth(given: LogicalType) -> LogicalType | None:
    if isinstance(given, NumericType | StringType) and not COERCION.get().ansi:
        return given
    return implicit_cast(given, BOOLEAN)


TRUTH = ArgumentType("BOOLEAN", _truth)
"""What can be true or false: with ANSI off also a number and text."""


def some_truth(context: CallContext) -> None:
    """Of the first two terms of AND and OR one must be known as true or false.

    Spark only reads text as BOOLEAN beside one, and takes the terms from the left.
    """
    first = [type(each.type) for each in context.given[:2]]
    if any(issubclass(each, _TEXT) for each in first) and not any(
        issubclass(each, BooleanType) for each in first
    ):
        raise context.mismatch("text is read as BOOLEAN only beside one")


_TEXT = (StringType, CharType, VarcharType)

SIGNED = family(
    "<numeric> or INTERVAL",
    NumericType,
    YearMonthIntervalType,
    DayTimeIntervalType,
    CalendarIntervalType,
    default=DOUBLE,
    text_as=DOUBLE,
)


def arithmetic(operator: Operator) -> OutputStrategy:
    """The type of ``a operator b``, for two arguments.

    A DECIMAL of too many digits is an error, or NULL where ANSI is off.
    """

    def strategy(context: CallContext) -> LogicalType:
        found = arithmetic_type(operator, *_operands(context))
        if found is None:
            raise context.mismatch(f"`{operator}` does not take these types")
        overflows = isinstance(found, DecimalType) and not context.ansi
        return found.as_nullable() if overflows else found

    return strategy


def _operands(
    context: CallContext, left: int = 0, right: int = 1, shared: int | None = None
) -> tuple[LogicalType, ...]:
    """The types of two operands; an integer literal beside a DECIMAL is as narrow as its digits.

    An operand that is shared between comparisons is no literal to Spark, whatever was written.
    """
    types = context.types[left], context.types[right]
    return (
        types[0] if left == shared else _narrow(context, left, types[0], types[1]),
        types[1] if right == shared else _narrow(context, right, types[1], types[0]),
    )


def _narrow(
    context: CallContext, index: int, type_: LogicalType, other: LogicalType
) -> LogicalType:
    if not isinstance(type_, IntegralType) or not isinstance(other, DecimalType):
        return type_
    if isinstance(type_, TinyIntType):  # Spark does not narrow these
        return type_
    value = context.literal(index)
    return decimal_of_literal(value) if isinstance(value, int) else type_


def comparison(
    context: CallContext, left: int = 0, right: int = 1, shared: int | None = None
) -> LogicalType:
    """BOOLEAN, where the two operands can be compared."""
    types = _operands(context, left, right, shared)
    found = comparison_type(*types)
    if found is None or not is_orderable(found):
        raise context.mismatch("the operands cannot be compared")
    forced = any(cast_introduces_null(type_, found) for type_ in types)
    return BOOLEAN.with_nullability(found.nullable or forced)


def equality(context: CallContext) -> LogicalType:
    """BOOLEAN, where two operands can be equal: with ANSI off also truth and a number."""
    if truth_and_number(context, *context.types[:2]):
        return BOOLEAN.with_nullability(context.any_nullable)
    return comparison(context)


def equality_of_nulls(context: CallContext) -> LogicalType:
    """BOOLEAN, never NULL, where the two operands can be equal.

    Of truth and 1 Spark makes ``b IS NOT NULL AND b``, which may be NULL by its own rule.
    """
    found = equality(context)
    if truth_and_number(context, *context.types[:2]) and any(
        is_truth_value(context.literal(place)) for place in (0, 1)
    ):
        return found
    return found.not_null()


def is_truth_value(value: object) -> bool:
    """Whether a number beside a BOOLEAN is one to Spark, which then leaves out the comparison."""
    return value in (0, 1) and not isinstance(value, bool)


def truth_and_number(context: CallContext, a: LogicalType, b: LogicalType) -> bool:
    """Whether these are a BOOLEAN and a number, which can be equal where ANSI is off."""
    if context.ansi:
        return False
    return any(
        isinstance(one, BooleanType) and isinstance(other, NumericType)
        for one, other in ((a, b), (b, a))
    )


def order(
    context: CallContext, left: int = 0, right: int = 1, shared: int | None = None
) -> LogicalType:
    """BOOLEAN, where one operand can be less than the other.

    Beside a whole number Spark rounds a literal of DECIMAL, and then compares whole numbers.
    """
    found = comparison(context, left, right, shared)
    for number, other in ((left, right), (right, left)):
        whole, rounded = context.types[number], context.types[other]
        if not (isinstance(whole, IntegralType) and isinstance(rounded, DecimalType)):
            continue
        if other != shared and context.literal(other) is not None:
            return BOOLEAN.with_nullability(whole.nullable)
    return found


def between(context: CallContext) -> LogicalType:
    """BOOLEAN, where the first operand can be compared with both others."""
    low, high = order(context, 0, 1, shared=0), order(context, 0, 2, shared=0)
    return BOOLEAN.with_nullability(low.nullable or high.nullable)


def membership(context: CallContext) -> LogicalType:
    """BOOLEAN, where all operands have a type in common that can be compared."""
    first, *others = context.types
    found = merged_type_of(context.types)
    if found is None and all(built_alike(first, each) for each in others):
        found = first.with_nullability(context.any_nullable)
    if found is None or not is_orderable(found):
        raise context.mismatch("the operands cannot be compared")
    return BOOLEAN.with_nullability(found.nullable)


def quantify(context: CallContext) -> LogicalType:
    """BOOLEAN; Spark does not look for a NULL among patterns that are all literals of STRING."""
    context.values_seen = True
    constant = all(
        type(pattern) is Literal and pattern.type.same_type(STRING) for pattern in context.given[1:]
    )
    return BOOLEAN.with_nullability(constant or context.any_nullable)


def bits(context: CallContext) -> LogicalType:
    """The common type of two whole numbers."""
    found = merged_type_of(context.types)
    if not isinstance(found, IntegralType | VoidType):
        raise context.mismatch("bits are those of whole numbers")
    return INT if isinstance(found, VoidType) else found


def item(context: CallContext) -> LogicalType:
    """The type of the element at a position, or of the value of a key."""
    base, key = context.types
    if isinstance(base, ArrayType):
        if not isinstance(key, IntegralType | VoidType):
            raise context.mismatch("a position is a whole number")
        # Spark does not trust a literal position to lie inside, but trusts every other one.
        place, elements = context.literal(1), _elements(context.args[0])
        if not context.ansi and (place is None or not 0 <= place < len(elements)):
            return base.element.as_nullable()
        if place is None:
            return base.element.with_nullability(base.element.nullable or base.nullable)
        # Of array(a, b) it knows the elements, and that there are no others.
        known = elements[place : place + 1] or elements
        unknown = not known or any(each.type.nullable for each in known)
        return base.element.with_nullability(unknown)
    if isinstance(base, MapType):
        if implicit_cast(key, base.key) is None or not takes_collation(context, 1, base.key):
            raise context.mismatch("the key is of another type")
        return base.value.as_nullable()
    if isinstance(base, VoidType):
        return base
    raise context.mismatch("only an ARRAY or a MAP has items")


def _elements(array: ResolvedExpression) -> Sequence[ResolvedExpression]:
    if isinstance(array, Call) and array.function.built_in_name == "array":
        return array.args
    return ()


def field_of(context: CallContext) -> LogicalType:
    """The type of a field of a struct, or of the fields of the structs in an array."""
    base, name = context.types[0], context.literal(1)
    if isinstance(base, StructType):
        found = _only_field(context, base, str(name))
        if found is not None:
            return found.type.with_nullability(base.nullable or found.nullable)
        names = ", ".join(field.name for field in base.fields)
        raise context.mismatch(f"the struct has no field `{name}`; its fields are: {names}")
    if isinstance(base, ArrayType) and isinstance(base.element, StructType):
        found = _only_field(context, base.element, str(name))
        if found is not None:
            nullable = base.element.nullable or found.nullable
            return ArrayType(element=found.type.with_nullability(nullable), nullable=base.nullable)
    raise context.mismatch(f"{base.ddl} has no fields")


def _only_field(context: CallContext, struct: StructType, name: str) -> Field | None:
    """The field of a name, in whatever case; Spark takes none of several."""
    folded = name.lower()
    if sum(field.name.lower() == folded for field in struct.fields) > 1:
        names = ", ".join(field.name for field in struct.fields)
        raise context.mismatch(f"several fields of the struct are called `{name}`: {names}")
    return struct.field(name)
