"""Python functions as sources of user functions: types from their annotations.

==============================  ==================================================
annotation                      type
==============================  ==================================================
bool, int, float, str, bytes    BOOLEAN, BIGINT, DOUBLE, STRING, BINARY
Decimal                         DECIMAL(38, 18)
date, datetime, time            DATE, TIMESTAMP, TIME
timedelta                       INTERVAL DAY TO SECOND
list[T], dict[K, V]             ARRAY<T>, MAP<K, V>
NamedTuple, dataclass           STRUCT of its fields
Annotated[T, "INT"]             what the text says
T | None                        T
==============================  ==================================================
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import inspect
import types
import typing
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Annotated, Any, Union

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import (
    FunctionParameter,
    FunctionSource,
    Language,
    UserFunction,
)
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DAY_TIME_INTERVAL,
    DOUBLE,
    STRING,
    TIME,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    Field,
    LogicalType,
    MapType,
    StructType,
)
from viewscribe.types.ddl import parse_type

_ATOMS: dict[Any, LogicalType] = {
    bool: BOOLEAN,
    int: BIGINT,
    float: DOUBLE,
    str: STRING,
    bytes: BINARY,
    Decimal: DecimalType(precision=38, scale=18),
    dt.date: DATE,
    dt.datetime: TIMESTAMP,
    dt.time: TIME,
    dt.timedelta: DAY_TIME_INTERVAL,
}

_INLINE = "inline"


def python_source(
    function: Callable[..., Any],
    *,
    returns: LogicalType | str | None = None,
    parameters: Sequence[LogicalType | str] | None = None,
    kind: FunctionKind = FunctionKind.SCALAR,
    deterministic: bool = True,
) -> FunctionSource:
    """What a Python function is as a user function.

    Args:
        function: the function; its annotations say the types that are not given.
        returns: the type of its result, a STRUCT of the columns for a table function.
        parameters: the types of its parameters, in order.
        kind: scalar (called with one row's values), aggregate (called with a list of each
            argument's values in a group), or generator (yields rows).
        deterministic: whether equal arguments give equal results.

    Raises:
        ValidationError: a type is neither annotated nor given, or has no counterpart.
    """
    what = getattr(function, "__qualname__", repr(function))
    hints = _hints(function)
    named = [
        each
        for each in inspect.signature(function).parameters.values()
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    if parameters is not None and len(parameters) != len(named):
        raise ValidationError(f"{what} has {len(named)} parameters, not {len(parameters)}")
    given = (
        [_typed(each) for each in parameters]
        if parameters is not None
        else [_annotated(hints, each.name, what) for each in named]
    )
    result = _typed(returns) if returns is not None else _annotated(hints, "return", what)
    if kind is FunctionKind.GENERATOR and not isinstance(result, StructType):
        result = StructType(fields=(Field("col", result),))
    return FunctionSource(
        kind=kind,
        language=Language.PYTHON,
        parameters=tuple(
            FunctionParameter(each.name, type_) for each, type_ in zip(named, given, strict=True)
        ),
        returns=result,
        reference=reference_of(function),
        deterministic=deterministic,
        comment=_first_line(function),
        implementation=function,
    )


def inline(function: Any) -> UserFunction:
    """A function that is used without being registered; a Python function or a source."""
    if not isinstance(function, FunctionSource):
        if not callable(function):
            raise ValidationError(
                f"{function!r} is not a function", hint='write call("name", …) or call(function, …)'
            )
        function = python_source(function)
    name = getattr(function.implementation, "__name__", _INLINE)
    return UserFunction(FunctionIdentifier(name), function, temporary=True, anonymous=True)


def reference_of(function: Any) -> str | None:
    """``module:name`` of what can be imported again by that name, else None."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if module in (None, "__main__") or not name or "<" in name:
        return None
    return f"{module}:{name}"


def type_of_annotation(annotation: Any) -> LogicalType | None:
    """The type that an annotation means, or None."""
    if annotation in _ATOMS:
        return _ATOMS[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        said = next((each for each in inner[1:] if isinstance(each, str | LogicalType)), None)
        return type_of_annotation(inner[0]) if said is None else _typed(said)
    if origin in (Union, types.UnionType):
        some = [each for each in inner if each is not type(None)]
        return type_of_annotation(some[0]) if len(some) == 1 else None
    if origin in (list, Sequence):
        element = type_of_annotation(inner[0])
        return None if element is None else ArrayType(element=element)
    if origin is dict:
        key, value = map(type_of_annotation, inner)
        return None if key is None or value is None else MapType(key=key.not_null(), value=value)
    if origin in (typing.Iterator, typing.Iterable) or getattr(origin, "__name__", "") in (
        "Iterator",
        "Iterable",
        "Generator",
    ):
        return type_of_annotation(inner[0])
    return _struct(annotation)


def _struct(annotation: Any) -> LogicalType | None:
    if dataclasses.is_dataclass(annotation):
        names = [field.name for field in dataclasses.fields(annotation)]
    elif hasattr(annotation, "_fields") and hasattr(annotation, "__annotations__"):
        names = list(annotation._fields)
    else:
        return None
    hints = typing.get_type_hints(annotation, include_extras=True)
    found = [(name, type_of_annotation(hints[name])) for name in names]
    if any(type_ is None for _, type_ in found):
        return None
    return StructType(fields=tuple(Field(name, type_) for name, type_ in found if type_))


def _hints(function: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError):
        return {}


def _annotated(hints: dict[str, Any], name: str, what: str) -> LogicalType:
    place = "its result" if name == "return" else f"its parameter `{name}`"
    if name not in hints:
        raise ValidationError(
            f"{what} does not say the type of {place}",
            hint="annotate it, or give parameters=… and returns=…",
        )
    found = type_of_annotation(hints[name])
    if found is None:
        raise ValidationError(
            f"{what}: no type of Spark stands for {hints[name]!r}, the type of {place}",
            hint='write Annotated[…, "DECIMAL(10, 2)"], or give parameters=… and returns=…',
        )
    return found


def _typed(type_: LogicalType | str) -> LogicalType:
    return parse_type(type_) if isinstance(type_, str) else type_


def _first_line(function: Any) -> str | None:
    return (inspect.getdoc(function) or "").partition("\n")[0] or None
