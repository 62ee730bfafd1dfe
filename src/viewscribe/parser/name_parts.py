"""What the names of all parts of an expression share: their dispatch, types, collations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import NotSerializableError, TypeMismatchError, UnknownColumnError
from viewscribe.expressions.auto_names import is_name_of_cast
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.nodes import (
    Call,
    FieldReference,
    Literal,
    ResolvedExpression,
    strip_alias,
)
from viewscribe.parser import syntax as s
from viewscribe.parser.items import name_of
from viewscribe.types import (
    VOID,
    ArrayType,
    LogicalType,
    MapType,
    StringType,
)
from viewscribe.types.identifiers import quote_special
from viewscribe.types.parameters import DEFAULT_COLLATION

if TYPE_CHECKING:
    from viewscribe.parser.values import ExpressionReader


HANDLERS: dict[type, Callable[[Any, Any], str]] = {}
"""How each kind of what was written is spelled; the modules of this room that know it add to it."""


def spell(reader: ExpressionReader, node: object) -> str:
    """The expression as Spark's analyzer spells it when it needs a name."""
    return HANDLERS[type(node)](reader, node)


def star_texts(reader: ExpressionReader, node: s.StarOf) -> list[str]:
    """What a star stands for, as it is spelled: fields of a struct have names of their own."""
    return [_star_text(each) for each in reader.star_items(node)]


def _star_text(item: ResolvedExpression) -> str:
    path = _path_of_fields(strip_alias(item))
    named = name_of(item)
    return named if path is None else f"{path} AS {quote_special(named)}"


def _path_of_fields(expression: ResolvedExpression) -> str | None:
    """``st.a`` of the field of a column; None for what is none.

    A struct that is a field itself has its name behind it: ``st.g AS g.h``.
    """
    names: list[str] = []
    while isinstance(expression, Call) and expression.function is op.GET_FIELD:
        base, name = expression.args
        assert isinstance(name, Literal)
        names.append(str(name.value))
        expression = base
    if not names or not isinstance(expression, FieldReference):
        return None
    *around, last = reversed(names)
    path = ".".join((expression.name, *around))
    return f"{path} AS {quote_special(around[-1])}.{last}" if around else f"{path}.{last}"


def type_of(reader: ExpressionReader, node: object) -> LogicalType:
    """The type of a part."""
    try:
        return reader.read_again(node).type
    except (UnknownColumnError, TypeMismatchError, NotSerializableError):
        if not reader.variables.known:
            raise
        return VOID  # it was read with typed parameters before, and here these have no type


def texts_of(reader: ExpressionReader, nodes: Sequence[Any]) -> list[str]:
    """The parts as they are spelled; a string takes over the collation of those beside it."""
    texts = [spell(reader, each) for each in nodes]
    strings = [place for place, each in enumerate(nodes) if _is_string(each)]
    if not strings or len(strings) == len(nodes):
        return texts
    collation = _collation(reader, nodes)
    if collation is not None:
        for place in strings:
            texts[place] = f"'{texts[place]}' collate {collation}"
    return texts


def _is_string(node: Any) -> bool:
    if type(node) is not s.Constant or node.value.value is None:
        return False
    return isinstance(node.value.type, StringType)


def _collation(reader: ExpressionReader, nodes: Sequence[Any]) -> str | None:
    """The collation of the first part that has one of its own."""
    for each in nodes:
        if type(each) is s.Operation and each.name == "collate":
            found = type_of(reader, each)
            assert isinstance(found, StringType)
            return None if found.collation == DEFAULT_COLLATION else found.collation
    for each in nodes:
        if _is_string(each) or type(each) in (s.LambdaOf, s.StarOf):
            continue
        found = type_of(reader, each)
        if isinstance(found, ArrayType):
            found = found.element
        if isinstance(found, StringType) and found.collation != DEFAULT_COLLATION:
            return found.collation
    return None


def is_map(reader: ExpressionReader, node: object) -> bool:
    """Whether a part is a MAP."""
    return isinstance(type_of(reader, node), MapType)


def is_cast(node: object) -> bool:
    """Whether something written is a cast, or the call of a function that is one."""
    if type(node) is s.CastTo:
        return True
    return (
        type(node) is s.Function
        and len(node.name) == 1
        and is_name_of_cast(node.name[0])
        and len(node.args) == 1
    )
