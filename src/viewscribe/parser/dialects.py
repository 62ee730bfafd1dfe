"""Translates queries of other engines to Spark SQL, if they mean the same there.

sqlglot parses and prints, but knows neither types nor every engine's special cases. So only the
nodes listed here pass, with the arguments listed for them. What depends on column types is checked
by the parser and the list of portable functions, which know the types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from viewscribe.errors import NotSerializableError, SqlSyntaxError, ValidationError, did_you_mean
from viewscribe.parser.tokens import show_place
from viewscribe.types.arguments import require_text

DIALECTS = ("bigquery", "duckdb", "hive", "snowflake", "trino")
"""The engines whose text is read."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def known_dialect(name: str) -> str | None:
    """Returns the dialect of a name; None for Spark's own.

    Raises:
        ValidationError: there is no such dialect.
    """
    require_text(name, "a dialect")
    folded = name.lower()
    if folded == "spark":
        return None
    if folded not in DIALECTS:
        known = f"the dialects are: spark, {', '.join(DIALECTS)}"
        raise ValidationError(f"no dialect {name!r}", hint=did_you_mean(folded, DIALECTS) or known)
    return folded


def not_carried_over(dialect: str, what: str, location: str | None = None) -> NotSerializableError:
    """Returns the error for a construct that may mean something else in Spark."""
    return NotSerializableError(
        f"{what} of {dialect} does not carry over to Spark",
        location=location,
        hint="say it with other means, or write the query in Spark's SQL",
    )


def to_spark(text: str, dialect: str) -> str:
    """Translates a query to Spark SQL.

    Args:
        text: one query.
        dialect: one of ``DIALECTS``.

    Raises:
        SqlSyntaxError: it does not parse in the dialect.
        NotSerializableError: a construct cannot be translated; names it.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        statements = sqlglot.parse(text, read=dialect)
    except SqlglotError as error:
        raise _unparsed_error(text, dialect, error) from error
    except RecursionError:
        raise SqlSyntaxError(f"the text is nested deeper than sqlglot reads {dialect}") from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise SqlSyntaxError(f"the text is not one query of {dialect}")
    tree = statements[0]
    if dialect == "hive":  # its CAST gives NULL on failure; such casts are refused later
        for lenient in list(tree.find_all(exp.TryCast)):
            lenient.replace(exp.Cast(this=lenient.this, to=lenient.to))
    for node in tree.walk():
        reason = _find_refused(node, dialect)
        if reason is not None:
            raise not_carried_over(dialect, reason, _place(text, node))
    for condition in tree.find_all(exp.If):
        if not isinstance(condition.parent, exp.Case) and not condition.args.get("false"):
            condition.set("false", exp.Null())
    for cast in list(tree.find_all(exp.Cast)):
        if _is_date(cast):
            cast.replace(exp.Var(this=f"DATE '{cast.this.this}'"))
    try:
        made: str = tree.sql(
            dialect=_target(), pretty=True, unsupported_level=sqlglot.ErrorLevel.RAISE
        )
    except SqlglotError as error:
        raise not_carried_over(dialect, str(error).splitlines()[0]) from error
    return made


def _unparsed_error(text: str, dialect: str, error: Any) -> SqlSyntaxError:
    found = error.errors[0] if getattr(error, "errors", None) else {}
    message = found.get("description") or _COLOURS.sub("", str(error)).splitlines()[0]
    location = None
    if found.get("line"):
        line = text.split("\n")[found["line"] - 1].replace("\t", " ")
        column = max(found["col"] - len(found.get("highlight") or ""), 0)
        location = f"line {found['line']}, column {column + 1}\n    {line}\n    {' ' * column}^"
    return SqlSyntaxError(f"{dialect} would not read the text: {message}", location=location)


def _place(text: str, node: Any) -> str | None:
    """Returns the position of a node: that of its first name or literal."""
    starts = [each.meta["start"] for each in node.walk() if "start" in each.meta]
    return show_place(text, min(starts)) if starts else None


@cache
def _target() -> Any:
    from sqlglot import exp
    from sqlglot.dialects.spark import Spark

    class PlainSpark(Spark):
        """A Spark dialect that prints a SELECT unchanged, including QUALIFY."""

        class Generator(Spark.Generator):  # type: ignore[misc, valid-type]
            """The printer without rewrites of SELECT."""

            TRANSFORMS = {  # noqa: RUF012
                kind: printer
                for kind, printer in Spark.Generator.TRANSFORMS.items()
                if kind is not exp.Select
            }

    return PlainSpark()


# -- what passes ----------------------------------------------------------------------------------


def _find_refused(node: Any, dialect: str) -> str | None:
    """Returns what cannot be translated in a node, in the engine's own terms."""
    allowed = _list_allowed_nodes().get(type(node))
    if allowed is None:
        return _name_node(node, dialect)
    for key, value in node.args.items():
        if value and key not in allowed and key not in _EVERYWHERE:
            return f"{_name_node(node, dialect)} with {key.replace('_', ' ')}"
    unsure = _unsure_binding(node, dialect)
    check = _checks().get(type(node))
    return unsure or (check(node, dialect) if check is not None else None)


