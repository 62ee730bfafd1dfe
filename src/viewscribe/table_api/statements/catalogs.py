"""Statements about databases and catalogs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from viewscribe.parser.grammar.statements import StatementGrammar
from viewscribe.table_api.statements.result import Result, Statement, list_names
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment


def _create_database(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    lenient = grammar.took("IF", "NOT", "EXISTS")
    name = grammar.path()
    comment = grammar.string() if grammar.took("COMMENT") else None
    grammar.finish()
    env.create_database(quote_name(name), comment=comment, if_not_exists=lenient)
    return Result()


def _use_catalog(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    name = grammar.single_name()
    grammar.finish()
    env.use_catalog(name)
    return Result()


def _use(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    name = grammar.path()
    grammar.finish()
    if len(name) == 2:
        env.use_catalog(name[0])
    env.use_database(name[-1])
    return Result()


def _list(column: str, names: Callable[[TableEnvironment], list[str]]) -> Statement:
    def statement(env: TableEnvironment, grammar: StatementGrammar) -> Result:
        grammar.finish()
        return list_names(column, names(env))

    return statement


def _list_of_database(
    column: str, names: Callable[[TableEnvironment, str | None], list[str]]
) -> Statement:
    """``… [IN database]``."""

    def statement(env: TableEnvironment, grammar: StatementGrammar) -> Result:
        database = None
        if grammar.took("IN") or grammar.took("FROM"):
            database = grammar.single_name()
        grammar.finish()
        return list_names(column, names(env, database))

    return statement


CATALOGS: dict[str, Statement] = {
    "CREATE DATABASE": _create_database,
    "CREATE SCHEMA": _create_database,
    "USE CATALOG": _use_catalog,
    "USE": _use,
    "SHOW CATALOGS": _list("catalog", lambda env: env.catalogs.catalogs()),
    "SHOW DATABASES": _list("database", lambda env: env.catalogs.list_databases()),
    "SHOW SCHEMAS": _list("database", lambda env: env.catalogs.list_databases()),
    "SHOW TABLES": _list_of_database("table", lambda env, name: env.list_tables(name)),
    "SHOW VIEWS": _list_of_database("view", lambda env, name: env.list_views(name)),
}
