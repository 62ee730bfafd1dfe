"""What can be done with turned tables and with filtered windows, said otherwise for older Spark."""

from __future__ import annotations

from collections.abc import Callable

from tests.serializer.cases import ORDERS, PEOPLE
from viewscribe import Table, col, exists, over
from viewscribe import functions as F

TURNED: dict[str, Callable[[], Table]] = {}


def turned(make: Callable[[], Table]) -> Callable[[], Table]:
    TURNED[make.__name__] = make
    return make


def pivoted() -> Table:
    states = ORDERS.select("person", "state", "n", "price")
    grouped = states.group_by("person").pivot("state", ["new", "x"])
    return grouped.agg(F.sum(col("n")))


def placed() -> Table:
    place = F.row_number().over(over(partition_by="person", order_by="id"))
    return ORDERS.select("id", "person", "n", place.alias("place"))


@turned
def pivot_sorted_and_limited() -> Table:
    return pivoted().order_by(col("new").desc(), col("person")).limit(2)


@turned
def pivot_sorted_by_an_expression() -> Table:
    return pivoted().order_by(F.coalesce(col("new"), 0), col("person"))


@turned
def pivot_filtered() -> Table:
    return pivoted().filter(col("new") > 1)


@turned
def pivot_renamed_over_its_own_columns() -> Table:
    swapped = pivoted().select("person", col("x").alias("new"), col("new").alias("x"))
    return swapped.filter(col("x") > 1).order_by("x")


@turned
def pivot_grouped_again() -> Table:
    table = pivoted().group_by("new").agg(F.count("*").alias("k"))
    return table.filter(col("k") > 0)


@turned
def pivot_joined() -> Table:
    wide = pivoted().alias("wide")
    return wide.join(PEOPLE, on=col("wide.person") == col("people.id")).select("name", "new", "x")


@turned
def pivot_joined_with_itself() -> Table:
    left, right = pivoted().alias("a"), pivoted().alias("b")
    return left.join(right, on=col("a.person") == col("b.person")).select("a.new", "b.x")


@turned
def pivot_seen_from_within() -> Table:
    return pivoted().filter(exists(lambda wide: PEOPLE.filter(col("id") == wide("person"))))


@turned
def pivot_with_a_lambda_of_the_name_of_a_column() -> Table:
    added = F.transform(F.array(1, 2), lambda x: x + col("x"))
    return pivoted().select("person", added.alias("sums"))


@turned
def pivot_and_rows_of_an_array() -> Table:
    wide = pivoted().add_columns(F.array(col("new"), col("x")).alias("both"))
    return wide.explode("both", "new_2").select("person", "new", "new_2")


@turned
def pivot_distinct() -> Table:
    return pivoted().select("new").distinct()


@turned
def pivot_in_a_union() -> Table:
    return pivoted().union_all(pivoted().filter(col("x") > 0))


@turned
def window_filtered_and_dropped() -> Table:
    return placed().filter(col("place") == 1).select("id", "n")


@turned
def window_filtered_twice() -> Table:
    return placed().filter(col("place") <= 2).filter((col("n") > 1) & (col("place") > 0))


@turned
def window_filtered_then_grouped() -> Table:
    first = placed().filter(col("place") == 1)
    return first.group_by("n").agg(F.count("*").alias("k")).filter(col("k") > 0)


@turned
def window_filtered_sorted_limited() -> Table:
    first = placed().filter(col("place") == 1)
    return first.order_by(col("n").desc(), col("id")).limit(2).select("id")


@turned
def window_filtered_in_both_sides_of_a_join() -> Table:
    left, right = placed().filter(col("place") == 1).alias("l"), placed().alias("r")
    right = right.filter(col("r.place") == 2)
    return left.join(right, on=col("l.person") == col("r.person")).select("l.id", "r.n")


@turned
def window_filtered_in_a_subquery() -> Table:
    return ORDERS.filter(col("id").in_(placed().filter(col("place") == 1).select("id")))


@turned
def window_of_groups_filtered() -> Table:
    groups = ORDERS.group_by("person").agg(F.sum(col("n")).alias("spent"))
    ranked = groups.add_columns(F.rank().over(over(order_by=col("spent").desc())).alias("place"))
    return ranked.filter(col("place") == 1)
