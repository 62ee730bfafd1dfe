"""Rows: filter, sort, limit, sample, set operations, names, hints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node, preorder
from viewscribe.expressions.nodes import (
    FieldReference,
    Literal,
    ResolvedExpression,
    ScalarSubquery,
    SortOrder,
    SubqueryExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.properties import refers_outside
from viewscribe.expressions.resolve import (
    Scope,
    expand,
    is_several,
    refuse_outer,
    require_boolean,
    resolve_in,
    resolve_sort,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.checks import (
    forbid,
    place_errors,
    refuse_session,
    require_distinct,
    windows_below,
)
from viewscribe.types import IntegralType
from viewscribe.types.arguments import require_text
from viewscribe.types.coercion import common_type, is_groupable
from viewscribe.types.identifiers import parse_name
from viewscribe.types.nested_types import built_alike


@place_errors("filter")
def filter_rows(child: QueryOperation, condition: object) -> QueryOperation:
    """Builds a filter: the rows of ``child`` that meet the condition."""
    scope = Scope(child.schema)
    resolved = require_boolean(resolve_in(condition, scope), "filter")
    forbid(scope, "filter", aggregates="group first, then filter the result (it becomes HAVING)")
    refuse_session(child)
    return windows_below(scope, n.Filter.of(child, resolved))


@place_errors("order_by")
def sort(child: QueryOperation, keys: Sequence[Any]) -> QueryOperation:
    """Sorts the input by the keys."""
    scope = Scope(child.schema)
    return windows_below(scope, n.Sort.of(child, sort_keys(child, keys, scope)))


@place_errors("order_by")
def sort_keys(child: QueryOperation, keys: Sequence[Any], scope: Scope) -> tuple[SortOrder, ...]:
    """Resolves sort keys over the columns of the input."""
    refuse_session(child)
    if not keys:
        raise ValidationError("order_by() needs at least one key")
    resolved = tuple([resolve_sort(key, scope) for key in _sort_keys(keys, scope)])
    forbid(scope, "order_by")
    refuse_outer(scope, "order_by")
    _refuse_queries(resolved)
    return resolved


def _refuse_queries(keys: Sequence[SortOrder]) -> None:
    """Refuses sort keys with a sub-query, except an uncorrelated scalar one.

    Spark allows no other in ORDER BY (UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY).
    """
    computed = [key for key in keys if not isinstance(key.child, FieldReference)]
    for node in (each for key in computed for each in preorder(key, skip=_is_query)):
        if not isinstance(node, SubqueryExpression):
            continue
        if not isinstance(node, ScalarSubquery) or refers_outside(node.query):
            raise ValidationError(
                "Spark sorts by no sub-query that looks at the row",
                hint="compute it in a step before, add_columns(…), and sort by that column",
            )


def _is_query(node: Node) -> bool:
    return node.is_query


def _sort_keys(keys: Sequence[Any], scope: Scope) -> Iterator[Any]:
    """Resolves the keys; a range of columns gives a key for each column."""
    for key in keys:
        if is_several(key):
            yield from map(dsl.ValueExpression, map(strip_alias, expand(key, scope)))
        else:
            yield key


def distinct(child: QueryOperation) -> n.Distinct:
    """Keeps the distinct rows."""
    refuse_session(child)
    require_distinct(child.schema, "distinct")
    return n.Distinct.of(child)


def limit(child: QueryOperation, count: int) -> n.Limit:
    """Keeps the first ``count`` rows."""
    refuse_session(child)
    return n.Limit.of(child, _row_count(count, "limit"))


def offset(child: QueryOperation, count: int) -> n.Offset:
    """Skips the first ``count`` rows."""
    refuse_session(child)
    return n.Offset.of(child, _row_count(count, "offset"))


def _row_count(count: Any, where: str) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 2**31:
        raise ValidationError(f"{where} is a number of rows from 0 to 2147483647, not {count!r}")
    return count


def _is(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def sample(child: QueryOperation, fraction: float, seed: int) -> n.Sample:
    """Samples rows at random: ``fraction`` is 0 to 1, and the same seed gives the same rows.

    Both may be numbers of another library, such as NumPy's.
    """
    if not _is(fraction, Real) or not 0 <= fraction <= 1:
        raise ValidationError(f"a sample is a fraction from 0 to 1, not {fraction!r}")
    if not _is(seed, Integral):
        raise ValidationError(f"the seed of a sample is a whole number, not {seed!r}")
    refuse_session(child)
    return n.Sample.of(child, round(float(fraction) * 100, 10), int(seed))


def name_input(child: QueryOperation, name: object) -> n.SubqueryAlias:
    """Gives the input an alias."""
    if not isinstance(name, str) or not name:
        raise ValidationError(f"an alias is a name, not {name!r}")
    refuse_session(child)
    return n.SubqueryAlias.of(child, name)


def set_operation(
    left: QueryOperation, right: QueryOperation, kind: n.SetKind, all: bool
) -> n.SetOperation:
    """Builds a union, intersection or difference, by position."""
    refuse_session(left)
    refuse_session(right)
    if len(left.schema) != len(right.schema):
        raise ValidationError(
            f"{kind.value} of {len(left.schema)} and {len(right.schema)} columns",
            location=f"({left.schema}) and ({right.schema})",
        )
    _require_common_types(left.schema, right.schema, kind)
    made = n.SetOperation.of(left, right, kind, all)
    if not (all and kind is n.SetKind.UNION):
        require_distinct(made.schema, kind.value)
    return made


def _require_common_types(left: Schema, right: Schema, kind: n.SetKind) -> None:
    """Refuses columns without a common type; a UNION takes those that differ in names of fields."""
    for a, b in zip(left, right, strict=True):
        named = kind is n.SetKind.UNION and built_alike(a.type, b.type)
        if not named and common_type(a.type, b.type) is None:
            raise TypeMismatchError(
                f"{kind.value}: `{a.name}` is {a.type.ddl} on the left and {b.type.ddl} on the "
                "right, and they have no common type",
                hint="cast one of them",
            )


def union_by_name(
    left: QueryOperation, right: QueryOperation, *, allow_missing: bool
) -> QueryOperation:
    """Builds UNION ALL by column name; ``allow_missing`` fills missing columns with NULL."""
    names = list(left.schema.names)
    known = {name.lower() for name in names}
    extra = [name for name in right.schema.names if name.lower() not in known]
    if allow_missing:
        left, names = _with_missing(left, extra, right.schema), names + extra
        lacking = [name for name in names if name.lower() not in right.schema.by_name]
        right = _with_missing(right, lacking, left.schema)
    elif extra or len(names) != len(right.schema):
        raise ValidationError(
            f"the columns differ: ({', '.join(names)}) and ({', '.join(right.schema.names)})",
            hint="pass allow_missing=True to fill what is missing with NULL",
        )
    places = [right.schema.find(name) for name in names]
    if places != list(range(len(right.schema))):
        right = n.Project.of(right, tuple(right.schema.reference(place) for place in places))
    return set_operation(left, right, n.SetKind.UNION, True)


def _with_missing(child: QueryOperation, names: Sequence[str], other: Schema) -> QueryOperation:
    if not names:
        return child
    added = []
    for name in names:
        field = other[other.find(name)]
        added.append(alias(literal(None, field.type), field.name))
    return n.Project.of(child, (*child.schema.references, *added))


@place_errors("hint")
def hint(child: QueryOperation, name: str, parameters: Sequence[Any]) -> n.Hint:
    """Adds a hint for Spark's planner."""
    refuse_session(child)
    require_text(name, "the name of a hint")
    if name.upper() in n.JOIN_HINTS:
        parameters = [item for item in parameters if not _names_input(child, item)]
    scope = Scope(child.schema)
    resolved = tuple(resolve_in(dsl.column_or(item), scope) for item in parameters)
    for item in resolved:
        if not isinstance(item, Literal | FieldReference):
            raise ValidationError(f"a hint takes numbers and columns, not {item!r}")
    check_hint(name.upper(), resolved)
    for item in resolved:
        if isinstance(item, FieldReference) and not is_groupable(item.type):
            raise TypeMismatchError(
                f"rows cannot be partitioned by `{item.name}`, which is {item.type.ddl}",
                hint="take to_json(…) of it",
            )
    return n.Hint.of(child, name.upper(), resolved)


