"""CHAR and VARCHAR as types of values, which Spark has only where a setting says so.

By default expressions have neither: ``CAST(t AS CHAR(9))`` gives ``t`` as it is, and so do the
texts made here. Under the setting it pads, and lengths take part in types; nothing here does so.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from viewscribe.errors import CaptureError
from viewscribe.parser.grammar import LENGTHS as PRESERVED
from viewscribe.parser.settings import WRITTEN_LENGTH
from viewscribe.types import CharType, LogicalType, VarcharType
from viewscribe.types.nested_types import contains

_LENGTH = re.compile(r"(?:^|[<:,])(?:var)?char\(\d+\)")


def refuse_lengths_of_spark(types: str) -> None:
    """Refuses types, as Spark shows them, of which one has a length."""
    if _LENGTH.search(types):
        raise _refusal(f"the plan computes with the type {types}")


def refuse_lengths(type_: LogicalType, setting: Callable[[str], str | None]) -> None:
    """Refuses a cast to a type with a length where Spark keeps it."""
    if (contains(type_, CharType) or contains(type_, VarcharType)) and _is_on(setting):
        raise _refusal(f"a cast to {type_.ddl} pads or checks")


def refuse_lengths_in_text(text: str, setting: Callable[[str], str | None]) -> None:
    """Refuses SQL text that writes such a type where Spark keeps it."""
    if WRITTEN_LENGTH.search(text) and _is_on(setting):
        raise _refusal("the SQL text computes with CHAR or VARCHAR")


def _is_on(setting: Callable[[str], str | None]) -> bool:
    return (setting(PRESERVED) or "").strip().lower() == "true"


def _refusal(what: str) -> CaptureError:
    return CaptureError(
        f"{what}, which Spark does only where {PRESERVED} is true",
        location="type",
        hint="set it to false, as it is by default",
    )
