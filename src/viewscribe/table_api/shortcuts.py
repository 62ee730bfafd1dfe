"""The one-liners: ``vs.to_sql``, ``vs.save_view``, ``vs.open_view``, ``vs.verify``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.table_api.table import Table

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog


def to_sql(table: Table, *, style: str = "readable") -> str:
    """The SQL text of a pipeline; see ``Table.to_sql``."""
    return _table(table).to_sql(style)


def save_view(
    table: Table,
    name: str,
    *,
    catalog: str | Catalog | None = None,
    or_replace: bool = False,
    comment: str | None = None,
) -> None:
    """Stores a pipeline as a view.

    Args:
        table: the pipeline.
        name: the view's name.
        catalog: where to store it (a URL such as ``"file:./views"``, or a ``Catalog``); by
            default the catalog of the pipeline's own environment. Another catalog must know the
            tables that the pipeline reads.
        or_replace: whether a view of that name may be replaced.
        comment: what the view is.
    """
    table = _table(table)
    env = table.env if catalog is None else TableEnvironment(catalog, settings=table.env.settings)
    env.create_view(name, table, or_replace=or_replace, comment=comment)


def open_view(env: TableEnvironment, name: str, spark: Any) -> Any:
    """A stored view as a DataFrame, with everything it depends on, from what is stored alone.

    Args:
        env: the environment whose catalogs hold the view.
        name: the view's name.
        spark: the ``SparkSession`` to open it in.
    """
    from viewscribe.spark.views import open_view as open_in_spark

    return open_in_spark(env.catalogs, name, spark)


def verify(subject: Any, spark: Any, **options: Any) -> Any:
    """Proof that SQL text means what the tree means; see ``viewscribe.spark.verify``.

    Args:
        subject: a ``Table``, or the document of a stored view (``env.get_view(…)``).
        spark: the ``SparkSession`` that has the tables.
        options: passed on.

    Returns:
        A ``VerificationReport``: ``.ok``, ``.schema``, ``.plan``, ``.rows``; prints as a table.
    """
    from viewscribe.spark.verify import verify as verify_in_spark

    return verify_in_spark(subject, spark, **options)


def _table(value: Any) -> Table:
    if isinstance(value, Table):
        return value
    raise CaptureError(
        f"a {type(value).__name__} is not a Table of viewscribe",
        hint='start the pipeline with env.from_path("…")',
    )
