"""Lineage as OpenLineage events: one JobEvent a view, its job being the view's definition.

After https://openlineage.io/spec/2-0-2/OpenLineage.json and the facets schema (1-2-0),
columnLineage (1-2-0) and sql (1-1-0). What decides the rows stands in the ``dataset`` part of
columnLineage. The number of rows of an input has no word there: the input itself tells it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from viewscribe.catalog_store.documents.model import TableDocument, ViewDocument
from viewscribe.catalog_store.lineage.drawings import LineageGraph, Path
from viewscribe.catalog_store.lineage.influence import ColumnId, Origins, kinds
from viewscribe.catalog_store.lineage.operations import ViewLineage
from viewscribe.types.identifiers import quote_name

PRODUCER = "urn:viewscribe"
_SPEC = "https://openlineage.io/spec"
_EVENT = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/JobEvent"
_FACETS = {
    "columnLineage": f"{_SPEC}/facets/1-2-0/ColumnLineageDatasetFacet.json"
    "#/$defs/ColumnLineageDatasetFacet",
    "schema": f"{_SPEC}/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",
    "sql": f"{_SPEC}/facets/1-1-0/SQLJobFacet.json#/$defs/SQLJobFacet",
}


def job_events(
    graph: LineageGraph, views: Iterable[Path], *, namespace: str, at: str
) -> list[dict[str, Any]]:
    """An event for each of the views.

    Args:
        graph: knows the views.
        views: their full names.
        namespace: of the datasets and jobs; where the catalog is.
        at: when it was found out, as ISO 8601.
    """
    found = []
    for path in views:
        lineage, document = graph.view(path), graph.document(path)
        if lineage is not None and isinstance(document, ViewDocument):
            found.append(_event(graph, lineage, document, namespace, at))
    return found


def _event(
    graph: LineageGraph, lineage: ViewLineage, view: ViewDocument, namespace: str, at: str
) -> dict[str, Any]:
    sql = {**_facet("sql"), "query": view.sql, "dialect": "spark"}
    paths = [each.name for each in view.dependencies if each.kind != "function"]
    return {
        "eventTime": at,
        "producer": PRODUCER,
        "schemaURL": _EVENT,
        "job": {"namespace": namespace, "name": dataset_name(lineage.path), "facets": {"sql": sql}},
        "inputs": [_dataset(path, namespace, graph.document(path)) for path in paths],
        "outputs": [_dataset(lineage.path, namespace, view, lineage)],
    }


def dataset_name(path: Path) -> str:
    """The name of the dataset: the full name, quoted only where it must be."""
    return quote_name(path)


def _dataset(
    path: Path,
    namespace: str,
    document: ViewDocument | TableDocument | None,
    lineage: ViewLineage | None = None,
) -> dict[str, Any]:
    facets: dict[str, Any] = {}
    if document is not None:
        fields = []
        for column in document.columns:
            field = {"name": column.name, "type": column.type}
            fields.append({**field, "description": column.comment} if column.comment else field)
        facets["schema"] = {**_facet("schema"), "fields": fields}
    if lineage is not None:
        facets["columnLineage"] = {
            **_facet("columnLineage"),
            "fields": {
                name: {"inputFields": _input_fields(origins, namespace)}
                for name, origins in lineage.columns.items()
            },
            "dataset": _input_fields(lineage.rows, namespace),
        }
        if lineage.unknown:
            facets["columnLineage"]["viewscribe_unknown"] = list(lineage.unknown)
    return {"namespace": namespace, "name": dataset_name(path), "facets": facets}


def _input_fields(origins: Origins, namespace: str) -> list[dict[str, Any]]:
    return [
        _input_field(column, origins, namespace)
        for column in sorted((each for each in origins if each.column is not None), key=str)
    ]


def _input_field(column: ColumnId, origins: Origins, namespace: str) -> dict[str, Any]:
    return {
        "namespace": namespace,
        "name": dataset_name(column.path),
        "field": column.column,
        "transformations": [
            {"type": type_, "subtype": subtype} for type_, subtype in kinds(origins[column])
        ],
    }


def _facet(name: str) -> dict[str, str]:
    return {"_producer": PRODUCER, "_schemaURL": _FACETS[name]}
