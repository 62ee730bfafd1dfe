"""Telling a user's own table parameters from reserved ones."""

from __future__ import annotations

from collections.abc import Mapping

from viewscribe.catalog_store.hosted.embedded_document import is_kept

DDL_TIME = "transient_lastDdlTime"
COMMENT = "comment"

_SYSTEM_PREFIXES = ("spark.sql.", "view.")
_SYSTEM = frozenset(
    [
        DDL_TIME, COMMENT, "EXTERNAL", "numFiles", "numRows", "rawDataSize", "totalSize",
        "numFilesErasureCoded", "COLUMN_STATS_ACCURATE", "STATS_GENERATED_VIA_STATS_TASK",
        "DO_NOT_UPDATE_STATS", "last_modified_by", "last_modified_time", "bucketing_version",
        "TRANSLATED_TO_EXTERNAL", "OBJCAPABILITIES", "serialization.format",
    ]
)  # fmt: skip


def is_own(key: str) -> bool:
    """Returns whether a parameter is the user's own."""
    return key not in _SYSTEM and not key.startswith(_SYSTEM_PREFIXES) and not is_kept(key)


def user_properties(parameters: Mapping[str, str]) -> dict[str, str]:
    """Returns the parameters that are the user's own."""
    return {key: value for key, value in parameters.items() if is_own(key)}
