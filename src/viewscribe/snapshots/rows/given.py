"""``given(orders=[…]).expect(view, rows=[…])``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from viewscribe.catalog_store.protocol import fold
from viewscribe.errors import TypeMismatchError
from viewscribe.snapshots.rows.comparison import RowsDifferError, compare_rows
from viewscribe.snapshots.rows.inputs import GivenRows, View, read_mapping, resolve
from viewscribe.snapshots.rows.overrides import with_overrides
from viewscribe.snapshots.rows.subjects import (
    Subject,
    ViewTestError,
    found_value,
    read_value,
    subject_of,
)
from viewscribe.types import Field
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.spark.classes import SparkSession

Engine = Literal["spark", "duckdb"]


def given(tables: Mapping[str, GivenRows] | None = None, /, **more: GivenRows) -> Given:
    """Begins a test of a view: the rows of the tables that it reads.

        given(orders=[{"id": 1, "amount": "3.50"}]).expect(totals, rows=[{"total": "3.50"}])

    Args:
        tables: rows by the names of tables, for names such as ``"sales.orders"``.
        more: rows by the names of tables.

    A row is a mapping, in which columns that are left out are NULL, or a tuple of all columns.
    Values are typed by the tables: dates and timestamps may be ISO texts, decimals numbers or
    texts. A view that the tested one reads may be given rows as well; others are run themselves.
    """
    return Given({**(tables or {}), **more}, {})


class Given:
    """The rows and the clock of a test."""

    def __init__(self, tables: Mapping[str, GivenRows], overrides: Mapping[str, Any]) -> None:
        self._tables = tables
        self._overrides = overrides

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}: {len(rows)} rows" for name, rows in self._tables.items())
        return f"given({counts})"

    def override(self, **values: Any) -> Given:
        """Returns the test with constants in the place of calls: ``current_date="2026-01-31"``."""
        return Given(self._tables, {**self._overrides, **values})

    def expect(
        self,
        view: object,
        rows: Sequence[Mapping[str, Any] | Sequence[Any]],
        *,
        ordered: bool = False,
        tolerance: float | None = None,
        env: object = None,
        spark: SparkSession | None = None,
        engine: Engine = "spark",
    ) -> None:
        """Runs the view over the given rows and compares what it gives.

        Args:
            view: a ``Table``, a DataFrame, one of ``views(…)``, the name of a stored view, or its
                document.
            rows: the rows that it gives: mappings with some of its columns, the same in each row,
                or tuples of all columns.
            ordered: whether their order matters.
            tolerance: by which part of it a FLOAT or DOUBLE may differ, such as ``1e-9``.
            env: the environment, catalog or URL that has the view, and the views that it reads.
            spark: the session to run it in; by default the running one, or a new one.
            engine: ``"duckdb"`` runs it there, in milliseconds, or refuses by name what is not
                known to mean the same.

        Raises:
            RowsDifferError: the rows differ; an ``AssertionError``.
            ViewTestError: the test or the view cannot be run.
        """
        subject = subject_of(view, env)
        fixed = partial(with_overrides, values=self._overrides, zone=subject.zone)
        subject = fixed(subject)
        with coercion(coercion_of(subject.document.settings)):
            inputs = resolve(subject, self._tables, fixed)
            places, expected = _expected(rows, subject)
            found = _run(inputs, engine, spark)
        difference = compare_rows(
            [subject.fields[place].name for place in places],
            expected,
            [tuple(row[place] for place in places) for row in found],
            ordered=ordered,
            tolerance=tolerance,
        )
        if difference is not None:
            raise RowsDifferError(subject.label, difference)


def _run(view: View, engine: str, spark: SparkSession | None) -> list[tuple[Any, ...]]:
    if engine == "duckdb":
        from viewscribe.snapshots.rows.on_duckdb import run_on_duckdb

        return run_on_duckdb(view)
    if engine != "spark":
        raise ViewTestError(f"no engine `{engine}`", hint="there are spark and duckdb")
    from viewscribe.snapshots.rows.on_spark import run_on_spark

    return run_on_spark(view, spark)


def _expected(rows: Any, subject: Subject) -> tuple[list[int], list[tuple[Any, ...]]]:
    """The places of the columns that rows name, and their typed values."""
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Sequence):
        raise ViewTestError("the expected rows are a list")
    places = _named_places(rows, [field.name for field in subject.fields])
    fields = [subject.fields[place] for place in places]
    columns = [field.name for field in fields]
    made = []
    for number, row in enumerate(rows, 1):
        at = f"expected row {number}"
        if isinstance(row, Mapping):
            values: Sequence[Any] = read_mapping(row, columns, at)
        elif isinstance(row, str | bytes) or not isinstance(row, Sequence):
            raise ViewTestError(f"{at}: a row is a mapping or a tuple, not {row!r}")
        elif len(row) != len(fields):
            raise ViewTestError(
                f"{at} has {len(row)} values, and {subject.label} {len(fields)} columns"
            )
        else:
            values = row
        cells = zip(values, fields, strict=True)
        made.append(
            tuple([_expected_cell(value, field, subject.zone, at) for value, field in cells])
        )
    return places, made


def _named_places(rows: Sequence[Any], names: Sequence[str]) -> list[int]:
    """The places of the columns that the rows name, all of them where rows are tuples."""
    first = next((row for row in rows if isinstance(row, Mapping)), None)
    if first is None:
        return list(range(len(names)))
    if not all(isinstance(row, Mapping) for row in rows):
        raise ViewTestError("some expected rows are mappings, and others are not")
    named = {fold(str(name)) for name in first}
    for number, row in enumerate(rows, 1):
        if {fold(str(name)) for name in row} != named:
            raise ViewTestError(
                f"expected row {number} names other columns than the first",
                hint="name the same columns in every row; None is NULL",
            )
    read_mapping(first, names, "expected row 1")
    places = [place for place, name in enumerate(names) if fold(name) in named]
    if len(places) > len(named):
        twice = next(name for name in names if [fold(each) for each in names].count(fold(name)) > 1)
        raise ViewTestError(
            f"several columns of the view are named `{twice}`", hint="expect tuples of all columns"
        )
    return places


def _expected_cell(value: Any, field: Field, zone: str, at: str) -> Any:
    type_ = field.type.with_nullability(True)
    try:
        return found_value(read_value(value, type_, zone).value, type_)
    except TypeMismatchError as error:
        raise ViewTestError(f"{at}, `{field.name}`: {error.message}", hint=error.hint) from None
