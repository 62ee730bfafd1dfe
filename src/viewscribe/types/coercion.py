"""How Spark 4.3 brings types together under ``spark.sql.ansi.enabled``, its default."""

from __future__ import annotations

from viewscribe.types.arithmetic import Operator, adjusted_decimal, arithmetic_type
from viewscribe.types.casts import CastMode, can_cast, cast_introduces_null
from viewscribe.types.common import (
    common_type,
    common_type_of,
    comparison_type,
    decimal_of,
    decimal_of_literal,
    is_comparable,
    is_groupable,
    is_map_key,
    is_orderable,
    merged_type_of,
    supports_distinct,
    wider_decimal,
)

__all__ = [
    "CastMode",
    "Operator",
    "adjusted_decimal",
    "arithmetic_type",
    "can_cast",
    "cast_introduces_null",
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
    "supports_distinct",
    "wider_decimal",
]
