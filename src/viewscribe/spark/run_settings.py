"""The settings that Spark reads only when a query runs, whatever they were when it was analyzed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pyspark.sql import SparkSession

from viewscribe.serializer.targets import SettingsWarning
from viewscribe.spark.session import differing_settings

READ_WHEN_RUN: Final = frozenset(
    f"spark.sql.{name}"
    for name in (
        "jsonGenerator.ignoreNullFields",
        "jsonGenerator.writeNullIfWithDefaultValue",
        "legacy.castComplexTypesToString.enabled",
        "legacy.collationAwareHashFunctions",
        "legacy.csv.enableDateTimeParsingFallback",
        "legacy.json.allowEmptyString.enabled",
        "legacy.json.enableDateTimeParsingFallback",
        "legacy.timeParserPolicy",
        "legacy.truncateForEmptyRegexSplit",
        "mapKeyDedupPolicy",
    )
)
"""No DataFrame and no view keeps them, not even one of Spark's own."""


TIME_ZONE: Final = "spark.sql.session.timeZone"
"""Read late as well, but by little: see ``zone_readers``."""


def warn_of_run_settings(
    spark: SparkSession,
    what: str,
    wanted: Mapping[str, str],
    find_zone_reader: Callable[[], str | None],
) -> None:
    """Warns where the session has such a setting otherwise than a document.

    Args:
        spark: the session that a query will run in.
        what: the query, for the message.
        wanted: the settings of its document; the others have Spark's defaults in it.
        find_zone_reader: says what in the query reads the time zone when it runs.

    Warns:
        SettingsWarning: for each such setting.
    """
    for told in run_settings_told(spark, what, wanted, find_zone_reader):
        warnings.warn(told, SettingsWarning, stacklevel=3)


def run_settings_told(
    spark: SparkSession,
    what: str,
    wanted: Mapping[str, str],
    find_zone_reader: Callable[[], str | None],
) -> Iterator[str]:
    """Says the same of each such setting, for a report."""
    for name, (here, there) in differing_settings(spark, wanted).items():
        reader = find_zone_reader() if name == TIME_ZONE else None
        if name in READ_WHEN_RUN or reader is not None:
            why = f", for {reader}" if reader is not None else ""
            yield (
                f"{what} is meant for {name} = {here}, and the session has {there}: Spark reads "
                f"it when the query runs{why}. Set it while it does: spark.conf.set({name!r}, …)"
            )
