"""Logical types and pyspark's types, both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pyspark.sql import types as spark_types
from pyspark.sql.types import DataType

from viewscribe.errors import DataTypeError
from viewscribe.types import ddl, logical
from viewscribe.types.logical import Field, LogicalType

# Under this key Spark keeps the CHAR or VARCHAR that a column of a table was declared with.
CHAR_VARCHAR_KEY = "__CHAR_VARCHAR_TYPE_STRING"
COMMENT_KEY = "comment"

_SIMPLE: dict[type[LogicalType], type[DataType]] = {
    logical.VoidType: spark_types.NullType,
    logical.BooleanType: spark_types.BooleanType,
    logical.TinyIntType: spark_types.ByteType,
    logical.SmallIntType: spark_types.ShortType,
    logical.IntType: spark_types.IntegerType,
    logical.BigIntType: spark_types.LongType,
    logical.FloatType: spark_types.FloatType,
    logical.DoubleType: spark_types.DoubleType,
    logical.BinaryType: spark_types.BinaryType,
    logical.DateType: spark_types.DateType,
    logical.TimestampType: spark_types.TimestampType,
    logical.TimestampNtzType: spark_types.TimestampNTZType,
    logical.CalendarIntervalType: spark_types.CalendarIntervalType,
    logical.VariantType: spark_types.VariantType,
}


def to_spark(type_: LogicalType) -> DataType:
    """The pyspark type; the outermost nullability belongs to whatever holds it."""
    handler = _TO_SPARK.get(type(type_))
    if handler is None:
        raise DataTypeError(
            f"this version of pyspark has no {type_.ddl}", hint="pyspark 4.1 and later has it"
        )
    return handler(type_)


def from_spark(data_type: DataType, nullable: bool = True) -> LogicalType:
    """The logical type of a pyspark type, nullable or not."""
    handler = _FROM_SPARK.get(type(data_type))
    if handler is None:
        raise DataTypeError(
            f"{data_type.simpleString()} is not a type of SQL",
            hint="cast the column to a type that SQL has before it reaches a view",
        )
    return handler(data_type).with_nullability(nullable)


def schema_to_spark(fields: Iterable[Field]) -> spark_types.StructType:
    """The pyspark schema of the fields, comments included."""
    return spark_types.StructType([_to_spark_field(field) for field in fields])


def schema_from_spark(schema: spark_types.StructType) -> tuple[Field, ...]:
    """The fields of a pyspark schema; of the metadata, comments and declared lengths are kept."""
    return tuple(map(_from_spark_field, schema.fields))


def _to_spark_field(field: Field) -> spark_types.StructField:
    metadata = {} if field.comment is None else {COMMENT_KEY: field.comment}
    return spark_types.StructField(field.name, to_spark(field.type), field.nullable, metadata)


def _from_spark_field(field: spark_types.StructField) -> Field:
    metadata = field.metadata or {}
    declared = metadata.get(CHAR_VARCHAR_KEY)
    type_ = from_spark(field.dataType) if declared is None else ddl.parse_type(declared)
    return Field(field.name, type_.with_nullability(field.nullable), metadata.get(COMMENT_KEY))


def _sized_to_spark(type_: Any) -> DataType:
    if type_.collation != logical.STRING.collation:
        raise DataTypeError(
            f"pyspark has no {type_.ddl}", hint=f"use {type_.ddl.partition(' ')[0]} or STRING"
        )
    kind = spark_types.CharType if isinstance(type_, logical.CharType) else spark_types.VarcharType
    return kind(type_.length)


def _interval_to_spark(kind: Any) -> Callable[[Any], DataType]:
    def convert(type_: Any) -> DataType:
        units = type_.units
        converted: DataType = kind(units.index(type_.start), units.index(type_.end))
        return converted

    return convert


def _interval_from_spark(kind: Any) -> Callable[[Any], LogicalType]:
    def convert(data_type: Any) -> LogicalType:
        start, end = kind.units[data_type.startField], kind.units[data_type.endField]
        converted: LogicalType = kind(start=start, end=end)
        return converted

    return convert


def _always(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


def _array_to_spark(type_: Any) -> DataType:
    return spark_types.ArrayType(to_spark(type_.element), type_.element.nullable)


def _map_to_spark(type_: Any) -> DataType:
    return spark_types.MapType(to_spark(type_.key), to_spark(type_.value), type_.value.nullable)


def _array_from_spark(data_type: Any) -> LogicalType:
    return logical.array(from_spark(data_type.elementType, data_type.containsNull))


def _map_from_spark(data_type: Any) -> LogicalType:
    return logical.map_of(
        from_spark(data_type.keyType, nullable=False),
        from_spark(data_type.valueType, data_type.valueContainsNull),
    )


_TO_SPARK: dict[type[LogicalType], Callable[[Any], DataType]] = {
    **{kind: _always(spark_kind()) for kind, spark_kind in _SIMPLE.items()},
    logical.DecimalType: lambda t: spark_types.DecimalType(t.precision, t.scale),
    logical.StringType: lambda t: spark_types.StringType(t.collation),
    logical.CharType: _sized_to_spark,
    logical.VarcharType: _sized_to_spark,
    logical.YearMonthIntervalType: _interval_to_spark(spark_types.YearMonthIntervalType),
    logical.DayTimeIntervalType: _interval_to_spark(spark_types.DayTimeIntervalType),
    logical.ArrayType: _array_to_spark,
    logical.MapType: _map_to_spark,
    logical.StructType: lambda t: schema_to_spark(t.fields),
}

_FROM_SPARK: dict[type[DataType], Callable[[Any], LogicalType]] = {
    **{spark_kind: _always(kind()) for kind, spark_kind in _SIMPLE.items()},
    spark_types.DecimalType: lambda d: logical.decimal(d.precision, d.scale),
    spark_types.StringType: lambda d: logical.StringType(collation=d.collation),
    spark_types.CharType: lambda d: logical.CharType(length=d.length),
    spark_types.VarcharType: lambda d: logical.VarcharType(length=d.length),
    spark_types.YearMonthIntervalType: _interval_from_spark(logical.YearMonthIntervalType),
    spark_types.DayTimeIntervalType: _interval_from_spark(logical.DayTimeIntervalType),
    spark_types.ArrayType: _array_from_spark,
    spark_types.MapType: _map_from_spark,
    spark_types.StructType: lambda d: logical.StructType(fields=schema_from_spark(d)),
}


def _register_newer_types() -> None:
    """Add the types that pyspark has since 4.1."""
    if hasattr(spark_types, "TimeType"):
        time_kind = spark_types.TimeType
        _TO_SPARK[logical.TimeType] = lambda t: time_kind(t.precision)
        _FROM_SPARK[time_kind] = lambda d: logical.TimeType(precision=d.precision)
    for kind in (logical.GeometryType, logical.GeographyType):
        spark_kind = getattr(spark_types, kind.__name__, None)
        if spark_kind is not None:
            _TO_SPARK[kind] = _shape_to_spark(spark_kind)
            _FROM_SPARK[spark_kind] = _shape_from_spark(kind)


def _shape_to_spark(spark_kind: Any) -> Callable[[Any], DataType]:
    def convert(type_: Any) -> DataType:
        converted: DataType = spark_kind(type_.srid if type_.srid == "ANY" else int(type_.srid))
        return converted

    return convert


def _shape_from_spark(kind: Any) -> Callable[[Any], LogicalType]:
    def convert(data_type: Any) -> LogicalType:
        mixed = data_type.srid == data_type.MIXED_SRID
        converted: LogicalType = kind(srid="ANY" if mixed else str(data_type.srid))
        return converted

    return convert


_register_newer_types()
