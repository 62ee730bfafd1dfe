"""Each example three ways: Spark's own text, the tree through the DataFrame API, our text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.oracle.documentation import Example
from tests.oracle.errors import MissingFunctionError
from tests.oracle.outcomes import Outcome, outcomes
from tests.oracle.parsing import ROWS_AS_WRITTEN, Parser
from tests.oracle.relations import Rebuilder
from tests.spark.answers import same_plan
from viewscribe import TableEnvironment
from viewscribe.spark.session import first_line, settings
from viewscribe.spark.types import schema_to_spark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from viewscribe import Table

DOCUMENTED, TREE, TEXT = "Spark's text", "the tree", "our text"

# Queries of a few rows: compiling them and cutting them into partitions takes longer than they do.
_SMALL = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.timeType.enabled": "true",
} | ROWS_AS_WRITTEN
_BATCH = 20

Shape = list[tuple[Any, bool]]
"""The types of columns in Spark's JSON, and whether they are nullable."""


@dataclass(slots=True)
class Trial:
    """What became of an example.

    Args:
        example: the example.
        sql: our text.
        missing: the function that the registry lacks.
        failure: what is not equal; None where everything is.
        frames: the three queries, until they have run.
    """

    example: Example
    sql: str = ""
    missing: str | None = None
    failure: str | None = None
    frames: dict[str, DataFrame] = field(default_factory=dict)


@contextmanager
def small_queries(spark: SparkSession) -> Iterator[None]:
    """The session set for the examples; its tasks too, which are not run as queries of SQL."""
    with settings(spark, {}, own=_SMALL):
        for name, value in _SMALL.items():
            spark.sparkContext.setLocalProperty(name, value)
        try:
            yield
        finally:
            for name in _SMALL:
                spark.sparkContext.setLocalProperty(name, None)  # type: ignore[arg-type]


def attempt(spark: SparkSession, examples: Sequence[Example], by_chance: set[str]) -> list[Trial]:
    """Rebuilds the examples and compares them; of those in ``by_chance`` only the schemas."""
    parser, rebuilder = Parser(spark), Rebuilder(TableEnvironment())
    trials = []
    for start in range(0, len(examples), _BATCH):
        batch = [_prepared(spark, each, parser, rebuilder) for each in examples[start:][:_BATCH]]
        _compare(spark, [t for t in batch if t.frames and str(t.example) not in by_chance])
        trials += [Trial(t.example, t.sql, t.missing, t.failure) for t in batch]
    return trials


def _prepared(spark: SparkSession, example: Example, parser: Parser, rebuilder: Rebuilder) -> Trial:
    trial = Trial(example)
    try:
        with _in_force(spark, dict(example.settings)):
            parsed = parser.parse(example.text)
        table = rebuilder.table(parsed)
        trial.sql = table.to_sql()
        frames = _frames(spark, example, table, trial.sql)
        trial.failure = _shapes_differ(table, frames)
        trial.frames = {} if trial.failure else frames
    except MissingFunctionError as error:
        trial.missing = str(error)
    except Exception as error:
        trial.failure = f"{type(error).__name__}: {first_line(error)}"
    return trial


@contextmanager
def _in_force(spark: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Most examples have no settings, and asking Spark for its settings takes time."""
    if not wanted:
        yield
        return
    with settings(spark, {}, own=wanted):
        yield


def _frames(spark: SparkSession, example: Example, table: Table, sql: str) -> dict[str, DataFrame]:
    with _in_force(spark, dict(example.settings)):
        documented = spark.sql(example.text)
    with _in_force(spark, _of_the_run(example)):
        return {DOCUMENTED: documented, TREE: table.to_dataframe(spark), TEXT: spark.sql(sql)}


def _of_the_run(example: Example) -> dict[str, str]:
    """The settings that our text is for; how Spark's own text is parsed says nothing about it."""
    return {name: value for name, value in example.settings if ".parser." not in name}


# -- schemas -------------------------------------------------------------------------------------


def _shapes_differ(table: Table, frames: dict[str, DataFrame]) -> str | None:
    shapes = {name: _shape(_java(frame).schema().json()) for name, frame in frames.items()}
    shapes["the schema of the tree"] = _shape(schema_to_spark(table.schema.fields).json())
    expected = shapes.pop(DOCUMENTED)
    differing = [f"{name} {_shown(s)}" for name, s in shapes.items() if s != expected]
    return f"{DOCUMENTED} {_shown(expected)}, {', '.join(differing)}" if differing else None


def _shape(document: str) -> Shape:
    return [(column["type"], column["nullable"]) for column in json.loads(document)["fields"]]


def _shown(shape: Shape) -> str:
    columns = [json.dumps(t).strip('"') + ("" if null else " NOT NULL") for t, null in shape]
    return f"has {', '.join(columns)}"


# -- rows ----------------------------------------------------------------------------------------


def _compare(spark: SparkSession, trials: Sequence[Trial]) -> None:
    """Runs what Spark does not plan as it plans its own text."""
    for trial in trials:
        documented = trial.frames.pop(DOCUMENTED)
        others = {n: f for n, f in trial.frames.items() if not same_plan(documented, f)}
        trial.frames = {DOCUMENTED: documented, **others} if others else {}
    frames = [_java(frame) for trial in trials for frame in trial.frames.values()]
    found = iter(outcomes(spark, frames))
    for trial in trials:
        if trial.frames:
            trial.failure = _differ({name: next(found) for name in trial.frames})


def _differ(found: dict[str, Outcome]) -> str | None:
    expected = found.pop(DOCUMENTED)
    differing = [
        f"{name} gives {outcome}" for name, outcome in found.items() if outcome != expected
    ]
    return f"{DOCUMENTED} gives {expected}, {', '.join(differing)}"[:800] if differing else None


def _java(frame: DataFrame) -> Any:
    java: Any = frame
    return java._jdf
