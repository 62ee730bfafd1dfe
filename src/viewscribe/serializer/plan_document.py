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

from viewscribe.errors import PlanDocumentError, ValidationError, ViewscribeError, did_you_mean
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.bodies import read_bodies_with
from viewscribe.expressions.functions.declarative import decode, encode
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node, attribute_fields, build, postorder
from viewscribe.operations import nodes as o
from viewscribe.operations.base import QueryOperation, as_stored
from viewscribe.operations.rewrites.time_windows import with_windows_as_steps
from viewscribe.parser.bodies import type_of_body
from viewscribe.serializer.plan_checks import PlanChecker
from viewscribe.types import Field, LogicalType
from viewscribe.types.ddl import parse_type, type_text

# The fields of the nodes of plan documents that are no children: what reads each of them.
#
# Each takes only what the writer writes: a number where a number is written, a text where a text
# is.


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


read_bodies_with(type_of_body)

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

KINDS["recursion_reference"] = o.CteReference  # as earlier versions called it in a recursive query


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
    RuntimeError,
    TypeError,
    ValueError,
)
"""What goes wrong where a node is made of fields that do not fit."""


def from_plan(document: Mapping[str, Any]) -> QueryOperation:
    """The tree of a document, equal to the one it was made from.

    Whoever wrote the document, the tree is one that can be built: every reference is followed, and
    every type is inferred again by the coercion in force and compared with the document's.

    Raises:
        PlanDocumentError: the document is damaged or made by a newer version; says where.
    """
    root = _checked_outline(document)
    reader = _Reader()
    for place, encoded in enumerate(document["nodes"]):
        try:
            reader.read(encoded)
        except _FAULTS as error:
            raise _damaged_error(place, encoded, error) from error
    found = reader.nodes[root]
    if not isinstance(found, QueryOperation):
        raise PlanDocumentError(f"the plan document's root is a {_NAMES[type(found)]}, not a query")
    try:
        reader.checker.check_root(found)
    except PlanDocumentError as error:
        raise _damaged_error(root, document["nodes"][root], error) from error
    unread = next((p for p in range(len(reader.nodes)) if p != root and p not in reader.used), None)
    if unread is not None:
        name = _NAMES[type(reader.nodes[unread])]
        raise PlanDocumentError(
            f"node {unread} of the plan document, a {name}, belongs to no other node",
            location=f"nodes[{unread}]",
        )
    _check_windows(found)
    return as_stored(found)


def _check_windows(root: QueryOperation) -> None:
    """Refuses a window of time as a value of a row; what is built has it as a step."""
    try:
        same = with_windows_as_steps(root) is root
    except ValidationError as error:
        raise PlanDocumentError(error.message, location=error.location) from error
    if not same:
        raise PlanDocumentError(
            "a window of time stands beside other columns in the plan document",
            hint="it is a step of its own, a time_window: store the view anew",
        )


def _checked_outline(document: Any) -> int:
    """The position of the root, where the document is one."""
    if not isinstance(document, Mapping):
        raise PlanDocumentError(f"a plan document is an object, not {_show(document)}")
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        newer = type(version) is int and version > VERSION
        raise PlanDocumentError(
            f"the plan document has version {_show(version)}, and this viewscribe reads {VERSION}",
            hint="a newer viewscribe made it: upgrade viewscribe" if newer else None,
        )
    for field in document:
        if field not in ("version", "nodes", "root"):
            raise PlanDocumentError(f"a plan document has no field {_show(field)}")
    listed, root = document.get("nodes"), document.get("root")
    if not isinstance(listed, list):
        raise PlanDocumentError("the plan document has no list of nodes")
    if type(root) is not int or not 0 <= root < len(listed):
        raise PlanDocumentError(f"the plan document's root is {_show(root)}, not a node's position")
    return root


