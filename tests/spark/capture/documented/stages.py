"""Where the examples run: PySpark's classic DataFrames, or those of Spark Connect."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
from pyspark.sql.connect import proto

from tests.spark.capture.conftest import connect_mode
from tests.spark.capture.planner import OfflineSession
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.sources import SessionSources

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tests.spark.capture.planner import Planner
    from viewscribe.operations.base import QueryOperation

ACTIONS = (
    "show", "printSchema", "explain", "collect", "count", "first", "head", "take", "tail",
    "toPandas", "toArrow", "isEmpty", "toLocalIterator", "foreach", "foreachPartition",
)  # fmt: skip
"""What an example calls to look at a DataFrame."""

_QUIET = frozenset(("show", "printSchema", "explain"))
"""Actions that only print."""


class Stage(Protocol):
    """A way of running examples."""

    session: Any
    """The examples' ``spark``."""

    frame_class: type
    """What the examples' DataFrames are."""

    def mode(self) -> AbstractContextManager[None]:
        """In force while an example runs."""

    def classic(self, frame: Any) -> DataFrame:
        """A DataFrame of the examples as one that Spark runs here."""

    def captured(self, frame: Any) -> QueryOperation:
        """Its tree."""


class ClassicStage:
    """Classic DataFrames; the rows of a Python list are kept in the plan, as those of pandas are.

    Args:
        spark: the session.
        planner: makes rows of a Python list a part of the plan.
    """

    def __init__(self, spark: SparkSession, planner: Planner) -> None:
        from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame

        self.frame_class: type = ClassicFrame
        self.session: Any = spark
        self._planner = planner
        self._offline = OfflineSession(planner)

    @contextmanager
    def mode(self) -> Iterator[None]:
        original: Any = type(self.session).createDataFrame

        def with_rows(data: Any, *args: Any, **kwargs: Any) -> Any:
            if hasattr(data, "toDF"):  # an RDD
                return original(self.session, data, *args, **kwargs)
            made: Any = self._offline.createDataFrame(data, *args, **kwargs)
            return self._planner.frame(made._plan.plan(made._session.client))

        self.session.createDataFrame = with_rows
        try:
            yield
        finally:
            del self.session.createDataFrame

    def classic(self, frame: Any) -> DataFrame:
        found: DataFrame = frame
        return found

    def captured(self, frame: Any) -> QueryOperation:
        return capture(frame)


class ConnectStage:
    """DataFrames of Spark Connect, which the planner of its server makes classic ones of.

    Args:
        spark: the classic session.
        planner: the planner.
    """

    def __init__(self, spark: SparkSession, planner: Planner) -> None:
        from pyspark.sql.connect.dataframe import DataFrame as ConnectFrame

        self.frame_class: type = ConnectFrame
        self.session: Any = _DocumentedSession(planner)
        self._spark = spark
        self._planner = planner

    def mode(self) -> AbstractContextManager[None]:
        return connect_mode(self.session)

    def classic(self, frame: Any) -> DataFrame:
        return self._planner.frame(frame._plan.plan(frame._session.client))

    def captured(self, frame: Any) -> QueryOperation:
        return capture(frame, sources=SessionSources(self._spark))


class _DocumentedSession(OfflineSession):
    """A session that also takes settings, temporary views and tables.

    Args:
        planner: the planner of a Connect server, which stands for the server.
    """

    def __init__(self, planner: Planner) -> None:
        super().__init__(planner)
        self._planner = planner
        client = self._client
        plain = client._analyze
        self._make_view: Any = client.execute_command
        client.execute_command = self._execute
        client.to_table = self._to_table
        client.same_semantics = lambda plan, other: self._frame(plan).sameSemantics(
            self._frame(other)
        )
        client.semantic_hash = lambda plan: self._frame(plan).semanticHash()
        client._analyze = lambda method, **given: (
            self._analyzed(method, **given) if method in _ANALYZED else plain(method, **given)
        )

    @property
    def conf(self) -> Any:
        plain, settings = self._classic.conf, super().conf
        return SimpleNamespace(get=settings.get, set=plain.set, unset=plain.unset)

    def _frame(self, plan: Any) -> DataFrame:
        return self._planner.frame(plan.root)

    def _to_table(self, plan: Any, *more: Any, **options: Any) -> Any:
        frame = self._frame(plan)
        return frame.toArrow(), frame.schema, None

    def _analyzed(self, method: str, **given: Any) -> Any:
        relation = given["plan"].root if "plan" in given else given["relation"]
        return SimpleNamespace(**{method: _ANALYZED[method](self._planner.frame(relation))})

    def _execute(self, command: Any, *more: Any) -> Any:
        kind = command.WhichOneof("command_type")
        if kind == "create_dataframe_view":
            return self._make_view(command)
        run = _COMMANDS.get(kind)
        if run is None:
            raise NotImplementedError(f"the command {kind} is not run without a server")
        return None, run(self._planner, getattr(command, kind)), None


_ANALYZED: dict[str, Callable[[Any], Any]] = {
    "is_local": lambda frame: frame.isLocal(),
    "is_streaming": lambda frame: frame.isStreaming,
    "input_files": lambda frame: frame.inputFiles(),
    "persist": lambda frame: None,
    "unpersist": lambda frame: None,
    "get_storage_level": lambda frame: frame.storageLevel,
}


def _run_text(planner: Planner, command: Any) -> dict[str, Any]:
    """A command is run when its plan is made; its rows are what a server sends back."""
    frame: Any = planner.frame(command.input)
    plan = frame._jdf.queryExecution().commandExecuted()
    if plan.getClass().getSimpleName() != "CommandResult":
        return {}
    return {"sql_command_result": _local(frame)}


def _local(frame: DataFrame) -> Any:
    table = frame.toArrow()
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    relation = proto.Relation()
    relation.local_relation.data = sink.getvalue()
    relation.local_relation.schema = frame.schema.json()
    return relation


def _write(planner: Planner, command: Any) -> dict[str, Any]:
    writer = planner.frame(command.input).write.options(**command.options)
    if command.HasField("source"):
        writer = writer.format(command.source)
    if command.mode:
        writer = writer.mode(_MODES[command.mode])
    if command.HasField("table"):
        writer.saveAsTable(command.table.table_name)
    else:
        writer.save(command.path)
    return {}


_MODES = {1: "append", 2: "overwrite", 3: "error", 4: "ignore"}

_COMMANDS: dict[str, Callable[[Planner, Any], dict[str, Any]]] = {
    "sql_command": _run_text,
    "write_operation": _write,
}


@contextmanager
def watched(stage: Stage, note: Callable[[Any], None]) -> Iterator[None]:
    """Notes every DataFrame that is looked at; what only prints is left out."""
    class_ = stage.frame_class
    originals = {name: vars(class_)[name] for name in ACTIONS if name in vars(class_)}
    inside = False

    def watching(name: str) -> Callable[..., Any]:
        def look(frame: Any, *args: Any, **kwargs: Any) -> Any:
            nonlocal inside
            if inside:
                return originals[name](frame, *args, **kwargs)
            note(frame)
            if name in _QUIET:
                return None
            inside = True
            try:
                return getattr(stage.classic(frame), name)(*args, **kwargs)
            finally:
                inside = False

        return look

    for name in originals:
        setattr(class_, name, watching(name))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(class_, name, original)
