"""The columns of a call: partition columns, the function's own, the time."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.process.inference import ProcessCallContext
from viewscribe.expressions.functions.process.signature import Signature
from viewscribe.types import Field, LogicalType

ROWTIME = "rowtime"

Passed = tuple[Sequence[tuple[str, LogicalType]], Sequence[Field]]
"""The partition columns of all tables, and all columns of the first."""


def result_columns(
    signature: Signature, call: ProcessCallContext, passed: Passed, time: LogicalType | None
) -> tuple[Field, ...]:
    """The columns of the result, in the order of the SQL standard.

    Partition columns table by table (or all columns, where they pass through), the function's own,
    then ``rowtime`` where the call names a time, of that type. Of equal names the later get a
    number: ``id0``.
    """
    keys, columns = passed
    before = (
        [Field(each.name, each.type) for each in columns]
        if signature.passes_through
        else [Field(name, type_) for name, type_ in keys]
    )
    found = [*before, *signature.own_columns(call)]
    if time is not None:
        found.append(Field(ROWTIME, time))
    return tuple(
        Field(name, each.type, each.comment)
        for name, each in zip(make_unique([each.name for each in found]), found, strict=True)
    )


def make_unique(names: Sequence[str]) -> list[str]:
    """The names; of those that are equal without case, the later with a number after them."""
    taken = {name.lower() for name in names}
    seen: set[str] = set()
    result = []
    for name in names:
        chosen, number = name, 0
        while chosen.lower() in seen or (chosen is not name and chosen.lower() in taken):
            chosen, number = f"{name}{number}", number + 1
        seen.add(chosen.lower())
        result.append(chosen)
    return result
