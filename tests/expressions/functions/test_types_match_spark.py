"""The types we infer, nullability included, are Spark's; what Spark refuses, we refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

import viewscribe.serializer  # noqa: F401  (prints the expressions)
from tests.expressions.functions.calls import AGGREGATES, GENERATORS, SCALARS, WINDOWS, calls
from tests.expressions.functions.calls_formats import JOINED, NOT_LOADED
from tests.expressions.functions.calls_times import TABLES
from tests.expressions.functions.oracle import SparkOracle
from tests.expressions.functions.palette import COLUMNS, SCHEMA, TRIED
from tests.expressions.functions.special_calls import LAMBDAS, NAMED
from viewscribe import call, col, lit, over
from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.registry import all_built_ins, built_in
from viewscribe.expressions.resolve import resolve
from viewscribe.expressions.schema import Schema
from viewscribe.operations.build import table_function
from viewscribe.spark.session import settings
from viewscribe.spark.types import schema_from_spark
from viewscribe.types import VOID, ArrayType, LogicalType, MapType, StructType, struct

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Functions no test compares, and why.
NOT_COMPARED = {
    **dict.fromkeys(NOT_LOADED, "Spark's package of the format is not there: see test_bytes.py"),
    "grouping": "only inside GROUP BY … WITH ROLLUP, CUBE or GROUPING SETS",
    "grouping_id": "only inside GROUP BY … WITH ROLLUP, CUBE or GROUPING SETS",
}

MOST_SHOWN = 40

Case = tuple[str, Expression]
"""The name of a function, and a call of it."""
Typed = tuple[str, LogicalType | None]
"""The name of a function, and the type of a call of it."""
Answers = dict[str, LogicalType | None]


@pytest.fixture(scope="module")
def oracle(spark: SparkSession) -> Iterator[SparkOracle]:
    with settings(spark, {"spark.sql.timeType.enabled": "true"}):
        yield SparkOracle(spark)


def test_scalar_functions(oracle: SparkOracle) -> None:
    _compare(_varied(SCALARS), oracle.types)


def test_aggregate_functions(oracle: SparkOracle) -> None:
    _compare(_varied(AGGREGATES), oracle.types)


def test_window_functions(oracle: SparkOracle) -> None:
    window = over(partition_by="b", order_by="i")
    _compare(_varied(WINDOWS, wrap=lambda made: made.over(window)), oracle.types)


def test_generators(oracle: SparkOracle) -> None:
    tried = ("i", "s", "e", "ai", "m", "ast")
    _compare(_varied(GENERATORS, tried), oracle.columns)


def test_generators_that_are_tables(oracle: SparkOracle) -> None:
    _compare(_varied(JOINED), oracle.joined)


def test_lambdas(oracle: SparkOracle) -> None:
    _compare(((name, each) for name, made in LAMBDAS.items() for each in made), oracle.checked)


def test_table_functions(spark: SparkSession, oracle: SparkOracle) -> None:
    ours: dict[str, Typed] = {}
    for name, args in TABLES:
        text = ", ".join(_text_of(lit(arg)) for arg in args)
        ours[f"{name}({text})"] = (name, _columns_of(name, args))
    with settings(spark, {"spark.sql.pyspark.worker.logging.enabled": "true"}):
        _expect(ours, oracle.tables(ours))


def _columns_of(name: str, args: tuple[Any, ...]) -> LogicalType | None:
    try:
        return struct(*table_function(built_in(name), args).schema.fields)
    except ValidationError:
        return None


def test_names_literals_and_aliases(oracle: SparkOracle) -> None:
    _compare(((name, each) for name, made in NAMED.items() for each in made), oracle.types)


def test_the_time_of_a_window(spark: SparkSession, oracle: SparkOracle) -> None:
    for name in ("ts_n", "tn"):
        windows = f"SELECT window({name}, '1 day') AS window FROM palette GROUP BY ALL"
        theirs = spark.sql(f"SELECT window, window_time(window) AS time FROM ({windows})").schema
        window, time = schema_from_spark(theirs)
        assert _type_of(call("window", col(name), "1 day")) == window.type
        schema = Schema([window])
        assert resolve(call("window_time", col("window")), schema).type == time.type


def test_casts(oracle: SparkOracle) -> None:
    targets = [type_.ddl for type_ in COLUMNS.values()]
    targets += ["DECIMAL(4, 2)", "DECIMAL(20, 0)", "ARRAY<STRING>", "MAP<STRING, STRING>"]
    ours: dict[str, Typed] = {}
    for name in COLUMNS:
        for target in targets:
            column = col(f"{name}_n")
            ours[f"CAST({name}_n AS {target})"] = ("cast", _type_of(column.cast(target)))
            ours[f"TRY_CAST({name}_n AS {target})"] = (
                "try_cast",
                _type_of(column.try_cast(target)),
            )
    _expect(ours, oracle.types(ours))


def test_every_function_is_compared() -> None:
    tables = (SCALARS, AGGREGATES, WINDOWS, GENERATORS, JOINED)
    compared = {name for table in tables for name, _ in calls(table)}
    compared |= {name for name, _ in TABLES}
    compared |= LAMBDAS.keys() | NAMED.keys() | NOT_COMPARED.keys() | {"window_time"}
    ours = {each for each in all_built_ins().values() if each.kind is not FunctionKind.DECLARATIVE}
    assert {definition.name for definition in ours} == compared


def _varied(
    table: str,
    tried: Sequence[str] = TRIED,
    wrap: Callable[[Expression], Expression] = lambda made: made,
) -> Iterator[Case]:
    """Each call of a table as it is, never NULL, and with each argument replaced in turn."""
    for name, args in calls(table):
        for variant in _variants(args, tried):
            yield name, wrap(call(name, *map(_argument, variant)))


def _variants(args: tuple[Any, ...], tried: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    strict = tuple([f"{arg[0]}_n"] if isinstance(arg, list) else arg for arg in args)
    yield strict
    yield args
    for place, arg in enumerate(args):
        if isinstance(arg, list):
            for other in (arg, *([f"{name}_n"] for name in tried), None):
                yield (*strict[:place], other, *strict[place + 1 :])


def _argument(value: Any) -> Expression:
    return col(value[0]) if isinstance(value, list) else lit(value)


def _compare(cases: Iterable[Case], ask: Callable[[Iterable[str]], Answers]) -> None:
    ours: dict[str, Typed] = {}
    for name, made in cases:
        type_ = _type_of(made)
        ours[_text_of(made)] = (name, type_)
    _expect(ours, ask(ours))


def _expect(ours: dict[str, Typed], theirs: Answers) -> None:
    wrong = [
        f"{name}: {text}\n    Spark {_shown(theirs[text])}, we {_shown(type_)}"
        for text, (name, type_) in ours.items()
        if theirs[text] != type_
    ]
    assert not wrong, f"{len(wrong)} of {len(ours)} differ:\n" + "\n".join(wrong[:MOST_SHOWN])


def _type_of(made: Expression) -> LogicalType | None:
    try:
        return resolve(made, SCHEMA).type
    except ValidationError:
        return None


def _text_of(made: Expression) -> str:
    """The SQL of an expression, also of one whose arguments do not fit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FunctionDefinition, "infer", lambda function, args: VOID)
        return resolve(made, SCHEMA).as_serializable_string()


def _shown(type_: LogicalType | None) -> str:
    """The type with NOT NULL everywhere it holds."""
    if type_ is None:
        return "refuses it"
    text = type_.ddl
    if isinstance(type_, ArrayType):
        text = f"ARRAY<{_shown(type_.element)}>"
    elif isinstance(type_, MapType):
        text = f"MAP<{_shown(type_.key)}, {_shown(type_.value)}>"
    elif isinstance(type_, StructType):
        text = f"STRUCT<{', '.join(f'{each.name}: {_shown(each.type)}' for each in type_.fields)}>"
    return text if type_.nullable else f"{text} NOT NULL"
