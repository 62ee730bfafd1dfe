"""Declared signatures: arguments, state and the result of a process table function.

What annotations say, or what ``type_inference()`` says instead: after ``TypeInference`` with
``StaticArgument`` of the document on process table functions.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.annotations import as_type, type_of_annotation
from viewscribe.expressions.functions.process.constants import as_python
from viewscribe.expressions.functions.process.hints import ArgumentTrait, checked_traits
from viewscribe.types import Field, LogicalType, StructType
from viewscribe.types.ddl import parse_schema

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
        return _columns_of_text(declared)
    if isinstance(declared, Sequence) and all(isinstance(each, Field) for each in declared):
        return tuple(declared)
    type_ = declared if isinstance(declared, LogicalType) else type_of_annotation(declared)
    if type_ is None:
        raise ValidationError(
            f"{what} is {declared!r}, which is no type",
            hint='write DDL, "name STRING, n BIGINT", or a dataclass',
        )
    return type_.fields if isinstance(type_, StructType) else (Field("col", type_),)


def _columns_of_text(text: str) -> tuple[Field, ...]:
    head, bracket, rest = text.strip().partition("<")
    if bracket and head.strip().upper() in ("ROW", "STRUCT") and rest.endswith(">"):
        return tuple(parse_schema(rest[:-1]))
    return tuple(parse_schema(text))
