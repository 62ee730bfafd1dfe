"""User functions in a session: registered under the very names that the SQL text uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import (
    Language,
    UserFunction,
    session_name,
)
from viewscribe.expressions.properties import functions_of
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.session import first_line
from viewscribe.spark.types import to_spark
from viewscribe.types import StructType
from viewscribe.types.identifiers import quote_identifier, quote_name


class FunctionRegistrationError(ViewscribeError):
    """A user function that a session cannot have, or has otherwise."""


def user_functions(operation: QueryOperation) -> Iterator[UserFunction]:
    """The user functions that a tree calls, each once."""
    for function in dict.fromkeys(functions_of(operation)):
        if isinstance(function, UserFunction):
            yield function


def register_functions(operation: QueryOperation, spark: SparkSession) -> None:
    """Makes every user function that a tree calls known to the session.

    Temporary functions are registered anew, since they are the caller's own. A catalog function
    that the session lacks is created there; one that it has must say the same.

    Raises:
        FunctionRegistrationError: a function that the session cannot have, or has otherwise.
    """
    for function in user_functions(operation):
        register_function(function, spark)


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
    made = python_function(function)
    name = session_name(function.identifier)
    registry = spark.udtf if function.source.kind is FunctionKind.GENERATOR else spark.udf
    registry.register(name, made)


def python_function(function: UserFunction) -> Any:
    """The Spark function around a Python function.

    A scalar function is called with the values of a row. An aggregate function is called with a
    list of the values of each argument in a group, NULLs as None, and returns one value. A table
    function is called with the values of a row and gives rows.
    """
    source = function.source
    if source.implementation is None:
        raise NotInterpretableError(
            f"the Python function {function!r} is only known by its name {source.reference}",
            hint="register it again from the function itself",
        )
    assert source.returns is not None
    return _PYTHON[source.kind](source.implementation, to_spark(source.returns), source)


def _scalar(implementation: Callable[..., Any], returns: Any, source: Any) -> Any:
    made = F.udf(implementation, returns)
    return made if source.deterministic else made.asNondeterministic()


def _aggregate(implementation: Callable[..., Any], returns: Any, source: Any) -> Any:
    """Over Arrow: a group's values arrive as arrays, one an argument."""

    def over_group(*columns: Any) -> Any:
        return implementation(*[column.to_pylist() for column in columns])

    from pyspark.sql.pandas.functions import ArrowUDFType, arrow_udf

    grouped: Any = ArrowUDFType.GROUPED_AGG
    made: Any = arrow_udf(over_group, returns, grouped)
    return made if source.deterministic else made.asNondeterministic()


def _table(implementation: Callable[..., Any], returns: Any, source: Any) -> Any:
    single = len(returns.fields) == 1

    class Rows:
        def eval(self, *args: Any) -> Iterator[Any]:
            for made in implementation(*args):
                yield (made,) if single and not isinstance(made, tuple) else tuple(made)

    return F.udtf(Rows, returnType=returns)


_PYTHON: dict[FunctionKind, Callable[[Callable[..., Any], Any, Any], Any]] = {
    FunctionKind.SCALAR: _scalar,
    FunctionKind.AGGREGATE: _aggregate,
    FunctionKind.GENERATOR: _table,
}


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


def _class(function: UserFunction, spark: SparkSession) -> None:
    source = function.source
    assert source.reference is not None
    using = "".join(f" USING JAR {quote_string(each)}" for each in source.resources)
    carried_out = f" AS {quote_string(source.reference)}{using}"
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
    Language.JAVA: _class,
    Language.HIVE: _class,
}
