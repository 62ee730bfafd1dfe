"""The normal form of expressions: over what columns hold, without names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from viewscribe.expressions import nodes as n
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.casts import is_up_cast
from viewscribe.expressions.functions.collations import text_of
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.inference import ANY, ORDERED
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.syntax import NamedArguments
from viewscribe.expressions.node import Node, postorder
from viewscribe.operations.normal_form.terms import Term, Terms
from viewscribe.types import ArrayType, LogicalType, MapType, StructType
from viewscribe.types.nested_types import deeply_nullable

if TYPE_CHECKING:
    from viewscribe.operations.normal_form.rows import Rows

_NEGATED = {
    op.NOT_EQUALS: op.EQUALS,
    op.IS_DISTINCT_FROM: op.NULL_SAFE_EQUALS,
    op.IS_NOT_NULL: op.IS_NULL,
    op.IS_NOT_TRUE: op.IS_TRUE,
    op.IS_NOT_FALSE: op.IS_FALSE,
    op.IS_NOT_UNKNOWN: op.IS_NULL,
}
_ALIKE = {op.IS_UNKNOWN: op.IS_NULL, built_in("position"): built_in("locate")}
"""Functions of several names, each with a syntax of its own."""

_TURNED = {op.GREATER: op.LESS, op.GREATER_OR_EQUAL: op.LESS_OR_EQUAL}

_DIGITS_OF_MINUS = 34
"""Spark rounds to as many digits where it negates."""

Constants = Callable[[n.Literal], n.ResolvedExpression]


class Values:
    """Reads expressions.

    Args:
        terms: where the terms are made.
        queries: the rows of the queries that may stand within expressions, by the id of the node.
        constants: from a literal to an expression that it is the same as.
    """

    def __init__(
        self, terms: Terms, queries: Mapping[int, Rows], constants: Constants | None
    ) -> None:
        self.terms = terms
        self.queries = queries
        self.constants = constants
        self.as_written = False

    def read(
        self,
        expressions: Sequence[n.ResolvedExpression],
        columns: Sequence[Term],
        rows: Term | None = None,
    ) -> list[Term]:
        """The terms of expressions.

        Args:
            expressions: over one row.
            columns: what the columns of the row hold.
            rows: the rows that a window looks at.
        """
        scope = _Scope(self, columns, rows)
        done = scope.done
        for expression in expressions:
            for node in postorder(expression, skip=lambda node: node.is_query or id(node) in done):
                done[id(node)] = _RULES[type(node)](scope, node)
        return [done[id(each)] for each in expressions]


class _Scope:
    """The columns that expressions are read over."""

    def __init__(self, values: Values, columns: Sequence[Term], rows: Term | None) -> None:
        self.values = values
        self.terms = values.terms
        self.columns = columns
        self.rows = rows
        self.done: dict[int, Term] = {}

    def below(self, node: Node) -> list[Term]:
        """The terms of the children, which stand before it."""
        return [self.done[id(child)] for child in node.children()]

    def query(self, query: Node) -> Term:
        """The result of a query within the expression."""
        return self.terms.make("query", None, self.placed([self.values.queries[id(query)].result]))

    def placed(self, terms: Sequence[Term]) -> list[Term]:
        """Terms of a query within, over the columns here."""
        return self.terms.placed(terms, self.columns)


def _reference(scope: _Scope, node: n.FieldReference) -> Term:
    return scope.columns[node.index]


def _outer(scope: _Scope, node: n.OuterReference) -> Term:
    return scope.terms.make("@ref", (node.level, node.index))


def _same(scope: _Scope, node: n.Alias) -> Term:
    return scope.done[id(node.child)]


def _literal(scope: _Scope, node: n.Literal) -> Term:
    if scope.values.constants is not None:
        same = scope.values.constants(node)
        if not isinstance(same, n.Literal):
            return Values(scope.terms, {}, None).read([same], ())[0]
        node = same
    return scope.terms.make("literal", n.Literal(node.value, node.type.as_nullable()))


def _call(scope: _Scope, node: n.Call) -> Term:
    terms, function, below = scope.terms, node.function, scope.below(node)
    function = _ALIKE.get(function, function)
    if function in _OF_UNITS and isinstance(node.args[0], n.Literal):
        unit = n.Literal(str(node.args[0].value).upper(), node.args[0].type)
        below = [_literal(scope, unit), *below[1:]]
    types = [each.type for each in node.args]
    if function is op.AND or function is op.OR:
        return terms.joined(function.name, below, as_written=scope.values.as_written)
    if function in _NEGATED:
        return _opposite(terms, call(terms, _NEGATED[function], below, types))
    if function is op.NOT:
        return _opposite(terms, below[0])
    if function in _TURNED and terms.commute(below):
        return call(terms, _TURNED[function], below[::-1], types)
    if function is op.NEGATIVE:
        term = below[0]
        literal = scope.terms.data(term)
        if isinstance(literal, n.Literal):
            value = literal.value
            if isinstance(value, Decimal) and len(value.as_tuple().digits) <= _DIGITS_OF_MINUS:
                return _literal(
                    scope, n.Literal(value.copy_negate() if value else value, literal.type)
                )
            if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
                return _literal(scope, n.Literal(-value, literal.type))
        return scope.terms.make("call", op.NEGATIVE, [term])
    if isinstance(function.syntax, NamedArguments):
        below = below[: _count_given(function, node.args)]
    # The names of fields may be those of arguments.
    return call(terms, function, below, types, names=_field_names(node.type))


def call(
    terms: Terms,
    function: FunctionDefinition,
    below: Sequence[Term],
    types: Sequence[LogicalType],
    *,
    names: tuple[str, ...] = (),
) -> Term:
    """A call of a function with arguments of these types."""
    said = (names, _READS) if _reads_text(function, types) else (names,) if names else ()
    return terms.make("call", (function, *said) if said else function, below)


_READS = "reads text"


def _reads_text(function: FunctionDefinition, types: Sequence[LogicalType]) -> bool:
    """Whether a text is read as something else in a call, which fails where it is none."""
    texts = [text_of(each) is not None for each in types]
    wanted = function.inference.arguments
    if not any(texts) or not wanted:
        return False
    for place, type_ in enumerate(types):
        coerced = wanted[min(place, len(wanted) - 1)].coerce(type_)
        if texts[place] and (coerced is None or text_of(coerced) is None):
            return True
    return wanted[-1] in (ANY, ORDERED) and len(set(texts)) > 1


def is_free(kind: str, data: Hashable) -> bool:
    """Whether a call or a cast is free where its arguments are."""
    if kind == "cast":
        assert isinstance(data, tuple)
        return bool(data[-1])
    function = data[0] if isinstance(data, tuple) else data
    reads = isinstance(data, tuple) and data[-1] == _READS
    if kind == "call" and isinstance(function, FunctionDefinition):
        return function.never_fails and not reads
    return kind in ("exists", "in", "variable")


def _field_names(type_: LogicalType) -> tuple[str, ...]:
    """The names of the fields of all structs in a type."""
    if isinstance(type_, StructType):
        inside = [name for each in type_.fields for name in _field_names(each.type)]
        return (*[each.name for each in type_.fields], *inside)
    if isinstance(type_, ArrayType):
        return _field_names(type_.element)
    if isinstance(type_, MapType):
        return (*_field_names(type_.key), *_field_names(type_.value))
    return ()


_OF_UNITS = tuple(map(built_in, ("extract", "timestampadd", "timestampdiff")))
"""The first argument of these is a word of the text, in any case of letters."""


def _count_given(function: FunctionDefinition, args: Sequence[n.ResolvedExpression]) -> int:
    """How many arguments there are before those that have their defaults."""
    count = len(args)
    while count:
        last, parameter = args[count - 1], function.parameters[count - 1]
        if isinstance(parameter, str) or not isinstance(last, n.Literal):
            break
        if last.value != parameter[1]:
            break
        count -= 1
    return count


def _opposite(terms: Terms, condition: Term) -> Term:
    if terms.kind(condition) == "call" and terms.data(condition) is op.NOT:
        return terms.below(condition)[0]
    return terms.make("call", op.NOT, [condition])


def _aggregate(scope: _Scope, node: n.AggregateCall) -> Term:
    shape = (
        node.function,
        node.distinct,
        node.ignore_nulls,
        node.respect_nulls,
        len(node.args),
        node.filter is not None,
    )
    return scope.terms.make("aggregate", shape, scope.below(node))


def _cast(scope: _Scope, node: n.Cast) -> Term:
    target = deeply_nullable(node.type)  # a text has no NOT NULL inside the type of a cast
    if deeply_nullable(node.child.type) == target:
        return scope.done[id(node.child)]
    never_fails = node.lenient or is_up_cast(node.child.type, node.type)
    return scope.terms.make("cast", (target, node.lenient, never_fails), scope.below(node))


def _star(scope: _Scope, node: n.Star) -> Term:
    return scope.terms.make("star")


def _sort_order(scope: _Scope, node: n.SortOrder) -> Term:
    return scope.terms.make("sort", (node.descending, node.nulls_first), scope.below(node))


def _variable(scope: _Scope, node: n.LambdaVariable) -> Term:
    return scope.terms.make("variable", node.name)


def _lambda(scope: _Scope, node: n.Lambda) -> Term:
    return scope.terms.make("lambda", len(node.parameters), scope.below(node))


def _over(scope: _Scope, node: n.Over) -> Term:
    """Names the rows that it saw: what keeps rows does not go past it."""
    assert scope.rows is not None
    shape = (node.frame, len(node.partition_by))
    over = scope.terms.make("over", shape, scope.below(node))
    return scope.terms.make("@window", None, [over, scope.rows])


def _scalar(scope: _Scope, node: n.ScalarSubquery) -> Term:
    return scope.terms.make("scalar", None, [scope.query(node.query)])


def _exists(scope: _Scope, node: n.Exists) -> Term:
    """Asks for rows: what a query selects has no part in it."""
    rows = scope.placed([scope.values.queries[id(node.query)].core])
    return scope.terms.make("exists", None, [scope.terms.make("query", None, rows)])


def _in(scope: _Scope, node: n.InSubquery) -> Term:
    operands = [scope.done[id(each)] for each in node.operands]
    return scope.terms.make("in", None, [*operands, scope.query(node.query)])


_RULES: dict[type[Any], Callable[[_Scope, Any], Term]] = {
    n.FieldReference: _reference,
    n.OuterReference: _outer,
    n.Literal: _literal,
    n.Call: _call,
    n.AggregateCall: _aggregate,
    n.Cast: _cast,
    n.Alias: _same,
    n.Star: _star,
    n.SortOrder: _sort_order,
    n.LambdaVariable: _variable,
    n.Lambda: _lambda,
    n.Over: _over,
    n.ScalarSubquery: _scalar,
    n.Exists: _exists,
    n.InSubquery: _in,
}
