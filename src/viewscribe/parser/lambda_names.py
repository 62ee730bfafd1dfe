"""How Spark calls a column that is a function over elements: its lambda, or what stands for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.node import find, preorder
from viewscribe.expressions.nodes import Lambda, LambdaVariable, Literal
from viewscribe.parser import syntax as s
from viewscribe.parser.name_parts import HANDLERS, spell
from viewscribe.types import VOID, StringType
from viewscribe.types.parameters import DEFAULT_COLLATION

if TYPE_CHECKING:
    from viewscribe.parser.values import ExpressionReader

_VARIABLE = "namedlambdavariable()"


def texts_over_elements(
    reader: ExpressionReader, function: FunctionDefinition, nodes: Sequence[Any]
) -> list[str]:
    """The arguments of a function that takes lambdas; none takes over a collation from another.

    A value where a lambda is expected is one to Spark that looks at none of its variables.
    """
    texts = []
    for place, node in enumerate(nodes):
        text = spell(reader, node)
        count = function.inference.argument(place).fewest_parameters
        texts.append(_lambda_text(text, count) if count and not _is_lambda(node) else text)
    return texts


def refuse_collated_lambdas(reader: ExpressionReader, node: s.Function) -> None:
    """Refuses to name a call by a lambda that holds texts beside variables of a collation."""
    if reader.variables.known or not reader.shows_names:
        return  # the call around is looked at whole
    for inner in find(reader.read_again(node), Lambda):
        if any(map(_is_collated, inner.parameters)):
            texts = (each for each in preorder(inner.body) if isinstance(each, Literal))
            if any(isinstance(each.type, StringType) for each in texts):
                raise reader.queries.error(
                    node,
                    "Spark's name of this column shows which texts of the lambda are cast to the "
                    "collation of its variables, which is not known here",
                    hint="give it an alias: … AS name",
                )


def _is_lambda(node: object) -> bool:
    return type(node) is s.LambdaOf


def _is_collated(variable: LambdaVariable) -> bool:
    type_ = variable.type
    return isinstance(type_, StringType) and type_.collation != DEFAULT_COLLATION


def _lambda_text(body: str, count: int) -> str:
    return f"lambdafunction({', '.join([body, *[_VARIABLE] * count])})"


def _lambda(reader: ExpressionReader, node: s.LambdaOf) -> str:
    from viewscribe.parser.scopes import Variables

    before = reader.variables
    known = {name.lower(): LambdaVariable(name, VOID) for name in node.parameters}
    reader.variables = Variables({**before.known, **known})
    try:
        body = spell(reader, node.body)
    finally:
        reader.variables = before
    return _lambda_text(body, len(node.parameters))


HANDLERS[s.LambdaOf] = _lambda
