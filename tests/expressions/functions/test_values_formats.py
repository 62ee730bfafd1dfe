"""Examples of Spark's documentation: as SQL text and interpreted they give what it says."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import viewscribe as vs
from tests.expressions.functions.values import wrong_values
from tests.spark.answers import Answers
from viewscribe import call, col, lit
from viewscribe import functions as F
from viewscribe.expressions.dsl import Expression
from viewscribe.serializer import STYLES
from viewscribe.table_api.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[object, ...]

_PLACES = "<a><b>b1</b><b>b2</b><b>b3</b><c>c1</c><c>c2</c></a>"
_NUMBERS = "<a><b>1</b><b>2</b></a>"
_FULL = '{"a": 1, "b": 2, "c": 3, "items": [1, 2, 3]}'
_DAY = datetime(2015, 8, 26)


def _json(text: str | None) -> Expression:
    return call("parse_json", lit(text))


def _changed(name: str, text: str | None, *args: object) -> Expression:
    return call("to_json", call(name, _json(text), *args))


def _text(name: str, *args: object) -> Expression:
    return call(name, *args).cast("STRING")


CASES: list[tuple[Expression, str | None]] = [
    (_text("from_xml", "<p><a>1</a><b>0.8</b></p>", "a INT, b DOUBLE"), "{1, 0.8}"),
    (
        _text(
            "from_xml",
            "<p><time>26/08/2015</time></p>",
            "time TIMESTAMP",
            call("map", "timestampFormat", "dd/MM/yyyy"),
        ),
        "{2015-08-26 00:00:00}",
    ),
    (call("to_json", call("from_xml", "<p><a>1</a></p>", "VARIANT")), '{"a":1}'),
    (
        call("to_xml", call("named_struct", "a", 1, "b", 2)),
        "<ROW>\n    <a>1</a>\n    <b>2</b>\n</ROW>",
    ),
    (
        call(
            "to_xml",
            call("named_struct", "time", _DAY),
            call("map", "timestampNTZFormat", "dd/MM/yyyy", "rowTag", "r"),
        ),
        "<r>\n    <time>26/08/2015</time>\n</r>",
    ),
    (call("schema_of_xml", "<p><a>1</a></p>"), "STRUCT<a: BIGINT>"),
    (
        call(
            "schema_of_xml",
            '<p><a attr="2">1</a><a>3</a></p>',
            call("map", "excludeAttribute", "true"),
        ),
        "STRUCT<a: ARRAY<BIGINT>>",
    ),
    (_text("xpath", _PLACES, "a/b/text()"), "[b1, b2, b3]"),
    (_text("xpath", _PLACES, "a/b"), "[null, null, null]"),
    (_text("xpath_boolean", "<a><b>1</b></a>", "a/b"), "true"),
    (_text("xpath_double", _NUMBERS, "sum(a/b)"), "3.0"),
    (_text("xpath_number", _NUMBERS, "sum(a/b)"), "3.0"),
    (_text("xpath_float", _NUMBERS, "sum(a/b)"), "3.0"),
    (_text("xpath_int", _NUMBERS, "sum(a/b)"), "3"),
    (_text("xpath_long", _NUMBERS, "sum(a/b)"), "3"),
    (_text("xpath_short", _NUMBERS, "sum(a/b)"), "3"),
    (call("xpath_string", "<a><b>b</b><c>cc</c></a>", "a/c"), "cc"),
    (call("schema_of_csv", "1,abc"), "STRUCT<_c0: INT, _c1: STRING>"),
    (call("schema_of_csv", "1|a", call("map", "sep", "|")), "STRUCT<_c0: INT, _c1: STRING>"),
    (_text("from_csv", "1, 0.8", "a INT, b DOUBLE"), "{1, 0.8}"),
    (call("to_csv", call("named_struct", "a", 1, "b", 2)), "1,2"),
    (call("schema_of_json", '[{"col":0}]'), "ARRAY<STRUCT<col: BIGINT>>"),
    (_text("variant_get", _json('{"a": 1}'), "$.a", "int"), "1"),
    (_text("variant_get", _json('[1, "hello"]'), "$[1]"), "hello"),
    (_text("try_variant_get", _json('[1, "hello"]'), "$[1]", "int"), None),
    (call("to_json", call("to_variant_object", call("named_struct", "a", 1))), '{"a":1}'),
    (_text("is_valid_variant", _json("null")), "true"),
    (_text("is_valid_variant", _json('[{"b":true,"a":0}]')), "true"),
    (call("schema_of_variant", _json("null")), "VOID"),
    (
        call("schema_of_variant", _json('[{"b":true,"a":0}]')),
        "ARRAY<OBJECT<a: BIGINT, b: BOOLEAN>>",
    ),
    (_changed("variant_insert", '{"a": 1}', "$.b", 2), '{"a":1,"b":2}'),
    (_changed("variant_insert", "{}", "$.a.b", 1), '{"a":{"b":1}}'),
    (_changed("variant_insert", '["a","b"]', "$[5]", "z"), '["a","b",null,null,null,"z"]'),
    (_changed("variant_insert", "{}", "$.a", _json("null")), '{"a":null}'),
    (_changed("variant_insert", "{}", "$.a", None), None),
    (_changed("try_variant_insert", '{"a": 1}', "$.a", 2), None),
    (_changed("try_variant_insert", '{"a": 1}', "$.b", 2), '{"a":1,"b":2}'),
    (_changed("variant_set", '{"a": 1}', "$.a", 2), '{"a":2}'),
    (_changed("variant_set", '{"a": 1}', "$.b", 2, False), '{"a":1}'),
    (_changed("variant_set", '["a","b","c"]', "$[1]", "z"), '["a","z","c"]'),
    (_changed("try_variant_set", '{"a": 1}', "$.a.b", 2), None),
    (_changed("try_variant_set", '{"a": 1}', "$.b", 3), '{"a":1,"b":3}'),
    (_changed("variant_array_append", "[1, 2, 3]", "$", 4), "[1,2,3,4]"),
    (_changed("variant_array_append", '{"a": [1, 2]}', "$.a", 3), '{"a":[1,2,3]}'),
    (_changed("try_variant_array_append", '{"a": 1}', "$.a", 2), None),
    (
        _changed("variant_delete", _FULL, None, "$.a", "$.c"),
        '{"b":2,"items":[1,2,3]}',
    ),
    (
        _changed("variant_delete", _FULL, "$.items[0]", "$.items[0]"),
        '{"a":1,"b":2,"c":3,"items":[3]}',
    ),
    (_changed("variant_delete", None, "$.a"), None),
    (_changed("variant_strip_nulls", '{"a": 1, "b": null, "c": 3}'), '{"a":1,"c":3}'),
    (_changed("variant_strip_nulls", '{"a": [1, null], "b": null}', False), '{"a":[1,null]}'),
]


def test_values(spark: SparkSession) -> None:
    assert wrong_values(spark, CASES) == []


_DOCUMENTS = vs.TableEnvironment().from_values(
    [(1, '{"a": true, "b": 3.14}'), (2, '["hello", "world"]'), (3, "1"), (4, None)],
    "id INT, j STRING",
)
_VARIANTS = _DOCUMENTS.select("id", F.parse_json("j").alias("v"))
_FIELDS = _VARIANTS.generate(F.variant_explode("v"))
_ROWS: list[Row] = [
    (1, 0, "a", "true"),
    (1, 1, "b", "3.14"),
    (2, 0, None, '"hello"'),
    (2, 1, None, '"world"'),
]


def test_the_schema_of_many_variants(spark: SparkSession) -> None:
    objects = _DOCUMENTS.filter(col("id") != 2)
    made = objects.agg(F.schema_of_variant_agg(F.parse_json("j")).alias("c"))
    _gives(spark, made, [("VARIANT",)])
    made = objects.filter(col("id") == 1).agg(F.schema_of_variant_agg(F.parse_json("j")).alias("c"))
    _gives(spark, made, [("OBJECT<a: BOOLEAN, b: DECIMAL(3,2)>",)])


def test_rows_of_variants(spark: SparkSession) -> None:
    made = _FIELDS.select("id", "pos", "key", F.to_json("value").alias("value"))
    _gives(spark, made, _ROWS)
    assert "JOIN LATERAL variant_explode(parse_json(j)) AS variant_explode(pos, key, value)" in (
        made.to_sql()
    )


def test_rows_of_variants_and_those_without(spark: SparkSession) -> None:
    for made in (
        _VARIANTS.generate(F.variant_explode("v"), outer=True),
        _VARIANTS.generate(F.variant_explode_outer("v")),
    ):
        shown = made.select("id", "pos", "key", F.to_json("value").alias("value"))
        _gives(spark, shown, [*_ROWS, (3, None, None, None), (4, None, None, None)])
        fields = made.to_dataframe(spark).schema.fields
        assert [field.nullable for field in fields] == [field.nullable for field in made.schema]


def test_rows_of_variants_beside_other_rows(spark: SparkSession) -> None:
    tags = _DOCUMENTS.add_columns(F.array(lit("x"), lit("y")).alias("tags"))
    exploded = tags.explode("tags", "tag").generate(F.variant_explode(F.parse_json("j")))
    made = exploded.filter(col("key") == "a").select("id", "tag", "pos")
    _gives(spark, made, [(1, "x", 0), (1, "y", 0)])
    both = _FIELDS.add_columns(F.array(lit("x"), lit("y")).alias("tags")).explode("tags", "tag")
    made = both.filter(col("key") == "b").select("id", "tag", "pos")
    _gives(spark, made, [(1, "x", 1), (1, "y", 1)])


def test_rows_of_variants_joined(spark: SparkSession) -> None:
    joined = _FIELDS.alias("f").join(_DOCUMENTS.alias("d"), on=col("f.pos") == col("d.id"))
    made = joined.select(col("f.id"), col("key"), col("d.id").alias("other"))
    _gives(spark, made, [(1, "b", 1), (2, None, 1)])


def test_rows_of_variants_under_names_of_the_table(spark: SparkSession) -> None:
    named = _DOCUMENTS.select(col("id").alias("pos"), F.parse_json("j").alias("value"))
    made = named.generate(F.variant_explode("value"), ["place", "name", "part"])
    found = made.filter(col("place") > 0).select("pos", "place", "name")
    _gives(spark, found, [(1, 1, "b"), (2, 1, None)])


def _gives(spark: SparkSession, table: Table, rows: list[Row]) -> None:
    """The rows of the table, as text of every style and interpreted."""
    answers = Answers(_rows)
    for frame in (table.to_dataframe(spark), *map(spark.sql, map(table.to_sql, STYLES))):
        assert frame.columns == table.columns
        assert answers.of(frame) == sorted(rows, key=repr)


def _rows(frame: DataFrame) -> list[Row]:
    return sorted(map(tuple, frame.collect()), key=repr)
