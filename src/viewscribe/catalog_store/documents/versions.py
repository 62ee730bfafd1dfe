"""The history of an object: its versions, with author, time, reason and source.

Every catalog keeps the versions that were replaced. Fields and semantics follow the Iceberg view
specification (https://iceberg.apache.org/view-spec/#versions): a version has an increasing number,
a time in milliseconds and a summary, here with field names of our own.
"""

from __future__ import annotations

import getpass
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import msgspec

VersionOperation = Literal["create", "replace", "rename", "rollback", "import"]
"""The operation that made a version."""

AUTHOR_VARIABLE = "VIEWSCRIBE_AUTHOR"
"""The environment variable that names the author of changes; by default the system user."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = (
    (each.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
    for each in (datetime.min, datetime.max)
)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Metadata of a change, for the history.

    Args:
        author: the author; by default the environment variable ``VIEWSCRIBE_AUTHOR``, else the
            system user.
        reason: the reason, in a sentence.
        source: the origin: an environment, a file, an earlier version.
        operation: the operation, if it is not the one of the method called.
        timestamp_ms: the time, in milliseconds since 1970-01-01 UTC; by default now.
    """

    author: str | None = None
    reason: str | None = None
    source: str | None = None
    operation: VersionOperation | None = None
    timestamp_ms: int | None = None


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """One version of an object. ``number`` counts from 1 and grows with every change."""

    number: int
    timestamp_ms: int
    operation: VersionOperation
    author: str | None = None
    reason: str | None = None
    source: str | None = None

    @property
    def at(self) -> str:
        """The time as ISO 8601 text in UTC, with milliseconds."""
        moment = _EPOCH + timedelta(milliseconds=self.timestamp_ms)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def next_version(
    previous: Version | None, change: Change | None, operation: VersionOperation
) -> Version:
    """Returns the version that follows ``previous``.

    Args:
        previous: the version that is replaced; None for a new object.
        change: metadata given by the writer, if any.
        operation: the operation, unless the change names one.
    """
    change = change or Change()
    now = _now_ms() if change.timestamp_ms is None else _in_calendar(change.timestamp_ms)
    return Version(
        number=previous.number + 1 if previous else 1,
        # Clocks are set back now and then, but times in a history must not decrease.
        timestamp_ms=max(now, previous.timestamp_ms) if previous else now,
        operation=change.operation or operation,
        author=change.author or default_author(),
        reason=change.reason,
        source=change.source,
    )


def unrecorded(number: int, timestamp_ms: int) -> Version:
    """Returns the version of an object that another tool wrote."""
    return Version(
        number=number,
        timestamp_ms=_in_calendar(timestamp_ms),
        operation="create" if number == 1 else "replace",
    )


def _in_calendar(timestamp_ms: int) -> int:
    """The time, or the nearest that a calendar has: other tools count in other units."""
    return min(max(timestamp_ms, _FIRST), _LAST)


def default_author() -> str | None:
    """Returns the default author; None if the system user is unknown."""
    try:
        return os.environ.get(AUTHOR_VARIABLE) or getpass.getuser()
    except (OSError, KeyError):
        return None


def _now_ms() -> int:
    """Returns the time, or ``SOURCE_DATE_EPOCH`` if it is set, for reproducible builds.

    See https://reproducible-builds.org/specs/source-date-epoch/.
    """
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(fixed) * 1000 if fixed.isdecimal() else time.time_ns() // 1_000_000


def version_to_plain(version: Version) -> dict[str, Any]:
    """Returns the version as plain data, as it is stored with a document."""
    plain: dict[str, Any] = {
        "number": version.number,
        "at": version.at,
        "operation": version.operation,
        "author": version.author,
        "reason": version.reason,
        "source": version.source,
    }
    return {key: value for key, value in plain.items() if value is not None}


def version_from_plain(plain: Mapping[str, Any]) -> Version:
    """Returns the version for plain data that matches its schema.

    Raises:
        ValueError: the time is invalid.
    """
    moment = datetime.fromisoformat(plain["at"])
    fields = {key: value for key, value in plain.items() if key != "at"}
    return Version(timestamp_ms=(moment - _EPOCH) // timedelta(milliseconds=1), **fields)
