"""The functions that nodes of Spark's expression classes are calls of, as their entries say.

Where a class stands for several functions, Spark notes the name that was called, and that wins.
"""

from __future__ import annotations

from functools import cache

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.registry import all_built_ins

_ORIGIN_OF_BUCKETS = ("0",)
"""What Spark adds to ``time_bucket``, a point in time of the argument's own type."""


@cache
def functions_of_classes() -> dict[str, FunctionDefinition]:
    """The function of each class whose children are the arguments of a call."""
    return {name: function for function in all_built_ins().values() for name in function.catalyst}


@cache
def functions_without_failure() -> dict[str, FunctionDefinition]:
    """The function of each class where NULL stands for what has no result."""
    functions = all_built_ins().values()
    return {each.catalyst_try: each for each in functions if each.catalyst_try is not None}


def added_defaults(kind: str, count: int) -> tuple[object, ...]:
    """What Spark may have added to a call of so many arguments, as the values of its literals."""
    if kind == "TimeBucket":
        return _ORIGIN_OF_BUCKETS
    function = functions_of_classes().get(kind)
    if function is None or count != function.inference.most:
        return ()
    # The value of a literal in a plan, where numbers are texts.
    return tuple(
        {"NULL": None, "true": True, "false": False}.get(text, text) for text in function.defaults
    )
