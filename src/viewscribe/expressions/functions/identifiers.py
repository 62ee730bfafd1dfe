"""Names of functions: system functions have none but their own, catalog functions a full path.

After ``FunctionIdentifier`` of the function catalog document (FLIP-57). Names compare without case.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from viewscribe.errors import ValidationError
from viewscribe.types.arguments import as_texts
from viewscribe.types.identifiers import fold_name

_SPARKS = ("builtin", "session")


class FunctionIdentifier(msgspec.Struct, frozen=True):
    """What a function is known by.

    Args:
        name: its own name, in the case it was given.
        database: where it lives; None for a system function.
        catalog: where that database lives; None for a system function.
    """

    name: str
    database: str | None = None
    catalog: str | None = None

    def __post_init__(self) -> None:
        if (self.database is None) is not (self.catalog is None):
            raise ValidationError(f"the function `{self.name}` has half a path")
        if not all(self.parts):
            raise ValidationError(f"`{self}` has an empty part", hint="name all of its parts")

    @property
    def is_system(self) -> bool:
        """Whether it belongs to no catalog."""
        return self.catalog is None

    @property
    def parts(self) -> tuple[str, ...]:
        """``(name,)`` or ``(catalog, database, name)``."""
        if self.catalog is None or self.database is None:
            return (self.name,)
        return (self.catalog, self.database, self.name)

    @property
    def is_sparks(self) -> bool:
        """Whether Spark keeps its path for functions of its own and temporary ones."""
        if self.catalog is None or self.database is None:
            return False
        return fold_name(self.catalog) == "system" or fold_name(self.database) in _SPARKS

    @property
    def key(self) -> tuple[str, ...]:
        """The parts as they compare: without case."""
        return tuple(part.casefold() for part in self.parts)

    def __str__(self) -> str:
        from viewscribe.types.identifiers import quote_name

        return quote_name(self.parts)


def pad(parts: Sequence[str], catalog: str) -> FunctionIdentifier:
    """The identifier of ``database.name`` or ``catalog.database.name``.

    Args:
        parts: the name as written, two or three parts.
        catalog: the current catalog, which a name of two parts is in.

    Raises:
        ValidationError: there are fewer or more parts.
    """
    match tuple(parts):
        case (database, name):
            return FunctionIdentifier(name, database, catalog)
        case (home, database, name):
            return FunctionIdentifier(name, database, home)
    raise ValidationError(
        f"`{'.'.join(parts)}` has {len(parts)} parts",
        hint="a precise name of a function is database.function or catalog.database.function",
    )


def system_identifier(name: str | Sequence[str]) -> FunctionIdentifier:
    """The identifier of a system function.

    Raises:
        ValidationError: the name has several parts.
    """
    parts = parse(name)
    if len(parts) > 1:
        raise ValidationError(
            f"`{'.'.join(parts)}` is a name of {len(parts)} parts, and a system function has no "
            "catalog and database",
            hint="register it with create_temporary_function(…), or put a name that has dots "
            "between backticks",
        )
    return FunctionIdentifier(parts[0])


def database_path(name: str | Sequence[str], catalog: str) -> tuple[str, str]:
    """The catalog and database that one or two parts stand for.

    Raises:
        ValidationError: there are more parts.
    """
    parts = parse(name)
    if len(parts) > 2:
        raise ValidationError(
            f"`{'.'.join(parts)}` has {len(parts)} parts",
            hint="the name of a database is database or catalog.database",
        )
    home, database = (catalog, *parts)[-2:]
    return home, database


def parse(name: str | Sequence[str]) -> tuple[str, ...]:
    """The parts of a function's name."""
    if not isinstance(name, str):
        parts = as_texts(name, "the name of a function")
        if not parts:
            raise ValidationError("the name of a function has no part")
        return parts
    from viewscribe.types.identifiers import parse_name

    return parse_name(name)
