"""Queries that stay text: what ``env.sql_query`` makes of those that it does not read."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe import Table, TableEnvironment
from viewscribe.parser.opaque import sql_text
from viewscribe.types import Field
from viewscribe.types.ddl_reader import parse_schema


def opaque(
    env: TableEnvironment,
    text: str,
    schema: str | Sequence[Field] | None = None,
    *,
    by_user: bool = True,
) -> Table:
    """The query as a text of which only the tables, the functions and the schema are known."""
    fields = parse_schema(schema) if isinstance(schema, str) else schema
    find = env.functions.find_in_text
    return Table(env, sql_text(text, env.resolve_table, find, fields, by_user=by_user))
