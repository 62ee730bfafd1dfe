"""Documents as others are told them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.catalog_store import samples
from viewscribe.catalog_store.documents.model import (
    DOCUMENT_TYPES,
    Column,
    TableDocument,
    mask_change,
    mask_document,
)

MASKED = {"options", "properties", "settings", "location", "resources"}
TOLD = {
    *("database", "name", "comment", "owner", "columns", "format", "partitioned_by", "checks"),
    *(
        "source",
        "sql",
        "representations",
        "style",
        "dependencies",
        "fingerprint",
        "plan",
        "spark_version",
    ),
    *("function_kind", "language", "class_name", "body", "parameters", "returns", "deterministic"),
    *("convention", "collected", "source_hash", "signature", "annotated", "viewscribe_version"),
}
"""Names, SQL, and what viewscribe itself writes."""

URL = "jdbc:postgresql://ada:hunter2@db/x?password=hunter2"


def table(**changes: Any) -> TableDocument:
    columns = (Column("password", "STRING", comment="token"),)
    return msgspec.structs.replace(
        TableDocument(database="a", name="b", columns=columns), **changes
    )


@pytest.mark.parametrize("kind", DOCUMENT_TYPES)
def test_each_field_is_masked_or_told_as_it_is(kind: Any) -> None:
    fields = set(DOCUMENT_TYPES[kind].__struct_fields__)
    assert fields <= MASKED | TOLD, "may a new field hold a secret?"


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("options", {"url": URL, "b": "c", "a": "b"}, None),
        ("options", {"password": "hunter2"}, {"password": "***"}),
        ("properties", {"api_token": "hunter2", "owner": "ada"}, None),
        ("location", "https://hunter2@host/x", "https://***@host/x"),
    ],
)
def test_what_is_masked(field: str, value: Any, shown: Any) -> None:
    document = table(**{field: value})
    masked = mask_document(document)
    assert "hunter2" not in str(msgspec.to_builtins(masked))
    assert getattr(masked, field) == (shown or getattr(masked, field)) != value
    assert list(getattr(masked, field)) == list(value) or isinstance(value, str)
    assert getattr(document, field) == value
    assert mask_document(masked) == masked


@pytest.mark.parametrize("document", [samples.view(), samples.function(), samples.database()])
def test_what_holds_no_secret_is_as_it_was(document: Any) -> None:
    assert mask_document(document) == document


@pytest.mark.parametrize(
    "document", [table(), samples.view(), samples.function(), samples.database()]
)
def test_no_document_tells_a_secret_where_it_is_printed(document: Any) -> None:
    changed = msgspec.structs.replace(document, properties={"token": "hunter2"})
    assert repr(changed) == repr(document)
    assert document.name in repr(document)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            {"password": "a"},
            {"password": "b"},
            ({"password": "***"}, {"password": "*** (changed)"}),
        ),
        ({"password": "a"}, {"password": "a"}, ({"password": "***"}, {"password": "***"})),
        ({}, {"password": "b"}, ({}, {"password": "***"})),
        ({"password": "a"}, {}, ({"password": "***"}, {})),
        ({"a": "1"}, {"a": "2"}, ({"a": "1"}, {"a": "2"})),
    ],
)
def test_a_change_of_a_secret(before: Any, after: Any, told: Any) -> None:
    changed = mask_change(table(options=before), table(options=after))
    assert tuple(each.options for each in changed) == told


def test_a_change_of_a_place() -> None:
    old, new = mask_change(table(location="https://a@h"), table(location="https://b@h"))
    assert (old.location, new.location) == ("https://***@h", "https://***@h (changed)")
    jars = (samples.function(resources=(f"https://{each}@h/x.jar",)) for each in "ab")
    assert mask_change(*jars)[1].resources == ("https://***@h/x.jar (changed)",)
