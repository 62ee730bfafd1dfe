"""Protobuf bytes. Spark needs its package ``spark-protobuf`` to run them."""

from __future__ import annotations

from collections.abc import Mapping

from viewscribe.errors import TypeMismatchError
from viewscribe.expressions.functions.builtin.avro import OPTIONS_OR_NONE
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.schemas import options_at
from viewscribe.expressions.functions.validators import any_where, literal
from viewscribe.types import (
    BINARY,
    BinaryType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    VoidType,
)
from viewscribe.types.nested_types import deeply_nullable

_NOT_TYPED = (
    "recursive.fields.max.depth",
    "convert.any.fields.to.json",
    "unwrap.primitive.wrapper.types",
    "retain.empty.message.types",
)
"""Options that change the type in ways that are not known here."""


def _read(context: CallContext) -> LogicalType:
    from viewscribe.types.foreign_schemas import protobuf_type

    options = options_at(context, len(context.types) - 1)
    for name in _NOT_TYPED:
        if name in options:
            raise context.mismatch(f"the option {name} makes a type that is not known here")
    message, descriptors = context.literal(1), context.literal(2)
    if not isinstance(message, str):
        raise context.mismatch("the message is a literal text")
    if not isinstance(descriptors, bytes):
        raise _without_descriptors(context)
    found = protobuf_type(
        descriptors,
        message,
        enums_as_ints=_is_on(options, "enums.as.ints"),
        upcast_unsigned=_is_on(options, "upcast.unsigned.ints"),
    )
    lenient = options.get("mode", "").upper() == "PERMISSIVE"
    return deeply_nullable(found) if lenient else found


def _is_on(options: Mapping[str, str], name: str) -> bool:
    return options.get(name, "").lower() == "true"


def _without_descriptors(context: CallContext) -> TypeMismatchError:
    reason = "the type follows from the descriptors, which are not there"
    error = context.mismatch(reason)
    error.hint = "give the descriptor set: F.from_protobuf(…, binaryDescriptorSet=b'…')"
    return error


def _bytes(context: CallContext) -> LogicalType:
    return BINARY.with_nullability(context.types[0].nullable)


def _describes(type_: LogicalType) -> bool:
    """Whether it may be the third argument: a path, descriptors, options or nothing."""
    return isinstance(type_, StringType | BinaryType | MapType | VoidType)


_ROW = any_where("STRUCT", lambda type_: isinstance(type_, StructType))
"""What becomes a message; to Spark, a NULL of no type is none."""

_DESCRIPTORS = literal(any_where("BINARY", _describes))

FROM_PROTOBUF = scalar("""from_protobuf(exactly(BINARY), literal(exactly(STRING)), _?, _?)
    The struct of Protobuf bytes, of a message of a descriptor set.
    since 4.0.0, no class""").where(args=(_DESCRIPTORS, OPTIONS_OR_NONE), returns=_read)
TO_PROTOBUF = scalar("""to_protobuf(_, literal(exactly(STRING)), _?, _?)
    The value as Protobuf bytes, of a message of a descriptor set.
    since 4.0.0, no class""").where(args=(_ROW, _DESCRIPTORS, OPTIONS_OR_NONE), returns=_bytes)
