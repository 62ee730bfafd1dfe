"""The fields of the nodes of plan documents that are no children: what reads each of them.

Each takes only what the writer writes: a number where a number is written, a text where a text is.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from viewscribe.errors import PlanDocumentError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.encoding import decode
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node
from viewscribe.operations import nodes as o
from viewscribe.types import Field, LogicalType
from viewscribe.types.ddl import parse_type


def field_reader(kind: type[Node], field: str) -> Callable[[Any], Any]:
    """What reads a field of nodes of a kind; a literal's value needs its type, too."""
    if kind is e.Literal and field == "value":
        return lambda value: value
    enum = _ENUMS.get((kind, field))
    if enum is not None:
        known = {each.name.lower(): each for each in enum}
        return lambda value: known[_text(value)]
    decoder = _DECODERS.get(field)
    if decoder is not None:
        return decoder
    wanted = _PLAIN[field]
    exactly = _TYPES.get(wanted)

    def plain(value: Any) -> Any:
        if type(value) is exactly:
            return value
        if not wanted(value):
            raise PlanDocumentError(f"the field `{field}` cannot be {value!r}")
        return _tuples(value) if type(value) is list else value

    return plain


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _list_of(item: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(item, value))


_PLAIN: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("name", "text", "as_of", "name_column", "value_column", "uid"), _is_text),
    **dict.fromkeys(
        (
            "path",
            "using",
            "names",
            "labels",
            "value_names",
            "tables",
            "partition_by",
            "arguments",
            "on_time",
        ),
        _list_of(_is_text),
    ),
    **dict.fromkeys(("index", "level", "count", "seed", "max_level"), _is_number),
    **dict.fromkeys(("all", "distinct", "lenient", "descending", "nulls_first"), _is_flag),
    **dict.fromkeys(
        (
            "ignore_nulls",
            "respect_nulls",
            "outer",
            "include_nulls",
            "temporary",
            "by_row",
            "within_partitions",
        ),
        _is_flag,
    ),
    "sets": _list_of(_list_of(_is_number)),
    "dependencies": _list_of(_list_of(_is_text)),
}
"""What a field of plain data must look like."""

_TYPES: dict[Callable[[Any], bool], type] = {_is_text: str, _is_number: int, _is_flag: bool}
"""The types of nearly all values that look so."""


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise PlanDocumentError(f"{value!r} is not a text")
    return value


def read_type(value: object) -> LogicalType:
    """The type of a DDL text."""
    return parse_type(_text(value))


def _object(value: Any, needed: tuple[str, ...], optional: tuple[str, ...] = ()) -> Any:
    """The value, an object of these fields."""
    if type(value) is not dict and not isinstance(value, Mapping):
        raise PlanDocumentError(f"{value!r} is not an object")
    if not set(needed) <= value.keys() <= {*needed, *optional}:
        shown = ", ".join((*needed, *(f"[{each}]" for each in optional)))
        raise PlanDocumentError(f"{value!r} does not have the fields {shown}")
    return value


def _decode_fields(value: Any) -> tuple[Field, ...]:
    if not isinstance(value, list):
        raise PlanDocumentError(f"{value!r} is not a list of columns")
    return tuple(map(_decode_field, value))


def _decode_field(value: Any) -> Field:
    item = _object(value, ("name", "type"), ("comment",))
    comment = _text(item["comment"]) if "comment" in item else None
    return Field(_text(item["name"]), read_type(item["type"]), comment)


_UNITS = ("ROWS", "RANGE")
_BOUNDS = ("UNBOUNDED PRECEDING", "CURRENT ROW", "UNBOUNDED FOLLOWING")
_BOUNDS_WITH_OFFSET = ("PRECEDING", "FOLLOWING")


def _decode_frame(value: Any) -> e.Frame:
    value = _object(value, ("unit", "start", "end"))
    unit = _one_of(_UNITS, value["unit"])
    return e.Frame(unit, _decode_bound(value["start"]), _decode_bound(value["end"]))


def _decode_bound(value: Any) -> e.FrameBound:
    value = _object(value, ("kind",), ("offset", "type"))
    if "offset" not in value:
        return e.FrameBound(_one_of(_BOUNDS, value["kind"]))
    type_ = read_type(value["type"])
    held = read_literal(value["offset"], type_)
    return e.FrameBound(_one_of(_BOUNDS_WITH_OFFSET, value["kind"]), e.Literal(held, type_))


