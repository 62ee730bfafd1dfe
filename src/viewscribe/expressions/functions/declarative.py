"""Declarative functions: what Spark lacks, said with what it has.

    SUM0 = declarative('''sum0(NUMERIC)
        The sum, 0 where there is nothing to add.''').expand_to(lambda x: coalesce(sum(x), 0))

A call is replaced by its expansion when it is resolved, so that the tree holds Spark's functions
only, and neither the serializer nor the interpreter knows of it. The FLIP-51 document leaves the
same to planner rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.entries import BuiltInFunction
from viewscribe.expressions.functions.validators import ArgumentType
from viewscribe.types import VOID, LogicalType

Expansion = Callable[..., Any]
"""From the resolved arguments, and the options by name, to an expression."""


class DeclarativeFunction(BuiltInFunction):
    """A function that stands for an expression over other functions.

    Args:
        text: its entry; the type of the result follows from the expansion.
    """

    __slots__ = ("expansion", "options")

    def __init__(self, text: str) -> None:
        super().__init__(FunctionKind.DECLARATIVE, text)

    def expand_to(
        self,
        expansion: Expansion,
        *,
        args: tuple[ArgumentType | LogicalType, ...] = (),
        options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Says what it stands for.

        Args:
            expansion: makes the expression.
            args: the validators that ``_`` stands for in the signature, in order.
            options: names of what a call says besides its arguments, with the values they have
            when a call does not say them. They are Python values, not expressions.
        """
        self.expansion = expansion
        self.options = options or {}
        return self.where(args=args, returns=lambda context: VOID)

    def options_of(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a call.

        Raises:
            ValidationError: the function has no such option.
        """
        unknown = [name for name in given if name not in self.options]
        if unknown:
            raise ValidationError(
                f"{self.name} has no option `{unknown[0]}`",
                hint=f"its options are: {', '.join(self.options)}"
                if self.options
                else f"it has none: {self.signature}",
            )
        return {**self.options, **given}


def declarative(text: str) -> DeclarativeFunction:
    """A function that Spark lacks; ``expand_to`` says it with functions that Spark has."""
    return DeclarativeFunction(text)
