"""Types are brought together as Spark's ANSI analyzer brings them together."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.errors import AnalysisException
from pyspark.sql.types import DataType, StructField

from tests.types.strategies import types
from viewscribe.types import (
    BIGINT,
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TIMESTAMP,
    TINYINT,
    VARIANT,
    VOID,
    CharType,
    DecimalType,
    Field,
    LogicalType,
    StringType,
    StructType,
    array,
    decimal,
    map_of,
    struct,
)
from viewscribe.types.coercion import (
    arithmetic_type,
    can_cast,
    cast_introduces_null,
    common_type,
    common_type_of,
    comparison_type,
    decimal_of,
    decimal_of_literal,
    is_comparable,
    is_groupable,
    is_map_key,
    is_orderable,
    merged_type_of,
    supports_distinct,
)
from viewscribe.types.ddl import parse_type
from viewscribe.types.nested_types import change_inside, deeply_nullable, value_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TEXTS = """
VOID | BOOLEAN | TINYINT | SMALLINT | INT | BIGINT | FLOAT | DOUBLE
DECIMAL(10, 0) | DECIMAL(38, 18) | DECIMAL(3, 1) | DECIMAL(20, 0) | DECIMAL(38, 0) | DECIMAL(20, 5)
STRING | BINARY | DATE | TIME(3) | TIME(6) | TIME(9) | TIMESTAMP | TIMESTAMP_NTZ | VARIANT
INTERVAL YEAR | INTERVAL MONTH | INTERVAL YEAR TO MONTH | INTERVAL
INTERVAL DAY | INTERVAL HOUR | INTERVAL HOUR TO SECOND | INTERVAL DAY TO SECOND
STRING COLLATE UNICODE | GEOMETRY(0) | GEOMETRY(4326) | GEOMETRY(ANY) | GEOGRAPHY(4326)
ARRAY<INT> | ARRAY<INT NOT NULL> | ARRAY<STRING NOT NULL> | ARRAY<DECIMAL(3, 1)>
ARRAY<DECIMAL(10, 0) NOT NULL> | ARRAY<VOID NOT NULL> | ARRAY<INTERVAL> | ARRAY<VARIANT>
MAP<STRING, INT> | MAP<STRING, BIGINT NOT NULL> | MAP<INT, STRING> | MAP<DATE, INT>
STRUCT<a: INT> | STRUCT<A: BIGINT NOT NULL> | STRUCT<a: STRING> | STRUCT<a: INT, b: INT>
STRUCT<a: ARRAY<MAP<STRING, DATE>>> | STRUCT<a: ARRAY<MAP<STRING, TIMESTAMP NOT NULL>>>
"""
TYPES = [
    parse_type(text.strip()).with_nullability("VOID" in text.split())
    for text in TEXTS.strip().replace("\n", "|").split("|")
]
PAIRS = list(itertools.product(TYPES, TYPES))


def _indeterminate(a: LogicalType, b: LogicalType) -> bool:
    # Spark refuses two collations of columns, and takes a literal of the default one.
    return STRING.not_null() in (a, b) and StringType(collation="UNICODE", nullable=False) in (a, b)


def _plain_text(type_: LogicalType) -> LogicalType:
    return change_inside(value_type(type_), _without_collation)


def _without_collation(type_: LogicalType) -> LogicalType:
    if isinstance(type_, StringType):
        return STRING.with_nullability(type_.nullable)
    if isinstance(type_, StructType):
        # The analyzer drops comments only where it has to rebuild the struct.
        fields = tuple(Field(field.name, field.type) for field in type_.fields)
        return StructType(fields=fields, nullable=type_.nullable)
    return type_


class Spark:
    """A table with one NOT NULL column of each type, and what the analyzer says over it."""

    def __init__(self, spark: SparkSession) -> None:
        from viewscribe.spark.types import from_spark, schema_to_spark, to_spark

        self.from_spark = from_spark
        self.to_spark = to_spark
        self.spark = spark
        jvm: Any = spark._jvm
        self.jvm = jvm
        schema = schema_to_spark(Field(f"c{i}", type_) for i, type_ in enumerate(TYPES))
        self.java = spark._jsparkSession.parseDataType(schema.json())
        rows = jvm.java.util.ArrayList()
        spark._jsparkSession.createDataFrame(rows, self.java).createOrReplaceTempView("all_types")

    def java_type(self, type_: LogicalType) -> Any:
        """The JVM's type."""
        return self.java.apply(TYPES.index(type_)).dataType()

    def widened(self, a: LogicalType, b: LogicalType) -> LogicalType | None:
        """The type that the analyzer's own rule finds for two types."""
        java = self.jvm.org.apache.spark.sql.types.DataType
        read = [java.fromJson(self.to_spark(each).json()) for each in (a, b)]
        coercion = self.jvm.org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion
        found = coercion.findWiderTypeForTwo(*read)
        return None if found.isEmpty() else self.from_spark(_parse(found.get().json()))

    def results(self, expressions: Iterable[str]) -> list[LogicalType]:
        """The types of the expressions, analyzed in one statement."""
        frame = self.spark.sql(f"SELECT {', '.join(expressions)} FROM all_types")
        return [self.from_spark(field.dataType, field.nullable) for field in frame.schema]

    def refuses(self, expression: str, tail: str = "") -> bool:
        """Whether the analyzer refuses the expression over the table."""
        try:
            self.spark.sql(f"SELECT {expression} FROM all_types {tail}")
        except AnalysisException:
            return True
        return False

    def check(self, template: str, cases: dict[Any, LogicalType | None]) -> None:
        """Compare what is accepted in one statement, and a sample of what is refused one by one."""
        written = {pair: template.format(*map(_column, pair)) for pair in cases}
        accepted = {pair: found for pair, found in cases.items() if found is not None}
        assert accepted
        got = self.results(written[pair] for pair in accepted)
        for (pair, expected), found in zip(accepted.items(), got, strict=True):
            assert found == expected, (written[pair], *pair)
        refused = [pair for pair, found in cases.items() if found is None]
        for pair in random.Random(4).sample(refused, min(20, len(refused))):
            assert self.refuses(written[pair]), (written[pair], *pair)


