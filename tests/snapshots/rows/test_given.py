"""``given(…).expect(…)``, run in DuckDB where that is enough."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe import functions as F
from viewscribe.snapshots import given, views
from viewscribe.snapshots.rows import RowsDifferError, ViewTestError

ORDERS = [
    {"id": 1, "customer": "ann", "amount": "3.50", "day": "2026-01-31"},
    {"id": 2, "customer": "bob", "amount": 9},
    {"id": 3, "customer": "ann", "amount": 1.25},
]


@pytest.fixture
def env():
    env = vs.TableEnvironment()
    env.create_database("sales")
    env.create_table(
        "sales.orders", "id BIGINT NOT NULL, customer STRING, amount DECIMAL(10, 2), day DATE"
    )
    env.create_table("sales.customers", "customer STRING, country STRING")
    return env


@pytest.fixture
def totals(env):
    orders = env.from_path("sales.orders").group_by("customer")
    return orders.agg(F.sum("amount").alias("total"), F.max("day").alias("last"))


def expect(test, view, rows, **options):
    return test.expect(view, rows, engine="duckdb", **options)


def test_some_columns_of_a_pipeline(totals):
    rows = [{"customer": "bob", "total": 9}, {"customer": "ann", "total": Decimal("4.75")}]
    expect(given(orders=ORDERS), totals, rows)


def test_tuples_are_all_columns(totals):
    rows = [("ann", "4.75", dt.date(2026, 1, 31)), ("bob", 9, None)]
    expect(given({"sales.orders": ORDERS}), totals, rows)


def test_no_rows(totals):
    expect(given(orders=[]), totals, [])


def test_order_matters_where_it_is_asked_for(totals):
    sorted_ = totals.order_by(col("total").desc())
    rows = [{"customer": "bob"}, {"customer": "ann"}]
    expect(given(orders=ORDERS), sorted_, rows, ordered=True)
    expect(given(orders=ORDERS), sorted_, rows[::-1])
    with pytest.raises(RowsDifferError, match="the same rows in another order, from row 1 on"):
        expect(given(orders=ORDERS), sorted_, rows[::-1], ordered=True)


def test_rows_are_counted(env):
    names = env.from_path("sales.orders").select("customer")
    with pytest.raises(RowsDifferError, match="1 row missing, 1 row unexpected"):
        expect(given(orders=ORDERS), names, [("ann",), ("bob",), ("bob",)])


def test_a_difference_is_shown_by_column(totals):
    rows = [("ann", 5, "2026-01-31"), ("cem", 1, None)]
    with pytest.raises(RowsDifferError) as caught:
        expect(given(orders=ORDERS), totals, rows)
    assert str(caught.value).splitlines() == [
        "the table: 1 row missing, 1 row unexpected, 1 row different",
        "     customer  total  last",
        "  -  'ann'     5.00   2026-01-31",
        "  +  'ann'     4.75   2026-01-31  <- total",
        "  -  'cem'     1.00   NULL        missing",
        "  +  'bob'     9.00   NULL        unexpected",
    ]


def test_stored_views_by_name_and_through_others(env):
    env.create_view("sales.large", env.from_path("sales.orders").filter(col("amount") > 3))
    env.create_view("sales.names", env.from_path("sales.large").select("customer"))
    expect(given(orders=ORDERS), "sales.names", [("ann",), ("bob",)], env=env)
    expect(given(large=[{"id": 1, "customer": "cem"}]), "sales.names", [("cem",)], env=env)
    document = env.get_view("sales.names")
    expect(given(orders=ORDERS), document, [("ann",), ("bob",)], env=env.catalogs)


def test_the_clock_and_the_user(env):
    table = env.from_path("sales.orders").select(
        "id", (F.current_date() == col("day")).alias("today"), F.current_user().alias("who")
    )
    test = given(orders=ORDERS).override(current_date="2026-01-31", current_user="me")
    rows = [(1, True, "me"), (2, None, "me"), (3, None, "me")]
    expect(test, table, rows)
    clock = given(orders=ORDERS).override(current_timestamp="2026-01-31T23:00:00")
    whole = {"current_user": "you"}
    expect(clock.override(**whole), table.select("id", "who"), [(n, "you") for n in (1, 2, 3)])


def test_two_sides_of_a_join(env):
    orders, customers = env.from_path("sales.orders"), env.from_path("sales.customers")
    joined = orders.join(customers, using="customer").select("id", "country")
    rows = [{"customer": "ann", "country": "DE"}]
    expect(given(orders=ORDERS, customers=rows), joined, [(1, "DE"), (3, "DE")])


@pytest.mark.parametrize(
    ("tables", "rows", "message"),
    [
        ({}, [], "gives it no rows"),
        ({"ordrs": ORDERS}, [], "did you mean: ordrs"),
        ({"orders": ORDERS, "customers": []}, [], "does not read `customers`"),
        ({"orders": [{"id": "x"}]}, [], "`orders`, row 1, `id`: 'x' is not a value of BIGINT"),
        ({"orders": [{"id": 1}, {"customer": "a"}]}, [], "row 2: `id` is NOT NULL"),
        ({"orders": [{"id": 1, "amont": 2}]}, [], "no column `amont`\n  did you mean: amount"),
        ({"orders": [{"id": 1, "amount": "1.234"}]}, [], "is not a value of DECIMAL"),
        ({"orders": [{"id": 1, "day": "31.1.2026"}]}, [], "is not a value of DATE"),
        ({"orders": [(1, "ann")]}, [], "it has 2 values, the table 4 columns"),
        ({"orders": "rows"}, [], "rows are a list"),
        ({"orders": [{"id": 1, "ID": 2}]}, [], "given twice"),
        ({"orders": ORDERS}, [{"totl": 1}], "expected row 1: no column `totl`"),
        ({"orders": ORDERS}, [(1,)], "expected row 1 has 1 values"),
        ({"orders": ORDERS}, [{"total": 1}, {"last": None}], "other columns than the first"),
        ({"orders": ORDERS}, [{"total": "much"}], "is not a value of DECIMAL"),
        ({"orders": ORDERS, "sales.orders": ORDERS}, [], "given as"),
    ],
)
def test_what_is_wrong_is_said(totals, tables, rows, message):
    with pytest.raises(ViewTestError) as caught:
        expect(given(tables), totals, rows)
    assert message in str(caught.value)


def test_a_view_that_nobody_knows(env):
    with pytest.raises(ViewTestError, match="nobody says where the view `v` is"):
        given().expect("v", [])
    with pytest.raises(ViewTestError, match="no view or table"):
        given().expect("sales.none", [], env=env)
    with pytest.raises(ViewTestError, match=r"`sales\.orders` is no view"):
        given().expect("sales.orders", [], env=env)
    with pytest.raises(ViewTestError, match="a int is no view"):
        given().expect(3, [])


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ({"rand": 1}, "`rand` cannot be overridden"),
        ({"current_dat": "2026-01-01"}, "did you mean: current_date"),
        ({"current_date": "soon"}, "the override of `current_date`: 'soon' is not a value of DATE"),
        ({"current_timestamp": "soon"}, "'soon' is no timestamp"),
    ],
)
def test_overrides_that_are_none(env, override, message):
    table = env.from_path("sales.orders").select(F.current_date().alias("today"))
    with pytest.raises(ViewTestError) as caught:
        expect(given(orders=[]).override(**override), table, [])
    assert message in str(caught.value)


def test_another_reader_of_the_clock_is_told(env):
    table = env.from_path("sales.orders").select(F.unix_timestamp().alias("now"))
    with pytest.raises(ViewTestError, match=r"unix_timestamp\(\) reads the clock, too"):
        given(orders=[]).override(current_date="2026-01-01").expect(table, [])


def test_what_duckdb_may_do_otherwise_is_refused(env):
    upper = env.from_path("sales.orders").select(F.upper("customer").alias("name"))
    with pytest.raises(
        ViewTestError, match="no translation to duckdb: the function upper"
    ) as caught:
        expect(given(orders=ORDERS), upper, [])
    assert "--engine spark" in str(caught.value)
    env.create_table("maps", "m MAP<STRING, INT>")
    with pytest.raises(ViewTestError, match="`m` is MAP<STRING, INT>"):
        expect(given(maps=[]), env.from_path("maps"), [])
    with pytest.raises(ViewTestError, match="no engine `sqlite`"):
        given(maps=[]).expect(env.from_path("maps"), [], engine="sqlite")  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["duckdb", pytest.param("spark", marks=pytest.mark.spark)])
def test_a_date_that_python_cannot_hold_is_told(env, engine, request):
    env.create_table("days", "day DATE")
    table = env.from_path("days").select((col("day") + 1).alias("next"))
    session = request.getfixturevalue("spark") if engine == "spark" else None
    with pytest.raises(ViewTestError, match="Python"):
        given(days=[("9999-12-31",)]).expect(table, [], engine=engine, spark=session)


def test_floats_differ_by_nothing_or_by_the_tolerance(env):
    env.create_table("points", "x DOUBLE")
    table = env.from_path("points").select((col("x") + 0.2).alias("y"))
    rows: list[dict[str, Any]] = [{"x": 0.1}, {"x": "NaN"}, {"x": None}]
    expect(given(points=rows), table, [(0.30000000000000004,), ("NaN",), (None,)])
    with pytest.raises(RowsDifferError):
        expect(given(points=rows), table, [(0.3,), ("NaN",), (None,)])
    expect(given(points=rows), table, [(0.3,), ("NaN",), (None,)], tolerance=1e-9)


ALL = (
    "b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(5, 2), "
    "c STRING, x BINARY, day DATE, at TIMESTAMP, local TIMESTAMP_NTZ, list ARRAY<INT>"
)
NESTED = ", m MAP<STRING, INT>, r STRUCT<a: INT, b: ARRAY<DATE>>, long INTERVAL DAY TO SECOND"
ROW = {
    **{"b": True, "t": 1, "s": 2, "i": 3, "l": 4, "f": 0.1, "d": 0.1, "n": "1.50", "c": "a'b\\"},
    **{"x": "00ff", "day": "2026-01-31", "at": "2026-01-31T12:00:00+02:00"},
    **{"local": "2026-01-31 12:00:00.5", "list": [1, None]},
}
MORE = {
    "m": {"z": 1, "a": None},
    "r": {"b": ["2026-01-01", None]},
    "long": dt.timedelta(days=1, seconds=3, microseconds=5),
}


def test_every_type_of_duckdb(env):
    env.create_table("everything", ALL)
    test = given(everything=[ROW, {}])
    expect(test, env.from_path("everything"), [ROW, dict.fromkeys(ROW)])


@pytest.mark.spark
def test_every_type_of_spark(env, spark):
    env.create_table("everything", ALL + NESTED)
    row = {**ROW, **MORE}
    test = given(everything=[row, {}])
    test.expect(env.from_path("everything"), [row, dict.fromkeys(row)], spark=spark)


@pytest.mark.spark
def test_spark_runs_the_stored_text_under_its_settings(env, spark):
    berlin = vs.TableEnvironment(
        settings={"spark.sql.session.timeZone": "Europe/Berlin", "spark.sql.ansi.enabled": "false"}
    )
    berlin.create_table("events", "at TIMESTAMP, amount STRING")
    table = berlin.from_path("events").select(
        F.to_date("at").alias("day"), col("amount").cast("INT").alias("amount")
    )
    berlin.create_view("days", table, annotate=True)
    test = given(events=[{"at": "2026-01-31T23:30:00Z", "amount": "many"}])
    test.expect("days", [("2026-02-01", None)], env=berlin, spark=spark)
    test.expect(table, [("2026-02-01", None)], spark=spark)
    shown = [row.viewName for row in spark.sql("SHOW VIEWS").collect()]
    assert not [name for name in shown if "viewscribe_given" in name]


@pytest.mark.spark
def test_a_view_that_fails_says_what_spark_says(env, spark):
    table = env.from_path("sales.orders").select(col("customer").cast("INT").alias("n"))
    with pytest.raises(ViewTestError, match=r"the table: .*CAST_INVALID_INPUT"):
        given(orders=ORDERS).expect(table, [], spark=spark)


@pytest.mark.spark
def test_a_text_that_another_tool_wrote(env, spark):
    document = vs.catalog_store.ViewDocument(
        database="sales",
        name="foreign",
        sql="SELECT o.customer, count(*) AS n FROM sales.orders AS o GROUP BY o.customer",
        columns=(
            vs.catalog_store.Column("customer", "STRING"),
            vs.catalog_store.Column("n", "BIGINT", nullable=False),
        ),
    )
    env.catalogs.save(document)
    rows = [("ann", 2), ("bob", 1)]
    given(orders=ORDERS).expect("sales.foreign", rows, env=env, spark=spark)


def test_the_clock_stands_still_in_views_below(env):
    today = env.from_path("sales.orders").filter(col("day") == F.current_date())
    env.create_view("sales.today", today)
    env.create_view("sales.ids", env.from_path("sales.today").select("id"))
    test = given(orders=ORDERS)
    expect(test.override(current_date="2026-01-31"), "sales.ids", [(1,)], env=env)
    expect(test.override(current_date="2026-02-01"), "sales.ids", [], env=env)


def test_given_timestamps_are_of_the_tested_view_wherever_they_are_read(env):
    zone = "spark.sql.session.timeZone"
    there = vs.TableEnvironment(env.catalogs.catalog(), settings={zone: "Asia/Tokyo"})
    here = vs.TableEnvironment(env.catalogs.catalog(), settings={zone: "UTC"})
    here.create_table("events", "at TIMESTAMP")
    there.create_view("below", there.from_path("events").select("at"))
    both = here.from_path("events").union_all(here.from_path("below"))
    expect(given(events=[{"at": "2026-01-31T12:00:00"}]), both, [("2026-01-31T12:00:00Z",)] * 2)


def test_names_are_folded_as_those_of_catalogs_are(env):
    env.create_table("streets", "`straße` INT, `STRASSE` INT")
    table = env.from_path("streets")
    expect(given(streets=[{"straße": 1, "strasse": 2}]), table, [{"Straße": 1, "strasse": 2}])


def test_a_view_whose_columns_moved_is_refused_by_duckdb(env):
    env.create_table("pairs", "a INT, b INT")
    env.create_view("below", env.from_path("pairs").select("a", "b"))
    env.create_view("above", env.from_path("below").select("a"))
    env.create_view("below", env.from_path("pairs").select("b", "a"), or_replace=True)
    with pytest.raises(ViewTestError, match="has other columns now"):
        expect(given(pairs=[(1, 2)]), "above", [(1,)], env=env)


def test_what_spark_fails_at_is_no_row_of_duckdb(env):
    env.create_table("n", "a BIGINT, b DECIMAL(5, 2)")
    table = env.from_path("n")
    with pytest.raises(ViewTestError, match="a divisor that may be 0"):
        expect(given(n=[(1, 0)]), table.select((col("a") / col("b")).alias("x")), [(None,)])
    with pytest.raises(ViewTestError, match="a quotient of DECIMAL"):
        expect(given(n=[(1, 3)]), table.select((col("b") / 2).alias("x")), [("1.5",)])
    expect(given(n=[(3, 3)]), table.select((col("a") / 2).alias("x")), [(1.5,)])
    big = 2**63 - 1
    with pytest.raises(ViewTestError, match="may overflow on the way"):
        expect(given(n=[(big, 0), (big, 0)]), table.agg(F.sum("a").alias("s")), [(1,)])


def test_numbers_and_times_that_would_be_cut_are_refused(env):
    env.create_table("fine", "n DECIMAL(20, 2), t TIMESTAMP")
    table = env.from_path("fine")
    with pytest.raises(ViewTestError, match="may have lost digits as a float"):
        expect(given(fine=[{"n": 12345678901234567.89}]), table, [])
    with pytest.raises(ViewTestError, match="is not a value of TIMESTAMP"):
        expect(given(fine=[{"t": "2026-01-31T12:00:00.1234567"}]), table, [])


def test_varchar_is_text_of_a_limited_length(env):
    env.create_table("codes", "c VARCHAR(3), s STRUCT<a: INT, b: VARCHAR(2)>")
    table = env.from_path("codes").select("c")
    expect(given(codes=[{"c": "abc"}, {"c": None}]), table, [("abc",), (None,)])
    with pytest.raises(ViewTestError, match=r"'abcd' is not a value of VARCHAR\(3\)"):
        expect(given(codes=[{"c": "abcd"}]), table, [])
    with pytest.raises(ViewTestError, match=r"'xyz' is not a value of VARCHAR\(2\)"):
        expect(given(codes=[{"s": {"b": "xyz"}}]), table, [])
    with pytest.raises(ViewTestError, match="half of a surrogate pair"):
        expect(given(codes=[{"c": "\ud800"}]), table, [])
    with pytest.raises(ViewTestError, match="is given twice"):
        expect(given(codes=[{"s": {"a": 1, "A": 2}}]), table, [])


def test_views_of_a_catalog_bring_it_along(env, tmp_path):
    stored = vs.TableEnvironment(f"file:{tmp_path}")
    stored.create_table("numbers", "n INT")
    stored.create_view("large", stored.from_path("numbers").filter(col("n") > 1))
    (found,) = (each.values[0] for each in views(f"file:{tmp_path}"))
    expect(given(numbers=[(1,), (2,)]), found, [(2,)])


@pytest.mark.spark
def test_a_dataframe(spark):
    spark.sql("CREATE TABLE given_orders (id INT, paid BOOLEAN) USING parquet")
    try:
        frame = spark.table("given_orders").where("paid").select("id")
        given(given_orders=[(1, True), (2, False), (3, None)]).expect(frame, [(1,)], spark=spark)
    finally:
        spark.sql("DROP TABLE given_orders")


def test_the_settings_of_a_view_below_say_whether_a_division_fails(tmp_path):
    strict = vs.TableEnvironment(f"file:{tmp_path}")
    strict.create_table("t", "id INT, a INT, b INT")
    ratio = strict.from_path("t").select("id", (col("a") / col("b")).alias("q"))
    strict.create_view("v", ratio)
    lenient = vs.TableEnvironment(f"file:{tmp_path}", settings={"spark.sql.ansi.enabled": "false"})
    lenient.create_view("w", lenient.from_path("v").select("id", "q"))
    with pytest.raises(ViewTestError, match="a divisor that may be 0"):
        given(t=[(1, 5, 0)]).expect("w", [(1, None)], env=lenient, engine="duckdb")
