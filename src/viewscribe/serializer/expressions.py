"""Expressions as SQL: one handler a node type, fragments put together by binding strength."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import msgspec

from viewscribe.errors import NotSerializableError
from viewscribe.expressions import nodes as n
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.syntax import Binding, InlineCall
from viewscribe.expressions.node import Node, preorder
from viewscribe.expressions.nodes import FieldReference, Literal
from viewscribe.serializer.blocks import BoundColumn, Column, Env, Relation, SourceColumn, free_name
from viewscribe.serializer.features import TooLongError
from viewscribe.serializer.literals import (
    Fragment,
    at_least,
    follow,
    identifier,
    pieces,
    print_call,
    print_literal,
    type_text,
)
from viewscribe.serializer.syntaxes import (
    DOTTED,
    UNPARSERS,
    case,
    has_opposite,
    inline_error,
    is_repeatable,
    may_negate,
    quantify,
    unparse_negated,
)
from viewscribe.types import StructType
from viewscribe.types.identifiers import CALLED_WITHOUT_PARENTHESES, parse_name

QueryPrinter = Callable[..., Callable[[int], str]]

_NESTED = 3
"""Calls inside of so many others count, of which few trees have many."""


class TooDeepError(Exception):
    """An expression nests deeper than Spark parses; the tree must be split first."""


class Limits(msgspec.Struct):
    """How much is written before the tree is split, or refused.

    Args:
        depth: how deep expressions may nest.
        calls: how many calls there may be inside of others before the tree is searched for what is
            written again and again.
        queries: how many queries may stand inside the expressions of others.
        is_split: whether the tree was split, and is refused where it still is too large.
        may_exceed: asked once there are that many calls: whether a search would find nothing.
    """

    depth: int = 90
    calls: int = 2_000
    queries: int = 95
    is_split: bool = False
    may_exceed: Callable[[], bool] | None = None

    def exceed(self) -> None:
        """Lets there be any number of calls from now on.

        Raises:
            TooLongError: some of them may be repetitions.
        """
        if self.may_exceed is None or not self.may_exceed():
            raise TooLongError
        self.calls = sys.maxsize

    @contextmanager
    def inside_query(self) -> Iterator[None]:
        """While a query inside of an expression is written.

        Raises:
            TooDeepError: it stands inside of too many others.
        """
        if not self.queries:
            raise TooDeepError
        self.queries -= 1
        yield
        self.queries += 1


LIMITS: ContextVar[Limits | None] = ContextVar("limits", default=None)


class ExpressionPrinter:
    """Prints expressions.

    ``print_query(operation, env, only_existence)`` prints the query of a sub-query expression: it
    gives a layout, from an indentation to the query's text. ``called`` holds, by identity, columns
    that go by a name of the same SELECT. ``windows`` gathers the windows that deserve a name, and
    ``named`` has, by their text, the names of those that get one; see ``windows.py``. ``relations``
    are the tables that a name may stand for. ``parameters`` has, by their names in lower case, what
    the parameters of the lambdas around are called in the text, and ``captured`` gathers those of
    them that something written inside would be taken for. ``keys`` are the keys of GROUP BY, by
    identity: Spark only knows them again if they stand in the text as they are.
    """

    __slots__ = (
        *("called", "captured", "depth", "keys", "limits", "named", "parameters", "print_query"),
        *("outside", "qualified", "relations", "windows"),
    )

    def __init__(self, print_query: QueryPrinter) -> None:
        self.print_query = print_query
        self.depth = 0
        self.limits = LIMITS.get() or Limits()
        self.qualified = False
        self.outside = False
        self.parameters: dict[str, str] = {}
        self.captured: set[str] = set()
        self.called: dict[int, Fragment] = {}
        self.windows: list[Fragment] = []
        self.named: dict[str, str] | None = None
        self.relations: Sequence[Relation] = ()
        self.keys: frozenset[int] = frozenset()

    def print(self, node: Node, env: Env) -> Fragment:
        """The expression as a fragment.

        Raises:
            TooDeepError: it nests deeper than Spark parses.
            TooLongError: so much is written that some of it may be a repetition.
        """
        depth = self.depth
        if depth > _NESTED:
            limits = self.limits
            limits.calls -= 1
            if depth >= limits.depth:
                raise TooDeepError
            if limits.calls < 0:
                limits.exceed()
        kind = type(node)
        if kind is FieldReference:  # the most frequent leaves take the short way
            column = env.columns[node.index]  # type: ignore[attr-defined]
            if type(column) is SourceColumn:
                return self._source(column)
        elif kind is Literal:
            return print_literal(node)  # type: ignore[arg-type]
        self.depth = depth + 1
        made = _HANDLERS[kind](self, node, env)
        self.depth = depth
        return made

    def lateral(self, call: Node, env: Env) -> Fragment:
        """The call of a LATERAL table, to which columns are those of a query around."""
        self.outside = True
        made = self.print(call, env)
        self.outside = False
        return made

    def column(self, column: Column) -> Fragment:
        """A column: its name, or the expression it is bound to."""
        if type(column) is SourceColumn:
            return self._source(column)
        assert isinstance(column, BoundColumn)
        if self.called and id(column) in self.called:
            name = self.called[id(column)]
            if self.parameters:
                self._begins(name.text or "")
            return name
        if self.qualified or self.outside or self.parameters or self.named is not None:
            return self.print(column.expression, column.env)
        made = column.fragment
        if made is None:
            made = column.fragment = self.print(column.expression, column.env)
        return made

    def behind(self, expression: object, env: Env) -> tuple[Any, Env]:
        """What is written where the expression stands: that of a column that is written out."""
        while type(expression) is FieldReference:
            column = env.columns[expression.index]
            if not isinstance(column, BoundColumn) or id(column) in self.called:
                break
            expression, env = column.expression, column.env
        return expression, env

    def _source(self, column: SourceColumn) -> Fragment:
        relation = column.relation
        name = column.name
        hidden = False
        if relation.shadowed or self.parameters or self.outside:
            folded = name.lower()
            hidden = folded in relation.shadowed or self._is_parameter(folded)
            hidden = hidden or (self.outside and folded in CALLED_WITHOUT_PARENTHESES)
        if self.qualified or hidden:
            if self.parameters:
                self._begins(relation.alias or name)
            made = column.qualified
            if made is None:
                text = f"{identifier(relation.alias)}.{identifier(name)}"
                made = column.qualified = Fragment(text)
            return made
        made = column.fragment
        if made is None:
            made = column.fragment = Fragment(identifier(name))
        return made

    def _is_parameter(self, folded: str) -> bool:
        """Whether a parameter of a lambda around goes by the name, which is in lower case."""
        return any(folded == name.lower() for name in self.parameters.values())

    def _begins(self, name: str) -> None:
        """Notes that a dotted name begins so: a parameter called the same would be taken for it."""
        if self._is_parameter(name.lower()):
            self.captured.add(name.lower())


def _field(printer: ExpressionPrinter, node: n.FieldReference, env: Env) -> Fragment:
    return printer.column(env.columns[node.index])


def _outer(printer: ExpressionPrinter, node: n.OuterReference, env: Env) -> Fragment:
    """A column of an enclosing query, qualified so that nothing nearer can capture it."""
    if node.level > 1:
        raise NotSerializableError(
            f"column `{node.name}` belongs to a query {node.level} levels out, and Spark's "
            "sub-queries see only the query right around them",
            hint="join the tables instead, or select the column in the query between",
        )
    enclosing = env.outer
    if enclosing is None:
        raise NotSerializableError(
            f"column `{node.name}` belongs to an enclosing query that is not there",
            hint="serialize the query that the sub-query stands in",
        )
    before, printer.qualified = printer.qualified, True
    made = printer.column(enclosing.columns[node.index])
    printer.qualified = before
    return made


def _call(printer: ExpressionPrinter, node: n.Call, env: Env) -> Fragment:
    function = node.function
    own = _CALLS.get(function.built_in_name)
    if own is not None:
        made = own(printer, node, env)
        if made is not None:
            return made
    operands = []
    for argument in node.args:  # a comprehension would cost a frame in Python 3.11
        operands.append(printer.print(argument, env))
    syntax = function.syntax
    written: Fragment = UNPARSERS[type(syntax)](syntax, function, node.args, operands)
    return written


def _case(printer: ExpressionPrinter, node: n.Call, env: Env) -> Fragment | None:
    """``CASE x WHEN …`` where several conditions compare the same ``x``."""
    args = node.args
    conditions = args[: len(args) // 2 * 2 : 2]
    compared = [
        each.args for each in conditions if (type(each) is n.Call and each.function is op.EQUALS)
    ]
    if len(conditions) < 2 or len(compared) < len(conditions):
        return None
    subject = compared[0][0]
    if not all(subject == pair[0] for pair in compared) or type(subject) is Literal:
        return None
    if not is_repeatable(subject):  # CASE looks once at what the conditions look at one by one
        return None
    operands = [printer.print(argument, env) for argument in args]
    operands[: 2 * len(compared) : 2] = [printer.print(pair[1], env) for pair in compared]
    return case(printer.print(subject, env), operands)


def _struct(printer: ExpressionPrinter, node: n.Call, env: Env) -> Fragment | None:
    """The arguments of ``struct(…)``, each under the name its field has."""
    if not isinstance(node.type, StructType):
        return None
    operands = [printer.print(argument, env) for argument in node.args]
    named = []
    for argument, operand, field in zip(node.args, operands, node.type.fields, strict=True):
        column = env.columns[argument.index] if type(argument) is n.FieldReference else None
        if isinstance(column, SourceColumn) and column.name == field.name:
            named.append(operand)
        else:
            named.append(pieces([operand, f" AS {identifier(field.name)}"]))
    return print_call("struct(", named)


def _get_field(printer: ExpressionPrinter, node: n.Call, env: Env) -> Fragment | None:
    """A field of a struct: ``t.a['b']`` where ``t.a.b`` would be the column ``b`` of a table.

    Parentheses would not help: Spark's parser takes ``(t.a).b`` for the same dotted name.
    """
    base = printer.print(node.args[0], env)
    if base.text is None or not _means_a_table(printer, node.args[0], base.text):
        return None
    return pieces([base, "[", printer.print(node.args[1], env), "]"])


def _means_a_table(printer: ExpressionPrinter, node: Node, text: str) -> bool:
    """Whether Spark would take the beginning of a dotted name for another table in scope.

    It tries ``a.b.c`` as a column of ``a.b`` and of ``a`` before it looks for a field of ``a``.
    """
    if not DOTTED.fullmatch(text):
        return False
    parts = tuple([part.lower() for part in parse_name(text)])
    fields = 0
    while type(node) is n.Call:
        node, fields = node.args[0], fields + 1
    qualified = len(parts) - fields > 1  # its first part is meant to be a table
    return any(
        parts[:count] == qualifier[-count:]
        for qualifier in map(_qualifier, printer.relations)
        for count in range(1 + qualified, len(parts) + 1)
    )


def _qualifier(relation: Relation) -> tuple[str, ...]:
    """What stands before the columns of a relation, as far as it can be written."""
    named = relation.path is not None and relation.path[-1] == relation.alias
    path = relation.path if named and relation.path else (relation.alias,)
    return tuple([part.lower() for part in path])


def _not(printer: ExpressionPrinter, node: n.Call, env: Env) -> Fragment | None:
    if node.function is not op.NOT:
        return None
    inner, env = printer.behind(node.args[0], env)
    if type(inner) is n.Call and id(inner) not in printer.keys:
        if inner.function is op.NOT:
            innermost, below = printer.behind(inner.args[0], env)
            if has_opposite(innermost) and id(innermost) not in printer.keys:
                return printer.print(innermost, below)  # NOT x IS NOT NULL
        if may_negate(inner.function):
            operands = [printer.print(argument, env) for argument in inner.args]
            made = unparse_negated(inner.function, inner.args, operands)
            if made is not None:
                return made
    elif type(inner) is n.InSubquery and id(inner) not in printer.keys:
        return _in_query(printer, inner, env, "NOT ")
    return pieces(["NOT ", at_least(printer.print(inner, env), Binding.NOT)], Binding.NOT)


def _aggregate(printer: ExpressionPrinter, node: n.AggregateCall, env: Env) -> Fragment:
    operands = [printer.print(argument, env) for argument in node.args]
    name = node.function.sql_name
    if type(node.function.syntax) is InlineCall:
        raise inline_error(node.function)
    if node.distinct and n.STAR in node.args:
        raise NotSerializableError(
            f"{name}(DISTINCT *) counts by the columns of FROM, which may be more than the input's",
            hint="name the columns: F.count_distinct(…)",
        )
    made = print_call(f"{name}({'DISTINCT ' if node.distinct else ''}", operands)
    if node.order_by:
        made = pieces(
            [made, " WITHIN GROUP (ORDER BY ", *_print_sorted(printer, node.order_by, env), ")"]
        )
    if node.filter is not None:
        made = pieces([made, " FILTER (WHERE ", printer.print(node.filter, env), ")"])
    if node.ignore_nulls:
        made = pieces([made, " IGNORE NULLS"])
    if node.respect_nulls:
        made = pieces([made, " RESPECT NULLS"])
    return made


def _print_sorted(
    printer: ExpressionPrinter, keys: Sequence[n.SortOrder], env: Env
) -> list[str | Fragment]:
    items: list[str | Fragment] = []
    for place, key in enumerate(keys):
        items += [", "] * (place > 0) + [printer.print(key, env)]
    return items


def _cast(printer: ExpressionPrinter, node: n.Cast, env: Env) -> Fragment:
    word = "TRY_CAST" if node.lenient else "CAST"
    return pieces([f"{word}(", printer.print(node.child, env), f" AS {type_text(node.type)})"])


def _alias(printer: ExpressionPrinter, node: n.Alias, env: Env) -> Fragment:
    return printer.print(node.child, env)


def _sort(printer: ExpressionPrinter, node: n.SortOrder, env: Env) -> Fragment:
    return sort_fragment(printer.print(node.child, env), node)


def sort_fragment(key: Fragment, order: n.SortOrder) -> Fragment:
    """The key with its direction, and the place of NULLs where it is not the usual one."""
    words = " DESC" if order.descending else ""
    if order.nulls_first is order.descending:
        words += " NULLS FIRST" if order.nulls_first else " NULLS LAST"
    return pieces([key, words], Binding.LAMBDA) if words else key


def no_ordinal(key: Fragment) -> Fragment:
    """The key, under a CAST where it is a bare number, which would be a column's position."""
    if key.text is not None and key.text.lstrip("-").isdigit():
        return Fragment(f"CAST({key.text} AS INT)")
    return key


