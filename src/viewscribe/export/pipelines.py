"""Spark Declarative Pipelines: definition files of SQL, for Spark 4.1 and newer.

Persistent views can only be defined there in SQL, and are made under the configuration of the whole
pipeline: what SET says in a definition file holds while a pipeline is checked, and is not kept with
its views.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from viewscribe.export.model import ExportedView, Files, Project
from viewscribe.export.names import file_name
from viewscribe.export.scripts import HEAD, reason_against_text
from viewscribe.export.settings import most_common_settings, other_setting
from viewscribe.export.statements import create_view
from viewscribe.export.yaml_text import yaml_text


class SparkPipelines:
    """``spark-pipeline.yml``, and ``transformations/database.view.sql``.

    Args:
        views: the views; the pipeline has the settings that most of them have.
    """

    makes_views: ClassVar[bool] = True
    keeps_properties: ClassVar[bool] = True

    def __init__(self, views: Sequence[ExportedView]) -> None:
        self._settings = most_common_settings(views)

    def reason_against(self, view: ExportedView) -> str | None:
        other = other_setting(view, self._settings)
        if other is not None:
            return f"a pipeline gives all its views the same settings, and this one {other}"
        return reason_against_text(view)

    def files(self, project: Project) -> Files:
        found = {"spark-pipeline.yml": yaml_text(self._specification(project), _COMMENT)}
        for view in project.views:
            # It would ignore the names of columns, and their comments with them.
            statement = create_view(view, "CREATE VIEW", columns=False)
            name = f"transformations/{file_name(*view.path[1:])}.sql"
            found[name] = f"{HEAD}\n\n{statement}\n;\n"
        return found

    def _specification(self, project: Project) -> dict[str, object]:
        return {
            "name": "views",
            "storage": "file:///tmp/viewscribe-pipeline",
            "catalog": project.catalog,
            "database": "default",
            "configuration": self._settings,
            "libraries": [{"glob": {"include": "transformations/**"}}],
        }


_COMMENT = """\
# Written by viewscribe export. Check it: spark-pipelines dry-run. Run it: spark-pipelines run.
# Spark keeps the configuration with the views: their meaning depends on it. Views store nothing
# in the storage; put yours there.
"""
