"""The tree as a plan document, JSON-able, and back.

A document is a flat list of nodes, children before parents and named by their position, so that
neither depth nor sharing is a problem: ``{"version": 1, "nodes": [...], "root": 7}``. A node is its
kind and its fields; types are DDL text, functions are names.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from viewscribe.errors import PlanDocumentError, ViewscribeError, did_you_mean
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction, decode, encode
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node, attribute_fields, build, postorder
from viewscribe.operations import nodes as o
from viewscribe.operations.base import QueryOperation
from viewscribe.types import Field, LogicalType
from viewscribe.types.ddl import parse_type, type_text

VERSION = 1

_ABSTRACT = {Node, QueryOperation, e.ResolvedExpression, e.SubqueryExpression}


def _kinds() -> dict[str, type[Node]]:
    found: dict[str, type[Node]] = {}
    for module in (e, o):
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Node) and value not in _ABSTRACT:
                found[_snake(value.__name__)] = value
    return found


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


KINDS = _kinds()
"""Every kind of node by the name it has in documents."""

_NAMES = {kind: name for name, kind in KINDS.items()}


def to_plan(root: QueryOperation) -> dict[str, Any]:
    """The tree as a document, valid against ``plan.schema.json``."""
    places: dict[int, int] = {}
    nodes: list[dict[str, Any]] = []
    for node in postorder(root):
        places[id(node)] = len(nodes)
        nodes.append(_encode(node, places))
    return {"version": VERSION, "nodes": nodes, "root": len(nodes) - 1}


_LATER = frozenset(("functions", "respect_nulls", "within_partitions"))
"""Written only where they say something: what does without them, earlier versions read, too."""


def _encode(node: Node, places: dict[int, int]) -> dict[str, Any]:
    kind = type(node)
    encoded: dict[str, Any] = {"node": _NAMES[kind]}
    for name in attribute_fields(kind):
        value = getattr(node, name)
        if (value is None and name != "value") or (name in _LATER and not value):
            continue
        encoded[name] = (
            _encode_literal(node)
            if kind is e.Literal and name == "value"
            else (_encode_value(value))
        )
    for name in kind.child_fields:
        value = getattr(node, name)
        if type(value) is tuple:
            encoded[name] = [places[id(child)] for child in value]
        elif value is not None:
            encoded[name] = places[id(value)]
    return encoded


def _encode_value(value: Any) -> Any:
    if isinstance(value, LogicalType):
        return type_text(value)
    if isinstance(value, tuple):
        return [_encode_value(item) for item in value]
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, Field):
        encoded = {"name": value.name, "type": type_text(value.type)}
        return encoded if value.comment is None else {**encoded, "comment": value.comment}
    if isinstance(value, e.Frame):
        return {
            "unit": value.unit,
            "start": _encode_bound(value.start),
            "end": _encode_bound(value.end),
        }
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, UserFunction):
        return encode(value)
    return value.name  # a built-in function


def _encode_bound(bound: e.FrameBound) -> dict[str, Any]:
    encoded: dict[str, Any] = {"kind": bound.kind}
    if bound.offset is not None:
        encoded["offset"] = _encode_literal(bound.offset)
        encoded["type"] = type_text(bound.offset.type)
    return encoded


def _encode_literal(node: Any) -> Any:
    return _encode_scalar(node.value)


def _encode_scalar(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, tuple):
        return [_encode_scalar(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dt.timedelta):
        return value // dt.timedelta(microseconds=1)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


_FAULTS = (
    ViewscribeError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""What goes wrong where a node is made of fields that do not fit."""


