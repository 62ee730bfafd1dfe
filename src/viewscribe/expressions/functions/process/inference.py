"""Declared signatures: arguments, state and the result of a process table function.

What annotations say, or what ``type_inference()`` says instead: after ``TypeInference`` with
``StaticArgument`` of the document on process table functions.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.functions.annotations import as_type, type_of_annotation
from viewscribe.expressions.functions.process.hints import ArgumentTrait, checked_traits
from viewscribe.expressions.functions.process.rows import (
    OPERATION,
    OPERATION_FIELD,
    ChangelogMode,
    row_class,
)
from viewscribe.types import ArrayType, Field, LogicalType, MapType, StructType, TimestampType
from viewscribe.types.ddl import parse_schema

# Constants as functions see them, whether a tree holds them or Spark hands them over.


def as_python(held: object, type_: LogicalType | None) -> Any:
    """The value of a scalar argument.

    An ARRAY is a list, a MAP a dict, a STRUCT a ``Row``, a TIMESTAMP a datetime in UTC: as the
    values of a row are.

    Args:
        held: the value of a literal, or what Spark calls ``analyze`` with.
        type_: the type of the argument.
    """
    convert = None if held is None or type_ is None else _CONVERTERS.get(type(type_))
    return held if convert is None else convert(held, type_)


def _list(held: Any, type_: ArrayType) -> list[Any]:
    return [as_python(each, type_.element) for each in held]


def _dict(held: Any, type_: MapType) -> dict[Any, Any]:
    """In the order of the keys' texts, for Spark hands maps over in any."""
    pairs = sorted(
        held.items() if isinstance(held, Mapping) else held, key=lambda pair: str(pair[0])
    )
    return {as_python(k, type_.key): as_python(v, type_.value) for k, v in pairs}


def _row(held: Any, type_: StructType) -> Any:
    row = row_class([field.name for field in type_.fields])
    return row(as_python(v, field.type) for v, field in zip(held, type_.fields, strict=True))


def _moment(held: dt.datetime, type_: TimestampType) -> dt.datetime:
    return held.astimezone(dt.UTC)  # without a time zone, Spark means that of the machine


_CONVERTERS: dict[type[LogicalType], Callable[[Any, Any], Any]] = {
    ArrayType: _list,
    MapType: _dict,
    StructType: _row,
    TimestampType: _moment,
}


ON_TIME, UID, KEYS, TABLES = "on_time", "uid", "keys", "tables"
ORDER_KEYS, NULL_TIMES = "order_keys", "null_times"
IMPLICIT = (ON_TIME, NULL_TIMES, UID, KEYS, ORDER_KEYS, TABLES)
"""Arguments that every call may have: the time columns, what is done with rows that have no time,
the name of the call; and those that only SQL has, where Spark does not tell a function how it was
called: the columns of PARTITION BY, those of ORDER BY where they are more than the time, several
tables in one.
"""

REFUSE, DROP, LAST = NULL_TIME_POLICIES = ("refuse", "drop", "last")
"""What is done with rows whose time is NULL: an error, nothing, or they come after all others."""

KEY, TIME, SOURCE = "__key", "__time", "__source"
"""The columns of several tables in one: a STRUCT of the keys, the time, the number of the table."""


@dataclass(frozen=True)
class StaticArgument:
    """An argument of a process table function; neither overloaded nor repeated.

    Args:
        name: what calls name it.
        traits: what it is, and what it wants of calls.
        type: of a scalar its type, of a table the columns that it must have at least, as a STRUCT;
            None for a table of any columns.
        is_optional: whether a call may leave it out, which gives None.
        row: the class that rows are given as, a dataclass or a named tuple; ``Row`` where None.
        default: what a scalar is where a call leaves it out.
    """

    name: str
    traits: frozenset[ArgumentTrait]
    type: LogicalType | None = None
    is_optional: bool = False
    row: Any = field(default=None, compare=False)
    default: Any = field(default=None, compare=False)

    @staticmethod
    def scalar(
        name: str, type: LogicalType | str, *, is_optional: bool = False, default: object = None
    ) -> StaticArgument:
        """A constant; one with a default may be left out."""
        return StaticArgument(
            name,
            frozenset((ArgumentTrait.SCALAR,)),
            as_type(type),
            is_optional or default is not None,
            default=default,
        )

    @staticmethod
    def table(
        name: str,
        *traits: ArgumentTrait,
        type: LogicalType | str | None = None,
        is_optional: bool = False,
    ) -> StaticArgument:
        """A table; TABLE_AS_ROW where no trait says what it is."""
        given = traits or (ArgumentTrait.TABLE_AS_ROW,)
        return StaticArgument(
            name,
            checked_traits(given, f"the table argument `{name}`"),
            None if type is None else as_type(type),
            is_optional,
        )

    @property
    def is_table(self) -> bool:
        """Whether it is a table."""
        return ArgumentTrait.SCALAR not in self.traits

    @property
    def is_set(self) -> bool:
        """Whether it is a table whose rows are processed by partition."""
        return ArgumentTrait.TABLE_AS_SET in self.traits

    def has(self, trait: ArgumentTrait) -> bool:
        """Whether it has the trait."""
        return trait in self.traits

    def value(self, given: Mapping[str, Any]) -> Any:
        """What a scalar is in a call that gives these, by name; its default where it gives none."""
        return as_python(given[self.name], self.type) if self.name in given else self.default

    @property
    def text(self) -> str:
        """The declaration in a line: ``input TABLE_AS_SET REQUIRES_TIME_ATTRIBUTE``."""
        words = [self.name]
        if self.is_table:
            words += sorted(trait.value for trait in self.traits)
        if self.type is not None:
            words.append(self.type.as_nullable().ddl)
        return ("[{}]" if self.is_optional else "{}").format(" ".join(words))


