"""What a session's catalog has of a persistent function: its entry, apart from what it calls."""

from __future__ import annotations

from pyspark.sql import SparkSession

from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.session import run_as_written
from viewscribe.types.identifiers import quote_name


def path_of(function: UserFunction) -> str:
    """The function's whole name, as SQL."""
    return quote_name(function.identifier.parts)


def ensure_database(function: UserFunction, spark: SparkSession) -> None:
    """Makes the database that the function is to be in, where there is none."""
    database = quote_name(function.identifier.parts[:2])
    run_as_written(spark, f"CREATE DATABASE IF NOT EXISTS {database}")


def describe_function(function: UserFunction, spark: SparkSession) -> dict[str, str] | None:
    """What the session says of a persistent function; None where it has none."""
    if not spark.catalog.functionExists(path_of(function)):
        return None
    lines = run_as_written(spark, f"DESCRIBE FUNCTION EXTENDED {path_of(function)}").collect()
    found: dict[str, str] = {}
    for row in lines:
        label, colon, text = str(row[0]).partition(":")
        if colon:
            found[label.strip()] = text.strip()
    return found


def another(function: UserFunction, what: str) -> FunctionRegistrationError:
    """The error where the session has something else under the function's name."""
    return FunctionRegistrationError(
        f"the session already has a function {function!r}, and it has {what}",
        hint="drop it in Spark, or use a session without it",
    )
