"""The files of a new project, which ``viewscribe init`` writes."""

from __future__ import annotations

SETTINGS = """\
# Environments: the catalogs that viewscribe's commands know by name.
schema_version: 1

environments:
  # viewscribe list dev, viewscribe verify dev, …
  dev:
    catalog: file:./views

  # A second place for the same views: viewscribe plan dev prod -o release.json
  #
  # prod:
  #   catalog: sqlite:///prod.sqlite          # or postgresql://user:${env:PASSWORD}@host/database
  #   names:
  #     databases: {shop: shop_prod}          # what databases are called there
  #   spark:
  #     spark.sql.shuffle.partitions: 8       # Spark's settings, for viewscribe verify
  #   allow:
  #     formats: [jdbc]                       # what documents may reach besides files
"""

PIPELINES = '''\
"""The views of this project. ``python pipelines.py`` stores them in ./views."""

import viewscribe as vs
from viewscribe import col
from viewscribe import functions as F

ORDERS = "id BIGINT NOT NULL, customer STRING, amount DECIMAL(10, 2), paid BOOLEAN"


def top_customers(env: vs.TableEnvironment) -> vs.Table:
    """What each customer has paid, the best first."""
    paid = env.from_path("shop.orders").filter(col("paid"))
    totals = paid.group_by("customer").agg(F.sum("amount").alias("total"))
    return totals.order_by(col("total").desc())


def main() -> None:
    env = vs.TableEnvironment("file:./views")
    env.create_database("shop", if_not_exists=True)
    env.create_table("shop.orders", ORDERS, or_replace=True)
    env.create_view(
        "shop.top_customers",
        top_customers(env),
        comment="What each customer has paid, the best first",
        or_replace=True,
    )


if __name__ == "__main__":
    main()
'''

TESTS = '''\
"""``pytest`` runs these tests; ``pytest --snapshot-update`` approves what the pipelines print."""

import pytest

from pipelines import ORDERS, top_customers
from viewscribe.snapshots import given


@pytest.fixture
def view_tables():
    """The tables of ``view_env``, an environment of each test's own."""
    return {"shop.orders": ORDERS}


def test_the_text_is_the_approved_one(view_env, view_snapshot):
    assert top_customers(view_env) == view_snapshot


def test_only_what_is_paid_counts(view_env):
    orders = [
        {"id": 1, "customer": "ann", "amount": 3.50, "paid": True},
        {"id": 2, "customer": "bob", "amount": 9, "paid": False},
        {"id": 3, "customer": "ann", "amount": 1.25, "paid": True},
    ]
    rows = [{"customer": "ann", "total": 4.75}]
    given(orders=orders).expect(top_customers(view_env), rows=rows, engine="duckdb")
'''

FILES = {
    "viewscribe.yaml": SETTINGS,
    "pipelines.py": PIPELINES,
    "tests/test_pipelines.py": TESTS,
    # Tests import the modules of the folder that this is in.
    "conftest.py": '"""The tests\' settings."""\n',
}
"""The text of each file, by its path in the project."""
