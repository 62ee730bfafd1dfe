"""A session's catalog that is registered has its functions in an environment as in Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests.spark.tools_catalog import session_with_catalogs
from viewscribe import call, col
from viewscribe.catalog_store.errors import ObjectNotFoundError
from viewscribe.catalog_store.permissions import ForbiddenSourceError
from viewscribe.errors import UnknownFunctionError

ROWS = "VALUES (1L, 2, 'a'), (3L, 2, 'b'), (NULL, NULL, NULL) AS t(l, i, s)"
QUERIES = [
    f"SELECT tools.fns.twice(l) AS x, tools.fns.shout(s) AS y FROM {ROWS}",
    f"SELECT i, tools.fns.total(l) FILTER (WHERE l > 1) AS x FROM {ROWS} GROUP BY i",
    f"SELECT tools.fns.total(l) OVER (PARTITION BY i) AS x FROM {ROWS}",
    f"FROM {ROWS} |> AGGREGATE tools.fns.total(l) AS x GROUP BY i |> WHERE x > 1",
    f"SELECT tools.fns.either(s) AS x FROM {ROWS}",
    f"SELECT tools.fns.either(l) AS x FROM {ROWS}",
]


@pytest.fixture(scope="module")
def session(spark: Any, tools_jar: Path) -> Any:
    return session_with_catalogs(spark, tools_jar)


@pytest.fixture
def env(session: Any) -> vs.TableEnvironment:
    made = vs.TableEnvironment()
    made.register_catalog("tools", session)
    return made


def pairs(frame: Any) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, frame.collect()), key=repr)


@pytest.mark.parametrize("query", QUERIES)
def test_it_is_called_without_a_declaration(
    session: Any, env: vs.TableEnvironment, query: str
) -> None:
    found = env.sql_query(query)
    assert found.to_dataframe(session).schema == session.sql(query).schema
    assert pairs(found.to_dataframe(session)) == pairs(session.sql(query))
    assert pairs(session.sql(found.to_sql())) == pairs(session.sql(query))


def test_it_is_stored_and_opened_by_whoever_allows_it(
    session: Any, env: vs.TableEnvironment
) -> None:
    rows = env.from_values([(1, 2), (3, 2)], "l BIGINT, i INT")
    total = call("tools.fns.total", col("l")).alias("x")
    env.create_view("totals", rows.group_by("i").agg(total))
    with pytest.raises(ForbiddenSourceError, match=r"tools\.fns\.total"):
        vs.open_view(env, "totals", session)
    allowed = ["tools.fns.total"]
    assert pairs(vs.open_view(env, "totals", session, functions=allowed)) == [(2, 4)]
    assert vs.verify(env.get_view("totals"), session, functions=allowed).ok


def test_what_the_catalog_lacks_is_unknown(env: vs.TableEnvironment) -> None:
    """Which says nothing of views, though the catalog has neither those nor tables."""
    for name in ("tools.fns.nope", "tools.nope.twice"):
        with pytest.raises(UnknownFunctionError, match=rf"no function `{name}`"):
            env.sql_query(f"SELECT {name}(1) AS x")
        with pytest.raises(UnknownFunctionError, match=rf"no function `{name}`"):
            env.functions.lookup(name)
    with pytest.raises(ObjectNotFoundError, match=r"no view or table `tools\.fns\.t`"):
        env.from_path("tools.fns.t")
