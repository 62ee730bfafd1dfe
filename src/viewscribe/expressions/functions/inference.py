"""Type inference of calls: what arguments a function takes, and the type it gives.

After the FLIP-51 document: an argument count, input validators (``ArgumentType``) and an output
strategy. All of it is data and small functions, so that a definition stays one entry.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from viewscribe.errors import ArityError, TypeMismatchError
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    Cast,
    FieldReference,
    Literal,
    OuterReference,
    ResolvedExpression,
)
from viewscribe.types import LogicalType
from viewscribe.types.coercion import cast_introduces_null, common_type_of, merged_type_of
from viewscribe.types.policy import IN_FORCE as COERCION

if TYPE_CHECKING:
    from viewscribe.expressions.functions.definition import FunctionDefinition


class CallContext(msgspec.Struct):
    """What an output strategy sees of a call.

    Args:
        function: what is called.
        given: the resolved arguments.
        types: the types Spark reads them as, its implicit casts done: their own by default.
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
            self.types = [argument.type for argument in self.given]

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
        if isinstance(argument, Call) and argument.function.name == "get_field":
            field = argument.args[1]
            return str(getattr(field, "value", None))
        return None

    def mismatch(self, reason: str) -> TypeMismatchError:
        """The error for arguments that do not fit, with the expected signature."""
        given = ", ".join(str(argument.type.ddl) for argument in self.given)
        return TypeMismatchError(
            f"{self.function.name}({given}): {reason}",
            hint=f"expected: {self.function.signature}",
        )


def literal_value(args: Sequence[ResolvedExpression], index: int) -> Any:
    """The value of argument ``index`` where it is a literal, else None."""
    argument = args[index] if index < len(args) else None
    return argument.value if type(argument) is Literal else None


OutputStrategy = Callable[[CallContext], LogicalType]
Coercion = Callable[[LogicalType], LogicalType | None]


class ArgumentType(msgspec.Struct, frozen=True):
    """A validator of one argument.

    Args:
        description: how signatures show it, ``STRING`` or ``<numeric>``.
        coerce: the type that Spark reads an argument of a given type as, nullability included, or
            None where it refuses.
        literal_only: whether the argument must be a constant.
        parameters: for a lambda, the types of its parameters, from the arguments before it.
        fewest_parameters: how many of these the lambda must take.
        text: whether a plain Python string given to ``functions.f(…)`` is a literal; elsewhere it
            is the name of a column, as in PySpark.
    """

    description: str
    coerce: Coercion
    literal_only: bool = False
    parameters: Callable[[CallContext], tuple[LogicalType, ...]] | None = None
    fewest_parameters: int = 0
    text: bool = False

    def accepts(self, type_: LogicalType) -> bool:
        """Whether an argument of the type passes, implicit casts included."""
        return self.coerce(type_) is not None


def literal(argument: ArgumentType | LogicalType) -> ArgumentType:
    """The same argument, which must be a constant."""
    base = as_argument(argument)
    return msgspec.structs.replace(base, literal_only=True, text=True)


def text(argument: ArgumentType | LogicalType) -> ArgumentType:
    """The same argument, for which ``functions.f(…)`` takes a Python string as a literal."""
    return msgspec.structs.replace(as_argument(argument), text=True)


def as_argument(argument: ArgumentType | LogicalType) -> ArgumentType:
    """A validator from a type: passes what Spark casts to it implicitly."""
    if isinstance(argument, ArgumentType):
        return argument
    from viewscribe.expressions.functions.families import implicitly

    return implicitly(argument)


def from_type(type_: LogicalType) -> OutputStrategy:
    """Always that type: never NULL if it says so, else NULL when an argument may be."""
    if not type_.nullable:
        return lambda context: type_
    not_null = type_.not_null()
    return lambda context: type_ if context.any_nullable else not_null


def as_strategy(returns: LogicalType | OutputStrategy) -> OutputStrategy:
    """A strategy as it is; a type as ``from_type`` reads it."""
    return from_type(returns) if isinstance(returns, LogicalType) else returns


