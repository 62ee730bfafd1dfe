"""Small pipelines, one for each rule of readable SQL; the texts they give are beside this file.

``texts/readable.sql``, ``texts/pipe.sql`` and ``texts/nested.sql`` hold a section for each case,
under a line ``-- name``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

from tests.opaque import opaque
from viewscribe import (
    Table,
    TableEnvironment,
    col,
    exists,
    if_then_else,
    interval,
    lit,
    over,
    row,
    scalar,
)
from viewscribe import functions as F
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Call, OuterReference
from viewscribe.operations import nodes as n
from viewscribe.types import Field
from viewscribe.types.ddl import parse_schema
from viewscribe.types.identifiers import quote_identifier

DATABASE = "shop"

SCHEMAS = {
    "people": "id INT NOT NULL, name STRING NOT NULL, born DATE, ok BOOLEAN, tags ARRAY<STRING>, "
    "home STRUCT<city: STRING, geo: STRUCT<lat: INT>>",
    "orders": "id INT NOT NULL, person INT, price DECIMAL(10, 2), state STRING, "
    "at TIMESTAMP, n INT",
    "odd": "`a b` INT, `select` INT, `x.y` INT, `c``d` INT, id INT",
}

ROWS = {
    "people": """VALUES
        (1, 'Ada', DATE '1980-01-01', TRUE, array('x', 'y'), named_struct('city', 'Oslo',
            'geo', named_struct('lat', 60))),
        (2, 'Bob', NULL, FALSE, array(), NULL),
        (3, 'ann', DATE '2001-02-03', NULL, NULL, named_struct('city', NULL,
            'geo', named_struct('lat', 1)))""",
    "orders": """VALUES
        (1, 1, 10.00BD, 'new', TIMESTAMP '2024-01-01 00:01:00', 1),
        (2, 1, 20.50BD, 'it\\'s', TIMESTAMP '2024-01-01 00:04:00', 2),
        (3, 2, NULL, 'new', TIMESTAMP '2024-01-01 00:14:00', 3),
        (4, NULL, 0.99BD, NULL, NULL, 3),
        (5, 9, 7.00BD, 'x', TIMESTAMP '2024-01-02 00:00:00', NULL)""",
    "odd": "VALUES (1, 2, 3, 4, 5), (NULL, 7, 8, 9, 1), (2, NULL, NULL, NULL, NULL)",
}

ENV = TableEnvironment()
ENV.create_database(DATABASE)
ENV.use_database(DATABASE)
for _name, _schema in SCHEMAS.items():
    ENV.create_table(_name, _schema)

PEOPLE, ORDERS, ODD = (ENV.from_path(name) for name in SCHEMAS)

CASES: dict[str, Callable[[], Table]] = {}

NOT_REPEATABLE = frozenset({"sample", "sample_of_a_third", "random_value_used_twice"})
"""Cases whose rows depend on more than the tables."""


def case(make: Callable[[], Table]) -> Callable[[], Table]:
    CASES[make.__name__] = make
    return make


def texts(style: str) -> dict[str, str]:
    """The expected text of each case in a style."""
    content = (Path(__file__).parent / "texts" / f"{style}.sql").read_text("utf-8")
    sections = content.split("\n-- case: ")[1:]
    return dict(section.rstrip("\n").split("\n", 1) for section in sections)


def view_sql(table: str) -> str:
    """The statement that makes a view of the rows, with exactly the types of the schema."""
    fields = parse_schema(SCHEMAS[table])
    names = [quote_identifier(field.name) for field in fields]
    casts = ", ".join(
        f"CAST({name} AS {field.type.as_nullable().ddl}) AS {name}"
        for name, field in zip(names, fields, strict=True)
    )
    return (
        f"CREATE OR REPLACE VIEW {DATABASE}.{table} AS "
        f"SELECT {casts} FROM {ROWS[table]} AS v ({', '.join(names)})"
    )


def spent() -> Table:
    """What each person spent: an aggregate for others to build on."""
    return ORDERS.group_by("person").agg(F.sum(col("n")).alias("spent"))


def counted() -> Table:
    """What each person spent, and in how many orders."""
    orders = F.count(col("id")).alias("orders")
    return ORDERS.group_by("person").agg(F.sum(col("n")).alias("spent"), orders)


# -- filters -----------------------------------------------------------------------------------


@case
def filters_merge_in_order() -> Table:
    table = PEOPLE.filter(col("id") > 0).filter(col("name") != "x")
    return table.filter(col("ok") | col("born").is_null()).select("id")


@case
def filter_above_aggregate_is_having() -> Table:
    return spent().filter(col("spent") > 2)


@case
def groups_sorted_by_what_is_not_shown() -> Table:
    """Spark takes no aggregate in ORDER BY where HAVING has one that SELECT has not."""
    table = counted().filter(col("orders") > 0).order_by(col("spent").desc())
    return table.select("person")


@case
def groups_filtered_and_sorted_by_what_is_computed() -> Table:
    table = counted().filter(col("orders") > 0).select("person", "spent")
    return table.order_by(-col("spent"))


@case
def sorted_groups_filtered_by_what_is_computed() -> Table:
    table = counted().order_by(col("spent").desc())
    return table.select("person", (col("orders") + 1).alias("more")).filter(col("more") > 1)


@case
def groups_filtered_by_a_key_and_sorted_by_what_are_not_shown() -> Table:
    """Nor does it where HAVING has a key that SELECT has not."""
    table = counted().filter(col("person") > 1).order_by(col("spent").desc())
    return table.select((col("person") + 1).alias("next"))


@case
def rollup_filtered_by_a_key_that_was_filled() -> Table:
    """HAVING does not find a key that a column of its name hides."""
    table = ORDERS.rollup("person", "state").agg(F.sum(col("n")).alias("spent"))
    filled = table.add_or_replace_columns(F.coalesce(col("person"), lit(0)).alias("person"))
    return filled.filter(col("person") != 3)


@case
def groups_sorted_by_what_is_not_shown_and_filtered_by_what_is() -> Table:
    table = counted().filter(col("orders") > 0).order_by(col("spent").desc())
    return table.select("person", "orders")


@case
def filter_on_key_above_aggregate() -> Table:
    return spent().filter(col("person").is_not_null() & (col("spent") > 2))


@case
def filter_above_window_is_qualify() -> Table:
    first = F.row_number().over(over(partition_by="person", order_by="id"))
    return ORDERS.select("id", "person", first.alias("place")).filter(col("place") == 1)


@case
def window_above_filter_above_window() -> Table:
    first = F.row_number().over(over(partition_by="person", order_by="id"))
    table = ORDERS.select("id", "n", first.alias("place")).filter(col("place") == 1)
    return table.add_columns(F.sum(col("n")).over(over(order_by="id")).alias("running"))


@case
def filter_above_distinct() -> Table:
    return ORDERS.select("state").distinct().filter(col("state") == "new")


@case
def filter_above_limit() -> Table:
    return ORDERS.select("id").order_by("id").limit(3).filter(col("id") > 1)


@case
def negations_people_write() -> Table:
    ok = col("ok")
    return PEOPLE.filter(
        ~col("id").in_(7, 8)
        & ~col("name").like("z%")
        & ~col("name").is_null()
        & ~col("id").between(50, 60)
        & ~(col("id") == 4)
        & ~(~ok)
        & ~(ok & ok.is_null())
    ).select("id")


# -- limits ------------------------------------------------------------------------------------


@case
def limits_and_offsets_add_up() -> Table:
    return ORDERS.select("id").order_by("id").limit(10).offset(1).limit(5).offset(1)


@case
def offsets_add_up() -> Table:
    return ORDERS.select("id").order_by("id").offset(1).offset(2)


@case
def offset_past_the_limit() -> Table:
    return ORDERS.select("id").order_by("id").limit(2).offset(3)


@case
def sort_below_select() -> Table:
    return ORDERS.order_by(col("n").desc(), "id").select("id", "state")


@case
def sort_keys_with_nulls() -> Table:
    keys = (col("n").asc().nulls_last(), col("state").desc().nulls_first(), col("id").desc())
    return ORDERS.select("id", "n", "state").order_by(*keys)


@case
def no_ordinals() -> Table:
    return ORDERS.select("id", lit(1).alias("one")).order_by(lit(2), "one", "id")


@case
def group_by_a_literal() -> Table:
    return ORDERS.group_by(lit(1).alias("k")).agg(F.count("*").alias("rows"))


# -- joins -------------------------------------------------------------------------------------


@case
def join_inner() -> Table:
    return _joined("inner")


@case
def join_left() -> Table:
    return _joined("left")


@case
def join_right() -> Table:
    return _joined("right")


@case
def join_full() -> Table:
    return _joined("full")


@case
def join_semi() -> Table:
    return _joined("semi")


@case
def join_anti() -> Table:
    return _joined("anti")


def _joined(how: str) -> Table:
    people = PEOPLE.select("id", "name", "ok").filter(col("ok"))
    orders = ORDERS.select("person", "n").filter(col("n") > 1)
    joined = people.join(orders, on=col("id") == col("person"), how=how)
    return joined.select("name") if how in ("semi", "anti") else joined.select("name", "n")


@case
def join_cross() -> Table:
    return PEOPLE.select("id").cross_join(ORDERS.select("n").filter(col("n") > 1))


@case
def join_filter_above_stays_in_where() -> Table:
    left = PEOPLE.select("id", "name").left_outer_join(
        ORDERS.select("person", "n"), on=col("id") == col("person")
    )
    return left.filter(col("n").is_null())


@case
def join_on_or() -> Table:
    on = ((col("people.id") == col("person")) | (col("people.id") == col("n"))) & (col("n") > 0)
    return PEOPLE.join(ORDERS, on=on).select("name", "n")


@case
def join_using() -> Table:
    return PEOPLE.select("id", "name").join(ORDERS.select("id", "n"), using="id")


@case
def join_using_right() -> Table:
    return PEOPLE.select("id", "name").right_outer_join(ORDERS.select("id", "n"), using="id")


@case
def join_using_full() -> Table:
    return PEOPLE.select("id", "name").full_outer_join(ORDERS.select("id", "n"), using="id")


@case
def self_join_by_alias() -> Table:
    a, b = ORDERS.alias("a"), ORDERS.alias("b")
    return a.join(b, on=(col("a.person") == col("b.person")) & (col("a.id") < col("b.id"))).select(
        "a.id", col("b.id").alias("later")
    )


@case
def three_tables() -> Table:
    both = PEOPLE.join(ORDERS, on=col("people.id") == col("person"))
    return both.join(ODD, on=col("odd.id") == col("n")).select("name", "state", "`a b`")


@case
def join_of_an_aggregate() -> Table:
    return PEOPLE.join(spent(), on=col("id") == col("person")).select("name", "spent")


# -- shared and named steps --------------------------------------------------------------------


@case
def shared_step_is_a_cte() -> Table:
    return spent().union_all(spent().filter(col("spent") > 2))


@case
def named_step_is_a_cte() -> Table:
    per_person = spent().alias("per_person")
    on = col("per_person.person") == col("people.id")
    return PEOPLE.join(per_person, on=on).select("name", "per_person.spent")


@case
def named_step_twice() -> Table:
    step = ORDERS.filter(col("n") > 1).select("id", "person").alias("big")
    return step.join(step.select(col("id").alias("other")).alias("again"), on=lit(True)).select(
        "big.id", "again.other"
    )


@case
def aggregate_of_aggregate() -> Table:
    return spent().group_by("spent").agg(F.count("*").alias("people"))


# -- names -------------------------------------------------------------------------------------


@case
def quoted_where_needed() -> Table:
    names = ("select", "`a b`", "`x.y`", "`c``d`", "id")
    return ODD.select(*names).filter((col("`a b`") > 0) & (col("select") > 0))


@case
def output_names_to_quote() -> Table:
    names = ("order", "two words", "dot.ted", "it's", "1a", "Größe", "-- x", "plain_1")
    return ORDERS.select(*[(col("id") + place).alias(name) for place, name in enumerate(names)])


@case
def shadowed_name_in_where() -> Table:
    return PEOPLE.select((-col("id")).alias("id"), "name").filter(col("id") < -1).order_by("id")


@case
def shadowed_names_in_having() -> Table:
    grouped = ORDERS.group_by((col("n") + 1).alias("id")).agg(F.max(col("id")).alias("n"))
    return grouped.filter(col("n") > 1).order_by("n", "id")


@case
def swapped_names() -> Table:
    swapped = ORDERS.select(col("id").alias("n"), col("n").alias("id"))
    return swapped.filter(col("id") > 1).order_by(col("n").desc())


# -- expressions -------------------------------------------------------------------------------


@case
def minimal_parentheses() -> Table:
    i, ok = col("id"), col("ok")
    negative = -i
    return PEOPLE.select(
        ((i == 1).is_null()).alias("a"),
        ((i == 1) == ok).alias("b"),
        (ok == col("name").is_null()).alias("c"),
        (i == 10).in_(True, False).alias("d"),
        (-negative).alias("e"),
        (lit(1) - (i - lit(-2))).alias("f"),
        ((i + 1) * 2 % 3).alias("g"),
        (i - (i + 1) - 2).alias("h"),
        (~(ok & ok)).alias("i"),
        (~ok).is_null().alias("j"),
        (i + 1).between(i - 1, i * 2).alias("k"),
        (ok & (ok | (i > 2))).alias("l"),
        ((i / 2) / (i / 3)).alias("m"),
        (-(i + 1)).alias("n"),
        (i * -1).alias("o"),
        (col("home")["geo"]["lat"] + 1).alias("p"),
    )


@case
def case_on_one_line() -> Table:
    return PEOPLE.select(if_then_else(col("id") == 1, "one", "many").alias("how_many"))


@case
def case_over_several_lines() -> Table:
    how = F.when(col("id") == 1, "just the one, and nobody else")
    how = how.when((col("id") == 2) & col("ok"), "two of them, or so they say")
    return PEOPLE.select(how.otherwise(lit(None)).alias("how_many"))


@case
def long_calls_break_at_88() -> Table:
    texts = [F.concat(col("name"), lit(f" and some text {n}")) for n in range(3)]
    return PEOPLE.select(F.concat_ws("; ", *texts).alias("short"), F.upper("name").alias("up"))


@case
def literals_of_many_types() -> Table:
    values = (None, True, 1, 2**40, 1.5, Decimal("1.50"), "it's", b"\x00\xff", date(2020, 1, 2))
    names = "abcdefghi"
    return ORDERS.select(*[lit(v).alias(n) for v, n in zip(values, names, strict=True)]).limit(1)


@case
def dates_and_intervals() -> Table:
    return PEOPLE.select((col("born") + interval(days=90)).alias("a")).filter(
        col("a") >= date(1980, 1, 1)
    )


@case
def expression_used_twice() -> Table:
    return PEOPLE.select((col("id") + 1).alias("x")).select((col("x") * col("x")).alias("y"))


@case
def large_expression_used_twice() -> Table:
    i = col("id")
    large = i + 1 + i * 2 - i * 3 + 7 + i * 11 + i * 13
    return PEOPLE.select(large.alias("x")).select((col("x") * col("x")).alias("y"))


@case
def random_value_used_twice() -> Table:
    table = PEOPLE.select("id", F.rand(1).alias("x"))
    return table.filter(col("x") > 0.5).select((col("x") - col("x")).alias("zero"))


@case
def structs_and_lambdas() -> Table:
    return PEOPLE.select(
        row(col("id"), col("name").alias("label")).alias("pair"),
        F.transform(col("tags"), lambda tag: F.concat(tag, lit("!"))).alias("loud"),
        F.filter(col("tags"), lambda name: name != "x").alias("kept"),
    )


# -- sub-queries -------------------------------------------------------------------------------


@case
def exists_correlated() -> Table:
    with_orders = exists(lambda outer: ORDERS.filter(col("person") == outer("id")))
    return PEOPLE.filter(with_orders).select("name")


@case
def not_exists_correlated() -> Table:
    with_orders = exists(lambda outer: ORDERS.filter(col("person") == outer("id")))
    return PEOPLE.filter(~with_orders & (col("id") > 0)).select("name")


@case
def correlated_with_the_same_table() -> Table:
    older = exists(lambda outer: PEOPLE.filter(col("born") < outer("born")))
    return PEOPLE.filter(older).select("name")


@case
def scalar_correlated() -> Table:
    most = scalar(
        lambda outer: ORDERS.filter(col("person") == outer("id")).agg(F.max(col("n")).alias("m"))
    )
    return PEOPLE.select("name", most.alias("most"))


@case
def in_query() -> Table:
    return PEOPLE.filter(col("id").in_(ORDERS.select("person"))).select("name")


@case
def not_in_query() -> Table:
    known = ORDERS.filter(col("person").is_not_null()).select("person")
    return PEOPLE.filter(~col("id").in_(known)).select("name")


@case
def lateral_join_of_the_first() -> Table:
    def latest(outer: Callable[[str], object]) -> Table:
        mine = ORDERS.filter(col("person") == outer("id"))
        return mine.order_by(col("id").desc()).limit(1).select("n")

    return PEOPLE.select("id", "name").join_lateral(latest)


@case
def lateral_left_join() -> Table:
    def mine(outer: Callable[[str], object]) -> Table:
        return ORDERS.filter(col("person") == outer("id")).select("n")

    return PEOPLE.select("id", "name").left_outer_join_lateral(mine)


# -- shapes ------------------------------------------------------------------------------------


@case
def lateral_view() -> Table:
    return PEOPLE.explode("tags", "tag").select("id", "tag")


@case
def lateral_view_outer() -> Table:
    exploded = PEOPLE.explode("tags", "tag", outer=True).select("id", "tag")
    return exploded.filter(col("tag").is_null() | (col("tag") != "x"))


@case
def lateral_view_of_two_columns() -> Table:
    return PEOPLE.generate(F.posexplode(col("tags")), ["i", "tag"]).select("id", "i", "tag")


@case
def filter_below_lateral_view() -> Table:
    return PEOPLE.filter(col("id") < 3).explode("tags", "tag").select("id", "tag")


@case
def pivoted() -> Table:
    return ORDERS.group_by("person").pivot("state", ["new", "it's"]).agg(F.sum(col("n")))


@case
def pivoted_twice_over() -> Table:
    grouped = ORDERS.group_by("person").pivot("state", ["new", "x"])
    return grouped.agg(F.sum(col("n")).alias("s"), F.count("*").alias("k"))


@case
def unpivoted() -> Table:
    return ORDERS.select("id", "n", "person").unpivot(["n", "person"], name="what", value="value")


@case
def unpivoted_without_nulls() -> Table:
    return ORDERS.select("id", "n", "person").unpivot(["n", "person"], include_nulls=False)


@case
def hint_broadcast() -> Table:
    broadcast = PEOPLE.hint("broadcast")
    return ORDERS.join(broadcast, on=col("person") == col("people.id")).select("name", "n")


@case
def hint_repartition() -> Table:
    return PEOPLE.select("id").hint("repartition", 3, "id")


@case
def sample() -> Table:
    return PEOPLE.sample(0.1, seed=42).select("id")


@case
def rollup() -> Table:
    return ORDERS.rollup("person", "state").agg(F.sum(col("n")).alias("spent"))


@case
def cube() -> Table:
    grouped = ORDERS.cube("person", "state")
    return grouped.agg(F.grouping_id().alias("level"), F.count("*").alias("rows"))


@case
def grouping_sets() -> Table:
    grouped = ORDERS.grouping_sets([["person", "state"], ["person"], []])
    return grouped.agg(F.sum(col("n")).alias("spent"))


@case
def whole_table_aggregate() -> Table:
    return ORDERS.filter(col("id") > 100).agg(F.count("*").alias("rows"), F.max("n").alias("n"))


@case
def aggregate_clauses() -> Table:
    return ORDERS.agg(
        F.count(col("person")).distinct().alias("people"),
        F.sum(col("n")).filter(col("id") > 1).alias("later"),
        (F.sum(col("n")) / F.count("*")).alias("mean"),
    )


@case
def window_with_frames() -> Table:
    mine = over(partition_by=["person", "state"], order_by=col("id").desc())
    near = over(order_by="id").range_between(None, 5)
    return ORDERS.select(
        "id",
        F.sum(col("n")).over(mine.rows_between(-2, 0)).alias("last_three"),
        F.max(col("n")).over(near).alias("near"),
        F.count("*").over(over(partition_by="person")).alias("orders"),
    )


@case
def window_over_aggregate() -> Table:
    ranked = F.rank().over(over(order_by=col("spent").desc()))
    return spent().add_columns(ranked.alias("place"))


@case
def windows_over_sums_of_groups() -> Table:
    running = over(order_by="person")
    return ORDERS.group_by("person").select(
        "person",
        F.sum(F.sum(col("n"))).over(running).alias("so_far"),
        F.lag(F.max("n")).over(running).alias("before"),
        (F.sum(col("n")) / F.sum(F.sum(col("n"))).over(over())).alias("share"),
    )


@case
def tumble() -> Table:
    return ORDERS.tumble("at", "10 minutes").group_by("window").agg(F.count("*").alias("rows"))


@case
def hop() -> Table:
    hopping = ORDERS.hop("at", "10 minutes", "5 minutes", name="w")
    grouped = hopping.group_by("w", "state").agg(F.count("*").alias("rows"))
    return grouped.select(col("w.start").alias("start"), "state", "rows")


@case
def session() -> Table:
    sessions = ORDERS.session("at", "5 minutes")
    return sessions.group_by("session_window").agg(F.count("*").alias("rows"))


@case
def values() -> Table:
    return ENV.from_values([(1, "a"), (2, None)], "id INT, word STRING").filter(col("id") > 1)


@case
def set_operations() -> Table:
    numbers = ORDERS.select("n").union(ORDERS.select("person")).intersect(PEOPLE.select("id"))
    return numbers.minus_all(ORDERS.filter(col("id") == 3).select("id")).order_by("n").limit(3)


@case
def set_operation_on_the_right() -> Table:
    right = ORDERS.select("person").union_all(PEOPLE.select("id"))
    return ORDERS.select("n").minus(right)


def first_under_other_names() -> Table:
    """The row that is first by ``id``, its columns swapped: a name means another column then."""
    first = ORDERS.select("id", "n").order_by("id").limit(1)
    return first.select(col("n").alias("id"), col("id").alias("n"))


@case
def union_with_a_limited_part_of_other_names() -> Table:
    return ORDERS.select("id", "n").union_all(first_under_other_names())


@case
def union_of_a_limited_part_of_new_names() -> Table:
    last = ORDERS.select("id", "n").order_by(col("id").desc()).limit(1)
    return ORDERS.select("id", "n").minus(last.select(col("id").alias("m"), col("n").alias("k")))


@case
def in_a_limited_part_of_other_names() -> Table:
    return ORDERS.filter(col("id").in_(first_under_other_names().select("n")))


@case
def union_of_three() -> Table:
    return PEOPLE.select("id").union_all(ORDERS.select("n")).union_all(ODD.select("select"))


@case
def filter_above_union() -> Table:
    return PEOPLE.select("id").union_all(ORDERS.select("n")).filter(col("id") > 2)


@case
def sql_text() -> Table:
    return opaque(ENV, "select id, name from people where id > 1").filter(col("id") < 5)


@case
def without_rows() -> Table:
    fields = tuple(parse_schema("id INT, word STRING"))
    return Table(ENV, n.Values.of((), fields)).filter(col("id") > 1)


@case
def sorted_within_partitions() -> Table:
    ordered = PEOPLE.select("id", "name").order_by("name").operation
    assert isinstance(ordered, n.Sort)
    return Table(ENV, n.Sort.of(ordered.child, ordered.keys, within_partitions=True))


@case
def drawn_after_the_rows_are_sorted() -> Table:
    ordered = PEOPLE.select("id").order_by("id")
    return ordered.select("id", F.rand(3).alias("drawn")).filter(F.rand(4) < lit(0.5))


@case
def numbered_after_the_rows_are_sorted() -> Table:
    ordered = PEOPLE.select("id", "name").order_by("name")
    return ordered.add_columns(F.monotonically_increasing_id().alias("n"))


@case
def hint_below_what_sees_partitions() -> Table:
    numbered = PEOPLE.select("id").hint("coalesce", 1).select("id", F.spark_partition_id())
    return numbered.alias("numbered").filter(col("id") > 1)


@case
def hint_by_a_computed_column() -> Table:
    return PEOPLE.select("id", (col("id") % 2).alias("half")).hint("repartition", 3, "half")


@case
def aggregate_of_a_random_value() -> Table:
    drawn = ORDERS.select("person", (F.rand(3) * 0).alias("nothing"))
    return drawn.group_by("person").agg(F.max(col("nothing")).alias("most"))


@case
def sample_of_a_third() -> Table:
    return Table(ENV, n.Sample.of(PEOPLE.select("id").operation, 100 * 0.07, 1))


@case
def generator_over_the_row_around() -> Table:
    tags = OuterReference(1, 4, "tags", PEOPLE.schema[4].type)
    one_row = n.Values.of((literal(0),), (Field("one", literal(0).type),))
    call = Call(built_in("explode"), (tags,), built_in("explode").infer((tags,)))
    made = n.Generate.of(one_row, call, False, ("tag",))
    inside = n.Project.of(made, made.schema.references[1:])
    joined = n.LateralJoin.of(PEOPLE.operation, inside, n.JoinKind.INNER)
    return Table(ENV, joined).select("id", "tag")
