"""Avro and Protobuf bytes: the types of their schemas, and of the calls.

Spark runs these functions only with its packages ``spark-avro`` and ``spark-protobuf``. The types
of Avro schemas are compared with Spark's converter, which comes with Spark itself.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.expressions.functions.palette import SCHEMA
from viewscribe import call, col, lit
from viewscribe import functions as F
from viewscribe.errors import DataTypeError, TypeMismatchError, ValidationError
from viewscribe.expressions.resolve import resolve
from viewscribe.spark.types import schema_from_spark
from viewscribe.types.ddl import type_text
from viewscribe.types.foreign_schemas import avro_type, protobuf_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PERSON = """{"type": "record", "name": "person", "namespace": "a.b", "fields": [
    {"name": "age", "type": ["null", "int"]},
    {"name": "name", "type": "string"},
    {"name": "home", "type": {"type": "record", "name": "place", "fields": [
        {"name": "city", "type": "string"}]}},
    {"name": "work", "type": ["place", "null"]},
    {"name": "other", "type": {"type": "array", "items": "a.b.place"}},
    {"name": "mood", "type": {"type": "enum", "name": "mood", "symbols": ["GOOD"]}},
    {"name": "moods", "type": {"type": "map", "values": "mood"}}]}"""
_DECIMAL = '"logicalType": "decimal", "precision": 10, "scale": 2'
_FIXED = '{{"type": "fixed", "name": "f", "size": {}, "logicalType": "decimal", "precision": {}}}'
_SPARK_TYPE = '"spark.sql.catalyst.type"'

FULL = [(1, 2), (2, 4), (4, 9), (5, 11), (8, 18), (16, 38)]
"""Sizes of an Avro ``fixed``, and how many digits always fit."""

SCHEMAS = [
    *(f'"{name}"' for name in ("null", "boolean", "int", "long", "float", "double")),
    '"bytes"',
    '{"type": "string", "logicalType": "uuid"}',
    '{"type": "int", "logicalType": "date"}',
    '{"type": "int", "logicalType": "time-millis"}',
    '{"type": "long", "logicalType": "time-micros"}',
    '{"type": "long", "logicalType": "timestamp-millis"}',
    '{"type": "long", "logicalType": "timestamp-micros"}',
    '{"type": "long", "logicalType": "local-timestamp-millis"}',
    '{"type": "long", "logicalType": "local-timestamp-micros"}',
    '{"type": "long", "logicalType": "nothing known"}',
    f'{{"type": "bytes", {_DECIMAL}}}',
    '{"type": "bytes", "logicalType": "decimal", "precision": 5}',
    '{"type": "bytes", "logicalType": "decimal", "scale": 5}',
    '{"type": "bytes", "logicalType": "decimal", "precision": 60}',
    f'{{"type": "long", {_DECIMAL}}}',
    f'{{"type": "fixed", "name": "f", "size": 8, {_DECIMAL}}}',
    f'{{"type": "fixed", "name": "f", "size": 5, {_DECIMAL}}}',
    f'{{"type": "fixed", "name": "f", "size": 4, {_DECIMAL}}}',
    *(_FIXED.format(size, precision) for size, precision in FULL),
    *(_FIXED.format(size, precision + 1) for size, precision in FULL),
    '{"type": "bytes", "logicalType": "date", "precision": 5}',
    '{"type": "fixed", "name": "f", "size": 12, "logicalType": "duration"}',
    f'{{"type": "int", {_SPARK_TYPE}: "interval year to month"}}',
    f'{{"type": "long", {_SPARK_TYPE}: "interval day to second"}}',
    f'{{"type": "int", "logicalType": "date", {_SPARK_TYPE}: "interval month"}}',
    '["null", "int"]',
    '["int"]',
    '["null"]',
    "[]",
    '["int", "long"]',
    '["float", "null", "double"]',
    '["int", "string", "null"]',
    '["int", {"type": "array", "items": ["null", "int"]}]',
    '["int", "int"]',
    '[["int"]]',
    '{"type": "map", "values": ["null", "int"]}',
    _PERSON,
    '{"type": "record", "name": "r", "fields": []}',
    '{"type": "record", "name": "r", "fields": [{"name": "a", "type": ["null", "r"]}]}',
    '{"type": "record", "name": "r", "fields": [{"name": "a"}]}',
    '{"type": {"type": "int"}}',
    '"nothing"',
    "no JSON",
]


@pytest.mark.parametrize("document", SCHEMAS)
def test_types_of_avro_schemas_are_sparks(spark: SparkSession, document: str) -> None:
    try:
        ours = type_text(avro_type(document))
    except DataTypeError:
        ours = "refused"
    assert ours == _in_spark(spark, document)


def _in_spark(spark: SparkSession, document: str) -> str:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException
    from pyspark.sql.types import StructType

    jvm: Any = spark._jvm
    convert = jvm.org.apache.spark.sql.avro.SchemaConverters.toSqlType
    try:
        found = convert(jvm.org.apache.avro.Schema.Parser().parse(document), False, "", -1)
    except (Py4JJavaError, PySparkException):
        return "refused"
    field = {"name": "c", "type": json.loads(found.dataType().json()), "metadata": {}}
    field["nullable"] = found.nullable()
    fields = schema_from_spark(StructType.fromJson({"type": "struct", "fields": [field]}))
    return type_text(fields[0].type)


@pytest.mark.parametrize(("size", "precision"), FULL)
def test_decimals_of_avro_must_fit_their_bytes(size: int, precision: int) -> None:
    fits, not_fits = (avro_type(_FIXED.format(size, precision + more)) for more in (0, 1))
    assert type_text(fits) == f"DECIMAL({precision}, 0) NOT NULL"
    assert type_text(not_fits) == "BINARY NOT NULL"


def test_only_decimals_of_avro_have_a_precision() -> None:
    document = '{"type": "bytes", "logicalType": "date", "precision": 5}'
    assert type_text(avro_type(document)) == "BINARY NOT NULL"


@pytest.mark.parametrize(
    ("kind", "more", "wanted"),
    [
        ("int", "", "INT"),
        ("long", "", "BIGINT"),
        ("bytes", "", "BINARY"),
        ("string", '"logicalType": "uuid"', "STRING"),
        ("int", '"logicalType": "date"', "DATE"),
        ("long", '"logicalType": "timestamp-millis"', "TIMESTAMP"),
        ("long", '"logicalType": "nothing known"', "BIGINT"),
        ("long", _DECIMAL, "BIGINT"),
        ("bytes", _DECIMAL, "DECIMAL(10, 2)"),
        ("bytes", '"logicalType": "decimal", "precision": 5', "DECIMAL(5, 0)"),
        ("bytes", '"logicalType": "decimal", "scale": 5', "BINARY"),
        ("int", f'{_SPARK_TYPE}: "interval year to month"', "INTERVAL YEAR TO MONTH"),
        ("long", f'{_SPARK_TYPE}: "interval day to second"', "INTERVAL DAY TO SECOND"),
        ("int", f'"logicalType": "date", {_SPARK_TYPE}: "interval month"', "DATE"),
    ],
)
def test_what_primitives_of_avro_mean(kind: str, more: str, wanted: str) -> None:
    document = f'{{"type": "{kind}"{more and ", "}{more}}}'
    assert type_text(avro_type(document)) == f"{wanted} NOT NULL"


def test_avro_calls() -> None:
    assert _typed(F.from_avro("bin_n", _PERSON)).startswith("STRUCT<age: INT, name: STRING NOT")
    lenient = F.from_avro("bin_n", _PERSON, {"mode": "PERMISSIVE"})
    assert "NOT NULL" not in _typed(lenient)
    evolved = F.from_avro("bin_n", '"int"', {"avroSchema": '"long"'})
    assert _typed(evolved) == "BIGINT"
    assert _typed(F.to_avro("st_n")) == _typed(F.to_avro("st_n", '"int"')) == "BINARY NOT NULL"
    assert _typed(F.to_avro("st")) == "BINARY"
    assert _typed(F.schema_of_avro('"int"')) == "STRING NOT NULL"


def test_avro_calls_that_are_refused() -> None:
    for made in (
        call("from_avro", col("bin"), col("s"), call("map")),
        call("from_avro", col("bin"), '"int"', call("map", "mode", 1)),
        call("to_avro", col("i"), col("s")),
        call("to_avro", col("i"), 1),
        call("schema_of_avro", col("s")),
        F.from_avro("bin", "no JSON"),
        F.from_avro("bin", '"int"', {"recursiveFieldMaxDepth": 3}),
        call("from_avro", col("i"), '"int"'),
    ):
        with pytest.raises(ValidationError):
            resolve(made, SCHEMA)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (F.from_avro("bin", '"int"'), "from_avro(bin, '\"int\"')"),
        (
            F.from_avro("bin", '"int"', {"mode": "FAILFAST"}),
            "from_avro(bin, '\"int\"', map('mode', 'FAILFAST'))",
        ),
        (F.to_avro("i"), "to_avro(i)"),
        (F.schema_of_avro('"int"', {}), "schema_of_avro('\"int\"', map())"),
        (F.to_protobuf("st", "M", binaryDescriptorSet=b"\1"), "to_protobuf(st, 'M', X'01')"),
        (F.to_protobuf("st", "a.b.M"), "to_protobuf(st, 'a.b.M')"),
        (
            F.to_protobuf("st", "M", options={"emitDefaultValues": True}),
            "to_protobuf(st, 'M', NULL, map('emitDefaultValues', 'true'))",
        ),
    ],
)
def test_spark_knows_the_calls(spark: SparkSession, made: Any, text: str) -> None:
    from pyspark.errors import AnalysisException

    written = resolve(made, SCHEMA).as_serializable_string()
    assert written == text
    names = "CAST(NULL AS BINARY) AS bin, 1 AS i, named_struct('x', 1) AS st"
    with pytest.raises(AnalysisException, match="NOT_LOADED_SQL_FUNCTIONS_UNUSABLE"):
        spark.sql(f"SELECT {written} FROM (SELECT {names})").collect()


def _typed(made: Any) -> str:
    return type_text(resolve(made, SCHEMA).type)


def _message(*parts: tuple[int, bytes | int]) -> bytes:
    """A Protobuf message of numbered parts."""
    made = b""
    for number, value in parts:
        if isinstance(value, int):
            made += bytes([number << 3, value])
        else:
            made += bytes([number << 3 | 2, len(value) & 127 | 128, len(value) >> 7]) + value
    return made


def _member(name: bytes, kind: int, message: bytes = b"", label: int = 1) -> tuple[int, bytes]:
    return 2, _message((1, name), (4, label), (5, kind), (6, message))


_ENTRY = _message((1, b"PagesEntry"), _member(b"key", 9), _member(b"value", 13), (7, b"\x38\x01"))
_NOTHING = _message((1, b"Nothing"))
_LOOP = _message((1, b"Loop"), _member(b"again", 11, b".a.b.Loop"))
_BOOK = _message(
    (1, b"Book"),
    _member(b"id", 5, label=2),
    _member(b"size", 4),
    _member(b"tags", 9, label=3),
    _member(b"kind", 14, b".a.b.Kind"),
    _member(b"pages", 11, b".a.b.Book.PagesEntry", label=3),
    _member(b"at", 11, b".google.protobuf.Timestamp"),
    _member(b"parts", 11, b".a.b.Book.Inner", label=3),
    _member(b"nothing", 11, b".a.b.Nothing"),
    (3, _ENTRY),
    (3, _message((1, b"Inner"), _member(b"x", 1), _member(b"cover", 12))),
)
_AT = _message((1, b"Timestamp"), _member(b"seconds", 3), _member(b"nanos", 5))
_SET = _message(
    (1, _message((1, b"t.proto"), (2, b"google.protobuf"), (4, _AT))),
    (1, _message((2, b"a.b"), (4, _BOOK), (4, _NOTHING), (4, _LOOP))),
)
_SIMPLE = bytes.fromhex(
    "0ACE010A41636F6E6E6563746F722F70726F746F6275662F7372632F746573742F7265736F75726365732F70"
    "726F746F6275662F7079737061726B5F746573742E70726F746F121D6F72672E6170616368652E737061726B"
    "2E73716C2E70726F746F627566224B0A0D53696D706C654D65737361676512100A0361676518012001280552"
    "0361676512120A046E616D6518022001280952046E616D6512140A0573636F7265180320012803520573636F"
    "72654215421353696D706C654D65737361676550726F746F73620670726F746F33"
)
"""The example of PySpark's documentation."""


