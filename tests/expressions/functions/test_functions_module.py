"""``viewscribe.functions``: Spark's names and PySpark's arguments."""

from __future__ import annotations

import inspect
from typing import Any

import pyspark.sql.functions
import pytest

import viewscribe.serializer  # noqa: F401  (prints the expressions)
from tests.expressions.functions.palette import SCHEMA
from viewscribe import col, lit, over
from viewscribe import functions as F
from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.resolve import resolve
from viewscribe.types import INT, struct

BY, BY_SQL = over(order_by="i"), "OVER (ORDER BY i)"


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
        (F.hll_sketch_agg("i"), "hll_sketch_agg(i)"),
        (F.hll_sketch_agg("i", lgConfigK=12), "hll_sketch_agg(i, 12)"),
        (F.hll_sketch_agg("i", None), "hll_sketch_agg(i)"),
        (F.tuple_union_double("bin", "bin", mode="min"), "tuple_union_double(bin, bin, 12, 'min')"),
        (F.tuple_union_agg_double("bin", None, "min"), "tuple_union_agg_double(bin, 12, 'min')"),
        (F.tuple_sketch_agg_integer(summary="i", key="s"), "tuple_sketch_agg_integer(s, i)"),
        (F.counter_diff("i", startTime="ts").over(BY), f"counter_diff(i, ts) {BY_SQL}"),
        (F.uuid(7), "uuid(7)"),
        (F.count_min_sketch("i", 0.1, 0.9), "count_min_sketch(i, 0.1D, 0.9D, 0)"),
        (F.count_min_sketch("i", confidence=0.9, eps=0.1), "count_min_sketch(i, 0.1D, 0.9D, 0)"),
        (F.count_min_sketch("i", 0.1, 0.9, 7), "count_min_sketch(i, 0.1D, 0.9D, 7)"),
        (
            F.percentile_cont([0.25, 0.5]).within_group(col("i").desc()),
            "percentile_cont(array(0.25D, 0.5D)) WITHIN GROUP (ORDER BY i DESC)",
        ),
        (
            F.aggregate(F.collect_list("d"), F.lit(1.0), lambda product, x: product * x),
            "aggregate(collect_list(d), 1.0D, (product, x) -> product * x)",
        ),
        (F.make_timestamp("i", "i", "i", "i", "i", "e"), "make_timestamp(i, i, i, i, i, e)"),
        (F.make_timestamp(date="dt", time="tm"), "make_timestamp(dt, tm)"),
        (
            F.try_make_timestamp(date="dt", time="tm", timezone=F.lit("CET")),
            "try_make_timestamp(dt, tm, 'CET')",
        ),
        (F.make_timestamp_ntz(date="dt", time="tm"), "make_timestamp_ntz(dt, tm)"),
        (F.make_interval(), "make_interval()"),
        (F.make_interval(days="i"), "make_interval(0, 0, 0, i)"),
        (F.try_make_interval(), "try_make_interval(0)"),
        (F.current_time(), "current_time()"),
        (F.current_time(3), "current_time(3)"),
        (F.to_time("s", "s"), "to_time(s, s)"),
        (F.time_trunc(F.lit("HOUR"), "tm"), "time_trunc('HOUR', tm)"),
        (F.mask("s"), "mask(s)"),
        (F.mask("s", lowerChar="y"), "mask(s, lowerChar => 'y')"),
        (F.mask("s", otherChar="o"), "mask(s, otherChar => 'o')"),
        (F.sentences("s", country="s"), "sentences(s, '', s)"),
        (F.uniform(1, 2.5, 0), "uniform(1, 2.5D, 0)"),
        (F.randstr(3), "randstr(3)"),
        (F.aes_encrypt("s", "s"), "aes_encrypt(s, s)"),
        (
            F.aes_encrypt("s", "s", padding=F.lit("PKCS")),
            "aes_encrypt(s, s, 'GCM', 'PKCS')",
        ),
        (F.aes_decrypt("bin", "s", aad="s"), "aes_decrypt(bin, s, 'GCM', 'DEFAULT', s)"),
        (F.collate("s", "UNICODE_CI"), "s COLLATE UNICODE_CI"),
        (F.st_geomfromwkb("bin", 4326), "st_geomfromwkb(bin, 4326)"),
        (F.st_asbinary("gm", "XDR"), "st_asbinary(gm, 'XDR')"),
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
        _ = F.uper  # type: ignore[attr-defined]
    for hidden in ("plus", "case", "and", "get_item", "upper_case"):
        assert not hasattr(F, hidden)


