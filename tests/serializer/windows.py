"""Pipelines whose calls share windows, and the windows that their readable text names."""

from __future__ import annotations

from collections.abc import Callable

from tests.opaque import opaque
from tests.serializer.cases import ENV, ORDERS, PEOPLE
from viewscribe import Table, col, exists, lit, over, scalar
from viewscribe import functions as F

SHARING: dict[str, tuple[Callable[[], Table], list[str]]] = {}

MINE = over(partition_by="person", order_by="id")
NEWEST = over(partition_by="state", order_by=col("id").desc())


def shares(*names: str) -> Callable[[Callable[[], Table]], Callable[[], Table]]:
    """The windows defined in the readable text, in its order."""

    def add(make: Callable[[], Table]) -> Callable[[], Table]:
        SHARING[make.__name__] = (make, list(names))
        return make

    return add


def ranked(orders: Table = ORDERS) -> Table:
    return orders.select(
        "id",
        "n",
        F.rank().over(MINE).alias("place"),
        F.sum(col("n")).over(MINE).alias("running"),
    )


@shares("w")
def two_calls() -> Table:
    return ranked()


@shares("w", "w2")
def two_windows() -> Table:
    return ORDERS.select(
        F.rank().over(MINE).alias("a"),
        F.lag(col("n")).over(NEWEST).alias("b"),
        F.sum(col("n")).over(NEWEST).alias("c"),
        F.lead(col("n")).over(MINE).alias("d"),
        F.max(col("n")).over(over(order_by="id")).alias("e"),
    )


@shares()
def a_window_that_says_one_thing() -> Table:
    by = over(partition_by="person")
    return ORDERS.select(F.sum(col("n")).over(by).alias("a"), F.max(col("n")).over(by).alias("b"))


@shares()
def everything() -> Table:
    return ORDERS.select(F.sum(col("n")).over().alias("a"), F.max(col("n")).over().alias("b"))


@shares("w")
def frames_are_part_of_a_window() -> Table:
    last = MINE.rows_between(-2, 0)
    return ORDERS.select(
        F.sum(col("n")).over(last).alias("a"),
        F.avg(col("n")).over(last).alias("b"),
        F.sum(col("n")).over(MINE).alias("c"),
        F.sum(col("n")).over(MINE.range_between(None, 0)).alias("d"),
    )


@shares("w")
def the_place_of_nulls_is_part_of_a_window() -> Table:
    last = over(partition_by="person", order_by=col("n").asc().nulls_last())
    first = over(partition_by="person", order_by=col("n").asc())
    return ORDERS.select(
        F.sum(col("id")).over(last).alias("a"),
        F.sum(col("id")).over(first).alias("b"),
        F.count("*").over(first).alias("c"),
    )


@shares("w")
def within_one_expression() -> Table:
    share = F.sum(col("n")).over(MINE) / F.count("*").over(MINE)
    return ORDERS.select("id", share.alias("mean"))


@shares("w")
def with_clauses_of_the_calls() -> Table:
    return ORDERS.select(
        F.sum(col("n")).filter(col("n") > 1).over(MINE).alias("a"),
        F.lag(col("n")).ignore_nulls().over(MINE).alias("b"),
    )


@shares("w2")
def a_column_is_called_w() -> Table:
    return ORDERS.select(col("n").alias("W"), "id", "person").add_columns(
        F.rank().over(MINE).alias("a"), F.sum(col("id")).over(MINE).alias("b")
    )


@shares("w2", "w4")
def columns_are_called_like_windows() -> Table:
    return ORDERS.select(
        F.rank().over(MINE).alias("w"),
        F.sum(col("n")).over(MINE).alias("w3"),
        F.rank().over(NEWEST).alias("a"),
        F.sum(col("n")).over(NEWEST).alias("b"),
    )


@shares("w")
def qualify_by_name() -> Table:
    return ranked().filter(col("place") == 1)


@shares("w")
def qualify_alone() -> Table:
    return ranked().filter((col("place") == 1) & (col("running") > 0)).select("id")


