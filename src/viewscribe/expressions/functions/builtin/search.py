"""Searching text: positions, prefixes, regular expressions."""

from __future__ import annotations

from viewscribe.expressions.functions.collation_groups import every_text
from viewscribe.expressions.functions.constants import every_check, number_where
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import PATTERN, SEARCHED, TEXT_OR_BINARY
from viewscribe.expressions.functions.newer_forms import with_arguments
from viewscribe.expressions.functions.outputs import always_nullable, argument
from viewscribe.expressions.functions.syntax import template
from viewscribe.expressions.functions.validators import literal, text
from viewscribe.types import BOOLEAN, INT, STRING, ArrayType, BinaryType, LogicalType


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


STARTSWITH = scalar(
    "startswith",
    never_fails=True,
    args=(TEXT_OR_BINARY, TEXT_OR_BINARY),
    parameter_names=("str", "prefix"),
    returns=_of_binary_nullable,
    methods=("starts_with",),
    catalyst="StartsWith",
    collated=every_text,
    searches_text=True,
    since="3.3.0",
    doc="Whether the text starts with another.",
)
ENDSWITH = scalar(
    "endswith",
    never_fails=True,
    args=(TEXT_OR_BINARY, TEXT_OR_BINARY),
    parameter_names=("str", "suffix"),
    returns=_of_binary_nullable,
    methods=("ends_with",),
    catalyst="EndsWith",
    collated=every_text,
    searches_text=True,
    since="3.3.0",
    doc="Whether the text ends with another.",
)
CONTAINS = scalar(
    "contains",
    never_fails=True,
    args=(TEXT_OR_BINARY, TEXT_OR_BINARY),
    parameter_names=("left", "right"),
    returns=_of_binary_nullable,
    collated=every_text,
    searches_text=True,
    since="3.3.0",
    doc="Whether the text contains another.",
)
POSITION = scalar(
    "position",
    args=(STRING, STRING, INT),
    optional=1,
    parameter_names=("substr", "str", "start"),
    returns=_place,
    syntax=template("position({0} IN {1})"),
    catalyst=(),
    collated=every_text,
    searches_text=True,
    since="2.3.0",
    defaults=("1",),
    doc="The place (from 1) of the first text in the second, from a position on; 0 if nowhere.",
)
LOCATE = scalar(
    "locate",
    args=(text(STRING), STRING, INT),
    optional=1,
    returns=_place,
    catalyst="StringLocate",
    collated=every_text,
    searches_text=True,
    since="1.5.0",
    defaults=("1",),
    doc="The place (from 1) of the first text in the second, from a position on; 0 if nowhere.",
)
INSTR = scalar(
    "instr",
    never_fails=True,
    args=(STRING, text(STRING), INT, INT),
    optional=2,
    parameter_names=("str", "substr", "start", "occurrence"),
    returns=INT,
    catalyst=("StringInstr", "StringInstrWithOccurrence"),
    newer_form=with_arguments(3, "4.3.0"),
    collated=every_text,
    searches_text=True,
    since="1.5.0",
    defaults=("1",),
    doc="The place (from 1) of the second text in the first, of the match counted from a "
    "position on (backwards from a negative one); 0 if nowhere.",
)
SPLIT = scalar(
    "split",
    args=(SEARCHED, text(PATTERN), INT),
    optional=1,
    returns=_parts,
    catalyst="StringSplit",
    since="1.5.0",
    defaults=("-1",),
    doc="The parts between matches of a regular expression, at most a number of them.",
)
REGEXP_REPLACE = scalar(
    "regexp_replace",
    args=(STRING, text(STRING), text(STRING), literal(INT)),
    optional=1,
    check=every_check(
        _can_be_searched,
        number_where(3, "a place from 1 on", lambda place: place > 0, or_null=True),
    ),
    parameter_names=("string", "pattern", "replacement", "position"),
    returns=argument(0),
    catalyst="RegExpReplace",
    collated=every_text,
    since="1.5.0",
    defaults=("1",),
    doc="The text with every match of a regular expression replaced.",
)
REGEXP_EXTRACT = scalar(
    "regexp_extract",
    args=(SEARCHED, text(PATTERN), INT),
    optional=1,
    parameter_names=("str", "pattern", "idx"),
    returns=argument(0),
    catalyst="RegExpExtract",
    since="1.5.0",
    defaults=("1",),
    doc="What a group (by default the first) of the first match holds; empty without a match.",
)
REGEXP_EXTRACT_ALL = scalar(
    "regexp_extract_all",
    args=(SEARCHED, text(PATTERN), INT),
    optional=1,
    parameter_names=("str", "regexp", "idx"),
    returns=_matches,
    catalyst="RegExpExtractAll",
    since="3.1.0",
    defaults=("1",),
    doc="What a group (by default the first) of every match holds.",
)
REGEXP_SUBSTR = scalar(
    "regexp_substr",
    args=(SEARCHED, PATTERN),
    parameter_names=("str", "regexp"),
    returns=always_nullable(argument(0)),
    catalyst="RegExpSubStr",
    since="3.4.0",
    doc="The first match of a regular expression, or NULL.",
)
REGEXP_INSTR = scalar(
    "regexp_instr",
    args=(SEARCHED, PATTERN, INT),
    optional=1,
    parameter_names=("str", "regexp", "idx"),
    returns=INT,
    catalyst="RegExpInStr",
    since="3.4.0",
    defaults=("0",),
    doc="The place (from 1) of the first match of a regular expression; 0 if there is none.",
)
REGEXP_COUNT = scalar(
    "regexp_count",
    args=(SEARCHED, PATTERN),
    parameter_names=("str", "regexp"),
    returns=INT,
    catalyst="RegExpCount",
    since="3.4.0",
    doc="The number of matches of a regular expression.",
)
