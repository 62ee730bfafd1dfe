"""Verifying the views of a whole catalog: one Spark, several sessions, nothing done twice."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from viewscribe.catalog_store import CatalogManager, Relation
from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.view_checks import warn_of_changes
from viewscribe.errors import CatalogError
from viewscribe.spark.report import NOT_NEEDED, VerificationReport
from viewscribe.spark.verify import verify
from viewscribe.spark.views import open_sources_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class CatalogVerifier:
    """Verifies views one by one, from as many threads as there are.

    Settings belong to a session, so each thread has a session of its own; tables belong to all of
    them, so each is opened once.

    Args:
        catalogs: where the views are.
        spark: the session of the first thread, from which those of others are made.
        all_rows: whether rows are compared even where equal plans prove that they are equal.
    """

    def __init__(
        self, catalogs: CatalogManager, spark: SparkSession, *, all_rows: bool = False
    ) -> None:
        self._catalogs = catalogs
        self._first: SparkSession | None = spark
        self._spark = spark
        self._all_rows = all_rows
        self._one_by_one = threading.Lock()
        self._own = threading.local()
        self._known: set[object] = set()

    def verify(self, database: str, name: str) -> VerificationReport:
        """Compares the text of a view with its tree: by schema and plan, then by rows if needed.

        Raises:
            CatalogError: it cannot be opened.
        """
        with self._one_by_one:
            view = self._catalogs.relation((database, name))
            if not isinstance(view, Relation) or not isinstance(view.document, ViewDocument):
                raise CatalogError(f"`{database}.{name}` is no stored view")
            warn_of_changes(view.document, None)
            spark = self._session()
            open_sources_of(self._catalogs, view, spark, self._known)
        report = verify(view.document, spark, rows=self._all_rows)
        if self._all_rows:
            return report
        if report.is_proven:
            return replace(report, rows=replace(report.rows, detail=NOT_NEEDED))
        return verify(view.document, spark, rows=True)

    def _session(self) -> SparkSession:
        """The session of this thread."""
        found: SparkSession | None = getattr(self._own, "session", None)
        if found is None:
            found = self._first or self._spark.newSession()
            self._first = None
            self._own.session = found
        return found
