"""Random pipelines of one small vocabulary: equal normal forms have equal rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

from tests.fuzzing import examples
from viewscribe.spark.proof import NormalForms

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    import viewscribe as vs

COUNT = examples(80)


def _joined(how: str) -> Callable[[DataFrame], DataFrame]:
    def step(frame: DataFrame) -> DataFrame:
        other = frame.sparkSession.table("world.depts").select(F.col("dept").alias("key"), "city")
        joined = frame.join(other, F.col("dept") == F.col("key"), how)
        return joined.select("name", "dept", "salary")

    return step


def _numbered(frame: DataFrame) -> DataFrame:
    number = F.row_number().over(Window.orderBy("salary", "name", "dept"))
    return frame.select("name", "dept", number.alias("salary"))


def _grouped(function: Callable[[str], Any]) -> Callable[[DataFrame], DataFrame]:
    def step(frame: DataFrame) -> DataFrame:
        grouped = frame.groupBy("dept").agg(function("salary").cast("int").alias("salary"))
        return grouped.select(F.col("dept").alias("name"), "dept", "salary")

    return step


STEPS: dict[str, Callable[[DataFrame], DataFrame]] = {
    "over 15": lambda frame: frame.where("salary > 15"),
    "over 2": lambda frame: frame.where("salary > 2"),
    "of a": lambda frame: frame.where("dept = 'a'"),
    "known": lambda frame: frame.where("name IS NOT NULL"),
    "or": lambda frame: frame.where("salary > 15 OR dept = 'b'"),
    "inner": _joined("inner"),
    "left": _joined("left"),
    "right": _joined("right"),
    "semi": _joined("left_semi"),
    "anti": _joined("left_anti"),
    "numbered": _numbered,
    "sum": _grouped(F.sum),
    "max": _grouped(F.max),
    "count": _grouped(F.count),
    "distinct": lambda frame: frame.distinct(),
    "twice": lambda frame: frame.union(frame),
    "first two": lambda frame: frame.orderBy("salary", "name", "dept").limit(2),
    "swapped": lambda frame: frame.select(
        F.col("dept").alias("name"), F.col("name").alias("dept"), "salary"
    ),
    "renamed": lambda frame: frame.toDF("a", "b", "c").toDF("name", "dept", "salary"),
    "more": lambda frame: frame.withColumn("salary", F.col("salary") + 1),
    "less": lambda frame: frame.withColumn("salary", F.col("salary") - 1),
    "exploded": lambda frame: frame.select(
        "name", "dept", F.explode(F.array("salary", F.lit(3))).alias("salary")
    ),
}


@pytest.mark.slow("Spark runs what the normal form says is alike, pair by pair")
def test_equal_forms_have_equal_rows(spark: SparkSession, env: vs.TableEnvironment) -> None:
    random = Random(COUNT)
    frames: dict[tuple[str, ...], DataFrame] = {}
    while len(frames) < COUNT:
        # Few words make many pairs of a form: "over 2" and "over 15" in another order.
        words = random.sample([*STEPS], 6)
        program = tuple(random.choices(words, k=random.randint(2, 4)))
        at = random.randrange(len(program) - 1)
        swapped = (*program[:at], program[at + 1], program[at], *program[at + 2 :])
        for steps in (program, swapped, tuple(reversed(program))):
            frame = spark.table("world.people").select("name", "dept", "salary")
            for word in steps:
                frame = STEPS[word](frame)
            frames[steps] = frame
    java: Any = spark
    rows = cache(lambda program: Counter(map(tuple, frames[program].collect())))
    for kind in ("analyzed", "optimizedPlan"):
        forms = NormalForms(java._jsparkSession, java._jvm)
        alike: dict[int, list[tuple[str, ...]]] = defaultdict(list)
        for program, frame in frames.items():
            execution: Any = frame
            alike[forms.of(getattr(execution._jdf.queryExecution(), kind)())].append(program)
        pairs = 0
        for programs in alike.values():
            first, *others = programs
            for other in others:
                assert rows(other) == rows(first), (kind, first, other)
                pairs += 1
        assert pairs > COUNT // 20, f"too few pairs of {kind} to say anything"
