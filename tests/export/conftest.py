"""A catalog whose names, comments and texts are as awkward as a catalog's can be."""

from __future__ import annotations

from pathlib import Path

import pytest

import viewscribe as vs
from viewscribe.catalog_store import Catalog

COMMENT = "Ger'mans {{ x }} {% y %} \\ ; -- \n ${z} </script> \u202e @a \x85"


def make_shop(url: str) -> vs.TableEnvironment:
    """Tables and views; ``sales.days`` has settings of its own."""
    env = vs.TableEnvironment(url)
    env.create_database("sales")
    env.create_database("hr")
    env.create_table(
        "sales.customers",
        "id BIGINT NOT NULL, name STRING COMMENT 'as on {{ the }} contract', `odd col` DATE",
        comment="Who {% buys",
        format="parquet",
    )
    env.create_table(
        "sales.orders", "id BIGINT, customer BIGINT, amount DECIMAL(10, 2), ts TIMESTAMP"
    )
    german = env.sql_query("SELECT id, name, `odd col` FROM sales.customers WHERE name <> '%'")
    env.create_view(
        "sales.german", german, comment=COMMENT, column_comments={"name": "na'me\n\u2028"}
    )
    totals = env.sql_query(
        "SELECT german.name, sum(orders.amount) AS Total FROM sales.german "
        "JOIN sales.orders ON orders.customer = german.id GROUP BY german.name"
    )
    env.create_view("sales.totals", totals, properties={"team": "cr'm"})
    env.create_view(
        "hr.german", env.sql_query("SELECT name AS n, struct(Total) AS s FROM sales.totals")
    )
    berlin = env.with_settings(
        {"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "Europe/Berlin"}
    )
    days = berlin.sql_query("SELECT CAST(ts AS DATE) AS d, CAST('x' AS INT) AS i FROM sales.orders")
    berlin.create_view("sales.days", days)
    return env


@pytest.fixture
def shop(tmp_path: Path) -> vs.TableEnvironment:
    return make_shop(f"file:{tmp_path}/views")


@pytest.fixture
def catalog(shop: vs.TableEnvironment) -> Catalog:
    return shop.catalogs.catalog()
