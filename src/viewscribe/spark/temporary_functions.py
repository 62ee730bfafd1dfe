"""Python functions as temporary ones of a session, under one name each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import NamedTuple
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction, session_name
from viewscribe.operations.spark_names import is_system_function
from viewscribe.spark.arrow import require_arrow
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.python_functions import python_function
from viewscribe.spark.session_objects import SessionObjects
from viewscribe.types.identifiers import quote_identifier


class Origin(Enum):
    """Where a temporary function comes from; only one of the user's own takes the place of his."""

    USER = "a temporary function"
    DOCUMENT = "one of a stored pipeline"
    CATALOG = "one that stands for a stored function"


class _Given(NamedTuple):
    """A temporary function that viewscribe has given a session."""

    function: UserFunction
    origin: Origin
    number: int | None


_GIVEN: WeakKeyDictionary[SparkSession, dict[str, _Given]] = WeakKeyDictionary()
"""Of each session, those that it was given last, by name."""


@contextmanager
def giving_name(function: UserFunction, spark: SparkSession, origin: Origin) -> Iterator[None]:
    """In the ``with`` block, the session is given a temporary function under its name.

    Raises:
        FunctionRegistrationError: it would take the place of one of the user's, of Spark's or of
            one that stands for something else.
    """
    name = session_name(function.identifier)
    given, key = _GIVEN.setdefault(spark, {}), name.casefold()
    before = given.get(key)
    if before is not None and (before.origin is Origin.CATALOG) != (origin is Origin.CATALOG):
        raise FunctionRegistrationError(
            f"the session would know a temporary function and a stored one as "
            f"{quote_identifier(name)}",
            hint="give one of them another name, or use another session for it",
        )
    if origin is not Origin.USER:
        _refuse_taken(name, function, before, origin, spark)
    yield
    given[key] = _Given(function, origin, SessionObjects(spark).identify_function(name))


def _refuse_taken(
    name: str, function: UserFunction, before: _Given | None, origin: Origin, spark: SparkSession
) -> None:
    shown = quote_identifier(name)
    if is_system_function(name):
        raise FunctionRegistrationError(
            f"a stored pipeline brings a temporary function of the name {shown}, which is one of "
            "Spark's own",
            hint="give it another name",
        )
    there = SessionObjects(spark).identify_function(name)
    is_ours = before is not None and (
        before.number == there and (before.origin is not Origin.USER or before.function == function)
    )
    if there is None or is_ours:
        return
    raise FunctionRegistrationError(
        f"the session has a temporary function {shown} of its own, and {origin.value} would take "
        "its place",
        hint=f"drop it, DROP TEMPORARY FUNCTION {shown}, or use another session: "
        "spark.newSession()",
    )


def copy_given(spark: SparkSession, clone: SparkSession) -> None:
    """Notes that a clone of a session has what that was given."""
    _GIVEN[clone] = dict(_GIVEN.get(spark, {}))


def register_temporary(function: UserFunction, spark: SparkSession) -> None:
    """Registers a temporary Python function under its name, or its path as one name."""
    name = session_name(function.identifier)
    if function.source.kind is FunctionKind.PROCESS_TABLE:
        require_arrow(function)
        from viewscribe.spark.process.table_function import table_function

        spark.udtf.register(name, table_function(function, classic=is_classic(spark)))
        return
    registry = spark.udtf if function.kind is FunctionKind.GENERATOR else spark.udf
    registry.register(name, python_function(function))
