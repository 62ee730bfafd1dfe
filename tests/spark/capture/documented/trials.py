"""Examples step by step: each DataFrame that one shows, against the text of its captured tree."""

from __future__ import annotations

import ast
import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from doctest import SKIP
from typing import TYPE_CHECKING, Any

from tests.spark.answers import Answers
from tests.spark.capture.documented.docstrings import Documented
from tests.spark.capture.documented.stages import Stage, watched
from tests.spark.helpers import rows
from viewscribe.errors import CaptureError
from viewscribe.serializer import to_sql
from viewscribe.spark.session import first_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EQUAL, REFUSED, FAILED, STOPPED = "equal", "refused", "failed", "stopped"

_CONDITION = re.compile(r"\[([A-Z][A-Z_0-9.]+)\]")


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one DataFrame of an example.

    Args:
        name: the method or function, and the number of the step.
        outcome: equal, refused, failed; stopped where the example itself does not run.
        why: the refusal, the difference or the error.
        source: the step.
    """

    name: str
    outcome: str
    why: str = ""
    source: str = ""


def attempt(
    example: Documented, stage: Stage, spark: SparkSession, by_chance: set[str]
) -> list[Trial]:
    """Runs the steps, and compares every DataFrame that they show or make.

    Args:
        example: the steps.
        stage: where they run.
        spark: the classic session, which analyzes the texts.
        by_chance: the steps of which only the columns are compared.
    """
    names = {**example.names, "__name__": "__main__", "spark": stage.session}
    names["sc"] = spark.sparkContext
    compared: list[Any] = []
    trials: list[Trial] = []
    for number, step in enumerate(example.steps, 1):
        name = f"{example.name}[{number}]"
        # The documentation shows the error, or does not run the example either.
        excused = step.exc_msg is not None or SKIP in step.options
        seen, error = _run(step.source, names, stage)
        for frame in seen:
            if any(frame is each for each in compared):
                continue
            compared.append(frame)
            trial = _compared(name, frame, stage, spark, name not in by_chance, step.source)
            if trial.outcome != STOPPED or not excused:
                trials.append(trial)
        if error is not None and not excused:
            trials.append(Trial(name, STOPPED, _told(error), step.source))
            break
    return trials


def _run(source: str, names: dict[str, Any], stage: Stage) -> tuple[list[Any], Exception | None]:
    """The DataFrames that a step looks at or gives, and the error that it ends with."""
    seen: list[Any] = []
    quiet = io.StringIO()
    with (
        stage.mode(),
        watched(stage, seen.append),
        redirect_stdout(quiet),
        redirect_stderr(quiet),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            made = _executed(source, names)
        except Exception as error:
            return seen, error
    return seen + [each for each in _flat(made) if isinstance(each, stage.frame_class)], None


def _executed(source: str, names: dict[str, Any]) -> list[Any]:
    """The value of an expression, or those of the variables that a statement sets."""
    tree = ast.parse(source)
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
        return [eval(compile(ast.Expression(tree.body[0].value), "<example>", "eval"), names)]
    exec(compile(tree, "<example>", "exec"), names)
    stored = [
        each.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]
    return [names[each] for each in dict.fromkeys(stored) if each in names]


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(list(value))
        else:
            yield value


def _compared(
    name: str, frame: Any, stage: Stage, spark: SparkSession, with_rows: bool, source: str
) -> Trial:
    try:
        original = stage.classic(frame)
        expected = _columns(original)
    except Exception as error:
        return Trial(name, STOPPED, _told(error), source)
    try:
        tree = stage.captured(frame)
        text = to_sql(tree)
    except CaptureError as error:
        return Trial(name, REFUSED, error.message, source)
    except Exception as error:
        return Trial(name, FAILED, f"capture: {_told(error)}", source)
    try:
        again = spark.sql(text)
        found = _columns(again)
    except Exception as error:
        return Trial(name, FAILED, f"analysis: {_told(error)}\n{text}", source)
    if found != expected:
        return Trial(name, FAILED, f"columns: {expected}, not {found}\n{text}", source)
    if tuple(column for column, _ in expected) != tree.schema.names:
        return Trial(name, FAILED, f"names: {expected}, not {tree.schema.names}", source)
    if with_rows:
        answers = Answers(_given)
        wanted, given = answers.of(original), answers.of(again)
        if wanted != given:
            return Trial(name, FAILED, f"rows: {wanted}, not {given}\n{text}", source)
    return Trial(name, EQUAL, "", source)


def _columns(frame: DataFrame) -> list[tuple[str, str]]:
    """Names and types; rows in a text have no NOT NULL of their own."""
    return [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]


def _given(frame: DataFrame) -> Counter[Any] | str:
    """The rows, whatever their order; or the error they end with."""
    try:
        return Counter(rows(frame))
    except Exception as error:
        condition = _CONDITION.search(str(error))
        return f"the error {condition[1] if condition else first_line(error)}"


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {first_line(error)}"[:300]