@shares("w")
def qualify_by_name_and_by_call() -> Table:
    return ranked().filter((col("place") == 1) | (col("running") > 3)).select("id", "place")


@shares("w")
def qualify_with_a_hidden_column() -> Table:
    replaced = ORDERS.add_or_replace_columns((col("person") + 1).alias("person"))
    by = over(partition_by="state", order_by="id")
    return replaced.add_columns(
        F.rank().over(by).alias("a"), F.sum(col("person")).over(by).alias("b")
    ).filter(col("a") <= 2)


@shares("w")
def a_key_that_is_computed_below() -> Table:
    computed = ORDERS.select("id", (col("n") + 1).alias("m"), F.coalesce("person", lit(0)))
    by = over(partition_by="m", order_by=col("id").desc())
    return computed.add_columns(
        F.rank().over(by).alias("a"), F.count("*").over(by).alias("b")
    ).filter(col("a") == 1)


@shares("w")
def used_again_in_another_column() -> Table:
    return ORDERS.select("id", F.rank().over(MINE).alias("a")).add_columns(
        (col("a") + 1).alias("b")
    )


@shares("w")
def sorted_by_windows() -> Table:
    return ranked().order_by("place", col("running").desc(), "id").limit(3)


@shares("w")
def sorted_by_what_windows_give() -> Table:
    return ranked().order_by((col("place") + col("running")).desc(), "id").limit(3)


@shares("w")
def sorted_by_a_window_that_goes() -> Table:
    return ranked().order_by("place", "id").limit(2).select("id")


@shares("w")
def sorted_by_a_window_that_is_replaced() -> Table:
    return ranked().order_by("place", "id").limit(2).add_or_replace_columns(lit(1).alias("place"))


@shares("w")
def sorted_by_a_window_that_is_renamed() -> Table:
    return ranked().order_by("place", "id").rename_columns({"place": "p"}).limit(3)


@shares("w")
def sorted_by_a_window_named_twice() -> Table:
    return ranked().order_by("place", "id").select("place", col("place").alias("Place"))


@shares("w")
def sorted_by_a_window_called_like_a_column() -> Table:
    return ORDERS.select(
        "id", F.rank().over(MINE).alias("n"), F.count("*").over(MINE).alias("c")
    ).order_by("n", "id")


@shares("w")
def sorted_by_a_window_in_a_query() -> Table:
    first = ranked().order_by("place", "id").limit(1).select("running")
    return PEOPLE.filter(col("id").in_(first)).select("id")


@shares("w", "w")
def sorted_by_a_window_in_a_branch() -> Table:
    other = ranked(ORDERS.filter(col("n") > 1))
    return ranked().union_all(other.order_by(col("place").desc(), "id").limit(2))


@shares("w")
def limited_part_of_a_step() -> Table:
    return ranked().union_all(ranked().order_by(col("place").desc(), "id").limit(2))


@shares("w")
def sorted_by_a_window_over_groups() -> Table:
    return over_groups().order_by("a", col("b").desc(), "person")


@shares("w")
def distinct() -> Table:
    return ranked().select("place", "running").distinct()


@shares("w")
def over_groups() -> Table:
    by = over(partition_by="state", order_by=col("spent").desc())
    spent = ORDERS.group_by("person", "state").agg(F.sum(col("n")).alias("spent"))
    return spent.filter(col("spent") > 0).select(
        "person", F.rank().over(by).alias("a"), F.sum(col("spent")).over(by).alias("b")
    )


@shares("w", "w")
def windows_over_windows() -> Table:
    by = over(partition_by="place", order_by=col("running").desc())
    return ranked().select("id", F.rank().over(by).alias("a"), F.sum(col("n")).over(by).alias("b"))


@shares("w", "w")
def in_both_branches_of_a_union() -> Table:
    by = over(partition_by="state", order_by="id")
    other = ORDERS.select(
        "id", "n", F.rank().over(by).alias("place"), F.sum(col("n")).over(by).alias("running")
    )
    return ranked().filter(col("place") == 1).union_all(other)


