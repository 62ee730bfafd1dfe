"""The gate of a session: texts are read as the session would read them, under its settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql import SparkSession

from viewscribe.catalog_store.gate import Gate
from viewscribe.catalog_store.permissions import Permissions, is_authored, permissions_in_force
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.operations.reach import Parts
from viewscribe.spark.query_reach import QueryParser
from viewscribe.spark.session import session_settings
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
    return _gate(spark, None, None)


def _gate(
    spark: SparkSession, allowed: Permissions | None, written: Mapping[str, str] | None
) -> Gate:
    def is_in_database(name: Parts) -> bool:
        if len(name) == 1 and find_built_in(name[0].lower()) is not None:
            return True
        if len(name) > 2:
            return False
        # Of two parts, the first is a catalog where the session has one of that name.
        if name[1:] and spark.conf.get(f"spark.sql.catalog.{name[0]}", None) is not None:
            return False
        return spark.catalog.currentCatalog() == SPARKS_OWN

    def is_table(name: Parts) -> bool:
        return spark.catalog.tableExists(quote_name(name))

    settings, parser = session_settings(spark), QueryParser.of(spark)
    return Gate(allowed, settings, parser, is_in_database, is_table, written)
