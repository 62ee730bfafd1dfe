"""Coercion policies: Spark's type coercion with ANSI mode on and off.

The policy in force decides the type and nullability of every expression that is resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any

import msgspec

from viewscribe.types import legacy
from viewscribe.types.ddl import parse_schema, parse_type, quote_text
from viewscribe.types.identifiers import quote_identifier
from viewscribe.types.nested_types import (
    BIGINT,
    INT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    Field,
    LogicalType,
    MapType,
    StructType,
    TimestampType,
)
from viewscribe.types.widening import ANSI_WIDENING, CastRules, Widen, Widening, find_compared_type

SETTING = "spark.sql.ansi.enabled"

TIMESTAMP_SETTING = "spark.sql.timestampType"
"""Whether the word TIMESTAMP means the type with or without a time zone."""

GROUPING_ID_SETTING = "spark.sql.legacy.integerGroupingId"
"""Whether ``grouping_id()`` is an INT, as before Spark 3.0."""

PRECISION_SETTING = "spark.sql.decimalOperations.allowPrecisionLoss"
"""Whether a decimal that exceeds 38 digits gives up fractional digits to keep the integer ones."""

NOT_FOLLOWED: Mapping[str, str] = {
    "spark.sql.function.concatBinaryAsString": "false",
    "spark.sql.function.eltOutputAsString": "false",
    "spark.sql.legacy.createEmptyCollectionUsingStringType": "false",
    "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate": "false",
    "spark.sql.legacy.histogramNumericPropagateInputType": "true",
    "spark.sql.legacy.interval.enabled": "false",
    "spark.sql.legacy.literal.pickMinimumPrecision": "true",
    "spark.sql.legacy.lpadRpadAlwaysReturnString": "false",
}
"""Settings that change the type of some calls, with the Spark defaults that are assumed here."""


class Coercion(msgspec.Struct, frozen=True, eq=False):
    """One of Spark's sets of type coercion rules.

    Args:
        name: its name.
        ansi: whether ANSI mode is on, where invalid operations raise instead of returning NULL.
        widening: finds the common type for CASE, coalesce, UNION and so on.
        compared: finds the type that two operands are compared in.
        ordered: sorts operands into the order in which their common type is computed.
        casts: the casts that are allowed.
        timestamp: the type that the word TIMESTAMP means, and that functions such as
            ``to_timestamp`` return.
        grouping_id: the type of ``grouping_id()``.
        precision_loss: whether arithmetic on wide decimals gives up fractional digits.
        departures: settings with a value that is not the assumed one; calls whose type they affect
            are rejected.
    """

    name: str
    ansi: bool
    widening: Widening
    compared: Widen
    ordered: Callable[[Iterable[LogicalType]], Iterable[LogicalType]]
    casts: CastRules
    timestamp: LogicalType = TIMESTAMP
    grouping_id: LogicalType = BIGINT
    precision_loss: bool = True
    departures: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return self.name


def _as_given(types: Iterable[LogicalType]) -> Iterable[LogicalType]:
    return types


ANSI = Coercion("ANSI", True, ANSI_WIDENING, find_compared_type, _as_given, "ansi")
"""``spark.sql.ansi.enabled = true``, Spark's default since 4.0."""

LEGACY = Coercion(
    "legacy", False, legacy.WIDENING, legacy.find_compared_type, legacy.text_first, "legacy"
)
"""``spark.sql.ansi.enabled = false``."""

IN_FORCE: ContextVar[Coercion] = ContextVar("coercion in force", default=ANSI)
"""The policy in force."""


def coercion_of(settings: Mapping[str, str]) -> Coercion:
    """Returns the policy that Spark settings select."""
    return _policy(tuple(map(settings.get, _CHOOSING)))


_CHOOSING = (SETTING, TIMESTAMP_SETTING, GROUPING_ID_SETTING, PRECISION_SETTING, *NOT_FOLLOWED)


