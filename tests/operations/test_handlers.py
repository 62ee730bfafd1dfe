"""Every table of operations knows them all, and a new operation is missed by each of them."""

from __future__ import annotations

import importlib
import json
import pkgutil
from importlib.resources import files
from typing import Any, ClassVar

import pytest

import viewscribe as vs
from viewscribe.catalog_store.lineage.operations import query_lineage
from viewscribe.errors import NotSerializableError, ViewscribeError
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import HandlerTable
from viewscribe.operations.normal_form import NormalForms
from viewscribe.serializer import to_sql
from viewscribe.types import INT, Field

OPERATIONS = [
    each
    for each in vars(nodes).values()
    if isinstance(each, type) and issubclass(each, QueryOperation)
]


class SampleBy(QueryOperation, frozen=True, eq=False):
    """An operation of which nobody has heard."""

    child: QueryOperation
    schema: Schema

    child_fields: ClassVar[tuple[str, ...]] = ("child",)
    input_fields: ClassVar[tuple[str, ...]] = ("child",)


@pytest.fixture(scope="module")
def tables() -> list[HandlerTable[Any]]:
    """All that there are, once every module was imported that has one."""
    for module in pkgutil.walk_packages(vs.__path__, "viewscribe."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    from viewscribe.spark.interpreter import handlers

    handlers()
    return HandlerTable.known


def test_every_operation_is_in_every_table(tables: list[HandlerTable[Any]]) -> None:
    lacking = {each.purpose: each.lacking(OPERATIONS) for each in tables}
    assert {purpose: kinds for purpose, kinds in lacking.items() if kinds} == {}
    assert len(OPERATIONS) == 27
    assert len(tables) == 14


def test_what_is_left_out_on_purpose_is_not_there(tables: list[HandlerTable[Any]]) -> None:
    assert [each.purpose for each in tables if each.keys() & each.without.keys()] == []


def test_a_new_operation_is_missed_by_each(tables: list[HandlerTable[Any]]) -> None:
    for each in tables:
        assert each.lacking([SampleBy]) == [SampleBy]
        with pytest.raises(ViewscribeError, match=f"{each.purpose} of the operation SampleBy"):
            each[SampleBy]


def test_every_operation_has_a_form_in_plan_documents() -> None:
    text = files("viewscribe.schemas").joinpath("plan.schema.json").read_text()
    kinds = json.loads(text)["properties"]["nodes"]["items"]["properties"]["node"]["enum"]
    forms = {each.replace("_", "") for each in kinds}
    assert [each for each in OPERATIONS if each.__name__.lower() not in forms] == []


@pytest.mark.parametrize("style", ["readable", "pipe", "nested"])
def test_whoever_meets_it_gets_its_name(style: Any) -> None:
    child = nodes.CatalogSource.of(("t",), (Field("a", INT),))
    new = SampleBy(child, child.schema)
    with pytest.raises(NotSerializableError, match="SampleBy"):
        to_sql(new, style=style)
    with pytest.raises(NotSerializableError, match="SampleBy"):
        query_lineage(new)
    with pytest.raises(NotSerializableError, match="SampleBy"):
        NormalForms().of(new)
    with pytest.raises(NotSerializableError, match="SampleBy"):
        new.as_summary_string()
