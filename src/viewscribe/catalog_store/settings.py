"""The allow-list of Spark settings in documents: those that the meaning of a query depends on.

A document may come from anyone, and a setting can name programs to run, classes to load and servers
to connect to. So no other setting is ever taken from a document.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
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
"""Those settings with Spark's defaults.

The time zone is the exception. Spark's default is the machine's, which would change the meaning of
a view from machine to machine, so the default here is UTC.
"""


def not_stored(spark_version: str | None) -> dict[str, str]:
    """What Spark takes for settings that a view does not say: their defaults, not the session's.

    ANSI mode is off in views that are older than its being the default.

    Args:
        spark_version: that of the Spark that made the view; None where none did, as Hive.
    """
    major = (spark_version or "").partition(".")[0]
    is_new = major.isdecimal() and len(major) < 4 and int(major) >= 4
    return {"spark.sql.ansi.enabled": "true" if is_new else "false"}


_BOOLEAN = r"true|false"

_SWITCHES = """
analyzer.lowerEmptyGroupingSetToGlobalAggregate.enabled
ansi.doubleQuotedIdentifiers ansi.enabled ansi.enforceReservedKeywords ansi.relationPrecedence
caseSensitive charAsVarchar collation.allowInMapKeys crossJoin.enabled
decimalOperations.allowPrecisionLoss function.concatBinaryAsString function.eltOutputAsString
groupByAliases groupByOrdinal
jsonGenerator.ignoreNullFields jsonGenerator.writeNullIfWithDefaultValue
lateralColumnAlias.enableImplicitResolution legacy.allowHashOnMapType
legacy.allowNegativeScaleOfDecimal legacy.allowNullComparisonResultInArraySort
legacy.allowParameterlessCount legacy.allowStarWithSingleTableIdentifierInCount
legacy.allowZeroIndexInFormatString legacy.bangEqualsNot legacy.castComplexTypesToString.enabled
legacy.charVarcharAsString legacy.codingErrorAction legacy.collationAwareHashFunctions
legacy.consecutiveStringLiterals.enabled
legacy.createEmptyCollectionUsingStringType legacy.csv.enableDateTimeParsingFallback
legacy.cteDuplicateAttributeNames legacy.decimal.retainFractionDigitsOnTruncate
legacy.disableMapKeyNormalization legacy.doLooseUpcast legacy.duplicateBetweenInput
legacy.exponentLiteralAsDecimal.enabled legacy.followThreeValuedLogicInArrayExists
legacy.fromDayTimeString.enabled legacy.groupingIdWithAppendedUserGroupBy
legacy.histogramNumericPropagateInputType legacy.identifierClause legacy.inSubqueryNullability
legacy.integerGroupingId
legacy.interval.enabled legacy.javaCharsets legacy.json.allowEmptyString.enabled
legacy.json.enableDateTimeParsingFallback legacy.literal.pickMinimumPrecision
legacy.lpadRpadAlwaysReturnString legacy.negativeIndexInArrayInsert legacy.noCharPaddingInPredicate
legacy.nullInEmptyListBehavior legacy.parser.havingWithoutGroupByAsWhere
legacy.percentileDiscCalculation legacy.raiseErrorWithoutErrorClass
legacy.scalarSubqueryAllowGroupByNonEqualityCorrelatedPredicate
legacy.scalarSubqueryCountBugBehavior legacy.setopsPrecedence.enabled legacy.sizeOfNull
legacy.statisticalAggregate legacy.truncateForEmptyRegexSplit
legacy.typeCoercion.datetimeToString.enabled orderByOrdinal parser.escapedStringLiterals
parser.quotedRegexColumnNames parser.singleCharacterPipeOperator.enabled preserveCharVarcharTypeInfo
readSideCharPadding stableDerivedColumnAlias.enabled timeType.enabled variant.allowDuplicateKeys
"""

_CHOICES = {
    "binaryOutputStyle": "UTF-?8|BASIC|BASE64|HEX|HEX_DISCRETE",
    "functionResolution.sessionOrder": "first|second|last",
    "legacy.ctePrecedencePolicy": "EXCEPTION|LEGACY|CORRECTED",
    "legacy.timeParserPolicy": "EXCEPTION|LEGACY|CORRECTED",
    "mapKeyDedupPolicy": "EXCEPTION|LAST_WIN",
    "pivotMaxValues": r"\d{1,9}",
    "session.timeZone": r"[A-Za-z0-9_+\-/:]{1,64}",
    "storeAssignmentPolicy": "ANSI|LEGACY|STRICT",
    "timestampType": "TIMESTAMP_LTZ|TIMESTAMP_NTZ",
    "variable.substitute": "false",
}

_VALUES = {**dict.fromkeys(_SWITCHES.split(), _BOOLEAN), **_CHOICES}

ALLOWED_SETTINGS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        f"spark.sql.{name}": re.compile(_VALUES[name], re.IGNORECASE | re.ASCII)
        for name in sorted(_VALUES)
    }
)
"""The settings that a document may contain, and their allowed values."""


@lru_cache(maxsize=4096)
def is_allowed(name: str, value: str) -> bool:
    """Returns whether a document may contain a setting with this value."""
    values = ALLOWED_SETTINGS.get(name)
    return values is not None and values.fullmatch(value) is not None


def allowed_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Filters the settings that Spark stores with its own views by the allow-list.

    Spark stores nearly every setting of the session; most only affect execution.
    """
    return {name: value for name, value in settings.items() if is_allowed(name, value)}
