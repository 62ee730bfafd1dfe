"""``viewscribe save``: a PySpark pipeline, found by its import name, becomes a view."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from viewscribe.cli.catalogs import environment_to_save
from viewscribe.cli.command import DONE, command
from viewscribe.cli.output.pages import Code, Page, Paragraph
from viewscribe.cli.permissions import (
    PermissionOptions,
    PythonOptions,
    permission_options,
    python_options,
)
from viewscribe.cli.progress import Terminal
from viewscribe.cli.spark_options import SparkOptions, spark_options
from viewscribe.cli.sql_files import drop_dialect_option, dropping_by_option
from viewscribe.errors import CaptureError, ViewscribeError, did_you_mean

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.view_storage import RecordedView, SavedView, SaveOptions

# As the serializer has them, which is loaded only when there is something to print.
TARGETS = ("4.0", "4.1", "4.2", "4.3")


@command("save")
@click.argument("pipeline", metavar="MODULE:FUNCTION")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--catalog", metavar="CATALOG", help="Where the tables are and the view goes.")
@click.option("--replace", is_flag=True, help="Replace a view of that name.")
@drop_dialect_option
@click.option("--comment", help="What the view is; by default what the function says of itself.")
@click.option("--reason", help="Why, for the history of the view.")
@click.option("--rows", is_flag=True, help="Compare the rows whatever it costs.")
@click.option(
    "--compare-up-to",
    type=click.IntRange(min=0),
    metavar="BYTES",
    help="Compare rows where the plan is no proof and no more is read; 100 MB by default.",
)
@click.option("--unproven", is_flag=True, help="Store a view that neither plan nor rows prove.")
@click.option(
    "--tables", is_flag=True, help="Make tables for files that are read with a schema of their own."
)
@click.option("--annotate", is_flag=True, help="Say the Python line of each step in comments.")
@click.option(
    "--target",
    type=click.Choice(TARGETS),
    help="The Spark version that reads the view; by default the one that proves it.",
)
@click.option("--dry-run", is_flag=True, help="Print the SQL; start no Spark and store nothing.")
@spark_options()
@python_options
@permission_options
def save(
    terminal: Terminal,
    pipeline: str,
    name: str | None,
    catalog: str | None,
    replace: bool,
    drop_dialects: Sequence[str],
    comment: str | None,
    reason: str | None,
    rows: bool,
    compare_up_to: int | None,
    unproven: bool,
    tables: bool,
    annotate: bool,
    target: str | None,
    dry_run: bool,
    python_modules: Sequence[str],
    changed_functions: Literal["refuse", "warn"] | None,
    allowed: PermissionOptions,
    spark_as: SparkOptions,
) -> int:
    """Store the pipeline MODULE:FUNCTION as the view NAME.

    FUNCTION takes a SparkSession and gives a DataFrame. It is recorded without being executed; its
    SQL is proven in Spark to mean what the DataFrame means, and only then stored. NAME may be left
    out where the function is marked with @vs.view("…").
    """
    from viewscribe.table_api.dataframes import ViewPipeline
    from viewscribe.table_api.environment import TableEnvironment

    function = _import_(pipeline)
    if isinstance(function, ViewPipeline):
        name, comment = name or function.view_name, comment or function.comment
        function = function.function
    if name is None:
        raise click.UsageError(
            f"missing argument NAME: {pipeline} is not marked with @vs.view(…)",
            click.get_current_context(),
        )
    environment = environment_to_save(catalog)
    env = TableEnvironment(
        environment.open(),
        python_modules=PythonOptions(python_modules, changed_functions).of(environment),
    )
    # A dry run shows the text of a view that is there already, too.
    recorded = _record_pipeline(
        pipeline, function, name, env, or_replace=replace or dry_run, tables=tables
    )
    if dry_run:
        _show_text(terminal, recorded, recorded.table.to_sql(annotate=annotate, target=target))
        return DONE
    options: SaveOptions = {
        "or_replace": replace,
        "comment": comment,
        "rows": rows,
        "compare_up_to": compare_up_to,
        "unproven": unproven,
        "annotate": annotate,
        "target": target,
        "reason": reason,
        "drop_dialects": drop_dialects,
    }
    with allowed.of(environment).in_force(), dropping_by_option():
        saved = _save(terminal, recorded, spark_as, options)
    terminal.output.show(_page(saved, env))
    return DONE


def _record_pipeline(
    pipeline: str,
    function: Any,
    name: str,
    env: TableEnvironment,
    *,
    or_replace: bool,
    tables: bool,
) -> RecordedView:
    """The pipeline as a table; an error of its own code says where in it that is."""
    from viewscribe.table_api.view_storage import record_view

    try:
        return record_view(function, name, env, or_replace=or_replace, tables=tables)
    except ViewscribeError:
        raise
    except Exception as error:
        raise _failing_error(f"{pipeline} fails while it is recorded", error) from error


def _failing_error(what: str, error: Exception) -> CaptureError:
    from viewscribe.spark.capture.lines import site_of

    said = next(iter(str(error).strip().splitlines()), "")
    told = f"{type(error).__name__}: {said}" if said else type(error).__name__
    where = site_of(error)
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{error.filename}:{error.lineno}"
    hint = "run it again with -vv for the traceback"
    return CaptureError(f"{what}: {told}", location=where, hint=hint)


def _save(
    terminal: Terminal,
    recorded: RecordedView,
    spark_as: SparkOptions,
    options: SaveOptions,
) -> SavedView:
    from viewscribe.table_api.view_storage import save_from_catalog

    terminal.note(spark_as.note)
    with spark_as.session() as spark:
        return save_from_catalog(recorded, spark, **options)


def _import_(name: str) -> Any:
    """The object of ``module:name``, looked for in the working directory too, as Python does."""
    module_name, colon, path = name.partition(":")
    context = click.get_current_context()
    if not colon or not module_name or not path:
        raise click.BadParameter(f"'{name}' is not MODULE:FUNCTION", context)
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise _failing_error(f"the module {module_name} cannot be imported", error) from error
        raise click.BadParameter(f"there is no module '{module_name}'", context) from error
    except Exception as error:
        raise _failing_error(f"the module {module_name} cannot be imported", error) from error
    for part in path.split("."):
        if not hasattr(found, part):
            hint = did_you_mean(part, [each for each in vars(found) if not each.startswith("_")])
            missing = f"{module_name} has no '{path}'" + (f"; {hint}" if hint else "")
            raise click.BadParameter(missing, context)
        found = getattr(found, part)
    if not callable(found):
        raise click.BadParameter(f"'{name}' is a {type(found).__name__}, no function", context)
    return found


def _show_text(terminal: Terminal, recorded: RecordedView, text: str) -> None:
    for each in _list_renamed(recorded.renamed):
        terminal.note(each)
    data = {
        "name": recorded.name,
        "stored": False,
        "sql": text,
        "renamed": [list(pair) for pair in recorded.renamed],
    }
    terminal.output.show(Page(data, [Code(text)]))


def _page(saved: SavedView, env: TableEnvironment) -> Page:
    data = {
        "catalog": env.catalogs.catalog().url,
        "name": saved.name,
        "stored": True,
        "sql": saved.sql,
        "renamed": [list(pair) for pair in saved.renamed],
        "report": saved.verification.to_json(),
    }
    said = " ".join([_proof(saved), *_list_renamed(saved.renamed)])
    return Page(data, [Code(saved.sql), Paragraph(said)])


def _proof(saved: SavedView) -> str:
    report = saved.verification
    stored = f"Stored {saved.name}: {report.verdict}"
    if report.ok:
        return f"{stored}."
    return f"{stored}: {report.plan.detail}; {report.rows.detail}."


def _list_renamed(renamed: Sequence[tuple[str, str]]) -> list[str]:
    return [f"Column {old} is called {new}." for old, new in renamed]
