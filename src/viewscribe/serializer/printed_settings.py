"""The settings that SQL is printed for, where others would make another text of it."""

from __future__ import annotations

from collections.abc import Mapping

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import SqlText
from viewscribe.operations.required_settings import needed_settings

RAW_STRINGS = "spark.sql.parser.escapedStringLiterals"

PRINTED_FOR = {
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.ansi.relationPrecedence": "false",
    "spark.sql.functionResolution.sessionOrder": "second",
    "spark.sql.groupByAliases": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.legacy.consecutiveStringLiterals.enabled": "false",
    "spark.sql.legacy.ctePrecedencePolicy": "CORRECTED",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "false",
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere": "false",
    "spark.sql.legacy.setopsPrecedence.enabled": "false",
    "spark.sql.orderByOrdinal": "true",
    RAW_STRINGS: "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
}
"""Settings that only affect parsing, with the values that SQL is printed for."""


class SettingsWarning(UserWarning):
    """A text means something else under a setting of the session that it was printed from."""


def as_printed(operation: QueryOperation, settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings with every parser setting at the value that SQL is printed for.

    Raises:
        NotSerializableError: the pipeline contains verbatim SQL that was written for another value.
    """
    found = dict(settings)
    for name, value in PRINTED_FOR.items():
        if name not in found or found[name].strip().lower() == value.lower():
            continue
        if any(isinstance(node, SqlText) for node in preorder(operation)):
            raise NotSerializableError(
                f"the pipeline holds SQL text, written for {name} = {found[name]}, and the text "
                f"around it is printed for {value}",
                hint=f"write that text for {name} = {value}, and set it so",
            )
        found[name] = value
    return found


def settings_of(operation: QueryOperation, settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings under which the text of a tree means the tree.

    Args:
        operation: the tree.
        settings: those of its environment.

    Raises:
        NotSerializableError: as ``as_printed``.
    """
    return {**needed_settings(operation), **as_printed(operation, settings)}


def warning_of(text: str, settings: Mapping[str, str]) -> str | None:
    """Says what a session with these settings would make of a text; None where it is the same."""
    if settings.get(RAW_STRINGS, "false").strip().lower() != "true" or "\\" not in text:
        return None
    return (
        f"the text is written for {RAW_STRINGS} = false, and this session has true: it would read "
        "the backslashes as they stand. A view that is saved carries the setting; to run the text "
        f'itself, spark.conf.set("{RAW_STRINGS}", "false")'
    )
