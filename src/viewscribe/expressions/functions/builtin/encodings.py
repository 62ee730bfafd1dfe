"""Text and binary in other forms: bases, charsets, digests, URLs."""

from __future__ import annotations

from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.collation_groups import results_of_decode
from viewscribe.expressions.functions.constants import UNKNOWN, constant_value
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import ANY
from viewscribe.expressions.functions.operator_types import truth_and_number
from viewscribe.expressions.functions.outputs import always_nullable, merged_type
from viewscribe.expressions.functions.validators import either, exactly, literal, text
from viewscribe.types import BIGINT, BINARY, INT, STRING, LogicalType, StringType
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


BASE64 = scalar(
    "base64",
    args=(BINARY,),
    returns=STRING,
    methods=("to_base64",),
    since="1.5.0",
    doc="The binary in Base64.",
)
UNBASE64 = scalar(
    "unbase64",
    args=(STRING,),
    returns=BINARY,
    catalyst="UnBase64",
    since="1.5.0",
    doc="The binary of a Base64 text.",
)


def _hex(context: CallContext) -> LogicalType:
    given = context.types[0]
    return given if isinstance(given, StringType) else STRING.with_nullability(given.nullable)


HEX = scalar(
    "hex",
    args=(either(BIGINT, BINARY, STRING),),
    returns=_hex,
    since="1.5.0",
    doc="The number or bytes in hexadecimal.",
)
UNHEX = scalar(
    "unhex",
    args=(STRING,),
    returns=always_nullable(BINARY),
    since="1.5.0",
    doc="The binary of a hexadecimal text.",
)
ENCODE = scalar(
    "encode",
    args=(STRING, text(STRING)),
    parameter_names=("col", "charset"),
    returns=always_nullable(BINARY),
    since="1.5.0",
    doc="The text as bytes of a charset.",
)
DECODE = scalar(
    "decode",
    args=(ANY, text(ANY), text(ANY)),
    required=2,
    variadic=True,
    parameter_names=("col", "charset"),
    returns=_chosen_or_decoded,
    strict=False,
    collated=results_of_decode,
    since="1.5.0",
    doc="The bytes of a charset as text; of more arguments, the result after the first value that "
    "the first argument equals, else the last.",
)
TO_BINARY = scalar(
    "to_binary",
    args=(STRING, literal(STRING)),
    optional=1,
    check=_check_format,
    parameter_names=("col", "format"),
    returns=_decode,
    since="3.3.0",
    doc="The binary of a text in `hex` (the default), `utf-8` or `base64`.",
)
TRY_TO_BINARY = scalar(
    "try_to_binary",
    args=(STRING, literal(STRING)),
    optional=1,
    parameter_names=("col", "format"),
    returns=always_nullable(BINARY),
    since="3.3.0",
    doc="The binary of a text in `hex`, `utf-8` or `base64`, NULL where it is none.",
)
TO_BASE32 = scalar(
    "to_base32",
    args=(BINARY,),
    returns=STRING,
    catalyst="Base32",
    since="4.3.0",
    doc="The binary in Base32.",
)
FROM_BASE32 = scalar(
    "from_base32",
    args=(STRING,),
    returns=BINARY,
    catalyst="UnBase32",
    since="4.3.0",
    doc="The binary of a Base32 text.",
)
MD5 = scalar(
    "md5", args=(BINARY,), returns=STRING, since="1.5.0", doc="The MD5 digest in hexadecimal."
)
SHA1 = scalar(
    "sha1",
    never_fails=True,
    args=(BINARY,),
    returns=STRING,
    aliases=("sha",),
    since="1.5.0",
    doc="The SHA-1 digest in hexadecimal.",
)
SHA2 = scalar(
    "sha2",
    never_fails=True,
    args=(BINARY, INT),
    parameter_names=("col", "numBits"),
    returns=always_nullable(STRING),
    since="1.5.0",
    doc="The SHA-2 digest of 224, 256, 384 or 512 bits in hexadecimal; 0 is 256.",
)
CRC32 = scalar("crc32", args=(BINARY,), returns=BIGINT, since="1.5.0", doc="The CRC-32 checksum.")
URL_ENCODE = scalar(
    "url_encode",
    args=(STRING,),
    parameter_names=("str",),
    returns=always_nullable(STRING),
    since="3.4.0",
    doc="The text as part of a URL.",
)
URL_DECODE = scalar(
    "url_decode",
    args=(STRING,),
    parameter_names=("str",),
    returns=always_nullable(STRING),
    since="3.4.0",
    doc="The text of a part of a URL.",
)
TRY_URL_DECODE = scalar(
    "try_url_decode",
    args=(STRING,),
    parameter_names=("str",),
    returns=always_nullable(STRING),
    since="4.0.0",
    doc="The text of a part of a URL, NULL where it is none.",
)
TRY_PARSE_URL = scalar(
    "try_parse_url",
    args=(exactly(STRING), exactly(STRING), exactly(STRING)),
    optional=1,
    parameter_names=("url", "partToExtract", "key"),
    returns=always_nullable(STRING),
    since="4.0.0",
    doc="A part of a URL, NULL where the text is none.",
)
PARSE_URL = scalar(
    "parse_url",
    args=(exactly(STRING), exactly(STRING), exactly(STRING)),
    optional=1,
    parameter_names=("url", "partToExtract", "key"),
    returns=always_nullable(STRING),
    since="2.0.0",
    doc="A part of a URL: HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY or USERINFO.",
)
