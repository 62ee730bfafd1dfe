"""The Python functions that Spark misses in a query, as it says itself: attached, and asked again.

===========================  =======================================================================
what Spark says              where a Python function is not attached
===========================  =======================================================================
CANNOT_LOAD_FUNCTION_CLASS   with its name and the text of its entry
NOT_A_TABLE_FUNCTION         for one in FROM, of which it knows no better; the name stands in the
                             piece of the query that it shows
UNRESOLVED_ROUTINE           for an aggregate of collected rows, which only viewscribe knows
===========================  =======================================================================

So nothing is imported that a query does not call, and functions of views behind views, and of those
that somebody made in Spark, are found as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from viewscribe.catalog_store.python_classes import PREFIX
from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.user_defined import OF_ROWS, UserFunction, session_name
from viewscribe.spark.attached_functions import (
    attach_function,
    function_of_entry,
    stands_in_from,
)
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.function_entries import describe_function
from viewscribe.spark.session import current_namespace, first_line, run_as_written
from viewscribe.spark.stand_ins import needs_stand_ins
from viewscribe.types.identifiers import parse_name, quote_identifier, quote_name

T = TypeVar("T")


def with_functions(spark: SparkSession, analyze: Callable[[], T]) -> T:
    """What ``analyze`` gives, once the Python functions are attached that Spark misses in it.

    Raises:
        ForbiddenModuleError: the module of one was not allowed.
        ChangedFunctionError: one is not what was stored.
        FunctionRegistrationError: the session cannot have one.
        PySparkException: whatever else Spark says.
    """
    attached: set[str] = set()
    while True:
        try:
            with silence_errors():
                return analyze()
        except PySparkException as error:
            function = _find_missing(error, spark)
            if function is None:
                raise
            if str(function.identifier) in attached:
                if needs_stand_ins(function.identifier.parts[0], spark):
                    raise _out_of_reach(function) from error
                raise
            attached.add(str(function.identifier))
            try:
                attach_function(function, spark)
            except PySparkException as refused:
                raise FunctionRegistrationError(
                    f"Spark does not take the function {function!r}: {first_line(refused)}"
                ) from refused


def _out_of_reach(function: UserFunction) -> FunctionRegistrationError:
    """The error for what Spark itself reads: a view of its own, or one that is to be that."""
    name = quote_identifier(session_name(function.identifier))
    return FunctionRegistrationError(
        f"the session has no place for the Python function {function!r}: it has it as {name}, "
        "which views of Spark cannot call",
        hint="open a view that calls it with vs.open_view(…), or name it to vs.attach_functions(…) "
        "first; to store one, use a catalog of viewscribe's, or a classic session",
    )


def _find_missing(error: PySparkException, spark: SparkSession) -> UserFunction | None:
    """The Python function that Spark misses; None where that is not what it says."""
    answer = _ANSWERS.get(error.getCondition() or "")
    return None if answer is None else answer(error, spark)


def _not_loaded(error: PySparkException, spark: SparkSession) -> UserFunction | None:
    told = error.getMessageParameters() or {}
    text = told.get("className", "")
    parts = parse_name(told["functionName"]) if text.startswith(PREFIX) else ()
    return function_of_entry(parts, text) if len(parts) == 3 else None


def _not_a_table(error: PySparkException, spark: SparkSession) -> UserFunction | None:
    for context in error.getQueryContext():
        for parts in _list_called_names(context, spark):
            found = _entry(parts, spark)
            if found is not None and stands_in_from(found):
                return found
    return None


def _unresolved(error: PySparkException, spark: SparkSession) -> UserFunction | None:
    parts = parse_name((error.getMessageParameters() or {}).get("routineName", ""))
    if len(parts) != 3 or not parts[-1].endswith(OF_ROWS):
        return None
    aggregate = _entry((*parts[:2], parts[-1].removesuffix(OF_ROWS)), spark)
    if aggregate is None or not aggregate.is_python_aggregate:
        return None
    return aggregate.of_collected_rows()


_ANSWERS: dict[str, Callable[[PySparkException, SparkSession], UserFunction | None]] = {
    "CANNOT_LOAD_FUNCTION_CLASS": _not_loaded,
    "NOT_A_TABLE_FUNCTION": _not_a_table,
    "UNRESOLVED_ROUTINE": _unresolved,
}


def _entry(parts: tuple[str, ...], spark: SparkSession) -> UserFunction | None:
    """The Python function of an entry of the session's catalog."""
    text = (describe_function(function_of_entry(parts, PREFIX), spark) or {}).get("Class", "")
    return function_of_entry(parts, text) if text.startswith(PREFIX) else None


def _list_called_names(context: Any, spark: SparkSession) -> list[tuple[str, ...]]:
    """The whole names that the call at the start of a piece of a query may mean."""
    try:
        parts = parse_name(_before_arguments(context.fragment()))
    except ValidationError:
        return []
    if len(parts) == 3:
        return [parts]
    catalog, database = _home(context, spark)
    return [(catalog, *parts) if len(parts) == 2 else (catalog, database, *parts)]


def _before_arguments(text: str) -> str:
    """The name of a call, whose parts may be quoted."""
    quoted = False
    for place, character in enumerate(text):
        if character == "`":
            quoted = not quoted
        elif character == "(" and not quoted:
            return text[:place].strip()
    return ""


def _home(context: Any, spark: SparkSession) -> tuple[str, str]:
    """Where short names of a query are meant: where its view was made, or in the current place."""
    if context.objectType() == "VIEW":
        view = quote_name(context.objectName().split("."))
        for row in run_as_written(spark, f"DESCRIBE TABLE EXTENDED {view}").collect():
            if row[0] == "View Catalog and Namespace":
                catalog, database = parse_name(row[1])
                return catalog, database
    return current_namespace(spark)
