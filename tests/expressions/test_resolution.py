"""Names, types and places: what is wrong is said where the user wrote it, in the user's names."""

from __future__ import annotations

from typing import Any

import pytest

from viewscribe import Table, TableEnvironment, call, col, exists, lit, over, scalar
from viewscribe import functions as F
from viewscribe.errors import (
    AmbiguousColumnError,
    ArityError,
    TypeMismatchError,
    UnknownColumnError,
    UnknownFunctionError,
    ValidationError,
    ViewscribeError,
)

ENV = TableEnvironment()
ENV.create_table(
    "people",
    "id INT NOT NULL, name STRING NOT NULL, born DATE, ok BOOLEAN, tags ARRAY<STRING>, "
    "st STRUCT<p: INT, q: STRUCT<r: STRING>>, m MAP<STRING, INT>, `a.b` INT, "
    "items ARRAY<STRUCT<k: INT>>",
)
ENV.create_table("orders", "id INT NOT NULL, person INT, state STRING, n INT")
PEOPLE, ORDERS = ENV.from_path("people"), ENV.from_path("orders")
BOTH = PEOPLE.join(ORDERS, on=col("people.id") == col("person"))


def message(error: type[ViewscribeError], build: Any) -> str:
    with pytest.raises(error) as caught:
        build()
    return str(caught.value)


# -- names -------------------------------------------------------------------------------------


def test_an_unknown_column_shows_the_nearest() -> None:
    text = message(UnknownColumnError, lambda: PEOPLE.select("nmae"))
    assert text.startswith("no column `nmae` in the input")
    assert "(id INT NOT NULL, name STRING NOT NULL, " in text
    assert text.endswith("did you mean: name")


def test_an_unknown_column_without_a_near_name_shows_all() -> None:
    text = message(UnknownColumnError, lambda: ORDERS.select("zzzzzz"))
    assert text.endswith("the columns are: id, person, state, n")


def test_an_unknown_qualified_column_shows_qualified_names() -> None:
    assert "people.name" in message(UnknownColumnError, lambda: PEOPLE.select("people.nmae"))


def test_a_suggested_name_can_be_typed_as_it_is_shown() -> None:
    text = message(UnknownColumnError, lambda: PEOPLE.select("a.b"))
    assert text.endswith("did you mean: `a.b`")
    assert "`a.b` INT" in text
    assert PEOPLE.select("`a.b`").columns == ["a.b"]


def test_an_ambiguous_column_says_how_to_qualify_it() -> None:
    text = message(AmbiguousColumnError, lambda: BOTH.select("id"))
    assert "column `id` is ambiguous: 2 columns of the input have this name" in text
    assert "qualify it: people.id, orders.id" in text


def test_a_name_that_no_qualifier_tells_apart_asks_for_an_alias() -> None:
    twice = PEOPLE.join(PEOPLE, on=lit(True))
    text = message(AmbiguousColumnError, lambda: twice.select("people.id"))
    assert text.endswith('name a side first with .alias("…")')
    assert "qualify it" not in text


@pytest.mark.parametrize(
    "name",
    [
        "orders.id",
        "default.orders.id",
        "spark_catalog.default.orders.id",
        "ORDERS.ID",
        "`orders`.id",
    ],
)
def test_qualified_names(name: str) -> None:
    chosen = BOTH.select(name)
    assert chosen.equals(BOTH.select("orders.id"))
    assert not chosen.equals(BOTH.select("people.id"))


def test_names_compare_without_case_and_keep_that_of_the_table() -> None:
    assert PEOPLE.select("NAME").columns == ["name"]


def test_struct_paths() -> None:
    chosen = PEOPLE.select(col("st.q.r").alias("a"), col("people.st.p").alias("b"))
    assert str(chosen.schema) == "a STRING, b INT"


def test_a_missing_struct_field_names_the_ones_there_are() -> None:
    for build in (lambda: PEOPLE.select("st.x"), lambda: PEOPLE.select(col("st")["x"])):
        assert "no field `x`; its fields are: p, q" in message(TypeMismatchError, build)


