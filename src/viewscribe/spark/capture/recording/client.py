"""What PySpark's Connect client asks a server, answered without one.

It is no ``SparkConnectClient``: a real one keeps trying to reach its server when Python exits.
"""

from __future__ import annotations

import copy
import datetime as dt
import functools
import inspect
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unittest.mock import patch

from pyspark.sql.connect import proto
from pyspark.sql.connect.plan import LogicalPlan
from pyspark.sql.connect.session import SparkSession as ConnectSession
from pyspark.sql.types import DataType, StructType

from viewscribe.catalog_store.settings import DEFAULT_SETTINGS
from viewscribe.errors import CaptureError, DataTypeError, ViewscribeError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import SubqueryAlias
from viewscribe.spark.capture.connect.walker import Walk, check_all
from viewscribe.spark.capture.lines import lines_noted
from viewscribe.spark.capture.recording.record import MessageProgram, refuse_command
from viewscribe.spark.capture.recording.variables import ordered_as_by_classic
from viewscribe.spark.capture.sources import Sources
from viewscribe.spark.session import is_meant
from viewscribe.spark.types import schema_from_spark, schema_to_spark, to_spark
from viewscribe.types import Field
from viewscribe.types.ddl import schema_ddl
from viewscribe.types.policy import session_schema, session_type

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.walker import Walk


# What PySpark's own Python does otherwise in a classic session than over Connect.


@contextmanager
def python_of_classic() -> Iterator[None]:
    """Inside the block, PySpark's Connect does as a classic session does.

    ``1 + col("id")`` is ``id + 1``, and its column is called so; ``fillna(0)`` fills with 0.0,
    which Spark casts to the type of a column. A function that was made for a classic session, at
    the top of a module, gives a column of Connect's. ``pivot`` takes dates, decimals and None.
    """
    from pyspark.sql.connect.column import Column
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.functions import lit
    from pyspark.sql.connect.group import GroupedData
    from pyspark.sql.udf import UserDefinedFunction

    fill, pivot = DataFrame.fillna, GroupedData.pivot

    def fill_with_double(frame: Any, value: Any, subset: Any = None) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        return fill(frame, value, subset)

    def pivot_by_any(groups: Any, column: str, values: Any = None) -> Any:
        if not isinstance(values, list):
            return pivot(groups, column, values)
        made = pivot(
            groups,
            column,
            [
                0
                if (
                    each is None
                    or isinstance(each, Decimal | bytes | dt.date | dt.time | dt.timedelta)
                )
                else each
                for each in values
            ],
        )
        made._pivot_values = [lit(each) for each in values]
        return made

    with ExitStack() as stack:
        for written, turned in (("__radd__", "__add__"), ("__rmul__", "__mul__")):
            stack.enter_context(patch.object(Column, written, getattr(Column, turned)))
        stack.enter_context(patch.object(DataFrame, "fillna", fill_with_double))
        stack.enter_context(patch.object(GroupedData, "pivot", pivot_by_any))
        stack.enter_context(patch.object(UserDefinedFunction, "__call__", _call_over_connect))
        yield


def _call_over_connect(made: Any, *args: Any, **named: Any) -> Any:
    from pyspark.sql.connect.udf import UserDefinedFunction

    known = (made.func, made._returnType, made._name, made.evalType, made.deterministic)
    return UserDefinedFunction(*known)(*args, **named)


SESSION_ID = "00000000-0000-4000-8000-000000000000"

_SETTINGS = {
    **DEFAULT_SETTINGS,
    "spark.sql.session.localRelationCacheThreshold": str(2**62),  # all of it stays in the plan
    "spark.sql.session.localRelationSizeLimit": str(2**62),
    "spark.sql.session.localRelationChunkSizeRows": "10000",
    "spark.sql.session.localRelationChunkSizeBytes": str(2**24),
    "spark.sql.session.localRelationBatchOfChunksSizeBytes": str(2**30),
    "spark.sql.execution.pandas.convertToArrowArraySafely": "false",
    "spark.sql.execution.pandas.inferPandasDictAsMap": "false",
    "spark.sql.pyspark.inferNestedDictAsStruct.enabled": "false",
    "spark.sql.pyspark.legacy.inferArrayTypeFromFirstElement.enabled": "false",
    "spark.sql.pyspark.legacy.inferMapTypeFromFirstPair.enabled": "true",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.execution.pyspark.binaryAsBytes": "true",
    "spark.sql.execution.pythonUDF.arrow.enabled": "false",
    "spark.sql.execution.pythonUDTF.arrow.enabled": "false",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.python.sql.dataFrameDebugging.enabled": "true",
    "spark.sql.dataFrameQueryContext.enabled": "true",
}
"""What PySpark asks for while a plan is built, and Spark's defaults."""

_ROWS = (
    "the pipeline asks for rows while it is recorded, and recording runs nothing",
    "leave collect(), count(), show(), toPandas() … to the caller of the pipeline, and pass in as "
    "arguments what the pipeline must know",
)


