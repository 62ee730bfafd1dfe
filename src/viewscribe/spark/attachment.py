"""Attaching the Python functions that somebody names, for the session's own SQL and views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import SparkSession

from viewscribe.catalog_store import CatalogManager
from viewscribe.catalog_store.errors import ObjectNotFoundError
from viewscribe.catalog_store.functions import StoredFunctions
from viewscribe.errors import CatalogError
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.sources import Language
from viewscribe.spark.attached_functions import attach_function, attach_to
from viewscribe.spark.errors import MissingSourceError
from viewscribe.spark.sources import open_table
from viewscribe.spark.stand_ins import needs_stand_ins
from viewscribe.spark.views import is_there, open_sources, open_view
from viewscribe.types.identifiers import parse_name


def attach_named(manager: CatalogManager, names: Iterable[str], spark: SparkSession) -> list[str]:
    """Attaches functions, and those of views, to a session.

    Returns:
        The references of all Python functions that the session has.

    Raises:
        ObjectNotFoundError: there is neither a function nor a view of a name.
        CatalogError: a function is none in Python, or what is named is a table of a catalog.
    """
    for name in names:
        parts = parse_name(name)
        if not _attach(manager, parts, spark):
            try:
                _open(manager, parts, spark)
            except (ObjectNotFoundError, MissingSourceError) as error:
                raise ObjectNotFoundError(
                    f"there is neither a function nor a view `{name}`", hint=error.hint
                ) from error
    return sorted(attach_to(spark))


def _open(manager: CatalogManager, parts: Sequence[str], spark: SparkSession) -> None:
    """Has Spark look at a view, whose text need not be understood here if it is the session's."""
    path = manager.resolve(parts)
    if is_there(spark, manager, path.catalog):
        if needs_stand_ins(path.catalog, spark):
            open_sources(manager, [path], spark)
        open_table(spark, tuple(path))
    else:
        open_view(manager, parts, spark)


def _attach(manager: CatalogManager, parts: Sequence[str], spark: SparkSession) -> bool:
    """Attaches the function of that name; False where there is none."""
    path = manager.resolve(parts)
    identifier = FunctionIdentifier(path.name, path.database, path.catalog)
    function = StoredFunctions(manager).find(identifier)
    if function is None:
        return False
    if function.source.language is not Language.PYTHON:
        raise CatalogError(
            f"{function!r} is no Python function, so that Spark finds it by itself",
            hint="leave it out, or name a view",
        )
    attach_function(function, spark)
    return True