def _lambda(printer: ExpressionPrinter, node: n.Lambda, env: Env) -> Fragment:
    around, captured_around = printer.parameters, printer.captured
    names = {variable.name.lower(): variable.name for variable in node.parameters}
    while True:
        # A column that is called as a parameter is qualified inside; where that does not help,
        # because its table is called so, too, the parameter gets another name.
        printer.parameters, printer.captured = around | names, set()
        body = printer.print(node.body, env)
        captured = printer.captured
        printer.parameters, printer.captured = around, captured_around | captured
        mine = [key for key, name in names.items() if name.lower() in captured]
        if not mine:
            break
        taken = (
            {each.name.lower() for each in preorder(node) if type(each) is n.LambdaVariable}
            | captured
            | {name.lower() for name in around.values()}
        )
        for key in mine:
            names[key] = free_name(names[key], taken | {name.lower() for name in names.values()})
    shown = ", ".join(map(identifier, names.values()))
    head = shown if len(names) == 1 else f"({shown})"
    return pieces([f"{head} -> ", body], Binding.LAMBDA)


def _variable(printer: ExpressionPrinter, node: n.LambdaVariable, env: Env) -> Fragment:
    return Fragment(identifier(printer.parameters.get(node.name.lower(), node.name)))


def _over(printer: ExpressionPrinter, node: n.Over, env: Env) -> Fragment:
    call = printer.print(node.call, env)
    window = _window(printer, node, env)
    # Whether the window says at least two things; one thing is as quickly read where it is.
    if window.text is not None and (
        len(node.partition_by) + len(node.order_by) + (node.frame is not None) > 1
    ):
        printer.windows.append(window)
        name = printer.named and printer.named.get(window.text)
        if name:
            return follow(call, f" OVER {name}")
    broken = window.layout
    if broken is None:
        return follow(call, f" OVER {window.text}")
    flat = None
    if call.text is not None and window.text is not None:
        flat = f"{call.text} OVER {window.text}"
    return Fragment(
        flat, Binding.PRIMARY, lambda indent: f"{call.render(indent)} OVER {broken(indent)}"
    )


