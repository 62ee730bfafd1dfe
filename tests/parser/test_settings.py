"""Settings with which Spark would read a text otherwise."""

from __future__ import annotations

import pytest

from viewscribe.errors import NotSerializableError
from viewscribe.parser.settings import refuse_settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.sql.legacy.setopsPrecedence.enabled", "true"),
        ("spark.sql.legacy.ctePrecedencePolicy", "LEGACY"),
        ("spark.sql.decimalOperations.allowPrecisionLoss", "False"),
    ],
)
def test_refused(name: str, value: str) -> None:
    with pytest.raises(NotSerializableError, match=name):
        refuse_settings({name: value})


def test_read() -> None:
    refuse_settings(
        {
            "spark.sql.legacy.ctePrecedencePolicy": "CORRECTED",
            "spark.sql.ansi.enabled": "false",
            "spark.sql.groupByOrdinal": "true",
        }
    )
