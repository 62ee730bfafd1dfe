"""The session that a pipeline is recorded with, and PySpark's switch to Connect around the call."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.connect import proto
from pyspark.sql.connect.plan import LogicalPlan
from pyspark.sql.connect.session import SparkSession as ConnectSession
from pyspark.sql.types import StructType

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import SubqueryAlias
from viewscribe.spark.capture.lines import lines_noted
from viewscribe.spark.capture.recording.classic_python import python_of_classic
from viewscribe.spark.capture.recording.client import SESSION_ID, RecordingClient
from viewscribe.spark.capture.recording.dict_aggregates import ordered_as_by_classic
from viewscribe.spark.capture.recording.empty_subsets import refused_as_ambiguous
from viewscribe.spark.capture.recording.messages import MessageProgram
from viewscribe.spark.capture.sources import Sources
from viewscribe.spark.types import schema_to_spark
from viewscribe.types import Field

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk

_SWITCHES = {
    "SPARK_CONNECT_MODE_ENABLED": "1",
    "SPARK_REMOTE": "sc://localhost",
    "SPARK_LOCAL_REMOTE": "1",
}
"""What makes ``pyspark.sql.functions``, ``Window`` and ``getOrCreate()`` those of Connect."""

_connect_mode = threading.RLock()  # the switches are the process's, so one recording at a time


class RecordingSession(ConnectSession):
    """A Spark session that notes what is asked of it and runs nothing.

    Args:
        sources: where tables get their columns from.
        settings: Spark settings that the pipeline may ask for.
        partial: whether everything that cannot be captured is told at once.
    """

    def __init__(
        self, sources: Sources, settings: Mapping[str, str], *, partial: bool = False
    ) -> None:
        self._partial = partial
        self.sources = RecordedSources(sources, self.captured, settings)
        self._client: Any = RecordingClient(
            self._schema_of, dict(settings), self.sources.define, sources
        )
        self._session_id = SESSION_ID
        self.release_session_on_close = False
        self.lines: dict[int, str] = {}
        """Where each step of the pipeline is written, by plan id."""

    @property
    def client(self) -> Any:
        """The client, which has no server."""
        return self._client

    @property
    def catalog(self) -> Any:
        """Refused: what a catalog holds is not part of a pipeline.

        Raises:
            CaptureError: always.
        """
        raise CaptureError(
            "the pipeline looks into the catalog while it is recorded",
            location="spark.catalog",
            hint="decide which tables to read outside of the pipeline",
        )

    def captured(self, relation: proto.Relation, *, as_declared: bool = False) -> QueryOperation:
        """The tree of a relation."""
        from viewscribe.spark.capture.connect.partial import check_all
        from viewscribe.spark.capture.connect.walker import Walk

        program = MessageProgram(relation, self.lines)
        walk = Walk(program, self.sources, recorded=True, as_declared=as_declared)
        if self._partial:
            check_all(walk)
        return walk.run(program.root)

    def _schema_of(self, relation: proto.Relation) -> StructType:
        return schema_to_spark(self.captured(relation, as_declared=True).schema.fields)

    def stop(self) -> None:
        """A pipeline that ends its session ends nothing here."""

    def __del__(self) -> None:
        """There is no server to take leave of."""


class _View(NamedTuple):
    """A temporary view of the pipeline.

    Args:
        name: its name, as it was written.
        made: what it is made of, or why that cannot be captured.
        since: the plan id from which on it is read.
    """

    name: str
    made: QueryOperation | ViewscribeError
    since: int


class RecordedSources(Sources):
    """The tables of ``sources``, and the temporary views that the pipeline makes on its way.

    A temporary view means what it was made of, so that nothing stored depends on its name.
    """

    _walk: Walk | None = None

    def __init__(
        self,
        sources: Sources,
        captured: Callable[[proto.Relation], QueryOperation],
        settings: Mapping[str, str],
    ) -> None:
        self._settings = settings
        self._sources = sources
        self._captured = captured
        self._views: dict[str, _View] = {}

    def asked_by(self, walk: Walk) -> RecordedSources:
        """The same, for a walk that says how far it is."""
        asked = copy.copy(self)
        asked._walk = walk
        return asked

    def define(self, name: str, relation: proto.Relation) -> None:
        """Notes what a temporary view is made of, by what all names mean at this moment."""
        try:
            made: QueryOperation | ViewscribeError = self._captured(relation)
        except ViewscribeError as error:
            made = error  # nobody may ever read it
        self._views[name.lower()] = _View(name, made, LogicalPlan._fresh_plan_id())

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The temporary view of that name, else the table of ``sources``.

        Raises:
            CaptureError: the view was defined later than this was read, so that sessions differ.
        """
        found = self._views.get(parts[0].lower()) if len(parts) == 1 else None
        if found is None:
            return self._sources.table(parts)
        if self._walk is not None and self._walk.current < found.since:
            raise CaptureError(
                f"`{found.name}` is read before a temporary view of that name is defined: a "
                "classic session reads what it was, one of Spark Connect what it is then",
                location="createOrReplaceTempView",
                hint="give the view a name that is read only behind it",
            )
        if isinstance(found.made, ViewscribeError):
            raise found.made
        return SubqueryAlias.of(found.made, found.name)

    def query_schema(self, text: str) -> tuple[Field, ...] | None:
        """The columns of a query in SQL text; None where nobody can be asked."""
        return self._sources.query_schema(text)

    def columns_of_files(
        self, form: str, paths: Sequence[str], options: Mapping[str, str], given: Sequence[Field]
    ) -> tuple[Field, ...]:
        """The columns of files that are read with a schema, for all that ``sources`` know."""
        return self._sources.columns_of_files(form, paths, options, given)

    def setting(self, name: str, *default: str) -> str | None:
        """The value of a Spark setting: what the recording was given, else that of ``sources``."""
        return self._settings.get(name, self._sources.setting(name, *default))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function of a catalog that a name means, for all that ``sources`` know."""
        return self._sources.function(parts)


@contextmanager
def record(
    sources: Sources, settings: Mapping[str, str], *, partial: bool = False
) -> Iterator[RecordingSession]:
    """A session to record with; inside the block PySpark is Connect's, in this whole process."""
    with _connect_mode, _environment(_SWITCHES):
        session = RecordingSession(sources, settings, partial=partial)
        active = ConnectSession._active_session
        before = getattr(active, "session", None)
        active.session = session
        try:
            classic = not getattr(sources, "is_connect", False)
            with ExitStack() as stack:
                stack.enter_context(lines_noted(session.lines))
                if classic:
                    stack.enter_context(ordered_as_by_classic())
                    stack.enter_context(refused_as_ambiguous())
                    stack.enter_context(python_of_classic())
                yield session
        finally:
            active.session = before


@contextmanager
def _environment(wanted: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
