"""CAST by the names of types: ``int(x)``, ``string(x)``."""

from __future__ import annotations

from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import BuiltInFunction, scalar
from viewscribe.expressions.functions.inference import OutputStrategy
from viewscribe.expressions.functions.newer_forms import always, with_type
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIME,
    TIMESTAMP,
    TINYINT,
    LogicalType,
    TimeType,
    decimal,
)
from viewscribe.types.coercion import can_cast


def _cast_to(target: LogicalType) -> OutputStrategy:
    def cast(context: CallContext) -> LogicalType:
        source = context.types[0]
        if not can_cast(source, target):
            raise context.mismatch(f"{source.ddl} cannot be cast to {target.ddl}")
        return cast_type(source, target)

    return cast


def _define_cast(name: str, target: LogicalType) -> BuiltInFunction:
    return scalar(f"""{name}(col: ANY)
        The value as {target.ddl}, as CAST gives it.
        since 2.0.1, no class""").where(returns=_cast_to(target), casts_to=target)


TO_BIGINT = _define_cast("bigint", BIGINT)
TO_BINARY = _define_cast("binary", BINARY)
TO_BOOLEAN = _define_cast("boolean", BOOLEAN)
TO_DATE = _define_cast("date", DATE)
TO_DECIMAL = _define_cast("decimal", decimal(10, 0))
TO_DOUBLE = _define_cast("double", DOUBLE)
TO_FLOAT = _define_cast("float", FLOAT)
TO_INT = _define_cast("int", INT)
TO_SMALLINT = _define_cast("smallint", SMALLINT)
TO_STRING = _define_cast("string", STRING)
TO_TIME = _define_cast("time", TIME).where(newer_form=always("4.1.0"))
TO_TIMESTAMP = _define_cast("timestamp", TIMESTAMP).where(newer_form=with_type(TimeType, "4.3.0"))
TO_TINYINT = _define_cast("tinyint", TINYINT)
