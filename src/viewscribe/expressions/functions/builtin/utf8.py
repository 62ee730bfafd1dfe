"""Text whose bytes may not be UTF-8."""

from __future__ import annotations

from viewscribe.expressions.functions.entries import scalar

IS_VALID_UTF8 = scalar("""is_valid_utf8(str: STRING) -> BOOLEAN?
    Whether the bytes of the text are UTF-8.
    since 4.0.0, class IsValidUTF8""")
MAKE_VALID_UTF8 = scalar("""make_valid_utf8(str: STRING) -> $0?
    The text with U+FFFD for what is not UTF-8.
    since 4.0.0, class MakeValidUTF8""")
VALIDATE_UTF8 = scalar("""validate_utf8(str: STRING) -> $0?
    The text, or an error where it is not UTF-8.
    since 4.0.0, class ValidateUTF8""")
TRY_VALIDATE_UTF8 = scalar("""try_validate_utf8(str: STRING) -> $0?
    The text, NULL where it is not UTF-8.
    since 4.0.0, class TryValidateUTF8""")
