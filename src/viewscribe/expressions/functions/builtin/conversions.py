"""CAST by the names of types: ``int(x)``, ``string(x)``."""

from __future__ import annotations

from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition, NewerForm
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import ANY
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


def _cast_to(
    name: str, target: LogicalType, *, newer_form: NewerForm | None = None
) -> FunctionDefinition:
    def cast(context: CallContext) -> LogicalType:
        source = context.types[0]
        if not can_cast(source, target):
            raise context.mismatch(f"{source.ddl} cannot be cast to {target.ddl}")
        return cast_type(source, target)

    doc = f"The value as {target.ddl}, as CAST gives it."
    return scalar(
        name,
        args=(ANY,),
        returns=cast,
        casts_to=target,
        catalyst=(),
        since="2.0.1",
        newer_form=newer_form,
        doc=doc,
    )


TO_BIGINT = _cast_to("bigint", BIGINT)
TO_BINARY = _cast_to("binary", BINARY)
TO_BOOLEAN = _cast_to("boolean", BOOLEAN)
TO_DATE = _cast_to("date", DATE)
TO_DECIMAL = _cast_to("decimal", decimal(10, 0))
TO_DOUBLE = _cast_to("double", DOUBLE)
TO_FLOAT = _cast_to("float", FLOAT)
TO_INT = _cast_to("int", INT)
TO_SMALLINT = _cast_to("smallint", SMALLINT)
TO_STRING = _cast_to("string", STRING)
TO_TIME = _cast_to("time", TIME, newer_form=always("4.1.0"))
TO_TIMESTAMP = _cast_to("timestamp", TIMESTAMP, newer_form=with_type(TimeType, "4.3.0"))
TO_TINYINT = _cast_to("tinyint", TINYINT)
