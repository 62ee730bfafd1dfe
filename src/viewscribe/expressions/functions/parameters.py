"""Parameters that calls name: which there are, and arguments by name put in their places.

    call("mask", col("s"), lowerChar="q")
    call("my_udf", b=col("x"), a=1)

A call in the tree has its arguments by position: Spark knows the names of few functions, and of
no Python function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, combinations, islice
from typing import Any

import msgspec

from viewscribe.errors import (
    ArityError,
    DataTypeError,
    ValidationError,
    ViewscribeError,
    did_you_mean,
)
from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.inference import TypeInference
from viewscribe.expressions.functions.user_defined import (
    FunctionParameter,
    FunctionSource,
    Language,
    UserFunction,
)
from viewscribe.expressions.literals import NULL, literal, literal_of
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

# The valid call nearest to one that does not fit: arguments swapped, cast, left out, added.
#
# Found by trying: a definition that says what it takes needs to say nothing more.

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
            if function.within_group:
                return _as_function(function, [each.as_serializable_string() for each in args])
            made = AggregateCall if function.kind.value in ("aggregate", "window") else Call
            return made(function, tuple(args), VOID).as_serializable_string()
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
            texts = [
                f"<{_FAMILY.sub('', inference.argument(place).description)}>"
                for place in range(inference.required)
            ]
            for place, argument in zip(places, given, strict=True):
                texts[place] = argument.as_serializable_string()
            return _as_function(function, texts)
    return None


def _as_function(function: FunctionDefinition, texts: list[str]) -> str:
    if function.within_group:
        return f"{function.sql_name}({', '.join(texts[:-1])}) WITHIN GROUP (ORDER BY {texts[-1]})"
    return f"{function.sql_name}({', '.join(texts)})"


class Parameter(msgspec.Struct, frozen=True):
    """A parameter that a call may name.

    Args:
        name: its name.
        optional: whether a call may leave it out.
        default: what it is then, where that is a plain literal.
        explicit: whether the default becomes an argument of each call that leaves it out.
            Otherwise it does only before an argument that is given; Spark fills in the rest.
    """

    name: str
    optional: bool = False
    default: Literal | None = None
    explicit: bool = False


def positional(
    function: FunctionDefinition, given: Sequence[Any], named: Mapping[str, Any]
) -> Sequence[Any]:
    """The arguments of a call by position, those by name and defaults included.

    Args:
        function: what is called.
        given: the arguments by position, which come first; none stands for several columns.
        named: those by name; names compare without case where only one parameter has them.

    Raises:
        ValidationError: no parameter has a name, or it is given twice; the error has the names
            there are and the nearest.
        ArityError: one is left out that has no default.
    """
    parameters = _parameters_of(function)
    if parameters is None:
        refuse_names(function, named)
        return given
    if not named and not any(each.explicit and each.optional for each in parameters):
        return given
    if len(given) > len(parameters) and not named:
        return given  # that there are too many is said with their types
    places: dict[int, Any] = dict(enumerate(given))
    for name, value in named.items():
        place = _place(function, parameters, name)
        if place in places:
            raise ValidationError(
                f"{function.name} is given `{parameters[place].name}` twice",
                hint=f"what is given by position comes first; {_names_of(parameters)}",
            )
        places[place] = value
    last = max(places, default=-1)
    return [
        places[place] if place in places else _default(function, parameters, place)
        for place, each in enumerate(parameters)
        if place <= last or each.explicit or not each.optional
    ]


def _parameters_of(function: FunctionDefinition) -> tuple[Parameter, ...] | None:
    """The parameters that calls of a function may name; None where it has no names for them."""
    if isinstance(function, UserFunction):
        source = function.source
        if source.parameters is None or source.collected:
            return None
        return tuple(_of_user(source, each) for each in source.parameters)
    if function.parameters:
        return tuple(
            Parameter(each)
            if isinstance(each, str)
            else Parameter(each[0], True, NULL if each[1] is None else literal(each[1]))
            for each in function.parameters
        )
    required = function.inference.required
    names = function.parameter_names  # PySpark's, where SQL has none
    return tuple(Parameter(name, at >= required) for at, name in enumerate(names)) or None


def _of_user(source: FunctionSource, parameter: FunctionParameter) -> Parameter:
    if parameter.default is None:
        return Parameter(parameter.name)
    # Spark knows the defaults of functions in SQL alone.
    default, explicit = literal_of(parameter.default), source.language is not Language.SQL
    return Parameter(parameter.name, True, default, explicit)


def _place(function: FunctionDefinition, parameters: Sequence[Parameter], name: str) -> int:
    names = [each.name for each in parameters]
    if name in names:
        return names.index(name)
    alike = [place for place, each in enumerate(names) if each.casefold() == name.casefold()]
    if len(alike) == 1:
        return alike[0]
    near = did_you_mean(name, names)
    hint = _names_of(parameters) + (f"; {near}" if near else "")
    raise ValidationError(f"{function.name} has no parameter `{name}`", hint=hint)


def _default(function: FunctionDefinition, parameters: Sequence[Parameter], place: int) -> Literal:
    missing = parameters[place]
    if not missing.optional:
        raise ArityError(
            f"{function.name} is called without `{missing.name}`", hint=_names_of(parameters)
        )
    if missing.default is None:
        raise ArityError(
            f"{function.name} is called without `{missing.name}`, whose default is no plain value",
            hint=f"give it as well; {_names_of(parameters)}",
        )
    return missing.default


def _names_of(parameters: Sequence[Parameter]) -> str:
    shown = [f"[{each.name}]" if each.optional else each.name for each in parameters]
    return f"its parameters are: {', '.join(shown)}" if shown else "it has no parameters"


def refuse_names(function: FunctionDefinition, named: Mapping[str, Any]) -> None:
    """An error that the function takes no argument by name.

    Raises:
        ValidationError: there is one.
    """
    for name in named:
        raise ValidationError(
            f"{function.name} takes no argument by name, and `{name}` is given so",
            hint=f"give its arguments by position: {function.signature}",
        )
