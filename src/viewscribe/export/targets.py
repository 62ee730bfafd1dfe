"""The targets by the names that users type."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar
from urllib.parse import quote

from viewscribe.catalog_store.circle import read_back
from viewscribe.catalog_store.documents.model import Column, TableDocument, ViewDocument
from viewscribe.catalog_store.lineage.influence import ColumnId
from viewscribe.catalog_store.lineage.openlineage import job_events
from viewscribe.errors import ViewscribeError
from viewscribe.export.dbt import Dbt, yaml_text
from viewscribe.export.model import (
    HEAD,
    ExportedView,
    Files,
    Path,
    Project,
    SqlScripts,
    Target,
    create_view,
    file_name,
    most_common_settings,
    other_setting,
    reason_against_text,
    settings_of,
    slug,
)
from viewscribe.parser.names import split_at_tables
from viewscribe.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DateType,
    LogicalType,
    MapType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VoidType,
)
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import quote_identifier, quote_name

# OpenLineage: an event for each view, one a line.


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


# Spark Declarative Pipelines: definition files of SQL, for Spark 4.1 and newer.
#
# Persistent views can only be defined there in SQL, and are made under the configuration of the
# whole pipeline: what SET says in a definition file holds while a pipeline is checked, and is not
# kept with its views.


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


# DataHub: metadata change proposals for the file source of its ingestion.

PLATFORM = "urn:li:dataPlatform:spark"
_ACTOR = "urn:li:corpuser:viewscribe"


class DataHub:
    """``proposals.json``: schema, properties, text and lineage of views; schemas of tables."""

    makes_views: ClassVar[bool] = False
    keeps_properties: ClassVar[bool] = True

    def reason_against(self, view: ExportedView) -> str | None:
        return None

    def files(self, project: Project) -> Files:
        proposals: list[dict[str, Any]] = []
        for path in project.sources:
            table = project.tables.get(path)
            if table is not None:
                proposals += _proposals(_urn(path), _of_table(path, table))
        for view in project.views:
            proposals += _proposals(_urn(view.path), _of_view(view, project))
        text = json.dumps(proposals, indent=1, ensure_ascii=False, allow_nan=False)
        return {"proposals.json": f"{text}\n"}


Aspect = tuple[str, dict[str, Any]]


def _proposals(urn: str, aspects: Iterator[Aspect]) -> Iterator[dict[str, Any]]:
    for name, aspect in aspects:
        yield {
            "entityType": "dataset",
            "entityUrn": urn,
            "changeType": "UPSERT",
            "aspectName": name,
            "aspect": {"json": aspect},
        }


def _of_table(path: Path, table: TableDocument) -> Iterator[Aspect]:
    yield from _of_both(path, table, "Table")


def _of_view(view: ExportedView, project: Project) -> Iterator[Aspect]:
    yield from _of_both(view.path, view.document, "View")
    logic = {"materialized": False, "viewLanguage": "SQL", "viewLogic": view.document.sql}
    yield "viewProperties", logic
    yield "upstreamLineage", _lineage(view, project)


def _of_both(path: Path, document: ViewDocument | TableDocument, kind: str) -> Iterator[Aspect]:
    yield "status", {"removed": False}
    yield "subTypes", {"typeNames": [kind]}
    properties: dict[str, Any] = {"name": path[-1], "qualifiedName": quote_name(path)}
    properties["customProperties"] = dict(sorted(document.properties.items()))
    if document.comment is not None:
        properties["description"] = document.comment
    yield "datasetProperties", properties
    yield "schemaMetadata", _schema(path, document.columns)


def _schema(path: Path, columns: Sequence[Column]) -> dict[str, Any]:
    return {
        "schemaName": quote_name(path),
        "platform": PLATFORM,
        "version": 0,
        "hash": "",
        "platformSchema": {
            "com.linkedin.schema.OtherSchema": {"rawSchema": ", ".join(map(_ddl, columns))}
        },
        "fields": [_field(each) for each in columns],
    }


def _ddl(column: Column) -> str:
    return f"{quote_name([column.name])} {column.type}{'' if column.nullable else ' NOT NULL'}"


def _field(column: Column) -> dict[str, Any]:
    field: dict[str, Any] = {
        "fieldPath": column.name,
        "nullable": column.nullable,
        "type": {"type": {f"com.linkedin.schema.{_kind(column.type)}": {}}},
        "nativeDataType": column.type,
    }
    return field if column.comment is None else {**field, "description": column.comment}


_KINDS: Sequence[tuple[type[LogicalType], str]] = (
    (BooleanType, "BooleanType"),
    (NumericType, "NumberType"),
    (StringType, "StringType"),
    (BinaryType, "BytesType"),
    (DateType, "DateType"),
    (TimestampType, "TimeType"),
    (TimestampNtzType, "TimeType"),
    (TimeType, "TimeType"),
    (ArrayType, "ArrayType"),
    (MapType, "MapType"),
    (StructType, "RecordType"),
    (VoidType, "NullType"),
)


def _kind(text: str) -> str:
    try:
        type_ = parse_type(text)
    except ViewscribeError:
        return "NullType"
    return next((name for known, name in _KINDS if isinstance(type_, known)), "NullType")


def _lineage(view: ExportedView, project: Project) -> dict[str, Any]:
    moment = datetime.fromisoformat(view.at)
    stamp = {"time": round(moment.timestamp() * 1000), "actor": _ACTOR}
    upstreams = dict.fromkeys(_urn(project.spelled(path)) for path in view.reads)
    found: dict[str, Any] = {
        "upstreams": [
            {"auditStamp": stamp, "dataset": urn, "type": "VIEW"} for urn in sorted(upstreams)
        ]
    }
    columns = list(_columns(view, project))
    return {**found, "fineGrainedLineages": columns} if columns else found


def _columns(view: ExportedView, project: Project) -> Iterator[dict[str, Any]]:
    lineage = project.graph.view(view.path)
    if lineage is None or lineage.unknown:
        return
    for name, origins in lineage.columns.items():
        sources = sorted({_field_urn(each) for each in origins if each.column is not None})
        if sources:
            yield {
                "upstreamType": "FIELD_SET",
                "upstreams": sources,
                "downstreamType": "FIELD",
                "downstreams": [_field_urn(ColumnId(view.path, name))],
                "confidenceScore": 1.0,
            }


def _urn(path: Path) -> str:
    name = ".".join(map(_part, path))
    return f"urn:li:dataset:({PLATFORM},{_encode(name)},PROD)"


def _part(name: str) -> str:
    """A part of a name, quoted where its dots would be taken for those between parts."""
    return quote_identifier(name) if set(name) & {".", "`"} else name


def _field_urn(column: ColumnId) -> str:
    assert column.column is not None
    return f"urn:li:schemaField:({_urn(column.path)},{_encode(column.column)})"


def _encode(text: str) -> str:
    """The characters that part a URN, as DataHub escapes them."""
    return "".join(
        quote(each, safe="") if each in "(),%␟" or not each.isprintable() else each for each in text
    )


# A SQLMesh project: a model of kind VIEW for each view, and the tables that they read.
#
# SQLMesh reads a model with sqlglot and writes it anew for Spark. What that makes of a view is read
# back here, and must mean the view.

DIALECT = "spark,normalization_strategy=case_sensitive"
"""Spark's, with names as they are spelled: the names of fields in rows depend on that."""

