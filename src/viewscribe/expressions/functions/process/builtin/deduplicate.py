"""``deduplicate``: one row for each key, the first or the last in time."""

from __future__ import annotations

from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.builtin.columns import (
    INPUT,
    Chosen,
    columns_but_keys,
    struct_of,
)
from viewscribe.expressions.functions.process.context import Context
from viewscribe.expressions.functions.process.function import ProcessTableFunction
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import (
    ProcessCallContext,
    ProcessTypeInference,
    StaticArgument,
)
from viewscribe.expressions.functions.process.rows import Row
from viewscribe.types import BOOLEAN, STRING, Field, StructType

FIRST, LAST = "first", "last"


class Deduplicate(ProcessTableFunction[Any]):
    """The first or the last row of each partition, by time: all its columns.

    Of rows at one time the first, or last, by ORDER BY. A first row is given when it comes, a last
    row at the end of the input.
    """

    def open(self) -> None:
        """Nothing is known of the rows yet."""
        self._chosen = Chosen()

    def type_inference(self) -> ProcessTypeInference:
        """``deduplicate(input, keep => 'first')``."""
        return ProcessTypeInference(
            static_arguments=[
                StaticArgument.table(
                    INPUT, ArgumentTrait.TABLE_AS_SET, ArgumentTrait.REQUIRES_TIME_ATTRIBUTE
                ),
                StaticArgument.scalar("keep", STRING, default=FIRST),
            ],
            state_types={"kept": _infer_kept},
            output_type=_columns,
        )

    def needs_finish(self, call: ProcessCallContext) -> bool:
        """Only the end tells which row is the last."""
        return bool(call.value_of("keep") == LAST)

    def eval(self, ctx: Context, kept: Any, input: Row, keep: str) -> None:
        """One row."""
        if keep == LAST:
            kept.row = self._chosen(ctx, input)
        elif not kept.given:
            kept.given = True
            self.collect(self._chosen(ctx, input))

    def finish(self, kept: Any) -> None:
        """The last row, where that is asked for."""
        if kept.row is not None:
            self.collect(tuple(kept.row))


def _infer_kept(call: ProcessCallContext) -> StructType:
    return struct_of(("given", BOOLEAN), ("row", columns_but_keys(call)))


def _columns(call: ProcessCallContext) -> tuple[Field, ...]:
    keep = call.value_of("keep")
    if keep not in (FIRST, LAST):
        raise ValidationError(
            f"the argument `keep` of {call.function} is {keep!r}",
            hint=f'it is "{FIRST}" or "{LAST}"',
        )
    return columns_but_keys(call)
