"""Asks Spark anew for all answers of the table of truth: ``make truth``."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path


def main(chosen: list[str]) -> None:
    """Records all areas anew, or of those that are named what is new, with a Spark of its own."""
    from tests.local_spark import spark_session
    from tests.spark.capture.planner import OfflineSession, Planner
    from tests.truth import documented
    from tests.truth.answers import Questions, plain_errors, recorded, stamp, write
    from tests.truth.rows import areas
    from tests.truth.world import tables

    with tempfile.TemporaryDirectory() as folder:
        spark = spark_session(Path(folder))
        planner = Planner(spark)
        with tables(spark), plain_errors():
            questions = Questions(spark, planner, OfflineSession(planner))
            if not chosen or "functions" in chosen:
                documented.write(spark)
            for area in chosen or areas():
                started = time.perf_counter()
                world, known = recorded(area)
                answers = questions.answers(area, known if chosen and world == stamp() else {})
                write(area, spark.version, answers)
                print(f"{area}: {len(answers)} rows, {time.perf_counter() - started:.0f} s")
        spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