def _unsure_binding(node: Any, dialect: str) -> str | None:
    """Reports adjacent operators whose precedence differs between engines."""
    for group, others in _bindings():
        if type(node) in group:
            for operand in node.iter_expressions():
                if type(operand) in others:
                    shown = operand.sql(dialect=dialect)
                    return f"{_name_node(node, dialect)} around {shown} without parentheses"
    return None


@cache
def _bindings() -> tuple[tuple[tuple[type, ...], tuple[type, ...]], ...]:
    from sqlglot import exp

    arithmetic = (exp.Add, exp.Sub, exp.Mul, exp.Div)
    comparisons = (
        *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.Like, exp.In),
        *(exp.Between, exp.NullSafeEQ, exp.NullSafeNEQ),
    )
    return (
        ((exp.DPipe,), arithmetic),
        (arithmetic, (exp.DPipe,)),
        (comparisons, (*comparisons, exp.Not)),
    )


_EVERYWHERE = frozenset(("this", "expression", "expressions"))


def _name_node(node: Any, dialect: str) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Table) and isinstance(node.this, exp.Func):
        return _name_node(node.this, dialect)
    if isinstance(node, exp.Anonymous):
        return f"the function {node.name}"
    if isinstance(node, exp.Func | exp.RegexpLike) and not isinstance(node, exp.Binary):
        return f"the function {node.sql_name().lower()}"
    shown = node.sql(dialect=dialect)
    short = shown if len(shown) <= 40 else f"{shown[:40]}…"
    return f"{type(node).__name__.upper()} ({short})"


