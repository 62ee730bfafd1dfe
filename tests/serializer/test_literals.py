"""Literals of every type survive as text: the same type, the same nullability, the same bytes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzzing import examples
from viewscribe.errors import NotSerializableError
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.types import (
    ArrayType,
    DayTimeIntervalType,
    DecimalType,
    Field,
    LogicalType,
    MapType,
    StringType,
    StructType,
    TimeType,
    YearMonthIntervalType,
    nested_types,
)
from viewscribe.types.ddl import parse_type
from viewscribe.types.nested_types import change_inside

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MICROSECOND = dt.timedelta(microseconds=1)
NASTY_STRINGS = (
    "",
    "'",
    '"',
    "\\",
    "\\'",
    "\\\\'",
    "it's\n  two lines\r\n\t.",
    "${x} $ ${ {x} ${env:HOME}",
    "\0 nul",
    "\\u0041 \\101 \\% \\_ \\0",
    "😀 𝔘 e\u0301",
    "\u2028\u2029\ufeff\ufffe\uffff\x7f\x85",
    "-- no comment /* neither */ ;",
    "r'raw'",
    "x" * 5_000,
)

# -- what is in the text --------------------------------------------------------------------------

TEXTS: list[tuple[Any, str | None, str]] = [
    (None, None, "NULL"),
    (None, "INT", "CAST(NULL AS INT)"),
    (None, "ARRAY<INT>", "CAST(NULL AS ARRAY<INT>)"),
    (None, "STRUCT<a: INT>", "CAST(NULL AS STRUCT<a: INT>)"),
    (None, "STRUCT<a: INT NOT NULL>", "CAST(NULL AS STRUCT<a: INT NOT NULL>)"),
    (True, None, "TRUE"),
    (1, None, "1"),
    (-1, None, "-1"),
    (-(2**31), None, "-2147483648"),
    (2**31, None, "2147483648L"),
    (-(2**63), None, "-9223372036854775808L"),
    (2**63, None, "9223372036854775808BD"),
    (1, "TINYINT", "1Y"),
    (1, "SMALLINT", "1S"),
    (1.0, None, "1.0D"),
    (-0.0, None, "-0.0D"),
    (5e-324, None, "5E-324D"),
    (1.7976931348623157e308, None, "1.7976931348623157E308D"),
    (0.1, "FLOAT", "0.1F"),
    (1e-45, "FLOAT", "1E-45F"),
    (3.4028234663852886e38, "FLOAT", "3.402823466E38F"),  # rounded up, Spark refuses it
    (float("nan"), None, "double('NaN')"),
    (float("-inf"), "FLOAT", "float('-Infinity')"),
    (Decimal("1.50"), None, "1.50"),
    (Decimal("-0.001"), None, "-0.001"),
    (Decimal("1E+3"), None, "1000BD"),
    (Decimal(1), "DECIMAL(10, 2)", "CAST(1.00 AS DECIMAL(10, 2))"),
    ("it's", None, r"'it\'s'"),
    ("a\\b\n", None, r"'a\\b\n'"),
    ("${x}", None, r"'\u0024{x}'"),
    ("x", "STRING COLLATE UTF8_LCASE", "'x' COLLATE UTF8_LCASE"),
    (b"\x00\xff", None, "X'00FF'"),
    (b"", None, "X''"),
    (dt.date(1, 1, 1), None, "DATE '0001-01-01'"),
    (dt.datetime(2020, 1, 2, 3, 4, 5, 60), None, "TIMESTAMP_NTZ '2020-01-02 03:04:05.000060'"),
    (
        dt.datetime(2020, 1, 2, 3, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        None,
        "TIMESTAMP '2020-01-02 01:00:00Z'",
    ),
    (dt.timedelta(milliseconds=50), None, "INTERVAL '0 00:00:00.05' DAY TO SECOND"),
    (dt.timedelta(milliseconds=-1500), None, "INTERVAL '-0 00:00:01.5' DAY TO SECOND"),
    (dt.timedelta(days=12_345), "INTERVAL DAY", "INTERVAL '12345' DAY"),
    (dt.timedelta(hours=-30), "INTERVAL HOUR TO MINUTE", "INTERVAL '-30:00' HOUR TO MINUTE"),
    (-25, "INTERVAL YEAR TO MONTH", "INTERVAL '-2-1' YEAR TO MONTH"),
    (24_000, "INTERVAL YEAR", "INTERVAL '2000' YEAR"),
    ([1, None], None, "array(1, NULL)"),
    ([], None, "array()"),
    ([], "ARRAY<INT>", "CAST(array() AS ARRAY<INT>)"),
    ({"a": 1}, None, "map('a', 1)"),
    ((1, "x"), None, "named_struct('col1', 1, 'col2', 'x')"),
]


@pytest.mark.parametrize(("value", "type_", "text"), TEXTS)
def test_text(value: Any, type_: str | None, text: str) -> None:
    made = literal(value, None if type_ is None else parse_type(type_))
    assert made.as_serializable_string() == text


def test_text_of_time() -> None:
    noon = dt.time(12, 30, 0, 120_000)
    assert literal(noon).as_serializable_string() == "TIME '12:30:00.120000'"
    shorter = literal(noon, TimeType(precision=2))
    assert shorter.as_serializable_string() == "CAST(TIME '12:30:00.120000' AS TIME(2))"


def test_types_without_literals_say_so() -> None:
    made = Literal(object(), nested_types.VARIANT)
    with pytest.raises(NotSerializableError, match="VARIANT has no SQL text"):
        made.as_serializable_string()


# -- random values --------------------------------------------------------------------------------

Typed = st.SearchStrategy[tuple[Any, LogicalType]]


def of(values: st.SearchStrategy[Any], type_: LogicalType) -> Typed:
    return values.map(lambda value: (value, type_))


def integers(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def decimals() -> Typed:
    def sized(precision: int, scale: int) -> Typed:
        unscaled = st.integers(-(10**precision) + 1, 10**precision - 1)
        sign_digits = unscaled.map(
            lambda n: Decimal((int(n < 0), tuple(map(int, str(abs(n)))), -scale))
        )
        return of(sign_digits, DecimalType(precision=precision, scale=scale))

    return st.integers(1, 38).flatmap(
        lambda precision: st.integers(0, precision).flatmap(lambda scale: sized(precision, scale))
    )


def day_time() -> Typed:
    units = DayTimeIntervalType.units
    steps = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1}

    def spanning(first: int, last: int) -> Typed:
        step = steps[units[last]]
        # Spark holds a little more than Python's timedelta can, and both more than this.
        most = 2**63 // step - 1
        days = 999_999_998 * 86_400_000_000 // step
        counts = st.integers(-min(most, days), min(most, days)) | st.integers(-200, 200)
        type_ = DayTimeIntervalType(start=units[first], end=units[last])
        return of(counts.map(lambda count: count * step * MICROSECOND), type_)

    return st.one_of(
        *[spanning(first, last) for first in range(len(units)) for last in range(first, len(units))]
    )


def year_month() -> Typed:
    months = st.integers(-(2**31), 2**31 - 1) | st.integers(-30, 30)
    years = st.integers(-178_956_970, 178_956_970).map(lambda count: count * 12)
    return st.one_of(
        of(months, YearMonthIntervalType(start="YEAR", end="MONTH")),
        of(months, YearMonthIntervalType(start="MONTH", end="MONTH")),
        of(years, YearMonthIntervalType(start="YEAR", end="YEAR")),
    )


text = st.one_of(
    st.sampled_from(NASTY_STRINGS), st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
)
naive = st.one_of(
    st.datetimes(), st.sampled_from([dt.datetime.min, dt.datetime.max, dt.datetime(1582, 10, 5)])
)
aware = naive.map(lambda moment: moment.replace(tzinfo=dt.UTC))
SPECIAL = (float("nan"), float("inf"), float("-inf"))  # these have a test of their own
finite = st.floats(allow_nan=False, allow_infinity=False)
floats = st.one_of(finite, st.sampled_from([0.0, -0.0, 5e-324, 1e23, 2.0**53]))
single = st.one_of(
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.sampled_from([1e-45, -0.0, 3.4028234663852886e38]),
)

KEYS: tuple[Typed, ...] = (
    of(integers(32), nested_types.INT),
    of(text, nested_types.STRING),
    of(st.dates(), nested_types.DATE),
    of(aware, nested_types.TIMESTAMP),
)
ATOMS: tuple[Typed, ...] = (
    *KEYS,
    of(st.none(), nested_types.VOID),
    of(st.booleans(), nested_types.BOOLEAN),
    of(integers(8), nested_types.TINYINT),
    of(integers(16), nested_types.SMALLINT),
    of(integers(64), nested_types.BIGINT),
    of(floats, nested_types.DOUBLE),
    of(single, nested_types.FLOAT),
    of(st.binary(max_size=20), nested_types.BINARY),
    of(text, StringType(collation="UTF8_LCASE")),
    of(naive, nested_types.TIMESTAMP_NTZ),
    decimals(),
    day_time(),
    year_month(),
)


def atoms() -> Typed:
    """A value of an atomic type, or NULL of it."""
    some = st.one_of(*ATOMS)
    return st.one_of(some, some, some, some.map(lambda pair: (None, pair[1])))


@st.composite
def nested(draw: Any, inner: Typed) -> tuple[Any, LogicalType]:
    value, type_ = draw(inner)
    kind = draw(st.sampled_from(["array", "map", "struct"]))
    several = [value] * draw(st.integers(0, 2)) + [None] * draw(st.integers(0, 1))
    if kind == "array":
        return several, ArrayType(element=type_.as_nullable())
    if kind == "map":
        _, key_type = pair = draw(st.one_of(*KEYS))
        pairs = ((pair[0], value),) if draw(st.booleans()) else ()
        return pairs, MapType(key=key_type.not_null(), value=type_.as_nullable())
    other, other_type = draw(inner)
    names = draw(st.lists(text.filter(_is_name), min_size=2, max_size=2, unique_by=str.casefold))
    fields = (Field(names[0], type_.as_nullable()), Field(names[1], other_type.as_nullable()))
    return (value, other), StructType(fields=fields)


def _is_name(name: str) -> bool:
    return bool(name) and "${" not in name


def typed_literals() -> st.SearchStrategy[Literal]:
    once = nested(atoms())
    return st.one_of(atoms(), atoms(), once, nested(once)).map(lambda pair: literal(*pair))


def plain_values() -> st.SearchStrategy[Literal]:
    """Literals whose type follows from the value, inner nullability included."""
    value: st.SearchStrategy[Any] = st.one_of(
        st.booleans(), integers(32), integers(64), floats, text, st.binary(max_size=5), st.dates()
    )
    value = st.one_of(value, value.map(lambda item: [item, None]))
    for _ in range(2):
        value = st.one_of(
            value,
            value.map(lambda item: [item]),
            value.map(lambda item: (item, None)),
            st.tuples(text, value).map(lambda pair: {pair[0]: pair[1]}),
            st.tuples(value, value),
            st.sampled_from([[], {}, (), [[]], [None]]),
        )
    return value.map(literal)


BATCH = settings(max_examples=examples(6, fuzz=60), suppress_health_check=list(HealthCheck))


@BATCH
@given(literals=st.lists(typed_literals(), min_size=20, max_size=40))
def test_values_of_a_given_type_survive(spark: SparkSession, literals: list[Literal]) -> None:
    check(spark, literals)


@BATCH
@given(literals=st.lists(plain_values(), min_size=20, max_size=40))
def test_values_of_their_own_type_survive(spark: SparkSession, literals: list[Literal]) -> None:
    check(spark, literals)


def test_edges_survive(spark: SparkSession) -> None:
    extremes = [2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 10**38 - 1, Decimal("0." + "9" * 38)]
    check(spark, [*map(literal, extremes), *map(literal, NASTY_STRINGS)])
    typed = [(value, None if kind is None else parse_type(kind)) for value, kind, _ in TEXTS]
    check(spark, [literal(*pair) for pair in typed])


def special_literals() -> list[Literal]:
    return [
        literal(value, kind)
        for value in SPECIAL
        for kind in (nested_types.DOUBLE, nested_types.FLOAT)
    ]


def test_not_a_number_and_the_infinities_survive(spark: SparkSession) -> None:
    check(spark, special_literals())


def test_null_beside_a_nested_value_keeps_the_type_inside(spark: SparkSession) -> None:
    nan = float("nan")
    values = [[[1], None], [None, [None], [[]]], [{}, {"a": None}, {"a": nan}], [(1, None), (2, 3)]]
    check(spark, [literal(value) for value in values])


def test_types_that_no_text_has_are_relaxed(spark: SparkSession) -> None:
    asked = [
        ([], "ARRAY<INT>"),
        ([[], [1]], "ARRAY<ARRAY<INT>>"),
        ([(1, float("inf"))], "ARRAY<STRUCT<a: INT NOT NULL, b: DOUBLE NOT NULL>>"),
        ({"a": []}, "MAP<STRING, ARRAY<BIGINT>>"),
    ]
    check(spark, [literal(value, never_null_inside(parse_type(type_))) for value, type_ in asked])


NULLS = {
    "ARRAY<INT>": "if(FALSE, array(0), NULL)",
    "ARRAY<DECIMAL(5, 2)>": "if(FALSE, array(999.99), NULL)",
    "ARRAY<DECIMAL(2, 2)>": "if(FALSE, array(0.99), NULL)",
    "ARRAY<DECIMAL(3)>": "if(FALSE, array(999BD), NULL)",
    "MAP<STRING, ARRAY<BIGINT>>": "if(FALSE, map('', array(0L)), NULL)",
    "ARRAY<STRUCT<a: DATE, b: BINARY>>": (
        "if(FALSE, array(named_struct('a', DATE '1970-01-01', 'b', X'')), NULL)"
    ),
    "STRUCT<a: INT, b: ARRAY<DOUBLE>>": "if(FALSE, named_struct('a', 0, 'b', array(0.0D)), NULL)",
    "ARRAY<TINYINT>": "if(FALSE, array(0Y), NULL)",
    "ARRAY<SMALLINT>": "if(FALSE, array(0S), NULL)",
    "ARRAY<FLOAT>": "if(FALSE, array(0.0F), NULL)",
    "ARRAY<BOOLEAN>": "if(FALSE, array(FALSE), NULL)",
    "ARRAY<TIMESTAMP>": "if(FALSE, array(TIMESTAMP '1970-01-01 00:00:00Z'), NULL)",
    "ARRAY<TIMESTAMP_NTZ>": "if(FALSE, array(TIMESTAMP_NTZ '1970-01-01 00:00:00'), NULL)",
    "ARRAY<INTERVAL YEAR TO MONTH>": "if(FALSE, array(INTERVAL '0-0' YEAR TO MONTH), NULL)",
    "ARRAY<INTERVAL DAY TO SECOND>": "if(FALSE, array(INTERVAL '0 00:00:00' DAY TO SECOND), NULL)",
    "ARRAY<STRING COLLATE UTF8_LCASE>": "if(FALSE, array('' COLLATE UTF8_LCASE), NULL)",
}


@pytest.mark.parametrize("type_", NULLS)
def test_a_null_whose_items_are_never_null_is_no_cast(type_: str) -> None:
    asked = never_null_inside(parse_type(type_))
    null = literal(None, asked)
    assert null.type == asked.as_nullable()
    assert null.as_serializable_string() == NULLS[type_]


def test_a_null_keeps_what_is_never_null_inside(spark: SparkSession) -> None:
    types = [never_null_inside(parse_type(type_)) for type_ in NULLS]
    types.append(parse_type("ARRAY<STRUCT<a: INT NOT NULL, b: ARRAY<STRING>>>"))
    types.append(ArrayType(element=types[-1].not_null()))
    check(spark, [literal(None, type_) for type_ in types])


def test_a_null_of_a_type_without_constants_is_relaxed(spark: SparkSession) -> None:
    null = literal(None, never_null_inside(parse_type("ARRAY<VARIANT>")))
    assert null.type == parse_type("ARRAY<VARIANT>")
    check(spark, [null])


def never_null_inside(type_: LogicalType) -> LogicalType:
    return change_inside(type_, lambda inner: inner.not_null())


def test_a_field_name_that_spark_would_substitute_is_refused() -> None:
    type_ = StructType(fields=(Field("${env:HOME}", nested_types.INT),))
    with pytest.raises(NotSerializableError, match="substitutes before it parses"):
        literal(None, type_).as_serializable_string()


@pytest.fixture
def with_time(spark: SparkSession) -> Iterator[SparkSession]:
    spark.conf.set("spark.sql.timeType.enabled", "true")
    yield spark
    spark.conf.unset("spark.sql.timeType.enabled")


def test_times_survive(with_time: SparkSession) -> None:
    whole = [dt.time.min, dt.time.max, dt.time(12, 30), dt.time(1, 2, 3, 45)]
    shorter = [literal(dt.time(23, 59, 59), TimeType(precision=p)) for p in range(7)]
    third = literal(dt.time(1, 2, 3, 120_000), TimeType(precision=3))
    check(with_time, [*map(literal, whole), *shorter, third, literal(None, TimeType(precision=2))])


def check(spark: SparkSession, literals: list[Literal]) -> None:
    """The text gives what the interpreter's columns give, to the last byte, and our types."""
    from viewscribe.spark.types import literal_column, schema_from_spark

    items = [f"{item.as_serializable_string()} AS v{place}" for place, item in enumerate(literals)]
    found = spark.sql(f"SELECT {', '.join(items)}")
    columns = [literal_column(item).alias(f"v{place}") for place, item in enumerate(literals)]
    wanted = spark.range(1).select(*columns)
    types = [field.type for field in schema_from_spark(found.schema)]
    for item, shown, type_ in zip(literals, items, types, strict=True):
        assert type_ == item.type, shown
    if bytes_of(found) != bytes_of(wanted):
        for place, shown in enumerate(items):
            name = f"v{place}"
            assert bytes_of(found.select(name)) == bytes_of(wanted.select(name)), shown


def bytes_of(data: DataFrame) -> str:
    """The one row as Spark holds it: tells -0.0 from 0.0, and nothing goes through Python."""
    java: Any = data
    rows = java._jdf.queryExecution().executedPlan().executeCollect()
    assert len(rows) == 1
    return str(rows[0].toString())