def test_types_of_protobuf_messages() -> None:
    simple = "STRUCT<age: INT, name: STRING, score: BIGINT>"
    assert type_text(protobuf_type(_SIMPLE, "SimpleMessage")) == simple
    book = (
        "STRUCT<id: INT NOT NULL, size: BIGINT, tags: ARRAY<STRING NOT NULL>, kind: STRING, "
        "pages: MAP<STRING, INT NOT NULL>, at: TIMESTAMP, "
        "parts: ARRAY<STRUCT<x: DOUBLE, cover: BINARY> NOT NULL>>"
    )
    assert type_text(protobuf_type(_SET, "Book")) == book
    assert type_text(protobuf_type(_SET, "a.b.Book")) == book
    wide = type_text(protobuf_type(_SET, "Book", enums_as_ints=True, upcast_unsigned=True))
    assert wide == book.replace("kind: STRING", "kind: INT").replace(
        "size: BIGINT", "size: DECIMAL(20, 0)"
    ).replace("STRING, INT NOT NULL", "STRING, BIGINT NOT NULL")


def test_each_scalar_of_protobuf_has_its_type() -> None:
    """By the numbers of ``FieldDescriptorProto.Type``: these are Java's types of the fields."""
    types = {
        "DOUBLE": (1,),
        "FLOAT": (2,),
        "BIGINT": (3, 4, 6, 16, 18),
        "INT": (5, 7, 13, 15, 17),
        "BOOLEAN": (8,),
        "STRING": (9, 14),
        "BINARY": (12,),
    }
    for name, kinds in types.items():
        members = [_member(f"f{kind}".encode(), kind) for kind in kinds]
        message = _message((1, b"Scalars"), *members)
        found = protobuf_type(_message((1, _message((4, message)))), "Scalars")
        fields = ", ".join(f"f{kind}: {name}" for kind in kinds)
        assert type_text(found) == f"STRUCT<{fields}>"


