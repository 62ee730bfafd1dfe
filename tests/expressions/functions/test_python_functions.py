"""What a Python function is, from how it is written: kind, calling convention, types."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
from collections.abc import Generator, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import pyarrow as pa
import pytest

from viewscribe import AggregateFunction, Table, TableEnvironment, call, col, over
from viewscribe import functions as F
from viewscribe.catalog_store import Dependency, check
from viewscribe.errors import NotSerializableError, TypeMismatchError, ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.python import python_source
from viewscribe.expressions.functions.user_defined import (
    Convention,
    FunctionParameter,
    FunctionSource,
    Language,
)
from viewscribe.types import BIGINT, DATE, INT

if TYPE_CHECKING:
    import fractions

SCALAR, AGGREGATE, TABLE = FunctionKind.SCALAR, FunctionKind.AGGREGATE, FunctionKind.GENERATOR
VALUES, ARROW = Convention.VALUES, Convention.ARROW
BATCHES, ACCUMULATOR = Convention.ARROW_BATCHES, Convention.ACCUMULATOR

Ints = Annotated[pa.Array, "INT"]
Words = Annotated[pa.Array, "STRING"]


class Point(NamedTuple):
    x: int
    y: str | None


@dataclasses.dataclass
class Span:
    start: dt.date
    days: Annotated[int, "SMALLINT"]


def of_values(a: int, b: str | None, c: list[Decimal], d: dict[str, dt.datetime]) -> Point:
    raise NotImplementedError


def of_spans(a: Span, b: Annotated[float, "FLOAT"], c: bytes, d: dt.timedelta) -> bool:
    raise NotImplementedError


def rows(n: int) -> Iterator[Point]:
    raise NotImplementedError


def numbers(n: int) -> Generator[int, None, None]:
    raise NotImplementedError


def arrays(a: Ints, b: Words) -> Ints:
    raise NotImplementedError


def chunks(a: Annotated[pa.ChunkedArray, "INT"]) -> Annotated[pa.ChunkedArray, "INT"]:
    raise NotImplementedError


def batches(a: Iterator[Ints]) -> Iterator[Words]:
    raise NotImplementedError


def pairs(ab: Iterator[tuple[Ints, Words]]) -> Iterator[Words]:
    raise NotImplementedError


def any_batches(ab: Iterator[tuple[pa.Array, ...]]) -> Iterator[Words]:
    raise NotImplementedError


def group(a: Ints, b: Words) -> float:
    raise NotImplementedError


def plain(a, b):
    raise NotImplementedError


def vague(a: Any, b: Any) -> Any:
    raise NotImplementedError


def yielding(a):
    yield a


def listed(xs: list[float | None], ys: Sequence[list[dt.date]]) -> int:
    raise NotImplementedError


class Mean:
    """The mean of numbers."""

    def create_accumulator(self) -> list[float]:
        raise NotImplementedError

    def accumulate(self, accumulator: list[float], x: float, weight: int) -> None:
        raise NotImplementedError

    def get_value(self, accumulator: list[float]) -> float | None:
        raise NotImplementedError


class Static:
    def create_accumulator(self) -> set[str]:
        raise NotImplementedError

    @staticmethod
    def accumulate(accumulator: set[str], word: str) -> None:
        raise NotImplementedError

    @classmethod
    def get_value(cls, accumulator: set[str]) -> list[str]:
        raise NotImplementedError


class Scaled(Mean):
    def __init__(self, factor: float) -> None:
        self.factor = factor


@pytest.mark.parametrize(
    ("function", "options", "kind", "convention", "parameters", "returns"),
    [
        (
            of_values,
            {},
            SCALAR,
            VALUES,
            "a BIGINT, b STRING, c ARRAY<DECIMAL(38, 18)>, d MAP<STRING, TIMESTAMP>",
            "STRUCT<x: BIGINT, y: STRING>",
        ),
        (
            of_spans,
            {},
            SCALAR,
            VALUES,
            "a STRUCT<start: DATE, days: SMALLINT>, b FLOAT, c BINARY, d INTERVAL DAY TO SECOND",
            "BOOLEAN",
        ),
        (rows, {}, TABLE, VALUES, "n BIGINT", "STRUCT<x: BIGINT, y: STRING>"),
        (numbers, {}, TABLE, VALUES, "n BIGINT", "STRUCT<col: BIGINT>"),
        (arrays, {}, SCALAR, ARROW, "a INT, b STRING", "INT"),
        (chunks, {}, SCALAR, ARROW, "a INT", "INT"),
        (batches, {}, SCALAR, BATCHES, "a INT", "STRING"),
        (pairs, {}, SCALAR, BATCHES, "ab_1 INT, ab_2 STRING", "STRING"),
        (
            any_batches,
            {"parameters": ["INT", "DATE"]},
            SCALAR,
            BATCHES,
            "ab_1 INT, ab_2 DATE",
            "STRING",
        ),
        (group, {}, AGGREGATE, ARROW, "a INT, b STRING", "DOUBLE"),
        (listed, {"kind": AGGREGATE}, AGGREGATE, VALUES, "xs DOUBLE, ys ARRAY<DATE>", "BIGINT"),
        (Mean, {}, AGGREGATE, ACCUMULATOR, "x DOUBLE, weight BIGINT", "DOUBLE"),
        (Scaled(2.0), {}, AGGREGATE, ACCUMULATOR, "x DOUBLE, weight BIGINT", "DOUBLE"),
        (Static, {}, AGGREGATE, ACCUMULATOR, "word STRING", "ARRAY<STRING>"),
        (Static(), {}, AGGREGATE, ACCUMULATOR, "word STRING", "ARRAY<STRING>"),
    ],
)
def test_a_function_is_what_its_annotations_say(
    function: Any,
    options: dict[str, Any],
    kind: FunctionKind,
    convention: Convention,
    parameters: str,
    returns: str,
) -> None:
    made = python_source(function, **options)
    assert (made.kind, made.convention, made.language) == (kind, convention, Language.PYTHON)
    assert made.parameters is not None
    assert ", ".join(f"{each.name} {each.type.ddl}" for each in made.parameters) == parameters
    assert made.returns is not None
    assert made.returns.ddl == returns


@pytest.mark.parametrize(
    ("function", "options", "kind", "convention"),
    [
        (plain, {}, SCALAR, VALUES),
        (plain, {"kind": AGGREGATE}, AGGREGATE, VALUES),
        (plain, {"vectorized": True}, SCALAR, ARROW),
        (vague, {"vectorized": True}, SCALAR, ARROW),
        (plain, {"vectorized": True, "kind": AGGREGATE}, AGGREGATE, ARROW),
        (arrays, {"vectorized": False}, SCALAR, VALUES),
        (functools.partial(plain), {}, SCALAR, VALUES),
    ],
)
def test_what_is_not_annotated_is_said(
    function: Any, options: dict[str, Any], kind: FunctionKind, convention: Convention
) -> None:
    made = python_source(function, parameters=["INT", "DATE"], returns=INT, **options)
    assert (made.kind, made.convention) == (kind, convention)
    assert made.parameters == (FunctionParameter("a", INT), FunctionParameter("b", DATE))
    assert made.returns == INT


def test_a_vectorized_generator_is_called_with_all_batches() -> None:
    made = python_source(yielding, parameters=["INT"], returns="INT", vectorized=True)
    assert (made.kind, made.convention) == (SCALAR, BATCHES)


def lacking_arrow(a: pa.Array) -> Ints:
    raise NotImplementedError


def lacking_result(a: Ints) -> pa.Array:
    raise NotImplementedError


def lacking(a, b: int) -> int:
    raise NotImplementedError


def strange(a: complex) -> int:
    raise NotImplementedError


def for_checkers(a: fractions.Fraction) -> int:
    raise NotImplementedError


def lacking_batches(a: Iterator[tuple[pa.Array, ...]]) -> Iterator[Ints]:
    raise NotImplementedError


def two_iterators(a: Iterator[Ints], b: Iterator[Ints]) -> Iterator[Ints]:
    raise NotImplementedError


def no_arguments() -> Ints:
    raise NotImplementedError


def batches_of_a_group(a: Iterator[Ints]) -> float:
    raise NotImplementedError


class Unfinished:
    def create_accumulator(self) -> None:
        raise NotImplementedError

    def accumulate(self, accumulator: None, x: int) -> None:
        raise NotImplementedError


class Unfed:
    def create_accumulator(self) -> None:
        raise NotImplementedError

    def accumulate(self, accumulator: None) -> None:
        raise NotImplementedError

    def get_value(self, accumulator: None) -> int:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (lacking_arrow, {}, r"(?s)arrays of Arrow.*`a`.*Annotated\[pyarrow\.Array, \"INT\"\]"),
        (lacking_result, {}, r"(?s)arrays of Arrow.*its result.*Annotated\[pyarrow\.Array"),
        (lacking, {}, "does not say the type of its parameter `a`"),
        (strange, {}, r"no type of Spark stands for <class 'complex'>"),
        (for_checkers, {}, "parameter `a` .name 'fractions' is not defined"),
        (lacking_batches, {}, "takes batches of columns, and the types of 0 are said"),
        (pairs, {"parameters": ["INT"]}, "batches of 2 columns, and the types of 1 are said"),
        (two_iterators, {}, "has 2 parameters, and an iterator over batches is one"),
        (no_arguments, {"vectorized": True}, "no_arguments takes no argument"),
        (Unfed, {}, "Unfed takes no argument"),
        (arrays, {"parameters": ["INT"]}, "arrays has 2 parameters, not 1"),
        (batches_of_a_group, {}, "(?s)arrow batches cannot be .* aggregate.*a group comes whole"),
        (arrays, {"kind": TABLE, "returns": "INT"}, "(?s)arrow cannot be of the kind generator"),
        (Mean, {"kind": SCALAR}, "(?s)accumulator cannot be .* scalar.*is an aggregate function"),
        (Unfinished, {}, "aggregate function Unfinished has no method get_value"),
        (Scaled, {}, r"(?s)missing a required argument: 'factor'.*give an object of it: Scaled"),
    ],
)
def test_what_cannot_be_called_is_said(
    function: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        python_source(function, **options)


def any_number(first: int, *others: int) -> int:
    raise NotImplementedError


def any_name(first: int, **others: int) -> int:
    raise NotImplementedError


def by_name(first: int, *, other: int) -> int:
    raise NotImplementedError


def by_name_or_not(first: int, *, other: int = 2) -> int:
    raise NotImplementedError


class Weighted(Mean):
    def accumulate(  # type: ignore[override]
        self, accumulator: list[float], value: float, **more: float
    ) -> None:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (any_number, r"any_number takes any number of arguments, `\*others`"),
        (any_name, r"any_name takes arguments of any name, `\*\*others`"),
        (by_name, "by_name wants `other` by name"),
        (functools.partial(by_name, first=1), "wants `other` by name"),
        (Weighted, r"Weighted.accumulate takes arguments of any name, `\*\*more`"),
        (max, "Python does not say which parameters max has"),
    ],
)
def test_parameters_that_sql_cannot_give_are_refused_by_name(function: Any, message: str) -> None:
    """They used to be left out: the function was registered with fewer arguments, or none."""
    with pytest.raises(ValidationError, match=message) as caught:
        python_source(function, returns="INT")
    assert caught.value.hint
    with pytest.raises(ValidationError, match=message):
        call(function, col("x"))


def test_any_number_of_arguments_becomes_as_many_as_have_types() -> None:
    source = python_source(any_number, parameters=["INT", "STRING", "DATE"], returns="INT")
    assert source.parameters is not None
    assert [each.name for each in source.parameters] == ["first", "others_1", "others_2"]
    alone = python_source(any_number, parameters=["INT"], returns="INT")
    assert [each.name for each in alone.parameters or ()] == ["first"]


def test_any_number_of_arrays_are_still_arrays() -> None:
    def longest(*columns: pa.Array) -> pa.Array:
        raise NotImplementedError

    source = python_source(longest, parameters=["INT", "INT"], returns="INT")
    assert source.convention is ARROW


def test_a_parameter_by_name_with_a_default_keeps_it() -> None:
    assert python_source(by_name_or_not).parameters == (FunctionParameter("first", BIGINT),)


def test_only_python_has_calling_conventions() -> None:
    with pytest.raises(ValidationError, match="a java function has no calling convention"):
        FunctionSource(
            kind=SCALAR, language=Language.JAVA, reference="x.F", convention=Convention.ARROW
        )


def test_the_protocol_is_what_type_checkers_see() -> None:
    """A class of these methods is an ``AggregateFunction``; it need not know of it."""

    def takes(function: AggregateFunction[list[float], float | None]) -> Any:
        return function

    class Sum:
        def create_accumulator(self) -> list[float]:
            return [0.0]

        def accumulate(self, accumulator: list[float], *values: Any) -> None:
            accumulator[0] += values[0]

        def merge(self, accumulator: list[float], accumulators: Iterable[list[float]]) -> None:
            accumulator[0] += sum(each[0] for each in accumulators)

        def get_value(self, accumulator: list[float]) -> float | None:
            return accumulator[0]

    assert AggregateFunction not in type(takes(Sum())).__mro__


# -- in trees --------------------------------------------------------------------------------------


@pytest.fixture
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.create_table(
        "t", "i INT, b BIGINT, s STRING, d DOUBLE, f FLOAT, xs ARRAY<INT>, m MAP<STRING, INT>"
    )
    for name, function in {"mean": Mean, "vector": arrays, "of": of_values}.items():
        made.create_temporary_system_function(f"my_{name}", function)
    made.create_temporary_system_function("scale", scale)
    made.create_temporary_system_function("deep", deep)
    return made


def scale(x: float, by: int) -> float:
    raise NotImplementedError


def deep(xs: list[float], s: str) -> int:
    raise NotImplementedError


def scaled(xs: list[float], ys: list[float]) -> float:
    raise NotImplementedError


def item(table: Table) -> str:
    return table.to_sql().partition("\n  ")[2].partition(" AS x\n")[0]


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("scale", ("d", "i"), "scale(d, i)"),
        ("scale", ("f", "b"), "scale(f, b)"),
        ("scale", ("i", "d"), "scale(CAST(i AS DOUBLE), CAST(d AS BIGINT))"),
        ("scale", ("s", "i"), "scale(CAST(s AS DOUBLE), i)"),
        ("deep", ("xs", "s"), "deep(CAST(xs AS ARRAY<DOUBLE>), s)"),
        ("my_vector", ("i", "s"), "my_vector(i, s)"),
        ("my_vector", ("b", "i"), "my_vector(CAST(b AS INT), CAST(i AS STRING))"),
    ],
)
def test_python_gets_the_class_that_was_declared_and_arrow_the_very_type(
    env: TableEnvironment, name: str, args: tuple[str, ...], text: str
) -> None:
    """Spark hands a Python function whatever it is given."""
    table = env.from_path("t").select(call(name, *map(col, args)).alias("x"))
    assert item(table) == text
    assert Table.from_plan(env, table.to_plan()).equals(table)


def test_null_has_the_type_that_arrow_wants(env: TableEnvironment) -> None:
    table = env.from_path("t").select(call("my_vector", None, None).alias("x"))
    assert item(table) == "my_vector(CAST(NULL AS INT), CAST(NULL AS STRING))"
    table = env.from_path("t").select(call("scale", None, 1).alias("x"))
    assert item(table) == "scale(NULL, 1)"


def test_what_has_no_cast_is_refused(env: TableEnvironment) -> None:
    with pytest.raises(TypeMismatchError, match=r"argument 1 is ARRAY<INT>, not INT"):
        env.from_path("t").select(call("my_vector", col("xs"), "a"))


@pytest.mark.parametrize(
    ("items", "texts"),
    [
        ([("x", lambda m: m)], ["my_mean(d, i) AS x"]),
        (
            [("x", lambda m: m.distinct())],
            ["`my_mean of rows`(collect_list(DISTINCT struct(d, i))) AS x"],
        ),
        (
            [("x", lambda m: m.filter(col("i") > 1))],
            ["`my_mean of rows`(collect_list(struct(d, i)) FILTER (WHERE i > 1)) AS x"],
        ),
        (
            [("x", lambda m: m + 1), ("n", lambda m: F.count())],
            ["`my_mean of rows`(collect_list(struct(d, i))) + 1 AS x", "count(*) AS n"],
        ),
    ],
)
def test_a_python_aggregate_that_spark_would_not_run_takes_collected_rows(
    env: TableEnvironment, items: list[Any], texts: list[str]
) -> None:
    mean = call("my_mean", col("d"), col("i"))
    table = env.from_path("t").group_by("s").agg(*[make(mean).alias(name) for name, make in items])
    for text in texts:
        assert text in table.to_sql()
    assert table.schema.names == ("s", *[name for name, _ in items])
    assert Table.from_plan(env, table.to_plan()).equals(table)


def test_the_names_of_collected_columns_differ(env: TableEnvironment) -> None:
    table = env.from_path("t").agg(call("my_mean", col("i"), col("i")))
    assert "collect_list(struct(CAST(i AS DOUBLE) AS col1, i))" in table.to_sql()
    env.create_temporary_system_function("two", scaled, kind=AGGREGATE)
    rows = env.from_values([(1, 2.0)], "i INT, col1 DOUBLE")
    table = rows.agg(call("two", col("i"), col("col1")))
    assert "struct(CAST(i AS DOUBLE) AS xs, col1 AS ys)" in table.to_sql()
    table = env.from_path("t").agg(call("two", col("d"), col("D")))
    assert "collect_list(struct(d AS xs, d AS ys))" in table.to_sql()


def test_a_python_aggregate_over_a_window_has_no_clauses(env: TableEnvironment) -> None:
    mean, window = call("my_mean", col("d"), 1), over(partition_by="s")
    rows = env.from_path("t")
    assert "my_mean(d, 1) OVER (PARTITION BY s)" in rows.select(mean.over(window)).to_sql()
    with pytest.raises(
        ValidationError, match=r"(?s)aggregate my_mean has no FILTER .*if_then_else"
    ):
        rows.select(mean.filter(col("i") > 1).over(window))
    with pytest.raises(ValidationError, match="aggregate my_mean has no DISTINCT over a window"):
        rows.select(mean.distinct().over(window))


def test_a_python_aggregate_has_no_order_and_keeps_nulls(env: TableEnvironment) -> None:
    mean, rows = call("my_mean", col("d"), 1), env.from_path("t").group_by("s")
    with pytest.raises(ValidationError, match="my_mean has no WITHIN GROUP"):
        rows.agg(mean.within_group("i"))
    with pytest.raises(ValidationError, match="my_mean has no IGNORE NULLS"):
        rows.agg(mean.ignore_nulls())


def test_inline_functions_of_every_kind_have_no_text(env: TableEnvironment) -> None:
    rows = env.from_path("t")
    for made in (
        rows.select(call(arrays, col("i"), "a").alias("x")),
        rows.group_by("s").agg(call(Mean, col("d"), 1).alias("x")),
        rows.agg(call(Scaled(2.0), col("d"), 1).alias("x")),
    ):
        with pytest.raises(NotSerializableError, match="is used without being registered"):
            made.to_sql()


def test_a_hook_names_what_takes_collected_rows_too() -> None:
    def register(function: Any) -> str:
        name = f"inline {function.name}"
        made_in.create_temporary_system_function(name, function.source, if_not_exists=True)
        return f"`{name}`"

    env = made_in = TableEnvironment(inline_functions=register)
    rows = env.from_values([(1, 2.0)], "i INT, d DOUBLE")
    table = rows.agg(call(Mean, col("d"), 1).alias("x"))
    assert "`inline Mean of rows`(collect_list(struct(d, 1 AS col2))) AS x" in table.to_sql()


def test_spark_folds_no_python_function(env: TableEnvironment) -> None:
    found: Any = env.functions.lookup("scale").function
    assert not found.foldable


def test_a_stored_view_calls_a_stored_python_function(env: TableEnvironment) -> None:
    env.create_function("stored", Mean)
    made = env.from_path("t").group_by("s").agg(call("stored", col("d"), 1).alias("x"))
    env.create_view("by_s", made)
    function = Dependency("function", ("spark_catalog", "default", "stored"))
    assert "spark_catalog.default.stored(d, 1) AS x" in env.get_view("by_s").sql
    assert function in env.get_view("by_s").dependencies
    whole = env.from_path("t").agg(call("stored", col("d"), 1).alias("x"))
    env.create_view("whole", whole)
    assert "spark_catalog.default.`stored of rows`(collect_list(" in env.get_view("whole").sql
    assert function in env.get_view("whole").dependencies
    assert check(env.catalogs.catalog()) == []


def test_a_stored_view_calls_no_temporary_python_function(env: TableEnvironment) -> None:
    grand = env.from_path("t").agg(call("my_mean", col("d"), 1).alias("x"))
    with pytest.raises(NotSerializableError, match=r"temporary function `?my_mean"):
        env.create_view("v", grand)


@pytest.mark.parametrize("function", [arrays, batches, group, Mean, of_values, rows])
def test_stored_python_functions_come_back(
    function: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("catalog") / "catalog"
    TableEnvironment.open(f"file:{place}").create_function("f", function)
    again: Any = TableEnvironment.open(f"file:{place}").functions.lookup("default.f").function
    assert again.source.identity == python_source(function).identity
    assert again.source.reference == f"{function.__module__}:{function.__qualname__}"
