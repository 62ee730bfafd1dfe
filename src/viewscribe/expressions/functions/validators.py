"""Validators: which arguments a function takes, and what Spark reads each of them as.

Each knows what Spark's analyzer casts an argument to by itself, as its ``implicitCast`` does, and
whether that cast can make a NULL. A definition writes them in ``args=(…)``, one for each argument.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from viewscribe.expressions.functions.casts import cast_type, implicit_cast
from viewscribe.expressions.functions.context import CallContext
from viewscribe.types import (
    STRING,
    VOID,
    ArrayType,
    CharType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    VarcharType,
    VoidType,
)
from viewscribe.types.coercion import can_cast
from viewscribe.types.nested_types import value_type
from viewscribe.types.policy import IN_FORCE as COERCION

Coercion = Callable[[LogicalType], LogicalType | None]

_TEXT = (StringType, CharType, VarcharType)


class ArgumentType(msgspec.Struct, frozen=True):
    """A validator of one argument.

    Args:
        description: how signatures show it, ``STRING`` or ``<numeric>``.
        coerce: the type that Spark reads an argument of a given type as, nullability included, or
            None where it refuses.
        literal_only: whether the argument must be a constant.
        parameters: for a lambda, the types of its parameters, from the arguments before it.
        fewest_parameters: how many of these the lambda must take.
        text: whether a plain Python string given to ``functions.f(…)`` is a literal; elsewhere it
            is the name of a column, as in PySpark.
    """

    description: str
    coerce: Coercion
    literal_only: bool = False
    parameters: Callable[[CallContext], tuple[LogicalType, ...]] | None = None
    fewest_parameters: int = 0
    text: bool = False

    def accepts(self, type_: LogicalType) -> bool:
        """Whether an argument of the type passes, implicit casts included."""
        return self.coerce(type_) is not None


def literal(argument: ArgumentType | LogicalType) -> ArgumentType:
    """The same argument, which must be a constant."""
    base = as_argument(argument)
    return msgspec.structs.replace(base, literal_only=True, text=True)


def text(argument: ArgumentType | LogicalType) -> ArgumentType:
    """The same argument, for which ``functions.f(…)`` takes a Python string as a literal."""
    return msgspec.structs.replace(as_argument(argument), text=True)


def as_argument(argument: ArgumentType | LogicalType) -> ArgumentType:
    """A validator from a type: passes what Spark casts to it implicitly."""
    if isinstance(argument, ArgumentType):
        return argument
    return implicitly(argument)


def implicitly(wanted: LogicalType) -> ArgumentType:
    """What Spark casts to ``wanted`` by itself."""
    target = wanted.as_nullable()
    return ArgumentType(wanted.ddl, lambda given: implicit_cast(given, target))


def castable(wanted: LogicalType) -> ArgumentType:
    """What CAST takes to ``wanted``, as the parameters of a SQL function do."""
    target = wanted.as_nullable()

    def coerce(given: LogicalType) -> LogicalType | None:
        return cast_type(given, target) if can_cast(given, target, "plain") else None

    return ArgumentType(wanted.ddl, coerce)


def family(
    description: str,
    *kinds: type[LogicalType],
    default: LogicalType = VOID,
    text_as: LogicalType | None = None,
) -> ArgumentType:
    """Any type of these classes as it is.

    Args:
        description: how signatures show it.
        kinds: the classes.
        default: what an untyped NULL is read as.
        text_as: what text is read as; None where text does not pass.
    """

    def coerce(given: LogicalType) -> LogicalType | None:
        if isinstance(given, kinds):
            return given
        if isinstance(given, VoidType):
            return default
        if text_as is not None and isinstance(given, _TEXT):
            return implicit_cast(given, text_as)
        return None

    return ArgumentType(description, coerce)


def exactly(*wanted: LogicalType) -> ArgumentType:
    """One of these types, which Spark does not cast to; only an untyped NULL becomes the first."""
    default = wanted[0].as_nullable()

    def coerce(given: LogicalType) -> LogicalType | None:
        if isinstance(given, CharType | VarcharType):
            given = STRING.with_nullability(given.nullable)
        if isinstance(given, VoidType):
            return default
        return given if any(type(given) is type(type_) for type_ in wanted) else None

    return ArgumentType(" or ".join(type_.ddl for type_ in wanted), coerce)


def any_where(description: str, holds: Callable[[LogicalType], bool]) -> ArgumentType:
    """Any type of which something holds, as it is; CHAR and VARCHAR are STRING in expressions."""

    def coerce(given: LogicalType) -> LogicalType | None:
        read_as = value_type(given) if isinstance(given, CharType | VarcharType) else given
        return read_as if holds(read_as) else None

    return ArgumentType(description, coerce)


def either(*options: ArgumentType | LogicalType, description: str | None = None) -> ArgumentType:
    """One of several: as it is where one passes it as it is, else the one closest to all.

    The closest is the first to which Spark casts the argument and that it casts to all others;
    with ANSI off simply the first.
    """
    wanted = tuple(map(as_argument, options))

    def coerce(given: LogicalType) -> LogicalType | None:
        found = [type_ for option in wanted if (type_ := option.coerce(given)) is not None]
        for type_ in found:
            if type_.same_type(given):
                return type_
        if isinstance(given, VoidType) or (found and not COERCION.get().ansi):
            return found[0]
        for type_ in found:
            if all(implicit_cast(type_, other) is not None for other in found):
                return type_
        return None

    return ArgumentType(description or " or ".join(o.description for o in wanted), coerce)


def function_of(
    *parameters: Callable[[CallContext], LogicalType], required: int | None = None
) -> ArgumentType:
    """A lambda whose parameters have these types; it takes all, or at least ``required``."""
    names = ", ".join("xyz"[place] for place in range(len(parameters)))

    def types(context: CallContext) -> tuple[LogicalType, ...]:
        return tuple(parameter(context) for parameter in parameters)

    return ArgumentType(
        f"({names}) -> …",
        lambda given: given,
        parameters=types,
        fewest_parameters=len(parameters) if required is None else required,
    )


def all_of(*wanted: ArgumentType | LogicalType, description: str | None = None) -> ArgumentType:
    """What passes every one of several, each reading what the one before made of it."""
    options = tuple(map(as_argument, wanted))

    def coerce(given: LogicalType) -> LogicalType | None:
        found: LogicalType | None = given
        for option in options:
            found = found and option.coerce(found)
        return found

    shown = description or " and ".join(option.description for option in options)
    return ArgumentType(shown, coerce)


def array_shape(element: ArgumentType | LogicalType) -> ArgumentType:
    """An array whose elements pass as they are."""
    wanted = as_argument(element)
    return any_where(
        f"ARRAY<{_inside(wanted)}>",
        lambda given: isinstance(given, ArrayType) and _as_it_is(wanted, given.element),
    )


def map_shape(key: ArgumentType | LogicalType, value: ArgumentType | LogicalType) -> ArgumentType:
    """A map whose keys and values pass as they are."""
    keys, values = as_argument(key), as_argument(value)
    return any_where(
        f"MAP<{_inside(keys)}, {_inside(values)}>",
        lambda given: (
            isinstance(given, MapType)
            and _as_it_is(keys, given.key)
            and _as_it_is(values, given.value)
        ),
    )


def struct_shape(*fields: ArgumentType | LogicalType) -> ArgumentType:
    """A struct of as many fields, each of which passes as it is, whatever it is called."""
    wanted = tuple(map(as_argument, fields))

    def holds(given: LogicalType) -> bool:
        if not isinstance(given, StructType) or len(given.fields) != len(wanted):
            return False
        pairs = zip(wanted, given.fields, strict=True)
        return all(_as_it_is(each, field.type) for each, field in pairs)

    return any_where(f"STRUCT<{', '.join(map(_inside, wanted))}>", holds)


def _inside(wanted: ArgumentType) -> str:
    text = wanted.description
    return text[1:-1] if text.startswith("<") else text


def _as_it_is(wanted: ArgumentType, type_: LogicalType) -> bool:
    read_as = wanted.coerce(type_)
    return read_as is not None and read_as.same_type(type_)


def same_types(first: int = 0) -> Callable[[CallContext], None]:
    """A check of the call: the arguments from ``first`` on have one type; NULL has any."""

    def check(context: CallContext) -> None:
        known = [each for each in context.types[first:] if not isinstance(each, VoidType)]
        if any(not each.same_type(known[0]) for each in known):
            raise context.mismatch("the arguments are not of one type")

    return check


def same_family(*places: int) -> Callable[[CallContext], None]:
    """A check of the call: the arguments at these places are all numbers, all text, all …"""

    def check(context: CallContext) -> None:
        given = [context.types[place] for place in places if place < len(context.types)]
        if len(set(map(_family, given))) > 1:
            shown = ", ".join(each.ddl for each in given)
            raise context.mismatch(f"types of one kind are wanted, and these do not mix: {shown}")

    return check


def _family(type_: LogicalType) -> type[LogicalType]:
    return NumericType if isinstance(type_, NumericType) else type(type_)
