"""Queries of other engines over an environment: translated, read, and checked by their types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.errors import ViewscribeError
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.dialects import not_carried_over, to_spark

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment


def read_foreign(env: TableEnvironment, text: str, dialect: str) -> QueryOperation:
    """The operation of a query of another engine.

    Args:
        env: the environment.
        text: the query.
        dialect: the engine, other than Spark.

    Raises:
        SqlSyntaxError: it does not parse in the dialect.
        NotSerializableError: something of it may mean something else in Spark; names it.
        ValidationError: names or types do not fit.
    """
    from viewscribe.table_api.reading import read_in

    translated = to_spark(text, dialect)
    try:
        operation = read_in(env, translated, None)
    except ViewscribeError as error:
        for each in error.every:
            if each.location:
                each.location = f"the query in Spark's SQL, {each.location}"
        raise
    require_same_meaning(operation, dialect)
    return operation


def require_same_meaning(operation: QueryOperation, dialect: str) -> None:
    """Refuses what means something else in the engine that a query was written for.

    Raises:
        NotSerializableError: names the first such construct.
    """
    from viewscribe.serializer.dialects.portable import foreign_construct

    reason = foreign_construct(operation, dialect)
    if reason is not None:
        raise not_carried_over(dialect, reason)
