"""Operators that no stored view can hold, each with the reason and the way out."""

from __future__ import annotations

from typing import NoReturn

from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.plan import PlanNode, refusal
from viewscribe.spark.capture.classic.run import CaptureRun, Handler

_SAVE = "save it as a table: df.write.saveAsTable(…), and start from spark.table(…)"
_FUNCTION = (
    "write the step with DataFrame methods, or store what it gives as a table, "
    "df.write.saveAsTable(…), and start from spark.table(…)"
)
_BATCH = "run it as a batch query: spark.read instead of spark.readStream"

REASONS: dict[str, tuple[str, str]] = {
    "LogicalRDD": (
        "the rows are those of an RDD or a Python list, or a checkpoint: the plan does not have "
        "them",
        f"{_SAVE}; rows that are written in Python a recording keeps: vs.record(…)",
    ),
    "ExternalRDD": ("the rows are those of an RDD: the plan does not have them", _SAVE),
    "ReplayOperator": ("the rows are those of a checkpoint", _SAVE),
    "CommandResult": ("the rows are the answer of a command, not of a query", _SAVE),
    "InMemoryRelation": ("the rows are only kept in memory", _SAVE),
    "MapInPandas": ("mapInPandas runs Python code of this session", _FUNCTION),
    "MapInArrow": ("mapInArrow runs Python code of this session", _FUNCTION),
    "PythonMapInArrow": ("mapInArrow runs Python code of this session", _FUNCTION),
    "FlatMapGroupsInPandas": ("applyInPandas runs Python code of this session", _FUNCTION),
    "FlatMapGroupsInArrow": ("applyInArrow runs Python code of this session", _FUNCTION),
    "FlatMapCoGroupsInPandas": ("cogroup runs Python code of this session", _FUNCTION),
    "FlatMapCoGroupsInArrow": ("cogroup runs Python code of this session", _FUNCTION),
    "BatchEvalPython": ("it calls a Python function of this session", _FUNCTION),
    "ArrowEvalPython": ("it calls a Python function of this session", _FUNCTION),
    "BatchEvalPythonUDTF": ("it calls a Python function of this session", _FUNCTION),
    "ArrowEvalPythonUDTF": ("it calls a Python function of this session", _FUNCTION),
    "MapPartitions": ("it runs Scala code of this session", _FUNCTION),
    "MapElements": ("it runs Scala code of this session", _FUNCTION),
    "MapGroups": ("it runs Scala code of this session", _FUNCTION),
    "CoGroup": ("it runs Scala code of this session", _FUNCTION),
    "TypedFilter": ("it runs Scala code of this session", _FUNCTION),
    "AppendColumns": ("it runs Scala code of this session", _FUNCTION),
    "SerializeFromObject": ("its rows are objects of Scala code of this session", _FUNCTION),
    "DeserializeToObject": ("its rows are objects of Scala code of this session", _FUNCTION),
    "ScriptTransformation": ("TRANSFORM runs a script of the machine it runs on", _FUNCTION),
    "FlatMapGroupsWithState": ("it keeps the state of a stream", _BATCH),
    "FlatMapGroupsInPandasWithState": ("it keeps the state of a stream", _BATCH),
    "TransformWithState": ("it keeps the state of a stream", _BATCH),
    "TransformWithStateInPandas": ("it keeps the state of a stream", _BATCH),
    "TransformWithStateInPySpark": ("it keeps the state of a stream", _BATCH),
    "DeduplicateWithinWatermark": ("it keeps the state of a stream", _BATCH),
    "StreamingRelation": ("a stream is no view", _BATCH),
    "StreamingRelationV2": ("a stream is no view", _BATCH),
    "StreamingExecutionRelation": ("a stream is no view", _BATCH),
    "Tail": (
        "the last rows have no form in SQL",
        "sort the other way round and take the first: orderBy(desc).limit(n)",
    ),
    "LocalLimit": (
        "a limit for each partition has no form in SQL",
        "use limit(…), which counts all rows",
    ),
    "SubqueryColumnAliases": ("column aliases were left unresolved", _SAVE),
    "Transpose": ("the transposed columns depend on the rows there are now", _SAVE),
    "Zip": ("putting rows side by side by their order has no form in SQL", "join them by a key"),
    "BinBy": ("BIN BY has no form here", _SAVE),
    "RelationChanges": ("the changes of a table have no form here", _SAVE),
    "AppendColumnsWithObject": ("it runs Scala code of this session", _FUNCTION),
    "MapPartitionsExternalUDF": ("it runs code of this session", _FUNCTION),
    "MapPartitionsInR": ("it runs R code of this session", _FUNCTION),
    "MapPartitionsInRWithArrow": ("it runs R code of this session", _FUNCTION),
    "FlatMapGroupsInR": ("it runs R code of this session", _FUNCTION),
    "FlatMapGroupsInRWithArrow": ("it runs R code of this session", _FUNCTION),
    "PythonWorkerLogs": ("the logs of Python workers are those of this session", _SAVE),
    "StreamingDataSourceV2Relation": ("a stream is no view", _BATCH),
}
"""Why there is no view of an operator, and what to do instead."""


def _refuse(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> NoReturn:
    reason, hint = REASONS[node.kind]
    function = node.get("functionExpr") or node.get("func")
    if isinstance(function, PlanNode) and function.get("name"):
        reason = f"{reason}: `{function['name']}`"
    raise refusal(node, reason, hint=hint)


HANDLERS: dict[str, Handler] = dict.fromkeys(REASONS, _refuse)
