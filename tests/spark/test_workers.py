"""What Spark's workers lack to call a function: told once, by this process, and sent on demand."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any
from zipfile import ZipFile

import pytest
from pyspark import cloudpickle

import viewscribe as vs
from tests.spark import stored_functions as functions
from tests.spark.capture.conftest import connect_mode
from viewscribe import call, col
from viewscribe.errors import ValidationError
from viewscribe.spark import workers
from viewscribe.spark.errors import MissingOnWorkersError

_NUMBERS = count(1)

SOURCE = """
import {needed}
from viewscribe import AsyncScalarFunction

def twice(x: int) -> int:
    return 2 * x

class Twice(AsyncScalarFunction):
    async def eval(self, x: int) -> int | None:
        return 2 * x
"""


@pytest.fixture
def remote(connected: Any) -> Iterator[Any]:
    """A session whose workers have viewscribe, and not what is on this process's path alone."""
    session = connected.newSession()
    with connect_mode(session):
        yield session


@pytest.fixture
def only_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module that this process alone finds; a worker that was sent one keeps it in memory."""
    name = f"only_here_{next(_NUMBERS)}"
    (tmp_path / f"{name}.py").write_text(SOURCE.format(needed="sys"))
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module(name)
    del sys.modules[name]


def calls(function: object) -> vs.Table:
    env = vs.TableEnvironment()
    env.create_temporary_system_function("twice", function)
    return env.from_values([(1,), (2,)], "id INT").select(call("twice", col("id")).alias("x"))


@pytest.mark.slow("starts Python workers, and sends them all of viewscribe")
@pytest.mark.parametrize("name", ["twice", "Twice"])
def test_a_missing_module_is_told_before_anything_runs(
    remote: Any, only_here: ModuleType, name: str
) -> None:
    table = calls(getattr(only_here, name))
    module = only_here.__name__
    for attempt in (lambda: table.to_dataframe(remote), lambda: vs.verify(table, remote)):
        with pytest.raises(MissingOnWorkersError, match=f"have no module {module}") as told:
            attempt()
        assert told.value.hint == (
            f'send it: vs.send_modules(spark, "{module}"), or '
            f'spark.addArtifacts("{module}.py", pyfile=True), or --send-module {module}'
        )
    vs.send_modules(remote, module)
    vs.send_modules(remote, module)
    assert [row.x for row in table.to_dataframe(remote).collect()] == [2, 4]
    assert vs.verify(table, remote).ok


def test_what_a_sent_module_needs_is_told(
    remote: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needs_more.py").write_text(SOURCE.format(needed="never_heard_of"))
    (tmp_path / "never_heard_of.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    table = calls(importlib.import_module("needs_more").twice)
    vs.send_modules(remote, "needs_more")
    with pytest.raises(MissingOnWorkersError, match=r"no module never_heard_of, for .*needs_more"):
        table.to_dataframe(remote)
    del sys.modules["needs_more"], sys.modules["never_heard_of"]


def test_modules_are_asked_for_once_a_session(remote: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []
    ask = workers._ask

    def noted(spark: Any, modules: Sequence[str]) -> Any:
        asked.append(modules)
        return ask(spark, modules)

    monkeypatch.setattr(workers, "_ask", noted)
    table = calls(functions.tenth)
    table.to_dataframe(remote)
    table.to_dataframe(remote)
    assert asked == [[functions.__name__]]


def test_a_local_session_is_not_asked(spark: Any, only_here: ModuleType) -> None:
    calls(only_here.twice).to_dataframe(spark)


def test_another_viewscribe_there_is_told(remote: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "__version__", "99.0")
    with pytest.raises(MissingOnWorkersError, match=r"have viewscribe \S+, and this is 99\.0"):
        calls(functions.tenth).to_dataframe(remote)


def test_the_modules_of_what_travels_by_value(only_here: ModuleType) -> None:
    def in_full(x: int) -> Any:
        return sys.maxsize, only_here.twice(x)

    def by_name(x: int) -> Any:
        return twice(x), twice

    twice = only_here.twice
    for each in (in_full, by_name, only_here.Twice):
        assert workers._modules_in(cloudpickle.dumps(each)) == {only_here.__name__}
    assert workers._modules_in(cloudpickle.dumps(lambda x: len(x))) == set()


@pytest.mark.slow("several processes")
def test_an_archive_is_named_by_what_is_in_it(only_here: ModuleType) -> None:
    module = only_here.__name__
    one, other = (workers._archive(["viewscribe", module]) for _ in range(2))
    assert one.name == other.name
    assert workers._archive(["viewscribe"]).name != one.name
    with ZipFile(one) as archive:
        names = set(archive.namelist())
    assert {f"{module}.py", "viewscribe/__init__.py", "viewscribe/spark/workers.py"} <= names
    assert not any("__pycache__" in name for name in names)


def test_what_cannot_be_sent() -> None:
    with pytest.raises(ValidationError, match="no module nobody_has_it"):
        workers._archive(["nobody_has_it"])
    with pytest.raises(ValidationError, match="msgspec is compiled"):
        workers._archive(["msgspec"])
