"""A real Connect server: another process in another place, which has no viewscribe."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests.distributed.conftest import make_world, python_with_everything
from tests.servers.spark_servers import SPARK_HOME, connect_server, python_without_viewscribe
from tests.spark.capture.pipelines.listing import pipelines
from viewscribe import call, col, descriptor
from viewscribe.errors import CaptureError
from viewscribe.spark.errors import MissingOnWorkersError
from viewscribe.spark.remote import remote_session

AT = dt.datetime(2024, 1, 1, 10, tzinfo=dt.UTC)
CLICKS = [(who, AT + dt.timedelta(minutes=at)) for who, at in (("ann", 0), ("bob", 1), ("ann", 9))]
COUNTED = [("ann", 1), ("ann", 1), ("bob", 1)]
MODULE = "flow_functions"
NAMES = ("CountWithTimeout", "Loud", "twice", "words")


@pytest.fixture
def env(tmp_path: Path, functions: Any) -> vs.TableEnvironment:
    """A catalog of files of this machine, with functions of every kind and views that call them."""
    env = vs.TableEnvironment(f"file:{tmp_path / 'views'}", python_modules=[MODULE])
    for name in NAMES:
        env.create_function(name, getattr(functions, name))
    clicks = env.from_values(CLICKS, "who STRING, at TIMESTAMP")
    counted = clicks.partition_by("who").process(
        "default.CountWithTimeout", on_time=descriptor("at")
    )
    env.create_view("counted", counted)
    env.create_view("more", env.from_path("counted").select(
        call("default.Loud", col("who")).alias("who"),
        call("default.twice", col("count").cast("INT")).alias("n"),
    ))  # fmt: skip
    env.create_view("said", clicks.generate(call("default.words", col("who"))))
    return env


# -- functions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["counted", "more", "said"])
def test_views_over_functions_that_the_server_does_not_have(
    remote: Any, env: vs.TableEnvironment, name: str
) -> None:
    with pytest.raises(MissingOnWorkersError, match="no module flow_functions"):
        vs.open_view(env, name, remote)
    vs.send_modules(remote, MODULE)
    assert vs.open_view(env, name, remote).count() == 3
    report = vs.verify(env.get_view(name), remote, python_modules=[MODULE])
    assert report.rows.status == "equal", str(report)
    assert report.ok, str(report)


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
    assert vs.verify(in_text, remote, rows=True).is_proven


def test_a_python_of_another_version(
    env: vs.TableEnvironment, functions: Any, tmp_path: Path
) -> None:
    """The workers cannot even read a function; that is told by one line, not by each task."""
    other = next(filter(None, map(_runs, _others())), None)
    if other is None:
        pytest.skip("this machine has one version of Python alone")
    wrapped = python_without_viewscribe(tmp_path, other)
    env.create_temporary_system_function("doubled", functions.twice)
    table = env.from_values([(1,)], "id INT").select(call("doubled", col("id")))
    with (
        connect_server(python=wrapped) as url,
        remote_session(url) as session,
        pytest.raises(MissingOnWorkersError, match=r"PYTHON_VERSION_MISMATCH.*different") as told,
    ):
        table.to_dataframe(session)
    assert len(str(told.value).splitlines()) == 2


def _others() -> Iterator[str]:
    """Where other versions of Python may be: on PATH, and beside this one as pyenv has them."""
    for minor in range(10, 15):
        if minor != sys.version_info.minor:
            yield f"python3.{minor}"
            beside = Path(sys.base_prefix).parent.glob(f"3.{minor}.*/bin/python3.{minor}")
            yield from map(str, beside)


def _runs(name: str) -> str | None:
    found = shutil.which(name)
    if found is None:
        return None
    done = subprocess.run([found, "-c", ""], capture_output=True, check=False)
    return found if done.returncode == 0 else None


# -- streams ---------------------------------------------------------------------------------------


@pytest.fixture
def clicks(tmp_path: Path) -> Path:
    """Files of clicks, read one by one."""
    place = tmp_path / "clicks"
    place.mkdir()
    text = json.dumps({"who": "ann", "at": "2024-01-01T10:00:00Z"})
    later = json.dumps({"who": "bob", "at": "2024-01-01T11:00:00Z"})
    (place / "clicks.json").write_text(f"{text}\n{text}\n{later}\n")
    return place


def over_clicks(session: Any, place: Path, functions: Any) -> Any:
    """A call of a process table function over a stream."""
    session.conf.set(
        "spark.sql.streaming.stateStore.providerClass",
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    )
    stream = session.readStream.schema("who STRING, at TIMESTAMP").json(str(place))
    env = vs.TableEnvironment()
    env.create_table("clicks", "who STRING, at TIMESTAMP")
    table = (
        env.from_path("clicks")
        .partition_by("who")
        .process(functions.CountWithTimeout, on_time=descriptor("at"))
    )
    sources = {"clicks": stream.withWatermark("at", "0 seconds")}
    return table.to_dataframe(session, sources=sources)


def test_a_stream_does_not_find_what_was_sent(remote: Any, clicks: Path, functions: Any) -> None:
    vs.send_modules(remote, MODULE)
    with pytest.raises(MissingOnWorkersError, match="stream of Spark Connect does not find"):
        over_clicks(remote, clicks, functions)


def test_a_stream_over_functions_that_are_installed(
    tmp_path: Path, clicks: Path, functions: Any
) -> None:
    python = python_with_everything(tmp_path)
    with connect_server(python=python) as url, remote_session(url) as session:
        made = over_clicks(session, clicks, functions)
        writer = made.writeStream.format("memory").queryName("counted")
        query = writer.trigger(availableNow=True).start()
        assert query.awaitTermination(120)
        assert query.exception() is None
        rows = session.table("counted").collect()
        assert [(row["who"], row["count"]) for row in rows] == [("ann", 2)]


# -- pipelines -------------------------------------------------------------------------------------

EVERY = 20


@pytest.mark.slow("captures and verifies pipelines of every kind")
def test_pipelines_are_captured_and_verified(remote: Any) -> None:
    make_world(remote)
    chosen, refused = list(pipelines().items())[::EVERY], []
    for name, pipeline in chosen:
        try:
            table = vs.capture(pipeline(remote))
        except CaptureError:  # what needs rows of the moment
            refused.append(name)
            continue
        report = vs.verify(table, remote, rows=True)
        assert report.is_sound, f"{name}: {report}"
    assert len(refused) * 10 < len(chosen), refused


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
    assert saved.verification.is_proven
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


@pytest.mark.usefixtures("env")
def test_commands_ask_a_server(run: Any, url: str, tmp_path: Path) -> None:
    modules = ("--python-module", MODULE)
    missing = run("verify", "views", "counted", "--remote", url, *modules, "--json")
    assert missing.exit_code == 1
    assert "--send-module flow_functions" in missing.stdout
    sending = ("--remote", url, *modules, "--send-module", MODULE)
    for more in ((), ("--jobs", "2")):
        verified = run("verify", "views", *sending, *more, "--json")
        assert verified.exit_code == 0, verified.output
        assert json.loads(verified.stdout)["counts"]["equal"] == 3


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
    assert "1 of 1 view verified" in verified.stdout
