"""Where rows come from: tables, written values, functions, the user's own SQL text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType

from viewscribe.catalog_store import CatalogManager
from viewscribe.catalog_store.errors import ObjectNotFoundError
from viewscribe.catalog_store.functions import StoredFunctions
from viewscribe.catalog_store.gate import names_in_text
from viewscribe.errors import CatalogError, ViewscribeError, did_you_mean
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import Language, UserFunction
from viewscribe.expressions.node import preorder
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.reach import is_path
from viewscribe.operations.user_functions import user_functions
from viewscribe.parser.names import edit, read_names
from viewscribe.parser.settings import make_reading
from viewscribe.serializer import to_sql
from viewscribe.spark.columns import constant
from viewscribe.spark.errors import MissingSourceError, NotInterpretableError
from viewscribe.spark.gate import gate_of
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.missing_functions import attach_function, attach_to, with_functions
from viewscribe.spark.python_functions import python_function
from viewscribe.spark.session import first_line, run_as_written, settings_of_texts
from viewscribe.spark.stand_ins import needs_stand_ins, stand_ins, with_stand_ins
from viewscribe.spark.types import Cell, Frame, schema_to_spark
from viewscribe.spark.views import is_there, open_sources, open_view
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from viewscribe.spark.interpreter import Interpreter


# What a pipeline reads and the session does not have, in words and with the way out.

_TABLES = "register it in this session, or open the stored view with open_view(…)"
_FILES = "see that the files are where this session looks for them, and that it may read them"
_FORMATS = "start the session with the library of that format, or read the files as a table"

_VERSIONS = (
    "only tables of a format that keeps versions, like Delta and Iceberg, are read as they were; "
    "see which the table has"
)

_WAYS_OUT = {
    "TABLE_OR_VIEW_NOT_FOUND": _TABLES,
    "PATH_NOT_FOUND": _FILES,
    "UNABLE_TO_INFER_SCHEMA": _FILES,
    "FAILED_READ_FILE": _FILES,
    "DATA_SOURCE_NOT_FOUND": _FORMATS,
    "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY": _FORMATS,
}
"""What to do, by the condition that Spark names."""


@contextmanager
def telling_what_is_missing(table: str | None = None, text: str | None = None) -> Iterator[None]:
    """Turns what Spark says of missing tables, files and formats into our error.

    Args:
        table: the name that is read.
        text: the query that reads, where it is one.

    Raises:
        MissingSourceError: the session does not have what is read.
    """
    try:
        yield
    except AnalysisException as error:
        message = first_line(error)
        way_out = next((way for name, way in _WAYS_OUT.items() if f"[{name}" in message), None)
        if way_out is None:
            raise
        if table is None:
            what = f"the session cannot read what a query names: {message}"
        elif way_out is _TABLES:
            what = f"the session has no table {table}"
        else:
            what = f"the session cannot read {table}: {message}"
        raise MissingSourceError(what, location=text, hint=way_out) from error


@contextmanager
def telling_what_was_not(table: str, as_of: str) -> Iterator[None]:
    """Turns what Spark says of a table that it cannot read as it was into our error.

    Args:
        table: the name that is read.
        as_of: which version of it, as in SQL.

    Raises:
        MissingSourceError: the session does not have the table, or not as it was.
    """
    try:
        with telling_what_is_missing(table):
            yield
    except PySparkException as error:  # each format has conditions of its own
        raise MissingSourceError(
            f"the session cannot read {table} as it was ({as_of}): {first_line(error)}",
            hint=_VERSIONS,
        ) from error


# Names of two parts that are tables: one that is no table, Spark takes for a format and a path.
#
# ``foo.bar`` looks like the table ``bar`` of the database ``foo``. Where the session has none,
# Spark looks for the file ``bar`` in the format ``foo``, as of a library that the session has. What
# reads files needs a permission, and the formats that anybody may bring are not known by name; so a
# name of two parts that the session has no table for gets the catalog before it, and three parts
# are no file.


def table_name(spark: SparkSession, path: Sequence[str]) -> tuple[str, ...]:
    """The name of a table by which Spark looks for no file."""
    may_be_file = len(path) == 2 and not is_path(*path)
    if not may_be_file or spark.catalog.tableExists(quote_name(path)):
        return tuple(path)
    return (spark.catalog.currentCatalog(), *path)


def with_tables_alone(text: str, spark: SparkSession, settings: Mapping[str, str]) -> str:
    """The query with such names for its tables; one that is not read stays as it is.

    Args:
        text: one query in Spark SQL.
        spark: the session.
        settings: those that decide how the text is read.
    """
    try:
        named = read_names(text, make_reading(settings)).tables
    except ViewscribeError:
        return text
    full = [(each, table_name(spark, each.parts)) for each in named]
    return edit(
        text,
        [
            (each.start, each.end, quote_name(name))
            for each, name in full
            if len(name) > len(each.parts)
        ],
    )


def _table(run: Interpreter, node: n.CatalogSource, inputs: list[Frame]) -> Frame:
    table = run.sources.get(node.path)
    if node.as_of is not None:
        if table is not None:
            raise NotInterpretableError(
                f"{'.'.join(node.path)} is read as it was ({node.as_of}), which a DataFrame given "
                "for it does not know"
            )
        quoted = quote_name(table_name(run.spark, node.path))
        with telling_what_was_not(".".join(node.path), str(node.as_of)):
            found = run_as_written(run.spark, f"SELECT * FROM {quoted} {node.as_of}")
            table = _analyzed(run.spark, found)
    elif table is None:
        table = open_table(run.spark, node.path)
    known = {name.lower() for name in table.columns}
    for name in node.schema.names:
        if name.lower() not in known:
            raise MissingSourceError(
                f"table {'.'.join(node.path)} has no column `{name}` in this session",
                location=f"({', '.join(table.columns)})",
                hint=did_you_mean(name, table.columns) or "the table changed since",
            )
    cells = tuple(Cell(name, label=name) for name in node.schema.names)
    return Frame(table, (), cells)


def open_table(spark: SparkSession, path: tuple[str, ...]) -> DataFrame:
    """The table or view of a session; the error says how to register it."""
    with telling_what_is_missing(".".join(path)):
        name = stand_ins(spark).name_of_view(path) or quote_name(table_name(spark, path))
        return with_functions(spark, lambda: _analyzed(spark, spark.table(name)))


def _analyzed(spark: SparkSession, found: DataFrame) -> DataFrame:
    """The DataFrame; one of Spark Connect is analyzed here, where the answer is waited for."""
    if not is_classic(spark):
        found.schema  # noqa: B018
    return found


def _values(run: Interpreter, node: n.Values, inputs: list[Frame]) -> Frame:
    width = len(node.fields)
    if node.values:
        cells = [run.translator().column(value) for value in node.values]
        rows = [cells[start : start + width] for start in range(0, len(cells), width)]
        array = F.array(
            *[
                F.struct(*[cell.alias(f"c{place}") for place, cell in enumerate(row)])
                for row in rows
            ]
        )
    else:
        array = F.array().cast(ArrayType(schema_to_spark(node.fields), containsNull=False))
    names = run.names.several(node.schema.names)
    return Frame.of(run.spark.tvf.inline(array).toDF(*names), names)


def _one_row(run: Interpreter, node: n.OneRow, inputs: list[Frame]) -> Frame:
    if run.bridge.classic:
        return Frame(run.bridge.one_row(), (), ())
    return Frame(run.spark.range(1), ("id",), ())


def _table_function(run: Interpreter, node: n.TableFunction, inputs: list[Frame]) -> Frame:
    names = run.names.several(node.schema.names)
    if isinstance(node.function, UserFunction):
        return Frame.of(_constant_table(run, node, node.function).toDF(*names), names)
    given = [constant(each, "an argument of a table") for each in node.args]
    make = getattr(run.spark.tvf, node.function.sql_name)
    return Frame.of(make(*map(int, given)).toDF(*names), names)


def _constant_table(run: Interpreter, node: n.TableFunction, function: UserFunction) -> DataFrame:
    if function.source.language is Language.PYTHON:
        return user_table(run, function, [run.translator().column(each) for each in node.args])
    values = [constant(each, "an argument of a table") for each in node.args]
    marks = ", ".join("?" * len(values))
    return run_as_written(run.spark, f"SELECT * FROM {function.table_name}({marks})", values)


def user_table(run: Interpreter, function: UserFunction, args: Sequence[Column]) -> DataFrame:
    """A table of the columns of a row: a Python function itself, any other by its name."""
    if function.source.language is Language.PYTHON:
        made: Any = python_function(function)(*args)
        # Over Connect, PySpark takes whatever session is active.
        return made if run.bridge.classic else type(made)(made._plan, run.spark)  # type: ignore[no-any-return]
    return run.bridge.table(function.table_name, args)


def _by_text(run: Interpreter, node: n.Recursion | n.WithCte, inputs: list[Frame]) -> Frame:
    """A query with a WITH of its own by its text, for DataFrames have none."""
    read = {each.path for each in preorder(node) if isinstance(each, n.CatalogSource)}
    given = next((path for path in read if path in run.sources), None)
    if given is not None:
        raise NotInterpretableError(
            f"the query `{node.name}` is within text, and reads the table {'.'.join(given)}, for "
            "which a DataFrame is given",
            hint="register it as a temporary view of that name",
        )
    names = run.names.several(node.schema.names)
    text = with_stand_ins(to_sql(node), run.spark)
    admitted = _admit(run, text, user_functions(node))
    return Frame.of(run_as_written(run.spark, admitted).toDF(*names), names)


def _reference(run: Interpreter, node: n.CteReference, inputs: list[Frame]) -> Frame:
    raise NotInterpretableError(f"the rows of the query `{node.name}` are asked for outside of it")


def _sql_text(run: Interpreter, node: n.SqlText, inputs: list[Frame]) -> Frame:
    names = run.names.several(node.schema.names)
    text = with_tables_alone(node.text, run.spark, settings_of_texts(run.spark))
    admitted = _admit(run, with_stand_ins(text, run.spark), node.functions)
    with telling_what_is_missing(text=node.text):
        found = _analyzed(run.spark, run_as_written(run.spark, admitted))
    if len(found.columns) != len(names):
        raise NotInterpretableError(
            f"a SQL text of the pipeline gives {len(found.columns)} columns, and its plan says "
            f"{len(names)}",
            location=node.text,
        )
    return Frame.of(found.toDF(*names), names)


def _admit(run: Interpreter, text: str, called: Iterable[UserFunction]) -> str:
    gate = gate_of(run.spark, known=names_in_text(called), written=run.written)
    return gate.admit(text, "the SQL text in the pipeline")


HANDLERS: dict[type[QueryOperation], Callable[[Interpreter, Any, list[Frame]], Frame]] = {
    n.CatalogSource: _table,
    n.Values: _values,
    n.OneRow: _one_row,
    n.TableFunction: _table_function,
    n.Recursion: _by_text,
    n.WithCte: _by_text,
    n.CteReference: _reference,
    n.SqlText: _sql_text,
}


# Attaching the Python functions that somebody names, for the session's own SQL and views.


def attach_named(manager: CatalogManager, names: Iterable[str], spark: SparkSession) -> list[str]:
    """Attaches functions, and those of views, to a session.

    Returns:
        The references of all Python functions that the session has.

    Raises:
        ObjectNotFoundError: there is neither a function nor a view of a name.
        CatalogError: a function is none in Python, or what is named is a table of a catalog.
    """
    for name in names:
        parts = parse_name(name)
        if not _attach(manager, parts, spark):
            try:
                # Has Spark look at a view, whose text need not be understood here if it is the
                # session's.
                path = manager.resolve(parts)
                if is_there(spark, manager, path.catalog):
                    if needs_stand_ins(path.catalog, spark):
                        open_sources(manager, [path], spark)
                    open_table(spark, tuple(path))
                else:
                    open_view(manager, parts, spark)
            except (ObjectNotFoundError, MissingSourceError) as error:
                raise ObjectNotFoundError(
                    f"there is neither a function nor a view `{name}`", hint=error.hint
                ) from error
    return sorted(attach_to(spark))


def _attach(manager: CatalogManager, parts: Sequence[str], spark: SparkSession) -> bool:
    """Attaches the function of that name; False where there is none."""
    path = manager.resolve(parts)
    identifier = FunctionIdentifier(path.name, path.database, path.catalog)
    function = StoredFunctions(manager).find(identifier)
    if function is None:
        return False
    if function.source.language is not Language.PYTHON:
        raise CatalogError(
            f"{function!r} is no Python function, so that Spark finds it by itself",
            hint="leave it out, or name a view",
        )
    attach_function(function, spark)
    return True
