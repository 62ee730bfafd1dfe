"""What reads the session's time zone when it runs is told of, and nothing else."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe.serializer.targets import SettingsWarning

ZONE = "spark.sql.session.timeZone"
LATE = [
    "current_timezone()",
    "convert_timezone('America/Lima', TIMESTAMP_NTZ '2024-01-01 00:00:00')",
    "concat('(', CURRENT_TIMEZONE ( ), ')')",
    "spark_catalog.default.zone()",
]
KEPT = [
    "convert_timezone('America/Lima', 'Asia/Tokyo', TIMESTAMP_NTZ '2024-01-01 00:00:00')",
    "'current_timezone()'",
    "date_trunc('DAY', at)",
    "CAST(at AS STRING)",
    "to_json(struct(at))",
    "from_unixtime(0)",
    "window(at, '1 day').start",
    "CAST(CAST(CAST(at AS STRING) AS VARIANT) AS TIMESTAMP)",
    "make_timestamp(2024, 1, 1, 0, 0, 0)",
    "unix_timestamp('2024-01-01', 'yyyy-MM-dd')",
]


@pytest.fixture
def env(tmp_path: Path) -> vs.TableEnvironment:
    made = vs.TableEnvironment.open(f"file:{tmp_path}/views")
    made.create_database("default", if_not_exists=True)
    made.execute_sql("CREATE FUNCTION zone() RETURNS STRING RETURN current_timezone()")
    return made


@pytest.fixture
def abroad(spark: Any) -> Any:
    made = spark.newSession()
    made.conf.set(ZONE, "Asia/Tokyo")
    return made


def _opened(env: vs.TableEnvironment, spark: Any) -> list[Any]:
    opened = vs.open_view(env, "default.late", spark, formats=["xml"])
    return sorted(map(tuple, opened.collect()))


@pytest.mark.parametrize("expression", LATE)
def test_told_of_calls(spark: Any, abroad: Any, env: vs.TableEnvironment, expression: str) -> None:
    env.create_view("late", env.sql_query(f"SELECT {expression} AS r"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SettingsWarning)
        here = _opened(env, spark)
    with pytest.warns(SettingsWarning, match=f"late is meant for {ZONE} = UTC.* it when .*, for"):
        assert _opened(env, abroad) != here
    with pytest.warns(SettingsWarning, match=f"the pipeline is meant for {ZONE} = UTC"):
        env.view_table("late").to_dataframe(abroad)


@pytest.mark.parametrize("expression", KEPT)
def test_not_told_of_what_keeps_its_zone(
    spark: Any, abroad: Any, env: vs.TableEnvironment, expression: str
) -> None:
    rows = "VALUES (TIMESTAMP '2024-01-01 00:30:00Z') AS t(at)"
    env.create_view("late", env.sql_query(f"SELECT {expression} AS r FROM {rows}"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SettingsWarning)
        assert _opened(env, abroad) == _opened(env, spark)
        env.view_table("late").to_dataframe(abroad)


FILES = [
    ("csv", "1,2024-01-01 00:00:00", {}),
    ("xml", "<row><n>1</n><at>2024-01-01 00:00:00</at></row>", {"rowTag": "row"}),
    ("json", '{"n": 1, "at": "2024-01-01 00:00:00"}', {}),
    ("csv", "1,2024-01-01 00:00:00", {"timeZone": "UTC"}),
    ("csv", "1,2024-01-01 00:00:00Z", {"TIMEZONE": "UTC"}),
]


@pytest.mark.parametrize(("format_", "line", "options"), FILES)
def test_told_of_times_in_files_of_text(
    spark: Any,
    abroad: Any,
    env: vs.TableEnvironment,
    tmp_path: Path,
    format_: str,
    line: str,
    options: dict[str, str],
) -> None:
    """Also where a view reads them that the opened one reads."""
    data = tmp_path / "data"
    data.mkdir()
    (data / f"part.{format_}").write_text(line + "\n")
    times, inner = f"times_{tmp_path.name}", f"inner_{tmp_path.name}"  # the session keeps them
    env.create_table(
        times, "n INT, at TIMESTAMP", format=format_, location=str(data), options=options
    )
    shown = env.from_path(times).select("n", col("at").cast("STRING").alias("s"))
    env.create_view(inner, shown)
    env.create_view("late", env.from_path(inner).select("s"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SettingsWarning)
        here = _opened(env, spark)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", SettingsWarning)
        is_same = _opened(env, abroad) == here
    has_zone = "timezone" in map(str.lower, options)
    assert is_same == has_zone
    late = [str(each.message) for each in told if each.category is SettingsWarning]
    assert len(late) == (not has_zone)
    assert all(
        f"{inner} is meant for" in each and "times in spark_catalog" in each for each in late
    )
    tree = env.with_settings({ZONE: "UTC"}).sql_query(
        f"SELECT n FROM {times} WHERE n IN (SELECT n FROM {times})"
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", SettingsWarning)
        tree.to_dataframe(abroad)
    late = [str(each.message) for each in told if each.category is SettingsWarning]
    assert ["for times in file:" in each for each in late] == [True] * (not has_zone)


def test_told_of_times_in_paths_of_partitions(
    spark: Any, abroad: Any, env: vs.TableEnvironment, tmp_path: Path
) -> None:
    """Their texts have no zone either, whatever the format of the files."""
    rows = spark.sql("SELECT 1 AS n, TIMESTAMP '2024-01-01 00:00:00' AS at")
    rows.write.partitionBy("at").parquet(str(tmp_path / "data"))
    times = f"times_{tmp_path.name}"
    env.create_table(
        times,
        "n INT, at TIMESTAMP",
        format="parquet",
        location=str(tmp_path / "data"),
        partitioned_by=("at",),
    )
    env.create_view("late", env.from_path(times).select("n", col("at").cast("STRING").alias("s")))
    here = _opened(env, spark)
    assert here == [(1, "2024-01-01 00:00:00")]
    with pytest.warns(SettingsWarning, match="for times in"):
        assert _opened(env, abroad) != here
