"""Call syntax: how a function is written in SQL, as data.

A definition names its syntax; the serializer has one unparser for each class here. This is the
``CallSyntax`` of the FLIP-393 document, with a binding strength beside the words so that
parentheses appear where SQL needs them and nowhere else.
"""

from __future__ import annotations

from typing import Final

import msgspec


class Binding:
    """How tightly a piece of SQL holds together, after the precedence in Spark's grammar.

    Plain numbers: the member of an enum takes four times as long to get, and each piece needs one.
    """

    LAMBDA: Final = 0
    OR: Final = 1
    AND: Final = 2
    NOT: Final = 3
    PREDICATE: Final = 4
    COMPARISON: Final = 5
    BIT_OR: Final = 6
    BIT_XOR: Final = 7
    BIT_AND: Final = 8
    SHIFT: Final = 9
    ADDITIVE: Final = 10
    MULTIPLICATIVE: Final = 11
    UNARY: Final = 12
    PRIMARY: Final = 13


class CallSyntax(msgspec.Struct, frozen=True):
    """Base of the syntaxes."""


class FunctionCall(CallSyntax, frozen=True):
    """``name(a, b)``: the default."""


class CallInFrom(FunctionCall, frozen=True):
    """``name(a, b)``, a table with its arguments from the tables before it; no LATERAL VIEW."""


class InlineCall(FunctionCall, frozen=True):
    """A call of a function without a name, which no text can say."""


class Infix(CallSyntax, frozen=True):
    """``a + b``. A left-associative operator needs no parentheses on its left."""

    operator: str
    binding: int
    left_associative: bool = True


class Connective(CallSyntax, frozen=True):
    """``a AND b AND c``: any number of operands."""

    operator: str
    binding: int


class Prefix(CallSyntax, frozen=True):
    """``- a`` or ``NOT a``."""

    operator: str
    binding: int


class Postfix(CallSyntax, frozen=True):
    """``a IS NULL``; ``negated`` is how NOT of it is written."""

    words: str
    negated: str | None = None
    binding: int = Binding.PREDICATE


class Predicate(CallSyntax, frozen=True):
    """``a LIKE b``; ``escape`` allows a third operand. NOT of it is ``a NOT LIKE b``."""

    words: str
    escape: bool = False


class Between(CallSyntax, frozen=True):
    """``a BETWEEN b AND c``."""


class InList(CallSyntax, frozen=True):
    """``a IN (b, c)``."""


class NamedArguments(CallSyntax, frozen=True):
    """``name(a, parameter => b)``: what has its default is left out, what follows is named.

    The names and defaults are the ``parameters`` of the function.
    """


class Quantified(CallSyntax, frozen=True):
    """``a LIKE ANY (b, c)``. NOT of it has no form of its own: ``NOT LIKE ANY`` is another call."""

    words: str


class SearchedCase(CallSyntax, frozen=True):
    """``CASE WHEN a THEN b … ELSE z END``.

    Several conditions that compare one operand are ``CASE a WHEN b THEN c … END``.
    """


class Subscript(CallSyntax, frozen=True):
    """``a[b]``."""


class FieldAccess(CallSyntax, frozen=True):
    """``a.name``; the second operand is a string literal."""


class Collate(CallSyntax, frozen=True):
    """``a COLLATE name``; the second operand is a string literal."""


class Template(CallSyntax, frozen=True):
    """Words around operands, ``extract({0!} FROM {1})``.

    One template for each number of operands; ``{0}`` is an operand, ``{0!}`` an operand that is a
    string literal written as a bare word. A call that no template fits is written
    ``name(a, b)``.
    """

    templates: tuple[str, ...]


class DistinctFrom(CallSyntax, frozen=True):
    """``a IS DISTINCT FROM b``; NOT of it is ``a IS NOT DISTINCT FROM b``."""

    negated: bool = False


FUNCTION = FunctionCall()
INLINE = InlineCall()
IN_FROM = CallInFrom()


def infix(operator: str, binding: int, *, left_associative: bool = True) -> Infix:
    """``a operator b``."""
    return Infix(operator, binding, left_associative)


def prefix(operator: str, binding: int = Binding.UNARY) -> Prefix:
    """``operator a``."""
    return Prefix(operator, binding)


def postfix(words: str, negated: str | None = None) -> Postfix:
    """``a words``, and the words of its negation."""
    return Postfix(words, negated)


def template(*templates: str) -> Template:
    """Words around operands; see ``Template``."""
    return Template(templates)
