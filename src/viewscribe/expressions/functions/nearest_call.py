"""The valid call nearest to one that does not fit: arguments swapped, cast, left out, added.

Found by trying: a definition that says what it takes needs to say nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING

from viewscribe.errors import DataTypeError, ViewscribeError
from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.inference import TypeInference
from viewscribe.expressions.nodes import (
    AggregateCall,
    Call,
    Cast,
    Lambda,
    Literal,
    ResolvedExpression,
    SortOrder,
    Star,
)
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    VOID,
    LogicalType,
    array,
)
from viewscribe.types.coercion import can_cast
from viewscribe.types.ddl import parse_type

if TYPE_CHECKING:
    from viewscribe.expressions.functions.definition import FunctionDefinition

_Args = Sequence[ResolvedExpression]

_USUAL = (STRING, INT, DOUBLE, DATE, TIMESTAMP, BOOLEAN, BIGINT, BINARY, array(STRING))
_MOST_TRIED = 400
_NEVER_CAST = (Literal, Lambda, Star, SortOrder)
_FAMILY = re.compile(r"(?<!\w)<|(?<=[a-z])>")  # the brackets of <numeric>, not those of ARRAY<INT>


def nearest_call(function: FunctionDefinition, given: _Args) -> str | None:
    """The SQL of the nearest valid call, or None where none is near."""
    inference = function.inference
    if len(given) < inference.required:
        return _complete(function, given)
    for args in islice(_near(inference, given), _MOST_TRIED):
        if _is_valid(function, args):
            return _text(function, args)
    return None


def _near(inference: TypeInference, given: _Args) -> Iterator[_Args]:
    """What to try, nearest first."""
    if len(given) > inference.most:
        for shorter in _shorten(given, inference.most):
            yield shorter
            yield from _cast_once(inference, shorter)
        return
    yield from _swap(given)
    yield from _cast_once(inference, given)
    yield from _cast_throughout(inference, given)


def _shorten(given: _Args, count: int) -> Iterator[_Args]:
    """Without as many arguments as are too many, the last ones first."""
    if len(given) <= 8:
        yield from combinations(given, count)
    else:
        yield given[:count]


def _swap(given: _Args) -> Iterator[_Args]:
    for left, right in combinations(range(len(given)), 2):
        args = list(given)
        args[left], args[right] = args[right], args[left]
        yield args


def _cast_once(inference: TypeInference, given: _Args) -> Iterator[_Args]:
    """One argument cast, those first that do not fit by themselves."""
    places = sorted(range(len(given)), key=lambda place: _fits(inference, given, place))
    for place in places:
        for wanted in _targets(inference, given, place):
            yield (*given[:place], _cast(given[place], wanted), *given[place + 1 :])


def _cast_throughout(inference: TypeInference, given: _Args) -> Iterator[_Args]:
    """Every argument that does not fit cast to the first type that does; or all to one type."""
    args = list(given)
    for place in range(len(args)):
        if not _fits(inference, given, place):
            wanted = next(iter(_targets(inference, given, place)), None)
            args[place] = args[place] if wanted is None else _cast(args[place], wanted)
    yield args
    for wanted in _USUAL:
        if all(_is_read_as_it_is(inference, place, wanted) for place in range(len(given))):
            yield [each if each.type.same_type(wanted) else _cast(each, wanted) for each in given]


def _fits(inference: TypeInference, given: _Args, place: int) -> bool:
    return inference.argument(place).accepts(given[place].type)


def _targets(inference: TypeInference, given: _Args, place: int) -> Iterator[LogicalType]:
    """The types an argument may be cast to: those named, those of the others, the usual ones."""
    argument, source = inference.argument(place), given[place].type
    others = (each.type.as_nullable() for each in given)
    for wanted in chain(_list_types(argument.description), others, _USUAL):
        taken = _is_read_as_it_is(inference, place, wanted)
        if taken and not source.same_type(wanted) and can_cast(source, wanted):
            yield wanted


def _is_read_as_it_is(inference: TypeInference, place: int, wanted: LogicalType) -> bool:
    read_as = inference.argument(place).coerce(wanted)
    return read_as is not None and read_as.same_type(wanted)


@cache
def _list_types(description: str) -> tuple[LogicalType, ...]:
    found = []
    for part in description.split(" or "):
        with suppress(DataTypeError):
            found.append(parse_type(part))
    return tuple(found)


def _cast(argument: ResolvedExpression, wanted: LogicalType) -> ResolvedExpression:
    # Of a literal Spark looks at the value, which a cast would only hide from us.
    if isinstance(argument, _NEVER_CAST) or not can_cast(argument.type, wanted):
        return argument
    return Cast(argument, cast_type(argument.type, wanted))


def _is_valid(function: FunctionDefinition, args: _Args) -> bool:
    try:
        function.inference.infer(CallContext(function, args))
    except ViewscribeError:
        return False
    return True


def _complete(function: FunctionDefinition, given: _Args) -> str | None:
    """The call with a place held for each argument that is missing."""
    inference = function.inference
    for places in combinations(range(inference.required), len(given)):
        wanted = [inference.argument(place) for place in places]
        if all(each.accepts(arg.type) for each, arg in zip(wanted, given, strict=True)):
            texts = [_hold_place(inference, place) for place in range(inference.required)]
            for place, argument in zip(places, given, strict=True):
                texts[place] = argument.as_serializable_string()
            return _as_function(function, texts)
    return None


def _hold_place(inference: TypeInference, place: int) -> str:
    """What stands for an argument: ``<numeric or INTERVAL>`` for ``<numeric> or INTERVAL``."""
    return f"<{_FAMILY.sub('', inference.argument(place).description)}>"


def _text(function: FunctionDefinition, args: _Args) -> str | None:
    if function.within_group:
        return _as_function(function, [each.as_serializable_string() for each in args])
    made = AggregateCall if function.kind.value in ("aggregate", "window") else Call
    return made(function, tuple(args), VOID).as_serializable_string()


def _as_function(function: FunctionDefinition, texts: list[str]) -> str:
    if function.within_group:
        return f"{function.sql_name}({', '.join(texts[:-1])}) WITHIN GROUP (ORDER BY {texts[-1]})"
    return f"{function.sql_name}({', '.join(texts)})"
