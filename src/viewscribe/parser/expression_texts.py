"""SQL text as an expression: ``F.expr("a + 1")``, ``table.filter("a > 1")``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.current_catalog import IN_FORCE
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import ResolvedExpression, alias
from viewscribe.expressions.resolve import Scope
from viewscribe.expressions.resolve.walk import HANDLERS
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.parser.auto_names import output_name
from viewscribe.parser.grammar import PipeGrammar, Reading
from viewscribe.parser.queries import QueryReader
from viewscribe.parser.scopes import Columns
from viewscribe.parser.tokens import refuse_variables
from viewscribe.parser.values import ExpressionReader


class TextExpression(dsl.Expression, eq=False):
    """An expression that was written in SQL; names in it mean something where it is used.

    Args:
        text: the whole text.
        node: the expression, or the part of it without its alias.
        is_item: whether it is an item of a SELECT, which has the name that Spark gives it.
    """

    text: str
    node: Any
    is_item: bool = False


class _Functions:
    """What is known where an expression is used: the functions in force, and no tables."""

    def table(self, parts: Sequence[str]) -> QueryOperation:
        raise ValidationError(
            "a sub-query in the text of an expression knows no tables",
            hint="write the whole query: env.sql_query(…)",
        )

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        catalog = IN_FORCE.get()
        return None if catalog is None else catalog.find_in_text(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        return self.table(parts)


def expression_of(text: str, *, is_item: bool = False) -> dsl.Expression:
    """The expression that a text is.

    Args:
        text: one expression, with an alias or without.
        is_item: whether it is an item of a SELECT, which may be a star.

    Raises:
        SqlSyntaxError: the text is no expression.
    """
    refuse_variables(text)
    node = PipeGrammar(text, Reading()).lone_expression()
    inner = node.child if type(node) is s.Aliased else node
    if type(inner) is s.StarOf and not inner.without and inner is node:
        return dsl.StarExpression(inner.qualifier)
    made = TextExpression(text, inner, is_item and inner is node)
    if type(node) is not s.Aliased:
        return made
    if len(node.names) == 1:
        return dsl.AliasExpression(made, node.names[0])
    return dsl.NamesExpression(made, node.names)


def _resolve(expression: TextExpression, scope: Scope) -> ResolvedExpression:
    queries = QueryReader(expression.text, Reading(), _Functions())
    reader = ExpressionReader(queries, Columns(scope.schema))
    reader.met = scope
    found = reader.read(expression.node)
    return alias(found, output_name(reader, expression.node)) if expression.is_item else found


HANDLERS[TextExpression] = _resolve
