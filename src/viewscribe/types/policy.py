"""Coercion policies: how Spark brings types together with ANSI on, and with ANSI off.

The policy in force decides which types, and which nullability, an expression that is resolved has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from viewscribe.types import legacy
from viewscribe.types.casts import CastRules
from viewscribe.types.logical import TIMESTAMP, TIMESTAMP_NTZ, LogicalType
from viewscribe.types.widening import ANSI_WIDENING, Widen, Widening, compared_by_ansi

SETTING = "spark.sql.ansi.enabled"

TIMESTAMP_SETTING = "spark.sql.timestampType"
"""Whether the word TIMESTAMP is the type with a time zone or the one without."""


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
    """

    name: str
    ansi: bool
    widening: Widening
    compared: Widen
    ordered: Callable[[Iterable[LogicalType]], Iterable[LogicalType]]
    casts: CastRules
    timestamp: LogicalType = TIMESTAMP

    def __repr__(self) -> str:
        return self.name


def _as_given(types: Iterable[LogicalType]) -> Iterable[LogicalType]:
    return types


ANSI = Coercion("ANSI", True, ANSI_WIDENING, compared_by_ansi, _as_given, "ansi")
"""``spark.sql.ansi.enabled = true``, Spark's default since 4.0."""

LEGACY = Coercion("legacy", False, legacy.WIDENING, legacy.compared, legacy.text_first, "legacy")
"""``spark.sql.ansi.enabled = false``."""

_WITHOUT_ZONE = {
    policy: msgspec.structs.replace(
        policy, name=f"{policy.name}, TIMESTAMP_NTZ", timestamp=TIMESTAMP_NTZ
    )
    for policy in (ANSI, LEGACY)
}

IN_FORCE: ContextVar[Coercion] = ContextVar("coercion in force", default=ANSI)
"""The policy that expressions are typed by."""


def coercion_of(settings: Mapping[str, str]) -> Coercion:
    """The policy that Spark settings choose."""
    ansi = settings.get(SETTING, "true").strip().lower() != "false"
    policy = ANSI if ansi else LEGACY
    zoned = settings.get(TIMESTAMP_SETTING, "").strip().upper() != "TIMESTAMP_NTZ"
    return policy if zoned else _WITHOUT_ZONE[policy]


@contextmanager
def coercion(policy: Coercion) -> Iterator[None]:
    """Expressions that are resolved inside the ``with`` block are typed by the policy."""
    token = IN_FORCE.set(policy)
    try:
        yield
    finally:
        IN_FORCE.reset(token)
