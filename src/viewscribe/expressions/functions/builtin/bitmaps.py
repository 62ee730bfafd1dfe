"""Bitmaps of whole numbers: in which bucket and at which bit, and the bits of a group."""

from __future__ import annotations

from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.validators import any_where
from viewscribe.types import BinaryType

_BITMAP = any_where("BINARY", lambda type_: isinstance(type_, BinaryType))


BITMAP_BIT_POSITION = scalar("""bitmap_bit_position(col: BIGINT) -> BIGINT
    The bit of a number in its bucket, from 0.
    since 3.5.0""")
BITMAP_BUCKET_NUMBER = scalar("""bitmap_bucket_number(col: BIGINT) -> BIGINT
    The bucket that the bit of a number lies in.
    since 3.5.0""")
BITMAP_COUNT = scalar("""bitmap_count(col: _) -> BIGINT
    The number of bits set in a bitmap.
    since 3.5.0""").where(args=(_BITMAP,))
BITMAP_CONSTRUCT_AGG = aggregate("""bitmap_construct_agg(col: BIGINT) -> BINARY!
    A bitmap with the bits at these positions set.
    since 3.5.0""")
BITMAP_OR_AGG = aggregate("""bitmap_or_agg(col: _) -> BINARY!
    The bits set in any bitmap.
    since 3.5.0""").where(args=(_BITMAP,))
BITMAP_AND_AGG = aggregate("""bitmap_and_agg(col: _) -> BINARY!
    The bits set in all bitmaps.
    since 4.1.0""").where(args=(_BITMAP,))
