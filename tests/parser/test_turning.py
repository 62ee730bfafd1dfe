"""PIVOT and UNPIVOT over several columns."""

from __future__ import annotations

import pytest

from tests.parser.tables import read
from viewscribe.errors import ViewscribeError
from viewscribe.serializer import to_sql

_PIVOT = "SELECT * FROM (SELECT a, s, b, x FROM t) PIVOT "
_UNPIVOT = "SELECT * FROM (SELECT a, b, s, x FROM t) UNPIVOT "


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        (
            f"{_PIVOT}(sum(b) FOR (a, s) IN ((1, 'x') AS one, (2, 'y')))",
            "x DOUBLE, one BIGINT, `{2, y}` BIGINT",
        ),
        (
            f"{_PIVOT}(sum(b) AS n, max(x) FOR (a, s) IN ((1, 'x') AS one))",
            "one_n BIGINT, `one_max(x)` DOUBLE",
        ),
        (
            f"{_UNPIVOT}((v, w) FOR n IN ((a, s) AS first, (b, s)))",
            "x DOUBLE, n STRING NOT NULL, v BIGINT, w STRING",
        ),
        (
            f"{_UNPIVOT}INCLUDE NULLS ((v, w) FOR n IN ((a, b), (b, a)))",
            "s STRING, x DOUBLE, n STRING NOT NULL, v BIGINT, w BIGINT",
        ),
    ],
)
def test_columns(query: str, columns: str) -> None:
    made = read(query)
    assert (
        ", ".join(
            f"{field.name if field.name.isidentifier() else f'`{field.name}`'} {field.type.ddl}"
            + ("" if field.type.nullable else " NOT NULL")
            for field in made.schema.fields
        )
        == columns
    )
    text = to_sql(made)
    assert to_sql(read(text)) == text


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (f"{_PIVOT}(sum(b) FOR (a, s) IN (1))", "a value of this pivot"),
        (f"{_PIVOT}(sum(b) FOR (a, s) IN ((NULL, 'x')))", "a value of this pivot"),
        (f"{_PIVOT}(sum(b) FOR (a, s) IN ((1, rand())))", "constants"),
        (f"{_UNPIVOT}((v, w) FOR n IN ((a), (b)))", "1 columns for 2"),
        (f"{_UNPIVOT}(v FOR n IN (a AS 'x'))", "label"),
    ],
)
def test_what_spark_refuses(query: str, reason: str) -> None:
    with pytest.raises(ViewscribeError, match=reason):
        read(query)
