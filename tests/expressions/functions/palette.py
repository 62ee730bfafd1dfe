"""The columns that calls are tried on: one of every kind of type, nullable and not (``…_n``)."""

from __future__ import annotations

from viewscribe.expressions.schema import Schema
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    DAY_TIME_INTERVAL,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VARIANT,
    YEAR_MONTH_INTERVAL,
    Field,
    GeographyType,
    GeometryType,
    LogicalType,
    TimeType,
    array,
    decimal,
    map_of,
    struct,
)

_PAIR = struct(("x", INT.not_null()), ("y", STRING))

COLUMNS: dict[str, LogicalType] = {
    "b": BOOLEAN,
    "t": TINYINT,
    "sh": SMALLINT,
    "i": INT,
    "l": BIGINT,
    "f": FLOAT,
    "d": DOUBLE,
    "e": decimal(10, 2),
    "e38": decimal(38, 18),
    "e3": decimal(3, 0),
    "s": STRING,
    "bin": BINARY,
    "dt": DATE,
    "ts": TIMESTAMP,
    "tn": TIMESTAMP_NTZ,
    "tm": TIME,
    "tm3": TimeType(precision=3),
    "ym": YEAR_MONTH_INTERVAL,
    "ds": DAY_TIME_INTERVAL,
    "ci": CALENDAR_INTERVAL,
    "ai": array(INT),
    "an": array(INT.not_null()),
    "as_": array(STRING),
    "ad": array(DOUBLE.not_null()),
    "aa": array(array(INT)),
    "ast": array(_PAIR.not_null()),
    "m": map_of(STRING, INT),
    "mi": map_of(INT, DOUBLE.not_null()),
    "st": _PAIR,
    "v": VARIANT,
    "af": array(FLOAT),
    "tk": struct(
        ("sketch", BINARY.not_null()),
        ("maxItemsTracked", INT.not_null()),
        ("itemDataType", STRING),
        ("itemDataTypeDDL", STRING.not_null()),
    ),
    "gm": GeometryType(srid="0"),
    "gmx": GeometryType(srid="ANY"),
    "gg": GeographyType(),
}

# What arguments are replaced with: enough to meet every rule, few enough to take seconds.
_PLAIN = ("b", "t", "i", "l", "f", "d", "e", "e3", "s", "bin", "dt", "ts", "tn", "tm", "ds", "ci")
TRIED = (*_PLAIN, "ai", "as_", "mi", "st", "v")

SCHEMA = Schema(
    [
        Field(name + ending, type_.with_nullability(not ending))
        for name, type_ in COLUMNS.items()
        for ending in ("", "_n")
    ]
)
