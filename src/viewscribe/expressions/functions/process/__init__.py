"""Process table functions: operators that users write, with state, timers and event time.

After the document on process table functions (FLIP-440): what authors declare, what a call must
say, and which types follow. What carries them out is in ``spark/process``.
"""

from __future__ import annotations

from viewscribe.expressions.functions.process.context import (
    Context,
    OnTimerContext,
    ProcessTableFunction,
    SetSemantics,
    Timers,
)
from viewscribe.expressions.functions.process.hints import ArgumentHint, ArgumentTrait, StateHint
from viewscribe.expressions.functions.process.inference import (
    ProcessCallContext,
    ProcessTypeInference,
    StaticArgument,
)
from viewscribe.expressions.functions.process.rows import ChangelogMode, Row, RowKind
from viewscribe.expressions.functions.process.state import ListState, MapState

__all__ = [
    "ArgumentHint",
    "ArgumentTrait",
    "ChangelogMode",
    "Context",
    "ListState",
    "MapState",
    "OnTimerContext",
    "ProcessCallContext",
    "ProcessTableFunction",
    "ProcessTypeInference",
    "Row",
    "RowKind",
    "SetSemantics",
    "StateHint",
    "StaticArgument",
    "Timers",
]
