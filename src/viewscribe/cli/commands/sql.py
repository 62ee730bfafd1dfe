"""``viewscribe sql``: the SQL of a view, or of a query in a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from viewscribe.catalog_store import CatalogManager, ViewDocument
from viewscribe.catalog_store.view_checks import columns_in
from viewscribe.cli.catalogs import catalog_and_name, find, open_catalog
from viewscribe.cli.command import DONE, command
from viewscribe.cli.completion import VIEW_OR_FILE
from viewscribe.cli.output.pages import Code, Page
from viewscribe.cli.progress import Terminal
from viewscribe.cli.sql_files import is_sql, note_changes, read_folder, require_place, tables_of
from viewscribe.errors import ValidationError
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ViewDocument
    from viewscribe.operations.base import QueryOperation
    from viewscribe.table_api.environment import TableEnvironment

# As the serializer has them, which is loaded only when a plan is printed.
STYLES = ("readable", "pipe", "nested")


@command("sql")
@click.argument("arguments", nargs=-1, type=VIEW_OR_FILE, metavar="[CATALOG] NAME|FILE.sql")
@click.option(
    "--style",
    type=click.Choice(STYLES),
    help="Print the view's query anew in this style; by default the stored text is shown.",
)
@click.option(
    "--dialect",
    metavar="ENGINE",
    help="Print it for another engine: bigquery, duckdb, hive, snowflake or trino. The text that "
    "is stored for it, else one that is made of the view's plan.",
)
@click.option("--source", "of_author", is_flag=True, help="Print it as its author wrote it.")
@click.option(
    "--from",
    "source",
    metavar="ENGINE",
    default="spark",
    help="What the query in a file is written for: bigquery, duckdb, hive, snowflake or trino.",
)
def sql(
    terminal: Terminal,
    arguments: Sequence[str],
    style: str | None,
    dialect: str | None,
    of_author: bool,
    source: str,
) -> int:
    """Print the SQL of the view NAME of CATALOG, or of a query in the file NAME.sql.

    A query is read, checked against the tables of the catalog and printed anew: in the style asked
    for, with the names of its tables in full. Without a CATALOG, CREATE TABLE in the file says what
    columns its tables have.
    """
    if style and dialect:
        raise click.UsageError("--dialect has no --style", click.get_current_context(silent=True))
    if of_author and (style or dialect):
        raise click.UsageError(
            "--source is printed as it is", click.get_current_context(silent=True)
        )

    if arguments and len(arguments) < 3 and is_sql(arguments[-1]):
        env = tables_of(arguments[0] if len(arguments) == 2 else None)
        return _show_file(terminal, env, arguments[-1], style, dialect, source)
    place, name = catalog_and_name(arguments)
    catalog = open_catalog(place)
    catalogs = CatalogManager(catalog)
    view = find(catalogs, name, "view")
    assert isinstance(view, ViewDocument)
    note_changes(terminal, [view], columns_in(catalogs))
    if of_author:
        text, made_of = _written(view), "author"
    elif dialect and dialect.lower() != "spark":
        text, made_of = _translate(catalogs, view, dialect.lower())
    else:
        text = view.sql if style is None else _print_(catalogs, view, style)
        made_of = "stored" if style is None else _source(view)
    data = {
        "catalog": catalog.url,
        "database": view.database,
        "name": view.name,
        "style": style or view.style,
        "source": made_of,
        "sql": text,
    }
    if dialect:
        data["dialect"] = dialect.lower()
    terminal.output.show(Page(data, [Code(text)]))
    return DONE


def _show_file(
    terminal: Terminal,
    env: TableEnvironment,
    file: str,
    style: str | None,
    dialect: str | None,
    source: str,
) -> int:
    """A query in a file over the tables of a catalog, and over those that the file describes."""
    from viewscribe.table_api.sql_files.folder import as_error
    from viewscribe.table_api.table import Table

    if not Path(file).is_file():
        require_place(file)
    folder = read_folder(terminal, env, file, source)
    if folder.findings:
        raise as_error(folder.findings)
    if not folder.queries:
        raise ValidationError(f"there is no query in {file}", hint="write one behind the tables")
    ((_, operation),) = folder.queries.items()
    engine = dialect.lower() if dialect and dialect.lower() != "spark" else None
    table = Table(env, operation)
    text = table.to_sql(style or STYLES[0], dialect=engine)
    columns = [{"name": field.name, "type": str(field.type)} for field in table.schema]
    data = {"file": file, "style": style or STYLES[0], "columns": columns, "sql": text}
    data |= {"dialect": engine} if engine else {}
    terminal.output.show(Page(data, [Code(text)]))
    return DONE


def _written(view: ViewDocument) -> str:
    """The text of the author.

    Raises:
        ValidationError: there is none.
    """
    if view.source is None:
        raise ValidationError(
            f"no text of an author is stored with the view {view.database}.{view.name}",
            hint="it was made with the Table API or from a DataFrame, or stored before texts were "
            "kept",
        )
    return view.source.text


def _source(view: ViewDocument) -> str:
    """What a text that is printed anew is made of."""
    return "text" if view.plan is None else "plan"


def _translate(catalogs: CatalogManager, view: ViewDocument, dialect: str) -> tuple[str, str]:
    """The text for another engine, and whether it was stored or made of the plan or text."""
    from viewscribe.serializer.dialects import to_dialect

    stored = view.representations.get(dialect)
    if stored is not None:
        return stored, "stored"
    return _of_tree(catalogs, view, to_dialect, dialect), _source(view)


def _print_(catalogs: CatalogManager, view: ViewDocument, style: str) -> str:
    from viewscribe.serializer import to_sql
    from viewscribe.serializer.targets import session_target

    target = session_target(view.spark_version) if view.spark_version else None
    return _of_tree(catalogs, view, partial(to_sql, target=target), style)


def _of_tree(
    catalogs: CatalogManager,
    view: ViewDocument,
    printed: Callable[[QueryOperation, str], str],
    how: str,
) -> str:
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.text_reader import view_tree

    env = TableEnvironment(catalogs.catalog())
    tree = view_tree(env, view, env.catalogs.current_catalog)
    with coercion(coercion_of(view.settings)):
        return printed(tree, how)