@lru_cache(maxsize=1024)
def _policy(chosen: tuple[str | None, ...]) -> Coercion:
    values = {
        name: value.strip().lower()
        for name, value in zip(_CHOOSING, chosen, strict=True)
        if value is not None
    }
    departed = {
        name: values[name]
        for name, default in NOT_FOLLOWED.items()
        if values.get(name, default) != default
    }
    return _make_policy(
        values.get(SETTING) != "false",
        values.get(TIMESTAMP_SETTING) == "timestamp_ntz",
        values.get(GROUPING_ID_SETTING) == "true",
        values.get(PRECISION_SETTING) != "false",
        frozenset(departed),
    )


@cache
def _make_policy(
    ansi: bool, without_zone: bool, short_ids: bool, precision_loss: bool, departed: frozenset[str]
) -> Coercion:
    """Returns the single instance for these arguments; inference results are cached by identity."""
    policy = ANSI if ansi else LEGACY
    changes: dict[str, Any] = {}
    if without_zone:
        changes["timestamp"] = TIMESTAMP_NTZ
    if short_ids:
        changes["grouping_id"] = INT
    if not precision_loss:
        changes["precision_loss"] = False
    if departed:
        changes["departures"] = departed
    if not changes:
        return policy
    shown = ", ".join(f"{name} {value}" for name, value in changes.items())
    return msgspec.structs.replace(policy, name=f"{policy.name}, {shown}", **changes)


@contextmanager
def coercion(policy: Coercion) -> Iterator[None]:
    """Puts the policy in force for expressions resolved inside the ``with`` block."""
    token = IN_FORCE.set(policy)
    try:
        yield
    finally:
        IN_FORCE.reset(token)


# DDL text as a Spark session reads it, where a setting decides what TIMESTAMP means.
#
# In documents and in user input, TIMESTAMP is always the type with a time zone. In Spark it means
# TIMESTAMP_NTZ if ``spark.sql.timestampType`` says so; the policy in force knows the setting.

__all__ = ["session_ddl", "session_schema", "session_schema_ddl", "session_type"]


def session_type(text: str) -> LogicalType:
    """Parses a type the way the session does.

    Raises:
        DataTypeError: the text does not parse.
    """
    return parse_type(text, IN_FORCE.get().timestamp)


def session_schema(text: str) -> tuple[Field, ...]:
    """Parses columns the way the session does.

    Raises:
        DataTypeError: the text does not parse.
    """
    return parse_schema(text, IN_FORCE.get().timestamp)


def session_ddl(type_: LogicalType) -> str:
    """Returns DDL text that the session parses into this type."""
    text = type_.ddl
    if IN_FORCE.get().timestamp is TIMESTAMP or "TIMESTAMP" not in text:
        return text
    return _ddl(type_)


def session_schema_ddl(type_: LogicalType) -> str:
    """Returns the columns of a STRUCT as DDL text, without ``STRUCT<…>`` around them."""
    if isinstance(type_, StructType):
        return ", ".join(_field(field, " ") for field in type_.fields)
    return session_ddl(type_)


def _ddl(type_: LogicalType) -> str:
    if isinstance(type_, TimestampType):
        return "TIMESTAMP_LTZ"
    if isinstance(type_, ArrayType):
        return f"ARRAY<{_ddl(type_.element)}>"
    if isinstance(type_, MapType):
        return f"MAP<{_ddl(type_.key)}, {_ddl(type_.value)}>"
    if isinstance(type_, StructType):
        return f"STRUCT<{', '.join(_field(field, ': ') for field in type_.fields)}>"
    return type_.ddl


def _field(field: Field, separator: str) -> str:
    text = f"{quote_identifier(field.name)}{separator}{session_ddl(field.type)}"
    if not field.type.nullable:
        text += " NOT NULL"
    return text if field.comment is None else f"{text} COMMENT {quote_text(field.comment)}"