def test_items_by_type() -> None:
    chosen = PEOPLE.select(
        col("tags")[0].alias("a"),
        col("m")["k"].alias("b"),
        col("st")[0].alias("c"),
        col("items")["k"].alias("d"),
    )
    assert str(chosen.schema) == "a STRING, b INT, c INT, d ARRAY<INT>"
    assert "no field at position 7" in message(
        TypeMismatchError, lambda: PEOPLE.select(col("st")[7])
    )
    assert "only an ARRAY or a MAP has items" in message(
        TypeMismatchError, lambda: PEOPLE.select(col("id")[0])
    )


def test_half_a_backtick() -> None:
    assert "is not a name" in message(ValidationError, lambda: col("`a.b"))


def test_stars() -> None:
    assert BOTH.select("orders.*").columns == ["id", "person", "state", "n"]
    assert BOTH.select("*").columns == [*PEOPLE.columns, *ORDERS.columns]
    text = message(ValidationError, lambda: BOTH.select("nope.*"))
    assert "no table, alias or struct `nope`" in text
    assert "orders, people" in text


# -- types and arguments -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        (col("id") + col("ok"), "plus(INT, BOOLEAN): `+` does not take these types"),
        (col("tags") > 1, "greater_than(ARRAY<STRING>, INT): the operands cannot be compared"),
        (F.upper(col("tags")), "upper(ARRAY<STRING>): argument 1 is ARRAY<STRING>, not STRING"),
        (F.when(col("ok"), 1).otherwise(col("tags")), "the arguments have no common type"),
        (col("tags").cast("INT"), "ARRAY<STRING> cannot be cast to INT"),
        (F.upper(lambda x: x), "upper: argument 1 cannot be a function"),
        (F.transform("tags", lambda a, b, c: a), "the lambda has 3 parameters, not 1 to 2"),
    ],
)
def test_types_that_do_not_fit(expression: Any, part: str) -> None:
    assert part in message(TypeMismatchError, lambda: PEOPLE.select(expression))


def test_arity() -> None:
    text = message(ArityError, lambda: PEOPLE.select(call("upper")))
    assert "upper takes 1 argument, not 0" in text
    assert "expected: upper(STRING)" in text
    assert "not 2" in message(ArityError, lambda: PEOPLE.select(call("upper", "a", "b")))


def test_an_unknown_function_shows_the_nearest() -> None:
    assert "did you mean: upper" in message(
        UnknownFunctionError, lambda: PEOPLE.select(call("uper", 1))
    )


def test_options_of_functions_without_any_say_what_they_take() -> None:
    text = message(ValidationError, lambda: PEOPLE.select(call("concat", col("name"), mode="x")))
    assert text.startswith("concat takes no argument by name, and `mode` is given so")
    assert "by position: concat(" in text
    text = message(ValidationError, lambda: PEOPLE.select(call("element", col("tags"), mode="x")))
    assert "it has none: element(ARRAY)" in text


def test_conditions_are_boolean() -> None:
    text = message(TypeMismatchError, lambda: PEOPLE.filter(col("id")))
    assert "the condition of filter is INT, not BOOLEAN: id" in text
    text = message(TypeMismatchError, lambda: PEOPLE.join(ORDERS, on=col("person")))
    assert "the condition of join is INT, not BOOLEAN: person" in text


def test_maps_have_no_order() -> None:
    assert "no order to sort by" in message(TypeMismatchError, lambda: PEOPLE.order_by("m"))


# -- aggregates, windows, generators -----------------------------------------------------------

