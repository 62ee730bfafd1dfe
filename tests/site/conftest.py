"""A catalog with something of everything, and its site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import viewscribe as vs
from tests.site.pages import build
from viewscribe import col
from viewscribe import functions as F
from viewscribe.catalog_store import Change, open_catalog
from viewscribe.catalog_store.documents.model import (
    Column,
    Dependency,
    FunctionDocument,
    Parameter,
    TableDocument,
    ViewDocument,
)


@pytest.fixture(scope="session")
def catalog_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("catalog") / "views"
    env = vs.TableEnvironment(f"file:{folder}")
    env.create_database("sales")
    env.create_table(
        "sales.orders",
        "id BIGINT NOT NULL, customer BIGINT, status STRING COMMENT 'open or paid', "
        "price DECIMAL(10, 2), discount DECIMAL(10, 2)",
        comment="One row an order",
        format="parquet",
        location="s3://ada:hunter2@lake/orders",
    )
    env.create_table("sales.customers", "id BIGINT, country STRING")
    paid = env.from_path("sales.orders").filter(col("status") == "paid")
    net = (col("price") * (1 - col("discount"))).alias("net")
    env.create_view("sales.paid", paid.select("customer", net), comment="Orders that are paid")
    customers = env.from_path("sales.customers").select(col("id").alias("customer"), "country")
    joined = env.from_path("sales.paid").join(customers, using="customer").group_by("country")
    revenue = joined.agg(F.sum(col("net")).alias("revenue"))
    env.create_view("sales.revenue", revenue, properties={"viewscribe.verified": "by plan"})
    again = joined.agg(F.sum(col("net")).alias("revenue"), F.count("*").alias("orders"))
    env.create_view("sales.revenue", again, or_replace=True)
    catalog = open_catalog(f"file:{folder}")
    catalog.create(
        FunctionDocument(
            database="sales",
            name="vat",
            function_kind="scalar",
            language="sql",
            body="x * (SELECT max(price) FROM sales.orders)",
            parameters=(Parameter("x", "DOUBLE", "1.0", "net"),),
            returns="DOUBLE",
        ),
        change=Change(author="ada"),
    )
    catalog.create(
        ViewDocument(
            database="sales",
            name="foreign",
            sql="select ID, status\r\nfrom orders where status like 'p%' -- \u202e",
            columns=(Column("id", "BIGINT"), Column("status", "STRING")),
            dependencies=(Dependency("table", ("spark_catalog", "sales", "orders")),),
        )
    )
    catalog.create(TableDocument(database="sales", name="con", columns=()))
    (folder / "sales" / "paid.test.yaml").write_text("tests:\n- name: <b>one</b>\n")
    (folder / "sales" / "broken.view.yaml").write_text("schema_version: 1\nkind: veiw\n")
    return folder


@pytest.fixture(scope="session")
def site(catalog_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    build(open_catalog(f"file:{catalog_folder}"), folder, title="Shop")
    return folder


@pytest.fixture(scope="session")
def indirect(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Views whose columns depend on columns from which no value comes."""
    folder = tmp_path_factory.mktemp("indirect") / "views"
    env = vs.TableEnvironment(f"file:{folder}")
    env.create_table("o", "id INT, status STRING, d DATE")
    cond = (
        "SELECT CASE WHEN status = 'x' THEN 1 ELSE 0 END AS flag, if(d IS NULL, id, 0) AS mixed, "
        "row_number() OVER (PARTITION BY status ORDER BY d) AS rn FROM o WHERE d > current_date()"
    )
    env.create_view("cond", env.sql_query(cond))
    env.create_view("top", env.sql_query("SELECT flag + 1 AS f2, mixed, rn FROM cond"))
    env.create_view("cnt", env.sql_query("SELECT count(*) AS n, 1 AS one FROM o"))
    build(open_catalog(f"file:{folder}"), folder.parent / "site")
    return folder.parent / "site"


@pytest.fixture(scope="session")
def gaps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Views over one that cannot be read, one that is gone, one without a lineage, and circles."""
    folder = tmp_path_factory.mktemp("gaps") / "views"
    env = vs.TableEnvironment(f"file:{folder}")
    env.create_table("t", "id INT")
    for name in ("damaged", "gone", "unclear", "loop"):
        env.create_view(name, env.from_path("t"))
        env.create_view(f"over_{name}", env.from_path(name))
    env.create_view("shorter", env.from_path("t"))
    env.create_view("over_shorter", env.from_path("shorter"))
    env.create_view("one", env.sql_query("SELECT 1 AS id"))
    env.create_view("over_one", env.from_path("one"))
    home = folder / "default"
    (home / "damaged.view.yaml").write_text("x: [")
    (home / "gone.view.yaml").unlink()
    for name, old, new in (
        ("unclear", r"SELECT", "SELECTED"),
        ("unclear", r"\nplan:(.|\n)*", "\n"),
        ("loop", r"default, t\]", "default, over_loop]"),
        ("shorter", r"name: id,", "name: other,"),
    ):
        file = home / f"{name}.view.yaml"
        file.write_text(re.sub(old, new, file.read_text()))
    build(open_catalog(f"file:{folder}"), folder.parent / "site")
    return folder.parent / "site"
