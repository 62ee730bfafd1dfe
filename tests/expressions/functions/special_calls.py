"""Calls that a table of columns cannot say: with lambdas, names, aliases and literals of types."""

from __future__ import annotations

from decimal import Decimal

from tests.expressions.functions import calls_formats, calls_sketches, calls_times
from viewscribe import call, col, lit, row
from viewscribe.expressions.dsl import Expression

LAMBDAS: dict[str, list[Expression]] = {
    "transform": [
        call("transform", col("ai"), lambda x: x + 1),
        call("transform", col("an_n"), lambda x: x + 1),
        call("transform", col("an"), lambda x, i: x * i),
        call("transform", col("ast_n"), lambda x: x["y"]),
        call("transform", col("aa"), lambda x: call("transform", x, lambda y: y + 1)),
        call("transform", col("as_"), lambda x: col("i_n")),
    ],
    "filter": [
        call("filter", col("ai"), lambda x: x > 1),
        call("filter", col("an_n"), lambda x, i: x > i),
        call("filter", col("as_"), lambda x: x),
        call("filter", col("ai"), lambda x: x),
    ],
    "exists": [
        call("exists", col("ai"), lambda x: x > 1),
        call("exists", col("an_n"), lambda x: x > 1),
        call("exists", col("an_n"), lambda x: x > col("i")),
    ],
    "forall": [
        call("forall", col("an"), lambda x: x),
        call("forall", col("ai"), lambda x: x > 1),
        call("forall", col("an_n"), lambda x: x > 1),
        call("forall", col("an"), lambda x: x.is_null()),
    ],
    "aggregate": [
        call("aggregate", col("ai"), 0, lambda acc, x: acc + x),
        call("aggregate", col("an_n"), 0, lambda acc, x: acc + x),
        call("aggregate", col("an_n"), col("l_n"), lambda acc, x: acc + x),
        call("aggregate", col("an_n"), col("l_n"), lambda acc, x: acc + x, lambda acc: acc / 2),
        call("aggregate", col("an_n"), 0, lambda acc, x: acc + x, lambda acc: acc.is_null()),
        call("aggregate", col("ad_n"), 0, lambda acc, x: acc + x),
        call("aggregate", col("an"), "", lambda acc, x: acc + x),
        call("aggregate", col("an"), lit(None), lambda acc, x: x),
        call("aggregate", col("as_"), "", lambda acc, x: call("concat", acc, x)),
    ],
    "zip_with": [
        call("zip_with", col("ai"), col("as_"), lambda x, y: call("concat", x, y)),
        call("zip_with", col("an_n"), col("an_n"), lambda x, y: x + y),
        call("zip_with", col("an_n"), col("an"), lambda x, y: lit(1)),
    ],
    "array_sort": [
        call("array_sort", col("ai"), lambda x, y: x - y),
        call("array_sort", col("an_n"), lambda x, y: lit(0)),
        call("array_sort", col("an_n"), lambda x, y: lit("a")),
        call("array_sort", col("an_n"), lambda x, y: lit(None).cast("INT")),
    ],
    "map_filter": [
        call("map_filter", col("m"), lambda k, v: v > 1),
        call("map_filter", col("mi_n"), lambda k, v: k),
        call("map_filter", col("mi_n"), lambda k, v: k > 1),
    ],
    "transform_keys": [
        call("transform_keys", col("m"), lambda k, v: call("upper", k)),
        call("transform_keys", col("mi_n"), lambda k, v: v),
        call("transform_keys", col("mi_n"), lambda k, v: col("m")),
    ],
    "transform_values": [
        call("transform_values", col("m"), lambda k, v: k),
        call("transform_values", col("mi_n"), lambda k, v: v + 1),
    ],
    "map_zip_with": [
        call("map_zip_with", col("m"), col("m_n"), lambda k, x, y: x + y),
        call("map_zip_with", col("mi_n"), col("mi_n"), lambda k, x, y: k),
        call("map_zip_with", col("mi_n"), col("m"), lambda k, x, y: y),
    ],
}

NAMED: dict[str, list[Expression]] = {
    "struct": [row("a", 1), row(col("i"), col("st")["x"]), row(col("i") + 1, col("s_n"))],
    "arrays_zip": [
        call("arrays_zip", col("ai"), col("an_n")),
        call("arrays_zip", col("ai"), call("array", 1)),
        call("arrays_zip", call("array", 1), col("as_")),
    ],
    "get_item": [
        call("array", col("i_n"), col("l"))[0],
        call("array", col("i_n"), col("l"))[1],
        call("array", col("i_n"), col("l_n"))[2],
        call("map", "a", 1)["a"],
    ],
    "element_at": [
        call("element_at", call("array", col("i_n"), col("l")), place) for place in (0, 1, 2, 3)
    ],
    "try_element_at": [
        call("try_element_at", call("array", col("i_n"), col("l")), place) for place in (1, -1, 3)
    ],
    "get": [call("get", call("array", col("i_n"), col("l")), place) for place in (0, 1, 2)],
    "less_than": [
        col("i_n") < Decimal("1.5"),
        lit(Decimal("1.5")) < col("l_n"),
        col("i") < Decimal("1.5"),
        col("t_n") < Decimal(1),
    ],
    "greater_than_or_equal": [col("i_n") >= Decimal("1.50")],
    "equals": [col("i_n") == Decimal("1.5")],
    "between": [col("i_n").between(Decimal("1.5"), Decimal("3.25")), col("i_n").between(1, 2)],
    "mode": [call("mode").within_group(col("i")), call("mode").within_group(col("s_n").desc())],
    "get_field": [
        col("st")["x"],
        col("st_n")["x"],
        col("st_n")["y"],
        col("ast")["x"],
        col("ast_n")["y"],
        col("ast_n")[0]["x"],
        col("ast_n")[col("i")]["x"],
        col("st")["z"],
        col("i")["x"],
    ],
    "variant_get": [
        col("v")["a"],
        col("v_n")["a"],
        col("v")["it's"],
        col("v")[0],
    ],
    "window": [
        call("window", col("ts"), "1 day"),
        call("window", col("ts_n"), "1 day", "1 hour"),
        call("window", col("tn_n"), "1 day", "1 hour", "5 minutes"),
        call("window", col("ts"), "1 day", "1 day", "5 minutes"),
        call("window", col("dt"), "1 day"),
        call("window", col("i"), "1 day"),
    ],
    "session_window": [
        call("session_window", col("ts"), "5 minutes"),
        call("session_window", col("tn_n"), "5 minutes"),
        call("session_window", col("i"), "5 minutes"),
    ],
    "percentile": [
        call("percentile", col("d"), lit([0.1, 0.9])),
        call("percentile_approx", col("e"), call("array", 0.1, 0.9), 100),
    ],
    "case": [
        call("case", col("b"), lit(None), 1),
        call("case", col("b_n"), 1, col("b"), 2, "x"),
    ],
    "coalesce": [call("coalesce", lit(None), lit(None)), call("coalesce", col("st"), col("st_n"))],
    "in": [col("i").in_(1, None), col("st_n").in_(col("st_n")), col("an_n").in_(col("ai"))],
}

NAMED |= calls_formats.NAMED
NAMED |= calls_sketches.NAMED
NAMED |= calls_times.NAMED