def _parse(text: str) -> DataType:
    value = json.loads(text)
    holder = {"name": "a", "type": value, "nullable": True, "metadata": {}}
    return StructField.fromJson(holder).dataType


def _column(type_: LogicalType) -> str:
    return f"c{TYPES.index(type_)}"


@pytest.fixture(scope="module")
def analyzer(spark: SparkSession) -> Iterator[Spark]:
    spark.conf.set("spark.sql.timeType.enabled", True)
    yield Spark(spark)
    spark.conf.unset("spark.sql.timeType.enabled")


def test_common_types_are_those_of_case_and_of_union(analyzer: Spark) -> None:
    cases = {pair: merged_type_of(pair) for pair in PAIRS if not _indeterminate(*pair)}
    analyzer.check("CASE WHEN c1 THEN {} ELSE {} END", cases)
    sides = zip(*(map(_column, pair) for pair, found in cases.items() if found), strict=True)
    left, right = (", ".join(f"{name} AS u{i}" for i, name in enumerate(side)) for side in sides)
    union = f"SELECT {left} FROM all_types UNION ALL SELECT {right} FROM all_types"
    schema = analyzer.spark.sql(union).schema
    got = [analyzer.from_spark(field.dataType, field.nullable) for field in schema]
    assert got == [found for found in cases.values() if found]


def test_types_without_a_common_type_are_those_of_spark(analyzer: Spark) -> None:
    coercion = analyzer.jvm.org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion
    for a, b in PAIRS:
        if common_type(a, b) is None:
            # Spark promotes text to shapes and then fails to cast it.
            shapes = {a.ddl[:3], b.ddl[:3]} == {"STR", "GEO"}
            found = coercion.findWiderTypeForTwo(analyzer.java_type(a), analyzer.java_type(b))
            assert found.isEmpty() or shapes, (a, b)


