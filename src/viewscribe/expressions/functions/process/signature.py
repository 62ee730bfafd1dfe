"""The signature of a process table function: what it takes, keeps and gives."""

from __future__ import annotations

import dataclasses
from typing import Any

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.functions.annotations import as_type
from viewscribe.expressions.functions.process.changelog import (
    OPERATION,
    OPERATION_FIELD,
    ChangelogMode,
)
from viewscribe.expressions.functions.process.hints import (
    ArgumentTrait,
)
from viewscribe.expressions.functions.process.inference import (
    IMPLICIT,
    ProcessCallContext,
    StateDeclaration,
    StaticArgument,
    columns_of,
)
from viewscribe.types import Field, LogicalType, StructType

_T = ArgumentTrait


@dataclasses.dataclass(frozen=True)
class Handler:
    """How a method of a function is called: whether with the context, and with which state."""

    takes_context: bool
    states: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Signature:
    """What a function declares.

    Args:
        name: how messages name it.
        arguments: its table and scalar arguments, in the order of ``eval``.
        states: its state, in the order of ``eval``.
        eval: how ``eval`` is called before its arguments.
        on_timer: how ``on_timer`` is called; None where there is none.
        finish: how ``finish`` is called; None where there is none.
        input_mode: whether its tables are changelogs.
        output_mode: whether its result is one.
        output: what its columns are, or a strategy that finds them by the call.
    """

    name: str
    arguments: tuple[StaticArgument, ...]
    states: tuple[StateDeclaration, ...]
    eval: Handler
    on_timer: Handler | None
    finish: Handler | None
    input_mode: ChangelogMode
    output_mode: ChangelogMode
    output: Any

    @property
    def tables(self) -> tuple[StaticArgument, ...]:
        """The table arguments."""
        return tuple(each for each in self.arguments if each.is_table)

    def argument(self, name: str) -> StaticArgument:
        """The argument of that name, without case."""
        for each in self.arguments:
            if each.name.lower() == name.lower():
                return each
        raise ValidationError(
            f"{self.name} has no argument `{name}`",
            location=self.text,
            hint=did_you_mean(name, [each.name for each in self.arguments] + list(IMPLICIT)),
        )

    @property
    def keeps_empty(self) -> bool:
        """Whether ``finish`` is called for a table without rows that is not partitioned."""
        is_kept = any(each.has(ArgumentTrait.KEEP_WHEN_EMPTY) for each in self.tables)
        return is_kept and self.finish is not None

    @property
    def passes_through(self) -> bool:
        """Whether the columns of the input row come before the function's own."""
        return any(each.has(_T.PASS_COLUMNS_THROUGH) for each in self.arguments)

    @property
    def text(self) -> str:
        """The signature in a line, for messages and to tell when it has changed."""
        arguments = ", ".join(each.text for each in self.arguments)
        states = ", ".join(
            each.name + (f" {each.type.ddl}" if isinstance(each.type, LogicalType) else "")
            for each in self.states
        )
        return f"{self.name}({arguments})" + (f" with state {states}" if states else "")

    def own_columns(self, call: ProcessCallContext) -> tuple[Field, ...]:
        """The columns that the function itself gives for a call; all but the operation nullable.

        Raises:
            ValidationError: its strategy gives no type, or columns of one name.
        """
        found = columns_of(_of_call(self.output, call), f"the result of {self.name}")
        found = tuple(Field(each.name, each.type, each.comment) for each in found)
        if self.output_mode is ChangelogMode.RETRACT:
            if any(each.name.lower() == OPERATION for each in found):
                raise ValidationError(
                    f"{self.name} gives a changelog, whose column `{OPERATION}` it may not have "
                    "among its own",
                    hint="rename that column of the result",
                )
            found = (OPERATION_FIELD, *found)
        return found

    def state_types(self, call: ProcessCallContext) -> dict[str, LogicalType]:
        """The type of each state for a call."""
        return {
            each.name: each.type
            if isinstance(each.type, LogicalType)
            else as_state(_of_call(each.type, call), f"the state `{each.name}` of {self.name}")
            for each in self.states
        }


def _is_strategy(declared: Any) -> bool:
    return callable(declared) and not isinstance(declared, type | LogicalType)


def _of_call(declared: Any, call: ProcessCallContext) -> Any:
    return declared(call) if _is_strategy(declared) else declared


def settle_columns(output: object, what: str) -> Any:
    """The columns, read here and now: where tasks run, names in annotations may mean nothing."""
    return output if _is_strategy(output) else columns_of(output, f"the result of {what}")


def as_state(declared: object, what: str) -> LogicalType:
    """The type that a state's declaration means."""
    if isinstance(declared, LogicalType):
        return declared
    if isinstance(declared, str) and declared.strip().upper().startswith(("ARRAY", "MAP")):
        return as_type(declared)
    return StructType(fields=columns_of(declared, what))
