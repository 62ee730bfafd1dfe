"""What runs code or has no rows in its plan: refused in every way in with node, line, way out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql.types import IntegerType, LongType, StringType

import viewscribe as vs
from tests.versions import before
from viewscribe.errors import CaptureError
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.session_functions import RefusedPlanError, python_function
from viewscribe.types import INT, STRING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Pipeline = Callable[[Any], Any]


def shout(text: Any) -> Any:
    return text + "!"


def total(amounts: Any) -> Any:
    return amounts.sum()


def louder(texts: pa.Array) -> pa.Array:
    return texts


def both(left: Any, right: Any) -> Any:
    return left


def of_values(spark: Any) -> Any:
    from pyspark.sql import functions as F

    return spark.table("world.people").select(F.udf(shout, StringType())(F.col("name")).alias("n"))


def of_arrays(spark: Any) -> Any:
    from pyspark.sql import functions as F

    functions: Any = F
    loud = functions.arrow_udf(louder, StringType())
    return spark.table("world.people").select(loud(F.col("name")).alias("n"))


def of_groups(spark: Any) -> Any:
    from pyspark.sql import functions as F

    functions: Any = F
    sum_up = functions.pandas_udf(total, LongType(), functions.PandasUDFType.GROUPED_AGG)
    return spark.table("world.people").groupBy("dept").agg(sum_up(F.col("salary")).alias("n"))


def of_lambdas(spark: Any) -> Any:
    from pyspark.sql import functions as F

    double = F.udf(lambda value: value, IntegerType())
    return spark.table("world.people").select(double(F.col("salary")).alias("n"))


def table_function(spark: Any) -> Any:
    from pyspark.sql import functions as F

    class Twice:
        def eval(self) -> Any:
            yield (1,)

    functions: Any = F
    return functions.udtf(Twice, returnType="a: int")()


def map_in_pandas(spark: Any) -> Any:
    return spark.table("world.people").mapInPandas(shout, "name STRING")


def map_in_arrow(spark: Any) -> Any:
    return spark.table("world.people").mapInArrow(shout, "name STRING")


def apply_in_pandas(spark: Any) -> Any:
    return spark.table("world.people").groupBy("dept").applyInPandas(shout, "name STRING")


def apply_in_arrow(spark: Any) -> Any:
    return spark.table("world.people").groupBy("dept").applyInArrow(shout, "name STRING")


def cogroup(spark: Any) -> Any:
    by_dept = spark.table("world.people").groupBy("dept")
    return by_dept.cogroup(by_dept).applyInPandas(both, "name STRING")


def stream(spark: Any) -> Any:
    return spark.readStream.format("rate").load()


def local_checkpoint(spark: Any) -> Any:
    return spark.table("world.people").localCheckpoint()


def rdd(spark: Any) -> Any:
    return spark.createDataFrame(spark.sparkContext.parallelize([(1,)]), "a INT")


CALLED = r'CREATE FUNCTION {0}\(x1 {1}\) RETURNS {2} RETURN ….*create_function\("{0}", {0}, '
SAVED = "saveAsTable"

REFUSED: dict[Pipeline, tuple[str, str]] = {
    of_values: ("`shout` is a Python function", CALLED.format("shout", "STRING", "STRING")),
    of_arrays: ("`louder` is a Python function", "pyarrow.Array.*create_function"),
    of_groups: ("`total` is a Python function", CALLED.format("total", "INT", "BIGINT")),
    of_lambdas: ("`<lambda>` is a Python function", "give it a name with def, and register it"),
    table_function: ("`Twice` is a Python table function", r"RETURNS TABLE\(a INT\) RETURN SELECT"),
    map_in_pandas: ("mapInPandas", SAVED),
    map_in_arrow: ("mapInArrow", SAVED),
    apply_in_pandas: ("applyInPandas", SAVED),
    apply_in_arrow: ("applyInArrow", SAVED),
    cogroup: ("cogroup", SAVED),
    stream: ("stream", "readStream"),
    local_checkpoint: ("checkpoint", SAVED + "|as a table"),
    rdd: ("RDD|sparkContext", SAVED),
}

IN_CLASSIC: dict[Pipeline, str] = {
    of_values: "PythonUDF",
    of_arrays: "PythonUDF",
    of_groups: "PythonU",
    of_lambdas: "PythonUDF",
    table_function: "PythonUDTF",
    map_in_pandas: "MapInPandas",
    map_in_arrow: "MapInArrow",
    apply_in_pandas: "FlatMapGroupsInPandas",
    apply_in_arrow: "FlatMapGroupsInArrow",
    cogroup: "FlatMapCoGroupsInPandas",
    stream: "StreamingRelation",
    local_checkpoint: "LogicalRDD",
    rdd: "LogicalRDD",
}
"""The node that is named."""

WITHOUT_LINES = (table_function, stream, local_checkpoint, rdd)
"""What a Connect client refuses by itself, or asks a server for."""


def lines_of(pipeline: Pipeline) -> range:
    code = pipeline.__code__
    lines = [line for _, _, line in code.co_lines() if line is not None]
    return range(min(lines), max(lines) + 1)


def known(pipelines: Iterable[Pipeline]) -> list[Any]:
    """The pipelines, of which those are skipped that need what the running Spark lacks."""
    reason = "arrow_udf() came with Spark 4.1"
    later = pytest.mark.skipif(before("4.1"), reason=reason)
    return [pytest.param(each, marks=later if each is of_arrays else ()) for each in pipelines]


def line_in(error: CaptureError) -> int | None:
    """The line of this file that the error names."""
    found = re.search(rf"{Path(__file__).name}:(\d+)", error.location or "")
    return int(found[1]) if found else None


@pytest.mark.parametrize("pipeline", known(REFUSED), ids=lambda pipeline: pipeline.__name__)
def test_recorded(pipeline: Pipeline, world: vs.TableEnvironment):
    reason, way_out = REFUSED[pipeline]
    with pytest.raises(CaptureError) as caught:
        vs.record(pipeline, env=world)
    assert re.search(reason, caught.value.message)
    assert re.search(way_out, caught.value.hint or "")
    assert line_in(caught.value) in lines_of(pipeline)


@pytest.mark.parametrize("pipeline", known(IN_CLASSIC), ids=lambda pipeline: pipeline.__name__)
def test_classic(pipeline: Pipeline, spark: SparkSession, world: vs.TableEnvironment):
    reason, way_out = REFUSED[pipeline]
    frame = pipeline(spark)
    with pytest.raises(CaptureError) as caught:
        vs.capture(frame)
    assert re.search(reason, caught.value.message)
    assert re.search(way_out, caught.value.hint or "")
    assert IN_CLASSIC[pipeline] in (caught.value.location or "")
    if pipeline in (of_values, of_arrays, of_lambdas, of_groups):  # the alias knows its line
        line = line_in(caught.value)
        assert line is None if before("4.1") else line in lines_of(pipeline)  # 4.0 notes none


@pytest.mark.parametrize(
    "pipeline",
    known(each for each in REFUSED if each not in (local_checkpoint, rdd)),
    ids=lambda pipeline: pipeline.__name__,
)
def test_connect(pipeline: Pipeline, recorded: Any, world: vs.TableEnvironment):
    reason, way_out = REFUSED[pipeline]
    frame = recorded(pipeline)
    with pytest.raises(CaptureError) as caught:
        capture(frame)
    assert re.search(reason, caught.value.message)
    assert re.search(way_out, caught.value.hint or "")
    assert caught.value.location


def three_of_them(spark: Any) -> Any:
    from pyspark.sql import functions as F

    loud = F.udf(shout, StringType())
    people = spark.table("world.people").select(loud(F.col("name")).alias("n"), "dept", "salary")
    mapped = people.where(F.length("n") > 1).mapInPandas(total, "dept STRING, salary INT")
    sampled = spark.range(9).sample(True, 0.5, 1)
    return mapped.where("salary > 1").join(sampled, F.col("salary") == F.col("id")).limit(3)


MESSAGES = ["`shout` is a Python function", "mapInPandas", "several times|without replacement"]


def test_everything_at_once_in_classic(spark: SparkSession, world: vs.TableEnvironment):
    frame = three_of_them(spark)
    with pytest.raises(RefusedPlanError) as caught:
        vs.capture(frame, partial=True)
    refusals = caught.value.refusals
    assert len(refusals) == len(MESSAGES)
    for message in MESSAGES:
        assert any(re.search(message, each.message) for each in refusals), message
    assert all(each.hint for each in refusals)
    with pytest.raises(CaptureError) as first:
        vs.capture(frame)
    assert str(first.value) in [str(each) for each in refusals]


def test_several_in_one_step_of_classic(spark: SparkSession, world: vs.TableEnvironment):
    from pyspark.sql import functions as F

    loud, quiet = F.udf(shout, StringType()), F.udf(total, IntegerType())
    frame = spark.table("world.people").select(loud("name"), F.upper("dept"), quiet("salary"))
    with pytest.raises(RefusedPlanError) as caught:
        vs.capture(frame, partial=True)
    assert [each.message[:8] for each in caught.value.refusals] == ["`shout` ", "`total` "]


def test_partial_is_the_same_in_classic_where_nothing_is_refused(
    spark: SparkSession, world: vs.TableEnvironment
):
    frame = spark.table("world.people").where("salary > 1").groupBy("dept").count()
    assert vs.capture(frame, partial=True).operation == vs.capture(frame).operation


def test_a_single_refusal_stays_itself_in_classic(spark: SparkSession, world: vs.TableEnvironment):
    frame = map_in_pandas(spark).where("name = 'x'").distinct()
    errors = []
    for partial in (False, True):
        with pytest.raises(CaptureError) as caught:
            vs.capture(frame, partial=partial)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


@pytest.mark.parametrize("eval_type", [100, 101])
def test_the_line_that_registers_does(eval_type: int):
    """What the hint says is run as it stands."""
    env = vs.TableEnvironment()
    _, hint = python_function("shout", eval_type, STRING, [STRING])
    line = hint.partition("register it: ")[2]
    assert line.startswith("env.create_function(")
    exec(line, {"env": env, "shout": shout})
    env.create_table("t", "a STRING")
    called = env.from_path("t").select(vs.call("shout", vs.col("a")).alias("b"))
    assert called.schema.fields[0].type == STRING


def test_the_statement_that_says_it_in_sql_does():
    env = vs.TableEnvironment()
    _, hint = python_function("shout", 100, STRING, [STRING, INT])
    line = re.search(r"env\.execute_sql\(.*?RETURN …\"\)", hint)
    assert line is not None
    exec(line[0].replace("…", "concat(x1, x2)"), {"env": env})
    env.create_table("t", "a STRING")
    called = env.from_path("t").select(vs.call("shout", vs.col("a"), 1).alias("b"))
    assert "shout(a, 1) AS b" in called.to_sql()
