"""Type inference of calls: an argument count, validators, an input and an output strategy.

After the FLIP-51 document; all of it is data and small functions, so that a definition stays one
entry. Validators are in ``validators.py`` and ``families.py``, strategies in ``inputs.py`` and
``outputs.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import msgspec

from viewscribe.errors import ArityError
from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.collations import bring_together
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.validators import (
    ArgumentType,
    any_where,
    as_argument,
    either,
    family,
)
from viewscribe.expressions.properties import is_foldable
from viewscribe.types import (
    BIGINT,
    BINARY,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    CharType,
    DayTimeIntervalType,
    DecimalType,
    GeographyType,
    GeometryType,
    IntegralType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimeType,
    VarcharType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.coercion import (
    cast_introduces_null,
    common_type_of,
    decimal_of,
    is_orderable,
    merged_type_of,
)

# Input strategies: the types of arguments that follow from those of the others.
#
# A NULL has no type of its own; some functions want all arguments to be of one type. Spark casts
# them; a strategy says to what, so that the output strategy sees the types Spark computes with.

InputStrategy = Callable[[CallContext], Sequence[LogicalType]]


def to_first_known(first: int = 0, *, default: LogicalType = VOID) -> InputStrategy:
    """From ``first`` on, a NULL takes the type of the first that has one, else the default."""

    def strategy(context: CallContext) -> Sequence[LogicalType]:
        kept, filled = context.types[:first], context.types[first:]
        known = (each for each in filled if not isinstance(each, VoidType))
        return [*kept, *_fill(filled, next(known, default))]

    return strategy


def to_common_type(first: int = 0) -> InputStrategy:
    """The arguments from ``first`` on are cast to the type they have in common.

    Raises:
        TypeMismatchError: they have none.
    """

    def strategy(context: CallContext) -> Sequence[LogicalType]:
        kept, joined = context.types[:first], context.types[first:]
        found = common_type_of(joined)
        if found is None:
            raise context.mismatch("the arguments have no common type")
        return [
            *kept,
            *[
                found.with_nullability(each.nullable or cast_introduces_null(each, found))
                for each in joined
            ],
        ]

    return strategy


def _fill(types: Sequence[LogicalType], wanted: LogicalType) -> list[LogicalType]:
    return [_require_known(each, wanted) for each in types]


def _require_known(type_: LogicalType, wanted: LogicalType) -> LogicalType:
    return wanted.with_nullability(type_.nullable) if isinstance(type_, VoidType) else type_


# Output strategies: the type a call gives, from the types of its arguments.
#
# A strategy is a function of the call; where one takes a strategy, it takes a type as well.
# Strategies nest: ``always_nullable(element_of(0))``, or in reading order with ``cascade``.

OutputStrategy = Callable[[CallContext], LogicalType]
Returns = LogicalType | OutputStrategy
Transformation = Callable[[Returns], OutputStrategy]


def from_type(type_: LogicalType) -> OutputStrategy:
    """Always that type: never NULL if it says so, else NULL when an argument may be."""
    if not type_.nullable:
        return lambda context: type_
    not_null = type_.not_null()
    return lambda context: type_ if context.any_nullable else not_null


def as_strategy(returns: Returns) -> OutputStrategy:
    """A strategy as it is; a type as ``from_type`` reads it."""
    return from_type(returns) if isinstance(returns, LogicalType) else returns


def always_nullable(returns: Returns) -> OutputStrategy:
    """The type, NULL allowed whatever the arguments are."""
    if isinstance(returns, LogicalType):
        given = returns.as_nullable()
        return lambda context: given
    strategy = returns
    return lambda context: strategy(context).as_nullable()


def null_without_ansi(returns: Returns) -> OutputStrategy:
    """The type; NULL allowed where ANSI is off, for what cannot be computed is NULL then."""
    strategy = as_strategy(returns)

    def nullable_if_off(context: CallContext) -> LogicalType:
        found = strategy(context)
        return found if context.ansi else found.as_nullable()

    return nullable_if_off


def never_null(returns: Returns) -> OutputStrategy:
    """The type, never NULL."""
    strategy = as_strategy(returns)
    return lambda context: strategy(context).not_null()


def argument(index: int) -> OutputStrategy:
    """The type of argument ``index``, NULL when any argument may be."""
    return lambda context: context.types[index].with_nullability(context.any_nullable)


def exactly_argument(index: int) -> OutputStrategy:
    """The type of argument ``index`` with its own nullability."""
    return lambda context: context.types[index]


def common(first: int = 0) -> OutputStrategy:
    """The common type of the arguments from ``first`` on; NULL when one of them may be.

    Raises:
        TypeMismatchError: the arguments have no common type.
    """
    return lambda context: merged_type(context, context.types[first:])


def merged_type(context: CallContext, types: Sequence[LogicalType]) -> LogicalType:
    """The common type of ``types``, or the error that says there is none."""
    found = merged_type_of(types)
    if found is None:
        raise context.mismatch("the arguments have no common type")
    return found


def nullable_with_arguments(returns: Returns) -> OutputStrategy:
    """The type, NULL where any argument may be."""
    strategy = as_strategy(returns)
    return lambda context: strategy(context).with_nullability(context.any_nullable)


def nullable_with_all_arguments(returns: Returns) -> OutputStrategy:
    """The type, NULL only where every argument may be."""
    strategy = as_strategy(returns)
    return lambda context: strategy(context).with_nullability(context.all_nullable)


def cascade(returns: Returns, *transformations: Transformation) -> OutputStrategy:
    """The type after one transformation and the next."""
    strategy = as_strategy(returns)
    for transform in transformations:
        strategy = transform(strategy)
    return strategy


def where(
    place: int, wanted: ArgumentType | LogicalType, returns: Returns
) -> Callable[[CallContext], LogicalType | None]:
    """A link of ``chain``: the type, where argument ``place`` is one that passes as it is."""
    validator, strategy = as_argument(wanted), as_strategy(returns)

    def link(context: CallContext) -> LogicalType | None:
        given = context.types[place] if place < len(context.types) else None
        read_as = given and validator.coerce(given)
        matches = given is not None and read_as is not None and read_as.same_type(given)
        return strategy(context) if matches else None

    return link


def chain(*links: LogicalType | Callable[[CallContext], LogicalType | None]) -> OutputStrategy:
    """The type of the first link that has one.

    Raises:
        TypeMismatchError: none has.
    """
    strategies = [from_type(each) if isinstance(each, LogicalType) else each for each in links]

    def strategy(context: CallContext) -> LogicalType:
        for link in strategies:
            found = link(context)
            if found is not None:
                return found
        raise context.mismatch("there is no type for these arguments")

    return strategy


def element_of(index: int) -> OutputStrategy:
    """The type of the elements of argument ``index``."""
    return lambda context: array_at(context, index).element


def key_of(index: int) -> OutputStrategy:
    """The type of the keys of argument ``index``."""
    return lambda context: map_at(context, index).key


def value_of(index: int) -> OutputStrategy:
    """The type of the values of argument ``index``."""
    return lambda context: map_at(context, index).value


def map_at(context: CallContext, index: int) -> MapType:
    """The type of argument ``index``, which must be a map."""
    type_ = context.types[index]
    if isinstance(type_, MapType):
        return type_
    raise context.mismatch(f"argument {index + 1} is {type_.ddl}, not MAP")


def array_at(context: CallContext, index: int) -> ArrayType:
    """The type of argument ``index``, which must be an array."""
    type_ = context.types[index]
    if isinstance(type_, ArrayType):
        return type_
    raise context.mismatch(f"argument {index + 1} is {type_.ddl}, not ARRAY")


# Families of argument types that many definitions name in ``args=(…)``.

_TEXT = (StringType, CharType, VarcharType)


def text_beside_others(types: Sequence[LogicalType]) -> bool:
    """Whether some types, or elements of arrays, are text and some are not; NULL is neither."""
    known = [type_ for type_ in types if not isinstance(type_, VoidType)]
    if known and all(isinstance(type_, ArrayType) for type_ in known):
        return text_beside_others([t.element for t in known if isinstance(t, ArrayType)])
    return len({isinstance(type_, _TEXT) for type_ in known}) > 1


def _decimal(given: LogicalType) -> LogicalType | None:
    if isinstance(given, DecimalType):
        return given
    if isinstance(given, IntegralType):
        return decimal_of(given)
    return implicit_cast(given, DecimalType(precision=38, scale=18))


ANY = any_where("<any>", lambda type_: True)
ORDERED = any_where("<orderable>", is_orderable)
NUMERIC = family("<numeric>", NumericType, default=DOUBLE, text_as=DOUBLE)
NUMBER = family("<numeric>", NumericType, default=DOUBLE)
INTEGRAL = family("<integral>", IntegralType, default=INT)
DECIMAL = ArgumentType("DECIMAL", _decimal)
ARRAY = family("ARRAY", ArrayType, default=ArrayType(element=VOID))
ARRAY_NOT_NULL = any_where("ARRAY", lambda type_: isinstance(type_, ArrayType))
MAP_NOT_NULL = any_where("MAP", lambda type_: isinstance(type_, MapType))
COLLECTION_NOT_NULL = any_where(
    "ARRAY or MAP", lambda type_: isinstance(type_, ArrayType | MapType)
)
MAP = family("MAP", MapType, default=MapType(key=VOID, value=VOID))
STRUCT = family("STRUCT", StructType, default=StructType())
COLLECTION = family("ARRAY or MAP", ArrayType, MapType, default=ArrayType(element=VOID))
FRACTIONAL = either(DOUBLE, FLOAT, description="<fractional>")
TEXT_OR_BINARY = either(STRING, BINARY)


def _text_where(description: str, holds: Callable[[str], bool]) -> ArgumentType:
    """What becomes text, of a collation of which something holds."""

    def coerce(given: LogicalType) -> LogicalType | None:
        found = implicit_cast(given, STRING)
        return found if isinstance(found, StringType) and holds(found.collation) else None

    return ArgumentType(description, coerce)


SEARCHED = _text_where("STRING", lambda collation: collation in ("UTF8_BINARY", "UTF8_LCASE"))
"""Text that regular expressions and LIKE look through: Java's know no other collation."""
PATTERN = _text_where("STRING", lambda collation: not collation.endswith("_RTRIM"))
"""A regular expression, or a pattern of LIKE."""
WHOLE = either(INT, BIGINT)
MOMENT = either(DATE, TIMESTAMP, TIMESTAMP_NTZ, description="<date or timestamp>")
ANY_TIMESTAMP = ArgumentType(
    "<timestamp>",
    lambda given: given if isinstance(given, TimestampNtzType) else implicit_cast(given, TIMESTAMP),
)
NUMERIC_OR_INTERVAL = family(
    "<numeric> or INTERVAL",
    NumericType,
    YearMonthIntervalType,
    DayTimeIntervalType,
    default=DOUBLE,
    text_as=DOUBLE,
)
ANY_TIME = ArgumentType(
    "TIME",
    lambda given: given if isinstance(given, TimeType) else implicit_cast(given, TIME),
)
SHAPE = family("GEOMETRY or GEOGRAPHY", GeometryType, GeographyType, default=GeographyType())


