"""Plain SQL scripts: one for each view, to be run in the order of their names."""

from __future__ import annotations

from typing import ClassVar

from viewscribe.catalog_store.documents.model import TableDocument
from viewscribe.errors import ViewscribeError, printable
from viewscribe.export.model import ExportedView, Files, Path, Project
from viewscribe.export.names import file_name
from viewscribe.export.settings import reset_statements, set_statements, settings_of
from viewscribe.export.statements import create_table, create_view
from viewscribe.parser.grammar.statements import StatementGrammar, split_statements
from viewscribe.secrets import MASK
from viewscribe.types.identifiers import quote_name

HEAD = "-- Written by viewscribe export."
_SECRETS = f"-- Secrets are not exported: write yours in the place of {MASK}.\n"


class SqlScripts:
    """``views/NNNN_database.view.sql``, and in ``tables.sql`` what the tables are that they read.

    Spark runs the views; ``viewscribe import`` reads both.
    """

    makes_views: ClassVar[bool] = True
    keeps_properties: ClassVar[bool] = True

    def reason_against(self, view: ExportedView) -> str | None:
        return reason_against_text(view)

    def files(self, project: Project) -> Files:
        width = max(4, len(str(len(project.views))))
        found = {}
        for number, view in enumerate(project.views, 1):
            name = f"{number:0{width}}_{file_name(*view.path[1:])}.sql"
            found[f"views/{name}"] = _script(view)
        tables = [
            _table(path, project.tables[path]) for path in project.sources if path in project.tables
        ]
        if tables:
            found["tables.sql"] = "\n".join([f"{HEAD}\n", *tables])
        return found


def reason_against_text(view: ExportedView) -> str | None:
    """Why a script cannot hold a view: its texts would be read in another way."""
    settings = settings_of(view)
    raw = settings.get("spark.sql.parser.escapedStringLiterals", "").strip().lower() == "true"
    document = view.document
    comments = [document.comment, *(each.comment for each in document.columns)]
    written = [each for each in comments if each] + [*document.properties.values()]
    if raw and any(not each.isprintable() or set(each) & set("'\\$") for each in written):
        return (
            "its comments hold characters that are escaped, which "
            "spark.sql.parser.escapedStringLiterals = true, one of its settings, forbids"
        )
    if any("\r" in each for each in (*view.path, view.text)):
        return "what reads text files does not keep the carriage returns of its names and text"
    statement = create_view(view, "CREATE VIEW")
    if "\\`" in statement and ";" in statement:
        return "Spark finds no end of a name that ends in a backslash, where a semicolon follows"
    if len(split_statements(view.text)) != 1:
        return "its text is more than one statement"
    return None


def _table(path: Path, table: TableDocument) -> str:
    """The statement that makes a table; where its document holds no such thing, why."""
    text = create_table(path, table)
    try:
        if len(split_statements(text)) == 1 and "\r" not in text:
            grammar = StatementGrammar(text)
            grammar.create_table()
            grammar.finish()
            return f"{_SECRETS if MASK in text else ''}{text};\n"
        reason = "its document holds other SQL, or a carriage return in a name"
    except ViewscribeError as error:
        reason = error.message
    return f"-- {printable(quote_name(path))} is left out: {printable(reason)}\n"


def _script(view: ExportedView) -> str:
    settings = settings_of(view)
    statements = [
        "\n".join(f"{each};" for each in set_statements(settings)),
        f"{create_view(view, 'CREATE OR REPLACE VIEW')}\n;",
        "\n".join(f"{each};" for each in reset_statements(settings)),
    ]
    return "\n\n".join([HEAD, *statements]) + "\n"
