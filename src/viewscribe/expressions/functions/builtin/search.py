"""Searching text: positions, prefixes, regular expressions."""

from __future__ import annotations

from viewscribe.expressions.functions.constants import every_check, number_where
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import SEARCHED
from viewscribe.expressions.functions.newer_forms import with_arguments
from viewscribe.expressions.functions.syntax import template
from viewscribe.types import BOOLEAN, INT, ArrayType, BinaryType, LogicalType


def _of_binary_nullable(context: CallContext) -> LogicalType:
    """Spark types the result as nullable wherever both arguments are BINARY."""
    binary = all(isinstance(type_, BinaryType) for type_ in context.types)
    return BOOLEAN.with_nullability(binary or context.any_nullable)


def _parts(context: CallContext) -> LogicalType:
    return ArrayType(element=context.types[0].not_null(), nullable=context.any_nullable)


def _matches(context: CallContext) -> LogicalType:
    return ArrayType(element=context.types[0].as_nullable(), nullable=context.any_nullable)


def _can_be_searched(context: CallContext) -> None:
    """Whether the text is of a collation that Java looks through, once its texts have one."""
    if not SEARCHED.accepts(context.types[0]):
        raise context.mismatch(f"no regular expression looks through {context.types[0].ddl}")


def _place(context: CallContext) -> LogicalType:
    """The place is known wherever both texts are: a NULL start counts as none."""
    return INT.with_nullability(context.types[0].nullable or context.types[1].nullable)


STARTSWITH = scalar("""startswith(str: TEXT_OR_BINARY, prefix: TEXT_OR_BINARY)
    Whether the text starts with another.
    since 3.3.0, method starts_with, class StartsWith, collated, searches text, never fails
    """).where(returns=_of_binary_nullable)
ENDSWITH = scalar("""endswith(str: TEXT_OR_BINARY, suffix: TEXT_OR_BINARY)
    Whether the text ends with another.
    since 3.3.0, method ends_with, class EndsWith, collated, searches text, never fails
    """).where(returns=_of_binary_nullable)
CONTAINS = scalar("""contains(left: TEXT_OR_BINARY, right: TEXT_OR_BINARY)
    Whether the text contains another.
    since 3.3.0, collated, searches text, never fails""").where(returns=_of_binary_nullable)
POSITION = scalar("""position(substr: STRING, str: STRING, start: INT = 1)
    The place (from 1) of the first text in the second, from a position on; 0 if nowhere.
    since 2.3.0, no class, collated, searches text
    """).where(returns=_place, syntax=template("position({0} IN {1})"))
LOCATE = scalar("""locate(text(STRING), STRING, INT = 1)
    The place (from 1) of the first text in the second, from a position on; 0 if nowhere.
    since 1.5.0, class StringLocate, collated, searches text""").where(returns=_place)
INSTR = scalar("""instr(str: STRING, substr: text(STRING), start: INT?, occurrence: INT = 1) -> INT
    The place (from 1) of the second text in the first, of the match counted from a position on
    (backwards from a negative one); 0 if nowhere.
    since 1.5.0, class StringInstr StringInstrWithOccurrence, collated, searches text, never fails
    """).where(newer_form=with_arguments(3, "4.3.0"))
SPLIT = scalar("""split(SEARCHED, text(PATTERN), INT = -1)
    The parts between matches of a regular expression, at most a number of them.
    since 1.5.0, class StringSplit, own collations""").where(returns=_parts)
REGEXP_REPLACE = scalar("""regexp_replace(string: STRING, pattern: text(STRING),
        replacement: text(STRING), position: literal(INT) = 1) -> $0
    The text with every match of a regular expression replaced.
    since 1.5.0, class RegExpReplace, collated""").where(
    check=every_check(
        _can_be_searched,
        number_where(3, "a place from 1 on", lambda place: place > 0, or_null=True),
    )
)
REGEXP_EXTRACT = scalar("""regexp_extract(str: SEARCHED, pattern: text(PATTERN), idx: INT = 1) -> $0
    What a group (by default the first) of the first match holds; empty without a match.
    since 1.5.0, class RegExpExtract, own collations""")
REGEXP_EXTRACT_ALL = scalar("""regexp_extract_all(str: SEARCHED, regexp: text(PATTERN),
        idx: INT = 1)
    What a group (by default the first) of every match holds.
    since 3.1.0, class RegExpExtractAll, own collations""").where(returns=_matches)
REGEXP_SUBSTR = scalar("""regexp_substr(str: SEARCHED, regexp: PATTERN) -> $0?
    The first match of a regular expression, or NULL.
    since 3.4.0, class RegExpSubStr, own collations""")
REGEXP_INSTR = scalar("""regexp_instr(str: SEARCHED, regexp: PATTERN, idx: INT = 0) -> INT
    The place (from 1) of the first match of a regular expression; 0 if there is none.
    since 3.4.0, class RegExpInStr, own collations""")
REGEXP_COUNT = scalar("""regexp_count(str: SEARCHED, regexp: PATTERN) -> INT
    The number of matches of a regular expression.
    since 3.4.0, class RegExpCount, own collations""")
