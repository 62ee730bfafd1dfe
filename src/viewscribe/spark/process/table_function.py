"""A process table function as a table function that SQL text can call.

Spark's polymorphic table functions over Arrow: ``analyze`` finds the columns of the result, then
each partition gets an object of the class, whose ``eval`` is called with batches of its rows.
PySpark has no public way to make one of a class with ``analyze``; ``_create_udtf`` is what its own
decorators call, one for classic sessions and one for those of Spark Connect. Objects of one task
share a driver: to make one for each partition costs more than most partitions do.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib import import_module
from typing import Any

from pyspark.sql.types import StructType as SparkStructType
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult
from pyspark.util import PythonEvalType

from viewscribe.errors import TypeMismatchError, ValidationError, did_you_mean
from viewscribe.expressions.functions.process.context import signature_of
from viewscribe.expressions.functions.process.inference import (
    IMPLICIT,
    KEY,
    KEYS,
    NULL_TIMES,
    ON_TIME,
    ORDER_KEYS,
    REFUSE,
    TABLES,
    UID,
    Signature,
)
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.operations.build.process.arguments import check_null_times
from viewscribe.operations.build.process.call import (
    WrittenTable,
    check_written,
    empty_error,
)
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.process.plan import CallPlan, PassedTable, plan_of, refuse_timers
from viewscribe.spark.process.tasks import Task
from viewscribe.spark.process.whole_batches import WholeBatches, partitioning_of
from viewscribe.spark.types import from_spark, schema_from_spark, schema_to_spark
from viewscribe.types import DoubleType, FloatType, LogicalType, StructType


@dataclass
class ProcessAnalysis(AnalyzeResult):
    """What ``analyze`` found: the columns of the result, and the call for the tasks."""

    plan: CallPlan | None = None


_MAKERS = {True: "pyspark.sql.udtf", False: "pyspark.sql.connect.udtf"}


def table_function(function: UserFunction, *, classic: bool = True) -> Any:
    """The Spark table function of a process table function.

    Args:
        function: the function.
        classic: whether it is for a classic session, and not for one of Spark Connect.

    Raises:
        NotInterpretableError: this PySpark has no table functions over Arrow with ``analyze``.
    """
    kind = getattr(PythonEvalType, "SQL_ARROW_UDTF", None)
    try:
        create: Any = import_module(_MAKERS[classic])._create_udtf
    except (ImportError, AttributeError):
        kind = None
    if kind is None:
        raise NotInterpretableError(
            f"the process table function {function!r} as SQL text needs table functions over "
            "Arrow, which this PySpark does not have",
            hint="use Spark 4.1 or newer, or run the table itself: table.to_dataframe(spark)",
        )
    made = _handler(function.source.implementation)
    return create(made, None, function.identifier.name, kind)


def _handler(implementation: Any) -> type:
    signature = signature_of(implementation)

    class ProcessHandler:
        """One partition of a call."""

        task: Task | None = None

        def __init__(self, analysis: ProcessAnalysis) -> None:
            kind = type(self)
            if kind.task is None:
                assert analysis.plan is not None
                partitioning = partitioning_of(sys._getframe(1))
                task = kind.task = Task(analysis.plan, one_by_one=partitioning is None)
                if partitioning is not None:
                    WholeBatches(task, partitioning)
                _close_later(kind, task)
                task.driver.open()
            self._task = kind.task

        @staticmethod
        def analyze(*args: AnalyzeArgument, **named: AnalyzeArgument) -> ProcessAnalysis:
            """The columns of the result for the arguments of a call."""
            return analyze_call(implementation, signature, args, named)

        def eval(self, *args: Any, **named: Any) -> Iterator[Any]:
            """A batch of the rows of the partition; of a function without tables, its call."""
            import pyarrow as pa

            if not self._task.plan.sources:
                for made in self._task.call():
                    yield pa.Table.from_batches([made])
                return
            for value in (*args, *named.values()):
                if isinstance(value, pa.RecordBatch | pa.Table):
                    batches = value.to_batches() if isinstance(value, pa.Table) else [value]
                    for batch in batches:
                        for made in self._task.take(batch):
                            yield pa.Table.from_batches([made])

        def terminate(self) -> Iterator[Any]:
            """After the last row of the partition."""
            import pyarrow as pa

            for made in self._task.end():
                yield pa.Table.from_batches([made])

    return ProcessHandler


_OPEN: weakref.WeakKeyDictionary[type, weakref.finalize[Any, type]] = weakref.WeakKeyDictionary()
"""What closes the functions of tasks, by their handlers."""


def _close_later(handler: type, task: Task) -> None:
    """Closes a function once its task is over: when the next begins, or the worker ends.

    A worker reads the handler anew for each task, the class staying the same; Spark tells a table
    function nothing of the end of a task.
    """
    before = _OPEN.get(handler)
    if before is not None:
        before()
    _OPEN[handler] = weakref.finalize(handler, task.driver.close)


def analyze_call(
    implementation: object,
    signature: Signature,
    args: tuple[AnalyzeArgument, ...],
    named: dict[str, AnalyzeArgument],
) -> ProcessAnalysis:
    """What a call in SQL text gives.

    Raises:
        ValidationError: its arguments are not those of the function; Spark shows the message.
    """
    given = _by_name(signature, args, named)
    on_time = _texts(given.pop(ON_TIME, None), ON_TIME)
    keys = _texts(given.pop(KEYS, None), KEYS)
    order = _texts(given.pop(ORDER_KEYS, None), ORDER_KEYS)
    null_times = given.pop(NULL_TIMES, None)
    given.pop(UID, None)
    tables = _order_tables(_tables(signature, given, keys), order or on_time)
    scalars = {name: _constant(signature, name, each) for name, each in given.items()}
    written = [_describe_table(table, alone=len(tables) == 1) for table in tables]
    check_written(signature, written, on_time, scalars)
    policy = REFUSE if null_times is None else check_null_times(null_times.value)
    plan = plan_of(implementation, tables, scalars, on_time, signature, policy)
    refuse_timers(plan)
    if plan.keeps_empty:
        raise empty_error(signature)
    return ProcessAnalysis(schema=schema_to_spark(plan.fields), plan=plan)


def _by_name(
    signature: Signature, args: tuple[AnalyzeArgument, ...], named: dict[str, AnalyzeArgument]
) -> dict[str, AnalyzeArgument]:
    known = {each.name.lower(): each.name for each in signature.arguments}
    given: dict[str, AnalyzeArgument] = {}
    if len(args) > len(signature.arguments):
        raise ValidationError(
            f"{signature.name} is given {len(args)} arguments by position, and takes "
            f"{len(signature.arguments)}",
            location=signature.text,
        )
    for parameter, value in zip(signature.arguments, args, strict=False):
        given[parameter.name] = value
    for name, value in named.items():
        if known.get(name.lower()) in given:
            raise ValidationError(f"{signature.name} is given the argument `{name}` twice")
        if name.lower() in IMPLICIT:
            given[name.lower()] = value
        elif name.lower() in known:
            given[known[name.lower()]] = value
        else:
            raise ValidationError(
                f"{signature.name} has no argument `{name}`",
                location=signature.text,
                hint=did_you_mean(name, [*known.values(), *IMPLICIT]),
            )
    return given


def _tables(
    signature: Signature, given: dict[str, AnalyzeArgument], keys: tuple[str, ...]
) -> list[PassedTable]:
    union = given.pop(TABLES, None)
    if union is not None:
        return _tag(signature, union, keys)
    if not signature.tables:
        if keys:
            raise ValidationError(
                f"{signature.name} is called with {KEYS}, and takes no table", hint="leave it out"
            )
        return []
    for parameter in signature.tables:
        if parameter.name not in given:
            continue
        value = given.pop(parameter.name)
        if not value.isTable:
            raise ValidationError(
                f"the argument `{parameter.name}` of {signature.name} is a table",
                hint=f"write {parameter.name} => TABLE(…) PARTITION BY (…)",
            )
        assert isinstance(value.dataType, SparkStructType)
        columns = schema_from_spark(value.dataType)
        found = [_at(StructType(fields=columns), key) for key in keys]
        types = tuple(type_ for _, type_ in found)
        return [PassedTable(parameter.name, columns, tuple(key for key, _ in found), types)]
    raise ValidationError(f"{signature.name} is called without a table", location=signature.text)


def _order_tables(tables: list[PassedTable], order: tuple[str, ...]) -> list[PassedTable]:
    """The tables with their order; several come in that of their times."""
    if len(tables) != 1:
        return tables
    known = {field.name.lower(): field.name for field in tables[0].columns}
    return [replace(tables[0], order=tuple(known.get(name.lower(), name) for name in order))]


def _tag(signature: Signature, union: AnalyzeArgument, keys: tuple[str, ...]) -> list[PassedTable]:
    assert isinstance(union.dataType, SparkStructType)
    columns = StructType(fields=schema_from_spark(union.dataType))
    passed = [each for each in signature.tables if columns.field(each.name) is not None]
    width = len(keys) // max(len(passed), 1)
    if width * len(passed) != len(keys):
        raise ValidationError(
            f"keys has {len(keys)} names, and {signature.name} is given {len(passed)} tables",
            hint="name the keys of each table, one table after the other",
        )
    struct = columns.field(KEY)
    types: tuple[LogicalType, ...] = ()
    if struct is not None and isinstance(struct.type, StructType):
        types = tuple(field.type for field in struct.type.fields)
    tables = []
    for place, parameter in enumerate(passed):
        found = columns.field(parameter.name)
        assert found is not None
        assert isinstance(found.type, StructType)
        own = keys[place * width : (place + 1) * width]
        tables.append(PassedTable(parameter.name, found.type.fields, own, types))
    return tables


def _at(columns: StructType, path: str) -> tuple[str, LogicalType]:
    """The path of a key, with the names as the table has them, and its type."""
    whole = columns.field(path)
    if whole is not None:
        return whole.name, whole.type
    type_: LogicalType = columns
    names = []
    for name in path.split("."):
        inner = type_.field(name) if isinstance(type_, StructType) else None
        if inner is None:
            raise ValidationError(
                f"keys names `{path}`, which is no column of the table",
                location=f"({', '.join(field.name for field in columns.fields)})",
            )
        names.append(inner.name)
        type_ = inner.type
    return ".".join(names), type_


def _describe_table(table: PassedTable, *, alone: bool) -> WrittenTable:
    whole = {field.name for field in table.columns}
    keys = [(key,) if key in whole or not alone else tuple(key.split(".")) for key in table.keys]
    return WrittenTable(table.name, table.columns, tuple(keys), table.key_types)


def _texts(value: AnalyzeArgument | None, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    found = value.value
    texts = (found,) if isinstance(found, str) else tuple(found or ())
    if not texts or not all(isinstance(each, str) for each in texts):
        raise ValidationError(
            f"{name} is {found!r}, and not names of columns",
            hint=f"write {name} => 'a', or {name} => array('a', 'b')",
        )
    return texts


def _constant(signature: Signature, name: str, value: AnalyzeArgument) -> Any:
    if not value.isConstantExpression:
        raise ValidationError(
            f"the argument `{name}` of {signature.name} is no constant", hint="write a literal"
        )
    declared = signature.argument(name).type
    given = from_spark(value.dataType)
    if declared is None or value.value is None or given.same_type(declared):
        return value.value
    found = value.value
    if isinstance(found, Decimal) and isinstance(declared, FloatType | DoubleType):
        found = float(found)
    try:
        return literal(found, declared).value  # 1 is an INT in SQL, and 1.5 a DECIMAL
    except TypeMismatchError as error:
        raise ValidationError(
            f"the argument `{name}` of {signature.name} is {given.ddl}, and takes "
            f"{declared.as_nullable().ddl}",
            hint=f"write CAST(… AS {declared.as_nullable().ddl})",
        ) from error
