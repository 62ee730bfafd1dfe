"""The texts of SQL functions as an environment checks and keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.catalog_store.functions import StoredFunctions
from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.of_catalogs import FunctionCatalog
from viewscribe.expressions.functions.user_defined import FunctionSource
from viewscribe.parser.definitions import check_function
from viewscribe.parser.names import Function, Table
from viewscribe.parser.qualify import function_with_full_names
from viewscribe.table_api.text_reader import EnvironmentWorld
from viewscribe.types.policy import coercion

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment


def functions_of(env: TableEnvironment) -> FunctionCatalog:
    """The functions of an environment, which refuses texts that Spark would reject."""

    def check(name: str, source: FunctionSource, temporary: bool) -> None:
        with coercion(env.coercion):
            check_function(name, source, EnvironmentWorld(env), temporary=temporary)

    def kept(source: FunctionSource, temporary: bool) -> FunctionSource:
        def stays(name: Table | Function) -> bool:
            return _is_temporary(env, name, allowed=temporary)

        return function_with_full_names(source, env.catalogs.current, stays)

    return FunctionCatalog(StoredFunctions(env.catalogs), check=check, kept=kept)


def _is_temporary(env: TableEnvironment, name: Table | Function, *, allowed: bool) -> bool:
    """Whether a name in the text of a function is of something temporary, and of no database.

    Raises:
        ValidationError: it is of a temporary view, and these are not allowed.
    """
    if len(name.parts) > 1:
        return False
    if isinstance(name, Function):
        found = env.functions.find_in_text(name.parts)
        return found is not None and found.temporary
    if env.catalogs.temporary(name.parts[0]) is None:
        return False
    if not allowed:
        raise ValidationError(
            f"the function reads the temporary view `{name.parts[0]}`, which ends with the session",
            hint="store the view in a catalog, or make the function temporary, too",
        )
    return True
