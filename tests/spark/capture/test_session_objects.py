"""What one session alone has is in no view: its variables, its temporary functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import functions as F

import viewscribe as vs
from tests.spark.capture.conftest import connect_mode
from viewscribe.errors import CaptureError

pytestmark = pytest.mark.spark

ORDER = "spark.sql.functionResolution.sessionOrder"
TEXTS = {
    "a variable": "SELECT tax + id AS y FROM range(3)",
    "its full name": "SELECT system.session.tax AS y",
    "a function": "SELECT plus_nine(3) AS y",
    "its full name too": "SELECT session.plus_nine(3) AS y",
    "in a sub-query": "SELECT id FROM range(3) WHERE id IN (SELECT Plus_Nine(id) FROM range(2))",
}


@pytest.fixture
def remote(connected: Any) -> Iterator[Any]:
    session = connected.newSession()
    with connect_mode(session):
        _have_objects(session)
        yield session


def _have_objects(session: Any) -> None:
    session.sql("DECLARE OR REPLACE VARIABLE tax = 5")
    session.sql("DROP TEMPORARY FUNCTION IF EXISTS plus_nine")
    session.sql("CREATE TEMPORARY FUNCTION plus_nine(x BIGINT) RETURNS BIGINT RETURN x + 9")


@pytest.mark.parametrize("kind", TEXTS)
def test_over_connect(remote: Any, kind: str) -> None:
    with pytest.raises(CaptureError, match="of this session, which a stored view outlives"):
        vs.capture(remote.sql(TEXTS[kind]))


@pytest.mark.parametrize("kind", TEXTS)
def test_in_a_recording(spark: Any, kind: str) -> None:
    session = spark.newSession()
    _have_objects(session)
    with pytest.raises(CaptureError, match="of this session, which a stored view outlives"):
        vs.record(lambda recorded: recorded.sql(TEXTS[kind]), session)


@pytest.mark.parametrize("kind", TEXTS)
def test_in_a_text_whose_columns_a_session_tells(spark: Any, kind: str) -> None:
    session = spark.newSession()
    _have_objects(session)
    with pytest.raises(CaptureError, match="of this session, which a stored view outlives"):
        vs.TableEnvironment().sql_query(TEXTS[kind], spark=session)


def test_in_a_dataframe_over_connect(remote: Any) -> None:
    for call in (F.call_function("plus_nine", F.lit(3)), F.expr("plus_nine(3)")):
        with pytest.raises(CaptureError, match="`plus_nine` is a temporary function"):
            vs.capture(remote.range(1).select(call.alias("y")))


def test_a_temporary_function_in_the_place_of_sparks_own(remote: Any) -> None:
    remote.udf.register("upper", lambda text: f"{text}!", "string")
    frame = remote.range(1).select(F.upper(F.lit("a")).alias("y"))
    assert frame.collect()[0].y == "A"  # Spark's own goes before it
    assert "upper('a')" in vs.to_sql(frame)
    remote.conf.set(ORDER, "first")
    assert frame.collect()[0].y == "a!"
    with pytest.raises(CaptureError, match="`upper` is a temporary function"):
        vs.to_sql(frame)


def test_what_is_said_of_a_variable_is_no_variable(remote: Any) -> None:
    text = "SELECT 'variablereference(system.session.tax=5)' AS y, input_file_block_start() AS b"
    assert "variablereference" in vs.to_sql(remote.sql(text))
