"""What cannot be captured is an error that says what, where and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import viewscribe as vs
from tests.versions import before
from viewscribe.errors import CaptureError
from viewscribe.serializer import to_sql
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.connect.exclusions import REFUSED_RELATIONS
from viewscribe.spark.capture.lines import CONNECT, check_version
from viewscribe.spark.capture.session_functions import RefusedPlanError
from viewscribe.spark.capture.sources import CatalogSources


@pytest.fixture
def sources() -> CatalogSources:
    env = vs.TableEnvironment()
    env.create_table("t", "a INT, b STRING, s STRUCT<x: INT, y: INT>")
    env.create_table("u", "a INT, c STRING")
    return CatalogSources(env)


def with_a_user_function(session: Any) -> Any:
    from pyspark.sql import functions as F
    from pyspark.sql.types import IntegerType

    double = F.udf(lambda value: value, IntegerType())
    return session.table("t").select(double(F.col("a")))


def with_replacement(session: Any) -> Any:
    return session.table("t").sample(True, 0.5, 1)


def with_pivot_of_the_moment(session: Any) -> Any:
    from pyspark.sql import functions as F

    return session.table("t").groupBy(F.col("a")).pivot("b").count()


def with_unknown_function(session: Any) -> Any:
    from pyspark.sql import functions as F

    return session.table("t").select(F.call_function("uper", F.col("b")))


def with_unknown_column(session: Any) -> Any:
    from pyspark.sql import functions as F

    return session.table("t").select(F.col("aa"))


def with_unknown_table(session: Any) -> Any:
    return session.table("tt")


def with_other_dataframe(session: Any) -> Any:
    from pyspark.sql.connect.column import Column
    from pyspark.sql.connect.expressions import ColumnReference

    other = session.table("u")
    return session.table("t").select(Column(ColumnReference("c", other._plan._plan_id)))


def with_column_of_the_query_around(session: Any) -> Any:
    from pyspark.sql import functions as F

    outer, inner = session.table("t"), session.table("u")
    return outer.where(inner.where(F.col("c") == outer["b"].outer()).exists())


def with_one_row_for_each_array_of_floats(session: Any) -> Any:
    from pyspark.sql import functions as F

    scores = session.table("t").select(F.array(F.lit(-0.0)).alias("scores"), F.lit(1).alias("one"))
    return scores.dropDuplicates(["scores"])


def with_crosstab(session: Any) -> Any:
    return session.table("t").crosstab("a", "b")


def with_frequent_items(session: Any) -> Any:
    return session.table("t").freqItems(["a"])


def with_transposed_rows(session: Any) -> Any:
    return session.table("t").transpose()


def with_grouping_ordinal(session: Any) -> Any:
    from pyspark.sql import functions as F

    return session.table("t").groupBy(F.lit(2)).agg(F.lit(3).alias("three"))


def with_schema_for_files(session: Any) -> Any:
    return session.read.format("csv").schema("a INT").load("/data/a.csv")


def with_stream(session: Any) -> Any:
    return session.readStream.table("t")


REFUSED: dict[Callable[[Any], Any], tuple[str, str]] = {
    with_a_user_function: ("Python function", "create_function"),
    with_replacement: ("without replacement", ""),
    with_pivot_of_the_moment: ("pivot without values", ".pivot("),
    with_unknown_function: ("`uper` is no function", "did you mean: upper"),
    with_unknown_column: ("no column `aa`", "did you mean: a"),
    with_unknown_table: ("tt", ""),
    with_other_dataframe: ("does not read", "col("),
    with_column_of_the_query_around: ("does not reach", 'df.alias("o")'),
    with_one_row_for_each_array_of_floats: ("`scores` holds floating", "dropDuplicates()"),
    with_crosstab: ("rows of the moment", "pivot"),
    with_frequent_items: ("sketch of frequent items", "approx_top_k"),
    with_transposed_rows: ("rows of the moment", "pivot"),
    with_grouping_ordinal: ("place of a column", "name"),
    with_schema_for_files: ("schema they have", "CREATE TABLE"),
    with_stream: ("stream", "without readStream"),
}


@pytest.mark.parametrize("pipeline", REFUSED, ids=lambda pipeline: pipeline.__name__)
def test_refused(pipeline: Callable[[Any], Any], session: Any, sources: CatalogSources):
    if pipeline is with_pivot_of_the_moment and before("4.1"):
        pytest.skip("PySpark 4.0 asks the server for the columns")
    reason, way_out = REFUSED[pipeline]
    with pytest.raises(CaptureError) as caught:
        capture(pipeline(session), sources=sources)
    assert reason in caught.value.message
    assert way_out in (caught.value.hint or "")
    assert caught.value.location


@pytest.mark.parametrize("kind", REFUSED_RELATIONS)
def test_refused_relation(kind: str, session: Any, sources: CatalogSources):
    from pyspark.sql.connect import proto
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.plan import LogicalPlan

    if before("4.3") and kind not in proto.Relation.DESCRIPTOR.fields_by_name:
        pytest.skip("the protobuf of an older Spark has no such message")

    class Refused(LogicalPlan):
        def plan(self, session: Any) -> Any:
            relation = self._create_proto_relation()
            getattr(relation, kind).SetInParent()
            return relation

    reason, _ = REFUSED_RELATIONS[kind]
    if kind == "common_inline_user_defined_table_function":
        reason = "`` is a Python table function of this session, which no stored view can call"
    with pytest.raises(CaptureError) as caught:
        capture(DataFrame(Refused(None), session).limit(1), sources=sources)
    assert caught.value.message == reason
    assert caught.value.location == kind


def test_the_line_of_python_is_named(session: Any, sources: CatalogSources):
    with pytest.raises(CaptureError) as caught:
        capture(with_unknown_column(session), sources=sources)
    line = with_unknown_column.__code__.co_firstlineno + 3
    assert f"test_refusals.py:{line}" in (caught.value.location or "")


def test_everything_at_once(session: Any, sources: CatalogSources):
    from pyspark.sql import functions as F
    from pyspark.sql.types import IntegerType

    double = F.udf(lambda value: value, IntegerType())
    left = session.table("t").select(double("a").alias("a"))
    right = session.table("u").select(F.call_function("uper", "c").alias("c"), "a")
    with pytest.raises(RefusedPlanError) as caught:
        capture(left.join(right, "a").limit(3), partial=True, sources=sources)
    assert [each.message.split()[0] for each in caught.value.refusals] == ["`<lambda>`", "`uper`"]


def test_partial_is_the_same_where_nothing_is_refused(session: Any, sources: CatalogSources):
    df = session.table("t").filter("a > 1")
    whole = capture(df, sources=sources)
    again = capture(df, partial=True, sources=sources)
    assert again.as_summary_string() == whole.as_summary_string()


def test_other_versions():
    check_version("4.3.0", CONNECT, "the Connect plan")
    with pytest.raises(CaptureError, match=r"5\.0\.1 was not tested"):
        check_version("5.0.1", CONNECT, "the Connect plan")


def test_what_is_no_dataframe():
    with pytest.raises(CaptureError, match="not a Spark DataFrame"):
        capture("SELECT 1")


def test_count_of_one_is_count_of_rows_but_not_distinct(session: Any, sources: CatalogSources):
    from pyspark.sql import functions as F

    df = session.table("t").agg(F.count(F.lit(1)).alias("n"), F.countDistinct(F.lit(1)).alias("m"))
    text = to_sql(capture(df, sources=sources))
    assert "count(*) AS n" in text
    assert "count(DISTINCT 1) AS m" in text


def test_an_error_is_not_its_own_cause(session: Any, sources: CatalogSources):
    """Whoever follows the causes comes to an end."""
    from pyspark.sql import functions as F

    with pytest.raises(CaptureError) as caught:
        capture(
            session.table("t").select("b").filter(F.upper(F.lower("z")) == "x"), sources=sources
        )
    error: BaseException | None = caught.value
    seen = []
    while error is not None:
        assert error not in seen
        seen.append(error)
        error = error.__cause__
    assert len(seen) > 1
