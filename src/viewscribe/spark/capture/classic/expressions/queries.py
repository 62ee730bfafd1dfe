"""Sub-queries in expressions."""

from __future__ import annotations

from viewscribe.expressions.nodes import Exists, InSubquery, ResolvedExpression, ScalarSubquery
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.classic.expressions.casts import is_added
from viewscribe.spark.capture.classic.expressions.reader import Expressions, Handler
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.types import BOOLEAN
from viewscribe.types.coercion import common_type
from viewscribe.types.nested_types import value_type


def _scalar(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    query = reader.query(node["plan"]).operation
    return ScalarSubquery(query, value_type(query.schema[0].type).as_nullable())


def _exists(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    return Exists(reader.query(node["plan"]).operation)


def _in(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """Casts to the common type are added again; the query keeps those that were added to it."""
    query = reader.query(node["query"]["plan"]).operation
    operands = reader.read_all(node["values"])
    operands = tuple(
        _bare(reader, given, operand, query, place)
        for place, (given, operand) in enumerate(zip(node["values"], operands, strict=True))
    )
    fields = query.schema.fields
    nullable = any(each.type.nullable for each in operands) or any(f.nullable for f in fields)
    return InSubquery(operands, query, BOOLEAN.with_nullability(nullable))


def _bare(
    reader: Expressions,
    node: PlanNode,
    read: ResolvedExpression,
    query: QueryOperation,
    place: int,
) -> ResolvedExpression:
    if not is_added(node):
        return read
    bare = reader.read(node["child"])
    common = common_type(bare.type, query.schema[place].type)
    return bare if common is not None and common.same_type(read.type) else read


HANDLERS: dict[str, Handler] = {
    "ScalarSubquery": _scalar,
    "Exists": _exists,
    "InSubquery": _in,
}
