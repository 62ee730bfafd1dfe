"""Samples: fractions as the numbers of percent that SQL takes, and parts that it has no word for.

For each row Spark's sample draws a number, and keeps the row where it lies between two bounds.
``rand(seed)`` draws the very same numbers: the same generator, begun anew with the seed and the
number of the partition. So where ``TABLESAMPLE`` cannot say the bounds, a comparison does.
"""

from __future__ import annotations

import math

from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Alias, SortOrder, make_call
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.types.coercion import is_orderable


def sample(child: QueryOperation, lower: float, upper: float, seed: int | None) -> QueryOperation:
    """The rows whose number is not below ``lower`` and below ``upper``."""
    drawn = make_call(built_in("rand"), () if seed is None else (literal(seed),))
    if lower <= 0:
        try:
            return n.Sample.of(child, percent_of(upper), seed)
        except CaptureError:
            return n.Filter.of(child, make_call(op.LESS, (drawn, literal(upper))))
    width = len(child.schema)
    name = _free(child)
    # Of two calls of rand() in one condition AND would leave out the second for some of the rows.
    wide = n.WithColumns.of(child, (Alias(drawn, name, drawn.type),))
    found = wide.schema.references[-1]
    bounds = (
        make_call(op.GREATER_OR_EQUAL, (found, literal(lower))),
        make_call(op.LESS, (found, literal(upper))),
    )
    kept = n.Filter.of(wide, make_call(op.AND, bounds))
    return n.Project.of(kept, kept.schema.references[:width])


def in_order(child: QueryOperation) -> QueryOperation:
    """The rows of each partition in the order of all columns, as ``randomSplit`` takes them."""
    keys = [each for each in child.schema.references if is_orderable(each.type)]
    if not keys:
        return child
    return n.Sort.of(child, tuple(SortOrder(key, False, True, key.type) for key in keys), True)


def _free(child: QueryOperation) -> str:
    taken = {name.lower() for name in child.schema.names}
    name, number = "drawn", 2
    while name in taken:
        name, number = f"drawn_{number}", number + 1
    return name


def percent_of(fraction: float) -> float:
    """The number of percent that Spark, dividing it by 100, reads as just the fraction.

    Raises:
        CaptureError: there is none, as for a few fractions of many digits.
    """
    for digits in (10, 12, 14):
        percent = round(fraction * 100, digits)
        if percent / 100 == fraction:
            return percent
    near = fraction * 100
    for percent in (near, math.nextafter(near, 0), math.nextafter(near, math.inf)):
        if percent / 100 == fraction:
            return percent
    raise CaptureError(
        f"no number of percent is exactly the fraction {fraction!r}",
        hint="sample a fraction of fewer digits",
    )