def _pairs(depth: int) -> st.SearchStrategy[tuple[LogicalType, LogicalType]]:
    """Two types of one shape, which so have a common type more often than not."""
    some = st.sampled_from([INT, BIGINT, decimal(4, 1), decimal(38, 6), STRING, DATE, TIMESTAMP])
    leaves = st.one_of(st.tuples(some, some), st.tuples(types(0), types(0)))
    flags = st.tuples(st.booleans(), st.booleans())
    inner = st.deferred(lambda: _pairs(depth - 1)) if depth else leaves
    arrays = inner.map(lambda pair: (array(pair[0]), array(pair[1])))
    maps = st.tuples(leaves, inner).map(
        lambda both: (map_of(both[0][0], both[1][0]), map_of(both[0][1], both[1][1]))
    )
    structs = inner.map(lambda pair: (struct(("a", pair[0])), struct(("A", pair[1]))))
    shapes = st.one_of(leaves, arrays, maps, structs) if depth else leaves
    return st.tuples(shapes, flags).map(
        lambda drawn: (
            _plain_text(drawn[0][0]).with_nullability(drawn[1][0]),
            _plain_text(drawn[0][1]).with_nullability(drawn[1][1]),
        )
    )


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(_pairs(3))
def test_any_two_types_have_the_common_type_of_spark(
    analyzer: Spark, pair: tuple[LogicalType, LogicalType]
) -> None:
    a, b = pair
    expected = common_type(a, b)
    if expected is not None or "GEO" not in a.ddl + b.ddl:
        assert analyzer.widened(a, b) == (expected and expected.as_nullable())


def test_three_operands_are_brought_together_from_the_left(analyzer: Spark) -> None:
    atoms = [type_ for type_ in TYPES if "<" not in type_.ddl and "COLLATE" not in type_.ddl]
    triples = random.Random(7).sample(list(itertools.product(atoms, repeat=3)), 1500)
    cases = {triple: merged_type_of(triple) for triple in triples}
    assert sum(found is not None for found in cases.values()) > 100
    analyzer.check("CASE WHEN c1 THEN {} WHEN c1 THEN {} ELSE {} END", cases)


def test_comparisons(analyzer: Spark) -> None:
    pairs = [pair for pair in PAIRS if not _indeterminate(*pair)]
    cases = {pair: _comparison_result(*pair) for pair in pairs}
    analyzer.check("{} = {}", cases)
    analyzer.check("{} < {}", cases)


def _comparison_result(a: LogicalType, b: LogicalType) -> LogicalType | None:
    found = comparison_type(a, b)
    if found is None or not is_comparable(a, b):
        return None
    forced = cast_introduces_null(a, found) or cast_introduces_null(b, found)
    return BOOLEAN.with_nullability(found.nullable or forced)


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "%", "div"])
def test_arithmetic(analyzer: Spark, operator: Any) -> None:
    pairs = [pair for pair in PAIRS if not any("VOID" in each.ddl for each in pair)]
    cases = {pair: arithmetic_type(operator, *pair) for pair in pairs}
    analyzer.check(f"{{}} {operator} {{}}", cases)


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "%", "div"])
def test_arithmetic_with_null(analyzer: Spark, operator: Any) -> None:
    atoms = [type_ for type_ in TYPES if "<" not in type_.ddl]
    pairs = [pair for atom in atoms for pair in ((atom, VOID), (VOID, atom))]
    cases = {pair: arithmetic_type(operator, *pair) for pair in pairs}
    analyzer.check(f"{{}} {operator} {{}}", cases)


