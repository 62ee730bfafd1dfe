"""The two ways of reading a plan out of the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JError

from tests.spark.capture.pipelines.listing import pipelines
from viewscribe.spark.capture.classic import capture_classic, reader

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
    frame = pipelines()[name](spark)
    compiled = capture_classic(frame)

    def refuse(jvm: Any, plan: Any) -> str:
        raise Py4JError("nothing is compiled here")

    monkeypatch.setattr(reader, "compiled_dump", refuse)
    monkeypatch.setattr(reader, "_refusing", set())
    assert capture_classic(frame) == compiled
    assert reader._refusing
