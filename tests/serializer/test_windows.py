"""Windows that several calls share get a name, which changes nothing of what the text means."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import viewscribe as vs
from tests.fuzzing import examples
from tests.serializer.cases import ORDERS
from tests.serializer.test_same_rows import rows_of, schema_of
from tests.serializer.windows import SHARING
from tests.spark.answers import Answers
from tests.versions import RUNNING, skip_newer
from viewscribe import Table, col, over
from viewscribe import functions as F
from viewscribe.serializer import STYLES, windows
from viewscribe.serializer.literals import WIDTH
from viewscribe.serializer.pipe import columns
from viewscribe.spark.verify import verify
from viewscribe.spark.views import open_view

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_DEFINED = re.compile(r"(?:WINDOW\s+|,\n\s*)(w\d*) AS \(")
_USED = re.compile(r"OVER (w\d*)\b")


@pytest.mark.parametrize("name", SHARING)
def test_which_windows_have_a_name(name: str) -> None:
    make, names = SHARING[name]
    text = make().to_sql()
    assert _DEFINED.findall(text) == names
    assert set(_USED.findall(text)) == set(names)
    assert all(text.count(f"OVER {window}") >= 2 for window in names)
    if name != "over_sql_with_a_window_of_that_name":
        assert max(map(len, text.splitlines())) <= WIDTH


def test_texts() -> None:
    assert (
        SHARING["two_windows"][0]().filter(col("a") == 1).to_sql()
        == """\
SELECT
  rank() OVER w AS a,
  lag(n) OVER w2 AS b,
  sum(n) OVER w2 AS c,
  lead(n) OVER w AS d,
  max(n) OVER (ORDER BY id) AS e
FROM spark_catalog.shop.orders
WINDOW
  w AS (PARTITION BY person ORDER BY id),
  w2 AS (PARTITION BY state ORDER BY id DESC)
QUALIFY a = 1"""
    )
    assert (
        SHARING["a_window_that_does_not_fit_on_a_line"][0]().to_sql()
        == """\
SELECT
  rank() OVER w AS a,
  count(*) OVER w AS b
FROM spark_catalog.shop.orders
WINDOW w AS (
  PARTITION BY person, concat(state, 'a rather long piece of text')
  ORDER BY id DESC, coalesce(n, 123456789)
)"""
    )
    assert (
        SHARING["windows_over_windows"][0]().to_sql("pipe")
        == """\
FROM spark_catalog.shop.orders
|> SELECT id, n, rank() OVER w AS place, sum(n) OVER w AS running
  WINDOW w AS (PARTITION BY person ORDER BY id)