def test_decimal_arithmetic(analyzer: Spark) -> None:
    draw = random.Random(11)
    decimals = [decimal(p, draw.randint(0, p)) for p in range(1, 39)]
    pairs = [draw.sample(decimals, 2) for _ in range(150)]
    for operator in ("+", "-", "*", "/", "%"):
        expected = [arithmetic_type(operator, a, b) for a, b in pairs]
        written = (f"CAST(NULL AS {a.ddl}) {operator} CAST(NULL AS {b.ddl})" for a, b in pairs)
        assert analyzer.results(written) == expected
    common = [common_type(a, b) for a, b in pairs]
    written = (f"coalesce(CAST(NULL AS {a.ddl}), CAST(NULL AS {b.ddl}))" for a, b in pairs)
    assert analyzer.results(written) == common


def test_integer_literals_beside_decimals_are_as_narrow_as_they_can(analyzer: Spark) -> None:
    price = decimal(10, 0).not_null()
    values = [0, 2, -5, 12345, 2147483647, 2147483648, -(2**62)]
    expected = [arithmetic_type("*", price, decimal_of_literal(value)) for value in values]
    assert analyzer.results(f"{_column(price)} * {value}" for value in values) == expected


NULLABLE_CASTS = [
    ("BOOLEAN", "DECIMAL(1, 0)", False),
    ("BOOLEAN", "DECIMAL(2, 0)", False),
    ("BOOLEAN", "DECIMAL(2, 2)", True),
    ("TINYINT", "DECIMAL(3, 0)", False),
    ("TINYINT", "DECIMAL(3, 1)", True),
    ("INT", "DECIMAL(12, 1)", False),
    ("DECIMAL(5, 2)", "DECIMAL(5, 2)", False),
    ("DECIMAL(5, 2)", "DECIMAL(6, 3)", False),
    ("DECIMAL(5, 2)", "DECIMAL(5, 1)", False),
    ("DECIMAL(5, 2)", "DECIMAL(4, 1)", True),
    ("DECIMAL(5, 2)", "DECIMAL(5, 3)", True),
    ("DOUBLE", "DECIMAL(38, 0)", True),
    ("DOUBLE", "BIGINT", True),
    ("DOUBLE", "TIMESTAMP", True),
    ("DOUBLE", "STRING", False),
    ("DECIMAL(1, 0)", "BIGINT", True),
    ("INT", "TINYINT", False),
    ("TIMESTAMP", "INT", True),
    ("TIMESTAMP", "BIGINT", False),
    ("TIMESTAMP", "DATE", False),
    ("STRING", "DATE", True),
    ("STRING", "BINARY", False),
    ("CHAR(3)", "STRING", False),
    ("DATE", "TIMESTAMP", False),
    ("DATE", "STRING", False),
    ("DATE", "INT", True),
    ("TIME(0)", "SMALLINT", True),
    ("TIME(0)", "INT", False),
    ("VARIANT", "INT", True),
    ("VOID", "INT", False),
]
"""Types, and whether a cast from one to the other gives NULL for what is none."""


def test_casts(analyzer: Spark) -> None:
    cast = analyzer.jvm.org.apache.spark.sql.catalyst.expressions.Cast
    java = {type_: analyzer.java_type(type_) for type_ in TYPES}
    sources = random.Random(3).sample(PAIRS, 900)
    for a, b in sources:
        source, target = java[a], java[b]
        assert can_cast(a, b) == cast.canAnsiCast(source, target), (a, b)
        assert can_cast(a, b, "try") == cast.canTryCast(source, target), (a, b)
        assert cast_introduces_null(a, b) == cast.forceNullable(source, target), (a, b)
    for name, other, introduces in NULLABLE_CASTS:
        source, target = map(
            analyzer.jvm.org.apache.spark.sql.types.DataType.fromDDL, (name, other)
        )
        assert cast.forceNullable(source, target) == introduces, (name, other)


