"""The calls that errors propose, for a sample of all calls that are not valid."""

from __future__ import annotations

from functools import cache

from tests.expressions.functions.matrix import questions
from tests.expressions.functions.palette import SCHEMA
from viewscribe.errors import ArityError, TypeMismatchError
from viewscribe.expressions.resolve import resolve

_STEP = 23
"""One call of so many is in the sample."""


@cache
def hints() -> dict[str, str | None]:
    """The hints of calls that are not valid, by the call."""
    found: dict[str, str | None] = {}
    for question in questions("scalars")[::_STEP]:
        try:
            resolve(question.made, SCHEMA)
        except (ArityError, TypeMismatchError) as error:
            found[question.text] = error.hint
    return found


def proposed() -> dict[str, str]:
    """The calls that are near, and without places to fill in; each with one that is not valid."""
    near = {text: (hint or "").partition("  nearest: ")[2] for text, hint in hints().items()}
    return {call: text for text, call in near.items() if call and "<" not in call}
