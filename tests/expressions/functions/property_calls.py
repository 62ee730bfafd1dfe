"""Calls, over columns and over constants, for what is known of expressions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.expressions.functions.matrix import Question, questions
from tests.expressions.functions.palette import SCHEMA
from viewscribe.expressions.node import replace
from viewscribe.expressions.nodes import Cast, FieldReference, Literal, ResolvedExpression
from viewscribe.expressions.properties import is_deterministic, is_foldable
from viewscribe.expressions.resolve import resolve
from viewscribe.types import VOID

_DRAWN = 2
"""How many calls of a function are drawn beside its first."""


class Known(NamedTuple):
    """What we know of a call of a function."""

    function: str
    foldable: bool
    deterministic: bool


@cache
def calls() -> dict[str, Known]:
    """Some calls of each scalar function, each over columns and over constants, by their SQL."""
    asked: dict[str, list[Question]] = {}
    for question in questions("scalars"):
        asked.setdefault(question.name, []).append(question)
    found: dict[str, Known] = {}
    draw = random.Random(3)
    for name, known in asked.items():
        for some in (known, *(draw.sample(known, len(known)) for _ in range(_DRAWN))):
            for made in _first_valid(some):
                text = made.as_serializable_string()
                found[text] = Known(name, is_foldable(made), is_deterministic(made))
    return found


def _first_valid(asked: list[Question]) -> Iterator[ResolvedExpression]:
    """The first call that is valid, and the same over constants."""
    for question in asked:
        if question.ours() is not None and question.made is not None:
            made = resolve(question.made, SCHEMA)
            yield from (made, _constant(made))
            return


def _constant(expression: ResolvedExpression) -> ResolvedExpression:
    """The expression with every column replaced by a NULL of its type."""

    def step(node: object) -> object:
        return Cast(Literal(None, VOID), node.type) if isinstance(node, FieldReference) else node

    return replace(expression, step)  # type: ignore[arg-type,return-value]
