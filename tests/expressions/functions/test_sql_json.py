"""The JSON functions of the SQL standard, over Spark's VARIANT; expected values after the standard.

Each case says what a call gives for one document; ``FAILS`` where the standard raises an error.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from viewscribe import TableEnvironment, call, col, lit
from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions.resolve import resolve

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENV = TableEnvironment()
TABLE = ENV.from_values([(1, "x", None)], "a INT, s STRING, n STRING")
DOC = (
    '{"a": 1, "s": "x", "t": "12", "b": true, "z": null, "d": "2024-01-31", "f": 1.5, '
    '"o": {"k": [1, 2]}, "l": [10, "y"], "b c": 3}'
)
BROKEN = '{"a": 1'
FAILS = "FAILS"


def value(path: str, expected: Any, doc: str | None = DOC, **options: Any) -> tuple[Any, Any]:
    return lit(doc, "STRING").json_value(path, **options), expected


def exists(path: str, expected: Any, doc: str | None = DOC, **options: Any) -> tuple[Any, Any]:
    return lit(doc, "STRING").json_exists(path, **options), expected


def query(path: str, expected: Any, doc: str | None = DOC, **options: Any) -> tuple[Any, Any]:
    return lit(doc, "STRING").json_query(path, **options), expected


def is_json(doc: str | None, expected: Any, kind: str = "VALUE") -> tuple[Any, Any]:
    return lit(doc, "STRING").is_json(kind=kind), expected


VALUES = [
    value("$.a", "1"),
    value("lax $.a", "1"),
    value("$.s", "x"),
    value("$.b", "true"),
    value("$.z", None),
    value("$.l[1]", "y"),
    value("$.o.k[0]", "1"),
    value('$."b c"', "3"),
    value("$['b c']", "3"),
    value("$", "7", doc="7"),
    value("$.missing", None),
    value("$.o", None),
    value("$.l", None),
    value("$.a", None, doc=None),
    value("$.a", None, doc=BROKEN),
    value("$.a", None, doc="null"),
    value("$.a", 1, returning="INT"),
    value("$.t", 12, returning="INT"),
    value("$.s", None, returning="INT"),
    value("$.b", True, returning="BOOLEAN"),
    value("$.f", 1.5, returning="DOUBLE"),
    value("$.f", Decimal("1.50"), returning="DECIMAL(5, 2)"),
    value("$.d", dt.date(2024, 1, 31), returning="DATE"),
    value("$.o", None, returning="INT"),
    value("$.missing", "none", default_on_empty="none"),
    value("$.missing", "s-x", default_on_empty=call("concat", "s-", col("s"))),
    value("$.z", None, default_on_empty="none", default_on_error="bad"),
    value("$.o", "bad", default_on_empty="none", default_on_error="bad"),
    value("$.a", "bad", doc=BROKEN, default_on_empty="none", default_on_error="bad"),
    value("$.a", None, doc=BROKEN, default_on_empty="none"),
    value("$.a", None, doc=None, default_on_empty="none", default_on_error="bad"),
    value("$.missing", None, default_on_error="bad"),
    value("$.o", None, default_on_empty="none"),
    value("$.s", -1, returning="INT", default_on_error=-1),
    value("$.z", None, returning="INT", default_on_error=-1, default_on_empty=0),
    value("$.missing", 0, returning="INT", default_on_error=-1, default_on_empty=0),
    value("$.missing", -1, returning="INT", default_on_error=-1, on_empty="NULL", doc=BROKEN),
    value("$.a", 1, returning="INT", default_on_error=-1, default_on_empty=0),
    value("$.missing", FAILS, on_empty="ERROR"),
    value("$.missing", None, on_error="ERROR"),
    value("$.a", "1", on_empty="ERROR", on_error="ERROR"),
    value("$.o", FAILS, on_error="ERROR"),
    value("$.s", FAILS, returning="INT", on_error="error"),
    value("$.a", FAILS, doc=BROKEN, on_error="ERROR"),
    value("$.a", None, doc=None, on_empty="ERROR", on_error="ERROR"),
    value("strict $.missing", None),
    value("strict $.missing", "bad", default_on_error="bad", default_on_empty="none"),
    value("strict $.missing", FAILS, on_error="ERROR"),
    value("strict $.missing", None, on_empty="ERROR"),
    (lit(DOC).parse_json().json_value("$.a", returning="INT"), 1),
    (lit(DOC).parse_json().json_value("$.missing", default_on_empty="none"), "none"),
]
EXISTS = [
    exists("$.a", True),
    exists("$.z", True),
    exists("$.o.k[1]", True),
    exists("$.o.k[2]", False),
    exists("$.missing", False),
    exists("$.a", None, doc=None),
    exists("$.a", False, doc=BROKEN),
    exists("$.a", True, doc=BROKEN, on_error="TRUE"),
    exists("$.a", None, doc=BROKEN, on_error="UNKNOWN"),
    exists("$.a", FAILS, doc=BROKEN, on_error="ERROR"),
    exists("$.missing", False, on_error="TRUE"),
    exists("$.missing", False, on_error="UNKNOWN"),
    exists("$.missing", False, on_error="ERROR"),
    exists("$.a", None, doc=None, on_error="TRUE"),
    exists("$.a", None, doc=None, on_error="UNKNOWN"),
    exists("$.a", None, doc=None, on_error="ERROR"),
    exists("strict $.missing", False),
    exists("strict $.missing", True, on_error="TRUE"),
    exists("strict $.missing", None, on_error="UNKNOWN"),
    exists("strict $.missing", FAILS, on_error="ERROR"),
    exists("strict $.a", True, on_error="UNKNOWN"),
    exists("strict $.a", True, on_error="ERROR"),
    (lit(DOC).parse_json().json_exists("$.a"), True),
]
QUERIES = [
    query("$.o", '{"k":[1,2]}'),
    query("$.l", '[10,"y"]'),
    query("$.a", None),
    query("$.z", None),
    query("$.missing", None),
    query("$.o", None, doc=None),
    query("$.o", None, doc=BROKEN),
    query("$.a", "[1]", wrapper="CONDITIONAL"),
    query("$.z", "[null]", wrapper="CONDITIONAL"),
    query("$.l", '[10,"y"]', wrapper="CONDITIONAL"),
    query("$.l", '[[10,"y"]]', wrapper="UNCONDITIONAL"),
    query("$.s", '["x"]', wrapper="unconditional"),
    query("$.missing", None, wrapper="UNCONDITIONAL"),
    query("$.a", "[]", on_error="EMPTY ARRAY"),
    query("$.a", "{}", on_error="EMPTY OBJECT", on_empty="EMPTY ARRAY"),
    query("$.missing", "[]", on_error="EMPTY OBJECT", on_empty="EMPTY ARRAY"),
    query("$.o", "{}", doc=BROKEN, on_error="EMPTY OBJECT", on_empty="EMPTY ARRAY"),
    query("$.o", None, doc=None, on_error="EMPTY OBJECT", on_empty="EMPTY ARRAY"),
    query("$.a", FAILS, on_error="ERROR"),
    query("$.missing", FAILS, on_empty="ERROR"),
    query("$.missing", None, on_error="ERROR"),
    query("strict $.missing", "{}", on_error="EMPTY OBJECT", on_empty="EMPTY ARRAY"),
    query("$.o.k", [1, 2], returning="ARRAY<INT>"),
    query("$.a", None, returning="ARRAY<INT>"),
    query("$.a", FAILS, returning="ARRAY<INT>", on_error="ERROR"),
]
PREDICATES = [
    is_json('{"a": 1}', True),
    is_json(" [1, 2] ", True),
    is_json("1", True),
    is_json('"x"', True),
    is_json("null", True),
    is_json(BROKEN, False),
    is_json("", False),
    is_json("x", False),
    is_json("{} x", False),
    is_json("1, 2", False),
    is_json("1], [2", False),
    is_json('1}, {"a": 2', False),
    is_json('1, "a": 2', False),
    is_json("01", False),
    is_json(None, None),
    is_json(" {}", True, "OBJECT"),
    is_json("[]", False, "OBJECT"),
    is_json("\n[]", True, "ARRAY"),
    is_json("1", False, "ARRAY"),
    is_json("1", True, "SCALAR"),
    is_json("null", True, "SCALAR"),
    is_json("{}", False, "SCALAR"),
    is_json("{", False, "OBJECT"),
    is_json(None, None, "SCALAR"),
]
CONSTRUCTED = [
    (call("json_object"), "{}"),
    (call("json_object", "k", 1, "t", "x"), '{"k":1,"t":"x"}'),
    (call("json_object", "k", col("n")), '{"k":null}'),
    (call("json_object", "k", col("n"), on_null="ABSENT"), "{}"),
    (call("json_object", "k", col("n"), "a", 1, on_null="absent"), '{"a":1}'),
    (call("json_object", "k", True, "d", lit(Decimal("1.50"))), '{"k":true,"d":1.50}'),
    (call("json_object", "k", lit([1, None])), '{"k":[1,null]}'),
    (call("json_object", "o", call("json_object", "k", 1)), '{"o":{"k":1}}'),
    (call("json_object", "l", call("json_array", 1, 2)), '{"l":[1,2]}'),
    (call("json_object", "t", '{"k": 1}'), '{"t":"{\\"k\\": 1}"}'),
    (call("json_array"), "[]"),
    (call("json_array", 1, 2), "[1,2]"),
    (call("json_array", 1, "x", True), '[1,"x",true]'),
    (call("json_array", col("n"), "x"), '["x"]'),
    (call("json_array", col("n"), "x", on_null="NULL"), '[null,"x"]'),
    (call("json_array", 1, col("n")), "[1]"),
    (call("json_array", 1, col("n"), on_null="NULL"), "[1,null]"),
    (call("json_array", call("json_array", 1), 2), "[[1],2]"),
    (call("json_array", lit([1, 2]), "x"), '[[1,2],"x"]'),
    (lit('a"b').json_string(), '"a\\"b"'),
    (lit(1).json_string(), "1"),
    (lit([1, 2]).json_string(), "[1,2]"),
    (col("n").json_string(), None),
]


def sql(made: Any) -> str:
    return resolve(made, TABLE.schema).as_serializable_string()


@pytest.mark.parametrize("cases", [VALUES, EXISTS, QUERIES, PREDICATES, CONSTRUCTED])
def test_values(spark: SparkSession, cases: list[tuple[Any, Any]]) -> None:
    good = [(made, expected) for made, expected in cases if expected is not FAILS]
    table = TABLE.select(*[made.alias(f"c{place}") for place, (made, _) in enumerate(good)])
    text = table.to_sql()
    for frame in (spark.sql(text), table.to_dataframe(spark)):
        row = frame.collect()[0]
        wrong = [
            f"{sql(made)}\n    {found!r}, not {expected!r}"
            for found, (made, expected) in zip(row, good, strict=True)
            if found != expected or type(found) is not type(expected)
        ]
        assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "made", [made for made, expected in VALUES + EXISTS + QUERIES if expected is FAILS], ids=sql
)
def test_errors(spark: SparkSession, made: Any) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException, match="json_"):
        spark.sql(TABLE.select(made.alias("x")).to_sql()).collect()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda s: s.json_value("$.*"), ValidationError, "no counterpart of the path"),
        (lambda s: s.json_value(col("s")), TypeMismatchError, "must be a constant"),
        (lambda s: s.json_value("$.a", on="x"), ValidationError, "no option `on`"),
        (lambda s: s.json_value("$.a", on_empty="x"), ValidationError, "on_empty is not 'x'"),
        (lambda s: s.json_value("$", returning="ARRAY<INT>"), ValidationError, "a scalar"),
        (lambda s: s.json_query("$", returning="INT"), ValidationError, "returns JSON"),
        (lambda s: s.json_query("$", wrapper="BIG"), ValidationError, "wrapper is not"),
        (lambda s: col("a").is_json(), TypeMismatchError, "is INT, not STRING"),
        (lambda s: s.is_json(kind="x"), ValidationError, "kind is not"),
        (lambda s: call("json_object", "k"), ValidationError, "a value for every key"),
        (lambda s: call("json_object", s, 1), ValidationError, "literal texts"),
        (lambda s: s.upper_case().json_value("$").filter(s.is_null()), ValidationError, "filter"),
        (lambda s: call("concat", s, on_null="x"), ValidationError, "no argument by name"),
    ],
)
def test_what_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        resolve(make(col("s")), TABLE.schema)


def test_only_functions_of_spark_are_left() -> None:
    from viewscribe.expressions.functions.definition import FunctionKind
    from viewscribe.expressions.node import postorder
    from viewscribe.expressions.nodes import Call

    for made, _ in VALUES + EXISTS + QUERIES + PREDICATES + CONSTRUCTED:
        for node in postorder(resolve(made, TABLE.schema)):
            if isinstance(node, Call):
                assert node.function.kind is FunctionKind.SCALAR


def test_expansions_stand_deep_inside() -> None:
    made = col("s")
    for _ in range(300):
        made = made.json_value("$", returning="BOOLEAN").cast("STRING")
    assert resolve(made, TABLE.schema).type.ddl == "STRING"
