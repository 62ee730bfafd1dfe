"""Python functions as temporary ones of a session, under one name each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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

_STAND_IN: WeakKeyDictionary[SparkSession, dict[str, bool]] = WeakKeyDictionary()
"""Of each session, whether a name is that of what stands for a stored function."""


class _Given(NamedTuple):
    """A temporary function that viewscribe has given a session."""

    function: UserFunction
    stored: bool
    number: int | None


_GIVEN: WeakKeyDictionary[SparkSession, dict[str, _Given]] = WeakKeyDictionary()
"""Of each session, those that it was given last, by name."""


@contextmanager
def giving_name(function: UserFunction, spark: SparkSession, *, stored: bool) -> Iterator[None]:
    """In the ``with`` block, the session is given a temporary function under its name.

    Args:
        function: the function.
        spark: the session.
        stored: whether it comes from a document; then it takes the place of none of the user's.

    Raises:
        FunctionRegistrationError: it would.
    """
    name = session_name(function.identifier)
    given, key = _GIVEN.setdefault(spark, {}), name.casefold()
    if stored and is_system_function(key):
        raise FunctionRegistrationError(
            f"a stored pipeline brings a temporary function of the name {quote_identifier(name)}, "
            "which is one of Spark's own",
            hint="give it another name",
        )
    there = SessionObjects(spark).identify_function(name) if stored else None
    before = given.get(key)
    is_same = before is not None and (before.stored or before.function == function)
    if there is not None and not (is_same and before is not None and before.number == there):
        raise FunctionRegistrationError(
            f"the session has a temporary function {quote_identifier(name)} of its own, and one of "
            "a stored pipeline would take its place",
            hint=f"drop it, DROP TEMPORARY FUNCTION {quote_identifier(name)}, or use another "
            "session: spark.newSession()",
        )
    yield
    given[key] = _Given(function, stored, SessionObjects(spark).identify_function(name))


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
