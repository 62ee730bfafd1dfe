"""Bitmaps of whole numbers: in which bucket and at which bit, and the bits of a group."""

from __future__ import annotations

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.validators import any_where
from viewscribe.types import BIGINT, BINARY, BinaryType

_BITMAP = any_where("BINARY", lambda type_: isinstance(type_, BinaryType))


def _place(name: str, doc: str) -> FunctionDefinition:
    return scalar(name, args=(BIGINT,), returns=BIGINT, since="3.5.0", doc=doc)


def _of_all(name: str, doc: str, *, since: str) -> FunctionDefinition:
    return aggregate(name, args=(_BITMAP,), returns=BINARY.not_null(), since=since, doc=doc)


BITMAP_BIT_POSITION = _place("bitmap_bit_position", "The bit of a number in its bucket, from 0.")
BITMAP_BUCKET_NUMBER = _place(
    "bitmap_bucket_number", "The bucket that the bit of a number lies in."
)
BITMAP_COUNT = scalar(
    "bitmap_count",
    args=(_BITMAP,),
    returns=BIGINT,
    since="3.5.0",
    doc="The number of bits set in a bitmap.",
)
BITMAP_CONSTRUCT_AGG = aggregate(
    "bitmap_construct_agg",
    args=(BIGINT,),
    returns=BINARY.not_null(),
    since="3.5.0",
    doc="A bitmap with the bits at these positions set.",
)
BITMAP_OR_AGG = _of_all("bitmap_or_agg", "The bits set in any bitmap.", since="3.5.0")
BITMAP_AND_AGG = _of_all("bitmap_and_agg", "The bits set in all bitmaps.", since="4.1.0")