class RecordingClient:
    """Stands where PySpark expects the client of a server.

    Args:
        schema_of: the columns of a plan so far.
        settings: Spark settings; those not given are Spark's defaults.
        define_view: takes the name of a temporary view and what it is made of.
        sources: know the other settings, where they ask a session.
    """

    _session_id = SESSION_ID
    _user_id = "viewscribe"
    is_closed = False

    def __init__(
        self,
        schema_of: Callable[[proto.Relation], StructType],
        settings: dict[str, str],
        define_view: Callable[[str, proto.Relation], None],
        sources: Sources,
    ) -> None:
        self._schema_of = schema_of
        self._sources = sources
        self._settings = {**_SETTINGS, **settings}
        self._define_view = define_view

    # -- settings --------------------------------------------------------------------------------

    def get_configs(self, *keys: str) -> tuple[str | None, ...]:
        """The values of settings."""
        return tuple(self._settings.get(key) for key in keys)

    def get_config_dict(self, *keys: str) -> dict[str, str | None]:
        """The values of settings, by name."""
        return {key: self._settings.get(key) for key in keys}

    def get_config_with_defaults(self, *pairs: tuple[str, str | None]) -> tuple[str | None, ...]:
        """The values of settings, or what is given beside each."""
        return tuple(self._settings.get(key, default) for key, default in pairs)

    def config(self, operation: proto.ConfigRequest.Operation) -> Any:
        """What ``spark.conf`` asks for.

        Raises:
            CaptureError: the pipeline changes a setting: a view has those it is stored with.
        """
        kind = operation.WhichOneof("op_type")
        pairs: list[tuple[str, str | None]]
        if kind == "get":
            pairs = [(key, self._known(key)) for key in operation.get.keys]
        elif kind == "get_option":
            pairs = [(key, self._settings.get(key)) for key in operation.get_option.keys]
        elif kind == "get_with_default":
            asked = operation.get_with_default.pairs
            pairs = [(each.key, self._setting(each.key, each.value)) for each in asked]
        elif kind == "get_all":
            pairs = list(self._settings.items())
        elif kind == "is_modifiable":
            pairs = [(key, "false") for key in operation.is_modifiable.keys]
        elif kind == "set" and operation.set.silent:
            # What SparkSession.builder was given. The session is there already, so it changes it.
            pairs = []
            self._refuse_changes(operation.set.pairs)
        else:
            raise CaptureError(
                "the pipeline changes a setting of the session while it is recorded",
                location=f"spark.conf.{kind}",
                hint="set it before: a view is stored with the settings of its environment",
            )
        return SimpleNamespace(pairs=pairs, warnings=[])

    def _refuse_changes(self, pairs: Iterable[proto.KeyValue]) -> None:
        for each in pairs:
            if is_meant(each.key) and self._settings.get(each.key) != each.value:
                raise CaptureError(
                    f"the pipeline changes the setting {each.key}, which its meaning depends on, "
                    "while it is recorded",
                    location="SparkSession.builder",
                    hint="set it before: a view is stored with the settings of its environment",
                )

    def _setting(self, key: str, *default: str) -> str | None:
        known = self._settings.get(key)
        return self._sources.setting(key, *default) if known is None else known

    def _known(self, key: str) -> str:
        found = self._setting(key)
        if found is None:
            raise CaptureError(
                f"the pipeline asks for the setting {key}, which is not known while it is recorded",
                location="spark.conf.get",
                hint="record with a session that has it: vs.record(pipeline, spark)",
            )
        return found

    # -- analysis --------------------------------------------------------------------------------

    def schema(self, plan: proto.Plan) -> StructType:
        """The columns of a plan: ``df.columns`` and all that follows from them."""
        return self._schema_of(plan.root)

    def _analyze(self, method: str, **given: Any) -> Any:
        answer = _ANSWERS.get(method)
        if answer is None:
            raise _no_answer(method)
        return answer(self, given)

    def _set_relation_in_plan(self, plan: proto.Plan, relation: proto.Relation) -> None:
        plan.root.CopyFrom(relation)

    def _set_command_in_plan(self, plan: proto.Plan, command: proto.Command) -> None:
        plan.command.CopyFrom(command)

    # -- what would run --------------------------------------------------------------------------

    def execute_command(
        self, command: proto.Command, *more: object, **options: object
    ) -> tuple[None, dict[str, Any], None]:
        """Notes temporary views and queries in SQL text; refuses what writes or changes.

        Raises:
            CaptureError: the command does something to the world.
        """
        kind = command.WhichOneof("command_type") or "command"
        if kind == "create_dataframe_view":
            view = command.create_dataframe_view
            self._define_view(view.name, view.input)
            return None, {}, None
        if kind == "sql_command":
            refuse_command(command.sql_command.input)
            return None, {"sql_command_result": command.sql_command.input}, None
        if kind == "checkpoint_command":
            raise CaptureError(
                "the pipeline makes a checkpoint while it is recorded, and recording runs nothing",
                location="checkpoint",
                hint="leave checkpoint() and localCheckpoint() out of it: a view has no use for "
                "them; or save the rows as a table, and start from spark.table(…)",
            )
        raise CaptureError(
            f"the pipeline runs a command while it is recorded: {kind.replace('_', ' ')}",
            location=kind,
            hint="write, register and checkpoint outside of the pipeline; it only says its steps",
        )

    def _refuse_rows(self, *given: Any, **options: Any) -> Any:
        message, hint = _ROWS
        raise CaptureError(message, hint=hint)

    to_table = to_table_as_iterator = to_pandas = explain_string = _refuse_rows
    same_semantics = semantic_hash = _refuse_rows

    def _refuse_registration(self, *given: Any, **options: Any) -> Any:
        raise CaptureError(
            "the pipeline registers a function while it is recorded",
            location="spark.udf.register",
            hint="register it in the catalog: env.create_function(…)",
        )

    register_udf = register_udtf = register_java = register_data_source = _refuse_registration

    def cache_artifact(self, blob: bytes) -> str:
        """Local data that PySpark would send ahead of the plan.

        Raises:
            CaptureError: always; ``localRelationCacheThreshold`` keeps data in the plan.
        """
        raise CaptureError(
            "the pipeline holds more local data than a view can",
            location="createDataFrame",
            hint="save it as a table, and read that",
        )

    cache_artifacts = cache_artifact

    def register_progress_handler(self, handler: object) -> None:
        """Nothing runs, so there is nothing to show."""

    remove_progress_handler = register_progress_handler

    def clear_progress_handlers(self) -> None:
        """Nothing runs, so there is nothing to show."""