def always_nullable(returns: LogicalType | OutputStrategy) -> OutputStrategy:
    """The type, NULL allowed whatever the arguments are."""
    if isinstance(returns, LogicalType):
        given = returns.as_nullable()
        return lambda context: given
    strategy = returns
    return lambda context: strategy(context).as_nullable()


def null_without_ansi(returns: LogicalType | OutputStrategy) -> OutputStrategy:
    """The type; NULL allowed where ANSI is off, for what cannot be computed is NULL then."""
    strategy = as_strategy(returns)

    def nullable_if_off(context: CallContext) -> LogicalType:
        found = strategy(context)
        return found if context.ansi else found.as_nullable()

    return nullable_if_off


def never_null(returns: LogicalType | OutputStrategy) -> OutputStrategy:
    """The type, never NULL."""
    strategy = as_strategy(returns)
    return lambda context: strategy(context).not_null()


def argument(index: int) -> OutputStrategy:
    """The type of argument ``index``, NULL when any argument may be."""
    return lambda context: context.types[index].with_nullability(context.any_nullable)


def exactly_argument(index: int) -> OutputStrategy:
    """The type of argument ``index`` with its own nullability."""
    return lambda context: context.types[index]


def common(first: int = 0) -> OutputStrategy:
    """The common type of the arguments from ``first`` on; NULL when one of them may be.

    Raises:
        TypeMismatchError: the arguments have no common type.
    """
    return lambda context: merged_type(context, context.types[first:])


def common_unless_all_null(context: CallContext) -> LogicalType:
    """The common type of the arguments; NULL only when all of them may be."""
    found = common_type_of(context.types)
    if found is None:
        raise context.mismatch("the arguments have no common type")
    nullable = all(type_.nullable or cast_introduces_null(type_, found) for type_ in context.types)
    return found.with_nullability(nullable)


def merged_type(context: CallContext, types: Sequence[LogicalType]) -> LogicalType:
    """The common type of ``types``, or the error that says there is none."""
    found = merged_type_of(types)
    if found is None:
        raise context.mismatch("the arguments have no common type")
    return found


class TypeInference(msgspec.Struct, frozen=True):
    """Arguments in, type out.

    Args:
        arguments: a validator for each argument.
        returns: the output strategy.
        required: how many arguments must be there.
        variadic: whether the last validator repeats.
        check: a validator of the call as a whole, raising what is wrong.
    """

    arguments: tuple[ArgumentType, ...]
    returns: OutputStrategy
    required: int
    variadic: bool = False
    check: Callable[[CallContext], None] | None = None

    def infer(self, context: CallContext) -> LogicalType:
        """The type of the call; notes in the context whether values played a part.

        Raises:
            ArityError: too few or too many arguments.
            TypeMismatchError: an argument that does not fit; shows the signature.
        """
        self._check_count(context)
        context.types = self._coerced(context)
        if self.check is not None:
            self.check(context)
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

    def _coerced(self, context: CallContext) -> list[LogicalType]:
        types: list[LogicalType] = []
        for index, given in enumerate(context.given):
            wanted = self.argument(index)
            type_ = wanted.coerce(given.type)
            if type_ is None:
                raise context.mismatch(
                    f"argument {index + 1} is {given.type.ddl}, not {wanted.description}"
                )
            if wanted.literal_only:
                context.values_seen = True
                if type(given) is not Literal and not _is_constant(given):
                    raise context.mismatch(f"argument {index + 1} must be a constant")
            types.append(type_)
        return types

    @property
    def arity(self) -> str:
        """The number of arguments in words."""
        if self.variadic:
            return f"at least {_counted(self.required)}"
        if self.most == self.required:
            return _counted(self.most)
        return f"{self.required} to {_counted(self.most)}"


def _counted(count: int) -> str:
    return f"{count} argument{'s' * (count != 1)}"


def _is_constant(expression: ResolvedExpression) -> bool:
    return all(
        type(node) in (Literal, Cast) or (isinstance(node, Call) and node.function.deterministic)
        for node in preorder(expression)
    )
