"""How Spark calls a column that nobody named, for a call of every function."""

from __future__ import annotations

import operator as op
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions
from pyspark.sql.connect import functions as connect_functions

import viewscribe as vs
from tests.corpus import chosen
from tests.expressions.functions.matrix import GROUPS, Question, questions
from tests.expressions.functions.palette import SCHEMA
from tests.versions import has_type
from viewscribe.errors import CaptureError
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.sources import CatalogSources
from viewscribe.spark.types import schema_to_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import SparkSession

    from tests.spark.capture.planner import OfflineSession

_CALLS = 3
"""How many calls of a function are looked at."""


@pytest.fixture(scope="module")
def palette(spark: SparkSession) -> Iterator[CatalogSources]:
    before = spark.conf.get("spark.sql.timeType.enabled", None)
    spark.conf.set("spark.sql.timeType.enabled", "true")
    fields = [field for field in SCHEMA.fields if has_type(field.type)]
    spark.createDataFrame([], schema_to_spark(fields)).createOrReplaceTempView("palette")
    env = vs.TableEnvironment()
    columns = [f"`{field.name}` {field.type.as_nullable().ddl}" for field in fields]
    env.create_table("palette", ", ".join(columns))
    yield CatalogSources(env)
    spark.catalog.dropTempView("palette")
    if before is None:
        spark.conf.unset("spark.sql.timeType.enabled")
    else:
        spark.conf.set("spark.sql.timeType.enabled", before)


def _few_of_each(group: str) -> list[Question]:
    found: dict[str, list[Question]] = {}
    for question in questions(group):
        if len(found.setdefault(question.name, [])) < _CALLS and question.ours() is not None:
            found[question.name].append(question)
    return chosen([question for each in found.values() for question in each], 12)


@pytest.mark.parametrize("group", GROUPS)
def test_columns_are_called_as_spark_calls_them(
    group: str, spark: SparkSession, offline: OfflineSession, palette: CatalogSources
):
    named, wrong = 0, []
    for question in _few_of_each(group):
        frame: Any = offline.table("palette").selectExpr(question.text)
        try:
            found = capture(frame, sources=palette).schema.names
        except CaptureError:
            continue  # what is refused has no name
        try:
            wanted = tuple(spark.sql(f"SELECT {question.text} FROM palette").columns)
        except AnalysisException:
            continue  # a function of FROM alone
        named += 1
        if found != wanted:
            wrong.append((question.text, wanted, found))
    assert not wrong
    assert named or group in ("joined", "tables")


_OPERATORS: tuple[Callable[[Any, Any], Any], ...] = (
    *(op.add, op.sub, op.mul, op.truediv, op.eq, op.ne, op.lt, op.le, op.gt, op.ge),
)
_LITERALS = (
    7,
    1.5,
    "1",
    None,
    Decimal("1.5"),
    Decimal("-0.5"),
    timedelta(days=1),
    date(2020, 1, 2),
)
_ON_ONE: tuple[Callable[[Any, Any], Any], ...] = (
    *(
        lambda lib, a, to=to: lib.concat(a.cast(to), a.cast(to))
        for to in ("string", "array<string>")
    ),
    *(lambda lib, a, form=form: lib.to_char(a, lib.lit(form)) for form in ("999", "hex", "utf-8")),
    *(
        lambda lib, a, form=form: lib.to_varchar(a, lib.lit(form))
        for form in ("yyyy", "hex", "utf-8")
    ),
    lambda lib, a: a.withField("x", a["x"] + 1).withField("z", lib.lit("s")),
    lambda lib, a: lib.to_json(a.dropFields("x")),
    lambda lib, a: lib.struct(a.alias("in")).withField("in.x", lib.lit(3)),
    lambda lib, a: a + lib.expr("INTERVAL '1' DAY"),
    lambda lib, a: lib.expr("INTERVAL '1' MONTH") * a,
)
_TYPES = ("l", "f", "e", "s", "bin", "dt", "ts", "tn", "tm", "ym", "ds", "ci", "as_", "st")


def _made_of_columns() -> Iterator[Callable[[Any], Any]]:
    """Expressions of functions and operators of PySpark, each a function of their module."""
    for apply in _OPERATORS:
        for one, other in product(_TYPES, _TYPES):
            yield partial(_apply_to_columns, apply, one, other)
        for one, value in product(_TYPES, _LITERALS):
            yield partial(_apply_to_literal, apply, one, value, False)
            yield partial(_apply_to_literal, apply, one, value, True)
    for make, one in product(_ON_ONE, _TYPES):
        yield partial(_make_of_one, make, one)


def _apply_to_columns(apply: Callable[[Any, Any], Any], one: str, other: str, lib: Any) -> Any:
    return apply(lib.col(one), lib.col(other))


def _apply_to_literal(
    apply: Callable[[Any, Any], Any], one: str, value: Any, first: bool, lib: Any
) -> Any:
    operands = (lib.lit(value), lib.col(one)) if first else (lib.col(one), lib.lit(value))
    return apply(*operands)


def _make_of_one(make: Callable[[Any, Any], Any], one: str, lib: Any) -> Any:
    return make(lib, lib.col(one))


@pytest.mark.slow("thousands of expressions")
def test_operators_over_types_are_called_as_spark_calls_them(
    spark: SparkSession, offline: OfflineSession, palette: CatalogSources
):
    recorded: list[tuple[Any, str]] = []
    for make in _made_of_columns():
        frame: Any = offline.table("palette").select(make(connect_functions))
        with suppress(CaptureError):  # what is refused has no name
            recorded.append((make, capture(frame, sources=palette).schema.names[0]))
    table = spark.table("palette")
    named = [
        pair
        for start in range(0, len(recorded), 64)
        for pair in _theirs(table, recorded[start : start + 64])
    ]
    assert [pair for pair in named if pair[0] != pair[1]] == []
    assert len(named) > 1_000


def _theirs(table: Any, recorded: Sequence[tuple[Any, str]]) -> list[tuple[str, str]]:
    """The names of Spark beside ours, of those expressions that Spark takes."""
    try:
        columns = table.select([make(functions) for make, _ in recorded]).columns
    except AnalysisException:
        if len(recorded) == 1:
            return []
        half = len(recorded) // 2
        return _theirs(table, recorded[:half]) + _theirs(table, recorded[half:])
    return [(name, ours) for name, (_, ours) in zip(columns, recorded, strict=True)]
