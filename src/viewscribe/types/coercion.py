"""Spark 4.3's type coercion rules, with ``spark.sql.ansi.enabled`` on or off."""

from __future__ import annotations

from viewscribe.types.arithmetic import Operator, adjusted_decimal, arithmetic_type
from viewscribe.types.casts import cast_introduces_null
from viewscribe.types.common import (
    CastMode,
    can_cast,
    common_type,
    common_type_of,
    comparison_type,
    decimal_of_literal,
    is_comparable,
    is_groupable,
    is_map_key,
    is_orderable,
    merged_type_of,
    stacked_type_of,
    supports_distinct,
)
from viewscribe.types.policy import ANSI, LEGACY, Coercion, coercion, coercion_of
from viewscribe.types.widening import decimal_of, wider_decimal

__all__ = [
    "ANSI",
    "LEGACY",
    "CastMode",
    "Coercion",
    "Operator",
    "adjusted_decimal",
    "arithmetic_type",
    "can_cast",
    "cast_introduces_null",
    "coercion",
    "coercion_of",
    "common_type",
    "common_type_of",
    "comparison_type",
    "decimal_of",
    "decimal_of_literal",
    "is_comparable",
    "is_groupable",
    "is_map_key",
    "is_orderable",
    "merged_type_of",
    "stacked_type_of",
    "supports_distinct",
    "wider_decimal",
]
