"""When a new SELECT opens: each exception decides about a text, and the documentation says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import viewscribe as vs
from viewscribe import Table, col, lit, over, scalar
from viewscribe import functions as F
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Clause
from viewscribe.serializer.folding import exceptions
from viewscribe.serializer.folding.new_select import NEW_SELECTS, Row

ENV = vs.TableEnvironment()
ENV.create_table("t", "a INT, b INT, tags ARRAY<INT>")
ENV.create_table("variants", "tags ARRAY<INT>, v VARIANT")
ENV.create_table("u", "c INT, d INT, more ARRAY<INT>")
ENV.create_table("times", "at TIMESTAMP, n INT")
T, U, V = ENV.from_path("t"), ENV.from_path("u"), ENV.from_path("variants")

long = col("a") * 7 + col("b") * 5 + col("a") * 3 + col("b") * 2 + col("a") * 9
drawn = T.add_columns(F.rand(1).alias("r"))
ranked = T.add_columns(F.rank().over(over(order_by="a")).alias("place"))
groups = T.group_by("a").agg(F.sum("b").alias("s"))
rolled = T.rollup("a", "b").agg(F.count("*").alias("n"))
hinted = T.hint("REPARTITION", 3)
windows = ENV.from_path("times").tumble("at", "1 day")
days = windows.group_by("window").agg(F.sum("n").alias("n"))


looked_up = scalar(lambda outer: U.filter(col("c") == outer("a")).agg(F.max("d").alias("m")))


def sorted_within(table: Table) -> Table:
    ordered = table.order_by("b").operation
    assert isinstance(ordered, n.Sort)
    return Table(ENV, n.Sort.of(table.operation, ordered.keys, within_partitions=True))


CASES: dict[str, Callable[[], Table]] = {
    "aggregates_what_is_drawn": lambda: drawn.group_by("a").agg(F.sum("r").alias("s")),
    "changes_what_is_distinct": lambda: T.select("a", "b").distinct().select("a"),
    "computes_beside_having": lambda: (
        T.rollup("a")
        .agg(F.count("*").alias("n"))
        .filter(col("a") > 1)
        .add_columns(F.count("*").over(over()).alias("all"))
    ),
    "computes_for_all_rows": lambda: T.limit(3).select("a", F.rank().over(over(order_by="a"))),
    "computes_much": lambda: T.select("a", long.alias("l")).join(U, col("a") == col("c")),
    "computes_what_may_be_missing": lambda: U.join(
        T.select("a", (col("b") + 1).alias("e")), col("a") == col("c"), how="left"
    ),
    "does_not_fit_having": lambda: (
        T.rollup("a", "b")
        .agg(F.count("*").alias("n"))
        .select(F.coalesce("a", lit(0)).alias("a"), "n")
        .filter(col("a") > 1)
    ),
    "does_not_fit_qualify": lambda: ranked.filter(col("a") > 1),
    "draws_in_order": lambda: T.order_by("a").select("a", F.rand(1).alias("r")),
    "drops_a_time_window": lambda: windows.select("n"),
    "filters_a_drawn_order": lambda: T.order_by(F.rand(1)).filter(col("a") > 1),
    "filters_a_window_by_groups": lambda: (
        T.group_by("a")
        .agg((F.max("b") > 1).alias("big"))
        .add_columns(F.count("*").filter(col("big")).over(over()).alias("n"))
    ),
    "filters_by_what_is_drawn": lambda: T.filter(F.rand(1) > 0).join(U, col("a") == col("c")),
    "filters_what_is_drawn": lambda: drawn.filter(col("a") > F.rand(2)),
    "filters_what_may_be_missing": lambda: T.filter(col("a") > 1).join(
        U, col("a") == col("c"), how="full"
    ),
    "generates_from_outside": lambda: U.join_lateral(
        lambda outer: T.select((col("a") + outer("c")).alias("v")).explode(F.array("v"), "w")
    ),
    "groups_by_no_whole_time_window": lambda: windows.group_by("n").agg(F.count("*").alias("m")),
    "has_no_table": lambda: ENV.sql_query("SELECT 1 AS one").join(U, col("one") == col("c")),
    "hides_an_aggregate_in_order": lambda: (
        T.group_by("a").agg((F.sum("b") + 1).alias("s")).order_by(col("s") + 1).filter(col("s") > 1)
    ),
    "hides_a_key_of_having": lambda: (
        T.rollup("a")
        .agg(F.sum("b").alias("s"))
        .filter(col("a") > 1)
        .select(col("a").alias("k"), "s")
    ),
    "hides_the_order_of_a_limit": lambda: U.join_lateral(
        lambda outer: T.filter(col("a") > outer("c")).order_by("b").limit(1).select("a")
    ),
    "hints_at_a_join": lambda: (
        T.join(U, col("a") == col("c"))
        .hint("REPARTITION", 3)
        .join(ENV.from_path("times"), col("a") == col("n"))
    ),
    "is_no_side_of_a_join": lambda: T.explode("tags", "tag").join(U, col("a") == col("c")),
    "looks_into_a_union": lambda: T.union_all(T).select("b", "a").select(looked_up.alias("d")),
    "looks_at_sorted_rows": lambda: T.order_by("b").select(
        F.collect_list("a").over(over()).alias("l")
    ),
    "looks_outside_of_groups": lambda: U.join_lateral(
        lambda outer: groups.select((col("a") + outer("c")).alias("v"))
    ),
    "looks_up_groups": lambda: groups.select(looked_up.alias("d"), "s"),
    "joins_after_a_lateral_view": lambda: V.explode("tags", "tag").generate(
        F.variant_explode("v"), ["pos", "key", "value"]
    ),
    "loses_a_sort_key": lambda: drawn.order_by("r").select("a"),
    "loses_the_one_group": lambda: T.agg(F.sum("b").alias("s")).select(lit(1).alias("one")),
    "names_what_is_computed": lambda: T.select((col("a") + 1).alias("c")).hint(
        "REPARTITION", 3, "c"
    ),
    "repeats_columns": lambda: T.select(long.alias("l")).select(
        (col("l") + 1).alias("x"), (col("l") + 2).alias("y")
    ),
    "sees_a_time_window": lambda: windows.limit(3),
    "sees_partitions_of_a_hint": lambda: hinted.select("a", F.spark_partition_id().alias("p")),
    "sorts_again_within_partitions": lambda: sorted_within(T.order_by("a")),
    "sorts_by_a_name_that_is_there_twice": lambda: ENV.sql_query(
        "SELECT a, rank() OVER (ORDER BY b) AS a FROM t ORDER BY 2"
    ),
    "sorts_by_no_column": lambda: T.select("a", "b").distinct().order_by(col("a") + col("b")),
    "sorts_groups_behind_a_hint": lambda: groups.hint("COALESCE", 2).order_by(col("s") + 1),
    "sorts_groups_by_what_is_hidden": lambda: groups.add_columns(
        F.rank().over(over(order_by="a")).alias("p")
    ).order_by(col("s") + 1),
}


@pytest.mark.parametrize("key", [F.rand(1), F.monotonically_increasing_id().desc()])
def test_an_order_below_one_that_is_drawn_counts(key) -> None:
    text = T.order_by("b").order_by(key).limit(2).to_sql()
    assert text.count("ORDER BY") == 2
    assert T.order_by("b").order_by("a").limit(2).to_sql().count("ORDER BY") == 1


def without(name: str) -> dict[type, Row]:
    """The table without an exception."""
    return {
        kind: Row(row.always, [each for each in row.exceptions if each[1].__name__ != name])
        for kind, row in NEW_SELECTS.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_each_exception_opens_a_select(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = CASES[name]().to_sql()
    for kind, row in without(name).items():
        monkeypatch.setitem(NEW_SELECTS, kind, row)
    try:
        merged = CASES[name]().to_sql()
    except AssertionError:
        return  # there is nothing that the step could stand beside
    assert merged.count("SELECT") < text.count("SELECT"), text


def test_every_exception_has_a_case() -> None:
    named = {check.__name__ for row in NEW_SELECTS.values() for _, check in row.exceptions}
    assert set(CASES) == named


STEPS = {
    "filter": n.Filter,
    "select": n.Project,
    "add columns": n.WithColumns,
    "group": n.Aggregate,
    "distinct": n.Distinct,
    "time window": n.TimeWindow,
    "generator": n.Generate,
    "side of a join": n.Join,
    "lateral join": n.LateralJoin,
    "sort": n.Sort,
    "limit": n.Limit,
    "offset": n.Offset,
    "hint": n.Hint,
}


def cell(row: Row, clause: Clause) -> str:
    if row.always & clause:
        return "new"
    return "unless" if any(clauses & clause for clauses, _ in row.exceptions) else ""


def documented() -> list[str]:
    """The two tables of the page: over which clauses, and the exceptions with their reasons."""
    clauses = [each for each in Clause if each is not Clause.HAVING]  # there are groups below it
    lines = [f"| step | {' | '.join(each.name.replace('_', ' ') for each in clauses)} |"]
    lines.append("|---" * (len(clauses) + 1) + "|")
    for name, kind in STEPS.items():
        cells = [cell(NEW_SELECTS[kind], each) for each in clauses]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", "| over | steps | unless |", "|---|---|---|"]
    found: dict[tuple[int, str], list[str]] = {}
    for name, kind in STEPS.items():
        for over_, check in NEW_SELECTS[kind].exceptions:
            found.setdefault((over_ & -over_, check.__name__), []).append(name)
    for (lowest, check_name), names in sorted(found.items(), key=lambda each: each[0][0]):
        reason = (getattr(exceptions, check_name).__doc__ or "").splitlines()[0]
        over_name = Clause(lowest).name.replace("_", " ")
        lines.append(f"| {over_name} | {', '.join(names)} | {reason} |")
    return lines


def test_the_page_has_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "sql-styles.md").read_text(encoding="utf-8")
    assert "\n".join(documented()) in page


def test_every_step_that_may_join_is_documented() -> None:
    assert set(STEPS.values()) == set(NEW_SELECTS)
