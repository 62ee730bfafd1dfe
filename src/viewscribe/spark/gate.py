"""The gate of a session: texts are read as the session would read them, under its settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pyspark.sql import SparkSession

from viewscribe.catalog_store.gate import Gate
from viewscribe.catalog_store.permissions import Permissions, is_authored, permissions_in_force
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.reach import Parts
from viewscribe.operations.spark_names import is_system_function
from viewscribe.operations.user_functions import stored_parts
from viewscribe.spark.query_reach import QueryParser
from viewscribe.spark.session import session_settings
from viewscribe.spark.session_objects import SessionObjects
from viewscribe.spark.stand_ins import stand_ins
from viewscribe.types.identifiers import quote_name

SPARKS_OWN = "spark_catalog"


def gate_of(
    spark: SparkSession,
    allowed: Permissions | None = None,
    known: Iterable[Sequence[str]] = (),
    written: Mapping[str, str] | None = None,
) -> Gate:
    """Returns the gate for texts that others may have written.

    Args:
        spark: the session that will be given them, with the settings under which it will read them.
        allowed: what they may read and call; by default the permissions in force.
        known: functions of catalogs that they call and that are looked at by themselves.
        written: the settings that a text was written for, which it is read under where it is the
            user's own: within ``authored`` it may name whatever is seen in it so.
    """
    given = permissions_in_force() if allowed is None else allowed
    return _gate(spark, given, (written or {}) if is_authored() else None).knowing(known)


def own_gate_of(spark: SparkSession) -> Gate:
    """Returns the gate for texts that the user typed: they may name anything, but are queries."""
    return replace(_gate(spark, None, None), is_typed=True)


def gate_of_stored(spark: SparkSession) -> Gate:
    """Returns the gate for what documents say, also within a pipeline of the user's own."""
    return _gate(spark, permissions_in_force(), None)


def require_of_catalogs(operation: QueryOperation, spark: SparkSession) -> None:
    """Rejects a pipeline whose stored parts name what the user has beside the catalogs.

    Raises:
        ForbiddenSourceError: they do; whatever else they name was looked at where they came in.
    """
    gate = _gate(spark, None, None)
    for part in stored_parts(operation):
        gate.require_tree("a stored pipeline", part)


def _gate(
    spark: SparkSession, allowed: Permissions | None, written: Mapping[str, str] | None
) -> Gate:
    settings, parser = session_settings(spark), QueryParser.of(spark)
    return Gate(allowed, settings, parser, SessionNames(spark), written=written)


class SessionNames:
    """What a session has under the names in a text.

    Args:
        spark: the session.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._own = SessionObjects(spark)

    def is_of_databases(self, function: Parts) -> bool:
        """Whether a function is surely of none of Spark's catalogs, whose functions run classes."""
        if len(function) == 1 and is_system_function(function[0]):
            return True
        if len(function) > 2:
            return False
        # Of two parts, the first is a catalog where the session has one of that name.
        place = f"spark.sql.catalog.{function[0]}"
        if function[1:] and self._spark.conf.get(place, None) is not None:
            return False
        return self._spark.catalog.currentCatalog() == SPARKS_OWN

    def has_table(self, name: Parts) -> bool:
        """Whether there is a table, or a view, of this name."""
        return self._spark.catalog.tableExists(quote_name(name))

    def has_temporary_function(self, name: Parts) -> bool:
        """Whether Spark calls a temporary function of the user's by this name."""
        return stand_ins(self._spark).find(name[-1:]) is None and self._own.has_function(name)

    def find_variables(self, columns: Iterable[Parts]) -> Iterable[Parts]:
        """Those among the names of columns that are names of variables as well."""
        return self._own.find_variables(columns)

    def reads_own(self, query: str) -> bool:
        """Whether a query that runs nothing reads a variable or a temporary view of the user's."""
        return self._own.are_read(query, stand_ins(self._spark).lends)

    def has_temporary_view(self, name: Parts) -> bool:
        """Whether the user has a temporary view of this name; one of viewscribe's is none."""
        is_lent = len(name) == 1 and stand_ins(self._spark).lends(name[0])
        return not is_lent and self._own.has_view(name)