def _show(value: Any) -> str:
    """The value in a line, whatever it is."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested without end, or a number of thousands of digits
        return f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= 200 else text[:199] + "…"


def _quote(name: Any) -> str:
    return f"`{name}`" if isinstance(name, str) and len(name) <= 80 else _show(name)


def _damaged_error(place: int, encoded: Any, error: Exception) -> PlanDocumentError:
    name = encoded.get("node") if isinstance(encoded, Mapping) else None
    kind = f", a {name}," if isinstance(name, str) and name in KINDS else ""
    cause = error.message if isinstance(error, ViewscribeError) else _show(error)
    return PlanDocumentError(
        f"node {place} of the plan document{kind} cannot be read: {cause}",
        location=f"nodes[{place}]: {_show(encoded)}",
        hint=error.hint if isinstance(error, ViewscribeError) else None,
    )


class _Shape(NamedTuple):
    """How nodes of a kind are read: their fields, each with what reads it."""

    known: frozenset[str]
    attributes: tuple[tuple[str, Callable[[Any], Any]], ...]
    children: tuple[tuple[str, bool, type[Node]], ...]
    absent: dict[str, None]
    fields: tuple[str, ...]
    required: frozenset[str]


@cache
def _shape(kind: type[Node]) -> _Shape:
    attributes = attribute_fields(kind)
    fields = (*attributes, *kind.child_fields)
    absent: dict[str, None] = {
        field: None
        for field in fields
        if field in ("frame", "filter", "uid", "max_level", "as_of", "seed")
        or (field == "condition" and kind is not o.Filter)
    }
    return _Shape(
        frozenset(("node", *fields)),
        tuple((field, field_reader(kind, field)) for field in attributes),
        tuple((field, *_read_annotation(kind, field)) for field in kind.child_fields),
        absent,
        required := tuple(field for field in fields if field not in absent and field not in _LATER),
        frozenset(required),
    )


class _Reader:
    """Reads nodes one by one; those before have been read and are known to fit together."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.used: set[int] = set()
        self.checker = PlanChecker()

    def read(self, encoded: Any) -> None:
        """Reads a node, which is the next one.

        Raises:
            any of ``_FAULTS``: the node is not one.
        """
        if type(encoded) is not dict and not isinstance(encoded, Mapping):  # that asks slowly
            raise PlanDocumentError("it is not an object")
        name = encoded.get("node")
        kind = KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            raise PlanDocumentError(
                f"no kind of node {_quote(name)}", hint=did_you_mean(str(name)[:80], KINDS)
            )
        fields = self._fields(kind, encoded)
        needs = self.checker.before(kind, fields)
        node = build(kind, fields)
        self.nodes.append(node)
        self.checker.check(node, needs)

    def _fields(self, kind: type[Node], encoded: Mapping[str, Any]) -> dict[str, Any]:
        shape, name = _shape(kind), _NAMES[kind]
        if not shape.known.issuperset(encoded):
            unknown = next(field for field in encoded if field not in shape.known)
            raise PlanDocumentError(f"a {name} has no field {_quote(unknown)}")
        if not encoded.keys() >= shape.required:
            lacking = next(field for field in shape.fields if field not in encoded)
            raise PlanDocumentError(f"a {name} needs the field `{lacking}`")
        fields: dict[str, Any] = shape.absent.copy()
        for field, read in shape.attributes:
            if field in encoded:
                fields[field] = read(encoded[field])
        if kind is e.Literal:
            fields["value"] = read_literal(fields["value"], read_type(encoded["type"]))
        for field, many, wanted in shape.children:
            if field in encoded:
                fields[field] = self._children(field, encoded[field], many, wanted)
        return fields

    def _children(self, field: str, place: Any, many: bool, wanted: type[Node]) -> Any:
        if isinstance(place, list) is not many:
            shown = "a list of positions" if many else "one position"
            raise PlanDocumentError(f"`{field}` is {_show(place)}, not {shown}")
        if many:
            return tuple([self._child(each, wanted) for each in place])
        return self._child(place, wanted)

    def _child(self, place: Any, wanted: type[Node]) -> Node:
        if type(place) is not int or not 0 <= place < len(self.nodes):
            raise PlanDocumentError(f"{_show(place)} is not the position of an earlier node")
        found = self.nodes[place]
        if not isinstance(found, wanted):
            kind = _NAMES[type(found)]
            raise PlanDocumentError(
                f"node {place} is a {kind}, where a {_snake(wanted.__name__)} belongs"
            )
        self.used.add(place)
        return found


def _read_annotation(kind: type[Node], field: str) -> tuple[bool, type[Node]]:
    """Whether the class wants several children in the field, and of what class."""
    found = kind.__annotations__.get(field)
    declared = str(found or getattr(kind, field).fget.__annotations__["return"])
    many = declared.startswith("tuple[")
    name = declared.removeprefix("tuple[").removesuffix(", ...]").removesuffix(" | None")
    # A sub-query's query is only known as a node where expressions are defined.
    if name in ("Node", "QueryOperation"):
        return many, QueryOperation
    return many, getattr(e, name, None) or getattr(o, name)
