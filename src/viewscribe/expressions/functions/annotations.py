"""The types that annotations of Python functions mean.

==============================  ==================================================
annotation                      type
==============================  ==================================================
bool, int, float, str, bytes    BOOLEAN, BIGINT, DOUBLE, STRING, BINARY
Decimal                         DECIMAL(38, 18)
date, datetime, time            DATE, TIMESTAMP, TIME
timedelta                       INTERVAL DAY TO SECOND
list[T], dict[K, V]             ARRAY<T>, MAP<K, V>
NamedTuple, dataclass           STRUCT of its fields
Annotated[T, "INT"]             what the text says
T | None                        T
Iterator[T], Generator[T, …]    T, of each row
pyarrow.Array                   none: Arrow's types are not Spark's
==============================  ==================================================
"""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime as dt
import types
import typing
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Union

from viewscribe.errors import ValidationError
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DAY_TIME_INTERVAL,
    DOUBLE,
    STRING,
    TIME,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    Field,
    LogicalType,
    MapType,
    StructType,
)
from viewscribe.types.ddl import parse_type

_ATOMS: dict[Any, LogicalType] = {
    bool: BOOLEAN,
    int: BIGINT,
    float: DOUBLE,
    str: STRING,
    bytes: BINARY,
    Decimal: DecimalType(precision=38, scale=18),
    dt.date: DATE,
    dt.datetime: TIMESTAMP,
    dt.time: TIME,
    dt.timedelta: DAY_TIME_INTERVAL,
}

_ROWS = (
    list,
    collections.abc.Sequence,
    collections.abc.AsyncIterator,
    collections.abc.AsyncIterable,
    collections.abc.AsyncGenerator,
)
"""What asynchronous table functions give."""

_ITERATORS = (collections.abc.Iterator, collections.abc.Iterable, collections.abc.Generator)


class Hints:
    """The annotations of a function, and what they mean.

    Args:
        function: the function, or the method, that has them.
        what: how messages name it.
    """

    def __init__(self, function: object, what: str) -> None:
        self._what = what
        self._unread: str | None = None
        self._known: dict[str, Any] = {}
        try:
            self._known = typing.get_type_hints(function, include_extras=True)
        except (NameError, TypeError) as error:  # a builtin, or a name only type checkers import
            self._unread = str(error)

    def get(self, name: str) -> Any:
        """The annotation of a parameter, or of ``return``; None where there is none."""
        return self._known.get(name)

    def of_parameters(self) -> list[Any]:
        """The annotations of all parameters that have one."""
        return [found for name, found in self._known.items() if name != "return"]

    def type_of(self, name: str) -> LogicalType:
        """The type that the annotation of a parameter, or of ``return``, means.

        Raises:
            ValidationError: there is no annotation, or none that stands for a type.
        """
        place = "its result" if name == "return" else f"its parameter `{name}`"
        if name not in self._known:
            cause = f" ({self._unread})" if self._unread and "name" in self._unread else ""
            raise ValidationError(
                f"{self._what} does not say the type of {place}{cause}",
                hint="annotate it, or give parameters=… and returns=…",
            )
        return self._type_of(self._known[name], place)

    def rows(self) -> LogicalType:
        """The type of each row that an asynchronous table function gives.

        Raises:
            ValidationError: its result is not annotated, or with what is no list of rows.
        """
        annotation = self._known.get("return")
        if typing.get_origin(annotation) in _ROWS:
            return self._type_of(typing.get_args(annotation)[0], "each row of its result")
        if annotation is not None:
            raise ValidationError(
                f"{self._what} gives rows, and {annotation!r} is no list of them",
                hint="write -> list[Row], without rows [], or -> AsyncIterator[Row] where it "
                "yields them; or give returns=…, a STRUCT of the columns",
            )
        return self.type_of("return")

    def _type_of(self, annotation: Any, place: str) -> LogicalType:
        found = type_of_annotation(annotation)
        if found is not None:
            return found
        if is_arrow(annotation) or is_arrow(item_of(annotation)):
            raise ValidationError(
                f"{self._what} takes and gives arrays of Arrow, whose types are not Spark's: "
                f"nothing says the type of {place}",
                hint='write Annotated[pyarrow.Array, "INT"], or give parameters=… and returns=…',
            )
        raise ValidationError(
            f"{self._what}: no type of Spark stands for {annotation!r}, the type of {place}",
            hint='write Annotated[…, "DECIMAL(10, 2)"], or give parameters=… and returns=…',
        )


def type_of_annotation(annotation: object) -> LogicalType | None:
    """The type that an annotation means, or None."""
    if annotation in _ATOMS:
        return _ATOMS[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        said = next((each for each in inner[1:] if isinstance(each, str | LogicalType)), None)
        return type_of_annotation(inner[0]) if said is None else as_type(said)
    if origin in (Union, types.UnionType):
        some = [each for each in inner if each is not type(None)]
        return type_of_annotation(some[0]) if len(some) == 1 else None
    if origin in (list, Sequence):
        element = type_of_annotation(inner[0])
        return None if element is None else ArrayType(element=element)
    if origin is dict:
        key, value = map(type_of_annotation, inner)
        return None if key is None or value is None else MapType(key=key.not_null(), value=value)
    if origin in _ITERATORS:
        return type_of_annotation(inner[0])
    if dataclasses.is_dataclass(annotation):
        names = [field.name for field in dataclasses.fields(annotation)]
    elif hasattr(annotation, "_fields") and hasattr(annotation, "__annotations__"):
        names = list(annotation._fields)
    else:
        return None
    hints = typing.get_type_hints(annotation, include_extras=True)
    found = [(name, type_of_annotation(hints[name])) for name in names]
    if any(type_ is None for _, type_ in found):
        return None
    return StructType(fields=tuple(Field(name, type_) for name, type_ in found if type_))


def is_iterator(annotation: object) -> bool:
    """Whether the annotation is ``Iterator[…]``, ``Iterable[…]`` or ``Generator[…]``."""
    return typing.get_origin(annotation) in _ITERATORS


def item_of(annotation: object) -> Any:
    """What an iterator gives; the annotation itself where it is none."""
    return typing.get_args(annotation)[0] if is_iterator(annotation) else annotation


def arrow_columns(annotation: object) -> tuple[Any, ...]:
    """The columns of an item that is a ``pyarrow.Array`` or a tuple of them; else none."""
    if typing.get_origin(annotation) is tuple:
        inner = typing.get_args(annotation)
        return inner if inner and all(is_arrow(each) or each is ... for each in inner) else ()
    return (annotation,) if is_arrow(annotation) else ()


def is_arrow(annotation: object) -> bool:
    """Whether the annotation is ``pyarrow.Array`` (or ChunkedArray); pyarrow is not imported."""
    if typing.get_origin(annotation) is Annotated:
        return is_arrow(typing.get_args(annotation)[0])
    module = getattr(annotation, "__module__", None) or ""
    name = getattr(annotation, "__name__", "")
    return module.partition(".")[0] == "pyarrow" and name.endswith("Array")


def as_columns(row: LogicalType) -> StructType:
    """The columns of a table function's rows; one that is no STRUCT is a column ``col``."""
    return row if isinstance(row, StructType) else StructType(fields=(Field("col", row),))


def as_type(type_: LogicalType | str) -> LogicalType:
    """The type, from its DDL text where it is one."""
    return parse_type(type_) if isinstance(type_, str) else type_
