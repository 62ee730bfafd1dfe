"""The input of a pivot is written as SQL's PIVOT wants it."""

from __future__ import annotations

from viewscribe import TableEnvironment
from viewscribe import functions as F
from viewscribe.expressions.node import preorder
from viewscribe.operations.nodes import Pivot
from viewscribe.operations.rewrites.pivot import with_exact_input

ENV = TableEnvironment()
ENV.create_table("t", "k INT, K_2 INT, p STRING, other INT")


def test_a_key_that_an_aggregate_reads_is_there_twice_under_a_name_of_its_own() -> None:
    table = ENV.from_path("t").group_by("k", "K_2").pivot("p", ["a", "b"]).agg(F.sum("k"))
    pivot = next(node for node in preorder(table.operation) if isinstance(node, Pivot))
    exact = with_exact_input(pivot)
    assert exact.child.schema.names == ("k", "K_2", "p", "k_3")
    assert [key.index for key in exact.keys] == [0, 1]
    assert str(exact.schema) == str(pivot.schema)
