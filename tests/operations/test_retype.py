"""Expressions above ROLLUP, whose keys may be NULL, keep what does not depend on them."""

from __future__ import annotations

from viewscribe import TableEnvironment, col, exists
from viewscribe.expressions import nodes as e
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as o
from viewscribe.operations.rewrites.retype import retype
from viewscribe.types import BIGINT, INT, Field


def test_a_sub_query_keeps_its_own_columns() -> None:
    env = TableEnvironment()
    env.create_table("sales", "region INT NOT NULL, amount INT")
    env.create_table("wide", "a INT, b INT, c INT, d STRING NOT NULL")
    query = env.from_path("wide").filter(col("d") == "x")
    made = env.from_path("sales").rollup("region").select("region", exists(query).alias("any"))
    assert isinstance(made.operation, o.Project)
    (found,) = (n for n in made.operation.expressions if isinstance(n, e.Alias))
    assert isinstance(found.child, e.Exists)
    assert found.child.query == query.operation
    assert "d = 'x'" in made.to_sql()


def test_try_cast_is_typed_as_where_it_was_built() -> None:
    child = e.FieldReference(0, "n", INT.not_null())
    made = e.Cast(child, BIGINT.not_null(), True)  # every INT is a BIGINT
    assert retype(made, Schema([Field("n", INT.not_null())])) == made
