"""Running a view over given rows in DuckDB, where its translation is known to be faithful."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.protocol import fold
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.node import Node, preorder, replace
from viewscribe.expressions.nodes import AggregateCall, Call, Literal
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource
from viewscribe.serializer.dialects import to_dialect
from viewscribe.snapshots.rows.inputs import Table, View
from viewscribe.snapshots.rows.subjects import ViewTestError, found_value
from viewscribe.types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    IntegralType,
    IntType,
    LogicalType,
    SmallIntType,
    StringType,
    TimestampNtzType,
    TimestampType,
    TinyIntType,
    VarcharType,
)

if TYPE_CHECKING:
    import duckdb

_TO_SPARK = 'run the test in Spark: engine="spark", --engine spark'
# Nothing outside is read, and nothing fetched that the database lacks.
_ALONE: dict[str, Any] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_NO_COLUMN = '"viewscribe: no column" BOOLEAN'
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_TYPES: dict[type[LogicalType], str] = {
    BooleanType: "BOOLEAN",
    TinyIntType: "TINYINT",
    SmallIntType: "SMALLINT",
    IntType: "INTEGER",
    BigIntType: "BIGINT",
    FloatType: "REAL",
    DoubleType: "DOUBLE",
    StringType: "VARCHAR",
    VarcharType: "VARCHAR",
    BinaryType: "BLOB",
    DateType: "DATE",
    TimestampType: "TIMESTAMPTZ",
    TimestampNtzType: "TIMESTAMP",
}


def run_on_duckdb(view: View) -> list[tuple[Any, ...]]:
    """Returns the rows of a view, with the values of literals.

    Args:
        view: the view with rows for its tables.

    Raises:
        ViewTestError: something in the view, or the type of a column, may mean something else in
            DuckDB; says what.
    """
    connection = _connect()
    try:
        tables = _Tables(connection)
        tree = tables.expand(view)
        try:
            text = to_dialect(tree, "duckdb")
        except ViewscribeError as error:
            raise ViewTestError(f"{view.subject.label}: {error.message}", hint=_TO_SPARK) from error
        try:
            return _fetch(connection, text, view)
        except ViewTestError as error:
            raise tables.refusal() or error from error
    finally:
        connection.close()


def _connect() -> duckdb.DuckDBPyConnection:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise ViewTestError(
            "the engine duckdb is not installed", hint='pip install "viewscribe[test]"'
        ) from error
    connection = duckdb.connect(":memory:", config=_ALONE)
    connection.execute("PRAGMA disable_optimizer")  # which computes a > -1 of a + 1 > 0
    return connection


class _Tables:
    """The tables of a test in a database."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._numbers = count(1)
        self._left_out: list[Field] = []
        self.total = 0
        """What all large numbers of the tables are together, without their signs."""

    def refusal(self) -> ViewTestError | None:
        """Returns why a query is not run that reads a column which no table has here."""
        if not self._left_out:
            return None
        shown = ", ".join(f"`{each.name}` is {each.type}" for each in self._left_out)
        return ViewTestError(
            f"{shown}, which is not known to be the same in duckdb", hint=_TO_SPARK
        )

    def expand(self, view: View) -> QueryOperation:
        """Returns the tree of a view over tables with the given rows."""
        subject = view.subject
        if subject.tree is None:
            raise ViewTestError(f"{subject.label}: its text is read by Spark alone", hint=_TO_SPARK)
        made = {
            tuple(fold(part) for part in path): (
                self.expand(source) if isinstance(source, View) else self._create(source)
            )
            for path, source in view.sources.items()
        }
        _require_exact(view, subject.tree, self.total)

        def over_given(node: Node) -> Node:
            if not isinstance(node, CatalogSource):
                return node
            source = made[tuple(fold(part) for part in node.path)]
            _require_columns(node, source)
            return source

        tree = replace(subject.tree, over_given)
        assert isinstance(tree, QueryOperation)
        return tree

    def _create(self, table: Table) -> CatalogSource:
        name = f"given_{next(self._numbers)}"
        types = [_in_duckdb(field.type) for field in table.fields]
        self._left_out += [
            field for field, type_ in zip(table.fields, types, strict=True) if type_ is None
        ]
        columns = [
            f"{_quote(field.name)} {type_}"
            for field, type_ in zip(table.fields, types, strict=True)
            if type_ is not None
        ]
        # A table has a column at least; rows are told apart by nothing else where all are left out.
        self._connection.execute(f"CREATE TABLE {name} ({', '.join([*columns, _NO_COLUMN])})")
        for place, field in enumerate(table.fields):
            if isinstance(field.type, BigIntType):
                self.total += sum(abs(int(row[place].value or 0)) for row in table.rows)
        if table.rows:
            marks = ", ".join(["?"] * len(columns) + ["NULL"])
            rows = [
                [
                    _parameter(cell.value)
                    for cell, type_ in zip(row, types, strict=True)
                    if type_ is not None
                ]
                for row in table.rows
            ]
            self._connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        return CatalogSource.of(("memory", "main", name), table.fields)