@shares("w", "w")
def in_both_sides_of_a_join() -> Table:
    a = ranked().alias("a")
    by = over(partition_by="born", order_by="id")
    b = PEOPLE.select("id", F.rank().over(by).alias("r"), F.count("*").over(by).alias("c"))
    return a.join(b.alias("b"), on=col("a.id") == col("b.id"))


@shares("w")
def over_a_join() -> Table:
    joined = ORDERS.join(PEOPLE, on=col("person") == col("people.id"))
    by = over(partition_by="people.name", order_by=col("orders.id").desc())
    return joined.select(
        "orders.id", F.rank().over(by).alias("a"), F.sum(col("n")).over(by).alias("b")
    )


@shares("w")
def in_a_query_that_is_shared() -> Table:
    found = ranked().limit(100)
    return found.filter(col("running") >= found.select(F.min("running")).scalar())


@shares("w")
def in_a_scalar_query() -> Table:
    first = ranked().filter(col("place") == 1).select(F.max("running"))
    return PEOPLE.select("id", scalar(first).alias("most"))


@shares("w", "w")
def in_a_query_and_around_it() -> Table:
    first = ranked().filter(col("place") == 1).select(F.max("running"))
    by = over(partition_by="ok", order_by="id")
    return PEOPLE.select(
        "id",
        scalar(first).alias("most"),
        F.rank().over(by).alias("a"),
        F.count("*").over(by).alias("b"),
    )


@shares("w")
def a_query_in_the_same_column() -> Table:
    """It is only folded once, so that column keeps its window where it is."""
    most = scalar(ORDERS.select(F.max("n")))
    return ORDERS.select(
        (F.rank().over(MINE) + most).alias("a"),
        F.count("*").over(MINE).alias("b"),
        F.sum(col("n")).over(MINE).alias("c"),
    )


@shares("w")
def in_a_correlated_query() -> Table:
    inside = ranked().filter(col("place") == 1)
    return PEOPLE.filter(exists(lambda outer: inside.filter(col("id") == outer("id")))).select("id")


@shares("w")
def in_a_list_query() -> Table:
    return PEOPLE.filter(col("id").in_(ranked().filter(col("running") > 1).select("place")))


@shares("w")
def beside_a_lateral_view() -> Table:
    exploded = PEOPLE.explode("tags", "tag")
    by = over(partition_by="tag", order_by="id")
    return exploded.select(
        "id", "tag", F.rank().over(by).alias("a"), F.count("*").over(by).alias("b")
    )


@shares("w")
def in_a_lateral_join() -> Table:
    by = over(partition_by="person", order_by="id")

    def newest(outer: object) -> Table:
        mine = ORDERS.filter(col("person") == outer("id"))  # type: ignore[operator]
        return mine.select(F.rank().over(by).alias("a"), F.sum(col("n")).over(by).alias("b"))

    return PEOPLE.lateral_join(newest)


@shares("w")
def a_lambda_in_a_key() -> Table:
    by = over(
        partition_by=F.transform("tags", lambda name: F.upper(name)), order_by=col("name").desc()
    )
    return PEOPLE.select(F.rank().over(by).alias("a"), F.count("*").over(by).alias("b"))


@shares("w")
def a_window_that_does_not_fit_on_a_line() -> Table:
    by = over(
        partition_by=["person", F.concat(col("state"), lit("a rather long piece of text"))],
        order_by=[col("id").desc(), F.coalesce(col("n"), lit(123456789))],
    )
    return ORDERS.select(F.rank().over(by).alias("a"), F.count("*").over(by).alias("b"))


@shares("w", "w")
def over_sql_with_a_window_of_that_name() -> Table:
    text = (
        "SELECT id, n, sum(n) OVER w AS s, rank() OVER w AS r FROM orders "
        "WINDOW w AS (PARTITION BY state ORDER BY id DESC)"
    )
    written = opaque(ENV, text, schema="id INT, n INT, s BIGINT, r INT")
    by = over(partition_by="r", order_by="id")
    return written.select("s", F.rank().over(by).alias("a"), F.sum(col("n")).over(by).alias("b"))