def test_where_maps_variants_and_intervals_may_stand(analyzer: Spark) -> None:
    for type_ in [*TYPES[23:27], VARIANT.not_null(), *TYPES[32:]]:
        column = _column(type_)
        assert is_groupable(type_) != analyzer.refuses(
            f"c1 FROM all_types GROUP BY {column}, c1 --"
        )
        assert is_orderable(type_) != analyzer.refuses(f"min({column})")
        assert supports_distinct(type_) != analyzer.refuses(f"DISTINCT {column}")
        assert is_map_key(type_) != analyzer.refuses(f"map({column}, 1)")


@given(types(2), types(2))
def test_common_type_is_symmetric_but_for_the_names_of_fields(
    a: LogicalType, b: LogicalType
) -> None:
    one, other = common_type(a, b), common_type(b, a)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one.ddl.lower() == other.ddl.lower()
        assert one.nullable == (a.nullable or b.nullable)


@given(types())
def test_a_type_is_common_with_itself_and_with_null(type_: LogicalType) -> None:
    value = value_type(type_)
    assert common_type(value, value) is value
    assert common_type(value, VOID) == common_type(VOID, value) == value.as_nullable()
    assert can_cast(value, value)
    assert can_cast(type_, deeply_nullable(type_))


def test_columns_of_fixed_length_are_text() -> None:
    code = CharType(length=3, nullable=False)
    assert common_type(code, code) == STRING.not_null()
    assert common_type(code, INT) == BIGINT
    assert arithmetic_type("+", code, DOUBLE) == DOUBLE
    assert value_type(array(code)) == array(STRING.not_null())


def test_two_collations_have_nothing_in_common() -> None:
    unicode = StringType(collation="UNICODE")
    assert common_type(unicode, unicode.not_null()) == unicode
    assert common_type(STRING, unicode) is common_type(unicode, STRING) is None
    assert common_type(unicode, StringType(collation="UTF8_LCASE")) is None


def test_common_type_of_many() -> None:
    assert common_type_of([]) == VOID
    assert common_type_of([INT]) is INT
    assert common_type_of([INT, VOID, BIGINT.not_null(), decimal(3, 1)]) == decimal(21, 1)
    assert common_type_of([INT, STRING, DATE]) is None
    assert merged_type_of([STRING.not_null(), INT.not_null()]) == BIGINT


def test_decimal_of_whole_numbers() -> None:
    assert [decimal_of(each).precision for each in (TINYINT, INT, BIGINT)] == [3, 10, 20]
    assert decimal_of(decimal(5, 2)) == decimal(5, 2)
    with pytest.raises(TypeError, match="FLOAT has no exact decimal"):
        decimal_of(FLOAT)


@pytest.mark.parametrize(("source", "target", "introduces"), NULLABLE_CASTS)
def test_casts_that_introduce_null(source: str, target: str, introduces: bool) -> None:
    assert cast_introduces_null(parse_type(source), parse_type(target)) is introduces


def test_null_inside_is_cast_to_no_type_without() -> None:
    known, nullable = array(INT.not_null()), array(INT)
    assert can_cast(known, array(STRING.not_null()))
    assert can_cast(known, array(STRING))
    assert can_cast(nullable, array(STRING))
    assert not can_cast(nullable, array(STRING.not_null()))
    assert not can_cast(struct(("a", INT)), struct(("a", STRING.not_null())))
    assert not can_cast(map_of(STRING, INT), map_of(STRING, BIGINT.not_null()))
    texts = array(STRING.not_null())
    assert can_cast(texts, known)
    assert not can_cast(texts, known, "try")


def test_what_stands_inside_decides() -> None:
    deep = struct(("a", array(map_of(STRING, INT))))
    assert not is_orderable(deep)
    assert is_groupable(deep)
    assert not supports_distinct(deep)
    assert not is_map_key(deep)
    assert is_map_key(CALENDAR_INTERVAL)
    assert comparison_type(array(INT), array(STRING)) is None
    assert common_type(DATE, TIMESTAMP) == TIMESTAMP
    assert isinstance(common_type(INT, decimal(3, 1)), DecimalType)
