"""Functions that catalogs of the session have themselves: ``lake.system.bucket(16, id)``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from viewscribe.catalog_store.permissions import permissions_in_force
from viewscribe.expressions.functions.of_catalogs import catalog_function, iceberg_function
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.session import first_line
from viewscribe.spark.types import from_spark
from viewscribe.types import LogicalType
from viewscribe.types.identifiers import quote_name

_ICEBERG = (
    "org.apache.iceberg.spark.SparkCatalog",
    "org.apache.iceberg.spark.SparkSessionCatalog",
)


def require_catalog_function(function: UserFunction, spark: SparkSession) -> None:
    """Passes where the session has the function. There is nothing to register.

    Raises:
        FunctionRegistrationError: it has none.
    """
    catalog, name = function.identifier.parts[0], quote_name(function.identifier.parts)
    try:
        with silence_errors():
            known = spark.catalog.functionExists(name)
    except PySparkException as error:
        known, why = False, f": {first_line(error)}"
    else:
        why = ""
    if not known:
        raise FunctionRegistrationError(
            f"the session has no function {name}{why}",
            hint=f"configure the catalog that has it in the session: spark.sql.catalog.{catalog}",
        )


def require_allowed_calls(
    what: str, text: str, known: Iterable[Sequence[str]], spark: SparkSession
) -> None:
    """Rejects a text that calls functions of the session's catalogs which nobody allowed.

    Args:
        what: whose text it is, for messages.
        text: the query.
        known: the functions that it is known to call, which are looked at by themselves.
        spark: the session.

    Raises:
        ForbiddenSourceError: it does.
    """
    names = {_fold(each) for each in known}

    def is_known(path: tuple[str, ...]) -> bool:
        # Of two parts, the first is a catalog only where the session has one of that name.
        return _fold(path) in names or (len(path) == 2 and not _is_catalog(path[0], spark))

    permissions_in_force().require_catalog_functions(what, text, is_known)


def find_catalog_function(parts: Sequence[str], spark: SparkSession) -> UserFunction | None:
    """Returns Iceberg's function of a name; None for any other.

    Args:
        parts: catalog, namespace and name, or catalog and name as Iceberg allows.
        spark: the session.
    """
    path = tuple(parts) if len(parts) != 2 else (parts[0], "system", parts[1])
    known = iceberg_function(path)
    return known if known is not None and _is_of_iceberg(path[0], spark) else None


def ask_for_result(
    parts: Sequence[str], types: Sequence[LogicalType], spark: SparkSession
) -> UserFunction | None:
    """Returns the function of a full name with the result that it has for arguments of some types.

    Args:
        parts: catalog, namespaces and name.
        types: those of the arguments.
        spark: the session.
    """
    if len(parts) != 3 or not _is_catalog(parts[0], spark):
        return None
    nulls = ", ".join(f"CAST(NULL AS {each.ddl})" for each in types)
    try:
        with silence_errors():
            schema = spark.sql(f"SELECT {quote_name(parts)}({nulls})").schema
    except PySparkException:
        return None
    return catalog_function(parts, from_spark(schema[0].dataType))


def _is_catalog(name: str, spark: SparkSession) -> bool:
    return spark.conf.get(f"spark.sql.catalog.{name}", None) is not None


def _is_of_iceberg(catalog: str, spark: SparkSession) -> bool:
    return spark.conf.get(f"spark.sql.catalog.{catalog}", None) in _ICEBERG


def _fold(path: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.casefold() for part in path)
