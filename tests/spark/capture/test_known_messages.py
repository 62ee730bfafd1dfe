"""A plan of a client that nobody tested is read where it says nothing that is not known."""

from __future__ import annotations

import pytest
from pyspark.sql.connect import proto

from viewscribe.errors import CaptureError
from viewscribe.spark.capture.connect import sql_expressions
from viewscribe.spark.capture.connect.sql_expressions import (
    installed_fields,
    known_fields,
    refuse_unknown_fields,
)


def filtered() -> proto.Relation:
    relation = proto.Relation()
    relation.filter.input.range.end = 5
    relation.filter.condition.unresolved_function.function_name = ">"
    argument = relation.filter.condition.unresolved_function.arguments.add()
    argument.unresolved_attribute.unparsed_identifier = "id"
    relation.filter.input.read.named_table.options["a"] = "b"
    return relation


def test_what_is_known_is_what_the_newest_client_can_say() -> None:
    assert known_fields() == installed_fields()


def test_a_plan_of_known_fields_is_read() -> None:
    refuse_unknown_fields([filtered()], "9.0")


@pytest.mark.parametrize("name", ["Filter", "Expression.UnresolvedAttribute", "Read.NamedTable"])
def test_a_field_that_nobody_knows_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {each: fields for each, fields in known_fields().items() if not each.endswith(name)}
    monkeypatch.setattr(sql_expressions, "known_fields", lambda: known)
    with pytest.raises(CaptureError, match=rf"the plan of Spark 9\.0 says {name}\.\w+"):
        refuse_unknown_fields([filtered()], "9.0")
