"""Output strategies: the type a call gives, from the types of its arguments.

A strategy is a function of the call; where one takes a strategy, it takes a type as well.
Strategies nest: ``always_nullable(element_of(0))``, or in reading order with ``cascade``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.validators import ArgumentType, as_argument
from viewscribe.types import ArrayType, LogicalType, MapType
from viewscribe.types.coercion import merged_type_of

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
