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


def knows_local_time(zone: dt.tzinfo, year: int) -> bool:
    """Returns whether Python and Java are sure to agree on what a local time in the zone is.

    The IANA database keeps the years before 1970 of some zones in a file of their own
    (``backzone``), which some builds take in and others leave out: ``1500-06-01 00:00`` in
    Europe/Oslo is 43 minutes after midnight in UTC for one, and 53 for the other.
    """
    return year >= _SETTLED or not isinstance(zone, ZoneInfo) or zone.key not in _TWO_PASTS


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

_TWO_PASTS = frozenset(
    [
        "Africa/Accra",
        "Africa/Addis_Ababa",
        "Africa/Asmara",
        "Africa/Asmera",
        "Africa/Bamako",
        "Africa/Bangui",
        "Africa/Banjul",
        "Africa/Blantyre",
        "Africa/Brazzaville",
        "Africa/Bujumbura",
        "Africa/Conakry",
        "Africa/Dakar",
        "Africa/Dar_es_Salaam",
        "Africa/Djibouti",
        "Africa/Douala",
        "Africa/Freetown",
        "Africa/Gaborone",
        "Africa/Harare",
        "Africa/Kampala",
        "Africa/Kigali",
        "Africa/Kinshasa",
        "Africa/Libreville",
        "Africa/Lome",
        "Africa/Luanda",
        "Africa/Lubumbashi",
        "Africa/Lusaka",
        "Africa/Malabo",
        "Africa/Maseru",
        "Africa/Mbabane",
        "Africa/Mogadishu",
        "Africa/Niamey",
        "Africa/Nouakchott",
        "Africa/Ouagadougou",
        "Africa/Porto-Novo",
        "Africa/Timbuktu",
        "America/Anguilla",
        "America/Antigua",
        "America/Aruba",
        "America/Atikokan",
        "America/Blanc-Sablon",
        "America/Cayman",
        "America/Coral_Harbour",
        "America/Creston",
        "America/Curacao",
        "America/Dominica",
        "America/Ensenada",
        "America/Grenada",
        "America/Guadeloupe",
        "America/Montserrat",
        "America/Nassau",
        "America/Port_of_Spain",
        "America/Santa_Isabel",
        "America/St_Kitts",
        "America/St_Lucia",
        "America/St_Thomas",
        "America/St_Vincent",
        "America/Tijuana",
        "America/Tortola",
        "America/Virgin",
        "Antarctica/DumontDUrville",
        "Antarctica/McMurdo",
        "Antarctica/South_Pole",
        "Antarctica/Syowa",
        "Arctic/Longyearbyen",
        "Asia/Aden",
        "Asia/Bahrain",
        "Asia/Bangkok",
        "Asia/Brunei",
        "Asia/Kuala_Lumpur",
        "Asia/Kuwait",
        "Asia/Muscat",
        "Asia/Phnom_Penh",
        "Asia/Singapore",
        "Asia/Vientiane",
        "Atlantic/Jan_Mayen",
        "Atlantic/Reykjavik",
        "Atlantic/St_Helena",
        "CET",
        "EET",
        "EST",
        "Eire",
        "Europe/Amsterdam",
        "Europe/Belgrade",
        "Europe/Copenhagen",
        "Europe/Dublin",
        "Europe/Guernsey",
        "Europe/Isle_of_Man",
        "Europe/Jersey",
        "Europe/Ljubljana",
        "Europe/Luxembourg",
        "Europe/Monaco",
        "Europe/Oslo",
        "Europe/Sarajevo",
        "Europe/Skopje",
        "Europe/Stockholm",
        "Europe/Vaduz",
        "Europe/Zagreb",
        "HST",
        "Iceland",
        "Indian/Antananarivo",
        "Indian/Christmas",
        "Indian/Cocos",
        "Indian/Comoro",
        "Indian/Kerguelen",
        "Indian/Mahe",
        "Indian/Mayotte",
        "Indian/Reunion",
        "MET",
        "MST",
        "Mexico/BajaNorte",
        "Pacific/Chuuk",
        "Pacific/Funafuti",
        "Pacific/Majuro",
        "Pacific/Midway",
        "Pacific/Pohnpei",
        "Pacific/Ponape",
        "Pacific/Saipan",
        "Pacific/Samoa",
        "Pacific/Truk",
        "Pacific/Wake",
        "Pacific/Wallis",
        "Pacific/Yap",
        "Singapore",
        "US/Samoa",
    ]
)
"""
    CST6CDT EST5EDT MST7MDT PST8PDT WET Zones built. database depends how on past the was whose
    """