@dataclass(frozen=True)
class ProcessCallContext:
    """A call as strategies see it: ``type_strategy(call) -> type``.

    Args:
        function: how messages name the function.
        tables: the columns of each table argument that was passed.
        scalars: the values of the scalar arguments; None where one was left out.
        on_time: the names of the time columns.
        keys: the columns of PARTITION BY of each table.
    """

    function: str
    tables: Mapping[str, StructType]
    scalars: Mapping[str, Any]
    on_time: tuple[str, ...] = ()
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def data_type_of(self, argument: str) -> StructType:
        """The columns of a table argument.

        Raises:
            ValidationError: the call does not pass it.
        """
        found = self.tables.get(argument)
        if found is None:
            raise ValidationError(f"{self.function} is called without the table `{argument}`")
        return found

    def value_of(self, argument: str) -> Any:
        """The value of a scalar argument; None where it was left out."""
        return self.scalars.get(argument)


TypeStrategy = Callable[[ProcessCallContext], Any]
"""From a call to a type: DDL text, a ``LogicalType``, a dataclass, a list of ``Field``."""


@dataclass(frozen=True)
class StateDeclaration:
    """One state.

    Args:
        name: what ``ctx.clear_state`` names it.
        type: its type, or a strategy that finds it by the call.
        make: gives new state; None for what stands for the type: a row of its columns, a list, a
            map.
        ttl: how long it lasts in event time after it was changed last.
        annotation: how ``eval`` annotates it: which classes its values are of.
    """

    name: str
    type: LogicalType | TypeStrategy
    make: Callable[[], Any] | None = None
    ttl: dt.timedelta | None = None
    annotation: Any = field(default=None, compare=False)


@dataclass(frozen=True)
class ProcessTypeInference:
    """The explicit signature that ``type_inference()`` of a function returns.

    Args:
        static_arguments: the arguments of ``eval`` after the context and the state, in order.
        output_type: the columns of the result: a type, or a strategy over the call.
        state_types: the state of ``eval`` after the context, in order: types or strategies. A
            STRUCT is given as a ``MutableRow``, its fields None at first, an ARRAY as ``ListState``
            and a MAP as ``MapState``.
        state_ttl: how long a state lasts, by its name.
    """

    static_arguments: Sequence[StaticArgument]
    output_type: Any
    state_types: Mapping[str, Any] = field(default_factory=dict)
    state_ttl: Mapping[str, dt.timedelta] = field(default_factory=dict)


def columns_of(declared: object, what: str) -> tuple[Field, ...]:
    """The columns that an output type or strategy means.

    Args:
        declared: DDL (``"s STRING, n BIGINT"``, ``"ROW<s STRING>"``), a type, fields, a dataclass
            or named tuple, or a class of Python that stands for a type, as in annotations.
        what: how messages name it.
    """
    if isinstance(declared, str):
        head, bracket, rest = declared.strip().partition("<")
        if bracket and head.strip().upper() in ("ROW", "STRUCT") and rest.endswith(">"):
            return tuple(parse_schema(rest[:-1]))
        return tuple(parse_schema(declared))
    if isinstance(declared, Sequence) and all(isinstance(each, Field) for each in declared):
        return tuple(declared)
    type_ = declared if isinstance(declared, LogicalType) else type_of_annotation(declared)
    if type_ is None:
        raise ValidationError(
            f"{what} is {declared!r}, which is no type",
            hint='write DDL, "name STRING, n BIGINT", or a dataclass',
        )
    return type_.fields if isinstance(type_, StructType) else (Field("col", type_),)


# The signature of a process table function: what it takes, keeps and gives.

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


# The columns of a call: partition columns, the function's own, the time.

ROWTIME = "rowtime"

Passed = tuple[Sequence[tuple[str, LogicalType]], Sequence[Field]]
"""The partition columns of all tables, and all columns of the first."""


def result_columns(
    signature: Signature, call: ProcessCallContext, passed: Passed, time: LogicalType | None
) -> tuple[Field, ...]:
    """The columns of the result, in the order of the SQL standard.

    Partition columns table by table (or all columns, where they pass through), the function's own,
    then ``rowtime`` where the call names a time, of that type. Of equal names the later get a
    number: ``id0``.
    """
    keys, columns = passed
    before = (
        [Field(each.name, each.type) for each in columns]
        if signature.passes_through
        else [Field(name, type_) for name, type_ in keys]
    )
    found = [*before, *signature.own_columns(call)]
    if time is not None:
        found.append(Field(ROWTIME, time))
    return tuple(
        Field(name, each.type, each.comment)
        for name, each in zip(make_unique([each.name for each in found]), found, strict=True)
    )


def make_unique(names: Sequence[str]) -> list[str]:
    """The names; of those that are equal without case, the later with a number after them."""
    taken = {name.lower() for name in names}
    seen: set[str] = set()
    result = []
    for name in names:
        chosen, number = name, 0
        while chosen.lower() in seen or (chosen is not name and chosen.lower() in taken):
            chosen, number = f"{name}{number}", number + 1
        seen.add(chosen.lower())
        result.append(chosen)
    return result
