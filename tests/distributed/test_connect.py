"""A real Connect server: another process in another place, which has no viewscribe."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests.distributed.conftest import make_world, python_with_everything
from tests.distributed.flow import (
    CLICKS,
    COUNTED,
    MODULE,
    another_python,
    assert_captures,
    assert_streams,
    assert_views,
    over_clicks,
    stored_views,
    write_clicks,
)
from tests.servers.spark_servers import SPARK_HOME, connect_server
from viewscribe import call, col, descriptor
from viewscribe.errors import CaptureError
from viewscribe.spark.errors import MissingOnWorkersError
from viewscribe.spark.remote import remote_session


@pytest.fixture
def env(tmp_path: Path, functions: Any) -> vs.TableEnvironment:
    return stored_views(tmp_path / "views", functions)


# -- functions -------------------------------------------------------------------------------------


@pytest.mark.slow("starts a metastore and a server, and opens views with functions of every kind")
def test_views_over_functions_that_the_server_does_not_have(
    remote: Any, env: vs.TableEnvironment
) -> None:
    assert_views(env, remote)


@pytest.mark.slow("starts Python workers anew")
def test_viewscribe_itself_is_missing(remote: Any, env: vs.TableEnvironment) -> None:
    clicks = env.from_values(CLICKS, "who STRING, at TIMESTAMP").partition_by("who")
    table = clicks.process(
        vs.process.SessionCount, gap=dt.timedelta(minutes=5), on_time=descriptor("at")
    )
    with pytest.raises(MissingOnWorkersError, match="no module viewscribe") as told:
        table.to_dataframe(remote)
    assert "vs.send_modules(spark), or install viewscribe==" in str(told.value)
    vs.send_modules(remote)
    assert table.to_dataframe(remote).count() == 3


@pytest.mark.slow("starts Python workers anew")
def test_functions_without_a_catalog(remote: Any, env: vs.TableEnvironment, functions: Any) -> None:
    vs.send_modules(remote, MODULE)
    env.create_temporary_system_function("count_clicks", functions.CountWithTimeout)
    env.create_temporary_view("clicks", env.from_values(CLICKS, "who STRING, at TIMESTAMP"))
    by_class = (
        env.from_path("clicks")
        .partition_by("who")
        .process(functions.CountWithTimeout, on_time=descriptor("at"))
    )
    in_text = env.sql_query(
        "SELECT * FROM count_clicks(TABLE(clicks) PARTITION BY who, on_time => 'at')"
    )
    for table in (by_class, in_text):
        rows = table.to_dataframe(remote).collect()
        assert sorted((row["who"], row["count"]) for row in rows) == COUNTED
    assert vs.verify(in_text, remote, rows=True).ok


@pytest.mark.slow("starts a server of its own")
def test_a_python_of_another_version(
    env: vs.TableEnvironment, functions: Any, tmp_path: Path
) -> None:
    """The workers cannot even read a function; that is told by one line, not by each task."""
    wrapped = another_python(tmp_path)
    env.create_temporary_system_function("doubled", functions.twice)
    table = env.from_values([(1,)], "id INT").select(call("doubled", col("id")))
    with (
        connect_server(python=wrapped) as url,
        remote_session(url) as session,
        pytest.raises(MissingOnWorkersError, match=r"PYTHON_VERSION_MISMATCH.*different") as told,
    ):
        table.to_dataframe(session)
    assert len(str(told.value).splitlines()) == 2


# -- streams ---------------------------------------------------------------------------------------


@pytest.fixture
def clicks(tmp_path: Path) -> Path:
    """Files of clicks."""
    return write_clicks(tmp_path / "clicks")


@pytest.mark.slow("starts Python workers anew")
def test_a_stream_does_not_find_what_was_sent(remote: Any, clicks: Path, functions: Any) -> None:
    vs.send_modules(remote, MODULE)
    with pytest.raises(MissingOnWorkersError, match="stream of Spark Connect does not find"):
        over_clicks(remote, clicks, functions)


@pytest.mark.slow("starts a server of its own, and a stream")
def test_a_stream_over_functions_that_are_installed(
    tmp_path: Path, clicks: Path, functions: Any
) -> None:
    python = python_with_everything(tmp_path)
    with connect_server(python=python) as url, remote_session(url) as session:
        assert_streams(over_clicks(session, clicks, functions), session)


# -- pipelines -------------------------------------------------------------------------------------


@pytest.mark.slow("captures and verifies pipelines of every kind")
def test_pipelines_are_captured_and_verified(remote: Any) -> None:
    make_world(remote)
    assert assert_captures(remote, 20) > 20


def test_temporary_views_are_refused_in_every_way(remote: Any) -> None:
    remote.range(3).createOrReplaceTempView("numbers")
    by_name, in_text = remote.table("numbers"), remote.sql("SELECT * FROM numbers")
    for attempt in (
        lambda: vs.to_sql(by_name),
        lambda: vs.to_sql(in_text),
        lambda: vs.save_view(by_name, "default.kept"),
        lambda: vs.save_view(in_text, "default.kept"),
    ):
        with pytest.raises(CaptureError, match="`numbers` is a temporary view, which no stored"):
            attempt()
    assert not remote.catalog.tableExists("default.kept")


# -- a view in two places --------------------------------------------------------------------------


def spark_sql(text: str, shared: Mapping[str, str], place: Path) -> list[str]:
    """What the Spark SQL shell prints, another client in a place of its own."""
    pairs = {**shared, "spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC"}
    given = [part for key, value in pairs.items() for part in ("--conf", f"{key}={value}")]
    command = [str(SPARK_HOME / "bin/spark-sql"), "-S", "--master", "local[1]", *given, "-e", text]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.mark.slow("starts the Spark SQL shell")
def test_a_view_that_two_clients_edit(
    remote: Any, shared: Mapping[str, str], tmp_path: Path
) -> None:
    """Stored from a DataFrame over Connect, read and edited in SQL, read here with its history."""
    remote.sql("CREATE DATABASE shop")
    remote.sql("CREATE TABLE shop.orders (id INT, country STRING, price INT) USING parquet")
    remote.sql("INSERT INTO shop.orders VALUES (1, 'de', 10), (2, 'fr', 20), (3, 'de', 30)")
    from pyspark.sql import functions as F

    orders = remote.table("shop.orders").where(F.col("country") == "de")
    german = orders.groupBy("country").agg(F.sum("price").alias("total"))
    saved = vs.save_view(german, "shop.german", comment="What Germany bought", reason="first")
    assert saved is not None
    assert saved.verification.ok
    printed = spark_sql(
        "SELECT * FROM shop.german; "
        "ALTER VIEW shop.german AS SELECT country, sum(price) AS total, count(*) AS n "
        "FROM shop.orders GROUP BY country; "
        "SELECT * FROM shop.german ORDER BY country",
        shared,
        tmp_path,
    )
    assert printed == ["de\t40", "de\t40\t2", "fr\t20\t1"]
    env = vs.TableEnvironment(remote)
    view: Any = env.get_view("shop.german")
    assert [column.name for column in view.columns] == ["country", "total", "n"]
    versions = env.history("shop.german")
    told = [each.version for each in versions]
    assert [each and each.number for each in told] == [1, 2]
    assert told[0] is not None
    assert told[0].reason == "first"
    assert "country = 'de'" in versions[0].document.sql
    assert "count(*) AS n" in versions[1].document.sql
    rows = vs.open_view(env, "shop.german", remote).collect()
    assert sorted(map(tuple, rows)) == [("de", 40, 2), ("fr", 20, 1)]
    assert vs.verify(view, remote).ok
    again = env.from_path("shop.german").filter(col("n") > 1).select("country")
    assert again.to_dataframe(remote).collect() == [("de",)]


# -- commands --------------------------------------------------------------------------------------


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs a command as its own process would."""
    from click.testing import CliRunner

    from viewscribe.cli.app import app

    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(app, list(arguments))

    return run


