"""DataFrames, and stored views of PySpark, against approved files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.snapshots.conftest import Run

pytest_plugins = ["pytester"]

TESTS = """
    import viewscribe as vs

    def frame(spark):
        spark.sql("CREATE TABLE IF NOT EXISTS t (a INT, b STRING) USING parquet")
        return spark.table("t").where("a > 1 AND b = 'x'").select("a")

    def test_frame(spark, view_snapshot):
        assert frame(spark) == view_snapshot

    def test_saved(spark, view_snapshot, tmp_path):
        (tmp_path / "views").mkdir()
        saved = vs.save_view(frame(spark), "v", catalog=f"file:{tmp_path}/views")
        assert saved == view_snapshot(name="saved")
"""


@pytest.mark.spark
@pytest.mark.slow("starts Spark three times")
def test_dataframes(run: Run, write: Callable[[str, str], Path]) -> None:
    path = write("test_frames.py", TESTS)
    run("--snapshot-update").assert_outcomes(passed=2)
    path.write_text(path.read_text().replace("a > 1 AND b = 'x'", "b = 'x' AND a > 1"))
    result = run("-k", "frame")
    result.stdout.fnmatch_lines(["E *verdict: same meaning *"])
    path.write_text(path.read_text().replace("a > 1", "a > 2"))
    result = run("--viewscribe-prove")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["different *"])
