"""Functions that a catalog of Spark's has itself: ``lake.system.bucket(16, id)``.

Nothing of them is stored or registered here: the session's catalog has them, or the call fails. The
types of Iceberg's own are known. Of any other function the result is declared (``CREATE TEMPORARY
FUNCTION … LANGUAGE CATALOG``) or told by a session.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

from viewscribe.expressions.functions import iceberg
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.sources import FunctionSource, Language
from viewscribe.expressions.functions.user_defined import ToldCall, UserFunction
from viewscribe.types import LogicalType
from viewscribe.types.identifiers import quote_name

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
    if len(path) != 3 or path[1].lower() != iceberg.NAMESPACE:
        return None
    name = path[2].lower()
    if name not in iceberg.function_names():
        return None
    source = FunctionSource(
        kind=FunctionKind.SCALAR,
        language=Language.CATALOG,
        reference=f"{iceberg.LIBRARY}.{name}",
    )
    return _function((path[0], iceberg.NAMESPACE, name), source)


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
