"""What PySpark's Connect client asks a server, answered without one.

It is no ``SparkConnectClient``: a real one keeps trying to reach its server when Python exits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from pyspark.sql.connect import proto
from pyspark.sql.types import DataType, StructType

from viewscribe.catalog_store.settings import DEFAULT_SETTINGS
from viewscribe.errors import CaptureError
from viewscribe.spark.capture.recording.commands import refuse_command
from viewscribe.spark.capture.sources import Sources
from viewscribe.spark.session import is_meant
from viewscribe.types.session_types import session_schema, session_type

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
    from viewscribe.errors import DataTypeError
    from viewscribe.spark.types import schema_to_spark, to_spark

    try:
        return schema_to_spark(session_schema(text))
    except DataTypeError:
        return to_spark(session_type(text))


def _to_ddl(client: RecordingClient, given: dict[str, Any]) -> Any:
    from viewscribe.spark.types import schema_from_spark
    from viewscribe.types.ddl import schema_ddl

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
