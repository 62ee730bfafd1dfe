"""The part of a table that assigns its rows to windows of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.dsl import Operand
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.table_arguments import Descriptor
from viewscribe.operations import build
from viewscribe.operations.base import QueryOperation

if TYPE_CHECKING:
    from viewscribe.table_api.table import Table

Duration = str | timedelta | dsl.Expression
"""A length of time: text such as ``"10 minutes"``, a timedelta or an interval literal."""


class AddsTimeWindows:
    """The methods of ``Table`` that add a time window to each row."""

    __slots__ = ()

    def _build(
        self, builder: Callable[..., QueryOperation], *args: Operand, **options: Operand
    ) -> Table:
        raise NotImplementedError

    def tumble(
        self,
        time: Operand,
        size: Duration,
        *,
        name: str = "window",
        start: Duration | None = None,
        offset: Duration | None = None,
    ) -> Table:
        """Adds the tumbling time window of each row, as a struct column of start and end.

        Args:
            time: the time column: a name, an expression or ``descriptor("ts")``.
            size: the window length, such as ``"10 minutes"``, ``timedelta(minutes=10)`` or
                ``interval(minutes=10)``.
            name: the name of the struct column.
            start: the offset of the windows from 1970-01-01 00:00 UTC, such as ``"15 minutes"``.
            offset: Flink's name for ``start``.
        """
        moved = _offset(start, offset)
        more = () if moved is None else (size, moved)
        return self._window("window", time, map(build.duration, (size, *more)), name)

    def hop(
        self,
        time: Operand,
        size: Duration,
        slide: Duration,
        *,
        name: str = "window",
        start: Duration | None = None,
        offset: Duration | None = None,
    ) -> Table:
        """Returns each row once per sliding window it falls into, ``size`` long every ``slide``.

        The other arguments are those of ``tumble``.
        """
        moved = _offset(start, offset)
        more = () if moved is None else (moved,)
        return self._window("window", time, map(build.duration, (size, slide, *more)), name)

    def cumulate(
        self,
        time: Operand,
        step: Duration,
        size: Duration,
        *,
        name: str = "window",
        start: Duration | None = None,
        offset: Duration | None = None,
    ) -> Table:
        """Returns each row once per cumulative window, which grows by ``step`` up to ``size``.

        With a step of an hour and a size of a day, a row at 22:30 falls into the windows from 0:00
        to 23:00 and from 0:00 to 24:00. The other arguments are those of ``tumble``.

        Raises:
            ValidationError: the size is not a multiple of the step.
        """
        column = time.names[0] if isinstance(time, Descriptor) else time
        lengths = map(build.duration, (step, size, _offset(start, offset) or "0 seconds"))
        shortest, longest, moved = lengths
        return self._build(build.cumulative_window, column, shortest, longest, name, moved)

    def session(self, time: Operand, gap: Duration, *, name: str = "session_window") -> Table:
        """Adds session windows, which end after a ``gap`` without rows; group by the column next.

        The gap may vary by row: pass a string expression that gives, say, ``"5 minutes"``.
        """
        return self._window("session_window", time, (build.gap(gap),), name)

    def _window(self, function: str, time: Operand, lengths: Iterable[Any], name: str) -> Table:
        column = time.names[0] if isinstance(time, Descriptor) else time
        call = dsl.function_call(built_in(function), (dsl.column_or(column), *lengths))
        return self._build(build.time_window, call, name)


def _offset(start: Duration | None, offset: Duration | None) -> Duration | None:
    if start is not None and offset is not None:
        raise ValidationError("start and offset are the same", hint="give one of them")
    return offset if start is None else start
