"""Plan documents that were changed: refused, or a tree as the builders make it.

A plan that is read is printed, run and stored; whatever is wrong with it must be said where it is
read, and never be found by whoever uses the tree.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples.tpch.queries import QUERIES, tables
from tests.fuzzing import examples
from tests.operations.process.test_process_calls import MatchOnceCall
from tests.process_functions import MatchOnce
from tests.properties.pipelines import environment, pipelines
from tests.serializer.cases import CASES
from tests.serializer.mutations import mutated
from tests.serializer.test_foreign_plans import TABLES
from tests.serializer.test_same_rows import schema_of
from tests.versions import RUNNING
from viewscribe import Table, TableEnvironment
from viewscribe.errors import PlanDocumentError, ViewscribeError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.node import postorder
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as o
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.rewrites.retype import retype
from viewscribe.serializer import STYLES, to_sql
from viewscribe.serializer.plan_document import KINDS, from_plan, read_literal, read_type, to_plan
from viewscribe.serializer.statement import needs
from viewscribe.serializer.targets import target_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _process() -> Table:
    env = TableEnvironment()
    env.create_table("customers", "id BIGINT, name STRING, address STRING, c_time TIMESTAMP")
    env.create_table("orders", "customer BIGINT, order_id INT, price DOUBLE, o_time TIMESTAMP")
    env.create_temporary_system_function("match_once", MatchOnce)
    return MatchOnceCall(env).made("match_once", uid="once")


def _plans() -> dict[str, dict[str, Any]]:
    env = TableEnvironment()
    tables(env, Path("data"))
    made = {name: make() for name, make in TABLES.items()}
    made |= {name: query(env) for name, query in QUERIES.items()}
    made["process"] = _process()
    return {name: to_plan(table.operation) for name, table in made.items()}


PLANS = _plans()
PARTS = 8


def test_what_is_there_is_read() -> None:
    for name, plan in PLANS.items():
        check(from_plan(plan), plan, name)


@pytest.mark.slow("thousands of plans")
@pytest.mark.parametrize("part", range(PARTS))
def test_a_changed_plan_is_refused_or_what_the_builders_make(part: int) -> None:
    read = 0
    for seed in range(part, examples(3000), PARTS):
        rng = random.Random(seed)
        name = rng.choice(sorted(PLANS))
        plan = mutated(PLANS[name], rng)
        try:
            tree = from_plan(plan)
        except PlanDocumentError:
            continue
        except Exception as error:
            raise AssertionError(f"{seed}, {name}: a raw {error!r}") from error
        read += 1
        check(tree, plan, f"{seed}, {name}")
    assert read > 5  # else the changes are so wild that nothing is tested


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck), deadline=None)
@given(pipelines(environment()), st.integers(0, 2**32))
def test_so_is_a_changed_plan_of_any_pipeline(table: Table, seed: int) -> None:
    plan = to_plan(table.operation)
    check(from_plan(plan), plan, "as it is")
    for each in range(5):
        changed = mutated(plan, random.Random(seed + each))
        try:
            tree = from_plan(changed)
        except PlanDocumentError:
            continue
        check(tree, changed, f"{seed + each}")


def check(tree: QueryOperation, plan: dict[str, Any], case: str) -> None:
    """The tree says what the document says, and has the types of the builders."""
    again = to_plan(tree)
    assert meaning(again) == meaning(plan), case
    assert from_plan(again) == tree, case
    for node in postorder(tree):
        if isinstance(node, QueryOperation):
            assert node.copy_with({}).schema == node.schema, case
            for child in node.children():
                if isinstance(child, e.ResolvedExpression):
                    assert retype(child, input_of(node)) == child, case
    for style in STYLES:
        try:
            assert to_sql(tree, style)
        except ViewscribeError:
            continue
        except Exception as error:
            raise AssertionError(f"{case}: printing gives a raw {error!r}") from error


@pytest.mark.slow("a statement for each of 60 plans")
def test_spark_gives_the_schema_of_a_changed_plan(shop: SparkSession) -> None:
    """The tables are as the document says: those that were changed in it are left out."""
    names = [name for name in sorted(PLANS) if name in CASES]
    seen, seed = 0, 0
    while seen < examples(60):
        seed += 1
        rng = random.Random(-seed)
        name = rng.choice(names)
        plan = mutated(PLANS[name], rng)
        try:
            tree = from_plan(plan)
            text = to_sql(tree)
        except ViewscribeError:
            continue
        if any(came > target_of(RUNNING).version for _, came in needs(tree)):
            continue
        if plan == PLANS[name] or sources(tree) != sources(from_plan(PLANS[name])):
            continue
        seen += 1
        wanted = [(field.name, str(field.type)) for field in tree.schema]
        assert schema_of(shop.sql(text)) == wanted, f"{-seed}, {name}: {text}"


def sources(tree: QueryOperation) -> set[QueryOperation]:
    kinds = (o.CatalogSource, o.SqlText)
    return {node for node in postorder(tree) if isinstance(node, kinds)}


def input_of(node: QueryOperation) -> Schema:
    inputs = node.inputs()
    if len(inputs) == 2:
        return o.join_schema(inputs[0].schema, inputs[1].schema, o.JoinKind.INNER)
    return inputs[0].schema if inputs else Schema(())


def meaning(plan: dict[str, Any]) -> int:
    """The document without what makes no difference: equal trees have equal numbers."""
    numbers: list[int] = []
    for node in plan["nodes"]:
        kind = KINDS[node["node"]]
        parts: list[Any] = []
        for field, value in sorted(node.items()):
            if kind is e.Literal and field == "value":
                parts.append(repr(read_literal(value, read_type(node["type"]))))
            elif field in kind.child_fields:
                below = value if type(value) is list else [value]
                parts.append((field, type(value), *[numbers[place] for place in below]))
            elif field not in ("functions", "respect_nulls", "within_partitions") or value:
                parts.append((field, plain(field, value)))
        numbers.append(_NUMBERS.setdefault(tuple(parts), len(_NUMBERS)))
    root: int = plan["root"]
    return numbers[root]


_NUMBERS: dict[Any, int] = {}
_OF_FUNCTIONS = {"temporary": False, "deterministic": True, "collected": False, "resources": []}


def plain(field: str, value: Any) -> Any:
    if field in ("type", "returns") and isinstance(value, str):
        return repr(read_type(value))
    if field == "function" and isinstance(value, str):
        return built_in(value).name
    if field == "percent":
        return float(value)
    if isinstance(value, dict):
        if "offset" in value:
            type_ = read_type(value["type"])
            value = {**value, "offset": repr(read_literal(value["offset"], type_))}
        if "language" in value:
            value = {**_OF_FUNCTIONS, **value}
        return tuple((key, plain(key, inner)) for key, inner in sorted(value.items()))
    return tuple(plain("", inner) for inner in value) if isinstance(value, list) else value
