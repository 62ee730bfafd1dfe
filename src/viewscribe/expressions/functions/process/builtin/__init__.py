"""The process table functions that come with viewscribe, each in the language authors use.

``FUNCTIONS`` has them by the names that SQL text calls them by. ``viewscribe/process.py`` is the
door to them.
"""

from __future__ import annotations

from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.process.builtin.columns import (
    Deduplicate,
    FromChangelog,
    SessionCount,
    Sessionize,
    TimedLastValue,
    ToChangelog,
)
from viewscribe.expressions.functions.process.builtin.one_match_join import OneMatchJoin
from viewscribe.expressions.functions.process.context import ProcessTableFunction
from viewscribe.expressions.functions.python import python_source
from viewscribe.expressions.functions.user_defined import UserFunction

__all__ = [
    "FUNCTIONS",
    "Deduplicate",
    "FromChangelog",
    "OneMatchJoin",
    "SessionCount",
    "Sessionize",
    "TimedLastValue",
    "ToChangelog",
]


def _name_function(name: str, function: type[ProcessTableFunction[object]]) -> UserFunction:
    return UserFunction(FunctionIdentifier(name), python_source(function), temporary=True)


FUNCTIONS = {
    name: _name_function(name, function)
    for name, function in {
        "deduplicate": Deduplicate,
        "from_changelog": FromChangelog,
        "one_match_join": OneMatchJoin,
        "session_count": SessionCount,
        "sessionize": Sessionize,
        "timed_last_value": TimedLastValue,
        "to_changelog": ToChangelog,
    }.items()
}
"""Under their names they need no registration: a session learns of them when a query runs."""
