"""Routing SQL text: to the Spark parser, to another dialect's, or kept as opaque text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import UnknownColumnError, ValidationError, ViewscribeError
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.dialects import known_dialect
from viewscribe.table_api.columns import given_fields
from viewscribe.table_api.table import Table
from viewscribe.table_api.text_reader import Arguments, read_in, with_arguments
from viewscribe.types import Field

if TYPE_CHECKING:
    from viewscribe.spark.classes import SparkSession
    from viewscribe.table_api.environment import TableEnvironment

_ORIGIN = "sql_query"


def query(
    env: TableEnvironment,
    text: str,
    *,
    args: Arguments | None,
    schema: str | Sequence[Field] | None,
    spark: SparkSession | None,
    dialect: str,
) -> Table:
    """Returns the table of a SQL query; implements ``TableEnvironment.sql_query``."""
    engine = known_dialect(dialect)
    if engine is not None:
        return Table(env, _foreign(env, text, engine, (args, schema, spark)))
    if schema is None and spark is None:
        return Table(env, read_in(env, text, args, origin=_ORIGIN))
    from viewscribe.parser.opaque import check_columns

    try:
        operation = read_in(env, text, args, origin=_ORIGIN)
    except ViewscribeError as error:
        unknown = any(isinstance(each, UnknownColumnError) for each in error.every)
        if unknown and spark is None:
            raise
        return Table(env, _opaque(env, with_arguments(env, text, args), schema, spark))
    if schema is not None:
        check_columns(operation.schema.fields, given_fields(schema))
    return Table(env, operation)


def _foreign(
    env: TableEnvironment, text: str, dialect: str, others: Sequence[Any]
) -> QueryOperation:
    """Parses a query in another SQL dialect."""
    from viewscribe.table_api.dialects import read_foreign

    if any(each is not None for each in others):
        raise ValidationError(
            f"a query of {dialect} is read whole: it takes no args, schema or spark",
            hint="write the values into the text, or the query in Spark's SQL",
        )
    return read_foreign(env, text, dialect)


def _opaque(
    env: TableEnvironment,
    text: str,
    schema: str | Sequence[Field] | None,
    spark: Any,
) -> QueryOperation:
    """Wraps an unparsed query, with a schema from the user or from a session."""
    from viewscribe.parser.opaque import sql_text

    find = env.functions.find_in_text
    if schema is not None:
        fields = given_fields(schema)
    else:
        from viewscribe.spark.gate import columns_of_text, own_functions

        # The session may have another current database.
        full = sql_text(text, env.resolve_table, own_functions(find, spark), ())
        with env.python_modules.in_force():
            fields = columns_of_text(full.text, spark)
    return sql_text(text, env.resolve_table, find, fields, by_user=True)
