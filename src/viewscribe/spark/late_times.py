"""Files of a DataFrame whose times are texts: Spark reads them in the zone it has when it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame

from viewscribe.spark.proof.inputs import leaves_of
from viewscribe.spark.zone_readers import FILES_OF_TEXT

_WITH_ZONE = re.compile(r"\bTIMESTAMP\b")


def times_in_files(frame: DataFrame) -> str | None:
    """Says which files of a classic DataFrame have such times, in them or in their paths."""
    java: Any = frame
    return next(_found(java._jdf.queryExecution().analyzed()), None)


def _found(root: Any) -> Iterator[str]:
    for leaf in leaves_of(root):
        if leaf.getClass().getSimpleName() != "LogicalRelation":
            continue
        files = leaf.relation()
        if files.getClass().getSimpleName() != "HadoopFsRelation":
            continue
        if re.search(r"\btimezone ->", files.options().toString(), re.IGNORECASE):
            continue
        of_text = files.fileFormat().toString().lower() in FILES_OF_TEXT
        columns = leaf.schema() if of_text else files.partitionSchema()
        if _WITH_ZONE.search(columns.toDDL()):
            yield f"times in {files.location().rootPaths().mkString(', ')}"
