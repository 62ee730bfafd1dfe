"""The history of an object: its versions, each with who made it, when, why and from what.

Every catalog keeps the version that a replacement replaces. Fields and meaning follow the Iceberg
view specification (https://iceberg.apache.org/view-spec/#versions): a version has a number that
grows, a time in milliseconds and a summary, here with names of its own.
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
"""What made a version."""

AUTHOR_VARIABLE = "VIEWSCRIBE_AUTHOR"
"""The environment variable that says who makes changes; the system's user name by default."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What a writer says about a change.

    Args:
        author: who makes it; by default the environment variable ``VIEWSCRIBE_AUTHOR``, else the
            system's user.
        reason: why, in a sentence.
        source: from what it was made: an environment, a file, an earlier version.
        operation: what it is, where that is not just the method that is called.
        timestamp_ms: when, in milliseconds since 1970 in UTC; now by default.
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
    """The version that ``change`` makes.

    Args:
        previous: the version that is replaced; None for a new object.
        change: what the writer says, if anything.
        operation: what is done, unless the change says.
    """
    change = change or Change()
    now = _now_ms() if change.timestamp_ms is None else change.timestamp_ms
    return Version(
        number=previous.number + 1 if previous else 1,
        # Clocks are set back now and then; a history must not be.
        timestamp_ms=max(now, previous.timestamp_ms) if previous else now,
        operation=change.operation or operation,
        author=change.author or default_author(),
        reason=change.reason,
        source=change.source,
    )


def unrecorded(number: int, timestamp_ms: int) -> Version:
    """The version of an object that was made by other means than viewscribe's."""
    return Version(
        number=number, timestamp_ms=timestamp_ms, operation="create" if number == 1 else "replace"
    )


def default_author() -> str | None:
    """Who makes changes, where nobody says; None where the system does not know its user."""
    try:
        return os.environ.get(AUTHOR_VARIABLE) or getpass.getuser()
    except (OSError, KeyError):
        return None


def _now_ms() -> int:
    """The time; ``SOURCE_DATE_EPOCH`` where it is set, so that builds can be repeated exactly.

    See https://reproducible-builds.org/specs/source-date-epoch/.
    """
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(fixed) * 1000 if fixed.isdecimal() else time.time_ns() // 1_000_000


def version_to_plain(version: Version) -> dict[str, Any]:
    """The mapping that a document is stored with."""
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
    """The version of a mapping that its schema allows.

    Raises:
        ValueError: its time is no time.
    """
    moment = datetime.fromisoformat(plain["at"])
    fields = {key: value for key, value in plain.items() if key != "at"}
    return Version(timestamp_ms=(moment - _EPOCH) // timedelta(milliseconds=1), **fields)
