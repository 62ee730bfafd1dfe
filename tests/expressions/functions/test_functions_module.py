"""``viewscribe.functions``: Spark's names and PySpark's arguments."""

from __future__ import annotations

from typing import Any

import pytest

import viewscribe.serializer  # noqa: F401  (prints the expressions)
from tests.expressions.functions.palette import SCHEMA
from viewscribe import col, over
from viewscribe import functions as F
from viewscribe.errors import ValidationError
from viewscribe.expressions.resolve import resolve
from viewscribe.types import INT, struct


def sql(made: Any) -> str:
    return resolve(made, SCHEMA).as_serializable_string()


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (F.upper("s"), "upper(s)"),
        (F.upper(col("s")), "upper(s)"),
        (F.date_format("dt", "yyyy-MM"), "date_format(dt, 'yyyy-MM')"),
        (F.concat_ws("-", "s", "i"), "concat_ws('-', s, i)"),
        (F.concat("s", "s"), "concat(s, s)"),
        (F.substring("s", 1, 2), "substring(s, 1, 2)"),
        (F.split("s", ","), "split(s, ',')"),
        (F.split("s", ",", 2), "split(s, ',', 2)"),
        (F.regexp_replace("s", "a+", "b"), "regexp_replace(s, 'a+', 'b')"),
        (F.locate("a", "s"), "locate('a', s)"),
        (F.locate("a", "s", 2), "locate('a', s, 2)"),
        (F.instr("s", "a"), "instr(s, 'a')"),
        (F.lpad("s", 5, "0"), "lpad(s, 5, '0')"),
        (F.translate("s", "ab", "cd"), "translate(s, 'ab', 'cd')"),
        (F.overlay("s", "s", 1), "overlay(s PLACING s FROM 1)"),
        (F.round("d"), "round(d)"),
        (F.round("d", 2), "round(d, 2)"),
        (F.round("d", scale=2), "round(d, 2)"),
        (F.log(2.0, "d"), "log(2.0D, d)"),
        (F.rand(seed=42), "rand(42)"),
        (F.shiftLeft("i", 1), "shiftleft(i, 1)"),
        (F.bitwiseNOT("i"), "~i"),
        (F.negate("i"), "-i"),
        (F.isnull("i"), "i IS NULL"),
        (F.greatest("i", "l"), "greatest(i, l)"),
        (F.coalesce("i", "l"), "coalesce(i, l)"),
        (F.to_date("s", "yyyy"), "to_date(s, 'yyyy')"),
        (F.date_trunc("month", "ts"), "date_trunc('month', ts)"),
        (F.trunc("dt", "month"), "trunc(dt, 'month')"),
        (F.months_between("ts", "ts", roundOff=False), "months_between(ts, ts, FALSE)"),
        (F.extract("YEAR", "dt"), "extract(YEAR FROM dt)"),
        (F.timestamp_diff("DAY", "ts", "ts"), "timestampdiff(DAY, ts, ts)"),
        (F.unix_timestamp(), "unix_timestamp()"),
        (F.window("ts", "1 day", startTime="1 hour"), "window(ts, '1 day', '1 day', '1 hour')"),
        (F.session_window("ts", "5 minutes"), "session_window(ts, '5 minutes')"),
        (F.count("*"), "count(*)"),
        (F.count("i"), "count(i)"),
        (F.count_distinct("i", "s"), "count(DISTINCT i, s)"),
        (F.countDistinct("i"), "count(DISTINCT i)"),
        (F.sum_distinct("i"), "sum(DISTINCT i)"),
        (F.first("i"), "first(i)"),
        (F.first("i", ignorenulls=True), "first(i) IGNORE NULLS"),
        (F.percentile_approx("d", (0.1, 0.5)), "percentile_approx(d, array(0.1D, 0.5D))"),
        (F.approx_count_distinct("i", 0.05), "approx_count_distinct(i, 0.05D)"),
        (F.array("i", "l"), "array(i, l)"),
        (F.array(["i", "l"]), "array(i, l)"),
        (F.struct("i", "s"), "struct(i, s)"),
        (F.create_map("s", "i"), "map(s, i)"),
        (F.array_contains("as_", "x"), "array_contains(as_, 'x')"),
        (F.element_at("m", "x"), "element_at(m, 'x')"),
        (F.array_join("as_", ","), "array_join(as_, ',')"),
        (F.sort_array("ai"), "sort_array(ai)"),
        (F.sort_array("ai", asc=False), "sort_array(ai, FALSE)"),
        (F.transform("ai", lambda item: item * 2), "transform(ai, item -> item * 2)"),
        (F.filter("ai", lambda x: x > 1), "filter(ai, x -> x > 1)"),
        (
            F.aggregate("ai", F.lit(0), lambda acc, x: acc + x),
            "aggregate(ai, 0, (acc, x) -> acc + x)",
        ),
        (
            F.zip_with("ai", "ai", lambda x, y: x + y),
            "zip_with(ai, ai, (x, y) -> x + y)",
        ),
        (F.get_json_object("s", "$.a"), "get_json_object(s, '$.a')"),
        (F.json_tuple("s", "a", "b"), "json_tuple(s, 'a', 'b')"),
        (F.from_json("s", struct(("a", INT))), "from_json(s, 'STRUCT<a: INT>')"),
        (
            F.from_json("s", "a INT", {"mode": "FAILFAST"}),
            "from_json(s, 'a INT', map('mode', 'FAILFAST'))",
        ),
        (F.from_xml("s", struct(("a", INT))), "from_xml(s, 'STRUCT<a: INT>')"),
        (
            F.to_xml("st", {"rowTag": "person", "ignoreNullFields": True}),
            "to_xml(st, map('rowTag', 'person', 'ignoreNullFields', 'true'))",
        ),
        (F.schema_of_xml("<a/>"), "schema_of_xml('<a/>')"),
        (F.schema_of_csv("1|a", {"sep": "|"}), "schema_of_csv('1|a', map('sep', '|'))"),
        (F.xpath("s", F.lit("a/b")), "xpath(s, 'a/b')"),
        (F.xpath_number("s", F.lit("a/b")), "xpath_double(s, 'a/b')"),
        (F.variant_get("v", "$.a", "int"), "variant_get(v, '$.a', 'int')"),
        (F.variant_delete("v", "$.a", col("s")), "variant_delete(v, '$.a', s)"),
        (F.variant_insert("v", "$.a", "i"), "variant_insert(v, '$.a', i)"),
        (F.variant_set("v", "$.a", "i"), "variant_set(v, '$.a', i)"),
        (
            F.try_variant_set("v", "$.a", F.lit("x"), create_if_missing=False),
            "try_variant_set(v, '$.a', 'x', FALSE)",
        ),
        (F.variant_strip_nulls("v"), "variant_strip_nulls(v)"),
        (F.variant_strip_nulls("v", include_arrays=False), "variant_strip_nulls(v, FALSE)"),
        (F.explode("ai"), "explode(ai)"),
        (F.call_function("upper", "s"), "upper(s)"),
        (F.when(col("b"), 1), "CASE WHEN b THEN 1 END"),
        (
            F.when(col("i") > 1, "a").when(col("i") > 0, "b").otherwise("c"),
            "CASE WHEN i > 1 THEN 'a' WHEN i > 0 THEN 'b' ELSE 'c' END",
        ),
    ],
)
def test_sql(made: Any, expected: str) -> None:
    assert sql(made) == expected


