"""Asks Spark anew for all answers of the table of truth: ``make truth``.

An older Spark is asked after the newest one, for all rows of an area: those that it answers like
the newest are not stored.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.truth.answers import Questions


def main(chosen: list[str]) -> None:
    """Records all areas anew, or of those that are named what is new, with a Spark of its own."""
    from tests.local_spark import spark_session
    from tests.spark.capture.planner import OfflineSession, Planner
    from tests.truth import documented
    from tests.truth.answers import Questions, plain_errors
    from tests.truth.rows import areas
    from tests.truth.world import tables
    from tests.versions import RUNNING

    with tempfile.TemporaryDirectory() as folder:
        spark = spark_session(Path(folder))
        planner = Planner(spark)
        with tables(spark), plain_errors():
            questions = Questions(spark, planner, OfflineSession(planner))
            if RUNNING is None and (not chosen or "functions" in chosen):
                documented.write(spark)
            for area in chosen or areas():
                started = time.perf_counter()
                found = (_others if RUNNING else _all)(questions, area, spark.version, not chosen)
                print(f"{area}: {found} answers, {time.perf_counter() - started:.0f} s")
        spark.stop()


def _all(questions: Questions, area: str, version: str, anew: bool) -> int:
    """Writes the answers of the newest version."""
    from tests.truth.answers import recorded, stamp, write

    known = recorded(area)
    current = not anew and known.stamp == stamp(area)
    answers = questions.answers(area, known.answers if current else {})
    write(area, version, answers)
    return len(answers)


def _others(questions: Questions, area: str, version: str, _: bool) -> int:
    """Writes those answers of an older version that are others than the newest one's."""
    from tests.truth.answers import recorded, write
    from tests.versions import RUNNING_LINE

    newest = recorded(area).answers
    answers = questions.answers(area, {})
    others = {key: each for key, each in answers.items() if each != newest[key]}
    write(area, version, others, RUNNING_LINE)
    return len(others)


if __name__ == "__main__":
    main(sys.argv[1:])