def pysparks(name: str) -> list[str]:
    """What PySpark calls the arguments of a function; none where it has no such function."""
    theirs = getattr(pyspark.sql.functions, name, None)
    if not inspect.isfunction(theirs):
        return []
    found = inspect.signature(theirs).parameters.values()
    return [each.name for each in found if each.kind is not each.VAR_POSITIONAL]


def accepted(name: str) -> list[str]:
    """What a function calls its arguments here."""
    ours = [each.name for each in inspect.signature(getattr(F, name)).parameters.values()]
    if ours != ["args", "named"]:
        return ours
    definition = find_built_in(vars(F)["_OTHER_NAMES"].get(name, name))
    assert definition is not None
    return list(vars(F)["_OF_ALIASES"].get(name, definition.parameter_names))


@pytest.mark.parametrize("name", [name for name in dir(F) if pysparks(name)])
def test_the_names_of_arguments_are_pysparks(name: str) -> None:
    if name not in ("col", "column", "lit"):  # viewscribe's own
        assert accepted(name)[: len(pysparks(name))] == pysparks(name)


def test_arguments_by_name() -> None:
    assert sql(F.lpad(col("s"), len=8, pad="*")) == "lpad(s, 8, '*')"
    made = F.regexp_replace(replacement="b", string="s", pattern="a+")
    assert sql(made) == "regexp_replace(s, 'a+', 'b')"
    assert sql(F.ucase(str="s")) == sql(F.upper(col="s")) == "upper(s)"
    assert sql(F.round(col="d", scale=1)) == "round(d, 1)"
    assert sql(F.convert_timezone(None, lit("UTC"), "ts")) == "convert_timezone('UTC', ts)"


def test_arguments_by_name_that_do_not_fit() -> None:
    with pytest.raises(
        TypeError, match=r"hll_sketch_agg\(\) takes `size` once, beside: col, lgConfigK"
    ):
        F.hll_sketch_agg("i", size=12)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="takes `col` once"):
        F.hll_sketch_agg("i", col="l")  # type: ignore[misc]
    with pytest.raises(TypeError, match="takes `value` once"):
        F.counter_diff(startTime="ts")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"upper\(\) takes `value` once, beside: col"):
        F.upper(value="s")  # type: ignore[call-arg]


def test_product_is_no_function_of_sql() -> None:
    with pytest.raises(AttributeError, match=r"multiply what F\.collect_list"):
        _ = F.product  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="create_temporary_system_function"):
        _ = F.udf  # type: ignore[attr-defined]


def test_names_are_listed() -> None:
    listed = dir(F)
    assert {"upper", "when", "count_distinct", "create_map", "mod", "col", "lit"} <= set(listed)
    assert not {"plus", "case", "Any", "operand", "annotations"} & set(listed)
    assert all(hasattr(F, name) for name in listed)
    assert getattr(F, "__all__") == listed  # noqa: B009


def test_numbers_and_a_date_do_not_mix() -> None:
    with pytest.raises(ValidationError, match="six numbers or a date and a time, not both"):
        F.make_timestamp("i", date="dt")


def test_pythons_types_are_not_listed() -> None:
    assert sql(F.int("s")) == "int(s)"
    assert not {"int", "float", "||"} & set(dir(F))


def test_functions_are_documented() -> None:
    assert F.upper.__name__ == "upper"
    assert F.upper.__doc__ == "upper(STRING): The text in upper case."


def test_functions_named_like_pythons_own_do_not_replace_them() -> None:
    for name in ("len", "any", "map", "filter", "sum"):
        getattr(F, name)
    assert F.count_distinct(col("a")) is not None
    assert F.array(["a", "b"]) is not None