ROW_NUMBER = F.row_number().over(over(order_by="id"))


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: PEOPLE.filter(F.count("*") > 1), "aggregate function cannot stand in filter"),
        (lambda: PEOPLE.order_by(F.max("id")), "aggregate function cannot stand in order_by"),
        (lambda: PEOPLE.add_columns(F.max("id").alias("x")), "cannot stand in add_columns"),
        (lambda: PEOPLE.join(ORDERS, on=F.max("n") == 1), "cannot stand in a join condition"),
        (lambda: PEOPLE.agg(F.max(F.min("id"))), "min inside another aggregate function"),
        (lambda: PEOPLE.filter(ROW_NUMBER == 1), "a window function cannot stand in filter"),
        (lambda: PEOPLE.group_by(ROW_NUMBER), "a window function cannot stand in group_by"),
        (lambda: PEOPLE.select(F.row_number()), "row_number() needs a window"),
        (lambda: PEOPLE.select(F.rank().over(over(partition_by="id"))), "rank needs an order"),
        (lambda: PEOPLE.select(F.upper("name").over()), "is not an aggregate or window function"),
        (lambda: PEOPLE.select(col("id").over()), "id is not an aggregate or window function"),
        (lambda: PEOPLE.group_by("id").select("name"), "`name` is neither a grouping key nor"),
        (lambda: PEOPLE.select("name", F.max("id")), "`name` is neither a grouping key nor"),
        (
            lambda: PEOPLE.select(F.explode("tags"), F.explode("tags")),
            "select() can hold one generator",
        ),
        (
            lambda: PEOPLE.select(F.explode(F.collect_list("id").over(over(partition_by="id")))),
            "a window function cannot stand in a generator",
        ),
        *(
            (build, "a generator cannot stand beside an aggregate function")
            for build in (
                lambda: PEOPLE.select(F.explode(F.collect_set("id"))),
                lambda: PEOPLE.select(F.explode("tags"), F.max("id")),
                lambda: PEOPLE.group_by("id").select(F.explode(F.collect_set("id"))),
                lambda: PEOPLE.group_by("id").agg(F.explode(F.array("id")), F.count("*")),
                lambda: PEOPLE.generate(F.explode(F.collect_set("id"))),
            )
        ),
    ],
)
def test_in_the_wrong_place(build: Any, part: str) -> None:
    assert part in message(ValidationError, build)


@pytest.mark.parametrize(
    "clause",
    [
        lambda e: e.distinct(),
        lambda e: e.filter(col("ok")),
        lambda e: e.within_group("id"),
        lambda e: e.ignore_nulls(),
    ],
)
def test_clauses_of_aggregates_are_not_lost_on_other_calls(clause: Any) -> None:
    """They would vanish without a trace, and the query would mean something else."""
    for expression in (F.upper(col("name")), F.explode(col("tags"))):
        text = message(ValidationError, lambda e=expression: PEOPLE.select(clause(e)))
        assert "belongs to a call of an aggregate function" in text


# -- lambdas -----------------------------------------------------------------------------------


def sql_of(expression: Any) -> str:
    return PEOPLE.select(expression.alias("x")).to_sql().split("\n")[1].strip()


def test_a_parameter_does_not_capture_a_column() -> None:
    shadowing = F.transform("tags", lambda id: F.concat(id, col("id").cast("STRING")))
    wanted = "transform(tags, id -> concat(id, CAST(people.id AS STRING))) AS x"
    assert sql_of(shadowing) == wanted


def test_nested_lambdas_of_one_name_stay_apart() -> None:
    nested = F.transform("tags", lambda x: F.transform("tags", lambda y: F.concat(x, y)))
    assert sql_of(nested) == "transform(tags, x -> transform(tags, y -> concat(x, y))) AS x"
    same = F.transform("tags", lambda x: F.transform("tags", lambda x: x))
    assert sql_of(same) == "transform(tags, x -> transform(tags, x_2 -> x_2)) AS x"


def test_what_a_window_function_is_of_may_be_groups_and_no_window() -> None:
    w = over(order_by="state")
    text = ORDERS.group_by("state").select(F.sum(F.sum("n")).over(w).alias("x")).to_sql()
    assert "sum(sum(n)) OVER (ORDER BY state) AS x" in text
    for item, part in (
        (F.sum(F.sum(F.sum("n"))).over(w), "sum inside another aggregate function"),
        (F.sum(F.rank().over(w)).over(w), "sum has a window function as an argument"),
        (F.max(F.rank().over(w)), "max has a window function as an argument"),
    ):
        assert part in message(ValidationError, lambda e=item: ORDERS.select(e))


