"""The targets by the names that users type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from viewscribe.export.datahub import DataHub
from viewscribe.export.dbt import Dbt
from viewscribe.export.model import ExportedView, Target
from viewscribe.export.openlineage import OpenLineage
from viewscribe.export.pipelines import SparkPipelines
from viewscribe.export.scripts import SqlScripts
from viewscribe.export.sqlmesh import SqlMesh

TARGETS: Mapping[str, Callable[[Sequence[ExportedView]], Target]] = {
    "dbt": lambda views: Dbt(),
    "sqlmesh": SqlMesh,
    "spark-pipelines": SparkPipelines,
    "sql": lambda views: SqlScripts(),
    "openlineage": lambda views: OpenLineage(),
    "datahub": lambda views: DataHub(),
}
"""Targets, each made for the views that are to be exported, whose texts have not been read."""
