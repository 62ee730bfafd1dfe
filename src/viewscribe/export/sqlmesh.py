"""A SQLMesh project: a model of kind VIEW for each view, and the tables that they read.

SQLMesh reads a model with sqlglot and writes it anew for Spark. What that makes of a view is read
back here, and must mean the view.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from viewscribe.catalog_store.circle import read_back
from viewscribe.catalog_store.documents.model import Column
from viewscribe.export.model import ExportedView, Files, Path, Project
from viewscribe.export.names import slug
from viewscribe.export.scripts import reason_against_text
from viewscribe.export.settings import most_common_settings, other_setting, settings_of
from viewscribe.export.yaml_text import yaml_text
from viewscribe.parser.renames import split_at_tables
from viewscribe.types.identifiers import quote_name

DIALECT = "spark,normalization_strategy=case_sensitive"
"""Spark's, with names as they are spelled: the names of fields in rows depend on that."""

_NAME = re.compile(r"[\w$-]+( +[\w$-]+)*")
"""Names that SQLMesh is known to read as they are, however often it quotes and parses them."""

_LONGEST = 180

_JINJA = ("{{", "{%", "{#")


class SqlMesh:
    """``config.yaml``, ``models/<database>/<view>.sql`` and ``external_models.yaml``.

    Args:
        views: the views. All have the settings of most of them: SQLMesh makes several at a time in
            one session, where each would be made under what another one sets.
    """

    makes_views: ClassVar[bool] = True
    keeps_properties: ClassVar[bool] = False

    def __init__(self, views: Sequence[ExportedView]) -> None:
        self._settings = most_common_settings(views)

    def reason_against(self, view: ExportedView) -> str | None:
        written = [*view.path, *(part for path in view.reads for part in path), view.text]
        written += [each.name for each in view.document.columns]
        if any(mark in each for each in written for mark in _JINJA):
            return "SQLMesh takes {{, {% and {# in its text for Jinja"
        other = other_setting(view, self._settings)
        if other is not None:
            return f"SQLMesh makes all views in one session, and this one {other}"
        return (
            _reason_against_names(view)
            or reason_against_text(view)
            or _reason_against_types(view.document.columns)
            or _reason_against_translation(view)
        )

    def files(self, project: Project) -> Files:
        found = {"config.yaml": yaml_text(_CONFIG, _CONFIG_COMMENT)}
        for view in project.views:
            name = f"models/{slug(view.path[1])}/{slug(view.path[2])}.sql"
            found[name] = _model(view, project)
        tables = [
            _external(path, project) for path in project.sources if all(map(_NAME.fullmatch, path))
        ]
        if tables:
            found["external_models.yaml"] = yaml_text(tables, "# Written by viewscribe export.\n")
        return found


def _reason_against_names(view: ExportedView) -> str | None:
    paths = [part for path in (view.path, *view.reads) for part in path]
    for part in (*paths, *(each.name for each in view.document.columns)):
        if "@" in part:
            return f"SQLMesh takes @ in a name for a macro: {part}"
        if not _NAME.fullmatch(part):
            return f"SQLMesh keeps names of letters, digits, _, - and $, but perhaps not {part!r}"
    if len("".join(view.path).encode()) > _LONGEST:
        return "SQLMesh makes a file name of its name, which is too long for that"
    return None


def _reason_against_types(columns: Sequence[Column]) -> str | None:
    """Why SQLMesh cannot be told the columns: sqlglot reads another type, or none."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    from viewscribe.errors import ViewscribeError
    from viewscribe.types.ddl import parse_type

    for column in columns:
        known = parse_type(column.type)
        try:
            text = sqlglot.exp.DataType.build(str(known), dialect=DIALECT).sql(dialect="spark")
            if parse_type(text).as_nullable() == known.as_nullable():
                continue
        except (SqlglotError, ViewscribeError, ValueError):
            pass
        return f"SQLMesh does not read the type of the column {column.name}: {column.type}"
    return None


def _reason_against_translation(view: ExportedView) -> str | None:
    """Why the text that SQLMesh makes of the view's does not mean the view."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    assert view.tree is not None
    try:
        query = sqlglot.parse_one(view.text, dialect=DIALECT)
        if any("@" in each.name for each in query.find_all(sqlglot.exp.Identifier)):
            return "SQLMesh takes @ in a name for a macro"
        text = query.sql(dialect=DIALECT)
    except SqlglotError as error:
        lines = str(error).strip().splitlines() or [""]
        return f"SQLMesh does not read its text: {lines[0]}"
    except RecursionError:
        return "SQLMesh does not read its text: it nests too deep"
    found = read_back(view.tree, text, view.document.settings)
    if found.different is not None:
        return f"SQLMesh makes another query of it: {found.different}"
    if found.unread is not None:
        return f"what SQLMesh makes of it is not read: {found.unread}"
    return None


def _model(view: ExportedView, project: Project) -> str:
    document = view.document
    properties = [f"name {quote_name(view.path[1:])}", "kind VIEW", f"dialect '{DIALECT}'"]
    if document.comment:
        properties.append(f"description {_quote(document.comment)}")
    columns = [f"{quote_name([each.name])} {each.type}" for each in document.columns]
    properties.append(_listed("columns", columns))
    comments = [
        f"{quote_name([each.name])} = {_quote(each.comment)}"
        for each in document.columns
        if each.comment
    ]
    properties += [_listed("column_descriptions", comments)] if comments else []
    # SQLMesh would write the query anew, and may do that in another way with every version.
    properties.append("optimize_query FALSE")
    head = ",\n  ".join(properties)
    # The key as one name in backticks: SQLMesh would quote each part of it.
    sets = "".join(f"SET `{name}` = `{value}`;\n" for name, value in settings_of(view).items())
    # No comment stands above: SQLMesh would take it for the description.
    return f"MODEL (\n  {head}\n);\n\n{sets}\n{_query(view, project)}\n"


def _query(view: ExportedView, project: Project) -> str:
    pieces = split_at_tables(view.text, view.table, view.reading, aliased=True)
    text = "".join(each if isinstance(each, str) else _table(each, project) for each in pieces)
    return text.rstrip()


def _table(path: Path, project: Project) -> str:
    """A table without the catalog, which SQLMesh's connection knows, as its model spells it."""
    return quote_name(project.spelled(path)[1:] if project.is_own(path) else path)


def _quote(text: str) -> str:
    """A string as sqlglot reads it, which takes other escapes than Spark."""
    from sqlglot import exp

    return exp.Literal.string(text).sql(dialect="spark")


def _listed(name: str, items: Sequence[str]) -> str:
    return f"{name} (\n    " + ",\n    ".join(items) + "\n  )"


def _external(path: Path, project: Project) -> dict[str, Any]:
    found: dict[str, Any] = {"name": quote_name(path[1:]), "dialect": DIALECT}
    table = project.tables.get(path)
    if table is None:
        return found
    if table.comment:
        found["description"] = table.comment
    named = all(_NAME.fullmatch(each.name) for each in table.columns)
    if named and _reason_against_types(table.columns) is None:
        found["columns"] = {quote_name([each.name]): each.type for each in table.columns}
    return found


_CONFIG = {
    "gateways": {
        "spark": {
            "connection": {"type": "spark"},
            "state_connection": {"type": "duckdb", "database": "sqlmesh_state.db"},
        }
    },
    "default_gateway": "spark",
    "model_defaults": {"dialect": DIALECT},
}

_CONFIG_COMMENT = """\
# Written by viewscribe export. Models set what the meaning of their views depends on: Spark keeps
# with a view the settings of the session that makes it.
"""