_NAME = re.compile(r"[\w$-]+( +[\w$-]+)*")
"""Names that SQLMesh is known to read as they are, however often it quotes and parses them."""

_LONGEST = 180

_JINJA = ("{{", "{%", "{#")


class SqlMesh:
    """``config.yaml``, ``models/<database>/<view>.sql`` and ``external_models.yaml``.

    Args:
        views: the views. All have the settings of most of them: SQLMesh makes several at a time in
            one session, where each would be made under what another one sets.
    """

    makes_views: ClassVar[bool] = True
    keeps_properties: ClassVar[bool] = False

    def __init__(self, views: Sequence[ExportedView]) -> None:
        self._settings = most_common_settings(views)

    def reason_against(self, view: ExportedView) -> str | None:
        written = [*view.path, *(part for path in view.reads for part in path), view.text]
        written += [each.name for each in view.document.columns]
        if any(mark in each for each in written for mark in _JINJA):
            return "SQLMesh takes {{, {% and {# in its text for Jinja"
        other = other_setting(view, self._settings)
        if other is not None:
            return f"SQLMesh makes all views in one session, and this one {other}"
        return (
            _reason_against_names(view)
            or reason_against_text(view)
            or _reason_against_types(view.document.columns)
            or _reason_against_translation(view)
        )

    def files(self, project: Project) -> Files:
        found = {"config.yaml": yaml_text(_CONFIG, _CONFIG_COMMENT)}
        for view in project.views:
            name = f"models/{slug(view.path[1])}/{slug(view.path[2])}.sql"
            found[name] = _model(view, project)
        tables = [
            _external(path, project) for path in project.sources if all(map(_NAME.fullmatch, path))
        ]
        if tables:
            found["external_models.yaml"] = yaml_text(tables, "# Written by viewscribe export.\n")
        return found


def _reason_against_names(view: ExportedView) -> str | None:
    paths = [part for path in (view.path, *view.reads) for part in path]
    for part in (*paths, *(each.name for each in view.document.columns)):
        if "@" in part:
            return f"SQLMesh takes @ in a name for a macro: {part}"
        if not _NAME.fullmatch(part):
            return f"SQLMesh keeps names of letters, digits, _, - and $, but perhaps not {part!r}"
    if len("".join(view.path).encode()) > _LONGEST:
        return "SQLMesh makes a file name of its name, which is too long for that"
    return None


