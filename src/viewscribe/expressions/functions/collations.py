"""Which collation a call of several texts works with: Spark's rules of strength.

A collation that was asked for with COLLATE is the strongest, that of a column is weaker, that of a
literal or of what is made of other types yields to both. Two that are equally strong and differ
have no winner: Spark then fails, or gives text of no collation at all, which hardly anything can
be done with and PySpark cannot read the schema of. Here that is an error at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

import msgspec

from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    Cast,
    FieldReference,
    LambdaVariable,
    Literal,
    OuterReference,
    ResolvedExpression,
    SubqueryExpression,
)
from viewscribe.types import ArrayType, CharType, LogicalType, StringType, VarcharType
from viewscribe.types.nested_types import parts_of
from viewscribe.types.parameters import DEFAULT_COLLATION

if TYPE_CHECKING:
    from viewscribe.expressions.functions.context import CallContext


# Which texts of a call Spark brings to one collation.

Groups = Callable[[int], Sequence[Sequence[int]]]
"""The places of the arguments that get one collation together, for a number of arguments."""


def every_text(count: int) -> Sequence[Sequence[int]]:
    """All arguments together."""
    return (range(count),)


def texts_from(first: int) -> Groups:
    """The arguments from a place on."""
    return lambda count: (range(first, count),)


def texts_at(*places: int) -> Groups:
    """The arguments at these places."""
    return lambda count: ([place for place in places if place < count],)


def results_of_case(count: int) -> Sequence[Sequence[int]]:
    """The results of ``CASE WHEN condition THEN result … ELSE result END``."""
    paired = count // 2 * 2
    return ([*range(1, paired, 2), *range(paired, count)],)


def results_of_decode(count: int) -> Sequence[Sequence[int]]:
    """``decode(x, search, result, …)``; with two arguments it is another function."""
    if count < 3:
        return ()
    last = [] if count % 2 else [count - 1]
    searched = [0, *range(1, count - len(last), 2)]
    return (searched, [*range(2, count - len(last), 2), *last])


def keys_and_values(count: int) -> Sequence[Sequence[int]]:
    """``map(key, value, …)``: all keys, and all values."""
    return (range(0, count, 2), range(1, count, 2))


class Strength(IntEnum):
    """How strong the collation of an expression is."""

    DEFAULT = 0
    IMPLICIT = 1
    EXPLICIT = 2


def bring_together(context: CallContext) -> None:
    """Gives those arguments of the call one collation that Spark brings together.

    Raises:
        TypeMismatchError: their collations differ, and none is stronger than the others.
    """
    groups = context.function.collated
    if groups is None or not any(map(_is_collated, context.types)):
        return
    types = list(context.types)
    for places in groups(len(types)):
        texts = [place for place in places if text_of(types[place]) is not None]
        found = {_collation(types[place]) for place in texts}
        if len(found) > 1:
            winner = _winner(context, texts)
            for place in texts:
                types[place] = _recollate(types[place], winner)
    context.types = types
    if context.function.searches_text:
        _refuse_accents(context)


def _refuse_accents(context: CallContext) -> None:
    """Refuses a collation that ignores accents but not case, which searches cannot follow."""
    for type_ in context.types:
        if text_of(type_) is not None and {"AI", "CI"} & {*_collation(type_).split("_")} == {"AI"}:
            raise context.mismatch(
                f"the collation {_collation(type_)} ignores accents and not case, which nothing "
                "can be searched by: say another one with collate(text, '…')"
            )


def takes_collation(context: CallContext, place: int, wanted: LogicalType) -> bool:
    """Whether an argument, as a key of a map, is of its collation or a literal of none."""
    given = context.types[place]
    if text_of(given) is None or text_of(wanted) is None or given.same_type(wanted):
        return True
    context.values_seen = True
    return isinstance(context.given[place], Literal) and not _is_collated(given)


def text_of(type_: LogicalType) -> StringType | CharType | VarcharType | None:
    """The text that the type is, or that an array of it holds."""
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return type_ if isinstance(type_, StringType | CharType | VarcharType) else None


def _collation(type_: LogicalType) -> str:
    text = text_of(type_)
    assert text is not None
    return text.collation


def _is_collated(type_: LogicalType) -> bool:
    text = text_of(type_)
    return text is not None and text.collation != DEFAULT_COLLATION


def _recollate(type_: LogicalType, collation: str) -> LogicalType:
    if isinstance(type_, ArrayType):
        element = _recollate(type_.element, collation)
        return msgspec.structs.replace(type_, element=element)
    return StringType(collation=collation, nullable=type_.nullable)


def _winner(context: CallContext, places: Sequence[int]) -> str:
    context.values_seen = True  # not the types alone decide
    strengths = {place: _strength_at(context, place) for place in places}
    unclear = [each for each in places if strengths[each] is None]
    if unclear:
        raise context.mismatch(
            f"the collation of argument {unclear[0] + 1} is not that of the texts it is made of, "
            "and beside others Spark goes by those: say with collate(text, '…') which one is meant"
        )
    strongest = max(each for each in strengths.values() if each is not None)
    found = {_collation(context.types[each]) for each in places if strengths[each] is strongest}
    if len(found) == 1:
        return found.pop()
    raise context.mismatch(
        f"the collations {' and '.join(sorted(found))} are equally strong: say with "
        "collate(text, '…') which one is meant"
    )


def _strength_at(context: CallContext, place: int) -> Strength | None:
    # What is no text itself is cast to it, and then has the collation that anything may replace.
    argument = context.given[place]
    return Strength.DEFAULT if text_of(argument.type) is None else strength(argument)


def strength(expression: ResolvedExpression) -> Strength | None:
    """How strong the collation of a text is: a call has that of the strongest among its texts.

    None where these have another collation than the call, as in ``format_string('%s', name)``.
    """
    found: dict[Strength, set[str]] = {Strength.DEFAULT: set()}
    pending = [expression]
    while pending:
        each = pending.pop()
        own = _own_strength(each)
        if own is None:
            pending += _texts_in(each)
        elif text_of(each.type) is not None:
            found.setdefault(own, set()).add(_collation(each.type))
        else:
            found.setdefault(own, set()).add(_collation(expression.type))
    strongest = max(found)
    known = strongest is Strength.DEFAULT or found[strongest] == {_collation(expression.type)}
    return strongest if known else None


def _texts_in(expression: ResolvedExpression) -> list[ResolvedExpression]:
    """The parts that are read as text; of ``md5(name)`` Spark reads the name as BINARY."""
    if isinstance(expression, Call):
        if expression.function.built_in_name in _BY_THEIR_FIRST:
            return [expression.args[0]]
        argument = expression.function.inference.argument
        read = [argument(place).coerce(arg.type) for place, arg in enumerate(expression.args)]
        pairs = zip(expression.args, read, strict=True)
        return [arg for arg, type_ in pairs if type_ is None or _holds_text(type_)]
    return [child for child in expression.children() if isinstance(child, ResolvedExpression)]


def _holds_text(type_: LogicalType) -> bool:
    return any(isinstance(each, StringType | CharType | VarcharType) for each in parts_of(type_))


_COLUMNS = (FieldReference, OuterReference, Alias, LambdaVariable, SubqueryExpression)
_BY_THEIR_FIRST = ("get_field", "get_item")


def _own_strength(expression: ResolvedExpression) -> Strength | None:
    """Its strength where it does not follow from parts of it."""
    if not _holds_text(expression.type):
        return Strength.DEFAULT
    if isinstance(expression, _COLUMNS):
        return Strength.IMPLICIT
    if isinstance(expression, Literal):
        # Beside its quotes stands COLLATE, unless it is a NULL.
        explicit = expression.value is not None and _is_collated(expression.type)
        return Strength.EXPLICIT if explicit else Strength.DEFAULT
    if isinstance(expression, Cast):
        of_text = _holds_text(expression.child.type)
        return Strength.IMPLICIT if of_text else Strength.DEFAULT
    if isinstance(expression, Call) and expression.function.built_in_name == "collate":
        return Strength.EXPLICIT
    if isinstance(expression, Call | AggregateCall) and not expression.children():
        return Strength.DEFAULT
    return None