@cache
def _list_allowed_nodes() -> Mapping[type, frozenset[str]]:
    """Returns the allowed nodes, with the arguments they may have besides their operands."""
    from sqlglot import exp

    plain = (
        *(exp.From, exp.Where, exp.Having, exp.Qualify, exp.Subquery, exp.Paren, exp.Alias),
        *(exp.Identifier, exp.Star, exp.Literal, exp.Null, exp.Boolean, exp.And, exp.Or, exp.Not),
        *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.Exists, exp.DPipe),
        *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Sum, exp.Avg, exp.Min, exp.Max),
        *(exp.Nullif, exp.Abs, exp.Coalesce, exp.Distinct, exp.Order, exp.Group, exp.RowNumber),
        *(exp.Rank, exp.DenseRank, exp.Limit, exp.Offset, exp.Tuple, exp.Filter, exp.Like),
        *(exp.NullSafeEQ, exp.NullSafeNEQ, exp.Year, exp.Month, exp.Day, exp.Upper, exp.Lower),
        exp.DataType,
    )
    with_arguments: dict[type, tuple[str, ...]] = {
        exp.Select: (
            *("with_", "from_", "joins", "where", "group", "having", "qualify", "order"),
            *("limit", "offset", "distinct"),
        ),
        exp.Union: ("with_", "order", "limit", "offset", "distinct"),
        exp.Intersect: ("with_", "order", "limit", "offset", "distinct"),
        exp.Except: ("with_", "order", "limit", "offset", "distinct"),
        exp.With: (),
        exp.CTE: ("alias",),
        exp.Alias: ("alias",),
        exp.Subquery: ("alias",),
        exp.TableAlias: ("columns",),
        exp.Table: ("db", "catalog", "alias"),
        exp.Column: ("table", "db", "catalog"),
        exp.Identifier: ("quoted",),
        exp.Literal: ("is_string",),
        exp.Join: ("on", "using", "side", "kind"),
        exp.Ordered: ("desc", "nulls_first"),
        exp.Between: ("low", "high"),
        exp.In: ("query",),
        exp.Case: ("ifs", "default"),
        exp.If: ("true", "false"),
        exp.Cast: ("to",),
        exp.Count: ("big_int",),
        exp.Div: ("typed", "safe"),
        exp.DPipe: ("safe",),
        exp.Substring: ("start", "length"),
        exp.Window: ("partition_by", "order", "spec", "over"),
        exp.WindowSpec: ("kind", "start", "start_side", "end", "end_side"),
        exp.Lag: ("offset",),
        exp.Lead: ("offset",),
        exp.DataType: ("nested",),
    }
    found: dict[type, frozenset[str]] = {kind: frozenset() for kind in plain}
    found.update((kind, frozenset(names)) for kind, names in with_arguments.items())
    return found


@cache
def _checks() -> Mapping[type, Callable[[Any, str], str | None]]:
    from sqlglot import exp

    return {
        exp.Select: _select,
        exp.Join: _join,
        exp.Literal: _literal,
        exp.Cast: _cast,
        exp.In: _in,
        exp.Div: _division,
        exp.Like: _like,
        exp.Group: _group,
        exp.Avg: _average,
        exp.Is: _is,
        exp.Union: _set_operation,
        exp.Intersect: _set_operation,
        exp.Except: _set_operation,
    }


def _select(node: Any, dialect: str) -> str | None:
    """Reports clauses in which engines disagree whether an alias or a column wins."""
    from sqlglot import exp

    aliases = {
        each.alias.lower()
        for each in node.expressions
        if isinstance(each, exp.Alias)
        and not (isinstance(each.this, exp.Column) and each.this.name.lower() == each.alias.lower())
    }
    order = node.args.get("order")
    bare = [each.this for each in order.expressions] if order is not None else []
    for clause in ("where", "having", "qualify", "order"):
        part = node.args.get(clause)
        for column in part.find_all(exp.Column) if part is not None else ():
            if any(column is each for each in bare) or column.table:
                continue
            if column.name.lower() in aliases:
                return f"the alias {column.name} in {clause.upper()}"
    if dialect in _GROUPED_BY_ALIAS:
        for key in _shadowed_keys(node):
            return f"GROUP BY {key}, which is a column and an alias,"
    joined = any(each.args.get("using") for each in node.args.get("joins") or ())
    if joined and any(each.find(exp.Star) for each in node.expressions):
        return "`*` over a join with USING"
    return None


_GROUPED_BY_ALIAS = ("bigquery", "hive")
"""Engines in which the alias may come first in GROUP BY; elsewhere it is the column."""


def _shadowed_keys(node: Any) -> Iterator[str]:
    """Returns GROUP BY keys that are aliases and apparently columns as well."""
    from sqlglot import exp

    group = node.args.get("group")
    for key in group.expressions if group is not None else ():
        if not isinstance(key, exp.Column) or key.table:
            continue
        for item in node.expressions:
            if not isinstance(item, exp.Alias) or item.alias.lower() != key.name.lower():
                continue
            used = [each.name.lower() for each in item.this.find_all(exp.Column)]
            if not isinstance(item.this, exp.Column) and (key.name.lower() in used or not used):
                yield key.name