def test_options_of_a_message_make_no_map_of_it() -> None:
    options = _message((3, 1))
    inner = _message((1, b"Inner"), _member(b"key", 9), _member(b"value", 5), (7, options))
    outer = _message((1, b"Outer"), _member(b"held", 11, b".Inner"))
    found = protobuf_type(_message((1, _message((4, outer), (4, inner)))), "Outer")
    assert type_text(found) == "STRUCT<held: STRUCT<key: STRING, value: INT>>"


def test_protobuf_messages_that_are_refused() -> None:
    with pytest.raises(DataTypeError, match=r"did you mean: a\.b\.Book"):
        protobuf_type(_SET, "a.b.Bok")
    with pytest.raises(DataTypeError, match=r"`a\.b\.Loop` holds itself"):
        protobuf_type(_SET, "Loop")
    for broken in (_SET[:-5], b"\xff", b"\x0a\x05"):
        with pytest.raises(DataTypeError):
            protobuf_type(broken, "Book")


def test_protobuf_calls(tmp_path: Path) -> None:
    path = tmp_path / "simple.desc"
    path.write_bytes(_SIMPLE)
    made = F.from_protobuf("bin_n", "SimpleMessage", str(path))
    assert _typed(made) == "STRUCT<age: INT, name: STRING, score: BIGINT>"
    assert f"X'{_SIMPLE.hex().upper()}'" in resolve(made, SCHEMA).as_serializable_string()
    lenient = F.from_protobuf("bin", "Book", None, {"mode": "PERMISSIVE"}, _SET)
    assert "NOT NULL" not in _typed(lenient)
    numbered = F.from_protobuf("bin", "Book", None, {"enums.as.ints": True}, _SET)
    assert "kind: INT" in _typed(numbered)
    assert _typed(F.to_protobuf("st_n", "Book", None, None, _SET)) == "BINARY NOT NULL"
    with pytest.raises(TypeMismatchError, match="give the descriptor set"):
        resolve(F.from_protobuf("bin", "Book"), SCHEMA)
    unwrapped = {"unwrap.primitive.wrapper.types": True}
    with pytest.raises(TypeMismatchError, match="not known here"):
        resolve(F.from_protobuf("bin", "Book", None, unwrapped, _SET), SCHEMA)
    with pytest.raises(TypeMismatchError, match="must be a constant"):
        resolve(call("to_protobuf", col("st"), col("s"), lit(b"")), SCHEMA)
    for value in (lit(None), col("s")):
        with pytest.raises(TypeMismatchError):
            resolve(call("to_protobuf", value, "M"), SCHEMA)
