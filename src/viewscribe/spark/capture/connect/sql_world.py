"""What the parser of SQL text asks while a plan is captured: tables, functions, settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.nodes import Literal
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.grammar import Reading
from viewscribe.parser.settings import READ, READING, make_reading, refuse_settings
from viewscribe.spark.capture.sources import Sources
from viewscribe.types import Field
from viewscribe.types.identifiers import quote_name
from viewscribe.types.policy import IN_FORCE


class PlanWorld:
    """Where a text in a plan finds its tables and functions.

    Args:
        sources: the session's, or those of viewscribe's catalogs.
        frames: DataFrames by the names that they have in the text.
    """

    def __init__(
        self, sources: Sources, frames: Mapping[str, QueryOperation] | None = None
    ) -> None:
        self._sources = sources
        self._frames = frames or {}

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table of a name; of a temporary view and of a DataFrame what it is made of."""
        frame = self._frames.get(parts[0]) if len(parts) == 1 else None
        return self._sources.table(parts) if frame is None else frame

    def columns_then(self, path: Sequence[str], as_of: str) -> tuple[Field, ...] | None:
        """The columns of a table as it was, which a session alone knows."""
        return self._sources.query_schema(f"SELECT * FROM {quote_name(path)} {as_of}")

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function of a user that a name means."""
        return self._sources.function(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """Refused: a session tells nothing of functions of tables.

        Raises:
            CaptureError: always.
        """
        raise CaptureError(
            f"`{'.'.join(parts)}` is a function of tables, which a capture does not know",
            location="sql",
            hint="call it in the Table API: env.from_call(call(…))",
        )


class SettingsReader:
    """Says how texts are read in the session of a plan; it is asked once."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._settings: dict[str, str] | None = None

    def reading(
        self, named: Mapping[str, Literal] | None = None, placed: Sequence[Literal] = ()
    ) -> Reading:
        """How a text with these parameters is read.

        Raises:
            NotSerializableError: with the settings it would mean something else.
        """
        if self._settings is None:
            asked = {name: self._sources.setting(name) for name in (*READ, *READING)}
            found = {name: value for name, value in asked.items() if value is not None}
            refuse_settings(found)
            if not IN_FORCE.get().ansi:  # Spark looks at it with ANSI alone
                found.pop("spark.sql.ansi.doubleQuotedIdentifiers", None)
            self._settings = found
        return make_reading(self._settings, named, placed)
