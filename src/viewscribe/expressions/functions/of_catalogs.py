"""Functions that a catalog of Spark's has itself: ``lake.system.bucket(16, id)``.

Nothing of them is stored or registered here: the session's catalog has them, or the call fails. The
types of Iceberg's own are known. Of any other function the result is declared (``CREATE TEMPORARY
FUNCTION … LANGUAGE CATALOG``) or told by a session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Protocol, TypeGuard

import msgspec

from viewscribe.errors import UnknownFunctionError, ViewscribeError, did_you_mean
from viewscribe.expressions.functions import user_defined
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.identifiers import (
    FunctionIdentifier,
    database_path,
    pad,
    parse,
    system_identifier,
)
from viewscribe.expressions.functions.registry import all_built_ins, find_built_in
from viewscribe.expressions.functions.user_defined import (
    FunctionSource,
    Language,
    ToldCall,
    UserFunction,
    is_sparks,
    session_name,
)
from viewscribe.types import LogicalType
from viewscribe.types.identifiers import fold_name, quote_name

# The function catalog that names are looked up in while expressions are resolved.
#
# A module of its own, so that resolving needs nothing of catalogs until a name asks for one.

IN_FORCE: ContextVar[FunctionCatalog | None] = ContextVar("functions in force", default=None)
"""None where only built-in functions are known."""


SHOWN_AS_AGGREGATE = "v2aggregator"
"""What Spark calls every aggregate of a catalog in the names of columns."""


def catalog_function(
    path: Sequence[str], returns: LogicalType, *, deterministic: bool, aggregate: bool
) -> UserFunction:
    """Returns a catalog's function whose result has a known type.

    Args:
        path: catalog, namespace and name.
        returns: the type of the result.
        deterministic: whether equal arguments give equal results.
        aggregate: whether it is an aggregate, not a scalar function.
    """
    source = FunctionSource(
        kind=FunctionKind.AGGREGATE if aggregate else FunctionKind.SCALAR,
        language=Language.CATALOG,
        returns=returns.as_nullable(),
        deterministic=deterministic,
    )
    return _function(path, source)


def asked_function(
    path: Sequence[str], ask: Callable[[Sequence[LogicalType]], ToldCall]
) -> UserFunction:
    """Returns a catalog's function whose kind and result are asked for in each call.

    Args:
        path: catalog, namespace and name.
        ask: tells of both for the types of the arguments.
    """
    source = FunctionSource(
        kind=FunctionKind.UNKNOWN, language=Language.CATALOG, implementation=ask
    )
    return _function(path, source)


def iceberg_function(path: Sequence[str]) -> UserFunction | None:
    """Returns Iceberg's function of a path in a catalog of Iceberg's; None where it has none."""
    if len(path) != 3 or path[1].lower() != user_defined.NAMESPACE:
        return None
    name = path[2].lower()
    if name not in user_defined.function_names():
        return None
    source = FunctionSource(
        kind=FunctionKind.SCALAR,
        language=Language.CATALOG,
        reference=f"{user_defined.LIBRARY}.{name}",
    )
    return _function((path[0], user_defined.NAMESPACE, name), source)


def how_to_declare(path: Sequence[str]) -> str | None:
    """Returns the statement that declares a function of an unknown catalog; None without one."""
    if len(path) != 3 or path[0].lower() == "spark_catalog":
        return None
    known = iceberg_function(path)
    returns = f"AS '{known.source.reference}'" if known else "RETURNS <type> [AGGREGATE]"
    return (
        "if a catalog of Spark's has it, say so: CREATE TEMPORARY FUNCTION "
        f"{quote_name(path)} {returns} LANGUAGE CATALOG, or register the catalog, "
        "env.register_catalog(…)"
    )


def is_of_catalog(function: object) -> TypeGuard[UserFunction]:
    """Returns whether a function is one that a catalog of Spark's has itself."""
    return isinstance(function, UserFunction) and function.source.language is Language.CATALOG


def _function(path: Sequence[str], source: FunctionSource) -> UserFunction:
    catalog, namespace, name = path
    return UserFunction(FunctionIdentifier(name, namespace, catalog), source, temporary=False)


# The function catalog: four kinds of functions, and the orders in which a name finds one.


class FunctionConflictError(ViewscribeError):
    """A function exists already, does not exist, or is hidden by a temporary one."""


class FunctionOrigin(Enum):
    """The four kinds of functions."""

    TEMPORARY_SYSTEM = "temporary system"
    SYSTEM = "system"
    TEMPORARY_CATALOG = "temporary catalog"
    CATALOG = "catalog"


class FunctionLookup(msgspec.Struct, frozen=True):
    """The result of a look-up: the function, its identifier and its origin."""

    identifier: FunctionIdentifier
    function: FunctionDefinition
    origin: FunctionOrigin


