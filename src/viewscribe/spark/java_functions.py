"""Java functions by the name of their class, for the interfaces that are Spark's own.

==============================  ======================================  ====================
class                           is                                      may stay in a catalog
==============================  ======================================  ====================
UDF0 … UDF22                    scalar                                  no
UserDefinedAggregateFunction    aggregate                               yes
Aggregator                      aggregate of one value, or of Rows      no
==============================  ======================================  ====================

Hive's classes are ``Language.HIVE``: Spark finds out by itself which of the five kinds one is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from pyspark.sql import SparkSession

from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.sources import FunctionParameter, FunctionSource, Language
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.java_classes import UDAF, JavaClass, aggregator_as_function, is_classic
from viewscribe.spark.session import SPARK_ERRORS, first_line, run_as_written
from viewscribe.spark.types import from_spark, to_spark
from viewscribe.types import LogicalType
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import quote_identifier

_WHAT_THERE_IS = (
    "a Java function is a class of UDF0 … UDF22, or with RETURNS … AGGREGATE one of "
    "UserDefinedAggregateFunction or Aggregator; say LANGUAGE HIVE for a class of Hive's, and "
    "USING JAR '…' for where it is"
)
_LOOKED_AT = "viewscribe looks at a class"


def java_source(
    class_name: str,
    spark: SparkSession,
    *,
    resources: Sequence[str] = (),
    parameters: Sequence[LogicalType | str] | None = None,
) -> FunctionSource:
    """What a class is as a user function, its types as Spark infers them.

    Args:
        class_name: the full name of the class.
        spark: a classic session, whose JVM looks at the class.
        resources: the jars it is in, where the session has them not yet.
        parameters: the types of its parameters, which an ``Aggregator`` of Rows does not say.

    Raises:
        FunctionRegistrationError: there is no such class, it is no function, or it does not say
            its types.
    """
    _add_jars(resources, spark)
    found = JavaClass(class_name, spark)
    types = (
        found.parameter_types()
        if parameters is None
        else [parse_type(each) if isinstance(each, str) else each for each in parameters]
    )
    source = FunctionSource(
        kind=found.kind,
        language=Language.JAVA,
        parameters=tuple(
            FunctionParameter(f"x{place}", type_) for place, type_ in enumerate(types)
        ),
        reference=class_name,
        resources=tuple(resources),
    )
    try:
        _register(source, _LOOKED_AT, spark)
        returns = _result_type(quote_identifier(_LOOKED_AT), source, spark)
    finally:
        spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {quote_identifier(_LOOKED_AT)}")
    return replace(source, returns=returns)


def register_java(function: UserFunction, name: str, spark: SparkSession) -> None:
    """Gives the session the function under a name.

    Raises:
        FunctionRegistrationError: the class is none of Spark's interfaces, or not to be found.
    """
    source = function.source
    if source.kind is FunctionKind.GENERATOR:
        raise FunctionRegistrationError(
            f"the Java function {function!r} is a table function, and Spark has none in Java",
            hint="say LANGUAGE HIVE for a class of Hive's",
        )
    if not source.deterministic:
        raise FunctionRegistrationError(
            f"Spark takes every Java function for deterministic, and {function!r} is not",
            hint="write it in Python, or as a function of Hive",
        )
    _add_jars(source.resources, spark)
    try:
        _register(source, name, spark)
    except SPARK_ERRORS as error:
        raise FunctionRegistrationError(
            f"Spark does not take the function {function!r}: {first_line(error)}",
            hint=_WHAT_THERE_IS,
        ) from error


def refuse_to_store(function: UserFunction, spark: SparkSession) -> None:
    """Raises where Spark's catalogs would take the function and never find it again."""
    source = function.source
    assert source.reference is not None
    if source.kind is FunctionKind.AGGREGATE:
        _add_jars(source.resources, spark)
        if not is_classic(spark) or JavaClass(source.reference, spark).is_a(UDAF):
            return
    raise FunctionRegistrationError(
        "Spark's catalogs hold no functions in Java but those of UserDefinedAggregateFunction, "
        f"and {function!r} is none",
        hint="register it for the session: create_temporary_function(…); or say LANGUAGE HIVE for "
        "a class of Hive's",
    )


def check_result(function: UserFunction, spark: SparkSession) -> None:
    """Raises where an aggregate's class gives another type than was declared.

    A scalar function gives what Spark was told.
    """
    source = function.source
    if source.kind is FunctionKind.SCALAR or None in (source.returns, source.parameters):
        return
    assert source.returns is not None
    found = _result_type(function.sql_name, source, spark)
    if not found.same_type(source.returns):
        raise FunctionRegistrationError(
            f"the class of {function!r} gives {found.ddl}, and it is declared to return "
            f"{source.returns.ddl}",
            hint=f"declare it: RETURNS {found.ddl}",
        )


def _result_type(name: str, source: FunctionSource, spark: SparkSession) -> LogicalType:
    nulls = [f"CAST(NULL AS {each.type.ddl})" for each in source.parameters or ()]
    call = run_as_written(spark, f"SELECT {name}({', '.join(nulls)})")
    return from_spark(call.schema.fields[0].dataType)


def _register(source: FunctionSource, name: str, spark: SparkSession) -> None:
    assert source.reference is not None
    if source.kind is FunctionKind.SCALAR:
        returns = None if source.returns is None else to_spark(source.returns)
        spark.udf.registerJavaFunction(name, source.reference, returns)
        return
    made = aggregator_as_function(source, spark)
    if made is None:
        spark.udf.registerJavaUDAF(name, source.reference)
    else:
        session: Any = spark
        session._jsparkSession.udf().register(name, made)


def _add_jars(resources: Sequence[str], spark: SparkSession) -> None:
    for each in resources:
        run_as_written(spark, f"ADD JAR {quote_string(each)}")
