"""Shapes on a plane (GEOMETRY) and on the Earth (GEOGRAPHY)."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import SHAPE
from viewscribe.expressions.functions.newer_forms import always
from viewscribe.expressions.functions.outputs import nullable_with_arguments
from viewscribe.expressions.functions.validators import text
from viewscribe.types import (
    BINARY,
    INT,
    STRING,
    GeographyType,
    GeometryType,
    IntType,
    LogicalType,
)
from viewscribe.types.reference_systems import ANY, is_known


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


ST_GEOMFROMWKB = scalar(
    "st_geomfromwkb",
    args=(BINARY, INT),
    optional=1,
    parameter_names=("wkb", "srid"),
    returns=nullable_with_arguments(_geometry),
    catalyst="ST_GeomFromWKB",
    newer_form=always("4.2.0"),
    since="4.1.0",
    defaults=("0",),
    doc="The GEOMETRY of a WKB binary, in a reference system.",
)
ST_GEOGFROMWKB = scalar(
    "st_geogfromwkb",
    args=(BINARY,),
    parameter_names=("wkb",),
    returns=GeographyType(),
    catalyst="ST_GeogFromWKB",
    newer_form=always("4.2.0"),
    since="4.1.0",
    doc="The GEOGRAPHY of a WKB binary.",
)
ST_ASBINARY = scalar(
    "st_asbinary",
    args=(SHAPE, text(STRING)),
    optional=1,
    parameter_names=("geo", "endianness"),
    returns=BINARY,
    catalyst="ST_AsBinary",
    newer_form=always("4.2.0"),
    since="4.1.0",
    defaults=("NDR",),
    doc="The shape as a WKB binary, little-endian (`NDR`) unless told `XDR`.",
)
ST_SETSRID = scalar(
    "st_setsrid",
    args=(SHAPE, INT),
    parameter_names=("geo", "srid"),
    returns=nullable_with_arguments(_infer_moved),
    catalyst="ST_SetSrid",
    newer_form=always("4.2.0"),
    since="4.1.0",
    doc="The shape under another reference system.",
)
ST_SRID = scalar(
    "st_srid",
    args=(SHAPE,),
    parameter_names=("geo",),
    returns=INT,
    catalyst="ST_Srid",
    newer_form=always("4.2.0"),
    since="4.1.0",
    doc="The reference system of the shape.",
)
