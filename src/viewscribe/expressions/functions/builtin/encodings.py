"""Text and binary in other forms: bases, charsets, digests, URLs."""

from __future__ import annotations

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.collations import results_of_decode
from viewscribe.expressions.functions.constants import UNKNOWN, constant_value
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import merged_type
from viewscribe.expressions.functions.operator_types import truth_and_number
from viewscribe.types import BINARY, STRING, LogicalType, StringType
from viewscribe.types.coercion import is_comparable

_FORMATS = ("hex", "utf-8", "utf8", "base64")


def _check_format(context: CallContext) -> None:
    """The format, where it is known, is one that there is; NULL is any."""
    given = constant_value(context.given[1]) if len(context.given) > 1 else None
    if given not in (None, UNKNOWN) and str(given).lower() not in _FORMATS:
        context.values_seen = True
        raise context.mismatch(f"argument 2 is one of {', '.join(_FORMATS)}, not {given!r}")


def _decode(context: CallContext) -> LogicalType:
    in_base64 = len(context.types) > 1 and str(context.literal(1)).lower() == "base64"
    return BINARY.with_nullability(context.any_nullable or not in_base64)


def _chosen_or_decoded(context: CallContext) -> LogicalType:
    if len(context.types) > 2:
        return _infer_chosen(context)
    for place, wanted in enumerate((BINARY, STRING)):
        if implicit_cast(context.types[place], wanted) is None:
            raise context.mismatch(f"argument {place + 1} is not {wanted.ddl}")
    return STRING


def _infer_chosen(context: CallContext) -> LogicalType:
    """Pairs of values and results follow the first argument, then a default or Spark's NULL."""
    wanted, *others = context.types
    paired = len(others) // 2 * 2
    if not all(
        is_comparable(wanted, value) or truth_and_number(context, wanted, value)
        for value in others[:paired:2]
    ):
        raise context.mismatch("the values cannot be compared with the first argument")
    return merged_type(context, [*others[1:paired:2], *(others[paired:] or [STRING])])


BASE64 = scalar("""base64(col: BINARY) -> STRING
    The binary in Base64.
    since 1.5.0, method to_base64""")
UNBASE64 = scalar("""unbase64(col: STRING) -> BINARY
    The binary of a Base64 text.
    since 1.5.0, class UnBase64""")


def _hex(context: CallContext) -> LogicalType:
    given = context.types[0]
    return given if isinstance(given, StringType) else STRING.with_nullability(given.nullable)


HEX = scalar("""hex(col: BIGINT | BINARY | STRING)
    The number or bytes in hexadecimal.
    since 1.5.0""").where(returns=_hex)
UNHEX = scalar("""unhex(col: STRING) -> BINARY?
    The binary of a hexadecimal text.
    since 1.5.0""")
ENCODE = scalar("""encode(col: STRING, charset: text(STRING)) -> BINARY?
    The text as bytes of a charset.
    since 1.5.0, own collations""")
DECODE = scalar("""decode(col: ANY, charset: text(ANY), text(ANY)?...)
    The bytes of a charset as text; of more arguments, the result after the first value that the
    first argument equals, else the last.
    since 1.5.0, lazy, own collations""").where(
    returns=_chosen_or_decoded, collated=results_of_decode
)
TO_BINARY = scalar("""to_binary(col: STRING, format: literal(STRING)?)
    The binary of a text in `hex` (the default), `utf-8` or `base64`.
    since 3.3.0, own collations""").where(returns=_decode, check=_check_format)
TRY_TO_BINARY = scalar("""try_to_binary(col: STRING, format: literal(STRING)?) -> BINARY?
    The binary of a text in `hex`, `utf-8` or `base64`, NULL where it is none.
    since 3.3.0""")
TO_BASE32 = scalar("""to_base32(col: BINARY) -> STRING
    The binary in Base32.
    since 4.3.0, class Base32""")
FROM_BASE32 = scalar("""from_base32(col: STRING) -> BINARY
    The binary of a Base32 text.
    since 4.3.0, class UnBase32""")
MD5 = scalar("""md5(col: BINARY) -> STRING
    The MD5 digest in hexadecimal.
    since 1.5.0""")
SHA1 = scalar("""sha1(col: BINARY) -> STRING
    The SHA-1 digest in hexadecimal.
    since 1.5.0, alias sha, never fails""")
SHA2 = scalar("""sha2(col: BINARY, numBits: INT) -> STRING?
    The SHA-2 digest of 224, 256, 384 or 512 bits in hexadecimal; 0 is 256.
    since 1.5.0, never fails""")
CRC32 = scalar("""crc32(col: BINARY) -> BIGINT
    The CRC-32 checksum.
    since 1.5.0""")
URL_ENCODE = scalar("""url_encode(str: STRING) -> STRING?
    The text as part of a URL.
    since 3.4.0""")
URL_DECODE = scalar("""url_decode(str: STRING) -> STRING?
    The text of a part of a URL.
    since 3.4.0""")
TRY_URL_DECODE = scalar("""try_url_decode(str: STRING) -> STRING?
    The text of a part of a URL, NULL where it is none.
    since 4.0.0""")
TRY_PARSE_URL = scalar("""try_parse_url(url: exactly(STRING), partToExtract: exactly(STRING),
        key: exactly(STRING)?) -> STRING?
    A part of a URL, NULL where the text is none.
    since 4.0.0""")
PARSE_URL = scalar("""parse_url(url: exactly(STRING), partToExtract: exactly(STRING),
        key: exactly(STRING)?) -> STRING?
    A part of a URL: HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY or USERINFO.
    since 2.0.0, own collations""")
