"""The types of texts, as Spark infers them: ``schema_of_json('{"a":1}')``.

What is not plainly one of them, such as a date that only Spark can read, is left to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import reduce
from typing import Any

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

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_MOST_DIGITS = 38


def infer_json(text: str) -> str:
    """The type of a JSON text.

    Raises:
        ValueError: it is no JSON, or JSON that only Spark reads so.
    """
    found = json.loads(text, object_pairs_hook=_struct, parse_constant=_refuse)
    return _print(_complete(_type_of(found)) or StructType(fields=()))


def infer_csv(text: str) -> str:
    """The type of a line of CSV.

    Raises:
        ValueError: only Spark can tell.
    """
    if not text or re.search(r"[\"\\\n\r]", text):
        _refuse(text)
    types = [_type_of_text(each) for each in text.split(",")]
    return _print(
        StructType(fields=tuple(Field(f"_c{place}", each) for place, each in enumerate(types)))
    )


def _refuse(text: str) -> None:
    raise ValueError(text)


# -- JSON ------------------------------------------------------------------------------------------


def _struct(pairs: Sequence[tuple[str, Any]]) -> StructType:
    if len({name for name, _ in pairs}) < len(pairs):
        _refuse(str(pairs))
    ordered = sorted(pairs, key=lambda pair: pair[0].encode("utf-16-be"))
    return StructType(fields=tuple(Field(name, _type_of(value)) for name, value in ordered))


def _type_of(value: Any) -> LogicalType:
    if isinstance(value, StructType):
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
    return StructType(
        fields=tuple(
            Field(name, found[name]) for name in sorted(found, key=lambda n: n.encode("utf-16-be"))
        )
    )


def _merge_numbers(left: LogicalType, right: LogicalType) -> LogicalType:
    both = (left, right)
    if not all(each in (BIGINT, DOUBLE) or isinstance(each, DecimalType) for each in both):
        return STRING
    if DOUBLE in both:
        return DOUBLE
    widths = [each.precision for each in both if isinstance(each, DecimalType)]
    return DecimalType(precision=max(20, *widths), scale=0)


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
