"""What a text names and calls, as facts of its tree: relations, functions, options of tables.

They decide what a text may do before an engine is given it. Every part of the tree is gone through;
one of a kind that is not known here is an error, so that nothing hides in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewscribe.errors import SqlSyntaxError
from viewscribe.expressions.nodes import Literal
from viewscribe.operations.reach import (
    OF_FILES,
    Argument,
    CallReach,
    Options,
    Part,
    Parts,
    Reach,
    to_options,
)
from viewscribe.parser import syntax as s
from viewscribe.parser.grammar import PipeGrammar, Reading
from viewscribe.parser.read import deeply
from viewscribe.parser.tokens import tokenize
from viewscribe.types import StringType
from viewscribe.types.ddl import parse_type


def read_reach(text: str, part: Part, reading: Reading | None = None) -> Reach:
    """Parses a text whole.

    Args:
        text: the text.
        part: what it is to be.
        reading: the settings that affect parsing.

    Raises:
        SqlSyntaxError: it is not that, or uses unsupported syntax.
        DataTypeError: it names a type that there is not.
    """
    last: SqlSyntaxError | None = None
    for read in _READERS[part]:
        grammar = PipeGrammar(text, reading or Reading())
        try:
            tree = deeply(lambda read=read, grammar=grammar: _from_start(grammar, read))  # type: ignore[misc]
        except SqlSyntaxError as error:
            last = error
            continue
        return _reach_of(tree)._replace(computes_names=grammar.computes_names)
    assert last is not None
    raise last


def strip_ends(text: str) -> str:
    """The text from its first token to its last.

    Raises:
        SqlSyntaxError: it is not taken apart.
    """
    *tokens, end = tokenize(text)
    first, last = (tokens[0], tokens[-1]) if tokens else (end, end)
    return text[first.start : last.start + len(last.text)]


def _from_start(grammar: PipeGrammar, read: Callable[[PipeGrammar], Any]) -> Any:
    grammar.go_to(0)
    return read(grammar)


_READERS: dict[Part, tuple[Callable[[PipeGrammar], Any], ...]] = {
    Part.QUERY: (PipeGrammar.statement,),
    Part.EXPRESSION: (PipeGrammar.lone_expression,),
    Part.BODY: (PipeGrammar.statement, PipeGrammar.lone_expression),
}


def _reach_of(tree: Any) -> Reach:
    relations: list[Parts] = []
    calls: list[CallReach] = []
    options: list[tuple[str, str]] = []
    columns: dict[Parts, None] = {}
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, s.Syntax):
            if isinstance(node, s.TableName) and node.parts:  # a step of a pipe has none
                relations.append(node.parts)
            elif isinstance(node, s.Function) and node.name != ("",):
                calls.append(CallReach(node.name, tuple(map(_argument, node.args))))
            elif isinstance(node, s.Name):
                columns[node.parts] = None
            elif isinstance(node, s.Unread):
                options += node.options
            elif isinstance(node, s.CastTo):
                parse_type(node.type)
            stack += [getattr(node, field) for field in reversed(node.__struct_fields__)]
        elif isinstance(node, list | tuple):
            stack += reversed(node)
        elif isinstance(node, dict):
            stack += reversed(node.values())
        else:
            assert node is None or isinstance(node, str | int | Literal), type(node)
            if isinstance(node, str) and node.lower() == OF_FILES:
                calls.append(CallReach((OF_FILES,), ()))
    return Reach(tuple(relations), tuple(calls), tuple(options), variables=tuple(columns))


def _argument(node: Any) -> str | Options | Argument:
    text = _text(node)
    if text is not None:
        return text
    if isinstance(node, s.Constant) and node.value.value is not None:
        return Argument.CONSTANT
    if isinstance(node, s.NamedArgument):
        return Argument.NAMED
    if isinstance(node, s.Function) and [each.lower() for each in node.name] == ["map"]:
        return to_options([_shown(each) for each in node.args])
    return Argument.COMPUTED


def _shown(node: Any) -> str | None:
    """The text of a constant, which an option's value may be."""
    value = node.value.value if isinstance(node, s.Constant) else None
    return None if value is None else str(value)


def _text(node: Any) -> str | None:
    if isinstance(node, s.Constant) and isinstance(node.value.type, StringType):
        return node.value.value if isinstance(node.value.value, str) else None
    return None