def _reason_against_types(columns: Sequence[Column]) -> str | None:
    """Why SQLMesh cannot be told the columns: sqlglot reads another type, or none."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    for column in columns:
        known = parse_type(column.type)
        try:
            text = sqlglot.exp.DataType.build(str(known), dialect=DIALECT).sql(dialect="spark")
            if parse_type(text).as_nullable() == known.as_nullable():
                continue
        except (SqlglotError, ViewscribeError, ValueError):
            pass
        return f"SQLMesh does not read the type of the column {column.name}: {column.type}"
    return None


def _reason_against_translation(view: ExportedView) -> str | None:
    """Why the text that SQLMesh makes of the view's does not mean the view."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    assert view.tree is not None
    try:
        query = sqlglot.parse_one(view.text, dialect=DIALECT)
        if any("@" in each.name for each in query.find_all(sqlglot.exp.Identifier)):
            return "SQLMesh takes @ in a name for a macro"
        text = query.sql(dialect=DIALECT)
    except SqlglotError as error:
        lines = str(error).strip().splitlines() or [""]
        return f"SQLMesh does not read its text: {lines[0]}"
    except RecursionError:
        return "SQLMesh does not read its text: it nests too deep"
    found = read_back(view.tree, text, view.document.settings)
    if found.different is not None:
        return f"SQLMesh makes another query of it: {found.different}"
    if found.unread is not None:
        return f"what SQLMesh makes of it is not read: {found.unread}"
    return None


def _model(view: ExportedView, project: Project) -> str:
    document = view.document
    properties = [f"name {quote_name(view.path[1:])}", "kind VIEW", f"dialect '{DIALECT}'"]
    if document.comment:
        properties.append(f"description {_quote(document.comment)}")
    columns = [f"{quote_name([each.name])} {each.type}" for each in document.columns]
    properties.append(_listed("columns", columns))
    comments = [
        f"{quote_name([each.name])} = {_quote(each.comment)}"
        for each in document.columns
        if each.comment
    ]
    properties += [_listed("column_descriptions", comments)] if comments else []
    # SQLMesh would write the query anew, and may do that in another way with every version.
    properties.append("optimize_query FALSE")
    head = ",\n  ".join(properties)
    # The key as one name in backticks: SQLMesh would quote each part of it.
    sets = "".join(f"SET `{name}` = `{value}`;\n" for name, value in settings_of(view).items())
    # No comment stands above: SQLMesh would take it for the description.
    return f"MODEL (\n  {head}\n);\n\n{sets}\n{_query(view, project)}\n"


def _query(view: ExportedView, project: Project) -> str:
    pieces = split_at_tables(view.text, view.table, view.reading, aliased=True)
    text = "".join(each if isinstance(each, str) else _table(each, project) for each in pieces)
    return text.rstrip()


def _table(path: Path, project: Project) -> str:
    """A table without the catalog, which SQLMesh's connection knows, as its model spells it."""
    return quote_name(project.spelled(path)[1:] if project.is_own(path) else path)


def _quote(text: str) -> str:
    """A string as sqlglot reads it, which takes other escapes than Spark."""
    from sqlglot import exp

    return exp.Literal.string(text).sql(dialect="spark")


def _listed(name: str, items: Sequence[str]) -> str:
    return f"{name} (\n    " + ",\n    ".join(items) + "\n  )"


def _external(path: Path, project: Project) -> dict[str, Any]:
    found: dict[str, Any] = {"name": quote_name(path[1:]), "dialect": DIALECT}
    table = project.tables.get(path)
    if table is None:
        return found
    if table.comment:
        found["description"] = table.comment
    named = all(_NAME.fullmatch(each.name) for each in table.columns)
    if named and _reason_against_types(table.columns) is None:
        found["columns"] = {quote_name([each.name]): each.type for each in table.columns}
    return found


_CONFIG = {
    "gateways": {
        "spark": {
            "connection": {"type": "spark"},
            "state_connection": {"type": "duckdb", "database": "sqlmesh_state.db"},
        }
    },
    "default_gateway": "spark",
    "model_defaults": {"dialect": DIALECT},
}

_CONFIG_COMMENT = """\
# Written by viewscribe export. Models set what the meaning of their views depends on: Spark keeps
# with a view the settings of the session that makes it.
"""


TARGETS: Mapping[str, Callable[[Sequence[ExportedView]], Target]] = {
    "dbt": lambda views: Dbt(),
    "sqlmesh": SqlMesh,
    "spark-pipelines": SparkPipelines,
    "sql": lambda views: SqlScripts(),
    "openlineage": lambda views: OpenLineage(),
    "datahub": lambda views: DataHub(),
}
"""Targets, each made for the views that are to be exported, whose texts have not been read."""