def _window(printer: ExpressionPrinter, node: n.Over, env: Env) -> Fragment:
    """``(PARTITION BY … ORDER BY … ROWS …)``, a clause a line where it is too long."""
    clauses: list[Fragment] = []
    if node.partition_by:
        keys = [printer.print(key, env) for key in node.partition_by]
        clauses.append(connected_list("PARTITION BY ", keys))
    if node.order_by:
        clauses.append(
            connected_list("ORDER BY ", [printer.print(key, env) for key in node.order_by])
        )
    if node.frame is not None:
        frame = node.frame
        bounds = f"{_print_bound(frame.start)} AND {_print_bound(frame.end)}"
        clauses.append(Fragment(f"{frame.unit} BETWEEN {bounds}"))
    texts = [clause.text for clause in clauses]
    flat = None if None in texts else f"({' '.join(texts)})"  # type: ignore[arg-type]

    def layout(indent: int) -> str:
        pad = "\n" + " " * (indent + 2)
        inside = "".join(pad + clause.render(indent + 2) for clause in clauses)
        return f"({inside}\n{' ' * indent})"

    return Fragment(flat, Binding.PRIMARY, layout if clauses else None)


def connected_list(head: str, items: Sequence[Fragment]) -> Fragment:
    """``head a, b, c``, an item a line where it is too long."""
    texts = [item.text for item in items]
    flat = None if None in texts else head + ", ".join(texts)  # type: ignore[arg-type]

    def layout(indent: int) -> str:
        pad = "\n" + " " * (indent + 2)
        return head.rstrip() + ",".join(pad + item.render(indent + 2, 1) for item in items)

    return Fragment(flat, Binding.PRIMARY, layout)


