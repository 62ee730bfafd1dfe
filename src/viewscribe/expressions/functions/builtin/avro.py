"""Avro bytes. Spark needs its package ``spark-avro`` to run them."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.schemas import OPTIONS, options_at
from viewscribe.expressions.functions.validators import either, literal, map_shape
from viewscribe.types import BINARY, VOID, LogicalType
from viewscribe.types.nested_types import deeply_nullable

_NOT_TYPED = ("recursivefieldmaxdepth", "enablestableidentifiersforuniontype")
"""Options that change the type in ways that are not known here."""


def _read(context: CallContext) -> LogicalType:
    from viewscribe.types.foreign_schemas import avro_type

    options = options_at(context, 2)
    for name in _NOT_TYPED:
        if name in options:
            raise context.mismatch(f"the option {name} makes a type that is not known here")
    schema = options.get("avroschema") or context.literal(1)
    if not isinstance(schema, str):
        raise context.mismatch("the schema is a literal text, Avro's JSON")
    found = avro_type(schema)
    lenient = options.get("mode", "").upper() == "PERMISSIVE"
    return deeply_nullable(found) if lenient else found.as_nullable()


def _bytes(context: CallContext) -> LogicalType:
    return BINARY.with_nullability(context.types[0].nullable)


OPTIONS_OR_NONE = literal(
    either(OPTIONS, map_shape(VOID, VOID), VOID, description=OPTIONS.description)
)
"""Spark takes an empty map and NULL, too."""


FROM_AVRO = scalar("""from_avro(exactly(BINARY), literal(exactly(STRING)), _?)
    The value of Avro bytes, of a type given as Avro's JSON.
    since 4.0.0, no class""").where(args=(OPTIONS_OR_NONE,), returns=_read)
TO_AVRO = scalar("""to_avro(ANY, literal(exactly(STRING))?)
    The value as Avro bytes.
    since 4.0.0, no class""").where(returns=_bytes)
SCHEMA_OF_AVRO = scalar("""schema_of_avro(literal(exactly(STRING)), _?) -> STRING!
    The type of an Avro schema, as text.
    since 4.0.0, no class""").where(args=(OPTIONS_OR_NONE,))
