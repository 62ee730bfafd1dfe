"""One example of every function, out of Spark's own documentation, as rows of the table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tests.oracle.documentation import documented_examples
from tests.truth.rows import FOLDER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILE = FOLDER / "documented.txt"

_ITEM = re.compile(r"SELECT\s+(.*)", re.IGNORECASE)


def write(spark: SparkSession) -> None:
    """Writes a line for each function that has an example without settings."""
    found = dict.fromkeys(_lines(spark))
    FILE.write_text("".join(f"{line}\n" for line in sorted(found)), encoding="utf-8")


def _lines(spark: SparkSession) -> Iterator[str]:
    have: set[str] = set()
    for example, functions in documented_examples(spark).items():
        plain = not example.settings and "\n" not in example.text and "\t" not in example.text
        if plain and not have.issuperset(functions):
            have.update(functions)
            yield _line(spark, example.text)


def _line(spark: SparkSession, text: str) -> str:
    """One item of a select where it is that, so that many can be asked for at once."""
    item = _ITEM.fullmatch(text)
    try:
        frame: Any = spark.sql(text)
        plan = frame._jdf.queryExecution().analyzed()
        one = len(frame.columns) == 1 and plan.nodeName() == "Project"
        plain = one and plan.child().nodeName() == "OneRowRelation"
    except Exception:
        return text
    return item[1] if item is not None and plain else text
