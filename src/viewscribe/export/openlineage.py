"""OpenLineage: an event for each view, one a line."""

from __future__ import annotations

import json
from typing import ClassVar

from viewscribe.catalog_store.lineage.openlineage import job_events
from viewscribe.export.model import ExportedView, Files, Project


class OpenLineage:
    """``events.ndjson``, as the file transport of OpenLineage writes it."""

    makes_views: ClassVar[bool] = False
    keeps_properties: ClassVar[bool] = False

    def reason_against(self, view: ExportedView) -> str | None:
        return None

    def files(self, project: Project) -> Files:
        events = [
            event
            for view in project.views
            for event in job_events(project.graph, [view.path], namespace=project.url, at=view.at)
        ]
        lines = [json.dumps(each, ensure_ascii=False, allow_nan=False) for each in events]
        # A line separator in a comment must not end the line for a reader that takes it for one.
        return {"events.ndjson": "".join(f"{_in_line(line)}\n" for line in lines)}


def _in_line(text: str) -> str:
    for mark in "\x85\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text
