"""Where rows come from: tables, written values, functions, the user's own SQL text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType

from viewscribe.catalog_store.gate import names_in_text
from viewscribe.errors import did_you_mean
from viewscribe.expressions.functions.sources import Language
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.node import preorder
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.user_functions import user_functions
from viewscribe.spark.calls import constant
from viewscribe.spark.errors import MissingSourceError, NotInterpretableError
from viewscribe.spark.frames import Cell, Frame
from viewscribe.spark.gate import gate_of
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.missing_functions import with_functions
from viewscribe.spark.missing_sources import telling_what_is_missing, telling_what_was_not
from viewscribe.spark.python_functions import python_function
from viewscribe.spark.session import run_as_written, settings_of_texts
from viewscribe.spark.stand_ins import stand_ins, with_stand_ins
from viewscribe.spark.tables_alone import table_name, with_tables_alone
from viewscribe.spark.types import schema_to_spark
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from viewscribe.spark.interpreter import Interpreter


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
        array = F.array(*[_row(row) for row in rows])
    else:
        array = F.array().cast(ArrayType(schema_to_spark(node.fields), containsNull=False))
    names = run.names.several(node.schema.names)
    return Frame.of(run.spark.tvf.inline(array).toDF(*names), names)


def _one_row(run: Interpreter, node: n.OneRow, inputs: list[Frame]) -> Frame:
    if run.bridge.classic:
        return Frame(run.bridge.one_row(), (), ())
    return Frame(run.spark.range(1), ("id",), ())


def _row(cells: list[Column]) -> Column:
    return F.struct(*[cell.alias(f"c{place}") for place, cell in enumerate(cells)])


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
    from viewscribe.serializer import to_sql

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
