"""``ProcessTableFunction``: the base of operators that users write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.changelog import ChangelogMode, RowKind
from viewscribe.expressions.functions.process.inference import (
    ProcessCallContext,
    ProcessTypeInference,
)

Out = TypeVar("Out")


def _outside(values: Any, kind: RowKind) -> None:
    raise ValidationError(
        "collect() gives a row of the result, and no call of the function is being carried out",
        hint="call it from eval(), on_timer() or finish()",
    )


class ProcessTableFunction(Generic[Out]):
    """An operator over tables, with state and timers, one partition at a time.

        @dataclass
        class Count:
            count: int = 0

        class CountWithTimeout(ProcessTableFunction[Count]):
            def eval(
                self,
                ctx: Context,
                state: Annotated[Count, StateHint()],
                input: Annotated[Row, ArgumentHint(ArgumentTrait.TABLE_AS_SET)],
            ) -> None:
                state.count += 1
                timers = ctx.timers()
                timers.register_on_time("timeout", timers.current_time() + timedelta(minutes=1))

            def on_timer(self, ctx: OnTimerContext, state: Count) -> None:
                self.collect(state)
                ctx.clear_all()

    ``eval`` takes the context (where it is named ``ctx`` or annotated so), the state, then the
    arguments; it is called for each row of a table, the other tables being None. ``on_timer`` is
    called when a timer fires, and ``finish`` for each partition at the end of its input; both take
    the context and any of the state by its names. None of them returns anything: ``collect`` gives
    rows of the result.

    The columns of the result are the class in brackets, or ``output_type``: a type, or a method
    that finds it by the call. ``type_inference()`` may say the whole signature instead of the
    annotations. An object is made once for each task; ``open`` and ``close`` are called around its
    work.

    After ``ProcessTableFunction`` of the document on process table functions (FLIP-440).
    """

    output_type: ClassVar[Any] = None
    """The columns of the result, or a method from a ``ProcessCallContext`` to them."""

    _collector: Callable[[Any, RowKind], None] = staticmethod(_outside)

    def collect(self, row: object, kind: RowKind = RowKind.INSERT) -> None:
        """Gives a row of the result: a dataclass, a tuple or ``Row``, a dict, or a single value.

        Args:
            row: the row; what it holds is taken now, so it may be changed afterwards. Where the
                result has one column, a list is the value of an ARRAY, a dict that of a MAP.
            kind: what it does in a changelog, where the function's output is one.
        """
        self._collector(row, kind)

    def open(self) -> None:
        """Called once for each task, before its first row."""

    def close(self) -> None:
        """Called once for each task, after its last row or an error."""

    def type_inference(self) -> ProcessTypeInference | None:
        """The signature, where the annotations of ``eval`` are not to say it."""
        return None

    def needs_finish(self, call: ProcessCallContext) -> bool:
        """Whether a call wants ``finish``, where there is one; a stream, without an end, has none.

        For functions that have something to say at the end for some arguments only.
        """
        return True

    def input_changelog_mode(self) -> ChangelogMode:
        """Whether the tables are changelogs, with a column ``op``, which becomes ``row.kind``."""
        return ChangelogMode.INSERT_ONLY

    def output_changelog_mode(self) -> ChangelogMode:
        """Whether the result is a changelog: then its first own column is ``op``."""
        return ChangelogMode.INSERT_ONLY


def is_process_function(value: object) -> bool:
    """Whether the value is a process table function, the class or an object of one."""
    kind = value if isinstance(value, type) else type(value)
    return issubclass(kind, ProcessTableFunction)
