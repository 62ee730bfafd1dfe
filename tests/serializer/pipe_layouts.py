"""Pipelines whose steps do not fit on a line, or need names: ``texts/pipe_layouts.sql``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.serializer.cases import ENV, ODD, ORDERS, PEOPLE
from viewscribe import Table, col, exists, if_then_else, scalar
from viewscribe import functions as F

LAYOUTS: dict[str, Callable[[], Table]] = {}


def layout(make: Callable[[], Table]) -> Callable[[], Table]:
    LAYOUTS[make.__name__] = make
    return make


def amount(number: int) -> Any:
    return F.sum(col("n") * number).alias(f"spent_by_orders_of_the_kind_{number}")


# -- WHERE ---------------------------------------------------------------------------------------


@layout
def conditions_that_fit() -> Table:
    return ORDERS.filter((col("n") > 1) & (col("id") < 9) & col("state").is_not_null())


@layout
def a_condition_a_line() -> Table:
    wanted = (col("n") * 2 > 1) & col("state").is_not_null() & (col("id") < 1000)
    return ORDERS.filter(
        wanted & ((col("person") == 1) | (col("price") > 2)) & col("n").is_not_null()
    )


@layout
def alternatives_of_several_conditions() -> Table:
    first = (col("state") == "new") & (col("n") > 0) & (col("id") < 1000)
    second = (col("state") == "a state with a long name") & (col("n") > 10)
    return ORDERS.filter(first | (second & (col("id") < 2000) & col("person").is_not_null()))


@layout
def a_query_among_conditions() -> Table:
    mine = exists(lambda outer: ORDERS.filter(col("person") == outer("id")))
    return PEOPLE.filter((col("id") > 0) & mine & (col("name") != "x"))


@layout
def a_query_or_a_condition() -> Table:
    return PEOPLE.filter(col("id").in_(ORDERS.select("person")) | (col("name") == "Bob"))


@layout
def a_long_list() -> Table:
    return ORDERS.filter(col("id").in_(*range(1, 60)))


# -- a list of items -----------------------------------------------------------------------------


@layout
def items_a_line_each() -> Table:
    made = [(col("n") + place).alias(f"number_{place}_more") for place in range(5)]
    return ORDERS.add_columns(*made).select("id", *[f"number_{p}_more" for p in range(5)])


@layout
def an_item_broken_before_its_name() -> Table:
    kind = if_then_else(col("state") == "new", "an order that is new", "an order of another kind")
    return ORDERS.select("id", kind.alias("kind_of_order"))


@layout
def sort_keys_a_line_each() -> Table:
    keys = [(col("n") * place + col("id")).desc() for place in range(1, 6)]
    return ORDERS.order_by(*keys).select("id")


# -- AGGREGATE -----------------------------------------------------------------------------------


@layout
def groups_on_their_own_line() -> Table:
    return ORDERS.group_by("person", "state", "price", "id").agg(amount(1))


@layout
def aggregates_deeper_than_groups() -> Table:
    return ORDERS.group_by("person").agg(amount(1), amount(2), amount(3))


@layout
def many_groups() -> Table:
    keys = [(col("n") + place).alias(f"key_number_{place}") for place in range(1, 6)]
    return ORDERS.group_by(*keys).agg(amount(1), amount(2))


@layout
def groups_without_aggregates() -> Table:
    return ORDERS.group_by("person").agg(amount(1)).select("person")


@layout
def computed_from_aggregates() -> Table:
    grouped = ORDERS.group_by("person")
    return grouped.agg((F.sum("n") / F.count("*")).alias("mean"), (F.max("n") + 1).alias("more"))


@layout
def computed_from_aggregates_with_other_keys() -> Table:
    spent = ORDERS.group_by("person").agg(F.sum("n").alias("spent"))
    return spent.select(col("person").alias("who"), (col("spent") * -(col("spent") + 0)).alias("x"))


@layout
def renamed_keys() -> Table:
    spent = ORDERS.group_by("person", "n").agg(F.max("id").alias("m"), F.min("id").alias("k"))
    return spent.select(col("person").alias("id"), "n", (-(col("m") - col("k"))).alias("person"))


@layout
def reordered_aggregates() -> Table:
    spent = ORDERS.group_by("person").agg(F.sum("n").alias("spent"))
    return spent.select("spent", "person")


@layout
def aggregate_in_a_query() -> Table:
    most = scalar(lambda outer: ORDERS.filter(col("person") == outer("id")).select(F.max("n") + 1))
    return PEOPLE.filter(col("id") < most)


# -- ROLLUP, CUBE, GROUPING SETS -----------------------------------------------------------------


@layout
def rollup_above_steps() -> Table:
    spent = ORDERS.filter(col("n") > 0).rollup("person", "state").agg(F.sum("n").alias("spent"))
    return spent.filter(col("spent") > 1)


@layout
def rollup_of_an_expression() -> Table:
    return ORDERS.rollup((col("n") % 2).alias("odd")).agg(F.sum("n").alias("spent"))


@layout
def rollup_of_a_cube() -> Table:
    inner = ORDERS.select("id", "state", "n", col("n").alias("first\n  second"))
    cube = inner.cube("state", "n").agg(F.max("`first\n  second`").alias("most\n  of all"))
    return cube.filter(col("n") > 0).rollup("state").agg(F.count("*").alias("rows"))


@layout
def rollup_of_a_self_join() -> Table:
    a, b = ORDERS.alias("a"), ORDERS.alias("b")
    both = a.join(b, on=col("a.person") == col("b.id"))
    return both.rollup("a.state", "b.n").agg(F.sum("b.id").alias("total"))


@layout
def rollup_on_the_right() -> Table:
    spent = ORDERS.filter(col("n") > 0).rollup("person").agg(F.sum("n").alias("spent"))
    return PEOPLE.select("id").join(spent, on=col("id") == col("person"))


# -- JOIN and names ------------------------------------------------------------------------------


@layout
def join_on_several_conditions() -> Table:
    on = (col("people.id") == col("person")) & (col("n") > 0) & (col("price") > 0)
    return PEOPLE.join(ORDERS, on=on & col("state").is_not_null()).select("name", "n")


@layout
def names_last_beyond_a_join() -> Table:
    a, b = (
        ORDERS.alias("a"),
        ORDERS.select(col("id").alias("other"), col("n").alias("m")).alias("b"),
    )
    both = a.join(b, on=col("n") == col("m")).filter(col("id") > 0)
    again = ORDERS.alias("c")
    joined = both.join(again, on=col("a.id") == col("c.person")).order_by("a.id", "c.id").limit(5)
    return joined.select(col("a.id"), col("c.id").alias("later"), "other")


@layout
def a_query_sees_a_joined_table() -> Table:
    right = ODD.filter(col("`a b`") > 0).select(col("id").alias("odd_id"), "select")
    both = PEOPLE.join(right, on=col("id") == col("odd_id")).filter(col("select") > 0)
    return both.filter(
        exists(lambda outer: ORDERS.filter((col("person") == outer("odd_id")) & (col("n") > 0)))
    )


@layout
def a_query_sees_an_aggregate() -> Table:
    spent = ORDERS.group_by("person").agg(F.sum("n").alias("spent"))
    return spent.filter(exists(lambda outer: PEOPLE.filter(col("id") == outer("person"))))


@layout
def using_then_another_join() -> Table:
    numbers = ORDERS.select("id", "n")
    both = PEOPLE.select("id", "name").join(numbers, using="id")
    return both.join(ODD.select("id", "select"), on=col("n") == col("select")).select("name", "n")


@layout
def bare_again_after_a_semi_join() -> Table:
    on = col("people.id") == col("orders.id")
    return PEOPLE.semi_join(ORDERS, on=on).filter(col("id") > 0).select("id")


@layout
def the_last_of_two_names() -> Table:
    twice = ORDERS.filter(col("n") > 0).alias("first").alias("second")
    return twice.join(PEOPLE, on=col("second.id") == col("people.id")).select("second.id", "name")


@layout
def two_names_of_a_table() -> Table:
    both = PEOPLE.join(ORDERS.alias("first").alias("second"), on=col("second.id") == col("n"))
    return both.select("name", "second.id").alias("third").alias("fourth").filter(col("id") > 0)


@layout
def joined_under_two_names() -> Table:
    left = ORDERS.alias("first").alias("second")
    right = PEOPLE.alias("third").alias("fourth").select("id", "name")
    return left.join(right, on=col("second.id") == col("fourth.id")).select("second.id", "name")


@layout
def values_of_a_name() -> Table:
    found = ENV.from_values([(1, "a"), (2, None)], "id INT, word STRING").alias("w")
    return found.join(PEOPLE, on=col("w.id") == col("people.id")).select("w.id", "name")


@layout
def a_lateral_query_of_a_name() -> Table:
    def mine(outer: Callable[[str], object]) -> Table:
        return ORDERS.filter(col("person") == outer("id")).select("n").alias("numbers")

    return PEOPLE.left_outer_join_lateral(mine).select("name", "numbers.n")


@layout
def a_generator_after_a_join() -> Table:
    both = PEOPLE.join(ORDERS, on=col("people.id") == col("person")).explode("tags", "state")
    return both.drop_columns("at")


# -- PIVOT ---------------------------------------------------------------------------------------


@layout
def many_pivoted_values() -> Table:
    states = ["new", "x", "it's", *[f"another state {place}" for place in range(5)]]
    return ORDERS.group_by("person").pivot("state", states).agg(F.sum(col("n")))