|> SELECT id, rank() OVER w AS a, sum(n) OVER w AS b
  WINDOW w AS (PARTITION BY place ORDER BY running DESC)"""
    )


def test_extend_has_no_named_windows() -> None:
    """Spark reads WINDOW after EXTEND only at the end of the whole pipe."""
    by = over(partition_by="person", order_by="id")
    calls = (F.rank().over(by).alias("a"), F.count("*").over(by).alias("b"))
    text = ORDERS.add_columns(*calls).limit(3).to_sql("pipe")
    assert "EXTEND" in text
    assert "WINDOW" not in text


def test_everything_is_not_lost_after_a_long_call() -> None:
    total = sum((col("n") * number for number in range(14)), start=col("id"))
    assert ") OVER () AS x" in ORDERS.select(F.sum(total).over().alias("x")).to_sql()


@pytest.mark.parametrize("name", SHARING)
def test_the_same_plan_and_rows_as_without_names(
    shop: SparkSession, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert_same(shop, monkeypatch, SHARING[name][0]())


KEYS = ["person", "state", "n", (col("n") + 1).alias("more"), F.upper("state")]


@st.composite
def windowed(draw: st.DrawFn) -> Table:
    """Orders with several calls over few windows, and steps above them."""
    windows = []
    for _ in range(draw(st.integers(1, 3))):
        partition = draw(st.lists(st.sampled_from(KEYS), max_size=2))
        window = over(partition_by=partition, order_by=["id"])
        windows.append(window.rows_between(-1, 0) if draw(st.booleans()) else window)
    calls = []
    for place in range(draw(st.integers(2, 5))):
        window = draw(st.sampled_from(windows))
        call = draw(st.sampled_from([F.sum(col("n")), F.count("*"), F.max("state")]))
        other = draw(st.sampled_from([None, *windows]))
        made = (
            call.over(window)
            if other is None
            else F.count("*").over(window) - F.count(col("n")).over(other)
        )
        calls.append(made.alias(draw(st.sampled_from(["w", "w2", "c"])) + "_" * place))
    table = ORDERS.select("id", "person", "n", "state", *calls)
    counted = [f.name for f in table.schema if f.type.ddl == "BIGINT"]
    for step in draw(st.lists(st.sampled_from(["filter", "again", "sort", "union"]), max_size=3)):
        if step == "filter" and counted:
            table = table.filter(col(draw(st.sampled_from(counted))) >= draw(st.integers(0, 2)))
        elif step == "again" and counted:
            used = col(draw(st.sampled_from(counted))) + 1
            table = table.add_columns(used.alias(f"v{len(table.schema)}"))
        elif step == "sort" and counted:
            table = table.order_by(col(draw(st.sampled_from(counted))) * -1, "id")
        elif step == "union":
            table = table.union_all(table.filter(col("id") > 1))
    return table


@pytest.mark.slow("15 random trees of windows in every style")
@settings(max_examples=examples(15, fuzz=200), suppress_health_check=list(HealthCheck))
@given(table=windowed())
def test_random_windows_give_the_same_plan_and_rows(shop: SparkSession, table: Table) -> None:
    with pytest.MonkeyPatch.context() as patch:
        assert_same(shop, patch, table)


def assert_same(shop: SparkSession, monkeypatch: pytest.MonkeyPatch, table: Table) -> None:
    """The texts with names, those with each window where it is used, and the interpreter agree."""
    skip_newer(table.operation)
    named = {style: table.to_sql(style, target=RUNNING) for style in STYLES}
    with monkeypatch.context() as patch:
        for module in (windows, columns):
            patch.setattr(module, "share_windows", lambda printer, write, taken: (write(), None))
        spelled_out = {style: table.to_sql(style, target=RUNNING) for style in STYLES}
    interpreted = table.to_dataframe(shop)
    wanted, answers = schema_of(interpreted), Answers(rows_of)
    for text, without_names in {named[style]: spelled_out[style] for style in STYLES}.items():
        found = shop.sql(text)
        if text != without_names:
            assert analyzed(found) == analyzed(shop.sql(without_names)), text
        assert schema_of(found) == wanted, text
        assert answers.of(found) == answers.of(interpreted), text


def analyzed(data: DataFrame) -> str:
    """The analyzed plan; columns and CTEs, which Spark counts, are numbered from 0 in it."""
    numbers: Counter[str] = Counter()
    places: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        if match[0] not in places:
            places[match[0]] = f"{match[1]}{numbers[match[1]]}"
            numbers[match[1]] += 1
        return places[match[0]]

    plan = data._jdf.queryExecution().analyzed().toString()
    return re.sub(r"(#|CTERelation(?:Def|Ref) )\d+L?", number, plan)


def test_a_view_of_spark_keeps_named_windows(shop: SparkSession) -> None:
    table = SHARING["windows_over_windows"][0]()
    shop.sql(f"CREATE OR REPLACE VIEW shop.named AS {table.to_sql(target=RUNNING)}")
    assert "OVER w" in shop.sql("SHOW CREATE TABLE shop.named").collect()[0][0]
    assert rows_of(shop.table("shop.named")) == rows_of(table.to_dataframe(shop))


def test_a_stored_view_with_named_windows_opens_again(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("windows")
    spark.sql("SELECT * FROM VALUES (1, 1, 5), (1, 2, 7), (2, 3, NULL) AS t(k, id, n)").coalesce(
        1
    ).write.parquet((place / "t").as_uri())
    env = vs.TableEnvironment.open(f"file:{place / 'catalog'}")
    env.create_database("named")
    env.use_database("named")
    env.create_table("t", "k INT, id INT, n INT", format="parquet", location=(place / "t").as_uri())
    by = over(partition_by="k", order_by=col("id").desc())
    calls = (F.rank().over(by).alias("place"), F.sum(col("n")).over(by).alias("running"))
    table = env.from_path("t").select("k", "n", *calls).filter(col("place") == 1)
    try:
        for style in ("readable", "pipe"):
            env.create_view(f"by_{style}", table, style=style, target=RUNNING)
            assert "\nWINDOW w AS" in env.get_view(f"by_{style}").sql.replace("\n  W", "\nW")
            again = vs.TableEnvironment.open(env.catalogs.catalog().url)
            again.use_database("named")
            rows = [tuple(row) for row in open_view(again, f"by_{style}", spark).collect()]
            assert sorted(rows) == [(1, 7, 1, 7), (2, None, 1, None)]
            report = verify(again.get_view(f"by_{style}"), spark)
            assert report.ok, report
    finally:
        spark.sql("DROP DATABASE IF EXISTS named CASCADE")
