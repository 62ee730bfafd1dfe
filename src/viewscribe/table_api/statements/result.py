"""What a statement gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from viewscribe.catalog_store import AlreadyExistsError, CheckConstraint, Temporary, ViewDocument
from viewscribe.catalog_store.gate import Gate
from viewscribe.operations.reach import Part
from viewscribe.parser.definitions import check_table
from viewscribe.parser.grammar.statements import StatementGrammar, TableDefinition
from viewscribe.parser.settings import make_reading
from viewscribe.secrets import mask_settings, mask_value
from viewscribe.serializer.literals import quote_string
from viewscribe.table_api.policy_scope import in_force
from viewscribe.table_api.table import Table
from viewscribe.table_api.text_reader import EnvironmentWorld, read_in
from viewscribe.types import Field
from viewscribe.types.ddl import parse_type, type_text
from viewscribe.types.identifiers import quote_identifier, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import CheckConstraint, Column, TableDocument, ViewDocument
    from viewscribe.table_api.environment import TableEnvironment


class Result(msgspec.Struct, frozen=True):
    """What a statement gives: rows under column names; none for a statement that only acts.

    Args:
        columns: the names of the columns.
        rows: the rows.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.html.markup import grid, show

        return show(str(self), grid(self.columns, self.rows))

    def __str__(self) -> str:
        return "\n".join("  ".join(row) for row in self.rows)


Statement = Callable[["TableEnvironment", StatementGrammar], Result]
"""What runs a statement, behind its first words; it reads up to the end before it acts."""


def list_names(column: str, names: list[str]) -> Result:
    """Names as rows of one column."""
    return Result((column,), tuple((name,) for name in names))


# Statements about databases and catalogs.


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


# Statements about tables: their metadata, no data.


def create_table(env: TableEnvironment, text: str, table: TableDefinition) -> None:
    """Registers the table of a CREATE TABLE, whose defaults and conditions are checked."""
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


# DESCRIBE, SHOW CREATE TABLE and EXPLAIN: what there is, as text.

_COLUMNS = ("col_name", "data_type", "comment")


