"""Arguments that only table functions take: tables, names of columns, arguments with names."""

from __future__ import annotations

from typing import Any


class NamedArgument:
    """An argument of a table function with the name of its parameter."""

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value = value

    @property
    def is_table_argument(self) -> bool:
        """Whether the value is a table."""
        return is_table(self.value)

    def __repr__(self) -> str:
        return f"{self.value!r}.as_argument({self.name!r})"


def is_table(value: Any) -> bool:
    """Whether an argument is a table, as it is, partitioned or named."""
    return getattr(type(value), "is_table_argument", False) is not False and bool(
        value.is_table_argument
    )


def takes_tables(args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether one of the arguments is a table."""
    return any(map(is_table, args)) or any(map(is_table, named.values()))


class Descriptor:
    """Column names, as an argument: the time column of a window table function."""

    __slots__ = ("names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def as_argument(self, name: str) -> NamedArgument:
        """The argument of that name: ``descriptor("ts").as_argument("on_time")``."""
        return NamedArgument(name, self)

    def __repr__(self) -> str:
        return f"descriptor({', '.join(map(repr, self.names))})"
