"""Logical types and pyspark's types, both ways, in Python and through the JVM."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from py4j.java_gateway import get_field
from py4j.protocol import Py4JJavaError
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import types as spark_types

from tests.types.strategies import fields, types
from viewscribe.errors import DataTypeError
from viewscribe.spark.types import from_spark, schema_from_spark, schema_to_spark, to_spark
from viewscribe.types import INT, STRING, CharType, Field, LogicalType, VarcharType, array
from viewscribe.types.ddl import parse_schema, parse_type, schema_ddl
from viewscribe.types.nested_types import change_inside, value_type
from viewscribe.types.parameters import canonical_collation

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _without_collated_length(type_: LogicalType) -> LogicalType:
    if isinstance(type_, (CharType, VarcharType)):
        return type(type_)(length=type_.length, nullable=type_.nullable)
    return type_


def _pyspark_has(type_: LogicalType) -> LogicalType:
    return change_inside(type_, _without_collated_length)


@given(types().map(_pyspark_has))
def test_pyspark_types_come_back_as_the_same_type(type_: LogicalType) -> None:
    assert from_spark(to_spark(type_), type_.nullable) == type_


@given(st.lists(fields(types(2).map(_pyspark_has)), max_size=4))
def test_schemas_come_back_with_nullability_and_comments(written: list[Field]) -> None:
    assert schema_from_spark(schema_to_spark(written)) == tuple(written)


@pytest.fixture
def time_enabled(spark: SparkSession) -> Iterator[SparkSession]:
    spark.conf.set("spark.sql.timeType.enabled", True)
    yield spark
    spark.conf.unset("spark.sql.timeType.enabled")


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(st.lists(types(2), min_size=8, max_size=8))
def test_the_jvm_reads_the_ddl_as_the_same_type(
    time_enabled: SparkSession, written: list[LogicalType]
) -> None:
    nulls = ", ".join(f"CAST(NULL AS {type_.ddl}) AS c{i}" for i, type_ in enumerate(written))
    found = schema_from_spark(time_enabled.sql(f"SELECT {nulls}").schema)
    expected = [value_type(parse_type(type_.ddl)) for type_ in written]
    assert [field.type for field in found] == expected


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(st.lists(fields(types(2)), min_size=1, max_size=4))
def test_the_jvm_reads_the_ddl_of_a_schema_as_the_same_fields(
    time_enabled: SparkSession, written: list[Field]
) -> None:
    parser = time_enabled._jsparkSession.sessionState().sqlParser()
    read = parser.parseTableSchema(schema_ddl(written)).json()
    found = schema_from_spark(spark_types.StructType.fromJson(json.loads(read)))
    assert found == parse_schema(schema_ddl(map(_declared, written)))


def _declared(field: Field) -> Field:
    # pyspark keeps the length of CHAR and VARCHAR, and drops their collation.
    return Field(field.name, _pyspark_has(field.type), field.comment)


def test_declared_lengths_survive_in_the_metadata_of_columns(spark: SparkSession) -> None:
    spark.sql(
        "CREATE TABLE declared (code CHAR(3) NOT NULL COMMENT 'iso', n VARCHAR(9)) USING parquet"
    )
    try:
        schema = spark.table("declared").schema
        assert isinstance(schema["code"].dataType, spark_types.StringType)
        assert schema_from_spark(schema) == (
            Field("code", CharType(length=3), "iso"),
            Field("n", VarcharType(length=9)),
        )
    finally:
        spark.sql("DROP TABLE declared")


def test_nullability_of_the_outermost_type_is_given_by_the_holder() -> None:
    assert from_spark(spark_types.IntegerType()) == INT
    assert from_spark(spark_types.IntegerType(), nullable=False) == INT.not_null()
    items = spark_types.ArrayType(spark_types.StringType(), containsNull=False)
    assert from_spark(items) == array(STRING.not_null())
    assert to_spark(array(STRING.not_null())) == items
    assert schema_to_spark([Field("a", INT, "x")])["a"].metadata == {"comment": "x"}


def test_what_sql_cannot_say_is_refused() -> None:
    with pytest.raises(DataTypeError, match="vector is not a type of SQL"):
        from_spark(VectorUDT())
    with pytest.raises(DataTypeError, match=r"pyspark has no CHAR\(3\) COLLATE UNICODE"):
        to_spark(CharType(length=3, collation="UNICODE"))


SPECIFIERS = ("CI", "CS", "AI", "AS", "RTRIM")
COLLATIONS = [
    *("UTF8_BINARY", "utf8_lcase", "unicode", "nope", "en_us", "sr_cyrl_srb_ci_rtrim"),
    *(f"{base}_{said}" for base in ("utf8_binary", "UTF8_LCASE", "nope") for said in SPECIFIERS),
    *(f"DE_{one}_{other}" for one, other in product(SPECIFIERS, repeat=2)),
]


def test_collations_are_those_of_spark(spark: SparkSession) -> None:
    java: Any = spark
    factory = java._jvm.org.apache.spark.sql.catalyst.util.CollationFactory
    listed = [row.name for row in spark.sql("SELECT name FROM collations()").collect()]
    assert [canonical_collation(name) for name in listed] == listed
    for name in COLLATIONS:
        try:
            found = factory.fetchCollation(factory.collationNameToId(name))
            collation = get_field(found, "collationName")
        except Py4JJavaError:
            collation = None
        try:
            assert canonical_collation(name) == collation
        except DataTypeError:
            assert collation is None, name
