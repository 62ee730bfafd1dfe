"""What may follow a call of an aggregate or window function: names for what entries say of it."""

from __future__ import annotations

from enum import Enum
from typing import Final

DISTINCT: Final = "DISTINCT"
FILTER: Final = "FILTER"
IGNORE_NULLS: Final = "IGNORE NULLS"
RESPECT_NULLS: Final = "RESPECT NULLS"
WITHIN_GROUP: Final = "WITHIN GROUP"

Clauses = tuple[str, ...]


class Frames(Enum):
    """The windows that a function may run over."""

    ANY = "any"
    NONE = "a window whose frame is not said"
    ROWS = "the rows from the first to the current one"
    RANGE = "the rows from the first to the last that sorts like the current one"
    WHOLE = "whole partitions, in no order"
    WHOLE_IF_SORTED = "whole partitions, in no order, where its own values are sorted"
