"""Iceberg's own functions, which every catalog of Iceberg's has in its namespace ``system``.

Most are the transforms of hidden partitioning. They take what Iceberg's ``bind`` takes, which is
less than Spark would cast.
"""

from __future__ import annotations

from viewscribe.expressions.functions.inference import TypeInference
from viewscribe.expressions.functions.outputs import always_nullable, argument, never_null
from viewscribe.expressions.functions.validators import ArgumentType
from viewscribe.types import (
    DATE,
    INT,
    STRING,
    BigIntType,
    BinaryType,
    CharType,
    DateType,
    DecimalType,
    IntType,
    LogicalType,
    SmallIntType,
    StringType,
    TimestampNtzType,
    TimestampType,
    TinyIntType,
    VarcharType,
)
from viewscribe.types.nested_types import value_type

NAMESPACE = "system"
LIBRARY = "iceberg"


def _one_of(description: str, *kinds: type[LogicalType]) -> ArgumentType:
    """Any type of these classes as it is; a NULL without a type is refused."""

    def coerce(given: LogicalType) -> LogicalType | None:
        read_as = value_type(given) if isinstance(given, CharType | VarcharType) else given
        collated = isinstance(read_as, StringType) and read_as.collation != STRING.collation
        return read_as if isinstance(read_as, kinds) and not collated else None

    return ArgumentType(description, coerce)


_SMALL = (TinyIntType, SmallIntType, IntType)
_COUNT = ArgumentType(
    "INT", lambda given: INT.with_nullability(given.nullable) if isinstance(given, _SMALL) else None
)
_CUT = (*_SMALL, BigIntType, DecimalType, StringType, BinaryType)
_TIMES = (TimestampType, TimestampNtzType)
_TIME = _one_of("<timestamp>", *_TIMES)
_DAY = _one_of("<date or timestamp>", DateType, *_TIMES)
_WHOLE = always_nullable(INT)

_FUNCTIONS: dict[str, TypeInference] = {
    "iceberg_version": TypeInference((), never_null(STRING), 0),
    "bucket": TypeInference((_COUNT, _one_of("<hashable>", *_CUT, DateType, *_TIMES)), _WHOLE, 2),
    "truncate": TypeInference(
        (_COUNT, _one_of("<whole number>, DECIMAL, STRING or BINARY", *_CUT)),
        always_nullable(argument(1)),
        2,
    ),
    "years": TypeInference((_DAY,), _WHOLE, 1),
    "months": TypeInference((_DAY,), _WHOLE, 1),
    "days": TypeInference((_DAY,), always_nullable(DATE), 1),
    "hours": TypeInference((_TIME,), _WHOLE, 1),
}


def function_names() -> list[str]:
    """Returns the names of all functions."""
    return sorted(_FUNCTIONS)


def references() -> list[str]:
    """Returns what the functions are referred to by: ``iceberg.bucket``."""
    return [f"{LIBRARY}.{name}" for name in function_names()]


def inference_of(reference: str | None) -> TypeInference | None:
    """Returns the types of a function by its reference, ``iceberg.bucket``; None if unknown."""
    library, _, name = (reference or "").partition(".")
    return _FUNCTIONS.get(name) if library == LIBRARY else None