def _require_columns(read: CatalogSource, source: QueryOperation) -> None:
    """Refuses a view whose columns are not those that its reader was made with, in their order."""
    wanted = [(fold(each.name), each.type.with_nullability(True)) for each in read.fields]
    there = [(fold(each.name), each.type.with_nullability(True)) for each in source.schema.fields]
    if wanted != there:
        raise ViewTestError(
            f"`{'.'.join(read.path)}` has other columns now than when its reader was stored",
            hint=_TO_SPARK,
        )


def _require_exact(view: View, tree: QueryOperation, total: int) -> None:
    """Refuses what DuckDB computes otherwise: quotients of DECIMAL, and divisions by zero.

    And sums of which Spark cannot hold a part, although it could hold the whole. Each view has
    settings of its own, which say whether Spark fails.
    """
    ansi = view.subject.document.settings.get("spark.sql.ansi.enabled", "true").lower() == "true"
    for node in preorder(tree):
        reason = _why_not_exact(node, ansi=ansi, total=total)
        if reason is not None:
            raise ViewTestError(f"{view.subject.label}: {reason}", hint=_TO_SPARK)


def _why_not_exact(node: Node, *, ansi: bool, total: int) -> str | None:
    if not isinstance(node, Call | AggregateCall):
        return None
    name = node.function.built_in_name
    if name == "avg" and isinstance(node.args[0].type, DecimalType | BigIntType):
        return f"avg of {node.args[0].type}, of which duckdb computes 15 digits"
    if name == "sum" and isinstance(node.args[0].type, BigIntType) and total >= 1 << 63:
        return "a sum of numbers so large that it may overflow on the way"
    if name not in ("divide", "mod"):
        return None
    divisor = node.args[1]
    if ansi and not (isinstance(divisor, Literal) and divisor.value):
        return "a divisor that may be 0, for which Spark fails and duckdb gives NULL"
    if name == "divide" and isinstance(node.type, DecimalType):
        return f"a quotient of {node.type}, of which duckdb computes 15 digits"
    return None


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _in_duckdb(type_: LogicalType) -> str | None:
    """The type of a column in DuckDB; None for one that is not known to be the same."""
    if isinstance(type_, DecimalType):
        return f"DECIMAL({type_.precision}, {type_.scale})"
    if isinstance(type_, ArrayType):
        element = _in_duckdb(type_.element)
        return None if element is None else f"{element}[]"
    return _TYPES.get(type(type_))


def _parameter(value: Any) -> Any:
    return [_parameter(each) for each in value] if isinstance(value, tuple) else value


def _fetch(connection: Any, text: str, view: View) -> list[tuple[Any, ...]]:
    fields = view.subject.fields
    instants = [isinstance(field.type, TimestampType) for field in fields]
    if any(instants):  # reading one takes a library of time zones
        items = [
            f"epoch_us({name})" if instant else name
            for name, instant in zip([f"c{n}" for n in range(len(fields))], instants, strict=True)
        ]
        names = ", ".join(f"c{n}" for n in range(len(fields)))
        text = f"SELECT {', '.join(items)} FROM (\n{text}\n) AS made({names})"
    import duckdb

    try:
        rows = connection.execute(text).fetchall()
    except duckdb.Error as error:
        raise ViewTestError(f"{view.subject.label}: duckdb: {error}", hint=_TO_SPARK) from error
    for row in rows:
        for value, field in zip(row, fields, strict=True):
            if isinstance(field.type, IntegralType) and value is not None:
                _require_fit(value, field)
            if isinstance(field.type, DateType | TimestampNtzType) and isinstance(value, str):
                raise ViewTestError(f"`{field.name}` is {value}, of which Python has no value")
    readers: list[Callable[[Any], Any]] = [
        _instant if instant else lambda value: value for instant in instants
    ]
    return [
        tuple(
            found_value(read(value), field.type)
            for value, read, field in zip(row, readers, fields, strict=True)
        )
        for row in rows
    ]


def _require_fit(value: int, field: Field) -> None:
    """Refuses a number that is too large for its type: Spark fails there."""
    assert isinstance(field.type, IntegralType)
    if not -(1 << (field.type.bits - 1)) <= value < 1 << (field.type.bits - 1):
        raise ViewTestError(f"`{field.name}` overflows: {value} is no {field.type.ddl}")


def _instant(microseconds: int | None) -> dt.datetime | None:
    return None if microseconds is None else _EPOCH + dt.timedelta(microseconds=microseconds)
