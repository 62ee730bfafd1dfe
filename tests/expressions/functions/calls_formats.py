"""Calls of JSON, CSV, XML and VARIANT; see ``calls.py``."""

from __future__ import annotations

from viewscribe import call, col, lit
from viewscribe.expressions.dsl import Expression

SCALARS = """
from_json: s 'a INT, b STRING' | s 'a INT' m | s 'a VARIANT' | s 'VARIANT' | s 'a VARCHAR(3)'
to_json: st | ai | m | v | ast
schema_of_json: '{"a": 1}' | s | 1
get_json_object: s s | s '$.a'
json_array_length: s
json_object_keys: s
from_csv: s 'a INT, b STRING' | s 'a INT' m | s 'ARRAY<INT>' | s 'VARIANT' | s 'a CHAR(3)'
to_csv: st | st m
schema_of_csv: '1,abc' | s | 1

from_xml: s 'a INT, b STRING' | s 'STRUCT<a: INT>' | s 'VARIANT' | s 'ARRAY<STRUCT<a: INT>>' | s s
from_xml: s 'INT' | s 'a INT' m | s 'a VARCHAR(3)' | s 'nonsense nonsense' | s 1
to_xml: st | v | st m
schema_of_xml: '<p><a>1</a></p>' | s | 1 | '<p>'
xpath: s 'a/b' | s s | s 1
xpath_boolean: s 'a/b' | s s
xpath_double: s 'sum(a/b)' | s s
xpath_float: s 'sum(a/b)' | s s
xpath_int: s 'sum(a/b)' | s s
xpath_long: s 'sum(a/b)' | s s
xpath_short: s 'sum(a/b)' | s s
xpath_string: s 'a/c' | s s

parse_json: s
try_parse_json: s
to_variant_object: st | m | ai | aa | ast | mi
variant_get: v s | v '$.a' | v '$.a' 'int' | v s 'array<int>' | v '$' 'a INT' | v '$' s | v '$' 3
variant_get: v '$.a' 'STRUCT<a: INT>' | v '$.a' 'MAP<STRING, DATE>' | v '$' 'VARIANT' | v '$' 'TIME'
variant_get: v '$.a' 'INTERVAL' | v '$' 'INTERVAL DAY' | v '$.a' 'MAP<INT, INT>' | v '$.a' 'VOID'
variant_get: v '$.a' 'ARRAY<VOID>' | v '$.a' 'a INTERVAL DAY' | v '$' 'CHAR(3)' | v '$' 'nonsense'
try_variant_get: v '$.a' 'int' | v s
is_variant_null: v
is_valid_variant: v
schema_of_variant: v
variant_insert: v '$.a' i | v s s | v s v | v '$.a' ai | v '$.a' aa | v '$' i | v '' i
try_variant_insert: v '$.a' i | v s ai
variant_set: v '$.a' i | v s ai | v s i TRUE | v '$.a' i FALSE | v s i b | v s i 1 | v s i 'true'
try_variant_set: v '$.a' i | v s ai | v s i FALSE | v s i b
variant_array_append: v '$.a' i | v s ai | v '$' i
try_variant_array_append: v '$.a' i | v s ai
variant_delete: v '$.a' | v s | v s s '$.b' | v
variant_strip_nulls: v | v TRUE | v FALSE | v b | v 'true' | v 0
"""

AGGREGATES = """
schema_of_variant_agg: v
"""

JOINED = """
variant_explode: v
variant_explode_outer: v
"""
"""Generators that Spark knows as tables alone."""

NOT_LOADED = ("from_avro", "to_avro", "schema_of_avro", "from_protobuf", "to_protobuf")
"""Functions that Spark only has with a package, ``spark-avro`` or ``spark-protobuf``."""

_OPTIONS = call("map", "mode", "FAILFAST")
_NO_TEXT = call("map", "mode", 1)
_NOTHING = call("map")


def _with_options(name: str, *args: object) -> list[Expression]:
    return [call(name, *args, options) for options in (_OPTIONS, _NO_TEXT, _NOTHING, lit(None))]


NAMED: dict[str, list[Expression]] = {
    "from_json": [
        call("from_json", col("s"), "a INT NOT NULL, b ARRAY<STRUCT<c: DATE>>"),
        call("from_json", col("s_n"), "ARRAY<INT>"),
        call("from_json", col("s"), "MAP<STRING, INT>", _OPTIONS),
        call("from_json", col("s"), "INT"),
        call("from_json", col("s"), "nonsense nonsense"),
        call("from_json", col("s"), col("s")),
        call("from_json", col("s"), lit(None)),
        *_with_options("from_json", col("s"), "a INT"),
    ],
    "to_json": _with_options("to_json", col("st")),
    "schema_of_json": [call("schema_of_json", lit(None)), *_with_options("schema_of_json", "1")],
    "from_csv": [
        call("from_csv", col("s"), "a INT NOT NULL, b DATE"),
        call("from_csv", col("s"), lit(None)),
        *_with_options("from_csv", col("s_n"), "a INT"),
    ],
    "to_csv": [
        call("to_csv", call("named_struct", "a", col("v"))),
        call("to_csv", call("named_struct", "a", call("array", col("v")))),
        call("to_csv", call("named_struct", "a", col("m"))),
        *_with_options("to_csv", col("st_n")),
    ],
    "schema_of_csv": [call("schema_of_csv", lit(None)), *_with_options("schema_of_csv", "1")],
    "from_xml": [
        call("from_xml", col("s_n"), "a INT NOT NULL, b ARRAY<STRUCT<c: DATE>>"),
        call("from_xml", col("s"), lit(None)),
        *_with_options("from_xml", col("s"), "a INT"),
    ],
    "to_xml": [
        call("to_xml", call("named_struct", "a", col("v"))),
        *_with_options("to_xml", col("st")),
    ],
    "schema_of_xml": [
        call("schema_of_xml", lit(None)),
        call("schema_of_xml", call("concat", "<p>", "</p>")),
        *_with_options("schema_of_xml", "<p/>"),
    ],
    "xpath": [
        call("xpath", col("s"), lit(None)),
        call("xpath", col("s"), call("concat", "a", "/b")),
        call("xpath", col("s"), call("uuid")),
        call("xpath_number", col("s"), "a/b"),
    ],
    "to_variant_object": [
        call("to_variant_object", call("map", "a", col("ci"))),
        call("to_variant_object", call("array", col("ds"))),
        call("to_variant_object", call("array", lit(None))),
        call("to_variant_object", call("array", col("mi"))),
        call("to_variant_object", call("named_struct", "a", col("m"), "b", col("v"))),
    ],
    "variant_get": [
        call("variant_get", col("v"), "$.a", "STRUCT<a: INT NOT NULL, b: ARRAY<INT>>"),
        call("variant_get", col("v"), "$.a", lit(None)),
        call("variant_get", col("v"), lit(None), "INT"),
    ],
    "variant_set": [
        call("variant_set", col("v_n"), "$.a", 1, lit(None)),
        call("variant_set", col("v_n"), "$.a", 1, lit(1) > 2),
        call("try_variant_set", col("v_n"), "$.a", 1, lit(None)),
    ],
    "variant_strip_nulls": [call("variant_strip_nulls", col("v_n"), lit(None))],
    "variant_delete": [call("variant_delete", col("v_n"), lit(None), "$.a")],
}