# -- sub-queries -------------------------------------------------------------------------------


def test_an_outer_column_outside_of_its_sub_query() -> None:
    kept: list[Any] = []

    def query(outer: Any) -> Table:
        kept.append(outer("id"))
        return ORDERS

    PEOPLE.filter(exists(query))
    text = message(ValidationError, lambda: PEOPLE.select(kept[0]))
    assert "a column of an enclosing query was used outside of its sub-query" in text


def test_outer_names_are_checked_against_the_outer_table() -> None:
    def build() -> Table:
        return PEOPLE.filter(exists(lambda o: ORDERS.filter(col("state") == o("nmae"))))

    assert "did you mean: name" in message(UnknownColumnError, build)


def test_outer_struct_paths_of_any_depth() -> None:
    for path, own in (("st.p", "person"), ("st.q.r", "state"), ("people.st.q.r", "state")):
        table = PEOPLE.filter(
            exists(lambda o, p=path, c=own: ORDERS.filter(col(c) == o(p)))
        ).select("id")
        assert f"{own} = people.{path.removeprefix('people.')}" in table.to_sql()


def _largest(outer: Any, *also: Any) -> Table:
    return ORDERS.add_columns(*also).filter(col("person") == outer("id")).order_by("n").limit(1)


@pytest.mark.parametrize(
    "query",
    [
        lambda o: _largest(o).select(F.concat("state", o("name")).alias("x")),
        lambda o: _largest(o).filter(col("state") == o("name")).select("state"),
        lambda o: _largest(o).offset(1).join(ORDERS.alias("b"), col("b.state") == o("name")),
        lambda o: _largest(o).select("state").union_all(_largest(o).select(o("name").alias("n"))),
    ],
)
def test_a_limit_between_two_columns_of_the_row_around(query: Any) -> None:
    """Spark 4.3 gives only some rows theirs: it counts them for one column, not for the other."""
    for build in (lambda: PEOPLE.join_lateral(query), lambda: PEOPLE.filter(exists(query))):
        text = message(ValidationError, build)
        assert "uses `name` of the row around it above a limit" in text
        assert 'add_columns(outer("name").alias("outer_name"))' in text


@pytest.mark.parametrize(
    ("query", "place"),
    [
        (lambda o: ORDERS.order_by("n", o("id")), "order_by"),
        (lambda o: ORDERS.order_by(col("n") + o("id")), "order_by"),
        (lambda o: ORDERS.group_by("state", o("id")).count(), "group_by"),
    ],
)
def test_places_where_spark_has_no_column_of_the_row_around(query: Any, place: str) -> None:
    text = message(ValidationError, lambda: PEOPLE.filter(exists(query)))
    assert f"`id` of the row around the sub-query cannot stand in {place}" in text


@pytest.mark.parametrize(
    "query",
    [
        lambda o: _largest(o).filter(col("n") > o("id")),
        lambda o: _largest(o, o("name").alias("outer_name")).filter(col("state") == o("name")),
        lambda o: ORDERS.order_by("n").limit(1).filter(col("state") == o("name")),
        lambda o: _largest(o).union_all(ORDERS.filter(col("state") == o("name"))),
    ],
)
def test_a_limit_of_the_same_column_of_the_row_around(query: Any) -> None:
    PEOPLE.filter(exists(query))


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: PEOPLE.select(scalar(ORDERS)), "a scalar sub-query has one column, not 4"),
        (lambda: PEOPLE.filter(col("id").in_(ORDERS)), "1 operands IN a query of 4 columns"),
        (lambda: PEOPLE.filter(exists(3)), "is a table or a function that gives one, not 3"),
        (lambda: PEOPLE.filter(exists(lambda outer: 3)), "the function of a sub-query gave 3"),
        (
            lambda: PEOPLE.filter(col("tags").in_(ORDERS.select("id"))),
            "ARRAY<STRING> and INT cannot be compared",
        ),
    ],
)
def test_sub_queries_that_do_not_fit(build: Any, part: str) -> None:
    assert part in message(ValidationError, build)