def _describe_query(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    fields = read_in(env, grammar.text, None, grammar.at).schema.fields
    return Result(_COLUMNS, tuple(map(_row, fields)))


def _describe(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    """``DESCRIBE [TABLE] [EXTENDED | FORMATTED] name``, or of a query."""
    if grammar.word != "TABLE" and grammar.is_query():
        return _describe_query(env, grammar)
    grammar.took("TABLE") or grammar.took("VIEW")
    extended = grammar.took("EXTENDED") or grammar.took("FORMATTED")
    name = grammar.path("the name of a table or view")
    grammar.finish()
    fields = env.from_path(quote_name(name)).schema.fields
    rows = [_row(field) for field in fields]
    if extended:
        rows += [("", "", ""), ("# Detailed Table Information", "", "")]
        rows += [(key, value, "") for key, value in _details(env, name)]
    return Result(_COLUMNS, tuple(rows))


def _row(field: Field) -> tuple[str, str, str]:
    return field.name, field.type.ddl, field.comment or ""


def _details(env: TableEnvironment, name: Sequence[str]) -> list[tuple[str, str]]:
    found = env.catalogs.relation(name)
    if isinstance(found, Temporary):
        return [("Table", found.name), ("Type", "TEMPORARY VIEW")]
    document = found.document
    is_view = isinstance(document, ViewDocument)
    rows = [("Catalog", found.path.catalog), ("Database", document.database)]
    rows += [("Table", document.name), ("Type", "VIEW" if is_view else "TABLE")]
    if document.comment:
        rows.append(("Comment", document.comment))
    if isinstance(document, ViewDocument):
        rows.append(("View Text", document.sql))
    else:
        rows += [("Provider", document.format)] if document.format else []
        rows += [("Location", mask_value(document.location))] if document.location else []
    if document.properties:
        rows.append(("Table Properties", _pairs(document.properties)))
    return rows


def _show_create(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    begin, name = grammar.at, grammar.path("the name of a table or view")
    grammar.finish()
    found = env.catalogs.relation(name)
    if isinstance(found, Temporary):
        raise grammar.error(
            f"`{found.name}` is a temporary view, which no CREATE statement was stored of",
            begin,
            hint=f'env.from_path("{found.name}").to_sql() prints its query',
        )
    document = found.document
    shown = quote_name(tuple(found.path))
    if isinstance(document, ViewDocument):
        columns = [f"  {_describe_name(each)}" for each in document.columns]
        lines = [f"CREATE VIEW {shown} (", ",\n".join(columns), ")"]
        lines += _options(document.comment, document.properties)
        text = "\n".join([*lines, "AS", document.sql])
    else:
        text = _of_table(document, shown)
    return Result(("createtab_stmt",), ((text,),))


def _of_table(table: TableDocument, name: str) -> str:
    """The CREATE TABLE that makes the table again."""
    columns = [
        f"  {quote_identifier(each.name)} {type_text(parse_type(each.type))}"
        f"{'' if each.nullable else ' NOT NULL'}"
        f"{'' if each.default is None else f' DEFAULT {_expression(each.default)}'}"
        f"{_comment(each)}"
        for each in table.columns
    ]
    columns += [f"  {_check(each)}" for each in table.checks]
    lines = [f"CREATE TABLE {name} (", ",\n".join(columns), ")"]
    if table.format:
        lines.append(f"USING {quote_name(table.format.split('.'))}")
    if table.options:
        lines.append(f"OPTIONS {_pairs(table.options)}")
    if table.partitioned_by:
        lines.append(f"PARTITIONED BY ({', '.join(map(quote_identifier, table.partitioned_by))})")
    lines += _options(table.comment, table.properties)
    if table.location:
        lines.append(f"LOCATION {quote_string(mask_value(table.location))}")
    return "\n".join(lines)


def _check(check: CheckConstraint) -> str:
    name = "" if check.name is None else f"CONSTRAINT {quote_identifier(check.name)} "
    return f"{name}CHECK ({_expression(check.condition)})"


def _expression(text: str) -> str:
    return Gate(None).admit(text, f"`{text[:40]}`", Part.EXPRESSION)


def _describe_name(column: Column) -> str:
    return quote_identifier(column.name) + _comment(column)


def _comment(column: Column) -> str:
    return "" if column.comment is None else f" COMMENT {quote_string(column.comment)}"


def _options(comment: str | None, properties: Mapping[str, str]) -> list[str]:
    lines = [] if comment is None else [f"COMMENT {quote_string(comment)}"]
    return lines + ([f"TBLPROPERTIES {_pairs(properties)}"] if properties else [])


def _pairs(properties: Mapping[str, str]) -> str:
    masked = mask_settings(properties)
    shown = (f"{quote_string(key)} = {quote_string(masked[key])}" for key in masked)
    return f"({', '.join(shown)})"


def _explain(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    """The steps that ``explain()`` shows."""
    mode = grammar.word
    if mode in ("EXTENDED", "CODEGEN", "COST", "FORMATTED", "LOGICAL", "ANALYZE"):
        raise grammar.error(
            f"EXPLAIN {mode} shows plans of Spark's, which are made in a session",
            hint="write EXPLAIN query; or spark.sql('EXPLAIN …')",
        )
    table = Table(env, read_in(env, grammar.text, None, grammar.at))
    return Result(("plan",), ((table.explain(),),))


DESCRIPTIONS: dict[str, Statement] = {
    "DESCRIBE QUERY": _describe_query,
    "DESC QUERY": _describe_query,
    "DESCRIBE": _describe,
    "DESC": _describe,
    "SHOW CREATE TABLE": _show_create,
    "SHOW CREATE VIEW": _show_create,
    "EXPLAIN": _explain,
}
