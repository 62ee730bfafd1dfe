"""Resolves casts and checks expressions that must have a certain type."""

from __future__ import annotations

from viewscribe.errors import TypeMismatchError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.nodes import Cast, ResolvedExpression
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.resolve.walk import resolve_in
from viewscribe.types import BOOLEAN, BooleanType, LogicalType, VoidType
from viewscribe.types.coercion import CastMode, can_cast


def resolve_cast(expression: dsl.CastExpression, scope: Scope) -> ResolvedExpression:
    """Resolves CAST or TRY_CAST; casts that Spark does not have are refused."""
    child = resolve_in(expression.child, scope)
    target = expression.target
    mode: CastMode = "try" if expression.lenient else "plain"
    if not can_cast(child.type, target, mode):
        raise TypeMismatchError(f"{child.type.ddl} cannot be cast to {target.ddl}")
    lenient = expression.lenient
    return Cast(child, cast_type(child.type, target, lenient=lenient), lenient)


def require_boolean(condition: ResolvedExpression, where: str) -> ResolvedExpression:
    """Returns the condition, or raises where it is not BOOLEAN: Spark refuses ``WHERE NULL``."""
    if isinstance(condition.type, BooleanType):
        return condition
    is_null = isinstance(condition.type, VoidType)
    raise TypeMismatchError(
        f"the condition of {where} is {condition.type.ddl}, not BOOLEAN: "
        f"{condition.as_summary_string()}",
        hint='give the NULL its type: CAST(NULL AS BOOLEAN), lit(None).cast("boolean")'
        if is_null
        else None,
    )


def to_condition(condition: ResolvedExpression, where: str) -> ResolvedExpression:
    """Returns the condition of HAVING or QUALIFY, where Spark casts a NULL to BOOLEAN."""
    if isinstance(condition.type, VoidType):
        return Cast(condition, cast_type(condition.type, BOOLEAN))
    return require_boolean(condition, where)


def cast_if_needed(expression: ResolvedExpression, type_: LogicalType) -> ResolvedExpression:
    """Returns the expression, wrapped in a CAST unless it has the type already."""
    if expression.type.same_type(type_):
        return expression
    return Cast(expression, cast_type(expression.type, type_))
