"""Entries of the registry: one call a function, of which everything else is made.

    UPPER = scalar("upper", args=(STRING,), returns=STRING, doc="The text in upper case.")

After ``BuiltInFunctionDefinition`` of the FLIP-51 document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Required, TypedDict, Unpack

from viewscribe.expressions.functions.clauses import Clauses, Frames
from viewscribe.expressions.functions.collation_groups import Groups
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import (
    FunctionDefinition,
    FunctionKind,
    NewerForm,
    Parameters,
    Texts,
)
from viewscribe.expressions.functions.inference import TypeInference
from viewscribe.expressions.functions.inputs import InputStrategy
from viewscribe.expressions.functions.operand_pairs import Pairs
from viewscribe.expressions.functions.outputs import OutputStrategy, as_strategy
from viewscribe.expressions.functions.syntax import CallSyntax
from viewscribe.expressions.functions.validators import ArgumentType, as_argument
from viewscribe.types import LogicalType

Returns = LogicalType | OutputStrategy


class Names(TypedDict, total=False):
    """What an entry may say of how the function is called: as in ``FunctionDefinition``."""

    aliases: tuple[str, ...]
    methods: tuple[str, ...]
    catalyst: str | tuple[str, ...]
    catalyst_try: str | None
    spelled: str | Mapping[str, str]
    spelled_arguments: Texts
    since: str
    newer_form: NewerForm | None


class Options(Names, total=False):
    """What an entry may say besides its name.

    Args:
        args: a validator or a type for each argument.
        returns: a type (NULL when an argument is, never NULL if it says NOT NULL) or a strategy.
        optional: how many of the last arguments may be left out.
        variadic: whether the last argument repeats.
        required: how many arguments must be there, where ``optional`` does not say it.
        check: a validator of the call as a whole.
        inputs: what NULLs of no type, or all arguments, are cast to (``inputs.py``).

    The others are those of ``FunctionDefinition``.
    """

    args: tuple[ArgumentType | LogicalType, ...]
    returns: Required[Returns]
    optional: int
    variadic: bool
    required: int
    check: Callable[[CallContext], None]
    inputs: InputStrategy
    syntax: CallSyntax
    sql_name: str
    receiver: int
    parameter_names: tuple[str, ...]
    parameters: Parameters
    defaults: tuple[str, ...] | None
    within_group: bool
    clauses: Clauses
    frames: Frames
    deterministic: bool
    strict: bool
    monotone: str
    commutative: bool
    associative: bool
    picks_any_row: bool
    tells_time: bool
    never_fails: bool
    casts_to: LogicalType
    is_step: bool
    operands: Pairs
    collated: Groups
    searches_text: bool
    doc: Required[str]


_OF_TYPES = ("args", "returns", "optional", "variadic", "required", "check", "inputs")


def scalar(name: str, **options: Unpack[Options]) -> FunctionDefinition:
    """A function of one row."""
    return _define(name, FunctionKind.SCALAR, options)


def aggregate(name: str, **options: Unpack[Options]) -> FunctionDefinition:
    """A function of a group of rows; also usable over a window."""
    return _define(name, FunctionKind.AGGREGATE, options)


def window(name: str, **options: Unpack[Options]) -> FunctionDefinition:
    """A function that only works over a window, ``rank()`` for one."""
    return _define(name, FunctionKind.WINDOW, options)


def generator(name: str, **options: Unpack[Options]) -> FunctionDefinition:
    """A function that makes rows, ``explode`` for one; it returns a STRUCT of its columns."""
    return _define(name, FunctionKind.GENERATOR, options)


def table_function(name: str, **options: Unpack[Options]) -> FunctionDefinition:
    """A function that is a table, ``range`` for one; it returns a STRUCT of its columns."""
    return _define(name, FunctionKind.TABLE, options)


def _define(name: str, kind: FunctionKind, options: Options) -> FunctionDefinition:
    arguments = tuple(map(as_argument, options.get("args", ())))
    inference = TypeInference(
        arguments=arguments,
        returns=as_strategy(options["returns"]),
        required=options.get("required", len(arguments) - options.get("optional", 0)),
        variadic=options.get("variadic", False),
        check=options.get("check"),
        inputs=options.get("inputs"),
    )
    others: dict[str, Any] = {
        name: value for name, value in options.items() if name not in _OF_TYPES
    }
    if inference.most == 1:
        others.setdefault("parameter_names", ("col",))  # as PySpark calls it nearly always
    return FunctionDefinition(name, kind=kind, inference=inference, **others)
