"""Verifying the views of a whole catalog: one Spark, several sessions, nothing done twice."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, nullcontext, suppress
from itertools import islice
from typing import TYPE_CHECKING

from viewscribe.catalog_store import CatalogManager, ObjectId, Relation
from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.view_checks import warn_of_changes
from viewscribe.errors import CatalogError, ViewscribeError
from viewscribe.spark.compare import TEXT_OF_PLANS
from viewscribe.spark.opened_sources import OpenedSources
from viewscribe.spark.session import settings, settings_of_text
from viewscribe.spark.stand_ins import another_session
from viewscribe.spark.verify import verify, verify_at_least
from viewscribe.spark.views import open_sources_of

if TYPE_CHECKING:
    from types import TracebackType

    from pyspark.sql import SparkSession

    from viewscribe.spark.report import VerificationReport

_READ_AHEAD = 100
"""How many views are looked at together, to verify those under the same settings in a row."""


class CatalogVerifier:
    """Verifies views one by one, from as many threads as there are.

    Settings belong to a session, so each thread has a session of its own, which keeps those of
    the last view until another one needs others; tables belong to all of them, so each is opened
    once. A context manager: the session that was given has its own settings again at the end.

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
        self._made: list[_Settled] = []
        self._opened = OpenedSources()
        self._ahead: dict[tuple[str, str], Relation] = {}

    def __enter__(self) -> CatalogVerifier:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for each in self._made:
            # What stopped the run matters more than a session that cannot be reached any more.
            with nullcontext() if error is None else suppress(Exception):
                each.reset()

    def in_turns(self, views: Iterable[ObjectId]) -> Iterator[ObjectId]:
        """Yields the views, of neighbours those under the same settings one after the other."""
        rest = iter(views)
        while some := list(islice(rest, _READ_AHEAD)):
            with self._one_by_one:
                found = {view: self._read_ahead(view) for view in some}
            yield from sorted(some, key=found.__getitem__)

    def _read_ahead(self, view: ObjectId) -> list[tuple[str, str]]:
        """Returns the settings of a view, and keeps it until it is verified."""
        try:
            found = self._read(view.database, view.name)
        except (ViewscribeError, OSError):
            return []  # verifying it tells why
        self._ahead[view.database, view.name] = found
        return sorted(_document(found).settings.items())

    def _read(self, database: str, name: str) -> Relation:
        view = self._catalogs.relation((database, name))
        if not isinstance(view, Relation) or not isinstance(view.document, ViewDocument):
            raise CatalogError(f"`{database}.{name}` is no stored view")
        return view

    def verify(self, database: str, name: str) -> VerificationReport:
        """Compares the text of a view with its tree: by schema and plan, then by rows if needed.

        Raises:
            CatalogError: it cannot be opened.
        """
        with self._one_by_one:
            view = self._ahead.pop((database, name), None) or self._read(database, name)
            document = _document(view)
            warn_of_changes(document, None)
            session = self._session()
            open_sources_of(self._catalogs, view, session.spark, self._opened, session.reset)
        # Whether verifying the view starts with what the settings of the session decide. That is
        # how functions are created, and how the text of a view without a plan is read.
        if document.plan is None or any(each.kind == "function" for each in document.dependencies):
            session.reset()
        else:
            session.settle(settings_of_text(document.sql, document.settings))
        if self._all_rows:
            return verify(document, session.spark)
        return verify_at_least(document, session.spark)

    def _session(self) -> _Settled:
        """The session of this thread."""
        found: _Settled | None = getattr(self._own, "session", None)
        if found is None:
            found = _Settled(self._first or another_session(self._spark))
            self._first = None
            self._made.append(found)
            self._own.session = found
        return found


class _Settled:
    """A session that keeps the settings of a view for the next one.

    Args:
        spark: the session.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self._wanted: Mapping[str, str] | None = None
        self._stack = ExitStack()

    def settle(self, wanted: Mapping[str, str]) -> None:
        """Has these settings in force from now on, unless it has."""
        if wanted != self._wanted:
            self.reset()
            self._stack.enter_context(settings(self.spark, wanted, own=TEXT_OF_PLANS))
            self._wanted = dict(wanted)

    def reset(self) -> None:
        """Has the session's own settings in force again."""
        self._wanted = None
        self._stack.close()


def _document(view: Relation) -> ViewDocument:
    assert isinstance(view.document, ViewDocument)
    return view.document
