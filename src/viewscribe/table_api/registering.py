"""Functions of an environment: stored in catalogs, registered for as long as it lasts, dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viewscribe.expressions.functions.catalog import FunctionCatalog
    from viewscribe.expressions.functions.importing import PythonModules
    from viewscribe.expressions.functions.user_defined import FunctionSource


class RegistersFunctions:
    """What ``TableEnvironment`` does with functions."""

    @property
    def functions(self) -> FunctionCatalog:
        """The functions that names can mean."""
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
            function: a Python function that can be imported, or a ``FunctionSource``.
            if_not_exists: whether one that is there already is left alone.
            types: for a Python function, ``returns``, ``parameters``, ``kind`` and
                ``deterministic``, where its annotations do not say them.

        Returns:
            Whether it was stored.

        Raises:
            FunctionConflictError: there is one, or a temporary one hides the name.
            NotSerializableError: a Python function that other processes cannot find.
        """
        source = _source(function, types)
        stored = self.functions.create(name, source, if_not_exists=if_not_exists)
        if stored and source.implementation is not None:
            self.python_modules.give(source.implementation)  # what one has needs no import
        return stored

    def alter_function(
        self, name: str, function: object, *, if_exists: bool = False, **types: object
    ) -> bool:
        """Stores another function in the place of one of a catalog; see ``create_function``.

        Raises:
            FunctionConflictError: there is none, or a temporary one hides the name.
        """
        source = _source(function, types)
        stored = self.functions.alter(name, source, if_exists=if_exists)
        if stored and source.implementation is not None:
            self.python_modules.give(source.implementation)
        return stored

    def create_temporary_function(
        self, name: str, function: object, *, if_not_exists: bool = False, **types: object
    ) -> bool:
        """Registers a function under a path for as long as this environment lasts."""
        return self.functions.register_temporary_catalog(
            name, _source(function, types), if_not_exists=if_not_exists
        )

    def create_temporary_system_function(
        self, name: str, function: object, *, if_not_exists: bool = False, **types: object
    ) -> bool:
        """Registers a function without a path; it comes before a built-in one of its name.

        Raises:
            FunctionConflictError: there is one.
            ValidationError: the name has several parts; one with a dot in it goes between
                backticks.
        """
        return self.functions.register_temporary_system(
            name, _source(function, types), if_not_exists=if_not_exists
        )

    def drop_function(self, name: str, *, if_exists: bool = False) -> bool:
        """Removes a catalog function."""
        return self.functions.drop(name, if_exists=if_exists)

    def drop_temporary_function(self, name: str, *, if_exists: bool = False) -> bool:
        """Forgets a temporary catalog function."""
        return self.functions.drop_temporary_catalog(name, if_exists=if_exists)

    def drop_temporary_system_function(self, name: str, *, if_exists: bool = False) -> bool:
        """Forgets a temporary system function."""
        return self.functions.drop_temporary_system(name, if_exists=if_exists)

    def list_functions(self, database: str | None = None) -> list[str]:
        """The system functions and those of a database, by default the current one, by name.

        Raises:
            ObjectNotFoundError: there is no such database.
        """
        return self.functions.names(database)


def _source(function: Any, types: Mapping[str, Any]) -> FunctionSource:
    from viewscribe.expressions.functions.python import python_source
    from viewscribe.expressions.functions.user_defined import FunctionSource

    return function if isinstance(function, FunctionSource) else python_source(function, **types)
