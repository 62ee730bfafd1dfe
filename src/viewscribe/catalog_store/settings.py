"""The Spark session settings that the meaning of a stored query depends on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DEFAULT_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "spark.sql.ansi.doubleQuotedIdentifiers": "false",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.caseSensitive": "false",
        "spark.sql.decimalOperations.allowPrecisionLoss": "true",
        "spark.sql.legacy.timeParserPolicy": "CORRECTED",
        "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
        "spark.sql.parser.escapedStringLiterals": "false",
        "spark.sql.parser.quotedRegexColumnNames": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.timestampType": "TIMESTAMP_LTZ",
    }
)
"""Those settings with Spark's own defaults.

The time zone is the exception: Spark takes the machine's, which would make a view mean something
else on every machine, so a view without a time zone of its own is meant in UTC.
"""
