"""Text: case, length, parts, padding, joining."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.collations import text_of, texts_from
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import OutputStrategy
from viewscribe.expressions.functions.newer_forms import with_type
from viewscribe.expressions.functions.syntax import template
from viewscribe.expressions.functions.validators import same_family
from viewscribe.types import BINARY, STRING, ArrayType, BinaryType, LogicalType, VoidType
from viewscribe.types.coercion import common_type_of


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


UPPER = scalar("""upper(col: STRING) -> $0
    The text in upper case.
    since 1.0.1, alias ucase, method upper_case, never fails""")
LOWER = scalar("""lower(col: STRING) -> $0
    The text in lower case.
    since 1.0.1, alias lcase, method lower_case, never fails""")
INITCAP = scalar("""initcap(col: STRING) -> $0
    The text with the first letter of every word in upper case, the rest in lower case.
    since 1.5.0, method init_cap, class InitCap, never fails""")
LENGTH = scalar("""length(col: TEXT_OR_BINARY) -> INT
    The number of characters of a text, or of bytes of a binary.
    since 1.5.0, alias len, never fails""")
CHAR_LENGTH = scalar("""char_length(str: TEXT_OR_BINARY) -> INT
    The number of characters of a text, or of bytes of a binary.
    since 2.3.0, alias character_length, no class, never fails""")
OCTET_LENGTH = scalar("""octet_length(col: TEXT_OR_BINARY) -> INT
    The number of bytes.
    since 2.3.0""")
BIT_LENGTH = scalar("""bit_length(col: TEXT_OR_BINARY) -> INT
    The number of bits.
    since 2.3.0""")
TRIM = scalar("""trim(col: STRING, trim: STRING?) -> $0
    The text without blanks, or the characters given, on both sides.
    since 1.5.0, class StringTrim, collated, searches text, never fails
    """).where(syntax=template("trim(BOTH {1} FROM {0})"))
LTRIM = scalar("""ltrim(col: STRING, trim: STRING?) -> $0
    The text without blanks, or the characters given, on its left.
    since 1.5.0, method trim_leading, class StringTrimLeft, collated, searches text, never fails
    """).where(syntax=template("trim(LEADING {1} FROM {0})"))
RTRIM = scalar("""rtrim(col: STRING, trim: STRING?) -> $0
    The text without blanks, or the characters given, on its right.
    since 1.5.0, method trim_trailing, class StringTrimRight, collated, searches text, never fails
    """).where(syntax=template("trim(TRAILING {1} FROM {0})"))
BTRIM = scalar("""btrim(str: STRING, trim: STRING?) -> $0
    The text without blanks, or the characters given, on both sides.
    since 3.2.0, class StringTrimBoth, collated, searches text, never fails, own collations""")
SUBSTRING = scalar("""substring(str: TEXT_OR_BINARY, pos: INT, len: INT = 2147483647) -> $0
    The part from a position (from 1, negative from the end), of a length or to the end.
    since 1.5.0, alias substr, never fails""")
SUBSTRING_INDEX = scalar("""substring_index(str: STRING, delim: text(STRING), count: INT) -> $0
    What lies before the n-th delimiter, or after it counted from the end where n < 0.
    since 1.5.0, collated 0 1, searches text""")
LEFT = scalar("""left(str: TEXT_OR_BINARY, len: INT) -> $0
    The first characters of the text.
    since 2.3.0, never fails""")
RIGHT = scalar("""right(str: STRING, len: INT) -> $0?
    The last characters of the text.
    since 2.3.0, never fails""")
SPLIT_PART = scalar("""split_part(src: STRING, delimiter: STRING, partNum: INT) -> $0?
    The n-th part between delimiters (from 1, negative from the end).
    since 3.3.0, collated 0 1, searches text""")
CONCAT = scalar("""concat(ANY?...)
    The texts, binaries or arrays joined; NULL when one of them is.
    since 1.5.0, alias ||, method array_concat, collated, never fails""").where(returns=_concat)
CONCAT_WS = scalar("""concat_ws(sep: text(STRING),
        STRING | ARRAY<STRING>?...) -> exactly_argument(0)
    The texts joined by a separator, NULLs left out.
    since 1.5.0, collated, never fails""")
REPEAT = scalar("""repeat(col: STRING, n: INT) -> $0
    The text a number of times.
    since 1.5.0, class StringRepeat""")
REVERSE = scalar("""reverse(col: STRING | BINARY | ARRAY_NOT_NULL) -> $0
    The text or array from its end to its start.
    since 1.5.0, method array_reverse, never fails
    """).where(newer_form=with_type(BinaryType, "4.2.0"))
LPAD = scalar("""lpad(col: TEXT_OR_BINARY, len: INT, pad: text(TEXT_OR_BINARY) = ' ')
    The text filled on its left to a length, or cut to it.
    since 1.5.0, class StringLPad, collated 0 2""").where(returns=_binary_if_all(0, 2))
RPAD = scalar("""rpad(col: TEXT_OR_BINARY, len: INT, pad: text(TEXT_OR_BINARY) = ' ')
    The text filled on its right to a length, or cut to it.
    since 1.5.0, class StringRPad, collated 0 2""").where(returns=_binary_if_all(0, 2))
SPACE = scalar("""space(col: INT) -> STRING
    A number of blanks.
    since 1.5.0, class StringSpace""")
REPLACE = scalar("""replace(src: STRING, search: STRING, replace: STRING = '') -> $0
    The text with every occurrence of a part replaced, or removed.
    since 2.3.0, class StringReplace, collated, searches text""")
TRANSLATE = scalar("""translate(srcCol: STRING, matching: text(STRING), replace: text(STRING)) -> $0
    The text with single characters replaced by those at the same place of the other list.
    since 1.5.0, class StringTranslate, collated, searches text""")
OVERLAY = scalar("""overlay(TEXT_OR_BINARY, TEXT_OR_BINARY, INT, INT = -1) -> $0
    The text with a part, from a position on, replaced by another text.
    since 3.0.0, collated 0 1""").where(
    check=same_family(0, 1),
    syntax=template(
        "overlay({0} PLACING {1} FROM {2})", "overlay({0} PLACING {1} FROM {2} FOR {3})"
    ),
)
ASCII = scalar("""ascii(col: STRING) -> INT
    The code of the first character.
    since 1.5.0""")
CHR = scalar("""chr(n: BIGINT) -> STRING
    The character of a code.
    since 2.3.0, alias char""")
SOUNDEX = scalar("""soundex(col: exactly(STRING)) -> STRING
    The Soundex code of the text.
    since 1.5.0, class SoundEx""")
LEVENSHTEIN = scalar("""levenshtein(left: STRING, right: STRING, threshold: INT?) -> INT
    The number of edits between two texts, -1 above a threshold.
    since 1.5.0, collated 0 1""")
JARO_WINKLER_SIMILARITY = scalar("""jaro_winkler_similarity(left: STRING, right: STRING) -> DOUBLE?
    How alike two texts are, from 0 to 1.
    since 4.3.0, class JaroWinkler""")
LUHN_CHECK = scalar("""luhn_check(col: STRING) -> BOOLEAN?
    Whether the digits pass the Luhn check.
    since 3.5.0, class Luhncheck""")
ELT = scalar("""elt(INT, ANY...)
    The n-th of the arguments.
    since 2.0.0""").where(returns=_infer_elected, collated=texts_from(1))
SENTENCES = scalar("""sentences(STRING, STRING = '', STRING = '')
    The sentences of a text, each an array of words; a language and a country may be given.
    since 2.0.0, own collations""").where(returns=_sentences)
FIND_IN_SET = scalar("""find_in_set(str: STRING, str_array: STRING) -> INT
    The place (from 1) of a text in a list of texts between commas, else 0.
    since 1.5.0, collated""")
