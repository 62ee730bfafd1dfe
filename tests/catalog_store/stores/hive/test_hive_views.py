"""Views that Hive 3.1.3 and 4.0.1 wrote mean to viewscribe what they mean to Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.catalog_store.stores.hive.test_spark import ROOT
from tests.catalog_store.stores.hive.with_hive_views import RECORDED, record
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.stores.hive.states import read_table
from viewscribe.catalog_store.stores.hive.view_tables import read_view

VIEWS = {
    (version, name): told
    for version, views in json.loads(RECORDED.read_text()).items()
    for name, told in views.items()
}
IDS = ["-".join(each) for each in VIEWS]

NOT_SPARKS = {
    "anyall": (None, "found `SELECT`"),
    "extracted": (None, "found `TO`"),
    "materialized": (None, "materialized view of Hive"),
    "sampled": (None, "buckets ON a column are not read"),
    "virtual": (None, "no column `orders.input__file__name`"),
    "transformed": ("Spark runs the script", "TRANSFORM … USING runs a script"),
}
"""What ours refuses, with a part of its reason; and whether Spark does not."""


@pytest.fixture(scope="module")
def found(metastore: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    metastore.wipe()
    place = tmp_path_factory.mktemp("hive_views")
    command = [sys.executable, "-m", "tests.catalog_store.stores.hive.with_hive_views"]
    done = subprocess.run(
        [*command, str(metastore.port), str(place)],
        cwd=ROOT, capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stderr[-3000:]
    return json.loads(lines[0].removeprefix("RESULT "))  # type: ignore[no-any-return]


@pytest.mark.spark
@pytest.mark.parametrize(("version", "name"), VIEWS, ids=IDS)
def test_a_view_of_hive_is_read_as_spark_reads_it(
    found: dict[str, Any], version: str, name: str
) -> None:
    told = found[version][name]
    spark, ours = told["Spark"]["true"], told["ours"]
    # What ANSI is to the session is no matter: views are read without, if they do not say.
    assert spark == told["Spark"]["false"]
    if name in NOT_SPARKS:
        runs, reason = NOT_SPARKS[name]
        assert reason in ours
        assert isinstance(spark, list if runs else str)
        return
    assert isinstance(spark, list)
    assert ours == spark
    assert told["columns"] == [each for each, _ in spark[0]]


@pytest.mark.parametrize("name", ["anyall", "extracted", "transformed"])
def test_what_is_hives_alone_is_named_with_the_way_out(name: str) -> None:
    with pytest.raises(DamagedDocumentError, match=r"Hive wrote the view") as caught:
        read_view(record("shop", name, VIEWS["4.0.1", name]), "here")
    assert "only Hive reads it" in (caught.value.hint or "")


def test_a_materialized_view_is_no_table_of_spark() -> None:
    with pytest.raises(DamagedDocumentError, match="materialized view of Hive"):
        read_table(record("shop", "materialized", VIEWS["4.0.1", "materialized"]), "here")
