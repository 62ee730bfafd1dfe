"""Settings of a session that decide how Spark reads a text, and those that are not followed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

import msgspec

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.nodes import Literal
from viewscribe.operations.required_settings import TIME_TYPE
from viewscribe.parser.grammar import LENGTHS, Reading

READ = {
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.ansi.relationPrecedence": "false",
    "spark.sql.analyzer.lowerEmptyGroupingSetToGlobalAggregate.enabled": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.function.concatBinaryAsString": "false",
    "spark.sql.function.eltOutputAsString": "false",
    "spark.sql.functionResolution.sessionOrder": "second",
    "spark.sql.lateralColumnAlias.enableImplicitResolution": "true",
    "spark.sql.legacy.allowNegativeScaleOfDecimal": "false",
    "spark.sql.legacy.consecutiveStringLiterals.enabled": "false",
    "spark.sql.legacy.createEmptyCollectionUsingStringType": "false",
    "spark.sql.legacy.duplicateBetweenInput": "false",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "false",
    "spark.sql.legacy.fromDayTimeString.enabled": "false",
    "spark.sql.legacy.histogramNumericPropagateInputType": "true",
    "spark.sql.legacy.identifierClause": "false",
    "spark.sql.legacy.interval.enabled": "false",
    "spark.sql.legacy.literal.pickMinimumPrecision": "true",
    "spark.sql.legacy.lpadRpadAlwaysReturnString": "false",
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere": "false",
    "spark.sql.legacy.raiseErrorWithoutErrorClass": "false",
    "spark.sql.legacy.setopsPrecedence.enabled": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.parser.singleCharacterPipeOperator.enabled": "true",
    "spark.sql.stableDerivedColumnAlias.enabled": "false",
}
"""The settings that change what a text means, and the value with which it is read."""

OF_PARSER = (
    "spark.sql.ansi.enforceReservedKeywords",
    "spark.sql.ansi.relationPrecedence",
    "spark.sql.legacy.consecutiveStringLiterals.enabled",
    "spark.sql.legacy.identifierClause",
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere",
    "spark.sql.legacy.setopsPrecedence.enabled",
    "spark.sql.parser.quotedRegexColumnNames",
    "spark.sql.parser.singleCharacterPipeOperator.enabled",
)
"""Those among them with which Spark's parser itself makes another tree of a text."""

CROSS_JOINS = "spark.sql.crossJoin.enabled"

READING = (
    "spark.sql.parser.escapedStringLiterals",
    "spark.sql.ansi.doubleQuotedIdentifiers",
    "spark.sql.ansi.enabled",
    "spark.sql.session.timeZone",
    "spark.sql.groupByAliases",
    "spark.sql.groupByOrdinal",
    "spark.sql.orderByOrdinal",
    "spark.sql.legacy.ctePrecedencePolicy",
    TIME_TYPE,
    CROSS_JOINS,
    LENGTHS,
)
"""The settings with which a text is read in another way, and rightly so."""

_POLICY = "spark.sql.legacy.ctePrecedencePolicy"
WRITTEN_LENGTH = re.compile(r"\b(?:var)?char(?:acter)?\s*\(", re.IGNORECASE)
"""A type with a length, as text has it."""


def refuse_settings(settings: Mapping[str, str], text: str = "") -> None:
    """Refuses settings with which a text would mean something else to Spark.

    Args:
        settings: those of the session or view.
        text: the text, for what only matters where it stands in it.

    Raises:
        NotSerializableError: one has such a value.
    """
    if settings.get(LENGTHS, "").strip().lower() == "true" and WRITTEN_LENGTH.search(text):
        raise NotSerializableError(
            f"casts to CHAR and VARCHAR are not read with {LENGTHS} = true: they pad or check",
            hint="set it to false",
        )
    _refuse(settings, READ)


def refuse_parser_settings(settings: Mapping[str, str]) -> None:
    """Refuses settings with which Spark's parser would find other names in a text.

    Raises:
        NotSerializableError: one has such a value.
    """
    _refuse(settings, OF_PARSER)


def _refuse(settings: Mapping[str, str], names: Collection[str]) -> None:
    for name, value in settings.items():
        known = READ[name] if name in names else None
        if known is not None and value != known and value.strip().lower() != known.lower():
            raise NotSerializableError(
                f"SQL text is not read with {name} = {value}: it would mean something else",
                hint=f"set it to {known}",
            )


def _is_on(settings: Mapping[str, str], name: str) -> bool:
    """Whether a setting is true, in whatever case: Spark takes TRUE as well."""
    return settings[name].strip().lower() == "true"


def _is_off(settings: Mapping[str, str], name: str) -> bool:
    return settings[name].strip().lower() == "false"


def make_reading(
    settings: Mapping[str, str],
    named: Mapping[str, Literal] | None = None,
    placed: Sequence[Literal] = (),
) -> Reading:
    """How a text is read with the settings of a session or view.

    Args:
        settings: the settings.
        named: the values of its parameters by name.
        placed: those of ``?``, in order.
    """
    plain = _read_with(tuple(map(settings.get, READING)))
    if not named and not placed:
        return plain
    return msgspec.structs.replace(plain, named=named or {}, placed=placed)


@lru_cache(maxsize=1024)
def _read_with(values: tuple[str | None, ...]) -> Reading:
    """How a text without parameters is read with these values of the settings in ``READING``."""
    given = dict(zip(READING, values, strict=True))  # no other setting may be asked for below
    settings = {name: given[name] or "" for name in READING}
    return Reading(
        raw_strings=_is_on(settings, "spark.sql.parser.escapedStringLiterals"),
        quoted_names=_is_on(settings, "spark.sql.ansi.doubleQuotedIdentifiers")
        and not _is_off(settings, "spark.sql.ansi.enabled"),
        zone=given["spark.sql.session.timeZone"],
        group_places=not _is_off(settings, "spark.sql.groupByOrdinal"),
        group_aliases=not _is_off(settings, "spark.sql.groupByAliases"),
        order_places=not _is_off(settings, "spark.sql.orderByOrdinal"),
        lengths=_is_on(settings, LENGTHS),
        cte_policy=(given[_POLICY] or "CORRECTED").strip().upper(),
        time=not _is_off(settings, TIME_TYPE),
        cross_joins=not _is_off(settings, CROSS_JOINS),
    )
