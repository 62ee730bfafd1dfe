"""Connect's client without a server: what it builds, run by the planner in the classic JVM."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.connect.session import SparkSession as ConnectSession
from pyspark.sql.types import DataType, StructType, _parse_datatype_json_string

_SESSION = "11111111-1111-1111-1111-111111111111"

_ANSWERS = {
    "ddl_parse": "parsed",
    "json_to_ddl": "ddl_string",
    "spark_version": "spark_version",
    "is_local": "is_local",
}
"""What the client asks the server to work out, and where it looks for the answer."""

_SETTINGS = {
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.dataFrameQueryContext.enabled": "true",
    "spark.python.sql.dataFrameDebugging.enabled": "true",
}


class Planner:
    """Runs relations in the classic session, with the planner that a Connect server uses.

    Args:
        spark: the classic session.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.spark: Any = spark
        jvm: Any = self.spark._jvm
        self._jvm = jvm
        service = jvm.org.apache.spark.sql.connect.service
        holder = service.SessionHolder("tests", _SESSION, self.spark._jsparkSession)
        none = getattr(getattr(jvm.scala, "None$"), "MODULE$")
        self._planner = jvm.org.apache.spark.sql.connect.planner.SparkConnectPlanner(holder, none)

    def frame(self, relation: Any) -> DataFrame:
        """The relation as a classic DataFrame."""
        from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame

        message = self._jvm.org.apache.spark.connect.proto.Relation
        java = message.parseFrom(bytearray(relation.SerializeToString()))
        plan = self._planner.transformRelation(java)
        dataset = self._jvm.org.apache.spark.sql.classic.Dataset
        return ClassicFrame(dataset.ofRows(self.spark._jsparkSession, plan), self.spark)


class _Client:
    """Stands for the client of a server: a real one would wait for it at exit."""

    _session_id = _SESSION
    _user_id = "tests"
    is_closed = False

    def __init__(self, planner: Any) -> None:
        self._planner = planner

    def schema(self, plan: Any, *more: Any) -> Any:
        return self._planner.frame(plan.root).schema

    def to_table(self, plan: Any, *more: Any) -> Any:
        frame = self._planner.frame(plan.root)
        return frame.toArrow(), frame.schema, None

    def _analyze(self, method: str, **given: Any) -> Any:
        return SimpleNamespace(**{_ANSWERS[method]: self._answer(method, **given)})

    def _answer(self, method: str, **given: Any) -> Any:
        jvm = self._planner.spark._jvm
        if method == "is_local":  # Spark 4.0 asks it to see whether a column is there
            return False
        if method == "spark_version":
            return self._planner.spark.version
        if method == "json_to_ddl":
            struct = StructType.fromJson(json.loads(given["json_string"]))
            return ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in struct)
        return _parsed(jvm, given["ddl_string"])

    def get_config_dict(self, *names: str) -> dict[str, Any]:
        return {name: self._planner.spark.conf.get(name) for name in names}

    def execute_command(self, command: Any, *more: Any) -> Any:
        if command.WhichOneof("command_type") == "create_dataframe_view":
            view = command.create_dataframe_view
            frame = self._planner.frame(view.input)
            if view.is_global:
                frame.createOrReplaceGlobalTempView(view.name)
            else:
                frame.createOrReplaceTempView(view.name)
        return None, {}, None

    def _set_relation_in_plan(self, plan: Any, relation: Any) -> None:
        plan.root.CopyFrom(relation)


def _parsed(jvm: Any, text: str) -> DataType:
    """The type that a text names: that of a column, or columns with or without their colons."""
    types = jvm.org.apache.spark.sql.types
    for parse in (
        lambda: types.StructType.fromDDL(text),
        lambda: types.DataType.fromDDL(text),
        lambda: types.DataType.fromDDL(f"struct<{text}>"),
    ):
        try:
            return _parse_datatype_json_string(parse().json())
        except PySparkException:
            continue
    raise ValueError(f"{text!r} is not a type")


class _Settings:
    def __init__(self, spark: Any) -> None:
        self._spark = spark

    def get(self, key: str, *default: Any) -> Any:
        if key in _SETTINGS or self._spark is None:
            return _SETTINGS.get(key, (default and default[0]) or "false")
        return self._spark.conf.get(key, *default)

    @property
    def getAll(self) -> dict[str, str]:
        return dict(self._spark.conf.getAll)


class OfflineSession(ConnectSession):
    """A Connect session whose DataFrames are only built; without a planner not even asked about."""

    def __init__(self, planner: Planner | None = None) -> None:
        self._client: Any = _Client(planner)
        self._session_id = _SESSION
        self._classic: Any = None if planner is None else planner.spark
        if planner is None:  # PySpark then asks nobody whether there is a df["a"]
            self.is_mock_session = True

    @property
    def conf(self) -> Any:
        return _Settings(self._classic)

    @property
    def catalog(self) -> Any:
        return self._classic.catalog

    @property
    def client(self) -> Any:
        return self._client

    def __del__(self) -> None:
        pass
