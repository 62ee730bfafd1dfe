"""What type inference sees of a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from viewscribe.errors import TypeMismatchError
from viewscribe.expressions.functions.operand_pairs import describe_operands
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    Literal,
    OuterReference,
    ResolvedExpression,
)
from viewscribe.types import LogicalType
from viewscribe.types.nested_types import value_type
from viewscribe.types.policy import IN_FORCE as COERCION

if TYPE_CHECKING:
    from viewscribe.expressions.functions.definition import FunctionDefinition


class CallContext(msgspec.Struct):
    """What an output strategy sees of a call.

    Args:
        function: what is called.
        given: the resolved arguments.
        types: the types Spark reads them as, its implicit casts done: by default their own, in
            which CHAR and VARCHAR are STRING, however deep inside.
        literals: the values of literals that were looked at, by the place of the argument.
        args_seen: whether the arguments themselves were looked at.
        values_seen: whether anything but types and literals decided. These three say for which
            next calls the result can be kept.
    """

    function: FunctionDefinition
    given: Sequence[ResolvedExpression]
    types: Sequence[LogicalType] = ()
    literals: dict[int, Any] = msgspec.field(default_factory=dict)
    args_seen: bool = False
    values_seen: bool = False

    def __post_init__(self) -> None:
        if not self.types:
            self.types = [value_type(argument.type) for argument in self.given]

    @property
    def args(self) -> Sequence[ResolvedExpression]:
        """The resolved arguments."""
        self.args_seen = True
        return self.given

    @property
    def any_nullable(self) -> bool:
        """Whether an argument may be NULL once it is read as its type."""
        return any(type_.nullable for type_ in self.types)

    @property
    def all_nullable(self) -> bool:
        """Whether every argument may be NULL."""
        return all(type_.nullable for type_ in self.types)

    @property
    def ansi(self) -> bool:
        """Whether what cannot be computed is an error, not NULL."""
        return COERCION.get().ansi

    @property
    def timestamp(self) -> LogicalType:
        """What the word TIMESTAMP stands for, with a time zone or without."""
        return COERCION.get().timestamp

    @property
    def grouping_id(self) -> LogicalType:
        """The type of ``grouping_id()``."""
        return COERCION.get().grouping_id

    def literal(self, index: int) -> Any:
        """The value of argument ``index`` where it is a literal, else None."""
        value = self.literals[index] = literal_value(self.given, index)
        return value

    def name(self, index: int) -> str | None:
        """The name that argument ``index`` brings along: of a column, a field or an alias."""
        self.values_seen = True
        argument = self.given[index]
        if isinstance(argument, Alias | FieldReference | OuterReference):
            return argument.name
        if isinstance(argument, Call) and argument.function.built_in_name == "get_field":
            field = argument.args[1]
            return str(getattr(field, "value", None))
        return None

    def mismatch(self, reason: str) -> TypeMismatchError:
        """The error for arguments that do not fit, with the expected signature."""
        given = ", ".join(str(argument.type.ddl) for argument in self.given)
        return TypeMismatchError(
            f"{self.function.name}({given}): {reason}",
            hint=f"expected: {describe_operands(self.function)}",
        )


def literal_value(args: Sequence[ResolvedExpression], index: int) -> Any:
    """The value of argument ``index`` where it is a literal, else None."""
    argument = args[index] if index < len(args) else None
    return argument.value if type(argument) is Literal else None
