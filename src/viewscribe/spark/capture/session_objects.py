"""What only one session has, so that no stored view may use it: temporary functions, variables.

The plan of a classic DataFrame says what a name means. Where only a text or a name is known, as
over Connect, the session is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.spark.compare import TEXT_OF_PLANS
from viewscribe.spark.session import SPARK_ERRORS, settings

OF_SESSIONS = (
    "it is a variable of this session, which a stored view outlives",
    "write its value: F.lit(…)",
)
"""What is wrong with a variable, and the way out."""

_ORDER = "spark.sql.functionResolution.sessionOrder"
_HOMES = ((), ("session",), ("system", "session"))
_VARIABLE = re.compile(r"variablereference\(([^=()]+)=")


class SessionObjects:
    """The temporary functions and the variables of a session.

    Args:
        session: the session, classic or Connect.
    """

    def __init__(self, session: Any) -> None:
        self._session = session

    def refuse_function(self, parts: Sequence[str]) -> None:
        """Raises ``CaptureError`` for the name of a temporary function."""
        *home, name = (part.lower() for part in parts)
        if tuple(home) not in _HOMES or name not in self._functions:
            return
        if not home and find_built_in(name) is not None and self._prefers_built_in:
            return
        raise CaptureError(
            f"`{parts[-1]}` is a temporary function of this session, which a stored view outlives",
            location="call",
            hint="create it in a catalog: CREATE FUNCTION, or env.create_function(…)",
        )

    def refuse_variables(self, text: str) -> None:
        """Raises ``CaptureError`` where Spark takes a name in a query for a variable."""
        with settings(self._session, {}, own=TEXT_OF_PLANS, whole=False):
            plan = _plan_of(self._session.sql(text))
        found = _VARIABLE.search(plan)
        if found is not None and found[0] not in text:
            raise CaptureError(
                f"`{found[1]}` is a variable of this session, which a stored view outlives",
                location="sql",
                hint="write its value, or a parameter: args={…}",
            )

    @cached_property
    def _functions(self) -> frozenset[str]:
        """Their names; those of permanent functions have dots."""
        found = self._session.sql("SHOW USER FUNCTIONS").collect()
        return frozenset(str(row[0]).lower() for row in found)

    @cached_property
    def _prefers_built_in(self) -> bool:
        """Whether Spark's own functions go before temporary ones, which versions do differently."""
        try:
            return str(self._session.conf.get(_ORDER)).lower() != "first"
        except SPARK_ERRORS:  # before Spark 4.2 a temporary function took the place of the other
            return False


def _plan_of(frame: Any) -> str:
    if hasattr(frame, "_jdf"):
        return str(frame._jdf.queryExecution().analyzed())
    return str(frame._explain_string(extended=True))
