"""What is told from a query without Spark is what Spark's parser tells from one."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from pyspark.errors import ParseException

from tests.operations.test_only_queries import QUERIES, SCRIPTS, STATEMENTS
from viewscribe.errors import ValidationError
from viewscribe.operations.only_queries import require_query

PIECES = ("--\\\n", "/* /* */", "*/", "R'\\'", "'\\''", '"', "`", "$$", "(", ")", "SELECT 1", "\n")
HEADS = ("WITH a AS (SELECT 1", "FROM t", "", "SELECT 1")
TAILS = ("INSERT INTO t SELECT 1", ") INSERT INTO t SELECT 1", "DROP TABLE t")


def generated() -> list[str]:
    """Every head with every two pieces and every tail that would change something."""
    return [
        f"{head} {one} {other} {tail}"
        for head in HEADS
        for one in PIECES
        for other in PIECES
        for tail in TAILS
    ]


def changes_something(parser: Any, text: str) -> bool:
    """Whether Spark takes the text for a command or an INSERT; no error is no query either."""
    try:
        plan = parser.parsePlan(text)
    except ParseException:  # as PySpark tells those of the JVM
        return False
    shown = plan.toString()
    names = ("InsertInto", "Drop", "Update", "Delete", "Merge", "Compound", "Set", "AddJar")
    return any(name in shown for name in names) or "Script" in shown


def refused(text: str) -> bool:
    try:
        require_query(text)
    except ValidationError:
        return True
    return False


@pytest.mark.parametrize("text", QUERIES)
def test_spark_takes_the_queries_for_queries(spark: Any, text: str) -> None:
    assert not changes_something(spark._jsparkSession.sessionState().sqlParser(), text)


@pytest.mark.slow("Spark parses each of the generated texts")
def test_nothing_passes_that_spark_would_carry_out(spark: Any) -> None:
    """Spark is asked of what passes; of what does not, until the texts are seen to try."""
    parser = spark._jsparkSession.sessionState().sqlParser()
    texts = [*STATEMENTS, *SCRIPTS, *generated()]
    passed = [text for text in texts if not refused(text)]
    assert [text for text in passed if changes_something(parser, text)] == []
    carried_out = (text for text in texts if changes_something(parser, text))
    assert len([*islice(carried_out, 20)]) == 20, "Spark takes none of the texts"
