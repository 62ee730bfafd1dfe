"""The function part of an environment: storing, registering and dropping functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viewscribe.expressions.functions.of_catalogs import FunctionCatalog
    from viewscribe.expressions.functions.python_modules import PythonModules
    from viewscribe.expressions.functions.user_defined import FunctionSource


class RegistersFunctions:
    """The methods of ``TableEnvironment`` that manage functions."""

    @property
    def functions(self) -> FunctionCatalog:
        """All functions that a name can resolve to."""
        raise NotImplementedError

    @property
    def python_modules(self) -> PythonModules:
        """The modules that Python functions of the catalogs may be imported from."""
        raise NotImplementedError

    def create_function(
        self, name: str, function: object, *, if_not_exists: bool = False, **types: object
    ) -> bool:
        """Stores a function in a catalog.

        Args:
            name: ``function``, ``database.function`` or ``catalog.database.function``.
            function: an importable Python function, or a ``FunctionSource``.
            if_not_exists: whether to leave an existing function of that name alone.
            types: for a Python function ``returns``, ``parameters``, ``kind`` and
                ``deterministic``, unless its annotations give them.

        Returns:
            Whether it was stored.

        Raises:
            FunctionConflictError: the function exists, or a temporary one hides the name.
            NotSerializableError: another process could not import the Python function.
        """
        source = _source(function, types)
        stored = self.functions.create(name, source, if_not_exists=if_not_exists)
        if stored and source.implementation is not None:
            # This process already has the function, so calling it needs no allowed import.
            self.python_modules.give(source.implementation)
        return stored

    def alter_function(
        self, name: str, function: object, *, if_exists: bool = False, **types: object
    ) -> bool:
        """Replaces a catalog function; see ``create_function``.

        Raises:
            FunctionConflictError: there is no such function, or a temporary one hides the name.
        """
        source = _source(function, types)
        stored = self.functions.alter(name, source, if_exists=if_exists)
        if stored and source.implementation is not None:
            self.python_modules.give(source.implementation)
        return stored

    def create_temporary_function(
        self, name: str, function: object, *, if_not_exists: bool = False, **types: object
    ) -> bool:
        """Registers a function under a path, for the lifetime of this environment."""
        return self.functions.register_temporary_catalog(
            name, _source(function, types), if_not_exists=if_not_exists
        )

    def create_temporary_system_function(
        self, name: str, function: object, *, if_not_exists: bool = False, **types: object
    ) -> bool:
        """Registers a function without a path; it shadows a built-in one of the same name.

        Raises:
            FunctionConflictError: a temporary system function of that name exists.
            ValidationError: the name has several parts; quote a name with a dot in backticks.
        """
        return self.functions.register_temporary_system(
            name, _source(function, types), if_not_exists=if_not_exists
        )

    def drop_function(self, name: str, *, if_exists: bool = False) -> bool:
        """Drops a catalog function."""
        return self.functions.drop(name, if_exists=if_exists)

    def drop_temporary_function(self, name: str, *, if_exists: bool = False) -> bool:
        """Drops a temporary catalog function."""
        return self.functions.drop_temporary_catalog(name, if_exists=if_exists)

    def drop_temporary_system_function(self, name: str, *, if_exists: bool = False) -> bool:
        """Drops a temporary system function."""
        return self.functions.drop_temporary_system(name, if_exists=if_exists)

    def list_functions(self, database: str | None = None) -> list[str]:
        """Returns the sorted names of the system functions and of those of a database.

        Args:
            database: the database, by default the current one.

        Raises:
            ObjectNotFoundError: there is no such database.
        """
        return self.functions.names(database)


def _source(function: Any, types: Mapping[str, Any]) -> FunctionSource:
    from viewscribe.expressions.functions.python import python_source
    from viewscribe.expressions.functions.user_defined import FunctionSource

    return function if isinstance(function, FunctionSource) else python_source(function, **types)
