"""DESCRIBE, SHOW CREATE TABLE and EXPLAIN: what there is, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from viewscribe.catalog_store.gate import Gate
from viewscribe.operations.reach import Part
from viewscribe.parser.grammar.statements import StatementGrammar
from viewscribe.secrets import mask_settings, mask_value
from viewscribe.serializer.literals import quote_string
from viewscribe.table_api.statements.result import Result, Statement
from viewscribe.table_api.table import Table
from viewscribe.table_api.text_reader import read_in
from viewscribe.types import Field
from viewscribe.types.ddl import parse_type, type_text
from viewscribe.types.identifiers import quote_identifier, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import CheckConstraint, Column, TableDocument, ViewDocument
    from viewscribe.table_api.environment import TableEnvironment

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
    from viewscribe.catalog_store import Temporary, ViewDocument

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
    from viewscribe.catalog_store import Temporary, ViewDocument

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
        text = _of_view(document, shown)
    else:
        text = _of_table(document, shown)
    return Result(("createtab_stmt",), ((text,),))


def _of_view(view: ViewDocument, name: str) -> str:
    """The CREATE VIEW that makes the view again."""
    columns = [f"  {_describe_name(each)}" for each in view.columns]
    lines = [f"CREATE VIEW {name} (", ",\n".join(columns), ")"]
    lines += _options(view.comment, view.properties)
    return "\n".join([*lines, "AS", view.sql])


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
