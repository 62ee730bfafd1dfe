"""The types of texts, as Spark infers them: ``schema_of_json('{"a":1}')``.

What is not plainly one of them, such as a date that only Spark can read, is left to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from viewscribe.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    STRING,
    VOID,
    ArrayType,
    DecimalType,
    Field,
    LogicalType,
    StructType,
    VoidType,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_MOST_DIGITS = 38


def infer_json(text: str, options: Mapping[str, str]) -> str:
    """The type of a JSON text.

    Raises:
        ValueError: it is no JSON, or JSON that only Spark reads so.
    """
    known = _only(options, "primitivesasstring", "prefersdecimal", *_OF_READING)
    as_text, as_decimal = (known.get(name, "").lower() == "true" for name in _OF_TYPES)
    read_decimal = _decimal if as_decimal else float
    found = json.loads(
        text, object_pairs_hook=_struct, parse_constant=_refuse, parse_float=read_decimal
    )
    type_ = _complete(_type_of(found)) or StructType(fields=())
    return _print(_as_text(type_) if as_text else type_)


def infer_csv(text: str, options: Mapping[str, str]) -> str:
    """The type of a line of CSV.

    Raises:
        ValueError: only Spark can tell.
    """
    known = _only(options, "sep", "delimiter", "mode")
    between = known.get("sep", known.get("delimiter", ","))
    if not text or len(between) != 1 or re.search(r"[\"\\\n\r]", text + between):
        _refuse(text)
    types = [_type_of_text(each) for each in text.split(between)]
    return _print(
        StructType(fields=tuple(Field(f"_c{place}", each) for place, each in enumerate(types)))
    )


def infer_xml(text: str, options: Mapping[str, str]) -> str:
    """The type of an XML text.

    Raises:
        ValueError: it is no XML, or XML that only Spark reads so.
    """
    from xml.etree import ElementTree

    known = _only(options, "mode", "excludeattribute")
    if "<!" in text or re.search(r"\bxmlns|<\w+:", text):
        _refuse(text)
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError as error:
        raise ValueError(text) from error
    found = _type_of_element(root, known.get("excludeattribute", "").lower() == "true")
    if isinstance(found, VoidType):
        _refuse(text)
    row = found if isinstance(found, StructType) else _sorted_struct({"_VALUE": found})
    return _print(_complete(row) or StructType(fields=()))


_OF_TYPES = ("primitivesasstring", "prefersdecimal")
_OF_READING = (
    *("mode", "allowcomments", "allowunquotedfieldnames", "allowsinglequotes"),
    *("allownumericleadingzeros", "allowbackslashescapinganycharacter"),
)
"""Options that change nothing where the text is JSON as the standard has it."""


def _only(options: Mapping[str, str], *known: str) -> Mapping[str, str]:
    if not options.keys() <= set(known):
        _refuse(str(options))
    return options


def _refuse(text: str) -> None:
    raise ValueError(text)


# -- JSON ------------------------------------------------------------------------------------------


def _struct(pairs: Sequence[tuple[str, Any]]) -> StructType:
    if len({name for name, _ in pairs}) < len(pairs):
        _refuse(str(pairs))
    ordered = sorted(pairs, key=lambda pair: pair[0].encode("utf-16-be"))
    return StructType(fields=tuple(Field(name, _type_of(value)) for name, value in ordered))


def _decimal(text: str) -> LogicalType:
    """The type of a number with a fraction, which is to be no DOUBLE."""
    if "e" in text.lower():
        _refuse(text)
    whole, fraction = text.lstrip("-").split(".")
    scale, digits = len(fraction), len((whole + fraction).lstrip("0"))
    precision = max(digits, scale)
    return DecimalType(precision=precision, scale=scale) if precision <= _MOST_DIGITS else DOUBLE


def _as_text(type_: LogicalType) -> LogicalType:
    """The type with STRING for all that is no struct and no array."""
    if isinstance(type_, ArrayType):
        return ArrayType(element=_as_text(type_.element))
    if isinstance(type_, StructType):
        return StructType(fields=tuple(Field(f.name, _as_text(f.type)) for f in type_.fields))
    return STRING


def _type_of(value: Any) -> LogicalType:
    if isinstance(value, LogicalType):
        return value
    if isinstance(value, list):
        nothing: LogicalType = VOID
        return ArrayType(element=reduce(_merge, map(_type_of, value), nothing))
    if type(value) is int:
        return _type_of_number(value)
    return {bool: BOOLEAN, float: DOUBLE, str: STRING}.get(type(value), VOID)


def _type_of_number(value: int) -> LogicalType:
    digits = len(str(abs(value)))
    if -(1 << 63) <= value < 1 << 63:
        return BIGINT
    return DecimalType(precision=digits, scale=0) if digits <= _MOST_DIGITS else DOUBLE


def _merge(left: LogicalType, right: LogicalType) -> LogicalType:
    """The type of both, STRING where there is none."""
    if left == right or isinstance(right, VoidType):
        return left
    if isinstance(left, VoidType):
        return right
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return ArrayType(element=_merge(left.element, right.element))
    if isinstance(left, StructType) and isinstance(right, StructType):
        return _merge_structs(left, right)
    return _merge_numbers(left, right)


def _merge_structs(left: StructType, right: StructType) -> LogicalType:
    found = {field.name: field.type for field in left.fields}
    for field in right.fields:
        found[field.name] = _merge(found.get(field.name, VOID), field.type)
    return _sorted_struct(found)


def _sorted_struct(found: Mapping[str, LogicalType]) -> StructType:
    names = sorted(found, key=lambda name: name.encode("utf-16-be"))
    return StructType(fields=tuple(Field(name, found[name]) for name in names))


def _merge_numbers(left: LogicalType, right: LogicalType) -> LogicalType:
    both = (left, right)
    if not all(each in (BIGINT, DOUBLE) or isinstance(each, DecimalType) for each in both):
        return STRING
    if DOUBLE in both:
        return DOUBLE
    decimals = [each for each in both if isinstance(each, DecimalType)]
    scale = max(each.scale for each in decimals)
    whole = max(each.precision - each.scale for each in decimals)
    precision = (max(20, whole) if BIGINT in both else whole) + scale
    return DecimalType(precision=precision, scale=scale) if precision <= _MOST_DIGITS else DOUBLE


def _complete(type_: LogicalType) -> LogicalType | None:
    """The type without structs of nothing, and STRING for what was never there."""
    if isinstance(type_, ArrayType):
        element = _complete(type_.element)
        return element and ArrayType(element=element)
    if isinstance(type_, StructType):
        kept = [(field.name, _complete(field.type)) for field in type_.fields]
        fields = tuple(Field(name, known) for name, known in kept if known is not None)
        return StructType(fields=fields) if fields else None
    return STRING if isinstance(type_, VoidType) else type_


# -- CSV -------------------------------------------------------------------------------------------


def _type_of_text(text: str) -> LogicalType:
    for pattern, type_ in _TEXTS:
        if pattern.fullmatch(text):
            return _type_of_whole(int(text)) if type_ is INT else type_
    raise ValueError(text)


def _type_of_whole(value: int) -> LogicalType:
    return INT if -(1 << 31) <= value < 1 << 31 else _type_of_number(value)


_TEXTS = (
    (re.compile(r""), STRING),
    (re.compile(r"-?[0-9]+"), INT),
    (re.compile(r"-?[0-9]+\.[0-9]+"), DOUBLE),
    (re.compile(r"(?i:true|false)"), BOOLEAN),
    (re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"), DATE),
    (re.compile(r"(?!(?i:nan|inf|infinity)$)[A-Za-z][A-Za-z_ ]*[A-Za-z]|[A-Za-z]"), STRING),
)


# -- XML -------------------------------------------------------------------------------------------


def _type_of_element(element: Element, without_attributes: bool) -> LogicalType:
    """The type of what an element has: attributes and elements inside, else its text."""
    found: dict[str, LogicalType] = {}
    for name, value in () if without_attributes else element.items():
        found[f"_{name}"] = _type_of_value(value)
    for inner in element:
        if inner.tail and inner.tail.strip():
            _refuse(inner.tail)
        type_, before = _type_of_element(inner, without_attributes), found.get(inner.tag)
        if before is not None:
            before = before.element if isinstance(before, ArrayType) else before
            type_ = ArrayType(element=_merge_elements(before, type_))
        found[inner.tag] = type_
    said = _type_of_value((element.text or "").strip())
    if not found:
        return said
    return _sorted_struct(found if isinstance(said, VoidType) else {**found, "_VALUE": said})


def _type_of_value(text: str) -> LogicalType:
    type_ = _type_of_text(text) if text else VOID
    return BIGINT if type_ is INT else type_


def _merge_elements(left: LogicalType, right: LogicalType) -> LogicalType:
    """The type of two elements of a name; of texts and structs together only Spark tells."""
    if isinstance(left, StructType) != isinstance(right, StructType):
        _refuse(str(right))
    return _merge(left, right)


# -- texts -----------------------------------------------------------------------------------------


def _print(type_: LogicalType) -> str:
    """The text that Spark gives for a type."""
    if isinstance(type_, ArrayType):
        return f"ARRAY<{_print(type_.element)}>"
    if isinstance(type_, StructType):
        inner = (f"{_quote(field.name)}: {_print(field.type)}" for field in type_.fields)
        return f"STRUCT<{', '.join(inner)}>"
    if isinstance(type_, DecimalType):
        return f"DECIMAL({type_.precision},{type_.scale})"
    return type_.ddl


def _quote(name: str) -> str:
    return name if _NAME.fullmatch(name) else f"`{name.replace('`', '``')}`"