def _one_of(words: tuple[str, ...], value: Any) -> str:
    """A word that is printed as it is, and so must be one that is known."""
    if value not in words:
        raise PlanDocumentError(f"a frame has {value!r}, and knows only {', '.join(words)}")
    return str(value)


def _decode_function(value: Any) -> FunctionDefinition:
    return built_in(value) if isinstance(value, str) else _decode_user_function(value)


def _decode_functions(value: Any) -> tuple[UserFunction, ...]:
    if not isinstance(value, list):
        raise PlanDocumentError(f"{value!r} is not a list of functions")
    return tuple(map(_decode_user_function, value))


_KINDS_OF_USERS = ("scalar", "aggregate", "generator", "process table", "unknown")
_OF_FUNCTION: dict[str, Callable[[Any], bool]] = {
    "identifier": lambda value: _list_of(_is_text)(value) and 1 <= len(value) <= 3 and all(value),
    "kind": lambda value: value in _KINDS_OF_USERS,
    **dict.fromkeys(
        ("language", "returns", "reference", "body", "comment", "convention"), _is_text
    ),
    **dict.fromkeys(("temporary", "deterministic", "collected"), _is_flag),
    "parameters": lambda value: isinstance(value, list),
    "resources": _list_of(_is_text),
}
"""What a field of a user function must look like."""


def _decode_user_function(value: Any) -> UserFunction:
    needed = ("identifier", "kind", "language")
    given = _object(value, needed, tuple(each for each in _OF_FUNCTION if each not in needed))
    for field, each in given.items():
        if not _OF_FUNCTION[field](each):
            raise PlanDocumentError(f"the field `{field}` of a function cannot be {each!r}")
    for parameter in given.get("parameters", ()):
        item = _object(parameter, ("name", "type"), ("default",))
        for each in item.values():
            _text(each)
    return decode(given)


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "type": read_type,
    "fields": _decode_fields,
    "function": _decode_function,
    "functions": _decode_functions,
    "frame": _decode_frame,
    "percent": lambda value: float(_text(value)),
}

_ENUMS: dict[tuple[type[Node], str], Any] = {
    (o.Join, "kind"): o.JoinKind,
    (o.LateralJoin, "kind"): o.JoinKind,
    (o.SetOperation, "kind"): o.SetKind,
    (o.Aggregate, "grouping"): o.Grouping,
}


def read_literal(value: object, type_: LogicalType) -> Any:
    """The value of a literal of the type, as the tree holds it.

    Raises:
        ViewscribeError: it is not a value of the type.
    """
    return literal(_decode_scalar(value, type_), type_).value


def _decode_scalar(value: Any, type_: Any) -> Any:
    if value is None:
        return None
    name = type_.__class__.__name__
    wanted, decoder = _SCALARS.get(name, (None, None))
    if wanted is None or decoder is None:
        return value  # one that JSON has; whether it fits is for ``literal`` to say
    if type(value) is not wanted:
        raise PlanDocumentError(f"{value!r} is not how a value of {type_.ddl} is written")
    return decoder(value, type_)


_SCALARS: dict[str, tuple[type, Callable[[Any, Any], Any]]] = {
    "FloatType": (str, lambda value, type_: float(value)),
    "DoubleType": (str, lambda value, type_: float(value)),
    "DecimalType": (str, lambda value, type_: Decimal(value)),
    "BinaryType": (str, lambda value, type_: bytes.fromhex(value)),
    "DateType": (str, lambda value, type_: dt.date.fromisoformat(value)),
    "TimeType": (str, lambda value, type_: dt.time.fromisoformat(value)),
    "TimestampType": (str, lambda value, type_: dt.datetime.fromisoformat(value)),
    "TimestampNtzType": (str, lambda value, type_: dt.datetime.fromisoformat(value)),
    "DayTimeIntervalType": (int, lambda value, type_: dt.timedelta(microseconds=value)),
    "ArrayType": (list, lambda value, type_: [_decode_scalar(v, type_.element) for v in value]),
    "MapType": (
        list,
        lambda value, type_: [
            (_decode_scalar(key, type_.key), _decode_scalar(item, type_.value))
            for key, item in value
        ],
    ),
    "StructType": (
        list,
        lambda value, type_: [
            _decode_scalar(item, field.type)
            for item, field in zip(value, type_.fields, strict=True)
        ],
    ),
}
"""For each type what its values are written as, and what reads them."""