def _print_bound(bound: n.FrameBound) -> str:
    if bound.offset is None:
        return bound.kind
    return f"{print_literal(bound.offset).text} {bound.kind}"


def _scalar(printer: ExpressionPrinter, node: n.ScalarSubquery, env: Env) -> Fragment:
    return _query("", printer.print_query(node.query, env))


def _exists(printer: ExpressionPrinter, node: n.Exists, env: Env) -> Fragment:
    query = _query("EXISTS ", printer.print_query(node.query, env, True))
    return Fragment(None, Binding.NOT, query.layout)  # to Spark it is a condition, and no value


def _in_query(printer: ExpressionPrinter, node: n.InSubquery, env: Env, word: str = "") -> Fragment:
    operands = [printer.print(item, env) for item in node.operands]
    alone = len(operands) == 1
    left = at_least(operands[0], Binding.BIT_OR) if alone else print_call("(", operands)
    query = _query(f" {word}IN ", printer.print_query(node.query, env))
    return pieces([left, query], Binding.PREDICATE)


def _query(head: str, layout: Callable[[int], str]) -> Fragment:
    def broken(indent: int) -> str:
        pad = " " * (indent + 2)
        return f"{head}(\n{pad}{layout(indent + 2)}\n{' ' * indent})"

    return Fragment(None, Binding.PRIMARY, broken)


_CALLS: dict[str, Callable[[ExpressionPrinter, n.Call, Env], Fragment | None]] = {
    "not": _not,
    "case": _case,
    "struct": _struct,
    "get_field": _get_field,
    **{
        negated + name: quantify
        for negated in ("", "not_")
        for name in ("like_any", "like_all", "ilike_any", "ilike_all")
    },
}
"""Calls that are not written from their operands alone."""

_HANDLERS: dict[type[Node], Callable[[ExpressionPrinter, Any, Env], Fragment]] = {
    n.FieldReference: _field,
    n.OuterReference: _outer,
    n.Literal: lambda printer, node, env: print_literal(node),
    n.Call: _call,
    n.AggregateCall: _aggregate,
    n.Cast: _cast,
    n.Alias: _alias,
    n.SortOrder: _sort,
    n.Lambda: _lambda,
    n.LambdaVariable: _variable,
    n.Over: _over,
    n.ScalarSubquery: _scalar,
    n.Exists: _exists,
    n.InSubquery: _in_query,
    n.Star: lambda printer, node, env: Fragment("*"),
}