def _no_answer(method: str) -> CaptureError:
    return CaptureError(
        f"the pipeline asks Spark for {method.replace('_', ' ')} while it is recorded",
        hint="ask the DataFrame that the pipeline gives instead",
    )


def _ddl(client: RecordingClient, given: dict[str, Any]) -> Any:
    return SimpleNamespace(parsed=parsed_ddl(given["ddl_string"]))


def parsed_ddl(text: str) -> DataType:
    """A type or the columns of a table as PySpark's type, as a server would read them."""

    try:
        return schema_to_spark(session_schema(text))
    except DataTypeError:
        return to_spark(session_type(text))


def _to_ddl(client: RecordingClient, given: dict[str, Any]) -> Any:

    fields = schema_from_spark(StructType.fromJson(json.loads(given["json_string"])))
    return SimpleNamespace(ddl_string=schema_ddl(fields))


def _is_local(client: RecordingClient, given: dict[str, Any]) -> Any:
    """PySpark asks so of ``df.select("NAME")`` to see whether ``df["NAME"]`` is a column.

    Raises:
        CaptureError: it is none; or the question is another one.
    """
    relation = given["plan"].root
    if relation.WhichOneof("rel_type") != "project":
        raise _no_answer("is_local")
    client.schema(given["plan"])
    return SimpleNamespace(is_local=False)


def _ignore(client: RecordingClient, given: dict[str, Any]) -> Any:
    """``cache()`` and ``unpersist()`` do not change what a pipeline means."""
    return SimpleNamespace()


def _version(client: RecordingClient, given: dict[str, Any]) -> Any:
    import pyspark

    return SimpleNamespace(spark_version=pyspark.__version__)


def _is_streaming(client: RecordingClient, given: dict[str, Any]) -> Any:
    return SimpleNamespace(is_streaming=False)


_ANSWERS: dict[str, Callable[[RecordingClient, dict[str, Any]], Any]] = {
    "ddl_parse": _ddl,
    "json_to_ddl": _to_ddl,
    "persist": _ignore,
    "unpersist": _ignore,
    "spark_version": _version,
    "is_local": _is_local,
    "is_streaming": _is_streaming,
}
"""What is known of a plan without running anything."""


# An empty list of columns means none to a classic session, and all over Connect: it is refused.

METHODS: Final = ("dropDuplicates", "drop_duplicates", "dropna", "fillna", "replace")


@contextmanager
def refused_as_ambiguous() -> Iterator[None]:
    """Inside the block, the methods of PySpark's Connect that take a subset take no empty one."""
    from pyspark.sql.connect.dataframe import DataFrame

    with ExitStack() as stack:
        for name in METHODS:
            stack.enter_context(patch.object(DataFrame, name, _not_empty(getattr(DataFrame, name))))
        yield


def _not_empty(method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)

    @functools.wraps(method)
    def checked(*args: Any, **named: Any) -> Any:
        subset = signature.bind(*args, **named).arguments.get("subset")
        if isinstance(subset, list | tuple) and not subset:
            raise CaptureError(
                f"{method.__name__}() of an empty list of columns is of none in a classic session, "
                "and of all over Connect",
                hint="leave subset out for all columns, or leave out the step",
            )
        return method(*args, **named)

    return checked


# The session that a pipeline is recorded with, and PySpark's switch to Connect around the call.

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

    _client: Any = None  # of its own: that of Databricks keeps both by thread
    _session_id = SESSION_ID

    def __init__(
        self, sources: Sources, settings: Mapping[str, str], *, partial: bool = False
    ) -> None:
        self._partial = partial
        self.sources = RecordedSources(sources, self.captured, settings)
        self._client = RecordingClient(
            self._schema_of, dict(settings), self.sources.define, sources
        )
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
