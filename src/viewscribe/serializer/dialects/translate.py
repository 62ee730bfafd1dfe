"""From the tree to another engine's text: checked, made exact, translated, parsed again."""

from __future__ import annotations

from typing import Any

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node, replace
from viewscribe.operations import nodes as o
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer.dialects.portable import DIALECTS, require_portable, untranslatable
from viewscribe.serializer.statement import statement
from viewscribe.types import DateType, DecimalType, DoubleType, FloatType, IntegralType

SPARK_CATALOG = "spark_catalog"
"""Spark's own name of its catalog: no other engine knows it, so it is left out of names."""


def to_dialect(operation: QueryOperation, dialect: str) -> str:
    """The operation as SQL text for another engine.

    Args:
        operation: the pipeline.
        dialect: ``bigquery``, ``duckdb``, ``hive``, ``snowflake`` or ``trino``.

    Raises:
        NotSerializableError: something has no translation; names it.
        ValidationError: no such dialect.
    """
    name = name_dialect(dialect)
    require_portable(operation, name)
    exact = replace(operation, _EXACT.get(name, _exact))
    assert isinstance(exact, QueryOperation)
    return _translate(statement(exact, "readable"), name)


def name_dialect(dialect: str) -> str:
    """Returns the name of a dialect in lower case.

    Raises:
        ValidationError: no such dialect.
    """
    name = dialect.lower()
    if name not in DIALECTS:
        known = f"the dialects are: {', '.join(DIALECTS)}"
        hint = did_you_mean(name, DIALECTS) or known
        raise ValidationError(f"no dialect {dialect!r}", hint=hint)
    return name


def _exact(node: Node) -> Node:
    """The node with its type said where other engines would choose another.

    Quotients and averages of DECIMAL have other digits, sums of a DATE and an interval are
    TIMESTAMPs elsewhere. What is no hint is left; hints speak to Spark.
    """
    if isinstance(node, o.Hint):
        return node.child
    if isinstance(node, o.Join) and not (node.condition or node.using):
        # JOIN without ON is Spark's alone; the kinds that it may be give the same rows.
        return o.Join.of(node.left, node.right, o.JoinKind.CROSS)
    if isinstance(node, e.Over):
        inner = node.call
        return node if not isinstance(inner, e.Cast) else _outside(node, inner)
    if isinstance(node, e.AggregateCall) and _is_decimal(node, "avg"):
        return _make_cast(_with_digits(node))
    if isinstance(node, e.Call) and not isinstance(node.function, UserFunction):
        name = node.function.built_in_name
        if _is_decimal(node, "divide"):
            return _make_cast(node)
        if name in ("plus", "minus") and isinstance(node.type, DateType):
            return _make_cast(node)
    return node


def _exact_in_duckdb(node: Node) -> Node:
    """As ``_exact``; a sum, which is a HUGEINT there, overflows where Spark's does.

    Of rows that are equal DuckDB shows one, where Spark shows 0.0 for -0.0.
    """
    if isinstance(node, e.AggregateCall) and node.function.built_in_name == "sum":
        return _make_cast(node) if isinstance(node.type, IntegralType) else node
    if isinstance(node, o.Aggregate):
        return node.copy_with({"keys": tuple(map(_without_sign, node.keys))})
    if isinstance(node, o.Distinct):
        return o.Distinct.of(_without_signs(node.child))
    if isinstance(node, o.SetOperation) and not node.all:
        return node.copy_with({name: _without_signs(getattr(node, name)) for name in _SIDES})
    return _exact(node)


_SIDES = ("left", "right")


def _without_signs(rows: QueryOperation) -> QueryOperation:
    """The rows with 0.0 for -0.0; they themselves where no column is a number that has both."""
    if isinstance(rows, o.Distinct) or (isinstance(rows, o.SetOperation) and not rows.all):
        return rows  # has none any more
    shown = tuple(map(_without_sign, rows.schema.references))
    return rows if shown == rows.schema.references else o.Project.of(rows, shown)


def _without_sign(column: e.ResolvedExpression) -> e.ResolvedExpression:
    if not isinstance(column.type, FloatType | DoubleType):
        return column
    assert isinstance(column, e.FieldReference | e.Alias)
    zero = e.Literal(0.0, column.type.not_null())
    bare = e.make_call(op.PLUS, (e.strip_alias(column), zero))
    return e.Alias(bare, column.name, column.type)


