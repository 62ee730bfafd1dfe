"""Shapes on a plane (GEOMETRY) and on the Earth (GEOGRAPHY)."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import nullable_with_arguments
from viewscribe.expressions.functions.newer_forms import always
from viewscribe.types import GeographyType, GeometryType, IntType, LogicalType
from viewscribe.types.identifiers import ANY, is_known


def _geometry(context: CallContext) -> LogicalType:
    srid = _system(context, GeometryType) if len(context.types) > 1 else "0"
    return GeometryType(srid=srid)


def _infer_moved(context: CallContext) -> LogicalType:
    kind = type(context.types[0])
    assert issubclass(kind, GeometryType | GeographyType)
    return kind(srid=_system(context, kind))


def _system(context: CallContext, kind: type[LogicalType]) -> str:
    """Spark looks at a literal INT only; any other system is known with the row."""
    srid = context.literal(1)
    given = context.args[1].type
    if not isinstance(srid, int) or not isinstance(given, IntType):
        return ANY
    of_earth = issubclass(kind, GeographyType)
    if not is_known(srid, of_earth=of_earth):
        raise context.mismatch(
            f"{srid} is no reference system{' of the Earth' * of_earth} to Spark"
        )
    return str(srid)


ST_GEOMFROMWKB = scalar("""st_geomfromwkb(wkb: BINARY, srid: INT = 0)
    The GEOMETRY of a WKB binary, in a reference system.
    since 4.1.0, class ST_GeomFromWKB
    """).where(returns=nullable_with_arguments(_geometry), newer_form=always("4.2.0"))
ST_GEOGFROMWKB = scalar("""st_geogfromwkb(wkb: BINARY)
    The GEOGRAPHY of a WKB binary.
    since 4.1.0, class ST_GeogFromWKB""").where(returns=GeographyType(), newer_form=always("4.2.0"))
ST_ASBINARY = scalar("""st_asbinary(geo: SHAPE, endianness: text(STRING) = NDR) -> BINARY
    The shape as a WKB binary, little-endian (`NDR`) unless told `XDR`.
    since 4.1.0, class ST_AsBinary""").where(newer_form=always("4.2.0"))
ST_SETSRID = scalar("""st_setsrid(geo: SHAPE, srid: INT)
    The shape under another reference system.
    since 4.1.0, class ST_SetSrid
    """).where(returns=nullable_with_arguments(_infer_moved), newer_form=always("4.2.0"))
ST_SRID = scalar("""st_srid(geo: SHAPE) -> INT
    The reference system of the shape.
    since 4.1.0, class ST_Srid""").where(newer_form=always("4.2.0"))
