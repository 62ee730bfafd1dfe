"""Iceberg view metadata: round trips, the specification, views of other engines."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.catalog_store import samples
from tests.catalog_store.samples import database, view
from tests.fuzzing import examples
from tests.types.strategies import types
from viewscribe.catalog_store import (
    AlreadyExistsError,
    Change,
    Column,
    InvalidDocumentError,
    MemoryCatalog,
)
from viewscribe.catalog_store.stores.iceberg import export_view, import_view, store_view
from viewscribe.catalog_store.stores.iceberg.types import columns_of, schema_of
from viewscribe.schemas import find_problems
from viewscribe.types import ArrayType, LogicalType, MapType, StructType
from viewscribe.types.ddl import parse_type, type_text

WITHOUT = settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))


def catalog_of(*documents, changes=()):
    catalog = MemoryCatalog()
    catalog.create_database(database())
    first, *others = documents
    told = [*changes, *[None] * len(documents)]
    token = catalog.create(first, change=told[0])
    for each, change in zip(others, told[1:], strict=False):
        token = catalog.replace(each, expected=token, change=change)
    return catalog


def exported(catalog, name="young"):
    return export_view(catalog.history("view", "sales", name), location="file:/views/young")


def imported(metadata, name=None):
    catalog = MemoryCatalog()
    catalog.create_database(database())
    store_view(catalog, import_view(metadata, name))
    return catalog


def told(catalog):
    return [(each.document, each.version) for each in catalog.history("view", "sales", "young")]


def test_the_document():
    catalog = catalog_of(
        view(comment="one"),
        view(comment="two", representations={"trino": "SELECT 1 AS name"}),
        changes=[Change(author="ada", reason="asked", timestamp_ms=5), Change(timestamp_ms=7)],
    )
    metadata = exported(catalog)
    assert find_problems(metadata, "iceberg_view") == ()
    assert metadata["format-version"] == 1
    assert metadata["location"] == "file:/views/young"
    assert metadata["current-version-id"] == 2
    assert metadata["properties"] == {"comment": "two"}
    assert metadata["version-log"] == [
        {"timestamp-ms": 5, "version-id": 1},
        {"timestamp-ms": 7, "version-id": 2},
    ]
    first, second = metadata["versions"]
    assert first["summary"]["viewscribe.author"] == "ada"
    assert (first["default-catalog"], first["default-namespace"]) == ("spark_catalog", ["sales"])
    assert [each["dialect"] for each in second["representations"]] == ["spark", "trino"]
    assert first["schema-id"] == second["schema-id"] == 0
    assert metadata["schemas"] == [
        {
            "type": "struct",
            "schema-id": 0,
            "fields": [{"id": 1, "name": "name", "required": False, "type": "string"}],
        }
    ]
    assert exported(catalog) == metadata


def test_a_view_comes_back_with_its_history():
    catalog = catalog_of(
        view(comment="one"),
        view(columns=(Column("n", "TINYINT", nullable=False, comment="ü"),)),
        view(comment="one"),
        changes=[
            Change(author="ada", reason="asked"),
            Change(source="dev"),
            Change(operation="rollback"),
        ],
    )
    metadata = exported(catalog)
    again = imported(metadata)
    assert told(again) == told(catalog)
    assert exported(again) == metadata


exportable = st.lists(
    st.builds(
        Column,
        name=samples.some_text,
        type=st.sampled_from(["INT", "ARRAY<STRING>", "DECIMAL(12, 2)", "STRUCT<a: INT, b: DATE>"]),
        nullable=st.booleans(),
        comment=samples.maybe_text,
    ),
    max_size=4,
).map(tuple)


@pytest.mark.slow("every pipeline")
@WITHOUT
@given(
    st.lists(
        st.builds(
            view,
            sql=samples.some_text,
            comment=samples.maybe_text,
            columns=exportable,
            properties=samples.mappings,
            settings=samples.mappings,
            representations=st.dictionaries(
                st.sampled_from(["trino", "duckdb"]), samples.some_text, max_size=2
            ),
            dependencies=samples.dependencies,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_round_trip(documents):
    catalog = catalog_of(*documents)
    metadata = exported(catalog)
    again = imported(metadata)
    assert told(again) == told(catalog)
    assert exported(again) == metadata


def _plain(type_: LogicalType) -> bool:
    inner = {
        ArrayType: lambda t: [t.element],
        MapType: lambda t: [t.key, t.value],
        StructType: lambda t: [field.type for field in t.fields],
    }.get(type(type_), lambda t: [])(type_)
    if inner or isinstance(type_, StructType):
        return all(map(_plain, inner))
    return type_text(type_).split("(")[0] in (
        *("BOOLEAN", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "BINARY", "DATE", "DECIMAL"),
        *("TIMESTAMP", "TIMESTAMP_NTZ"),
    )


@WITHOUT
@given(types())
def test_types_come_back_or_are_refused_by_name(type_):
    type_ = parse_type(type_text(type_))
    column = Column("c", type_text(type_.as_nullable()), type_.nullable)
    if not _fits(column):
        with pytest.raises(InvalidDocumentError, match="Iceberg has no type for the column `c"):
            schema_of((column,), 0, "sales.v")
        assert not _plain(type_)
        return
    schema = schema_of((column,), 0, "sales.v")
    ids = list(_ids(schema))
    assert len(set(ids)) == len(ids)
    assert find_problems(_with_schema(schema), "iceberg_view") == ()
    (found,) = columns_of(schema)
    if _plain(type_):
        assert found == column
    assert schema_of((found,), 0, "sales.v") == schema


def _fits(column):
    try:
        schema_of((column,), 0, "sales.v")
    except InvalidDocumentError:
        return False
    return True


def _with_schema(schema):
    metadata = exported(catalog_of(view()))
    return {**metadata, "schemas": [schema]}


def _ids(value):
    if isinstance(value, dict):
        yield from (each for key, each in value.items() if key == "id" or key.endswith("-id"))
        for key, each in value.items():
            if key != "schema-id":
                yield from _ids(each)
    elif isinstance(value, list):
        for each in value:
            yield from _ids(each)


@pytest.mark.parametrize("type_", ["VOID", "INTERVAL YEAR TO MONTH", "VARIANT", "TIME(9)"])
def test_types_without_a_home_are_errors(type_):
    with pytest.raises(InvalidDocumentError, match=r"no type for the column `a.f` of sales.young"):
        exported(catalog_of(view(columns=(Column("a", f"STRUCT<f: {type_}>"),))))


FOREIGN: dict[str, Any] = {
    "view-uuid": "fa6506c3-7681-40c8-86dc-e36561f83385",
    "format-version": 1,
    "location": "s3://bucket/warehouse/default.db/event_agg",
    "current-version-id": 2,
    "properties": {"comment": "Daily event counts"},
    "versions": [
        {
            "version-id": 1,
            "timestamp-ms": 1573518431292,
            "schema-id": 1,
            "default-catalog": "prod",
            "default-namespace": ["default"],
            "summary": {"engine-name": "Spark", "engine-version": "3.3.2"},
            "representations": [
                {
                    "type": "sql",
                    "sql": "SELECT count(1), cast(event_ts AS DATE) FROM events GROUP BY 2",
                    "dialect": "spark",
                }
            ],
        },
        {
            "version-id": 2,
            "timestamp-ms": 1573518981593,
            "schema-id": 1,
            "default-catalog": "prod",
            "default-namespace": ["default"],
            "summary": {"engine-name": "Spark", "engine-version": "3.3.2"},
            "representations": [
                {"type": "sql", "sql": "SELECT 1, DATE '2020-01-01' FROM e2", "dialect": "spark"},
                {"type": "sql", "sql": "SELECT 1, DATE '2020-01-01' FROM e2", "dialect": "trino"},
            ],
        },
    ],
    "schemas": [
        {
            "schema-id": 1,
            "type": "struct",
            "fields": [
                {"id": 1, "name": "event_count", "required": False, "type": "int", "doc": "n"},
                {"id": 2, "name": "event_date", "required": True, "type": "date"},
            ],
        }
    ],
    "version-log": [
        {"timestamp-ms": 1573518431292, "version-id": 1},
        {"timestamp-ms": 1573518981593, "version-id": 2},
        {"timestamp-ms": 1573518981600, "version-id": 1},
        {"timestamp-ms": 1573518981700, "version-id": 2},
    ],
}


def test_a_view_of_another_engine():
    catalog = imported(FOREIGN, ("sales", "event_agg"))
    history = catalog.history("view", "sales", "event_agg")
    assert [each.version.operation for each in history] == [
        *("import", "import", "rollback", "rollback")
    ]
    assert [each.version.timestamp_ms for each in history][2] == 1573518981600
    assert history[0].version.source == "Spark 3.3.2"
    document = history[0].document
    # The text calls its columns what Spark makes up, and the view event_count and event_date.
    assert document.sql.endswith(
        "FROM prod.default.events GROUP BY 2\n) AS renamed(event_count, event_date)"
    )
    assert document.dependencies[0].name == ("prod", "default", "events")
    assert document.columns == (
        Column("event_count", "INT", comment="n"),
        Column("event_date", "DATE", nullable=False),
    )
    assert document.comment == "Daily event counts"
    assert set(history[1].document.representations) == {"trino"}
    again = exported(catalog, "event_agg")
    assert again["view-uuid"] == FOREIGN["view-uuid"]
    assert again["location"] == FOREIGN["location"]
    assert again["properties"] == FOREIGN["properties"]


def changed(**changes):
    metadata = copy.deepcopy(FOREIGN)
    metadata.update(changes)
    return metadata


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (changed(**{"format-version": 2}), "format version 2, which is newer than this viewscribe"),
        (changed(**{"format-version": 0}), "not the only allowed value"),
        ([1], r"\[1\] is a list"),
        ("text", "no Iceberg view metadata"),
        (changed(**{"view-uuid": "x"}), "does not have the right form"),
        (changed(versions=[]), "too short"),
        (changed(**{"current-version-id": 9}), "current version 9 is not among its versions"),
        (changed(schemas=[{**FOREIGN["schemas"][0], "schema-id": 7}]), "there is no schema 1"),
        ({}, "is missing"),
    ],
)
def test_what_is_not_valid_is_refused(metadata, message):
    with pytest.raises(InvalidDocumentError, match=message):
        import_view(metadata, ("sales", "v"))


def test_a_view_without_a_text_for_spark_is_refused():
    metadata = changed()
    for version in metadata["versions"]:
        version["representations"][0]["dialect"] = "presto"
    with pytest.raises(InvalidDocumentError, match="no text for Spark, only for: presto"):
        import_view(metadata, ("sales", "v"))


def test_a_view_without_a_name_needs_one():
    with pytest.raises(InvalidDocumentError, match="no name of the view"):
        import_view(FOREIGN)


def test_a_view_that_is_there_is_left_alone():
    catalog = catalog_of(view())
    with pytest.raises(AlreadyExistsError):
        store_view(catalog, import_view(exported(catalog)))
    assert len(catalog.history("view", "sales", "young")) == 1


def test_what_cannot_be_stored_leaves_nothing():
    catalog = MemoryCatalog()
    catalog.create_database(database())
    versions = import_view(exported(catalog_of(view(comment="one"), view(comment="two"))))
    broken = versions[1]._replace(document=view("other"))
    with pytest.raises(Exception, match="other"):
        store_view(catalog, [versions[0], broken])
    assert catalog.list_objects("sales") == []


def test_pyiceberg_reads_it():
    metadata = pytest.importorskip("pyiceberg.view.metadata")
    catalog = catalog_of(view(comment="one"), view(columns=(Column("a", "MAP<INT, DATE>"),)))
    read = metadata.ViewMetadata.model_validate(exported(catalog))
    assert read.current_version_id == 2
    assert [each.version_id for each in read.versions] == [1, 2]
    assert str(read.schemas[1].fields[0].field_type) == "map<int, date>"
