"""A catalog is verified with nothing done twice: settings, tables, rows."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.sql.classic.dataframe import DataFrame
from pyspark.sql.conf import RuntimeConfig

import viewscribe as vs
from viewscribe import col
from viewscribe.catalog_store import ChangedViewWarning, FileCatalog, ObjectId
from viewscribe.errors import ViewscribeError
from viewscribe.spark.catalog_verification import CatalogVerifier
from viewscribe.spark.verify import verify

ZONE = "spark.sql.session.timeZone"
DATABASE = "many_views"
SHARES = """
SELECT shop, sum(id) / (SELECT sum(id) FROM many_views.sales) AS share FROM many_views.sales AS s
WHERE id > (SELECT avg(o.id) FROM many_views.sales AS o WHERE o.shop = s.shop) GROUP BY shop
HAVING sum(id) > (SELECT avg(id) FROM many_views.sales)
"""


@pytest.fixture
def env(spark, tmp_path):
    """Twelve views over one table, in turns under three time zones."""
    data = str(tmp_path / "data")
    spark.range(20).selectExpr("id", "id % 3 AS shop").write.parquet(data)
    url = f"file:{tmp_path / 'views'}"
    made = vs.TableEnvironment(url)
    made.create_database(DATABASE)
    made.create_table(
        f"{DATABASE}.sales", "id BIGINT, shop BIGINT", format="parquet", location=data
    )
    for number in range(12):
        zone = ("UTC", "Europe/Berlin", "Asia/Tokyo")[number % 3]
        under = vs.TableEnvironment(url, settings={ZONE: zone})
        table = under.from_path(f"{DATABASE}.sales").filter(col("id") > number)
        under.create_view(f"{DATABASE}.v{number:02d}", table.select(col("id")))
    yield made
    spark.sql(f"DROP DATABASE IF EXISTS {DATABASE} CASCADE")


@pytest.fixture
def counted(monkeypatch):
    """How often settings are set, rows collected and documents read."""
    counts: Counter[object] = Counter()

    def count(of, method, key):
        plain = getattr(of, method)

        def counting(self, *arguments, **options):
            counts[key(*arguments)] += 1
            return plain(self, *arguments, **options)

        monkeypatch.setattr(of, method, counting)

    count(RuntimeConfig, "set", lambda name, value: name)
    count(DataFrame, "collect", lambda: "collect")
    count(FileCatalog, "find", lambda database, name: name)
    return counts


def views(*more):
    return [ObjectId(DATABASE, f"v{number:02d}", "view") for number in range(12)] + [*more]


def test_settings_are_switched_once_for_a_group(spark, env, counted):
    own = spark.conf.get(ZONE)
    spark.conf.set(ZONE, "America/Lima")
    counted.clear()
    with CatalogVerifier(env.catalogs, spark) as verifier:
        turns = list(verifier.in_turns(views()))
        assert sorted(turns) == views()
        assert all(verifier.verify(each.database, each.name).ok for each in turns)
    assert spark.conf.get(ZONE) == "America/Lima"
    switched = counted[ZONE]
    spark.conf.set(ZONE, own)
    # Each of three is set to look at the first view, put back, set for its group, and put back.
    assert switched <= 4 * 3
    assert counted["sales"] == 1
    assert [counted[each.name] for each in turns] == [1] * 12


def test_settings_come_back_after_an_error(spark, env):
    before = spark.conf.get(ZONE)

    def stop():
        with CatalogVerifier(env.catalogs, spark) as verifier:
            verifier.verify(DATABASE, "v01")
            assert spark.conf.get(ZONE) == "Europe/Berlin"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert spark.conf.get(ZONE) == before


def test_a_table_is_made_under_the_settings_of_the_session(spark, env, tmp_path):
    """TIMESTAMP in a stored table is one with a time zone, whatever the last view was under."""
    data = str(tmp_path / "moments")
    spark.sql("SELECT timestamp_seconds(id) AS at FROM range(3)").write.parquet(data)
    url = env.catalogs.catalog().url
    other = vs.TableEnvironment(url, settings={"spark.sql.timestampType": "TIMESTAMP_NTZ"})
    other.create_view(f"{DATABASE}.w", other.from_path(f"{DATABASE}.sales").select(col("shop")))
    env.create_table(f"{DATABASE}.moments", "at TIMESTAMP", format="parquet", location=data)
    env.create_view(f"{DATABASE}.x", env.from_path(f"{DATABASE}.moments").select(col("at")))
    with CatalogVerifier(env.catalogs, spark) as verifier:
        assert verifier.verify(DATABASE, "w").ok
        assert verifier.verify(DATABASE, "x").ok
    assert spark.table(f"{DATABASE}.moments").schema.simpleString() == "struct<at:timestamp>"


def test_rows_are_asked_for_once_where_plans_prove_nothing(spark, env, counted):
    env.create_view(f"{DATABASE}.shares", env.sql_query(SHARES))
    with CatalogVerifier(env.catalogs, spark) as verifier:
        verifier.verify(DATABASE, "v00")
        counted.clear()
        found = verifier.verify(DATABASE, "shares")
    assert (found.plan.status, found.rows.status, found.ok) == ("not compared", "equal", True)
    assert counted["collect"] == 4  # the author's text is a witness beside the tree
    assert found == verify(env.get_view(f"{DATABASE}.shares"), spark)


def test_threads_find_the_same_as_one(spark, env):
    with CatalogVerifier(env.catalogs, spark) as verifier, ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda each: verifier.verify(each.database, each.name), views()))
    assert all(each.ok for each in found)


def test_a_view_that_cannot_be_read_ahead_fails_when_its_turn_comes(spark, env, tmp_path):
    (tmp_path / "views" / DATABASE / "v03.view.yaml").write_text("kind: view\n")
    with CatalogVerifier(env.catalogs, spark) as verifier:
        turns = list(verifier.in_turns(views(ObjectId(DATABASE, "gone", "view"))))
        assert sorted(turns) == sorted(views(ObjectId(DATABASE, "gone", "view")))
        with pytest.raises(ViewscribeError, match="v03"):
            verifier.verify(DATABASE, "v03")
        with pytest.raises(ViewscribeError, match="gone"):
            verifier.verify(DATABASE, "gone")
        assert verifier.verify(DATABASE, "v04").ok


def test_what_changed_in_a_table_is_told(spark, env, tmp_path):
    table = tmp_path / "views" / DATABASE / "sales.table.yaml"
    table.write_text(table.read_text().replace("name: id, type: BIGINT", "name: id, type: INT"))
    view = tmp_path / "views" / DATABASE / "v01.view.yaml"
    view.write_text(view.read_text().replace("id > 1", "id > 2"))
    again = vs.TableEnvironment(env.catalogs.catalog().url)
    with CatalogVerifier(again.catalogs, spark) as verifier, pytest.warns(ChangedViewWarning):
        plain, edited = (verifier.verify(DATABASE, name) for name in ("v00", "v01"))
    told = ("spark_catalog.many_views.sales has changed: `id` is INT, it was BIGINT",)
    assert (plain.ok, plain.changed, plain.edited) == (False, told, False)
    assert (edited.ok, edited.changed, edited.edited) == (False, told, True)
    assert told[0] in str(plain)
    assert type(edited).from_json(edited.to_json()) == edited
    assert "edited by hand" in str(edited)
