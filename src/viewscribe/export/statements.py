"""The pieces of ``CREATE VIEW`` and ``CREATE TABLE``."""

from __future__ import annotations

from collections.abc import Mapping

from viewscribe.catalog_store.documents.model import Column, TableDocument, ViewDocument
from viewscribe.export.model import ExportedView
from viewscribe.serializer.literals import quote_string
from viewscribe.types.identifiers import quote_identifier, quote_name

OWN = "viewscribe."
"""How the properties begin that viewscribe itself keeps with a view."""


def own_properties(view: ViewDocument) -> dict[str, str]:
    """The properties that users gave a view."""
    return {name: value for name, value in view.properties.items() if not name.startswith(OWN)}


def create_view(view: ExportedView, begin: str, *, columns: bool = True) -> str:
    """The statement that makes a view, without a semicolon.

    Args:
        view: the view.
        begin: ``CREATE OR REPLACE VIEW`` or its like.
        columns: whether comments of columns can be said.
    """
    document = view.document
    lines = [f"{begin} {quote_name(view.path)}"]
    if columns and any(each.comment for each in document.columns):
        lines[0] += " ("
        lines.append(",\n".join(f"  {_view_column(each)}" for each in document.columns))
        lines.append(")")
    if document.comment is not None:
        lines.append(f"COMMENT {quote_string(document.comment)}")
    properties = own_properties(document)
    lines += [f"TBLPROPERTIES ({_pairs(properties)})"] if properties else []
    return "\n".join([*lines, "AS", view.text.rstrip()])


def create_table(path: tuple[str, ...], table: TableDocument) -> str:
    """The statement that makes a table where there is none, without a semicolon."""
    columns = [f"  {_table_column(each)}" for each in table.columns]
    for check in table.checks:
        name = f"CONSTRAINT {quote_identifier(check.name)} " if check.name is not None else ""
        columns.append(f"  {name}CHECK ({check.condition})")
    lines = [f"CREATE TABLE IF NOT EXISTS {quote_name(path)} (", ",\n".join(columns), ")"]
    if table.format is not None:
        lines.append(f"USING {table.format}")
    if table.options:
        lines.append(f"OPTIONS ({_pairs(table.options)})")
    if table.partitioned_by:
        lines.append(f"PARTITIONED BY ({', '.join(map(quote_identifier, table.partitioned_by))})")
    if table.location is not None:
        lines.append(f"LOCATION {quote_string(table.location)}")
    if table.comment is not None:
        lines.append(f"COMMENT {quote_string(table.comment)}")
    if table.properties:
        lines.append(f"TBLPROPERTIES ({_pairs(table.properties)})")
    return "\n".join(lines)


def _view_column(column: Column) -> str:
    name = quote_identifier(column.name)
    return name if column.comment is None else f"{name} COMMENT {quote_string(column.comment)}"


def _table_column(column: Column) -> str:
    parts = [quote_identifier(column.name), column.type]
    parts += [] if column.nullable else ["NOT NULL"]
    parts += [] if column.default is None else [f"DEFAULT {column.default}"]
    parts += [] if column.comment is None else [f"COMMENT {quote_string(column.comment)}"]
    return " ".join(parts)


def _pairs(pairs: Mapping[str, str]) -> str:
    return ", ".join(
        f"{quote_string(name)} = {quote_string(value)}" for name, value in sorted(pairs.items())
    )