@pytest.mark.slow("sends modules to two sessions of a server")
@pytest.mark.usefixtures("env")
def test_commands_ask_a_server(run: Any, url: str, tmp_path: Path) -> None:
    modules = ("--python-module", MODULE)
    missing = run("verify", "views", "counted", "--remote", url, *modules, "--json")
    assert missing.exit_code == 1
    assert "--send-module flow_functions" in missing.stdout
    sending = ("--remote", url, *modules, "--send-module", MODULE)
    verified = run("verify", "views", *sending, "--jobs", "2", "--json")
    assert verified.exit_code == 0, verified.output
    told = json.loads(verified.stdout)
    assert (told["ok"], told["counts"]["views"]) == (True, 3)


def test_a_pipeline_is_saved_with_a_proof_of_the_server(
    run: Any, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "remote_pipelines.py").write_text(
        "def even(spark):\n    return spark.range(5).where('id % 2 = 0')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    vs.TableEnvironment("file:./kept").create_database("numbers")
    given = ("save", "remote_pipelines:even", "numbers.even", "--catalog", "kept")
    done = run(*given, "--remote", url, "--rows")
    assert done.exit_code == 0, done.output
    assert "Stored numbers.even: rows equal (3 rows)." in done.stdout
    assert "Connecting to Spark" in done.stderr


def test_tests_of_views_on_a_server(run: Any, url: str, tmp_path: Path) -> None:
    env = vs.TableEnvironment("file:./tested")
    env.create_table("orders", "id INT, price INT")
    env.create_view("cheap", env.from_path("orders").filter(col("price") < 15))
    (tmp_path / "tested/default/cheap.test.yaml").write_text(TESTED)
    done = run("test", "tested", "--remote", url)
    assert done.exit_code == 0, done.output
    assert "1 of 1 test passed" in done.stdout


TESTED = """
schema_version: 1
given:
  orders:
    - {id: 1, price: 10}
    - {id: 2, price: 20}
tests:
  - name: what is cheap
    expect:
      - {id: 1, price: 10}
"""


def test_the_catalog_of_a_server(run: Any, url: str, remote: Any) -> None:
    remote.sql("CREATE DATABASE IF NOT EXISTS listed")
    remote.sql("CREATE OR REPLACE VIEW listed.one AS SELECT 1 AS a")
    shown = run("list", url)
    assert "listed.one" in shown.stdout, shown.output
    verified = run("verify", url, "listed.one")
    assert verified.exit_code == 0, verified.output
    assert "1 view: " in verified.stdout