class FunctionStore(Protocol):
    """A store of catalog functions, which also knows the current database."""

    def current(self) -> tuple[str, str]:
        """Returns the current catalog and database."""

    def databases(self) -> Iterable[tuple[str, str]]:
        """Returns all existing databases with their catalogs."""

    def check_database(self, catalog: str, database: str) -> None:
        """Raises if the database does not exist."""

    def names(self, catalog: str, database: str) -> Sequence[str]:
        """Returns the names of a database's functions."""

    def find(self, identifier: FunctionIdentifier) -> UserFunction | None:
        """Returns the function of a path, or None, even if its catalog does not exist."""

    def create(self, function: UserFunction) -> None:
        """Stores a function; raises if its name is taken or its database does not exist."""

    def replace(self, function: UserFunction) -> None:
        """Replaces a stored function."""

    def delete(self, identifier: FunctionIdentifier) -> None:
        """Removes a function."""


Checked = Callable[[str, FunctionSource, bool], None]
"""Refuses a function by its name and source; the flag says whether it ends with the session."""


def _check_nothing(name: str, source: FunctionSource, temporary: bool) -> None:
    """Accepts every function; the default check."""


def _as_it_is(source: FunctionSource, temporary: bool) -> FunctionSource:
    """The default form in which functions are kept."""
    return source


