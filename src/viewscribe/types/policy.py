"""Coercion policies: how Spark brings types together with ANSI on, and with ANSI off.

The policy in force decides which types, and which nullability, an expression that is resolved has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import msgspec

from viewscribe.types import legacy
from viewscribe.types.casts import CastRules
from viewscribe.types.logical import BIGINT, INT, TIMESTAMP, TIMESTAMP_NTZ, LogicalType
from viewscribe.types.widening import ANSI_WIDENING, Widen, Widening, compared_by_ansi

SETTING = "spark.sql.ansi.enabled"

TIMESTAMP_SETTING = "spark.sql.timestampType"
"""Whether the word TIMESTAMP is the type with a time zone or the one without."""

GROUPING_ID_SETTING = "spark.sql.legacy.integerGroupingId"
"""Whether ``grouping_id()`` is an INT, as it was before Spark 3.0."""

PRECISION_SETTING = "spark.sql.decimalOperations.allowPrecisionLoss"
"""Whether a decimal that grows too wide loses digits after the point, so as to keep the others."""

_NOT_FOLLOWED: Mapping[str, str] = {
    "spark.sql.function.concatBinaryAsString": "false",
    "spark.sql.function.eltOutputAsString": "false",
    "spark.sql.legacy.createEmptyCollectionUsingStringType": "false",
    "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate": "false",
    "spark.sql.legacy.histogramNumericPropagateInputType": "true",
    "spark.sql.legacy.interval.enabled": "false",
    "spark.sql.legacy.literal.pickMinimumPrecision": "true",
    "spark.sql.legacy.lpadRpadAlwaysReturnString": "false",
}
"""Settings that change the type of some calls, and Spark's defaults, by which these are typed."""


class Coercion(msgspec.Struct, frozen=True, eq=False):
    """One way of Spark to bring types together.

    Args:
        name: what it is called.
        ansi: whether it is the ANSI one: what cannot be computed is then an error, not NULL.
        widening: the common type of CASE, coalesce, UNION and the like.
        compared: the type that two operands are compared in.
        ordered: operands in the order in which their common type is looked for.
        casts: which casts are allowed.
        timestamp: the type that Spark takes the word TIMESTAMP for, and that functions such as
            ``to_timestamp`` give.
        grouping_id: the type of ``grouping_id()``.
        precision_loss: whether arithmetic of wide decimals gives up digits after the point.
        departures: settings whose value is not the one that types are found by; calls whose type
            they change are refused.
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


ANSI = Coercion("ANSI", True, ANSI_WIDENING, compared_by_ansi, _as_given, "ansi")
"""``spark.sql.ansi.enabled = true``, Spark's default since 4.0."""

LEGACY = Coercion("legacy", False, legacy.WIDENING, legacy.compared, legacy.text_first, "legacy")
"""``spark.sql.ansi.enabled = false``."""

IN_FORCE: ContextVar[Coercion] = ContextVar("coercion in force", default=ANSI)
"""The policy that expressions are typed by."""


def coercion_of(settings: Mapping[str, str]) -> Coercion:
    """The policy that Spark settings choose."""
    changed = {name: settings[name].strip().lower() for name in _CHOOSING if name in settings}
    return _policy(frozenset(changed.items()))


_CHOOSING = (SETTING, TIMESTAMP_SETTING, GROUPING_ID_SETTING, PRECISION_SETTING, *_NOT_FOLLOWED)


@cache
def _policy(chosen: frozenset[tuple[str, str]]) -> Coercion:
    values = dict(chosen)
    departed = {
        name: values[name]
        for name, default in _NOT_FOLLOWED.items()
        if values.get(name, default) != default
    }
    return _made(
        values.get(SETTING) != "false",
        values.get(TIMESTAMP_SETTING) == "timestamp_ntz",
        values.get(GROUPING_ID_SETTING) == "true",
        values.get(PRECISION_SETTING) != "false",
        frozenset(departed),
    )


@cache
def _made(
    ansi: bool, without_zone: bool, short_ids: bool, precision_loss: bool, departed: frozenset[str]
) -> Coercion:
    """The one policy of its kind: what was inferred under a policy is kept by its identity."""
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
    """Expressions that are resolved inside the ``with`` block are typed by the policy."""
    token = IN_FORCE.set(policy)
    try:
        yield
    finally:
        IN_FORCE.reset(token)
