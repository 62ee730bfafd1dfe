"""Connect's client without a server: what it builds, run by the planner in the classic JVM."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.connect.session import SparkSession as ConnectSession

_SESSION = "11111111-1111-1111-1111-111111111111"

_SETTINGS = {
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.dataFrameQueryContext.enabled": "false",
}


class Planner:
    """Runs relations in the classic session, with the planner that a Connect server uses.

    Args:
        spark: the classic session.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.spark: Any = spark
        jvm = self._jvm = self.spark._jvm
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

    def __init__(self, planner: Planner) -> None:
        self._planner = planner

    def schema(self, plan: Any, *more: Any) -> Any:
        return self._planner.frame(plan.root).schema

    def _set_relation_in_plan(self, plan: Any, relation: Any) -> None:
        plan.root.CopyFrom(relation)


class _Settings:
    def __init__(self, spark: Any) -> None:
        self._spark = spark

    def get(self, key: str, default: Any = None) -> Any:
        return _SETTINGS.get(key) or self._spark.conf.get(key, default or "false")


class OfflineSession(ConnectSession):
    """A Connect session whose DataFrames are only built."""

    def __init__(self, planner: Planner) -> None:
        self._client: Any = _Client(planner)
        self._session_id = _SESSION
        self._classic = planner.spark

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
