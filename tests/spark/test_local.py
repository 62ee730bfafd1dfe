"""The session that commands and scripts make for themselves."""

from __future__ import annotations

import pytest
from pyspark import SparkContext

from viewscribe.errors import SparkUnavailableError
from viewscribe.spark import local


def test_a_running_session_is_used_and_left_running(spark):
    with local.local_session(master="local[7]") as session:
        assert session.sparkContext is spark.sparkContext
    assert spark.range(3).count() == 3


@pytest.fixture
def stopped(monkeypatch):
    """As if no Spark had been started in this process."""
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setattr(SparkContext, "_gateway", None)


def test_without_java(stopped, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(SparkUnavailableError) as caught, local.local_session():
        pass
    assert caught.value.message.startswith("Spark does not start: ")
    assert "/nowhere/bin/java" in str(caught.value.location)
    assert "Java 17" in str(caught.value.hint)


def test_other_errors_are_not_hidden(stopped, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("something else")

    monkeypatch.setattr("pyspark.java_gateway.launch_gateway", fail)
    with pytest.raises(RuntimeError, match="something else"), local.local_session():
        pass


def test_settings_reach_spark(stopped, monkeypatch):
    seen = {}

    def launch(conf, popen_kwargs):
        seen.update(conf.getAll())
        raise OSError("enough")

    monkeypatch.setattr("pyspark.java_gateway.launch_gateway", launch)
    settings = {"spark.sql.shuffle.partitions": "3"}
    with pytest.raises(SparkUnavailableError), local.local_session(settings=settings):
        pass
    assert seen["spark.master"] == "local[*]"
    assert seen["spark.sql.shuffle.partitions"] == "3"
    assert seen["spark.ui.enabled"] == "false"
