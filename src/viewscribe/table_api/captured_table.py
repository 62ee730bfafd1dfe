"""``CapturedTable``: a table from PySpark that knows the Python line of each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes
from viewscribe.table_api.table import Table

if TYPE_CHECKING:
    from viewscribe.spark.capture.file_tables import FileTables
    from viewscribe.spark.classes import SparkSession
    from viewscribe.table_api.environment import TableEnvironment


class CapturedTable(Table):
    """A table captured or recorded from PySpark, with the Python line of each step where known.

    The lines are kept beside the tree, not in it, so that equal pipelines compare equal wherever
    they were written.
    """

    __slots__ = ("lines", "original", "spark", "tables")

    def __init__(
        self,
        env: TableEnvironment,
        operation: QueryOperation,
        lines: Notes,
        *,
        spark: SparkSession | None = None,
        original: Callable[[], Any] | None = None,
        tables: FileTables | None = None,
    ) -> None:
        super().__init__(env, operation)
        self.lines = lines
        self.spark = spark
        """The session that knows the tables; None if a catalog does."""
        self.original = original
        """Returns the original DataFrame; None once steps have been added to it."""
        self.tables = tables
        """The tables that a view of it needs beside it."""

    def with_operation(self, operation: QueryOperation) -> Table:
        return CapturedTable(self.env, operation, self.lines, spark=self.spark, tables=self.tables)

    def _build(self, builder: Callable[..., QueryOperation], *args: Any, **options: Any) -> Table:
        return self.with_operation(super()._build(builder, *args, **options).operation)

    def _notes(self, operation: QueryOperation) -> Notes:
        self.lines.carry_all(self.operation, operation)
        return self.lines
