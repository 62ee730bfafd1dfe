"""Text: case, length, parts, padding, joining."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.collation_groups import every_text, texts_at, texts_from
from viewscribe.expressions.functions.collation_strength import text_of
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import ANY, ARRAY_NOT_NULL, TEXT_OR_BINARY
from viewscribe.expressions.functions.newer_forms import with_type
from viewscribe.expressions.functions.outputs import (
    OutputStrategy,
    always_nullable,
    argument,
    exactly_argument,
)
from viewscribe.expressions.functions.syntax import template
from viewscribe.expressions.functions.validators import either, exactly, same_family, text
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DOUBLE,
    INT,
    STRING,
    ArrayType,
    BinaryType,
    LogicalType,
    VoidType,
)
from viewscribe.types.coercion import common_type_of

_TEXTS = ArrayType(element=STRING)


def _concat(context: CallContext) -> LogicalType:
    """Arrays make an array, only binaries make a binary, everything else is read as text."""
    types = context.types
    found: LogicalType | None
    if any(isinstance(type_, ArrayType) for type_ in types):
        found = common_type_of(types)
    elif types and all(isinstance(type_, BinaryType) for type_ in types):
        found = types[0]
    else:
        return _as_text(context, types)
    if found is None or any(isinstance(type_, VoidType) for type_ in types):
        raise context.mismatch("the arrays have no common type")
    return found.with_nullability(context.any_nullable)


def _as_text(context: CallContext, types: Sequence[LogicalType]) -> LogicalType:
    coerced = [implicit_cast(type_, STRING) for type_ in types]
    known = [type_ for type_ in coerced if type_ is not None]
    # What is no text becomes one, of the collation of the others.
    texts = [each for each, given in zip(coerced, types, strict=True) if each and text_of(given)]
    found = common_type_of(texts or [STRING])
    if found is None or len(known) < len(coerced):
        raise context.mismatch("the arguments are neither all text nor all arrays")
    return found.with_nullability(any(type_.nullable for type_ in known))


def _sentences(context: CallContext) -> LogicalType:
    words = ArrayType(element=context.types[0].not_null(), nullable=False)
    return ArrayType(element=words)


def _infer_elected(context: CallContext) -> LogicalType:
    values = context.types[1:]
    if all(isinstance(type_, BinaryType) for type_ in values):
        return BINARY
    return _as_text(context, values).as_nullable()


def _binary_if_all(*places: int) -> OutputStrategy:
    """BINARY where all of these arguments that are given are, else STRING."""

    def strategy(context: CallContext) -> LogicalType:
        given = [context.types[place] for place in places if place < len(context.types)]
        texts = [each for each in given if not isinstance(each, BinaryType)]
        return (texts[0] if texts else BINARY).with_nullability(context.any_nullable)

    return strategy


_TEXT_OR_TEXTS = either(STRING, _TEXTS)

UPPER = scalar(
    "upper",
    never_fails=True,
    args=(STRING,),
    returns=argument(0),
    aliases=("ucase",),
    methods=("upper_case",),
    since="1.0.1",
    doc="The text in upper case.",
)
LOWER = scalar(
    "lower",
    never_fails=True,
    args=(STRING,),
    returns=argument(0),
    aliases=("lcase",),
    methods=("lower_case",),
    since="1.0.1",
    doc="The text in lower case.",
)
INITCAP = scalar(
    "initcap",
    never_fails=True,
    args=(STRING,),
    returns=argument(0),
    methods=("init_cap",),
    catalyst="InitCap",
    since="1.5.0",
    doc="The text with the first letter of every word in upper case, the rest in lower case.",
)
LENGTH = scalar(
    "length",
    never_fails=True,
    args=(TEXT_OR_BINARY,),
    returns=INT,
    aliases=("len",),
    since="1.5.0",
    doc="The number of characters of a text, or of bytes of a binary.",
)
CHAR_LENGTH = scalar(
    "char_length",
    never_fails=True,
    args=(TEXT_OR_BINARY,),
    parameter_names=("str",),
    returns=INT,
    aliases=("character_length",),
    catalyst=(),
    since="2.3.0",
    doc="The number of characters of a text, or of bytes of a binary.",
)
OCTET_LENGTH = scalar(
    "octet_length", args=(TEXT_OR_BINARY,), returns=INT, since="2.3.0", doc="The number of bytes."
)
BIT_LENGTH = scalar(
    "bit_length", args=(TEXT_OR_BINARY,), returns=INT, since="2.3.0", doc="The number of bits."
)
TRIM = scalar(
    "trim",
    never_fails=True,
    args=(STRING, STRING),
    optional=1,
    parameter_names=("col", "trim"),
    returns=argument(0),
    syntax=template("trim(BOTH {1} FROM {0})"),
    catalyst="StringTrim",
    collated=every_text,
    searches_text=True,
    since="1.5.0",
    doc="The text without blanks, or the characters given, on both sides.",
)
LTRIM = scalar(
    "ltrim",
    never_fails=True,
    args=(STRING, STRING),
    optional=1,
    parameter_names=("col", "trim"),
    returns=argument(0),
    syntax=template("trim(LEADING {1} FROM {0})"),
    methods=("trim_leading",),
    catalyst="StringTrimLeft",
    collated=every_text,
    searches_text=True,
    since="1.5.0",
    doc="The text without blanks, or the characters given, on its left.",
)
RTRIM = scalar(
    "rtrim",
    never_fails=True,
    args=(STRING, STRING),
    optional=1,
    parameter_names=("col", "trim"),
    returns=argument(0),
    syntax=template("trim(TRAILING {1} FROM {0})"),
    methods=("trim_trailing",),
    catalyst="StringTrimRight",
    collated=every_text,
    searches_text=True,
    since="1.5.0",
    doc="The text without blanks, or the characters given, on its right.",
)
BTRIM = scalar(
    "btrim",
    never_fails=True,
    args=(STRING, STRING),
    optional=1,
    parameter_names=("str", "trim"),
    returns=argument(0),
    catalyst="StringTrimBoth",
    collated=every_text,
    searches_text=True,
    since="3.2.0",
    doc="The text without blanks, or the characters given, on both sides.",
)
SUBSTRING = scalar(
    "substring",
    never_fails=True,
    args=(TEXT_OR_BINARY, INT, INT),
    optional=1,
    parameter_names=("str", "pos", "len"),
    returns=argument(0),
    aliases=("substr",),
    since="1.5.0",
    defaults=("2147483647",),
    doc="The part from a position (from 1, negative from the end), of a length or to the end.",
)
SUBSTRING_INDEX = scalar(
    "substring_index",
    args=(STRING, text(STRING), INT),
    parameter_names=("str", "delim", "count"),
    returns=argument(0),
    collated=texts_at(0, 1),
    searches_text=True,
    since="1.5.0",
    doc="What lies before the n-th delimiter, or after it counted from the end where n < 0.",
)
LEFT = scalar(
    "left",
    never_fails=True,
    args=(TEXT_OR_BINARY, INT),
    parameter_names=("str", "len"),
    returns=argument(0),
    since="2.3.0",
    doc="The first characters of the text.",
)
RIGHT = scalar(
    "right",
    never_fails=True,
    args=(STRING, INT),
    parameter_names=("str", "len"),
    returns=always_nullable(argument(0)),
    since="2.3.0",
    doc="The last characters of the text.",
)
SPLIT_PART = scalar(
    "split_part",
    args=(STRING, STRING, INT),
    parameter_names=("src", "delimiter", "partNum"),
    returns=always_nullable(argument(0)),
    collated=texts_at(0, 1),
    searches_text=True,
    since="3.3.0",
    doc="The n-th part between delimiters (from 1, negative from the end).",
)
CONCAT = scalar(
    "concat",
    never_fails=True,
    args=(ANY,),
    required=0,
    variadic=True,
    returns=_concat,
    aliases=("||",),
    methods=("array_concat",),
    collated=every_text,
    since="1.5.0",
    doc="The texts, binaries or arrays joined; NULL when one of them is.",
)
CONCAT_WS = scalar(
    "concat_ws",
    never_fails=True,
    args=(text(STRING), _TEXT_OR_TEXTS),
    required=1,
    variadic=True,
    parameter_names=("sep",),
    returns=exactly_argument(0),
    collated=every_text,
    since="1.5.0",
    doc="The texts joined by a separator, NULLs left out.",
)
REPEAT = scalar(
    "repeat",
    args=(STRING, INT),
    parameter_names=("col", "n"),
    returns=argument(0),
    catalyst="StringRepeat",
    since="1.5.0",
    doc="The text a number of times.",
)
REVERSE = scalar(
    "reverse",
    never_fails=True,
    args=(either(STRING, BINARY, ARRAY_NOT_NULL),),
    returns=argument(0),
    methods=("array_reverse",),
    newer_form=with_type(BinaryType, "4.2.0"),
    since="1.5.0",
    doc="The text or array from its end to its start.",
)
LPAD = scalar(
    "lpad",
    args=(TEXT_OR_BINARY, INT, text(TEXT_OR_BINARY)),
    optional=1,
    parameter_names=("col", "len", "pad"),
    returns=_binary_if_all(0, 2),
    catalyst="StringLPad",
    collated=texts_at(0, 2),
    since="1.5.0",
    defaults=(" ",),
    doc="The text filled on its left to a length, or cut to it.",
)
RPAD = scalar(
    "rpad",
    args=(TEXT_OR_BINARY, INT, text(TEXT_OR_BINARY)),
    optional=1,
    parameter_names=("col", "len", "pad"),
    returns=_binary_if_all(0, 2),
    catalyst="StringRPad",
    collated=texts_at(0, 2),
    since="1.5.0",
    defaults=(" ",),
    doc="The text filled on its right to a length, or cut to it.",
)
SPACE = scalar(
    "space",
    args=(INT,),
    returns=STRING,
    catalyst="StringSpace",
    since="1.5.0",
    doc="A number of blanks.",
)
REPLACE = scalar(
    "replace",
    args=(STRING, STRING, STRING),
    optional=1,
    parameter_names=("src", "search", "replace"),
    returns=argument(0),
    catalyst="StringReplace",
    collated=every_text,
    searches_text=True,
    since="2.3.0",
    defaults=("",),
    doc="The text with every occurrence of a part replaced, or removed.",
)
TRANSLATE = scalar(
    "translate",
    args=(STRING, text(STRING), text(STRING)),
    parameter_names=("srcCol", "matching", "replace"),
    returns=argument(0),
    catalyst="StringTranslate",
    collated=every_text,
    searches_text=True,
    since="1.5.0",
    doc="The text with single characters replaced by those at the same place of the other list.",
)
OVERLAY = scalar(
    "overlay",
    args=(TEXT_OR_BINARY, TEXT_OR_BINARY, INT, INT),
    optional=1,
    check=same_family(0, 1),
    returns=argument(0),
    syntax=template(
        "overlay({0} PLACING {1} FROM {2})", "overlay({0} PLACING {1} FROM {2} FOR {3})"
    ),
    collated=texts_at(0, 1),
    since="3.0.0",
    defaults=("-1",),
    doc="The text with a part, from a position on, replaced by another text.",
)
ASCII = scalar(
    "ascii", args=(STRING,), returns=INT, since="1.5.0", doc="The code of the first character."
)
CHR = scalar(
    "chr",
    args=(BIGINT,),
    parameter_names=("n",),
    returns=STRING,
    aliases=("char",),
    since="2.3.0",
    doc="The character of a code.",
)
SOUNDEX = scalar(
    "soundex",
    args=(exactly(STRING),),
    returns=STRING,
    catalyst="SoundEx",
    since="1.5.0",
    doc="The Soundex code of the text.",
)
LEVENSHTEIN = scalar(
    "levenshtein",
    args=(STRING, STRING, INT),
    optional=1,
    parameter_names=("left", "right", "threshold"),
    returns=INT,
    collated=texts_at(0, 1),
    since="1.5.0",
    doc="The number of edits between two texts, -1 above a threshold.",
)
JARO_WINKLER_SIMILARITY = scalar(
    "jaro_winkler_similarity",
    args=(STRING, STRING),
    parameter_names=("left", "right"),
    returns=always_nullable(DOUBLE),
    catalyst="JaroWinkler",
    since="4.3.0",
    doc="How alike two texts are, from 0 to 1.",
)
LUHN_CHECK = scalar(
    "luhn_check",
    args=(STRING,),
    returns=always_nullable(BOOLEAN),
    catalyst="Luhncheck",
    since="3.5.0",
    doc="Whether the digits pass the Luhn check.",
)
ELT = scalar(
    "elt",
    args=(INT, ANY),
    variadic=True,
    returns=_infer_elected,
    collated=texts_from(1),
    since="2.0.0",
    doc="The n-th of the arguments.",
)
SENTENCES = scalar(
    "sentences",
    args=(STRING, STRING, STRING),
    optional=2,
    returns=_sentences,
    since="2.0.0",
    defaults=("", ""),
    doc="The sentences of a text, each an array of words; a language and a country may be given.",
)
FIND_IN_SET = scalar(
    "find_in_set",
    args=(STRING, STRING),
    parameter_names=("str", "str_array"),
    returns=INT,
    collated=every_text,
    since="1.5.0",
    doc="The place (from 1) of a text in a list of texts between commas, else 0.",
)
