"""Operations refuse what they cannot hold, where the user wrote it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from viewscribe import TableEnvironment, col, exists, lit, scalar
from viewscribe import functions as F
from viewscribe.errors import (
    TypeMismatchError,
    UnknownColumnError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.operations.nodes import CatalogSource, Project
from viewscribe.serializer.plan_document import from_plan, to_plan
from viewscribe.types import INT, Field

ENV = TableEnvironment()
ENV.create_table("people", "id INT NOT NULL, name STRING, ok BOOLEAN, tags ARRAY<STRING>")
ENV.create_table("orders", "id INT NOT NULL, person INT, at TIMESTAMP, n INT")
P, O = ENV.from_path("people"), ENV.from_path("orders")  # noqa: E741
SESSION = O.session("at", "5 minutes")


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: P.select(), "select() needs at least one column"),
        (lambda: P.select(col("id").desc()), "a sort key cannot stand in select()"),
        (lambda: P.agg(), "agg() needs at least one aggregate"),
        (lambda: P.order_by(), "order_by() needs at least one key"),
        (lambda: P.limit(-1), "limit is a number of rows from 0 to 2147483647, not -1"),
        (lambda: P.limit(True), "not True"),
        (lambda: P.offset(2**31), "offset is a number of rows"),
        (lambda: P.sample(2, seed=1), "a sample is a fraction from 0 to 1, not 2"),
        (lambda: P.add_columns(col("id").alias("NAME")), "already has a column `NAME`"),
        (
            lambda: P.add_columns(col("id").alias("x"), col("id").alias("X")),
            "add_columns was given `X` twice",
        ),
        (lambda: P.group_by("id", "ID").agg(F.count("*")), "group_by was given `id` twice"),
        (lambda: P.select("id").drop_columns("id"), "would leave no column"),
        (lambda: P.rename_columns("x"), 'takes col("old").alias("new")'),
        (lambda: P.alias(""), "an alias is a name, not ''"),
        (lambda: P.union(O.select("id")), "UNION of 4 and 1 columns"),
        (lambda: P.select("id").union_by_name(O.select("n")), "the columns differ: (id) and (n)"),
        (lambda: P.join(O, how="left"), "a left join needs a condition"),
        (lambda: P.join(O, how="sideways"), "no join 'sideways'"),
        (lambda: P.join(O, on=lit(True), how="cross"), "a cross join has no condition"),
        (
            lambda: P.grouping_sets([["id"], ["name"]], "id").agg(F.count("*")),
            "name is not among the grouping keys",
        ),
        (
            lambda: P.group_by("id").pivot("name", [col("id")]).agg(F.count("*")),
            "a pivot value is a literal, not id",
        ),
        (
            lambda: P.group_by("id").pivot("name", ["x"]).agg(col("ok")),
            "a pivot needs at least one aggregate function",
        ),
        (lambda: P.unpivot([col("id") + 1]), "unpivot takes columns, not"),
        (lambda: P.unpivot([]), "unpivot takes at least one column"),
        (lambda: P.unpivot(["id", "tags"]), "common type: id INT, tags ARRAY<STRING>"),
        (lambda: P.filter("id >"), "expected an expression, found the end of the text"),
        (lambda: O.tumble("at", "10 potatoes"), "'10 potatoes' is not a length of time"),
        (lambda: O.hop("at", "1 hour", "1 month"), "'1 month' is not a length of time"),
        (lambda: P.hint("x", col("id") + 1), "a hint takes numbers and columns"),
        (lambda: P.generate(F.upper(col("name"))), "is not a generator"),
        (
            lambda: P.generate(F.posexplode(col("tags")), ["a"]),
            "posexplode makes 2 columns (pos, col), and 1 names were given",
        ),
        (lambda: P.join_lateral(F.explode("tags"), on=lit(True)), "a generator takes no condition"),
        (lambda: ENV.from_values([]), "from_values() of no rows needs the types"),
        (lambda: ENV.from_values([(1, "a"), (2,)]), "a row of 1 values where there are 2"),
    ],
)
def test_refused(build: Any, part: str) -> None:
    with pytest.raises(ValidationError) as caught:
        build()
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: P.select("id").union(P.select("tags")), "`id` is INT on the left and ARRAY"),
        (
            lambda: P.select("tags").join(O.select(col("n").alias("tags")), using="tags"),
            "ARRAY<STRING> and INT cannot be compared",
        ),
        (lambda: P.unpivot(["id", "tags"]), "need a common type"),
        (lambda: ENV.from_values([(1,), ([1],)]), "types without a common"),
        (lambda: ENV.from_values([(None,)], "id INT NOT NULL"), "a row has NULL in it"),
    ],
)
def test_types_that_do_not_fit(build: Any, part: str) -> None:
    with pytest.raises(TypeMismatchError) as caught:
        build()
    assert part in str(caught.value)


@pytest.mark.parametrize(
    "build",
    [
        lambda: P.drop_columns("nope"),
        lambda: P.rename_columns(nope="x"),
        lambda: P.join(O, using="name"),
        lambda: P.unpivot(["nope"]),
        lambda: O.tumble("nope", "1 day"),
    ],
)
def test_unknown_names(build: Any) -> None:
    with pytest.raises(UnknownColumnError):
        build()


@pytest.mark.parametrize(
    "build",
    [
        lambda: SESSION.filter(col("id") > 1),
        lambda: SESSION.select("id"),
        lambda: SESSION.order_by("id"),
        lambda: SESSION.group_by("id").agg(F.count("*")),
        lambda: SESSION.distinct(),
        lambda: SESSION.limit(1),
        lambda: SESSION.offset(1),
        lambda: SESSION.alias("s"),
        lambda: SESSION.hint("broadcast"),
        lambda: SESSION.join(P, how="cross"),
        lambda: P.join(SESSION, how="cross"),
        lambda: SESSION.union_all(SESSION),
        lambda: SESSION.drop_columns("id"),
        lambda: SESSION.rename_columns(id="key"),
        lambda: SESSION.unpivot(["id"]),
        lambda: P.join_lateral(lambda outer: SESSION),
    ],
)
def test_a_session_window_only_exists_in_groups(build: Any) -> None:
    with pytest.raises(ValidationError, match="only exists in groups"):
        build()


@pytest.mark.parametrize("length", ["10 minutes", "1 day 12 hours", "interval 1.5 seconds"])
def test_lengths_of_time_windows(length: str) -> None:
    assert O.tumble("at", length).schema.names[-1] == "window"


def test_values_alone_are_rows_of_one_column() -> None:
    made = ENV.from_values([1, 2])
    assert (made.columns, made.schema.fields[0].type) == (["col1"], INT.not_null())
    assert ENV.from_values([(1, "a"), (2, "b")]).columns == ["col1", "col2"]


def test_an_ambiguous_column_is_not_said_to_be_of_an_input() -> None:
    """Only "in the input" goes on: "of filter"."""
    twice = P.alias("a").join(P.alias("b"), col("a.id") == col("b.id"))
    with pytest.raises(ViewscribeError) as caught:
        twice.filter(col("id") > 1)
    assert caught.value.message.endswith("columns of the input have this name")
    with pytest.raises(UnknownColumnError) as unknown:
        twice.filter(col("nope") > 1)
    assert unknown.value.message.endswith("in the input of filter")


def test_values_of_a_common_type_that_may_fail_are_nullable() -> None:
    """A cast of text to a number may give NULL, which is no fault of the rows."""
    assert str(ENV.from_values([(1,), ("2",)]).schema) == "col1 BIGINT"


def test_tables_do_not_change() -> None:
    before, hash_before = P.as_summary_string(), hash(P.operation)
    P.filter(col("id") > 1).select("id").distinct().limit(3)
    assert (P.as_summary_string(), hash(P.operation)) == (before, hash_before)


def test_equal_pipelines_are_equal_trees() -> None:
    def build(bound: int) -> Any:
        return P.filter(col("id") > bound).select("name").distinct()

    assert build(1).equals(build(1))
    assert hash(build(1).operation) == hash(build(1).operation)
    assert not build(1).equals(build(2))


def test_the_summary_has_a_line_for_each_operation() -> None:
    lines = P.filter(col("id") > 1).select("name").limit(3).as_summary_string().splitlines()
    assert len(lines) == 4
    assert [len(line) - len(line.lstrip()) for line in lines] == sorted(
        len(line) - len(line.lstrip()) for line in lines
    )


def test_rows_are_sorted_by_no_sub_query_that_looks_at_them():
    env = TableEnvironment()
    env.create_table("t", "a INT, b INT")
    t = env.from_path("t")
    total = t.filter(exists(lambda outer: t.filter(col("a") > outer("b")))).agg(F.max("a"))
    assert "ORDER BY" in t.order_by(total.scalar()).to_sql()
    of_the_row = scalar(lambda outer: t.filter(col("a") > outer("b")).agg(F.max("a")))
    for key in (of_the_row, of_the_row + 1, t.exists(), exists(lambda outer: t)):
        with pytest.raises(ValidationError, match="Spark sorts by no sub-query"):
            t.order_by(key)
    kept = t.add_columns(of_the_row.alias("key")).order_by("key")
    assert kept.to_sql().rstrip().endswith("ORDER BY key")
    assert "ORDER BY key\n) AS" in kept.drop_columns("key").to_sql()


def test_a_projection_that_drops_columns_is_the_one_that_lists_the_others() -> None:
    below = CatalogSource.of(("t",), tuple(Field(name, INT) for name in "abcd"))
    listed = Project.of(below, tuple(below.schema.reference(place) for place in (0, 3)))
    made = Project.without(below, {2, 1})
    unlisted = made.listed
    assert unlisted is None
    assert made.schema == listed.schema
    assert made == listed
    assert hash(made) == hash(listed)
    assert made.expressions == listed.expressions
    assert to_plan(made) == to_plan(listed)
    assert from_plan(to_plan(made)) == listed
    assert pickle.loads(pickle.dumps(made)) == listed
    other = CatalogSource.of(("u",), tuple(Field(name, INT) for name in "efgh"))
    assert made.copy_with({"child": other}) == listed.copy_with({"child": other})
    assert made.with_children([other, *made.expressions]).schema.names == ("e", "h")
