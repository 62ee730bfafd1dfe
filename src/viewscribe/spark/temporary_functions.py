"""Python functions as temporary ones of a session, under one name each."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction, session_name
from viewscribe.spark.arrow import require_arrow
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.python_functions import python_function
from viewscribe.types.identifiers import quote_identifier

_STAND_IN: WeakKeyDictionary[SparkSession, dict[str, bool]] = WeakKeyDictionary()
"""Of each session, whether a name is that of what stands for a stored function."""


def register_temporary(
    function: UserFunction, spark: SparkSession, *, stands_in: bool = False
) -> None:
    """Registers a Python function under its name, or its path as one name.

    Args:
        function: a temporary function that can be called.
        spark: the session.
        stands_in: whether it stands for a stored function.

    Raises:
        FunctionRegistrationError: a temporary function and a stored one would have one name.
    """
    name = session_name(function.identifier)
    known = _STAND_IN.setdefault(spark, {})
    if known.setdefault(name.casefold(), stands_in) is not stands_in:
        raise FunctionRegistrationError(
            f"the session would know a temporary function and a stored one as "
            f"{quote_identifier(name)}",
            hint="give one of them another name, or use another session for it",
        )
    if function.source.kind is FunctionKind.PROCESS_TABLE:
        require_arrow(function)
        from viewscribe.spark.process.table_function import table_function

        spark.udtf.register(name, table_function(function, classic=is_classic(spark)))
        return
    registry = spark.udtf if function.kind is FunctionKind.GENERATOR else spark.udf
    registry.register(name, python_function(function))
