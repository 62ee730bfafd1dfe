"""A view over a table whose document cannot be read is not stored: it could not be opened."""

from __future__ import annotations

import pytest

import viewscribe as vs
from viewscribe.catalog_store import DamagedDocumentError


def test_nothing_is_stored(spark, tmp_path):
    catalog = f"file:{tmp_path / 'views'}"
    spark.sql("CREATE DATABASE IF NOT EXISTS damaged_shop")
    try:
        spark.sql("CREATE TABLE damaged_shop.orders (id INT) USING parquet")
        vs.TableEnvironment(catalog).create_database("damaged_shop")
        frame = spark.table("damaged_shop.orders").where("id > 1")
        vs.save_view(frame, "damaged_shop.good", catalog=catalog)
        folder = tmp_path / "views" / "damaged_shop"
        (folder / "orders.table.yaml").write_text("schema_version: 1\nkind: table\nkind: table\n")
        before = sorted(each.name for each in folder.iterdir())
        with pytest.raises(DamagedDocumentError, match="orders"):
            vs.save_view(frame, "damaged_shop.bad", catalog=catalog)
        assert sorted(each.name for each in folder.iterdir()) == before
    finally:
        spark.sql("DROP DATABASE damaged_shop CASCADE")
