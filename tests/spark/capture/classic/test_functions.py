"""Every function over columns of every type: its call captured, printed and analyzed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.corpus import chosen
from tests.expressions.functions.matrix import Question, questions
from tests.expressions.functions.palette import SCHEMA
from tests.versions import RUNNING, before, has_type
from viewscribe.errors import CaptureError
from viewscribe.expressions.resolve import resolve
from viewscribe.operations import nodes as n
from viewscribe.serializer import to_sql
from viewscribe.serializer.statement import needs
from viewscribe.serializer.targets import target_of
from viewscribe.spark.capture.classic import capture, capture_classic
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.types import schema_to_spark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

GROUPS = ("scalars", "aggregates", "windows", "lambdas", "named")

OTHERWISE_ANALYZED = {
    "rand": "Spark makes up another seed",
    "randn": "Spark makes up another seed",
    "randstr": "Spark makes up another seed",
    "shuffle": "Spark makes up another seed",
    "uniform": "Spark makes up another seed",
    "uuid": "Spark makes up another seed",
    "rank": "its argument, which Spark replaces, is not written",
    "dense_rank": "its argument, which Spark replaces, is not written",
    "percent_rank": "its argument, which Spark replaces, is not written",
    "sequence": "an added cast stays",
    **{
        f"kll_sketch_get_{what}_{type_}": "an added cast stays"
        for what in ("quantile", "rank")
        for type_ in ("bigint", "float", "double")
    },
    **dict.fromkeys(
        ("bigint", "binary", "boolean", "date", "float", "int", "time", "timestamp", "tinyint"),
        "a cast to the type that the argument has is left out",
    ),
}
"""Functions of which a call may be analyzed otherwise, and why; the schema is the same."""

if before("4.1"):
    OTHERWISE_ANALYZED["schema_of_xml"] = "Spark finds two analyses of one text different"

FIELDS = tuple(field for field in SCHEMA.fields if has_type(field.type))
"""The columns of types that the running Spark has."""

REFUSED = ("try_to_number(s_n, NULL)",)
"""Calls that Spark takes, and whose format NULL our function does not."""


@pytest.fixture(scope="module")
def palette(spark: SparkSession) -> Iterator[None]:
    """A view of no rows, which the captured trees may name though it is one of a Python list."""
    before = spark.conf.get("spark.sql.timeType.enabled", None)
    spark.conf.set("spark.sql.timeType.enabled", "true")
    spark.createDataFrame([], schema_to_spark(FIELDS)).createOrReplaceTempView("palette")
    yield
    spark.catalog.dropTempView("palette")
    if before is None:
        spark.conf.unset("spark.sql.timeType.enabled")
    else:
        spark.conf.set("spark.sql.timeType.enabled", before)


def _named(run: capture.Capture, node: Any, inputs: list[Captured]) -> Captured:
    source = n.CatalogSource.of(("palette",), FIELDS)
    return Captured(source, [each.id for each in node.output])


def _first_of_each(group: str) -> list[Question]:
    found: dict[str, list[Question]] = {}
    for question in questions(group):
        if question.ours() is None or not _is_known(question):
            continue
        if len(found.setdefault(question.name, [])) < 2:
            found[question.name].append(question)
    return chosen([question for each in found.values() for question in each], 12)


def _is_known(question: Question) -> bool:
    """Whether the running Spark is new enough for the call."""
    assert question.made is not None
    called = resolve(question.made, SCHEMA)
    return all(came <= target_of(RUNNING).version for _, came in needs(called))


@pytest.mark.slow("captures two calls of each function, and analyzes each of them twice")
@pytest.mark.parametrize("group", GROUPS)
def test_calls_are_captured(
    group: str, spark: SparkSession, palette: None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(capture.handlers(), "LogicalRDD", _named)
    capture.whole().discard("LogicalRDD")
    wrong = []
    for question in _first_of_each(group):
        frame = spark.sql(f"SELECT {question.text} AS c FROM palette")
        try:
            again = spark.sql(to_sql(capture_classic(frame), target=RUNNING))
        except CaptureError as error:
            if question.text in REFUSED:
                continue
            wrong.append((question.text, str(error)))
            continue
        if _column(again) != _column(frame):
            wrong.append((question.text, "another type"))
        elif not _same(frame, again) and question.name not in OTHERWISE_ANALYZED:
            wrong.append((question.text, "another plan"))
    capture.whole().add("LogicalRDD")
    assert not wrong, wrong


def _column(frame: Any) -> tuple[Any, bool]:
    return frame.schema[0].dataType, frame.schema[0].nullable


def _same(one: Any, other: Any) -> bool:
    plans = [frame._jdf.queryExecution().analyzed() for frame in (one, other)]
    return bool(plans[0].sameResult(plans[1]))


def test_the_most_frequent_map_is_sorted_by_no_clause(spark: SparkSession) -> None:
    frame = spark.sql("SELECT mode(m, true) AS often FROM VALUES (map(1, 'a')) AS t (m)")
    text = to_sql(capture_classic(frame))
    assert "mode(m, TRUE)" in text
    assert spark.sql(text).collect() == frame.collect()


@pytest.mark.parametrize("needed", [0, 1, 2, 3, 99])
def test_so_many_values_are_there(spark, needed):
    """``na.drop``, which may ask for more values than there are columns, or for none."""
    frame = spark.sql("SELECT * FROM VALUES (1, NULL), (NULL, NULL), (1, 2) AS v(a, b)")
    for dropped in (frame.na.drop(thresh=needed), frame.na.drop(subset=[])):
        assert sorted(map(str, spark.sql(vs.to_sql(dropped)).collect())) == sorted(
            map(str, dropped.collect())
        )
