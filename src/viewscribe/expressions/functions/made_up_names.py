"""What Spark shows of a call's arguments in the made-up name of a column."""

from __future__ import annotations

from viewscribe.expressions.functions.definition import Texts


def first(count: int) -> Texts:
    """The first arguments alone: the others are schemas, options or seeds."""
    return lambda texts: texts[:count]


def with_default_before(default: str, count: int) -> Texts:
    """All arguments, with a default in front where only so many were given."""
    return lambda texts: [default, *texts] if len(texts) == count else texts