def _set_operation(node: Any, dialect: str) -> str | None:
    """Which of several kinds Hive begins with is not said anywhere; elsewhere it is INTERSECT."""
    from sqlglot import exp

    for side in (node.this, node.expression):
        inner = side.unnest()
        mixed = isinstance(inner, exp.SetOperation) and type(inner) is not type(node)
        if mixed and dialect == "hive":
            return f"{inner.key.upper()} beside {node.key.upper()}"
    return None


def _in(node: Any, dialect: str) -> str | None:
    """IN over a query is NULL in Spark nowhere but in a condition, where NULL is as good as false.

    As a value, ``2 IN (SELECT k FROM u)`` is false in Spark where a ``k`` is NULL.
    """
    from sqlglot import exp

    if node.args.get("query") is None:
        return None
    around = node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    if isinstance(around, exp.Not):
        around = around.parent
    while isinstance(around, exp.Paren | exp.And | exp.Or):
        around = around.parent
    return None if isinstance(around, exp.Where | exp.Having) else "IN over a query as a value"


def _join(node: Any, dialect: str) -> str | None:
    kind = (node.kind or "INNER").upper()
    if kind not in ("INNER", "OUTER", "CROSS"):
        return f"{kind} JOIN"
    return None


def _literal(node: Any, dialect: str) -> str | None:
    if node.is_string:
        odd = "\\" in node.this or any(ord(each) < 32 for each in node.this)
        return "a string with a backslash or control character" if odd else None
    if not node.this.isdigit() and dialect in ("bigquery", "hive"):
        return f"the number {node.this}, which is DOUBLE there,"
    return None


def _is_date(cast: Any) -> bool:
    """Whether a cast is a typed literal: ``DATE '2020-01-01'``."""
    from sqlglot import exp

    source = cast.this
    return (
        cast.to.is_type(exp.DataType.Type.DATE)
        and isinstance(source, exp.Literal)
        and bool(source.is_string)
        and _DATE.fullmatch(source.this) is not None
    )


def _cast(node: Any, dialect: str) -> str | None:
    from sqlglot import exp

    if type(node) is not exp.Cast or node.to.this not in _types():
        return f"CAST to {node.to.sql(dialect=dialect)}"
    return None


@cache
def _types() -> frozenset[Any]:
    from sqlglot import exp

    kinds = exp.DataType.Type
    return frozenset((kinds.INT, kinds.BIGINT, kinds.SMALLINT, kinds.DOUBLE, kinds.DATE))


def _division(node: Any, dialect: str) -> str | None:
    """Reports divisions: engines agree only on DOUBLE, not on integers and DECIMAL."""
    from sqlglot import exp

    def is_double(each: Any) -> bool:
        inner = each.unnest()
        return isinstance(inner, exp.Cast) and inner.to.is_type(exp.DataType.Type.DOUBLE)

    if is_double(node.this) or is_double(node.expression):
        return None
    return "/ of what is not CAST to DOUBLE"


def _like(node: Any, dialect: str) -> str | None:
    from sqlglot import exp

    plain = isinstance(node.expression, exp.Literal) and node.expression.is_string
    return None if plain else "LIKE with a pattern that is no plain text"


def _group(node: Any, dialect: str) -> str | None:
    if dialect == "hive" and any(each.is_int for each in node.expressions):
        return "GROUP BY the number of a column, which is a constant there,"
    return None


def _average(node: Any, dialect: str) -> str | None:
    """Reports averages: except for DOUBLE, engines differ in their type or digits."""
    from sqlglot import exp

    inner = node.this.unnest()
    if isinstance(inner, exp.Cast) and inner.to.is_type(exp.DataType.Type.DOUBLE):
        return None
    return "avg of what is not CAST to DOUBLE"


def _is(node: Any, dialect: str) -> str | None:
    from sqlglot import exp

    return None if isinstance(node.expression, exp.Null | exp.Boolean) else "IS"
