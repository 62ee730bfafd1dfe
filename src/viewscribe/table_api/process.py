"""Table arguments of process table functions: partitioned, ordered, named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.process.context import is_process_function
from viewscribe.expressions.functions.python import inline
from viewscribe.expressions.functions.user_defined import FunctionSource
from viewscribe.expressions.user_calls import NamedArgument, is_table
from viewscribe.operations.build.process import TableArgument, process
from viewscribe.operations.nodes import Process
from viewscribe.table_api.policy_scope import in_force

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.table import Table


class PartitionedTable:
    """An immutable, partitioned table argument of a process table function.

    Made by ``table.partition_by("key")``. Refine it with ``order_by``, ``copartition_with`` and
    ``as_argument``, then pass it to ``call(…)`` or finish with ``process``.
    """

    __slots__ = ("argument", "table")

    is_table_argument: ClassVar[bool] = True

    def __init__(self, table: Table, argument: TableArgument) -> None:
        self.table = table
        self.argument = argument

    def order_by(self, *keys: object) -> PartitionedTable:
        """Sorts the rows of each partition; with ``on_time`` the time column must come first."""
        if not keys:
            raise ValidationError("order_by() needs at least one key")
        return self._with(order_by=keys)

    def copartition_with(self, argument: str) -> PartitionedTable:
        """Co-partitions with another table of the call: equal keys share one partition."""
        return self._with(copartition=argument)

    def as_argument(self, name: str) -> NamedArgument:
        """Passes this as the argument of that name."""
        return NamedArgument(name, self)

    def process(self, function: object, *args: object, **named: object) -> Table:
        """Applies a process table function to the table.

        Args:
            function: its class, an instance of it, or its name.
            args: the other arguments, in order or with ``as_argument``.
            named: the other arguments by name, including ``on_time`` (``descriptor("ts")``),
                ``null_times`` (``"refuse"``, ``"drop"``, ``"last"``) and ``uid``.

        Raises:
            ValidationError: an argument is missing, or the function does not take it.
        """
        return call_process(self.table.env, function, (self, *args), named)

    def _with(self, **changes: Any) -> PartitionedTable:
        given = self.argument
        parts = {
            "partition_by": given.partition_by,
            "order_by": given.order_by,
            "copartition": given.copartition,
            **changes,
        }
        return PartitionedTable(self.table, TableArgument(given.operation, **parts))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"a partitioned table has no method `{name}`: it is an argument; call process(…) on "
            "it, or take groups instead: table.group_by(…)"
        )

    def __repr__(self) -> str:
        keys = ", ".join(map(repr, self.argument.partition_by or ()))
        return f"{self.table!r}.partition_by({keys})"


def call_process(
    env: TableEnvironment, function: object, args: tuple[Any, ...], named: dict[str, Any]
) -> Table:
    """Returns the table that a call of a process table function produces.

    Raises:
        ValidationError: the tables come from different environments, or the call is wrong.
    """
    from viewscribe.table_api.table import Table

    definition = _definition(env, function)
    given = [_argument(env, each) for each in args]
    by_name = {name: _argument(env, each) for name, each in named.items()}
    with env.python_modules.in_force():  # what it gives follows from the class itself
        made: Process = in_force(env, process, definition, given, by_name)
    return Table(env, made)


def _definition(env: TableEnvironment, function: Any) -> FunctionDefinition:
    if isinstance(function, str):
        return env.functions.lookup(function).function
    if isinstance(function, FunctionDefinition):
        return function

    if not isinstance(function, FunctionSource) and not is_process_function(function):
        raise ValidationError(
            f"{function!r} is no process table function",
            hint="give a class that extends viewscribe.ProcessTableFunction, an object of it, or "
            "the name of one",
        )
    return inline(function)


def _argument(env: TableEnvironment, value: Any) -> Any:
    if isinstance(value, NamedArgument):
        return NamedArgument(value.name, _argument(env, value.value))
    if not is_table(value):
        return value
    partitioned = isinstance(value, PartitionedTable)
    table = value.table if partitioned else value
    if table.env is not env:
        raise ValidationError(
            "the tables of a call come from different environments",
            hint="start all of them from the environment that makes the call",
        )
    return value.argument if partitioned else TableArgument(table.operation)
