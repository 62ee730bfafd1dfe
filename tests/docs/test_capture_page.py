"""The coverage that docs/capture.md shows is that of the code, and of the installed PySpark."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docs.capture_page import PAGE, with_coverage
from viewscribe.spark.capture.connect.exclusions import EXPRESSIONS, LITERALS, RELATIONS, Status


def test_the_page_is_current(request: pytest.FixtureRequest) -> None:
    shown = PAGE.read_text(encoding="utf-8")
    page = with_coverage(shown)
    if request.config.option.update_snapshots:
        PAGE.write_text(page, encoding="utf-8")
        shown = page
    assert shown == page, "make snapshots rewrites the page"


def kinds(message: Any, group: str) -> set[str]:
    return {field.name for field in message.DESCRIPTOR.oneofs_by_name[group].fields}


def supported(table: dict[str, Any]) -> set[str]:
    return {name for name, entry in table.items() if entry.status is Status.SUPPORTED}


def test_every_relation_has_a_status() -> None:
    from pyspark.sql.connect.proto import Relation

    from viewscribe.spark.capture.connect.relations import HANDLERS

    assert kinds(Relation, "rel_type") == RELATIONS.keys()
    assert supported(RELATIONS) == HANDLERS.keys()


def test_every_expression_has_a_status() -> None:
    from pyspark.sql.connect.proto import Expression

    from viewscribe.spark.capture.connect.expressions import HANDLERS

    assert kinds(Expression, "expr_type") == EXPRESSIONS.keys()
    assert supported(EXPRESSIONS) == HANDLERS.keys()


def test_every_literal_has_a_status() -> None:
    from pyspark.sql.connect.proto import Expression

    from viewscribe.spark.capture.connect.exclusions import READERS

    assert kinds(Expression.Literal, "literal_type") == LITERALS.keys()
    assert supported(LITERALS) == READERS.keys()
