"""Time zones by the names used in Spark's settings."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

SETTING = "spark.sql.session.timeZone"
"""The zone assumed for a datetime without one."""

IN_FORCE: ContextVar[str | None] = ContextVar("zone in force", default=None)
"""The session time zone that a plan is read for; None if unknown."""

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::(\d{2}))?")


def zone_of(name: str | None) -> dt.tzinfo | None:
    """Returns the zone of a name or offset (``Europe/Oslo``, ``+01:00``); None if unknown."""
    if not name:
        return None
    if name.upper() in ("UTC", "Z", "GMT", "UT"):
        return dt.UTC
    offset = _OFFSET.fullmatch(name)
    if offset:
        sign = -1 if offset[1] == "-" else 1
        span = dt.timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return dt.timezone(sign * span)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return None


def same_zone(one: str, other: str) -> bool:
    """Returns whether two names are known to mean the same zone."""
    return one == other or (zone_of(one) is not None and zone_of(one) == zone_of(other))


@contextmanager
def zone(name: str | None) -> Iterator[None]:
    """Sets the session time zone for plans that are read inside the ``with`` block."""
    token = IN_FORCE.set(name)
    try:
        yield
    finally:
        IN_FORCE.reset(token)
