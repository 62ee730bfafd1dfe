"""Time zones by the names used in Spark's settings."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

SETTING = "spark.sql.session.timeZone"
"""The zone assumed for a datetime without one."""

IN_FORCE: ContextVar[str | None] = ContextVar("zone in force", default=None)
"""The session time zone that a plan is read for; None if unknown."""

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::([0-5]\d))?", re.ASCII)

_WIDEST = dt.timedelta(hours=18)
"""As far from UTC as Java's zones go."""


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
        return None if span > _WIDEST else dt.timezone(sign * span)
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # reads where zones are when imported

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return None


def knows_local_time(zone: dt.tzinfo, year: int) -> bool:
    """Returns whether Python and Java are sure to agree on what a local time in the zone is.

    The IANA database keeps the years before 1970 of some zones in a file of their own
    (``backzone``), which some builds take in and others leave out: ``1500-06-01 00:00`` in
    Europe/Oslo is 43 minutes after midnight in UTC for one, and 53 for the other.
    """
    return year >= _SETTLED or getattr(zone, "key", None) not in _TWO_PASTS


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


_SETTLED = 1980
"""From this year on, all builds of the database agree."""

_CITIES = {
    "": "CET CST6CDT EET EST EST5EDT Eire HST Iceland MET MST MST7MDT PST8PDT WET",
    "Africa": (
        "Accra Addis_Ababa Asmara Asmera Bamako Bangui Banjul Blantyre Brazzaville Bujumbura "
        "Conakry Dakar Dar_es_Salaam Djibouti Douala Freetown Gaborone Harare Kampala Kigali "
        "Kinshasa Libreville Lome Luanda Lubumbashi Lusaka Malabo Maseru Mbabane Mogadishu "
        "Niamey Nouakchott Ouagadougou Porto-Novo Timbuktu"
    ),
    "America": (
        "Anguilla Antigua Aruba Atikokan Blanc-Sablon Cayman Coral_Harbour Creston Curacao "
        "Dominica Ensenada Grenada Guadeloupe Montserrat Nassau Port_of_Spain Santa_Isabel "
        "St_Kitts St_Lucia St_Thomas St_Vincent Tijuana Tortola Virgin"
    ),
    "Antarctica": "DumontDUrville McMurdo South_Pole Syowa",
    "Arctic": "Longyearbyen",
    "Asia": "Aden Bahrain Brunei Kuala_Lumpur Kuwait Muscat Phnom_Penh Vientiane",
    "Atlantic": "Jan_Mayen Reykjavik St_Helena",
    "Europe": (
        "Amsterdam Copenhagen Dublin Guernsey Isle_of_Man Jersey Ljubljana Luxembourg Monaco "
        "Oslo Sarajevo Skopje Stockholm Vaduz Zagreb"
    ),
    "Indian": "Antananarivo Christmas Cocos Comoro Kerguelen Mahe Mayotte Reunion",
    "Mexico": "BajaNorte",
    "Pacific": "Chuuk Funafuti Majuro Midway Pohnpei Ponape Saipan Samoa Truk Wake Wallis Yap",
    "US": "Samoa",
}

_TWO_PASTS = frozenset(
    f"{region}/{city}" if region else city
    for region, cities in _CITIES.items()
    for city in cities.split()
)
"""Zones whose past depends on how the database was built."""
