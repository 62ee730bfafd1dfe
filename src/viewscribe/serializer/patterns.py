"""``LIKE ANY (…)`` and its kin where Spark's parser evaluates the patterns, and fails over them.

Where all patterns are constants, the parser works them out before anything is resolved: a NULL is
a NullPointerException in ILIKE, a collation or a time zone that is not known yet an internal error
in LIKE, too. Literals are safe, and a bare NULL, which has no type there, is not worked out. What
is left is written as Spark's parser writes it where a pattern is a column: one LIKE a pattern.
"""

from __future__ import annotations

from typing import Any

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.syntax import Binding, Quantified
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import Call, Literal, ResolvedExpression, SubqueryExpression
from viewscribe.expressions.properties import is_foldable
from viewscribe.serializer.fragments import Fragment, at_least, join, print_connected
from viewscribe.serializer.syntaxes import UNPARSERS
from viewscribe.types import STRING, StringType

_NULL = Fragment("NULL")


def quantify(printer: Any, node: Call, env: Any) -> Fragment | None:
    """The call of ``like_any`` or one of its kin; None where it is written as any other.

    Raises:
        NotSerializableError: the operand would have to be written more than once, and must not.
    """
    operand, *patterns = node.args
    if not all(map(is_foldable, patterns)):
        return None
    syntax = node.function.syntax
    assert isinstance(syntax, Quantified)
    if all(map(_is_plain, patterns)):
        shown = [_NULL if _is_null(each) else printer.print(each, env) for each in patterns]
        operands = [printer.print(operand, env), *shown]
        written: Fragment = UNPARSERS[Quantified](syntax, node.function, node.args, operands)
        return written
    if len(patterns) > 1 and not is_repeatable(operand):
        raise NotSerializableError(
            f"{syntax.words} with constants that are computed is one comparison for each, and what "
            "is compared gives another value each time",
            hint="compute it with add_columns(…) first, or write the patterns as literals",
        )
    shown = [printer.print(pattern, env) for pattern in patterns]
    return _spell_out(syntax, printer.print(operand, env), shown)


def is_repeatable(operand: ResolvedExpression) -> bool:
    """Whether looking at it several times gives what looking at it once gives."""
    return not any(
        isinstance(part, SubqueryExpression)
        or (type(part) is Call and not part.function.deterministic)
        for part in preorder(operand)
    )


def _spell_out(syntax: Quantified, operand: Fragment, patterns: list[Fragment]) -> Fragment:
    word, quantifier = syntax.words.rsplit(" ", 1)
    left = at_least(operand, Binding.BIT_OR)
    terms = [
        join(left, word, at_least(pattern, Binding.BIT_OR), Binding.PREDICATE)
        for pattern in patterns
    ]
    if len(terms) == 1:
        return terms[0]
    if quantifier == "ANY":
        return print_connected("OR", terms, Binding.OR)
    return print_connected("AND", terms, Binding.AND)


def _is_plain(pattern: ResolvedExpression) -> bool:
    """Whether it is a literal whose text is one: a collation would stand behind it."""
    if type(pattern) is not Literal:
        return False
    return not isinstance(pattern.type, StringType) or pattern.type.same_type(STRING)


def _is_null(pattern: ResolvedExpression) -> bool:
    """Whether it is a NULL of STRING; one of another collation is not looked into."""
    return type(pattern) is Literal and pattern.value is None and pattern.type.same_type(STRING)