def _exact_in_bigquery(node: Node) -> Node:
    """As ``_exact``; its casts say no digits behind the point, and a quotient has nine."""
    if isinstance(node, e.Cast):
        return (
            _round(node)
            if (isinstance(node.type, DecimalType) and _scale_of(node.child) > node.type.scale)
            else node
        )
    if isinstance(node, e.Call) and _is_decimal(node, "divide"):
        dividend, divisor = node.args
        wide = DecimalType(precision=38, scale=max(10, _scale_of(dividend)))
        return _round(_make_cast(node.copy_with({"args": (e.Cast(dividend, wide), divisor)})))
    made = _exact(node)
    return _round(made) if isinstance(made, e.Cast) and not isinstance(node, e.Over) else made


def _scale_of(value: e.ResolvedExpression) -> int:
    return value.type.scale if isinstance(value.type, DecimalType) else 0


def _round(cast: e.Cast) -> e.Cast:
    """The cast of the value rounded before it, half up as Spark does."""
    if not isinstance(cast.type, DecimalType):
        return cast
    digits = literal(cast.type.scale)
    return e.Cast(e.make_call(built_in("round"), (cast.child, digits)), cast.type)


_EXACT = {"bigquery": _exact_in_bigquery, "duckdb": _exact_in_duckdb}


def _is_decimal(node: Any, name: str) -> bool:
    return node.function.built_in_name == name and isinstance(node.type, DecimalType)


def _make_cast(node: e.ResolvedExpression) -> e.Cast:
    return e.Cast(node, node.type)


def _with_digits(node: e.AggregateCall) -> e.AggregateCall:
    """Some engines average with as many digits as the values have: give them Spark's."""
    type_ = node.type
    assert isinstance(type_, DecimalType)
    wide = DecimalType(precision=38, scale=type_.scale, nullable=node.args[0].type.nullable)
    return node.copy_with({"args": (e.Cast(node.args[0], wide),)})


def _outside(node: e.Over, call: e.ResolvedExpression) -> e.ResolvedExpression:
    """What an aggregate became, with the window around the aggregate alone."""
    if isinstance(call, e.Cast):
        return e.Cast(_outside(node, call.child), call.type)
    if isinstance(call, e.Call):
        return call.copy_with({"args": (_outside(node, call.args[0]), *call.args[1:])})
    return node.copy_with({"call": call})


def _translate(text: str, dialect: str) -> str:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(text, read="spark")
        # sqlglot reads Spark's CAST as the lenient one that it once was; no other is in the text.
        for cast in list(tree.find_all(exp.TryCast)):
            cast.replace(exp.Cast(**cast.args))
        for table in tree.find_all(exp.Table):
            if table.catalog.lower() == SPARK_CATALOG:
                table.set("catalog", None)
        for column in tree.find_all(exp.Column):
            if column.catalog.lower() == SPARK_CATALOG:
                column.set("catalog", None)
        _without_constant_keys(tree)
        unknown = tree.find(exp.Anonymous)
        if unknown is not None:
            raise untranslatable(dialect, f"the function {unknown.name}")
        made: str = tree.sql(
            dialect=_writer(dialect), pretty=True, unsupported_level=sqlglot.ErrorLevel.RAISE
        )
        again = sqlglot.parse(made, read=dialect)
    except RecursionError:
        raise untranslatable(dialect, "it is nested deeper than sqlglot reads") from None
    except SqlglotError as error:
        first = str(error).splitlines()[0]
        raise untranslatable(dialect, f"sqlglot says: {first}") from error
    if len(again) != 1 or again[0] is None or again[0].find(exp.Command):
        raise untranslatable(dialect, "the text does not parse as one query there")
    return made


def _writer(dialect: str) -> Any:
    """How texts of a dialect are written.

    Where NULLs come by themselves, a setting of Hive says, which changed with Hive 4.
    """
    if dialect != "hive":
        return dialect
    from sqlglot import exp
    from sqlglot.dialects.hive import Hive

    class PlainHive(Hive):
        """Hive's texts, in which every key says where NULLs come."""

        class Generator(Hive.Generator):  # type: ignore[misc, valid-type]
            """The printer of keys."""

            def ordered_sql(self, expression: exp.Ordered) -> str:
                """A key with its direction and the place of NULLs."""
                direction = " DESC" if expression.args.get("desc") else ""
                place = "FIRST" if expression.args.get("nulls_first") else "LAST"
                return f"{self.sql(expression, 'this')}{direction} NULLS {place}"

    return PlainHive()


def _without_constant_keys(tree: Any) -> None:
    """Leave out what sorts nothing: DuckDB refuses constants that queries are sorted by."""
    from sqlglot import exp

    for order in list(tree.find_all(exp.Order)):
        if isinstance(order.parent, exp.Window):
            continue
        constant = exp.Literal | exp.Boolean | exp.Null
        kept = [key for key in order.expressions if not isinstance(key.this, constant)]
        if not kept:
            order.pop()
        elif len(kept) < len(order.expressions):
            order.set("expressions", kept)
