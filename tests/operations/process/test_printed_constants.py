"""What is printed of a constant, whatever its type and value, is read back as that constant."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import inf, nan
from typing import Annotated, Any

import pytest

import viewscribe as vs
from viewscribe import ArgumentHint, ArgumentTrait, call

VALUES: dict[str, list[Any]] = {
    "BOOLEAN": [True],
    "TINYINT": [-128, 127],
    "INT": [-(2**31)],
    "BIGINT": [-(2**63), 2**63 - 1],
    "DECIMAL(38, 10)": [Decimal("-1.5"), Decimal("0E-10"), Decimal(f"{'9' * 28}.0000000001")],
    "FLOAT": [1.5, -0.0, nan, inf, -inf],
    "DOUBLE": [0.1, -0.0, nan, inf, -inf, 5e-324, 1.7976931348623157e308],
    "STRING": ["", "it's", "\\ \n\x00${x}", "😀"],
    "BINARY": [b"", b"\x00\xff"],
    "DATE": [date(1, 1, 1), date(9999, 12, 31)],
    "TIMESTAMP": [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 1, tzinfo=UTC)],
    "TIMESTAMP_NTZ": [datetime(2024, 3, 31, 2, 30, 0, 5)],
    "TIME": [time(23, 59, 59, 999999)],
    "INTERVAL DAY TO SECOND": [timedelta(days=-1, microseconds=1), timedelta(0)],
    "ARRAY<DOUBLE>": [[], [1.5, None, nan, -inf]],
    "MAP<STRING, FLOAT>": [{}, {"a": inf}],
    "ARRAY<ARRAY<INT>>": [[[1], [], None]],
}


class Reads(vs.ProcessTableFunction[Any]):
    """Takes a constant of the type that a test says."""

    output_type = "n INT"

    def eval(self, x: Any) -> None:
        self.collect(1)


def reading(type_: str, monkeypatch: pytest.MonkeyPatch) -> vs.TableEnvironment:
    hint = Annotated[Any, ArgumentHint(ArgumentTrait.SCALAR, type=type_)]
    monkeypatch.setitem(Reads.eval.__annotations__, "x", hint)
    env = vs.TableEnvironment()
    env.create_temporary_system_function("reads", Reads)
    return env


@pytest.mark.parametrize("type_", VALUES)
def test_a_printed_constant_is_read_back(type_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = reading(type_, monkeypatch)
    for value in (*VALUES[type_], None):
        text = env.from_call(call("reads", value)).to_sql()
        assert env.sql_query(text).to_sql() == text
