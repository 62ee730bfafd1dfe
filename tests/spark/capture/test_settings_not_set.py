"""Settings that nobody set have Spark's defaults, over Connect as well: the machine's time zone."""

from __future__ import annotations

from typing import Any

import pytest

import viewscribe as vs
from tests.versions import before
from viewscribe.errors import ViewscribeError
from viewscribe.parser.settings import READING
from viewscribe.spark.types import schema_from_spark

TEXTS = [
    "TIMESTAMP '2024-01-01 10:00:00'",
    "TIMESTAMP_LTZ '2024-07-01 10:00:00'",
    "TIMESTAMP '2024-01-01 10:00:00+02:00'",
    "TIMESTAMP '2024-01-01' + INTERVAL '1' DAY",
    "array(TIMESTAMP '2024-01-01', current_timestamp())",
    "coalesce(NULL, TIMESTAMP '2024-01-01')",
    "TIME '10:00:00'",
    '"a"',
    "CAST('x' AS CHAR(3))",
]


@pytest.fixture
def unset(connected: Any) -> Any:
    """A Connect session in which no setting is set that says how texts are read."""
    before_ = {name: connected.conf.get(name, None) for name in READING}
    for name in READING:
        connected.conf.unset(name)
    yield connected
    for name, value in before_.items():
        if value is not None:
            connected.conf.set(name, value)


@pytest.mark.skipif(before("4.1"), reason="no TIME")
@pytest.mark.parametrize("text", TEXTS)
def test_expressions_have_sparks_types(unset: Any, text: str) -> None:
    for frame in (unset.sql(f"SELECT {text} AS v"), unset.range(1).selectExpr(f"{text} AS v")):
        theirs = _columns(frame)
        try:
            ours = [(f.name, str(f.type)) for f in vs.capture(frame).schema.fields]
        except ViewscribeError:
            ours = None
        assert ours == theirs


def _columns(frame: Any) -> list[tuple[str, str]] | None:
    """The columns that Spark tells; None where it refuses the text."""
    try:
        return [(field.name, str(field.type)) for field in schema_from_spark(frame.schema)]
    except Exception:
        return None