def from_plan(document: Mapping[str, Any]) -> QueryOperation:
    """The tree of a document, equal to the one it was made from.

    Raises:
        PlanDocumentError: the document is damaged or made by a newer version; says where.
    """
    version = document.get("version")
    if version != VERSION:
        raise PlanDocumentError(
            f"the plan document has version {version!r}, and this viewscribe reads {VERSION}",
            hint="a newer viewscribe made it: upgrade viewscribe",
        )
    nodes: list[Node] = []
    listed = document.get("nodes")
    if not isinstance(listed, list):
        raise PlanDocumentError("the plan document has no list of nodes")
    for place, encoded in enumerate(listed):
        try:
            nodes.append(_decode(encoded, nodes))
        except _FAULTS as error:
            raise _damaged(place, encoded, error) from error
    root = document.get("root")
    if not isinstance(root, int) or not 0 <= root < len(nodes):
        raise PlanDocumentError(f"the plan document's root is {root!r}, not a node's position")
    found = nodes[root]
    if not isinstance(found, QueryOperation):
        raise PlanDocumentError(f"the plan document's root is a {_NAMES[type(found)]}, not a query")
    return found


def _damaged(place: int, encoded: Any, error: Exception) -> PlanDocumentError:
    cause = error.message if isinstance(error, ViewscribeError) else repr(error)
    return PlanDocumentError(
        f"node {place} of the plan document cannot be read: {cause}", location=repr(encoded)[:200]
    )


class _Shape(NamedTuple):
    """How nodes of a kind are read: their fields, each with what reads it."""

    known: frozenset[str]
    attributes: tuple[tuple[str, Callable[[Any], Any]], ...]
    children: tuple[tuple[str, bool, type[Node]], ...]
    absent: dict[str, None]


@cache
def _shape(kind: type[Node]) -> _Shape:
    attributes = attribute_fields(kind)
    return _Shape(
        frozenset(("node", *attributes, *kind.child_fields)),
        tuple((field, _reader(kind, field)) for field in attributes),
        tuple((field, *_declared(kind, field)) for field in kind.child_fields),
        {
            field: None
            for field in (*attributes, *kind.child_fields)
            if field in ("frame", "filter", "condition")
        },
    )


def _decode(encoded: Mapping[str, Any], nodes: list[Node]) -> Node:
    name = encoded["node"]
    kind = KINDS.get(name)
    if kind is None:
        raise PlanDocumentError(f"no kind of node `{name}`", hint=did_you_mean(str(name), KINDS))
    shape = _shape(kind)
    if not shape.known.issuperset(encoded):
        unknown = next(field for field in encoded if field not in shape.known)
        raise PlanDocumentError(f"a {name} has no field `{unknown}`")
    fields: dict[str, Any] = shape.absent.copy()
    for field, read in shape.attributes:
        if field in encoded:
            fields[field] = read(encoded[field])
    if kind is e.Literal and "value" in fields:
        fields["value"] = _decode_literal(fields["value"], parse_type(encoded["type"]))
    for field, many, wanted in shape.children:
        if field not in encoded:
            continue
        place = encoded[field]
        if isinstance(place, list) is not many:
            shown = "a list of positions" if many else "one position"
            raise PlanDocumentError(f"`{field}` is {place!r}, not {shown}")
        if many:
            fields[field] = tuple([_child(each, nodes, wanted) for each in place])
        else:
            fields[field] = _child(place, nodes, wanted)
    return build(kind, fields)


def _child(place: Any, nodes: list[Node], wanted: type[Node]) -> Node:
    if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(nodes):
        raise PlanDocumentError(f"{place!r} is not the position of an earlier node")
    found = nodes[place]
    if not isinstance(found, wanted):
        raise PlanDocumentError(
            f"node {place} is a {_NAMES[type(found)]}, where a {_snake(wanted.__name__)} belongs"
        )
    return found


def _declared(kind: type[Node], field: str) -> tuple[bool, type[Node]]:
    """Whether the class wants several children in the field, and of what class."""
    declared = str(kind.__annotations__[field])
    many = declared.startswith("tuple[")
    name = declared.removeprefix("tuple[").removesuffix(", ...]").removesuffix(" | None")
    # A sub-query's query is only known as a node where expressions are defined.
    if name in ("Node", "QueryOperation"):
        return many, QueryOperation
    return many, getattr(e, name, None) or getattr(o, name)


