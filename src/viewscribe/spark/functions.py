"""User functions in a session: registered under the very names that the SQL text uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import (
    Language,
    UserFunction,
    session_name,
)
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.called import check_calls, user_functions
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.java_functions import check_result, refuse_to_store, register_java
from viewscribe.spark.python_functions import python_function
from viewscribe.spark.session import first_line
from viewscribe.types import StructType
from viewscribe.types.identifiers import quote_identifier, quote_name


def register_functions(operation: QueryOperation, spark: SparkSession) -> None:
    """Makes every user function that a tree calls known to the session.

    Temporary functions are registered anew, since they are the caller's own. A catalog function
    that the session lacks is created there; one that it has must say the same.

    Raises:
        FunctionRegistrationError: a function that the session cannot have, or has otherwise.
    """
    check_calls(operation)
    functions = user_functions(operation)
    _refuse_shared_names(functions)
    for function in functions:
        register_function(function, spark)


def _refuse_shared_names(functions: Sequence[UserFunction]) -> None:
    """A session knows a temporary function by one name, whose dots may be of a path or its own."""
    known: dict[str, UserFunction] = {}
    for function in functions:
        if not function.temporary or function.anonymous:
            continue
        name = session_name(function.identifier).casefold()
        other = known.setdefault(name, function)
        if other != function:
            raise FunctionRegistrationError(
                f"a session would know two functions by the name `{name}`",
                hint="give one of them another name",
            )


def register_function(function: UserFunction, spark: SparkSession) -> None:
    """Makes one function known to the session."""
    try:
        _REGISTRARS[function.source.language](function, spark)
    except PySparkException as error:
        raise FunctionRegistrationError(
            f"Spark does not take the function {function!r}: {first_line(error)}"
        ) from error


# -- Python ----------------------------------------------------------------------------------------


def _python(function: UserFunction, spark: SparkSession) -> None:
    if not function.temporary:
        raise FunctionRegistrationError(
            f"Spark has no persistent Python functions, and {function!r} is one",
            hint="register it for the session: create_temporary_system_function(…)",
        )
    if function.source.kind is FunctionKind.PROCESS_TABLE:
        from viewscribe.spark.process.table_function import table_function

        spark.udtf.register(session_name(function.identifier), table_function(function))
        return
    made = python_function(function)
    name = session_name(function.identifier)
    registry = spark.udtf if function.source.kind is FunctionKind.GENERATOR else spark.udf
    registry.register(name, made)


# -- SQL text and classes --------------------------------------------------------------------------


def _sql(function: UserFunction, spark: SparkSession) -> None:
    if function.temporary:
        name = quote_identifier(session_name(function.identifier))
        spark.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION {name}{_signature(function)}")
        return
    known = _described(function, spark)
    if known is None:
        _ensure_database(function, spark)
        spark.sql(f"CREATE FUNCTION {_path(function)}{_signature(function)}")
    elif _words(known.get("Body", "")) != _words(function.source.body or ""):
        raise _other(function, "another body")


def _signature(function: UserFunction) -> str:
    source = function.source
    assert source.parameters is not None
    assert source.returns is not None
    parameters = ", ".join(
        f"{quote_identifier(each.name)} {each.type.ddl}"
        + ("" if each.default is None else f" DEFAULT {each.default}")
        for each in source.parameters
    )
    if source.kind is FunctionKind.GENERATOR:
        assert isinstance(source.returns, StructType)
        columns = ", ".join(
            f"{quote_identifier(field.name)} {field.type.ddl}" for field in source.returns.fields
        )
        returns = f"TABLE({columns})"
    else:
        returns = source.returns.ddl
    comment = "" if source.comment is None else f" COMMENT {quote_string(source.comment)}"
    chance = "" if source.deterministic else " NOT DETERMINISTIC"
    return f"({parameters}) RETURNS {returns}{comment}{chance} RETURN {source.body}"


def _java(function: UserFunction, spark: SparkSession) -> None:
    """Spark's own interfaces; of those only UserDefinedAggregateFunction can stay."""
    if function.temporary:
        register_java(function, session_name(function.identifier), spark)
    else:
        refuse_to_store(function, spark)
        _class(function, spark)
    check_result(function, spark)


def _class(function: UserFunction, spark: SparkSession) -> None:
    source = function.source
    assert source.reference is not None
    jars = ", ".join(f"JAR {quote_string(each)}" for each in source.resources)
    carried_out = f" AS {quote_string(source.reference)}" + (f" USING {jars}" if jars else "")
    if function.temporary:
        name = quote_identifier(session_name(function.identifier))
        spark.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION {name}{carried_out}")
        return
    known = _described(function, spark)
    if known is None:
        _ensure_database(function, spark)
        spark.sql(f"CREATE FUNCTION {_path(function)}{carried_out}")
    elif known.get("Class", source.reference) != source.reference:
        raise _other(function, f"the class {known['Class']}")


def _path(function: UserFunction) -> str:
    return quote_name(function.identifier.parts)


def _ensure_database(function: UserFunction, spark: SparkSession) -> None:
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {quote_name(function.identifier.parts[:2])}")


def _described(function: UserFunction, spark: SparkSession) -> dict[str, str] | None:
    """What the session says of a persistent function; None where it has none."""
    if not spark.catalog.functionExists(_path(function)):
        return None
    lines = spark.sql(f"DESCRIBE FUNCTION EXTENDED {_path(function)}").collect()
    found: dict[str, str] = {}
    for row in lines:
        label, colon, text = str(row[0]).partition(":")
        if colon:
            found[label.strip()] = text.strip()
    return found


def _words(text: str) -> str:
    return " ".join(text.split())


def _other(function: UserFunction, what: str) -> FunctionRegistrationError:
    return FunctionRegistrationError(
        f"the session already has a function {function!r}, and it has {what}",
        hint="drop it in Spark, or use a session without it",
    )


_REGISTRARS: dict[Language, Callable[[UserFunction, SparkSession], None]] = {
    Language.PYTHON: _python,
    Language.SQL: _sql,
    Language.JAVA: _java,
    Language.HIVE: _class,
}
