"""The two ways of reading a plan out of the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.spark.capture.pipelines.listing import pipelines
from tests.versions import ROWS_OF_PANDAS, before
from viewscribe.spark.capture.classic import capture_classic, reader
from viewscribe.spark.capture.classic.compiled import NotCompiledError
from viewscribe.spark.capture.classic.plan import PlanNode, inputs_of, line_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    import viewscribe as vs

CHOSEN = [
    "queries.literals_of_all_kinds",
    "queries.cte_used_twice",
    "queries.correlated_sub_queries",
    "queries.json_with_options",
    "queries.lambdas",
    "queries.windows_with_frames",
    "queries.nulls_replaced",
    "queries.permanent_view",
    "queries.joined_hints",
    "frames.pivot_with_names",
    "frames.local_rows_of_pandas",
    "frames.fields_changed",
    "frames.rollup",
    "frames.hints",
]


@pytest.mark.parametrize("name", CHOSEN)
def test_both_readers_give_the_same_tree(
    name: str, spark: SparkSession, world: vs.TableEnvironment, monkeypatch: pytest.MonkeyPatch
):
    if name == "frames.local_rows_of_pandas" and before("4.2"):
        pytest.skip(ROWS_OF_PANDAS)
    frame = pipelines()[name](spark)
    compiled, lines = capture_classic(frame), reader.analyzed_plan(frame)
    columns = reader.analyzed_plan(frame, with_columns=True)

    def refuse(jvm: Any, plan: Any, **options: Any) -> str:
        raise NotCompiledError("nothing is compiled here")

    monkeypatch.setattr(reader, "compiled_dump", refuse)
    monkeypatch.setattr(reader, "_refusing", set())
    assert capture_classic(frame) == compiled
    assert reader._refusing
    assert operators(reader.analyzed_plan(frame)) == operators(lines)
    assert operators(reader.analyzed_plan(frame, with_columns=True)) == operators(columns)


def operators(root: PlanNode) -> list[tuple[Any, ...]]:
    """Each operator with its line and how many columns it says it has."""
    found = []
    pending = [root]
    while pending:
        node = pending.pop()
        count = len(node.extra["output"]) if "output" in node.extra else None
        found.append((node.kind, line_of(node), count))
        pending += inputs_of(node)
    return found
