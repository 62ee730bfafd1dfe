"""The columns of a query that viewscribe does not read, as a session tells them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import SparkSession

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.spark.gate import own_gate_of
from viewscribe.spark.missing_functions import with_functions
from viewscribe.spark.session import SPARK_ERRORS, first_line, run_as_written
from viewscribe.spark.session_objects import SessionObjects
from viewscribe.spark.stand_ins import with_stand_ins
from viewscribe.spark.types import schema_from_spark
from viewscribe.types import Field

Finder = Callable[[Sequence[str]], UserFunction | None]


def columns_of_text(text: str, spark: SparkSession) -> tuple[Field, ...]:
    """The columns of a query, whose names are full ones.

    Raises:
        ValidationError: it does not run in the session.
        CaptureError: it uses a variable of the session.
    """
    asked = own_gate_of(spark).admit(with_stand_ins(text, spark), "the query")
    try:
        schema = with_functions(spark, lambda: run_as_written(spark, asked).schema)
        SessionObjects(spark).refuse_variables(asked)
    except SPARK_ERRORS as error:
        raise ValidationError(
            f"Spark does not tell the columns of a query: {first_line(error)}",
            hint="see that the query runs in this session, or say its schema=",
        ) from error
    return tuple(schema_from_spark(schema))


def own_functions(find: Finder, spark: SparkSession) -> Finder:
    """``find``, which refuses temporary functions of the session that it does not know itself."""
    own = SessionObjects(spark)

    def found(parts: Sequence[str]) -> UserFunction | None:
        function = find(parts)
        if function is None:
            own.refuse_function(parts)
        return function

    return found