def _reader(kind: type[Node], field: str) -> Callable[[Any], Any]:
    """What reads a field that is no child."""
    if kind is e.Literal and field == "value":
        return lambda value: value  # only its type says how
    enum = _ENUMS.get((kind, field))
    if enum is not None:
        return lambda value: enum[str(value).upper()]
    decoder = _DECODERS.get(field)
    if decoder is not None:
        return decoder
    wanted = _PLAIN[field]

    def plain(value: Any) -> Any:
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
    **dict.fromkeys(("name", "text", "name_column", "value_column", "uid"), _is_text),
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
    **dict.fromkeys(("index", "level", "count", "seed"), _is_number),
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


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _decode_fields(value: Any) -> tuple[Field, ...]:
    return tuple(
        Field(item["name"], parse_type(item["type"]), item.get("comment")) for item in value
    )


_UNITS = ("ROWS", "RANGE")
_BOUNDS = ("UNBOUNDED PRECEDING", "CURRENT ROW", "UNBOUNDED FOLLOWING")
_BOUNDS_WITH_OFFSET = ("PRECEDING", "FOLLOWING")


def _decode_frame(value: Any) -> e.Frame:
    unit = _one_of(_UNITS, value["unit"])
    return e.Frame(unit, _decode_bound(value["start"]), _decode_bound(value["end"]))


def _decode_bound(value: Any) -> e.FrameBound:
    if "offset" not in value:
        return e.FrameBound(_one_of(_BOUNDS, value["kind"]))
    type_ = parse_type(value["type"])
    held = _decode_literal(value["offset"], type_)
    return e.FrameBound(_one_of(_BOUNDS_WITH_OFFSET, value["kind"]), e.Literal(held, type_))


def _one_of(words: tuple[str, ...], value: Any) -> str:
    """A word that is printed as it is, and so must be one that is known."""
    if value not in words:
        raise PlanDocumentError(f"a frame has {value!r}, and knows only {', '.join(words)}")
    return str(value)


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "type": parse_type,
    "fields": _decode_fields,
    "function": lambda value: built_in(value) if isinstance(value, str) else decode(value),
    "functions": lambda value: tuple(map(decode, value)),
    "frame": _decode_frame,
    "percent": float,
}

_ENUMS: dict[tuple[type[Node], str], Any] = {
    (o.Join, "kind"): o.JoinKind,
    (o.LateralJoin, "kind"): o.JoinKind,
    (o.SetOperation, "kind"): o.SetKind,
    (o.Aggregate, "grouping"): o.Grouping,
}


def _decode_literal(value: Any, type_: LogicalType) -> Any:
    return literal(_decode_scalar(value, type_), type_).value


def _decode_scalar(value: Any, type_: Any) -> Any:
    if value is None:
        return None
    decoder = _SCALARS.get(type_.__class__.__name__)
    return decoder(value, type_) if decoder else value


_SCALARS: dict[str, Callable[[Any, Any], Any]] = {
    "FloatType": lambda value, type_: float(value),
    "DoubleType": lambda value, type_: float(value),
    "DecimalType": lambda value, type_: Decimal(value),
    "BinaryType": lambda value, type_: bytes.fromhex(value),
    "DateType": lambda value, type_: dt.date.fromisoformat(value),
    "TimeType": lambda value, type_: dt.time.fromisoformat(value),
    "TimestampType": lambda value, type_: dt.datetime.fromisoformat(value),
    "TimestampNtzType": lambda value, type_: dt.datetime.fromisoformat(value),
    "DayTimeIntervalType": lambda value, type_: dt.timedelta(microseconds=value),
    "ArrayType": lambda value, type_: [_decode_scalar(item, type_.element) for item in value],
    "MapType": lambda value, type_: [
        (_decode_scalar(key, type_.key), _decode_scalar(item, type_.value)) for key, item in value
    ],
    "StructType": lambda value, type_: [
        _decode_scalar(item, field.type) for item, field in zip(value, type_.fields, strict=True)
    ],
}
