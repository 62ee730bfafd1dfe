"""Pipelines over Connect: a catalog alone gives the tree that a session gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import chosen
from tests.spark.capture.pipelines.listing import LATER, pipelines
from tests.versions import before
from viewscribe.errors import CaptureError
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.sources import CatalogSources, SessionSources

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    import viewscribe as vs

PIPELINES = pipelines()

ONLY_SPARK = (
    {f"texts.whole_query{which}" for which in ("", "_further", "_with_steps")}
    | {
        "texts.moments",
        "texts.queries_inside",
        "texts.temporary_views",
        "details.frames_in_text",
    }
    | {name for name, pipeline in PIPELINES.items() if "_quotes" in pipeline.__code__.co_names}
)
"""Which a catalog alone may not tell the meaning of: where their texts are not read."""

TEXTS = ("queries.", "frames.", "recursions.", "found.")

KNOWN = [name for name in PIPELINES if not name.startswith(TEXTS)]
"""Those that read tables which the catalog has too, and not only SQL text of which Spark knows."""


def alone(df: Any, world: vs.TableEnvironment) -> str | CaptureError:
    """What a catalog alone makes of a DataFrame, or why it cannot."""
    try:
        return capture(df, sources=CatalogSources(world)).as_summary_string()
    except CaptureError as error:
        return error


@pytest.mark.parametrize("name", chosen(KNOWN, 8))
def test_a_catalog_alone_gives_the_same_tree(
    name: str,
    spark: SparkSession,
    world: vs.TableEnvironment,
    recorded: Callable[[Callable[[Any], Any]], Any],
):
    if name in LATER and before(LATER[name][0]):
        pytest.skip(LATER[name][1])
    df = recorded(PIPELINES[name])
    found = alone(df, world)
    if isinstance(found, CaptureError):
        assert name in ONLY_SPARK
        assert re.search(r"only known to Spark|no view or table|time zone", str(found))
        return
    asked = capture(df, sources=SessionSources(spark)).as_summary_string()
    assert found.replace("default.world", "spark_catalog.world") == asked
