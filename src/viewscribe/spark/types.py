"""Logical types and pyspark's types, both ways."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as spark_types
from pyspark.sql.types import DataType
from pyspark.sql.utils import is_remote

from viewscribe.errors import DataTypeError
from viewscribe.expressions.nodes import Literal
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    IntType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VoidType,
    YearMonthIntervalType,
    ddl,
    nested_types,
)
from viewscribe.types.identifiers import quote_identifier
from viewscribe.types.nested_types import Field, LogicalType

# Columns by name, made once: a column of a classic session is an object of the JVM.
#
# A column that is only a name has no table, no session and no state, so views share those of the
# names that their tables have. Making one takes three calls of the JVM, and forgetting it another.

_MOST = 5_000


class _Known:
    """The columns that were made in one JVM."""

    def __init__(self, gateway: Any) -> None:
        self.gateway = gateway
        self.columns: dict[str, Column] = {}


_known = _Known(None)


def named_column(name: str) -> Column:
    """Returns the column of that name, whatever letters are in it."""
    global _known
    if is_remote():
        return F.col(quote_identifier(name))
    from pyspark import SparkContext  # a thin client has none

    gateway = SparkContext._gateway
    known = _known
    if known.gateway is not gateway or len(known.columns) >= _MOST:
        known = _known = _Known(gateway)
    found = known.columns.get(name)
    if found is None:
        found = known.columns[name] = F.col(quote_identifier(name))
    return found


# DataFrames with deferred steps, kept as columns and conditions.
#
# Every ``select`` and ``filter`` of a DataFrame analyzes the whole plan again, so a pipeline of a
# thousand steps takes minutes. A ``Frame`` therefore defers filters and projections and applies
# them together, as long as expressions stay small. Column names are unique within a run, so a name
# can never mean something else after a join.

HIGHEST = 40
"""How deep the expressions of one projection may nest: Spark resolves a level a pass, in 100."""

LARGEST = 2_000
"""How many nodes the expressions of one projection may have together."""

T = TypeVar("T")


@dataclass(frozen=True)
class Cell:
    """A column of a frame: over the columns of its DataFrame, with the cost of writing it out.

    ``name`` is set where it is a column of the DataFrame as it is; ``label`` is what it would
    best be called. ``made`` is the column, or the name of one of the DataFrame: a column of Spark
    takes several calls to make, and most of a wide table are never asked for.
    """

    made: Column | str
    name: str | None = None
    label: str | None = None
    height: int = 0
    size: int = 1

    @cached_property
    def column(self) -> Column:
        """The column of Spark."""
        return named_column(self.made) if isinstance(self.made, str) else self.made


@dataclass(frozen=True, slots=True)
class Frame:
    """A DataFrame, the conditions its rows must still meet, and the columns wanted of it.

    Args:
        base: the DataFrame.
        names: the names of its columns; none where they are not this run's own.
        cells: the columns wanted.
        conditions: conditions over the columns of ``base`` that are still to be applied.
        height: the deepest condition.
        sealed: whether the cells must be computed before anything is built on them.
        session: the cell, if any, that holds a session window and only a group can compute.
    """

    base: DataFrame
    names: tuple[str, ...]
    cells: tuple[Cell, ...]
    conditions: tuple[Column, ...] = ()
    height: int = 0
    sealed: bool = False
    session: int | None = None

    @classmethod
    def of(cls, base: DataFrame, names: Sequence[str]) -> Frame:
        """A frame of all the columns of a DataFrame."""
        cells = tuple(Cell(name, name, name) for name in names)
        return cls(base, tuple(names), cells)

    @property
    def is_plain(self) -> bool:
        """Whether nothing is deferred."""
        return not self.conditions and self.names == tuple(cell.name for cell in self.cells)

    def filtered(self, condition: Column, height: int) -> Frame:
        """Returns the frame with one more deferred condition."""
        highest = max(self.height, height)
        return replace(self, conditions=(*self.conditions, condition), height=highest)

    def rows(self) -> DataFrame:
        """The DataFrame with the conditions applied; its columns are not those of the frame."""
        if not self.conditions:
            return self.base
        return self.base.filter(balance(self.conditions, lambda a, b: a & b))


INTERNAL = "_vs"
"""How names begin that no table has."""


class Names:
    """Gives names that are new in this run, and always the same ones for the same tree.

    A column keeps its own name where that is still free: Spark then sees that the projection
    renames nothing, and its plan is the one that the SQL text gets.
    """

    def __init__(self) -> None:
        self._count = 0
        self._taken: set[str] = set()

    def fresh(self, label: str | None = None) -> str:
        """One new name, if possible the label."""
        folded = (label or INTERNAL).lower()
        if label is not None and not folded.startswith(INTERNAL) and folded not in self._taken:
            self._taken.add(folded)
            return label
        self._count += 1
        return f"{INTERNAL}{self._count}"

    def several(self, labels: Sequence[str | None]) -> list[str]:
        """A new name for each label."""
        return [self.fresh(label) for label in labels]


def plain(frame: Frame, names: Names) -> Frame:
    """The frame with everything carried out: a DataFrame of exactly its columns."""
    if frame.is_plain:
        return frame
    output: dict[str, Cell] = {}
    chosen: list[tuple[Cell, str | None]] = []
    for cell in frame.cells:
        if cell.name is None or cell.name in output:
            name = names.fresh(cell.label)
            chosen.append(
                (cell, None if isinstance(cell.made, str) and cell.made == name else name)
            )
            output[name] = Cell(name, name, cell.label)
        else:
            chosen.append((cell, None))
            output[cell.name] = cell
    rows, width = frame.rows(), len(frame.names)
    columns: list[Column | str] = []
    if width and tuple(output)[:width] == frame.names:
        columns, chosen = ["*"], chosen[width:]
    columns += [cell.column if new is None else cell.column.alias(new) for cell, new in chosen]
    made = rows if frame.names == tuple(output) else rows.select(*columns)
    return Frame(made, tuple(output), tuple(output.values()))


def rename(frame: Frame, names: Names) -> Frame:
    """The frame with columns of new names that no table has, so that nothing can mistake them."""
    cells = tuple(replace(cell, name=None, label=None) for cell in frame.cells)
    return plain(replace(frame, names=(), cells=cells), names)


def is_internal(name: str | None) -> bool:
    """Whether the name is reserved for internal columns, which no table has."""
    return name is not None and name.startswith(INTERNAL)


def balance(items: Sequence[T], join: Callable[[T, T], T]) -> T:
    """The items joined two by two, so that the result is as flat as can be, in their order."""
    level = list(items)
    while len(level) > 1:
        pairs = zip(level[0::2], level[1::2], strict=False)
        joined = [join(a, b) for a, b in pairs]
        level = joined + ([level[-1]] if len(level) % 2 else [])
    return level[0]


# Under this key Spark keeps the CHAR or VARCHAR that a column of a table was declared with.
CHAR_VARCHAR_KEY = "__CHAR_VARCHAR_TYPE_STRING"
COMMENT_KEY = "comment"

_SIMPLE: dict[type[LogicalType], type[DataType]] = {
    nested_types.VoidType: spark_types.NullType,
    nested_types.BooleanType: spark_types.BooleanType,
    nested_types.TinyIntType: spark_types.ByteType,
    nested_types.SmallIntType: spark_types.ShortType,
    nested_types.IntType: spark_types.IntegerType,
    nested_types.BigIntType: spark_types.LongType,
    nested_types.FloatType: spark_types.FloatType,
    nested_types.DoubleType: spark_types.DoubleType,
    nested_types.BinaryType: spark_types.BinaryType,
    nested_types.DateType: spark_types.DateType,
    nested_types.TimestampType: spark_types.TimestampType,
    nested_types.TimestampNtzType: spark_types.TimestampNTZType,
    nested_types.CalendarIntervalType: spark_types.CalendarIntervalType,
    nested_types.VariantType: spark_types.VariantType,
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
    if type_.collation != nested_types.STRING.collation:
        raise DataTypeError(
            f"pyspark has no {type_.ddl}", hint=f"use {type_.ddl.partition(' ')[0]} or STRING"
        )
    kind = (
        spark_types.CharType
        if isinstance(type_, nested_types.CharType)
        else spark_types.VarcharType
    )
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
    return nested_types.array(from_spark(data_type.elementType, data_type.containsNull))


def _map_from_spark(data_type: Any) -> LogicalType:
    return nested_types.map_of(
        from_spark(data_type.keyType, nullable=False),
        from_spark(data_type.valueType, data_type.valueContainsNull),
    )


_TO_SPARK: dict[type[LogicalType], Callable[[Any], DataType]] = {
    **{kind: _always(spark_kind()) for kind, spark_kind in _SIMPLE.items()},
    nested_types.DecimalType: lambda t: spark_types.DecimalType(t.precision, t.scale),
    nested_types.StringType: lambda t: spark_types.StringType(t.collation),
    nested_types.CharType: _sized_to_spark,
    nested_types.VarcharType: _sized_to_spark,
    nested_types.YearMonthIntervalType: _interval_to_spark(spark_types.YearMonthIntervalType),
    nested_types.DayTimeIntervalType: _interval_to_spark(spark_types.DayTimeIntervalType),
    nested_types.ArrayType: _array_to_spark,
    nested_types.MapType: _map_to_spark,
    nested_types.StructType: lambda t: schema_to_spark(t.fields),
}

_FROM_SPARK: dict[type[DataType], Callable[[Any], LogicalType]] = {
    **{spark_kind: _always(kind()) for kind, spark_kind in _SIMPLE.items()},
    spark_types.DecimalType: lambda d: nested_types.decimal(d.precision, d.scale),
    spark_types.StringType: lambda d: nested_types.StringType(collation=d.collation),
    spark_types.CharType: lambda d: nested_types.CharType(length=d.length),
    spark_types.VarcharType: lambda d: nested_types.VarcharType(length=d.length),
    spark_types.YearMonthIntervalType: _interval_from_spark(nested_types.YearMonthIntervalType),
    spark_types.DayTimeIntervalType: _interval_from_spark(nested_types.DayTimeIntervalType),
    spark_types.ArrayType: _array_from_spark,
    spark_types.MapType: _map_from_spark,
    spark_types.StructType: lambda d: nested_types.StructType(fields=schema_from_spark(d)),
}


def _register_newer_types() -> None:
    """Add the types that pyspark has since 4.1."""
    if hasattr(spark_types, "TimeType"):
        time_kind = spark_types.TimeType
        _TO_SPARK[nested_types.TimeType] = lambda t: time_kind(t.precision)
        _FROM_SPARK[time_kind] = lambda d: nested_types.TimeType(precision=d.precision)
    for kind in (nested_types.GeometryType, nested_types.GeographyType):
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


# Literals as columns, of exactly the value and the type, whatever the session's time zone.
#
# PySpark turns dates and timestamps into Java's old classes, by way of the local time zone and the
# Julian calendar. So they travel as days or microseconds since 1970, and Spark folds the rest into
# a constant. Of literals only NULL, NaN and the infinities may be NULL, which rules out text and a
# cast for all others.

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)
_MICROSECONDS_OF_A_SECOND = 1_000_000


def literal_column(literal: Literal) -> Column:
    """The literal as a constant column."""
    return value_column(literal.value, literal.type)


def value_column(value: object, type_: LogicalType) -> Column:
    """A value, held as ``literals.py`` of the expressions says, as a column of the type."""
    if value is None:
        null = F.lit(None)
        return null if isinstance(type_, VoidType) else null.cast(to_spark(type_))
    maker = _MAKERS.get(type(type_))
    if maker is None:
        raise NotInterpretableError(
            f"{type_.ddl} has no literals", hint="build the value from a literal with a function"
        )
    return maker(value, type_)


def _integer(value: int, type_: LogicalType) -> Column:
    column = F.lit(value)
    return column if isinstance(type_, IntType) else column.cast(to_spark(type_))


def _float(value: float, type_: LogicalType) -> Column:
    if not math.isfinite(value):  # as its text is read: a conversion, so it may be NULL
        return F.lit(str(value)).cast(to_spark(type_))
    return F.lit(float(value)).cast(to_spark(type_))


def _decimal(value: Decimal, type_: DecimalType) -> Column:
    """Not cast where it needs no cast: a literal beside a whole number Spark treats otherwise."""
    column = F.lit(value)
    if max(len(value.as_tuple().digits), type_.scale) == type_.precision:
        return column
    return column.cast(to_spark(type_))


def _string(value: str, type_: StringType) -> Column:
    column = F.lit(value)
    if type_.collation == "UTF8_BINARY":
        return column
    return F.collate(column, type_.collation)


def _date(value: dt.date, type_: LogicalType) -> Column:
    return F.date_from_unix_date(F.lit(value.toordinal() - _EPOCH.toordinal()))


def _timestamp(value: dt.datetime, type_: LogicalType) -> Column:
    return F.timestamp_micros(F.lit((value - _EPOCH) // _MICROSECOND).cast("bigint"))


def _timestamp_ntz(value: dt.datetime, type_: LogicalType) -> Column:
    parts = (value.year, value.month, value.day, value.hour, value.minute)
    seconds = Decimal(value.second * _MICROSECONDS_OF_A_SECOND + value.microsecond)
    years, months, days, hours, minutes = map(F.lit, parts)
    return F.make_timestamp_ntz(years, months, days, hours, minutes, F.lit(seconds.scaleb(-6)))


def _time(value: dt.time, type_: LogicalType) -> Column:
    return F.lit(value).cast(to_spark(type_))


def _year_month(value: int, type_: LogicalType) -> Column:
    years, months = divmod(abs(value), 12)
    sign = -1 if value < 0 else 1
    made = F.make_ym_interval(F.lit(sign * years), F.lit(sign * months))
    return made.cast(to_spark(type_))


def _day_time(value: dt.timedelta, type_: LogicalType) -> Column:
    return F.lit(value).cast(to_spark(type_))


def _array(value: tuple[Any, ...], type_: ArrayType) -> Column:
    items = [value_column(item, type_.element) for item in value]
    return F.array(*items).cast(to_spark(type_))


def _map(value: tuple[tuple[Any, Any], ...], type_: MapType) -> Column:
    items = []
    for key, item in value:
        items += [value_column(key, type_.key), value_column(item, type_.value)]
    return F.create_map(*items).cast(to_spark(type_))


def _struct(value: tuple[Any, ...], type_: StructType) -> Column:
    items = []
    for field, item in zip(type_.fields, value, strict=True):
        items += [F.lit(field.name), value_column(item, field.type)]
    made = F.named_struct(*items) if items else F.struct()
    return made.cast(to_spark(type_))


_MAKERS: dict[type[LogicalType], Callable[[Any, Any], Column]] = {
    BooleanType: lambda value, type_: F.lit(value),
    **dict.fromkeys(IntegralType.__subclasses__(), _integer),
    FloatType: _float,
    DoubleType: _float,
    DecimalType: _decimal,
    StringType: _string,
    BinaryType: lambda value, type_: F.lit(bytearray(value)),
    DateType: _date,
    TimeType: _time,
    TimestampType: _timestamp,
    TimestampNtzType: _timestamp_ntz,
    YearMonthIntervalType: _year_month,
    DayTimeIntervalType: _day_time,
    ArrayType: _array,
    MapType: _map,
    StructType: _struct,
}