def _names_input(child: QueryOperation, item: Any) -> bool:
    """Whether the parameter of a join hint is the name of the rows that it is about."""
    if not isinstance(item, str) or not len(child.schema):
        return False
    wanted = [part.lower() for part in parse_name(item)]
    names = [[part.lower() for part in each] for each in child.schema.qualifiers]
    return all(each[-len(wanted) :] == wanted for each in names)


_OF_PARTITIONS = ("COALESCE", "REPARTITION", "REPARTITION_BY_RANGE", "REBALANCE")


def check_hint(name: str, parameters: Sequence[ResolvedExpression]) -> None:
    """Refuses hint parameters that Spark's analyzer would refuse later.

    Raises:
        ValidationError: the number of partitions is invalid or not the first parameter.
    """
    if name not in _OF_PARTITIONS:
        return
    for place, each in enumerate(parameters):
        is_count = isinstance(each, Literal) and isinstance(each.type, IntegralType)
        if isinstance(each, Literal) and (place > 0 or not is_count or each.value is None):
            raise ValidationError(
                f"{name} takes a number of partitions first, then columns, not "
                f"{each.as_summary_string()} as parameter {place + 1}",
                hint='write hint("REPARTITION", 3, "key")',
            )
    numbers = sum(isinstance(each, Literal) for each in parameters)
    if name == "COALESCE" and (numbers, len(parameters)) != (1, 1):
        raise ValidationError("COALESCE takes one number of partitions", hint='hint("COALESCE", 3)')
