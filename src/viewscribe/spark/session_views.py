"""A view in the session's own catalog: ``CREATE VIEW`` with the text that was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from viewscribe.errors import CatalogError
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.session import first_line, settings
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def create_view(
    spark: SparkSession,
    name: str,
    table: Any,
    *,
    or_replace: bool = False,
    comment: str | None = None,
    properties: Mapping[str, str] | None = None,
    target: str | None = None,
) -> None:
    """Creates a permanent view in whatever catalog of the session its name means.

    Args:
        spark: the session, classic or Connect.
        name: ``view``, ``database.view`` or ``catalog.database.view``.
        table: the pipeline, a ``Table``.
        or_replace: whether a view of that name may be replaced.
        comment: what the view is.
        properties: the view's properties.
        target: the Spark version that reads it; by default that of the table's environment.

    Raises:
        CatalogError: there is one already, or Spark does not take it; says why.
    """
    statement = ["CREATE OR REPLACE VIEW" if or_replace else "CREATE VIEW", _name(name)]
    columns = ", ".join(quote_name((column,)) for column in table.columns)
    text = f"{' '.join(statement)} ({columns})"
    if comment:
        text += f"\nCOMMENT {quote_string(comment)}"
    if properties:
        pairs = ", ".join(f"{quote_string(k)} = {quote_string(v)}" for k, v in properties.items())
        text += f"\nTBLPROPERTIES ({pairs})"
    with settings(spark, table.env.settings):
        try:
            spark.sql(f"{text}\nAS\n{table.to_sql(target=target)}")
        except PySparkException as error:
            raise CatalogError(
                f"the session does not store the view {name}: {first_line(error)}",
                hint="replace an existing view with or_replace=True"
                if "ALREADY_EXISTS" in str(error)
                else None,
            ) from error


def _name(name: str) -> str:
    return quote_name(parse_name(name))
