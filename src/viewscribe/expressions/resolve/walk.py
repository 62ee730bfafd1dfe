"""The traversal that resolves user expressions: one handler for each kind of node.

Resolution recurses for speed and handles subtrees deeper than ``_DEEP`` levels in a loop, so
neither long chains nor deep nesting reach Python's recursion limit. It does so, too, after
``_MANY`` nested calls: the loop resolves a part that is used again and again only once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.expressions.resolve.columns import resolve_column
from viewscribe.expressions.resolve.scope import Scope
from viewscribe.expressions.schema import Schema
from viewscribe.types import VOID, Field

_DEEP = 120
_NESTED = 3
_MANY = 2_000

Handler = Callable[[Any, Scope], ResolvedExpression]

HANDLERS: dict[type, Handler] = {}
"""How each kind of node is resolved; the modules beside this one have them."""


def resolve(expression: object, schema: Schema) -> ResolvedExpression:
    """Resolves the expression against the columns of ``schema``.

    Raises:
        UnknownColumnError, AmbiguousColumnError: no column has a name, or several have it.
        TypeMismatchError, ArityError: a call that does not fit its function.
    """
    return resolve_in(expression, Scope(schema))


class _AnySchema(Schema):
    """A schema that has every column that is looked up, of type VOID."""

    __slots__ = ()

    def find(self, name: str) -> int:
        known = [field.name for field in self.fields]
        if name not in known:
            self._fields = (*self.fields, Field(name, VOID))
            self._qualifiers = (*self.qualifiers, ())
            self._width += 1
            known.append(name)
        return known.index(name)

    def find_path(self, parts: Sequence[str]) -> tuple[int, Sequence[str]]:
        raise ValidationError(
            f"`{'.'.join(parts)}` could be a table's column or a struct's field",
            hint="print the table it is used in: table.select(…).to_sql()",
        )


def resolve_freely(expression: object) -> ResolvedExpression:
    """Resolves the expression over columns of unknown types."""
    return resolve(expression, _AnySchema(()))


def resolve_in(expression: object, scope: Scope) -> ResolvedExpression:
    """Like ``resolve``, noting in ``scope`` whether aggregates, windows … were met."""
    if type(expression) is dsl.ColumnExpression:  # a short cut for the most frequent leaf
        return resolve_column(expression, scope)
    handler = HANDLERS.get(type(expression))
    if handler is None:
        if isinstance(expression, ResolvedExpression):
            return expression
        return resolve_in(dsl.operand(expression), scope)
    if scope.known:
        found = scope.known.get(id(expression))
        if found is not None:
            return found
    depth = scope.depth
    if depth > _NESTED:
        scope.nested += 1
        if depth > _DEEP or scope.nested > _MANY:
            return _resolve_deep(expression, scope)
    scope.depth = depth + 1
    resolved = handler(expression, scope)
    scope.depth = depth
    return resolved


def _resolve_deep(expression: Any, scope: Scope) -> ResolvedExpression:
    """Resolves a subtree bottom-up in a loop; its nodes find their children in ``scope.known``."""
    kept, depth = scope.known, scope.depth
    scope.known = dict(kept)
    scope.deep.append(expression)  # keeps the nodes alive while their ids are keys
    scope.depth = 0
    for node in _unresolved_postorder(expression):
        if id(node) not in scope.known:
            scope.known[id(node)] = HANDLERS[type(node)](node, scope)
    resolved = scope.known[id(expression)]
    scope.known, scope.depth = kept, depth
    return resolved


def _unresolved_postorder(root: Any) -> list[Any]:
    order: list[Any] = []
    seen: set[int] = set()
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif id(node) not in seen and type(node) in HANDLERS:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((child, False) for child in _unresolved_children(node))
    return order


def _unresolved_children(node: Any) -> Sequence[Any]:
    kind = type(node)
    if kind in (dsl.CallExpression, dsl.OptionedCall, dsl.NamedCallExpression):
        flat = flatten(node) if node.function in (op.AND, op.OR) else node.args
        named = node.options.values() if isinstance(node, dsl.OptionedCall) else ()
        return [arg for arg in (*flat, *named) if type(arg) is not dsl.LambdaExpression]
    if kind in (dsl.AliasExpression, dsl.CastExpression, dsl.SortExpression, dsl.NamesExpression):
        return (node.child,)
    if kind is dsl.ItemExpression:
        return (node.base, node.key)
    return ()


def flatten(expression: dsl.CallExpression) -> list[Any]:
    """Flattens a nested chain of ANDs (or ORs) to its terms, in the order written."""
    function = expression.function
    terms: list[Any] = []
    stack = list(reversed(expression.args))
    while stack:
        term = stack.pop()
        if type(term) is dsl.CallExpression and term.function is function:
            stack.extend(reversed(term.args))
        else:
            terms.append(term)
    return terms
