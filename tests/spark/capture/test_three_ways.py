"""Each pipeline in all three ways: what is captured has the columns and rows of the DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import chosen
from tests.spark.answers import Answers
from tests.spark.capture.pipelines.listing import LATER, pipelines
from tests.spark.capture.ways import Ways, columns, multiset
from tests.versions import RUNNING, before
from viewscribe.catalog_store.circle.world import read_back
from viewscribe.errors import CaptureError
from viewscribe.expressions.node import holds, preorder
from viewscribe.expressions.nodes import InSubquery
from viewscribe.operations import nodes as n
from viewscribe.serializer import to_sql
from viewscribe.spark.interpreter import to_dataframe
from viewscribe.types.nested_types import deeply_nullable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    import viewscribe as vs
    from tests.spark.capture.planner import OfflineSession, Planner
    from viewscribe.operations.base import QueryOperation

PIPELINES = pipelines()

AMBIGUOUS = "classic takes a column of a frame that is there twice for ambiguous"

NOT_CLASSIC = {
    "basics.casts": "Spark refuses try_cast of an INT to a DATE",
    "groups.pivot_several": "classic takes no count(*) in a pivot",
    "joins.self_join_by_frames": AMBIGUOUS,
    "joins.self_join_filtered": AMBIGUOUS,
    "joins.self_join_grouped": AMBIGUOUS,
    "details.joined_to_what_is_the_same": AMBIGUOUS,
    "details.joined_to_what_is_the_same_and_both_shown": AMBIGUOUS,
    "joins.correlated_exists": "classic does not find the outer column",
}
"""What a classic session does not analyze in the first place, and why."""

REFUSED_CLASSIC = {
    "cleaning.sample_by_strata": "the fractions are in Scala code of the session",
    **dict.fromkeys(
        [
            *(f"sources.local_{which}" for which in ("rows", "rows_joined", "values", "nan")),
            "cleaning.without_rows",
            "cleaning.structs_brought_along",
            "details.rows_brought_along_by_the_names_they_had",
        ],
        "the rows of a Python list are those of an RDD",
    ),
}
"""What an analyzed plan does not say, and why."""

REFUSED_CONNECT: dict[str, str] = {
    "frames.cross_tabulated": "its columns follow from the rows of the moment",
}
"""What a Connect plan does not say, and why."""

RECURSIVE = "Spark 4.0 analyzes recursive queries and fails to run them"

FAILS = {name: ("4.1", RECURSIVE) for name in PIPELINES if name.startswith("recursions.")}
"""What older versions of Spark do not run: the first version that does, and why."""

NAMESAKES = {
    "basics.order_by_the_nearest_of_what_was_left_out",
    "basics.filter_by_what_three_steps_replaced",
}
"""Where Spark 4.0 over Connect takes a namesake of a DataFrame's column, and classic takes none."""

COMMANDS = {
    f"queries.{name}"
    for name in ("temporary_view_of_text", "permanent_view", "padded_texts", "sql_function")
}
"""What runs commands first, which a recording refuses: it runs nothing."""

NULLABLE = {
    "frames.fields_changed": "a field of what may be NULL may be NULL",
}
"""Where the text says that there may be NULL and the DataFrame says that there is none, and why."""


@pytest.fixture(scope="module")
def ways(spark: Any, planner: Planner, offline: OfflineSession) -> Ways:
    return Ways(spark, planner, offline)


def test_enough_pipelines_are_captured_in_all_three_ways():
    less = NOT_CLASSIC.keys() | REFUSED_CLASSIC.keys() | REFUSED_CONNECT.keys()
    assert less | COMMANDS | NAMESAKES | NULLABLE.keys() <= PIPELINES.keys()
    assert len(PIPELINES.keys() - less - COMMANDS) >= 300


@pytest.mark.parametrize("name", chosen(PIPELINES, 9))
def test_what_is_captured_is_the_dataframe(name: str, ways: Ways, world: vs.TableEnvironment):
    pipeline = PIPELINES[name]
    version, reason = {**LATER, **FAILS}.get(name, ("4.0", ""))
    if before(version):
        pytest.skip(reason)
    classic = None
    if name not in NOT_CLASSIC | REFUSED_CLASSIC:
        classic = pipeline(ways.spark)
        _same(name, classic, ways.analyzed(classic), ways.spark)
    if name in REFUSED_CONNECT:
        return
    df = ways.connect(pipeline)
    frame, tree = ways.planned(df), ways.over_connect(df)
    _same(name, frame, tree, ways.spark)
    if (why := _not_recorded(name)) is not None:
        with pytest.raises(CaptureError, match=why):
            ways.recorded(pipeline)
        return
    recorded = ways.recorded(pipeline)
    if to_sql(recorded, target=RUNNING) != to_sql(tree, target=RUNNING):
        # It stands for classic sessions too, whose literals are of other types.
        _same(name, classic or frame, recorded, ways.spark)


@pytest.mark.parametrize("name", [each for each in FAILS if each not in NOT_CLASSIC])
def test_recursive_queries_are_no_text(name: str, ways: Ways):
    if before("4.1"):
        pytest.skip(RECURSIVE)
    nodes = {type(each) for each in preorder(ways.analyzed(PIPELINES[name](ways.spark)))}
    assert n.Recursion in nodes
    assert n.SqlText not in nodes


def _not_recorded(name: str) -> str | None:
    """What the error says of a pipeline that a recording refuses."""
    if name in COMMANDS:
        return "runs a command while it is recorded"
    if name in NAMESAKES and before("4.1"):  # a recording stands for sessions of both kinds
        return "a classic one does not"
    return None


def _same(name: str, original: DataFrame, tree: QueryOperation, spark: SparkSession) -> None:
    """Asserts that all that is made of the tree has the columns and rows of the DataFrame."""
    expected = _columns(original, name)
    assert [field.name for field in tree.schema] == [column for column, _ in expected]
    answers = Answers(multiset)
    texts = dict.fromkeys(to_sql(tree, style, RUNNING) for style in ("readable", "nested"))
    for text in texts:  # so it can be stored
        assert read_back(tree, text, {}).different is None
    frames = [*map(spark.sql, texts)]
    if not (before("4.1") and holds(tree, InSubquery)):  # its API has no such column
        frames.append(to_dataframe(tree, spark))
    for frame in frames:
        assert _columns(frame, name) == expected
        assert answers.of(frame) == answers.of(original)


def _columns(frame: DataFrame, name: str) -> list[tuple[str, Any]]:
    found = columns(frame)
    if name not in NULLABLE:
        return found
    return [(column, deeply_nullable(type_)) for column, type_ in found]


@pytest.mark.parametrize("name", REFUSED_CLASSIC)
def test_what_an_analyzed_plan_does_not_say_is_refused(
    name: str, ways: Ways, world: vs.TableEnvironment
):
    with pytest.raises(CaptureError) as caught:
        ways.analyzed(PIPELINES[name](ways.spark))
    assert caught.value.hint


@pytest.mark.parametrize("name", REFUSED_CONNECT)
def test_what_a_connect_plan_does_not_say_is_refused(
    name: str, ways: Ways, world: vs.TableEnvironment
):
    with pytest.raises(CaptureError) as caught:
        ways.over_connect(ways.connect(PIPELINES[name]))
    assert caught.value.hint
