"""Built-in process table functions, and a way to try your own: ``vs.process``.

    clicks.partition_by("user").process(vs.process.deduplicate, on_time="ts", keep="last")

The lower-case functions have a name already, by which SQL text can call them. The classes are for
``create_temporary_system_function``, which registers them under another name. ``register`` makes
the names known to an environment; ``run`` runs a function without Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.expressions.functions.process.builtin import (
    FUNCTIONS,
    Deduplicate,
    FromChangelog,
    OneMatchJoin,
    SessionCount,
    Sessionize,
    TimedLastValue,
    ToChangelog,
)

if TYPE_CHECKING:
    from viewscribe.spark.process.tasks import run
    from viewscribe.table_api.environment import TableEnvironment

__all__ = [
    "Deduplicate",
    "FromChangelog",
    "OneMatchJoin",
    "SessionCount",
    "Sessionize",
    "TimedLastValue",
    "ToChangelog",
    "deduplicate",
    "from_changelog",
    "one_match_join",
    "register",
    "run",
    "session_count",
    "sessionize",
    "timed_last_value",
    "to_changelog",
]

deduplicate = FUNCTIONS["deduplicate"]
from_changelog = FUNCTIONS["from_changelog"]
one_match_join = FUNCTIONS["one_match_join"]
session_count = FUNCTIONS["session_count"]
sessionize = FUNCTIONS["sessionize"]
timed_last_value = FUNCTIONS["timed_last_value"]
to_changelog = FUNCTIONS["to_changelog"]


def register(env: TableEnvironment) -> None:
    """Registers the built-in process table functions by name; existing names are left alone.

    Then ``process("deduplicate", …)`` finds them, and so does SQL text in ``env.sql_query(…)``.
    """
    for name, function in FUNCTIONS.items():
        env.functions.register_temporary_system(name, function.source, if_not_exists=True)


def __getattr__(name: str) -> Any:
    if name == "run":  # imported on demand: it is the only part that needs pyarrow
        from viewscribe.spark.arrow import require_arrow

        require_arrow("vs.process.run")
        from viewscribe.spark.process.tasks import run

        return run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