def test_window_functions() -> None:
    ordered = over(partition_by="b", order_by="i")
    assert sql(F.rank().over(ordered)) == "rank() OVER (PARTITION BY b ORDER BY i)"
    assert sql(F.lag("i").over(ordered)).startswith("lag(i) OVER")
    assert sql(F.lag("i", 2).over(ordered)).startswith("lag(i, 2) OVER")
    assert sql(F.lag("s", 1, "x").over(ordered)).startswith("lag(s, 1, 'x') OVER")
    assert sql(F.lead("i", default=0).over(ordered)).startswith("lead(i, 1, 0) OVER")


def test_sort_keys() -> None:
    key = F.desc("i")
    assert (key.descending, key.nulls_come_first) == (True, False)
    key = F.asc_nulls_last(col("i"))
    assert (key.descending, key.nulls_come_first) == (False, False)


def test_otherwise_follows_when_once() -> None:
    with pytest.raises(ValidationError, match=r"otherwise\(\) follows"):
        F.upper("s").otherwise(1)
    with pytest.raises(ValidationError, match=r"when\(\) follows"):
        F.when(col("b"), 1).otherwise(2).when(col("b"), 3)


def test_unknown_names_show_the_nearest() -> None:
    with pytest.raises(AttributeError, match="Spark has no function `uper`; did you mean: upper"):
        _ = F.uper
    for hidden in ("plus", "case", "and", "get_item", "upper_case"):
        assert not hasattr(F, hidden)


def test_names_are_listed() -> None:
    listed = dir(F)
    assert {"upper", "when", "count_distinct", "create_map", "mod", "col", "lit"} <= set(listed)
    assert not {"plus", "case", "Any", "operand", "annotations"} & set(listed)
    assert all(hasattr(F, name) for name in listed)
    assert getattr(F, "__all__") == listed  # noqa: B009


def test_functions_are_documented() -> None:
    assert F.upper.__name__ == "upper"
    assert F.upper.__doc__ == "upper(STRING): The text in upper case."


def test_functions_named_like_pythons_own_do_not_replace_them() -> None:
    for name in ("len", "any", "map", "filter", "sum"):
        getattr(F, name)
    assert F.count_distinct(col("a")) is not None
    assert F.array(["a", "b"]) is not None
