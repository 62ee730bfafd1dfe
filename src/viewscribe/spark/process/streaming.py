"""A call over a stream: Spark's ``transformWithState``, with the driver inside.

What a stream cannot have is refused here, before it starts. The operator and its state belong to
one query with one checkpoint directory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, StructField, StructType
from pyspark.sql.types import StringType as SparkStringType

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.context import ProcessTableFunction
from viewscribe.expressions.functions.process.inference import LAST
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Process
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.joins import union_parts
from viewscribe.spark.process.input_batches import Packer
from viewscribe.spark.process.plan import CallPlan
from viewscribe.spark.types import schema_to_spark
from viewscribe.types import nested_types
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.spark.interpreter import Interpreter
    from viewscribe.spark.process.time_order import OrderKey

_DELAY = "spark.watermarkDelayMs"  # where Spark keeps the watermark of a column
_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_PACKED = ArrayType(
    StructType([StructField("key", SparkStringType()), StructField("row", SparkStringType())])
)


def over_stream(
    run: Interpreter, node: Process, plan: CallPlan, rows: DataFrame, order: Sequence[OrderPath]
) -> DataFrame:
    """The result of a call over rows that stream.

    Args:
        run: the interpretation of the tree.
        node: the call.
        plan: the call, as tasks see it.
        rows: the input, its columns named as in the tree.
        order: the paths of ORDER BY, the time among them.

    Raises:
        ValidationError, NotInterpretableError: a stream has no such result; says what to write.
    """
    _refuse_unordered(plan)
    _refuse_times(run, node, plan, rows)
    _refuse_session(run, plan)
    from viewscribe.spark.process.time_order import ArrivalProcessor, OrderedProcessor

    by_clock = plan.time_name is None
    event_time = not by_clock and not registers_periodic(plan.function)
    kind = ArrivalProcessor if by_clock else OrderedProcessor
    processor = kind(plan, _order_keys(node, plan, order), event_time=event_time)
    time = F.lit(None).cast("TIMESTAMP") if by_clock else F.col(quote_name((str(plan.time_name),)))
    packed = rows.select(
        time.alias("time"),
        F.explode(
            _make_packer(plan, rows.columns)(*[F.col(quote_name((name,))) for name in rows.columns])
        ).alias("packed"),
    ).select(F.col("packed.key").alias("key"), "time", F.col("packed.row").alias("row"))
    return packed.groupBy("key").transformWithState(
        processor.packed(),
        schema_to_spark(node.fields),
        "Append",
        "ProcessingTime" if by_clock else "EventTime",
        eventTimeColumnName=node.fields[-1].name if event_time else "",
    )


OrderPath = tuple[str, ...]


def _make_packer(plan: CallPlan, names: Sequence[str]) -> Any:
    """The Spark function that packs rows."""
    columns = tuple(names)

    def pack(*arrays: pa.Array) -> pa.Array:  # PySpark wants to see these
        return Packer(plan, columns).pack_with_call(arrays)

    arrow_udf: Any = getattr(F, "arrow_udf")  # noqa: B009  # older than PySpark's stubs
    return arrow_udf(pack, _PACKED)


def refuse_finish(plan: CallPlan) -> None:
    """A stream has no end at which ``finish`` could be called.

    Raises:
        ValidationError: the function has the method.
    """
    if plan.signature.finish is not None:
        raise ValidationError(
            f"{plan.name} has finish(), which is called at the end of the input, and a stream has "
            "none",
            hint="register a timer instead, which fires when the watermark passes it: "
            "ctx.timers().register_on_time(…)",
        )


def _refuse_unordered(plan: CallPlan) -> None:
    if plan.null_times == LAST:
        raise ValidationError(
            f"{plan.name} is called over a stream with null_times='last': rows without a time "
            "would come at its end, and it has none",
            hint="write null_times='drop'",
        )
    if plan.time_name is None and plan.signature.on_timer is None:
        raise ValidationError(
            f"{plan.name} is called over a stream without on_time: its rows would come in the "
            "order of their arrival, and the result would depend on it",
            hint='write on_time=descriptor("ts"); only a function with on_timer is called without, '
            "in processing time",
        )
    if plan.time_name is None and any(source.order for source in plan.sources):
        raise ValidationError(
            f"{plan.name} is called over a stream with ORDER BY and without on_time: in processing "
            "time its rows come in the order of their arrival",
            hint='write on_time=descriptor("ts"), or leave order_by out',
        )
    if plan.naive:
        raise ValidationError(
            f"{plan.name} is called over a stream, and the time column "
            f"`{plan.sources[0].time}` is TIMESTAMP_NTZ, for which Spark has no watermarks",
            hint="cast it before the watermark is defined: CAST(ts AS TIMESTAMP)",
        )


def _refuse_times(run: Interpreter, node: Process, plan: CallPlan, rows: DataFrame) -> None:
    """Each table streams, and its time has a watermark."""
    tables = [rows]
    if node.is_tagged and isinstance(node.child, n.SetOperation):
        tables = [_plain(run, part) for part in union_parts(node.child)]
    place = None if plan.time_name is None else rows.columns.index(plan.time_name)
    for source, table in zip(plan.sources, tables, strict=False):
        if not table.isStreaming:
            raise ValidationError(
                f"{plan.name}: the table `{source.name}` is no stream, and others of the call are",
                hint="read it as a stream too: spark.readStream, or FROM STREAM …",
            )
        if place is not None and _DELAY not in (table.schema.fields[place].metadata or {}):
            raise ValidationError(
                f"{plan.name}: the time column `{source.time}` of the table `{source.name}` has no "
                "watermark, so that nothing says when the rows up to a time have come",
                hint=f'write stream.withWatermark("{source.time}", "10 seconds") where the stream '
                f"is read, or FROM STREAM t WATERMARK {source.time} DELAY OF INTERVAL 10 SECONDS "
                "in SQL; a column that is computed afterwards has none",
            )


def _plain(run: Interpreter, part: QueryOperation) -> DataFrame:
    frame = run.frame(part)
    return frame.rows().select(*[cell.column for cell in frame.cells])


def _refuse_session(run: Interpreter, plan: CallPlan) -> None:
    """Refuses a Spark that cannot, and settings under which it does not."""
    from pyspark.sql import GroupedData

    if not hasattr(GroupedData, "transformWithState") or not hasattr(F, "arrow_udf"):
        raise NotInterpretableError(
            f"{plan.name} is called over a stream, and this PySpark has no transformWithState",
            hint="use Spark 4.1 or newer",
        )
    provider = run.spark.conf.get(_PROVIDER, "") or ""
    if not provider or provider.endswith("HDFSBackedStateStoreProvider"):
        raise NotInterpretableError(
            f"{plan.name} is called over a stream, and the session keeps the state of streams in "
            f"{provider.rpartition('.')[2] or 'its default'}, where Spark has no timers",
            hint=f'write spark.conf.set("{_PROVIDER}", "{_ROCKS_DB}")',
        )


# -- order -----------------------------------------------------------------------------------------

_SORTABLE: tuple[type[nested_types.LogicalType], ...] = (
    nested_types.BooleanType,
    nested_types.NumericType,
    nested_types.StringType,
    nested_types.CharType,
    nested_types.VarcharType,
    nested_types.BinaryType,
    nested_types.DateType,
    nested_types.TimeType,
    nested_types.TimestampType,
    nested_types.TimestampNtzType,
    nested_types.DayTimeIntervalType,
)


def _order_keys(node: Process, plan: CallPlan, paths: Sequence[OrderPath]) -> list[OrderKey]:
    """ORDER BY after the time; the number of the table comes by itself."""
    from viewscribe.spark.process.time_order import OrderKey

    if node.is_tagged:
        return []
    names = [field.name for field in plan.sources[0].columns]
    keys = []
    for order, path in list(zip(node.order, paths, strict=True))[1:]:
        type_ = order.child.type
        collation = getattr(type_, "collation", "UTF8_BINARY")
        if not isinstance(type_, _SORTABLE) or collation != "UTF8_BINARY":
            raise NotInterpretableError(
                f"{plan.name} is called over a stream, and ordered by {'.'.join(path)} "
                f"{type_.ddl}, which Python sorts in another way than Spark",
                hint="order by a number, a text without collation or a time: compute it first",
            )
        keys.append(OrderKey(names.index(path[0]), path[1:], order.descending, order.nulls_first))
    return keys


# -- periodic timers -------------------------------------------------------------------------------


def registers_periodic(function: object) -> bool:
    """Whether a method of the function, or one of its bases, registers periodic timers.

    Such a timer fires once a later row has come, so its rows may be older than the watermark, and
    Spark refuses those where their time is event time.
    """
    kind = function if isinstance(function, type) else type(function)
    return any(
        "register_on_periodic_time" in code.co_names
        for base in kind.__mro__
        if base is not ProcessTableFunction
        for each in vars(base).values()
        for code in _codes(getattr(_plain_function(each), "__code__", None))
    )


def _plain_function(member: Any) -> Any:
    return member.__func__ if isinstance(member, staticmethod | classmethod) else member


def _codes(code: CodeType | None) -> Iterator[CodeType]:
    """The code, and that of functions in it."""
    if code is not None:
        yield code
        for inner in code.co_consts:
            if isinstance(inner, CodeType):
                yield from _codes(inner)