class TypeInference(msgspec.Struct, frozen=True):
    """Arguments in, type out.

    Args:
        arguments: a validator for each argument.
        returns: the output strategy.
        required: how many arguments must be there.
        variadic: whether the last validator repeats.
        inputs: an input strategy, where NULLs of no type or all arguments get one from the call.
        check: a validator of the call as a whole, raising what is wrong.
    """

    arguments: tuple[ArgumentType, ...]
    returns: OutputStrategy
    required: int
    variadic: bool = False
    check: Callable[[CallContext], None] | None = None
    inputs: InputStrategy | None = None

    def infer(self, context: CallContext) -> LogicalType:
        """The type of the call; notes in the context whether values played a part.

        Raises:
            ArityError: too few or too many arguments.
            TypeMismatchError: an argument that does not fit; shows the signature.
        """
        self._check_count(context)
        context.types = self._coerce(context)
        bring_together(context)
        if self.check is not None:
            self.check(context)
        if self.inputs is not None:
            context.types = self.inputs(context)
        return self.returns(context)

    @property
    def most(self) -> int:
        """How many arguments there may be."""
        return sys.maxsize if self.variadic else len(self.arguments)

    def argument(self, place: int) -> ArgumentType:
        """The validator of the argument at a place."""
        last = len(self.arguments) - 1
        return self.arguments[place if place < last else last]

    def takes_text(self, place: int) -> bool:
        """Whether a plain Python string there is a text, not the name of a column."""
        arguments = self.arguments
        if place < len(arguments):
            return arguments[place].text
        return bool(arguments) and arguments[-1].text

    def _check_count(self, context: CallContext) -> None:
        count, function = len(context.given), context.function
        if not self.required <= count <= self.most:
            raise ArityError(
                f"{function.name} takes {self.arity}, not {count}",
                hint=f"expected: {function.signature}",
            )

    def _coerce(self, context: CallContext) -> list[LogicalType]:
        types: list[LogicalType] = []
        for index, given in enumerate(context.given):
            wanted = self.argument(index)
            type_ = wanted.coerce(context.types[index])
            if type_ is None:
                raise context.mismatch(
                    f"argument {index + 1} is {given.type.ddl}, not {wanted.description}"
                )
            if wanted.literal_only:
                context.values_seen = True
                if not is_foldable(given):
                    raise context.mismatch(f"argument {index + 1} must be a constant")
            types.append(type_)
        return types

    @property
    def arity(self) -> str:
        """The number of arguments in words."""
        if self.variadic:
            return f"at least {_describe_count(self.required)}"
        if self.most == self.required:
            return _describe_count(self.most)
        return f"{self.required} to {_describe_count(self.most)}"


def _describe_count(count: int) -> str:
    return f"{count} argument{'s' * (count != 1)}"