class FunctionCatalog:
    """The functions that names can mean.

    Args:
        store: the catalogs' functions.
        check: refuses functions, before they are stored or registered.
        kept: the form in which a function is kept, stored or temporary.
    """

    def __init__(
        self,
        store: FunctionStore,
        *,
        check: Checked = _check_nothing,
        kept: Callable[[FunctionSource, bool], FunctionSource] = _as_it_is,
    ) -> None:
        self._store = store
        self._check = check
        self._kept = kept
        self._temporary_system: dict[tuple[str, ...], UserFunction] = {}
        self._temporary_catalog: dict[tuple[str, ...], UserFunction] = {}

    def __repr__(self) -> str:
        temporary = len(self._temporary_system) + len(self._temporary_catalog)
        return f"FunctionCatalog({self._store!r}, {temporary} temporary)"

    # -- looking up ------------------------------------------------------------------------------

    def lookup(self, name: str | Sequence[str]) -> FunctionLookup:
        """Looks up a name: ``f``, ``db.f`` or ``cat.db.f``.

        Raises:
            UnknownFunctionError: no function has the name; shows the nearest names.
        """
        parts = parse(name)
        found = self.find(parts)
        if found is None:
            raise UnknownFunctionError(
                f"no function `{'.'.join(parts)}`",
                hint=did_you_mean(parts[-1], self._known(parts))
                or how_to_declare(parts)
                or "register it: create_function(…), create_temporary_system_function(…)",
            )
        return found

    def find(self, name: str | Sequence[str]) -> FunctionLookup | None:
        """Looks up a name; None if no function has it."""
        parts = parse(name)
        if len(parts) == 1:
            return self._ambiguous(parts[0])
        return self._precise(pad(parts, self._store.current()[0]))

    def find_in_text(self, parts: Sequence[str]) -> UserFunction | None:
        """Looks up a user function for a name in SQL text, where Spark's built-ins come first."""
        path, name = tuple(map(fold_name, parts[:-1])), parts[-1]
        if path in (("session",), ("system", "session")):
            return self._of_session(name)
        if len(parts) > 3 or (not path and is_sparks(name)):
            return None
        if not path and (name.casefold(),) in self._temporary_system:
            return self._temporary_system[name.casefold(),]
        found = self._precise(self.path(parts))
        return found.function if found and isinstance(found.function, UserFunction) else None

    def _of_session(self, name: str) -> UserFunction | None:
        """The temporary function that Spark has by a name; None also where several have it."""
        temporary = (*self._temporary_system.values(), *self._temporary_catalog.values())
        found = [
            each
            for each in temporary
            if session_name(each.identifier).casefold() == name.casefold()
        ]
        return found[0] if len(found) == 1 else None

    def _precise(self, identifier: FunctionIdentifier) -> FunctionLookup | None:
        temporary = self._temporary_catalog.get(identifier.key)
        if temporary is not None:
            return FunctionLookup(temporary.identifier, temporary, FunctionOrigin.TEMPORARY_CATALOG)
        stored = self._store.find(identifier)
        if stored is not None:
            return FunctionLookup(stored.identifier, stored, FunctionOrigin.CATALOG)
        return None

    def _ambiguous(self, name: str) -> FunctionLookup | None:
        temporary = self._temporary_system.get((name.casefold(),))
        if temporary is not None:
            return FunctionLookup(temporary.identifier, temporary, FunctionOrigin.TEMPORARY_SYSTEM)
        system = find_built_in(name)
        if system is not None:
            return FunctionLookup(FunctionIdentifier(system.name), system, FunctionOrigin.SYSTEM)
        catalog, database = self._store.current()
        return self._precise(FunctionIdentifier(name, database, catalog))

    def _known(self, parts: Sequence[str]) -> list[str]:
        if len(parts) == 1:
            return self.names()
        identifier = pad(parts, self._store.current()[0])
        assert identifier.catalog is not None
        assert identifier.database is not None
        stored = list(self._store.names(identifier.catalog, identifier.database))
        home = identifier.key[:2]
        return stored + [
            each.name for key, each in self._temporary_catalog.items() if key[:2] == home
        ]

    # -- temporary functions ---------------------------------------------------------------------

    def register_temporary_system(
        self, name: str | Sequence[str], source: FunctionSource, *, if_not_exists: bool = False
    ) -> bool:
        """Registers a function without a namespace; it hides a built-in of the same name.

        Args:
            name: its name, quoted with backticks if it contains a dot; or a tuple of its one part.
            source: the source of the function.
            if_not_exists: whether an existing function is kept.

        Returns:
            False if a temporary system function of that name exists and ``if_not_exists`` keeps
            it.

        Raises:
            FunctionConflictError: it exists and ``if_not_exists`` is not set.
            ValidationError: the name has several parts.
        """
        identifier = system_identifier(name)
        self._check(identifier.name, source, True)
        kept = self._kept(source, True)
        return _register(
            self._temporary_system, identifier, kept, "temporary system", if_not_exists
        )

    def register_temporary_catalog(
        self, name: str | Sequence[str], source: FunctionSource, *, if_not_exists: bool = False
    ) -> bool:
        """Registers a function under a path; neither catalog nor database needs to exist."""
        identifier = self.path(name)
        self._check(str(identifier), source, True)
        kept = self._kept(source, True)
        return _register(self._temporary_catalog, identifier, kept, "temporary", if_not_exists)

    def drop_temporary_system(self, name: str | Sequence[str], *, if_exists: bool = False) -> bool:
        """Drops a temporary system function.

        Returns:
            False if it does not exist and ``if_exists`` allows that.
        """
        identifier = system_identifier(name)
        what = f"temporary system function `{identifier.name}`"
        return _drop(self._temporary_system, identifier.key, what, if_exists)

    def drop_temporary_catalog(self, name: str | Sequence[str], *, if_exists: bool = False) -> bool:
        """Drops a temporary catalog function."""
        identifier = self.path(name)
        what = f"temporary function {identifier}"
        return _drop(self._temporary_catalog, identifier.key, what, if_exists)

    def alter_temporary_system(
        self, name: str | Sequence[str], source: FunctionSource, *, if_exists: bool = False
    ) -> bool:
        """Replaces the source of a temporary system function."""
        self._check(system_identifier(name).name, source, True)
        if not self.drop_temporary_system(name, if_exists=if_exists):
            return False
        return self.register_temporary_system(name, source)

    def alter_temporary_catalog(
        self, name: str | Sequence[str], source: FunctionSource, *, if_exists: bool = False
    ) -> bool:
        """Replaces the source of a temporary catalog function."""
        self._check(str(self.path(name)), source, True)
        if not self.drop_temporary_catalog(name, if_exists=if_exists):
            return False
        return self.register_temporary_catalog(name, source)

    # -- catalog functions -----------------------------------------------------------------------

    def create(
        self, name: str | Sequence[str], source: FunctionSource, *, if_not_exists: bool = False
    ) -> bool:
        """Stores a function in a catalog.

        Returns:
            False if it exists and ``if_not_exists`` keeps it.

        Raises:
            FunctionConflictError: it exists, or a temporary function hides the name.
        """
        identifier = self.path(name)
        self._refuse_hidden(identifier, "create")
        if self._store.find(identifier) is not None:
            if if_not_exists:
                return False
            raise FunctionConflictError(
                f"the function {identifier} exists already",
                hint="alter it, drop it first, or say if_not_exists=True",
            )
        self._check(str(identifier), source, False)
        self._store.create(UserFunction(identifier, self._kept(source, False), temporary=False))
        return True

    def alter(
        self, name: str | Sequence[str], source: FunctionSource, *, if_exists: bool = False
    ) -> bool:
        """Replaces the source of a catalog function."""
        identifier = self.path(name)
        self._refuse_hidden(identifier, "alter")
        if not self._is_stored(identifier, "alter", if_exists):
            return False
        self._check(str(identifier), source, False)
        self._store.replace(UserFunction(identifier, self._kept(source, False), temporary=False))
        return True

    def drop(self, name: str | Sequence[str], *, if_exists: bool = False) -> bool:
        """Removes a catalog function."""
        identifier = self.path(name)
        self._refuse_hidden(identifier, "drop")
        if not self._is_stored(identifier, "drop", if_exists):
            return False
        self._store.delete(identifier)
        return True

    def _is_stored(self, identifier: FunctionIdentifier, verb: str, if_exists: bool) -> bool:
        if self._store.find(identifier) is not None:
            return True
        if if_exists:
            return False
        system = find_built_in(identifier.name)
        raise FunctionConflictError(
            f"cannot {verb} the function {identifier}: there is none",
            hint=f"`{identifier.name}` is a system function, which stays as it is"
            if system is not None
            else did_you_mean(identifier.name, self._known(identifier.parts)),
        )

    def _refuse_hidden(self, identifier: FunctionIdentifier, verb: str) -> None:
        if identifier.key in self._temporary_catalog:
            raise FunctionConflictError(
                f"cannot {verb} the function {identifier}: a temporary function of that name "
                "hides it",
                hint="drop the temporary function first: DROP TEMPORARY FUNCTION …",
            )

    def path(self, name: str | Sequence[str]) -> FunctionIdentifier:
        """Completes one, two or three name parts to a full path."""
        parts = parse(name)
        catalog, database = self._store.current()
        return pad((database, *parts) if len(parts) == 1 else parts, catalog)

    # -- listings --------------------------------------------------------------------------------

    def names(self, database: str | Sequence[str] | None = None) -> list[str]:
        """SHOW FUNCTIONS [IN database]: ``user_names`` and the built-in functions."""
        return _sort([*all_built_ins(), *self.user_names(database)])

    def user_names(self, database: str | Sequence[str] | None = None) -> list[str]:
        """SHOW USER FUNCTIONS [IN database]: temporary system functions and those of a database.

        Args:
            database: ``database`` or ``catalog.database``; the current one by default.

        Raises:
            ViewscribeError: there is no such database.
        """
        catalog, name = self._store.current()
        if database is not None:
            catalog, name = database_path(database, catalog)
        home = (catalog.casefold(), name.casefold())
        here = [each.name for key, each in self._temporary_catalog.items() if key[:2] == home]
        if database is not None and not here:  # temporary ones need no database
            self._store.check_database(catalog, name)
        stored = self._store.names(catalog, name)
        return _sort([*self.temporary_system_names(), *here, *stored])

    def all_names(self) -> list[str]:
        """SHOW ALL FUNCTIONS: system functions by name, all others by their full path."""
        stored = [
            str(FunctionIdentifier(name, database, catalog))
            for catalog, database in self._store.databases()
            for name in self._store.names(catalog, database)
        ]
        system = [*all_built_ins(), *self.temporary_system_names()]
        return _sort([*system, *self.temporary_catalog_names(), *stored])

    def temporary_catalog_names(self) -> list[str]:
        """SHOW ALL TEMPORARY FUNCTIONS: full paths."""
        return _sort([str(each.identifier) for each in self._temporary_catalog.values()])

    def temporary_system_names(self) -> list[str]:
        """SHOW ALL TEMPORARY SYSTEM FUNCTIONS: names."""
        return _sort([each.name for each in self._temporary_system.values()])

    # -- while building --------------------------------------------------------------------------

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Names in expressions that are resolved inside the ``with`` block mean this catalog's."""
        token = IN_FORCE.set(self)
        try:
            yield
        finally:
            IN_FORCE.reset(token)


def _sort(names: Iterable[str]) -> list[str]:
    return sorted(set(names), key=lambda name: (name.casefold(), name))


_Functions = dict[tuple[str, ...], UserFunction]


def _register(
    known: _Functions,
    identifier: FunctionIdentifier,
    source: FunctionSource,
    kind: str,
    if_not_exists: bool,
) -> bool:
    if identifier.key in known:
        if if_not_exists:
            return False
        raise FunctionConflictError(
            f"a {kind} function {identifier} exists already",
            hint="alter it, drop it first, or say if_not_exists=True",
        )
    # A declaration ends with the session; what it declares does not.
    temporary = source.language is not Language.CATALOG
    known[identifier.key] = UserFunction(identifier, source, temporary=temporary)
    return True


def _drop(known: _Functions, key: tuple[str, ...], what: str, if_exists: bool) -> bool:
    if known.pop(key, None) is not None:
        return True
    if if_exists:
        return False
    names = [each.name for each in known.values()]
    raise FunctionConflictError(f"there is no {what}", hint=did_you_mean(key[-1], names))
