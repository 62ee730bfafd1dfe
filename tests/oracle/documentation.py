"""The examples in Spark's own documentation, read from the Spark that runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EXAMPLE = re.compile(r"^\s*> (.*?);\s*$", re.MULTILINE | re.DOTALL)
_SET = re.compile(r"SET\s+(\S+?)\s*=\s*(\S+)", re.IGNORECASE)

Settings = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A query that the documentation of a function shows, with the settings shown before it."""

    text: str
    settings: Settings = ()

    def __str__(self) -> str:
        shown = "".join(f"SET {name}={value}; " for name, value in self.settings)
        return shown + " ".join(self.text.split())


def documented_examples(spark: SparkSession) -> dict[Example, list[str]]:
    """Every example with the functions whose documentation has it."""
    found: dict[Example, list[str]] = {}
    for name in _functions(spark):
        for example in dict.fromkeys(_examples(_description(spark, name))):
            found.setdefault(example, []).append(name)
    return found


def _functions(spark: SparkSession) -> list[str]:
    return [row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()]


def _description(spark: SparkSession, function: str) -> str:
    session: Any = spark
    answer = session._jsparkSession.sql(f"DESCRIBE FUNCTION EXTENDED `{function}`")
    printer = session._jvm.org.apache.spark.sql.execution.HiveResult
    text: str = printer.hiveResultString(answer.queryExecution().executedPlan()).mkString("\n")
    return text


def _examples(description: str) -> Iterator[Example]:
    _, _, shown = description.partition("\n    Examples:\n")
    settings: dict[str, str] = {}
    for text in _EXAMPLE.findall(shown):
        setting = _SET.fullmatch(text)
        if setting is not None:
            settings[setting[1]] = setting[2]
        else:
            yield Example(text, tuple(settings.items()))
