"""Statements about tables: their metadata, no data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.parser.definitions import check_table
from viewscribe.parser.grammar.statements import StatementGrammar, TableDefinition
from viewscribe.parser.settings import make_reading
from viewscribe.table_api.policy_scope import in_force
from viewscribe.table_api.statements.result import Result, Statement
from viewscribe.table_api.text_reader import EnvironmentWorld
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment


def create_table(env: TableEnvironment, text: str, table: TableDefinition) -> None:
    """Registers the table of a CREATE TABLE, whose defaults and conditions are checked."""
    from viewscribe.catalog_store import AlreadyExistsError, CheckConstraint

    in_force(env, check_table, text, table, EnvironmentWorld(env), make_reading(env.settings))
    written = [*(each for column in table.columns for each in column.checks), *table.checks]
    try:
        env.create_table(
            quote_name(table.name),
            [each.field for each in table.columns],
            format=table.format,
            location=table.location,
            options=table.options,
            comment=table.comment,
            or_replace=table.replace,
            properties=table.properties,
            partitioned_by=table.partitioned,
            defaults={
                each.field.name: each.default for each in table.columns if each.default is not None
            },
            checks=[CheckConstraint(each.condition, each.name) for each in written],
        )
    except AlreadyExistsError:
        if not table.lenient:
            raise


def _create(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    grammar.go_to(0)
    create_table(env, grammar.text, grammar.create_table())
    return Result()


def _drop(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    lenient = grammar.took("IF", "EXISTS")
    name = grammar.path()
    grammar.finish()
    env.drop_table(quote_name(name), if_exists=lenient)
    return Result()


TABLES: dict[str, Statement] = {
    "CREATE OR REPLACE TABLE": _create,
    "CREATE EXTERNAL TABLE": _create,
    "CREATE TABLE": _create,
    "DROP TABLE": _drop,
}
