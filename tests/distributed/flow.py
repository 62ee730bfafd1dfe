"""What both Connect servers and clusters are asked for."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests.servers.spark_servers import python_without_viewscribe
from tests.spark.capture.pipelines.listing import pipelines
from viewscribe import call, col, descriptor
from viewscribe.errors import CaptureError
from viewscribe.spark.errors import MissingOnWorkersError
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.local import local_session

AT = dt.datetime(2024, 1, 1, 10, tzinfo=dt.UTC)
CLICKS = [(who, AT + dt.timedelta(minutes=at)) for who, at in (("ann", 0), ("bob", 1), ("ann", 9))]
COUNTED = [("ann", 1), ("ann", 1), ("bob", 1)]
MODULE = "flow_functions"
NAMES = ("CountWithTimeout", "Loud", "twice", "words")
VIEWS = ("counted", "more", "said")


SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
}


@contextmanager
def driver(master: str, python: Path) -> Iterator[Any]:
    """A session of this process whose executors run another Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", str(python))
        with local_session(master=master, settings=SETTINGS) as session:
            yield session


def stored_views(place: Path, functions: Any) -> vs.TableEnvironment:
    """A catalog of files of this machine, with functions of every kind and views that call them."""
    env = vs.TableEnvironment(f"file:{place}", python_modules=[MODULE])
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


def assert_views(env: vs.TableEnvironment, session: Any) -> None:
    """Asserts that workers get what views need, and give the right rows then."""
    with pytest.raises(MissingOnWorkersError, match="no module flow_functions") as told:
        vs.open_view(env, VIEWS[0], session)
    assert ("addPyFile" if is_classic(session) else "addArtifacts") in str(told.value)
    vs.send_modules(session, MODULE)
    for name in VIEWS:
        assert vs.open_view(env, name, session).count() == 3
        report = vs.verify(env.get_view(name), session, python_modules=[MODULE])
        assert report.rows.status == "equal", str(report)
        assert report.ok, str(report)


def write_clicks(place: Path) -> Path:
    """Files of clicks for a stream."""
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


def assert_streams(made: Any, session: Any) -> None:
    """Asserts that such a stream gives the only count that is sure by its end."""
    writer = made.writeStream.format("memory").queryName("counted")
    query = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(300)
    assert query.exception() is None
    rows = session.table("counted").collect()
    assert [(row["who"], row["count"]) for row in rows] == [("ann", 2)]


def assert_captures(session: Any, every: int) -> int:
    """Asserts that pipelines are captured and verified in a session; gives how many."""
    chosen, refused = list(pipelines().items())[::every], []
    for name, pipeline in chosen:
        try:
            table = vs.capture(pipeline(session))
        except CaptureError:  # what needs rows of the moment
            refused.append(name)
            continue
        report = vs.verify(table, session, rows=True)
        assert report.is_sound, f"{name}: {report}"
    assert len(refused) * 10 < len(chosen), refused
    return len(chosen) - len(refused)


def another_python(place: Path) -> Path:
    """An interpreter of another version, without viewscribe."""
    found = next(filter(None, map(_runs, _others())), None)
    if found is None:
        pytest.skip("this machine has one version of Python alone")
    return python_without_viewscribe(place, found)


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
