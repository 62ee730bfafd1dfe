"""Type inference of calls: an argument count, validators, an input and an output strategy.

After the FLIP-51 document; all of it is data and small functions, so that a definition stays one
entry. Validators are in ``validators.py`` and ``families.py``, strategies in ``inputs.py`` and
``outputs.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import msgspec

from viewscribe.errors import ArityError
from viewscribe.expressions.functions.collation_strength import bring_together
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.inputs import InputStrategy
from viewscribe.expressions.functions.outputs import OutputStrategy
from viewscribe.expressions.functions.validators import ArgumentType
from viewscribe.expressions.properties import is_foldable
from viewscribe.types import LogicalType


class TypeInference(msgspec.Struct, frozen=True):
    """Arguments in, type out.

    Args:
        arguments: a validator for each argument.
        returns: the output strategy.
        required: how many arguments must be there.
        variadic: whether the last validator repeats.
        inputs: an input strategy, where NULLs of no type or all arguments get one from the call.
        check: a validator of the call as a whole, raising what is wrong.
    """

    arguments: tuple[ArgumentType, ...]
    returns: OutputStrategy
    required: int
    variadic: bool = False
    check: Callable[[CallContext], None] | None = None
    inputs: InputStrategy | None = None

    def infer(self, context: CallContext) -> LogicalType:
        """The type of the call; notes in the context whether values played a part.

        Raises:
            ArityError: too few or too many arguments.
            TypeMismatchError: an argument that does not fit; shows the signature.
        """
        self._check_count(context)
        context.types = self._coerce(context)
        bring_together(context)
        if self.check is not None:
            self.check(context)
        if self.inputs is not None:
            context.types = self.inputs(context)
        return self.returns(context)

    @property
    def most(self) -> int:
        """How many arguments there may be."""
        return sys.maxsize if self.variadic else len(self.arguments)

    def argument(self, place: int) -> ArgumentType:
        """The validator of the argument at a place."""
        last = len(self.arguments) - 1
        return self.arguments[place if place < last else last]

    def takes_text(self, place: int) -> bool:
        """Whether a plain Python string there is a text, not the name of a column."""
        arguments = self.arguments
        if place < len(arguments):
            return arguments[place].text
        return bool(arguments) and arguments[-1].text

    def _check_count(self, context: CallContext) -> None:
        count, function = len(context.given), context.function
        if not self.required <= count <= self.most:
            raise ArityError(
                f"{function.name} takes {self.arity}, not {count}",
                hint=f"expected: {function.signature}",
            )

    def _coerce(self, context: CallContext) -> list[LogicalType]:
        types: list[LogicalType] = []
        for index, given in enumerate(context.given):
            wanted = self.argument(index)
            type_ = wanted.coerce(context.types[index])
            if type_ is None:
                raise context.mismatch(
                    f"argument {index + 1} is {given.type.ddl}, not {wanted.description}"
                )
            if wanted.literal_only:
                context.values_seen = True
                if not is_foldable(given):
                    raise context.mismatch(f"argument {index + 1} must be a constant")
            types.append(type_)
        return types

    @property
    def arity(self) -> str:
        """The number of arguments in words."""
        if self.variadic:
            return f"at least {_describe_count(self.required)}"
        if self.most == self.required:
            return _describe_count(self.most)
        return f"{self.required} to {_describe_count(self.most)}"


def _describe_count(count: int) -> str:
    return f"{count} argument{'s' * (count != 1)}"
