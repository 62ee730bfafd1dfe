"""Running a view over given rows in Spark: its own text, with temporary views for its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import msgspec

from viewscribe.catalog_store.gate import names_in_text
from viewscribe.catalog_store.protocol import fold
from viewscribe.errors import ViewscribeError
from viewscribe.operations.nodes import Values
from viewscribe.operations.user_functions import user_functions
from viewscribe.parser.names import with_other_names
from viewscribe.parser.settings import make_reading
from viewscribe.serializer import to_sql
from viewscribe.snapshots.rows.inputs import Table, View
from viewscribe.snapshots.rows.subjects import Path, ViewTestError, found_value
from viewscribe.spark.classes import require_spark
from viewscribe.types import YearMonthIntervalType
from viewscribe.types.nested_types import contains

if TYPE_CHECKING:
    from viewscribe.spark.classes import DataFrame, SparkSession

_NUMBERS = count(1)


def run_on_spark(view: View, spark: SparkSession | None = None) -> list[tuple[Any, ...]]:
    """Returns the rows of a view, with the values of literals.

    Args:
        view: the view with rows for its tables.
        spark: the session; by default the running one, or one that is started for the process.

    Raises:
        ViewTestError: Spark does not run the view; says what it said.
    """
    require_spark()
    from viewscribe.spark.local import session_of_process
    from viewscribe.spark.session import settings

    session = spark if spark is not None else session_of_process()
    document = view.subject.document
    for column in view.subject.fields:
        if contains(column.type, YearMonthIntervalType):
            raise ViewTestError(
                f"`{column.name}` is {column.type}, of which Python has no values",
                hint="leave it out: compare a view that selects the other columns",
            )
    with _names_given(session) as give:
        frame = _frame(view, session, give)
        with settings(session, document.settings), _telling(view.subject.label):
            rows = frame.collect()
    types = [column.type for column in view.subject.fields]
    return [tuple(map(found_value, row, types)) for row in rows]


@contextmanager
def _names_given(spark: SparkSession) -> Iterator[Callable[[DataFrame], str]]:
    """Gives DataFrames names for the time of the ``with`` block."""
    from viewscribe.spark.stand_ins import stand_ins

    with ExitStack() as given:

        def give(frame: DataFrame) -> str:
            name = f"viewscribe_given_{next(_NUMBERS)}"
            frame.createOrReplaceTempView(name)
            given.callback(spark.catalog.dropTempView, name)
            given.enter_context(stand_ins(spark).lending(name))
            return name

        yield give


def _frame(view: View, spark: SparkSession, give: Callable[[DataFrame], str]) -> DataFrame:
    from viewscribe.spark.functions import register_functions
    from viewscribe.spark.views import analyze, require_admitted

    names: dict[Path, str] = {}
    for path, source in view.sources.items():
        made = _frame(source, spark, give) if isinstance(source, View) else _rows(source, spark)
        names[tuple(fold(part) for part in path)] = give(made)
    subject = view.subject
    with _telling(subject.label):
        document = msgspec.structs.replace(subject.document, sql=_renamed(view, names))
        called = [] if subject.tree is None else user_functions(subject.tree)
        known = list(names_in_text(called))
        require_admitted(spark, document, known)  # before anything is made in the session
        if subject.tree is not None:
            register_functions(subject.tree, spark, document.settings)
        return analyze(spark, document, known)


def _renamed(view: View, names: dict[Path, str]) -> str:
    """The text of a view with other names for what it reads."""
    subject = view.subject

    def rename(parts: Any) -> tuple[Path, Path]:
        path = subject.full(tuple(parts))
        name = names.get(tuple(fold(part) for part in path))
        if name is None:
            raise ViewTestError(f"it reads {'.'.join(path)}, of which no rows are given")
        return path, (name,)

    reading = make_reading(subject.document.settings)
    return with_other_names(subject.document.sql, rename, lambda parts: None, reading).text


def _rows(table: Table, spark: SparkSession) -> DataFrame:
    from viewscribe.spark.session import run_as_written

    values = tuple(value for row in table.rows for value in row)
    return run_as_written(spark, to_sql(Values.of(values, table.fields)))


@contextmanager
def _telling(label: str) -> Iterator[None]:
    """Raises what Spark says as an error of the test."""
    from viewscribe.spark.error_logging import silence_errors
    from viewscribe.spark.session import first_line

    try:
        with silence_errors():
            yield
    except ViewTestError:
        raise
    except ViewscribeError as error:
        raise ViewTestError(f"{label}: {error.message}", hint=error.hint) from error
    except (ValueError, OverflowError) as error:  # a date after the year 9999
        raise ViewTestError(
            f"{label}: it gives a value that Python cannot hold: {error}",
            hint="compare a view that selects the other columns, or that casts it to STRING",
        ) from error
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark.", "py4j.")):
            raise
        raise ViewTestError(f"{label}: {first_line(error)}") from error
