"""Declarative functions: what Spark lacks, said with what it has.

    SUM0 = declarative("sum0", args=(NUMERIC,), expansion=lambda x: coalesce(sum(x), 0), doc="…")

A call is replaced by its expansion when it is resolved, so that the tree holds Spark's functions
only, and neither the serializer nor the interpreter knows of it. The FLIP-51 document leaves the
same to planner rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.inference import TypeInference
from viewscribe.expressions.functions.validators import ArgumentType, as_argument
from viewscribe.types import VOID, LogicalType

Expansion = Callable[..., Any]
"""From the resolved arguments, and the options by name, to an expression."""


class DeclarativeFunction(FunctionDefinition):
    """A function that stands for an expression over other functions.

    Args:
        name: unique name in the registry.
        inference: what the arguments must be; the type of the result follows from the expansion.
        expansion: makes the expression.
        options: names of what a call says besides its arguments, with the values they have when
            a call does not say them. They are Python values, not expressions.
        methods: further names of the method on expressions.
        aliases: further names of the function.
        doc: one line that says what it gives.
    """

    __slots__ = ("expansion", "options")

    def __init__(
        self,
        name: str,
        *,
        inference: TypeInference,
        expansion: Expansion,
        options: Mapping[str, Any],
        methods: tuple[str, ...],
        aliases: tuple[str, ...],
        doc: str,
    ) -> None:
        super().__init__(
            name,
            kind=FunctionKind.DECLARATIVE,
            inference=inference,
            methods=methods,
            aliases=aliases,
            doc=doc,
        )
        self.expansion = expansion
        self.options = options

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


def declarative(
    name: str,
    *,
    args: tuple[ArgumentType | LogicalType, ...],
    expansion: Expansion,
    doc: str,
    optional: int = 0,
    variadic: bool = False,
    options: Mapping[str, Any] | None = None,
    methods: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
) -> DeclarativeFunction:
    """A function that Spark lacks; ``expansion`` says it with functions that Spark has."""
    arguments = tuple(map(as_argument, args))
    return DeclarativeFunction(
        name,
        inference=TypeInference(
            arguments=arguments,
            returns=lambda context: VOID,
            required=len(arguments) - optional,
            variadic=variadic,
        ),
        expansion=expansion,
        options=options or {},
        methods=methods,
        aliases=aliases,
        doc=doc,
    )
