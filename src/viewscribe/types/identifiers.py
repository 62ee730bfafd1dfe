"""Identifiers in Spark SQL: quoting them, and splitting dotted names."""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from viewscribe.errors import ValidationError
from viewscribe.types.arguments import require_text

# The spatial reference systems (SRIDs) of GEOMETRY and GEOGRAPHY that Spark knows.
#
# Spark rejects types with any other SRID. The SRIDs are those of EPSG and ESRI, and 0 for a plane
# without units; ``reference_systems.txt`` lists them as ranges.

ANY = "ANY"
"""Marks a type whose SRID varies by row."""


def is_known(srid: int | str, *, of_earth: bool) -> bool:
    """Returns whether Spark knows the SRID; ``of_earth`` only accepts geographic systems.

    GEOGRAPHY needs a geographic system, GEOMETRY may have any.
    """
    if srid == ANY:
        return True
    known = _ranges()
    kinds = ("geographic",) if of_earth else ("geographic", "planar")
    return any(_within(known[kind], int(srid)) for kind in kinds)


def _within(ranges: tuple[list[int], list[int]], number: int) -> bool:
    firsts, lasts = ranges
    place = bisect_right(firsts, number) - 1
    return place >= 0 and number <= lasts[place]


@cache
def _ranges() -> dict[str, tuple[list[int], list[int]]]:
    """Returns the first and last SRIDs of the ranges of each kind, in order."""
    from importlib import resources  # costs an import of viewscribe more than this module does

    text = resources.files("viewscribe.types").joinpath("reference_systems.txt").read_text("utf-8")
    found: dict[str, tuple[list[int], list[int]]] = {}
    for line in text.splitlines():
        if line.isalpha():
            found[line] = firsts, lasts = [], []
        elif line and not line.startswith("#"):
            for item in line.split():
                first, _, last = item.partition("-")
                firsts.append(int(first))
                lasts.append(int(last or first))
    return found


# Time zones by the names used in Spark's settings.

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


# Words of Spark 4.3 that, without backticks, fail to parse or mean something else as the name of a
# column, table, view, alias, CTE or field, with spark.sql.ansi.enforceReservedKeywords on or off.
_WORDS = """
all and anti any as authorization both call case cast check collate collation collations column
constraint create cross current_date current_path current_schema current_time current_timestamp
current_user distinct else end escape except execute false fetch filter for foreign from full
grant group having identifier in inner intersect into is join lateral leading left localtime
minus natural not null offset on only or order outer overlaps primary recursive references right
select semi session_user some sql stream table then time to trailing true union unique unknown
user using when where with within
"""
RESERVED_WORDS = frozenset(_WORDS.split())

# Spark resolves these names as function calls without parentheses if no column has the name.
_LITERAL_FUNCTIONS = frozenset({"current_catalog", "current_database", "localtimestamp"})

CALLED_WITHOUT_PARENTHESES = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime"}
    | {"current_user", "session_user", "user"}
)
"""Functions that Spark calls by name alone, quoted or not, where a query has no such column itself:
before it looks for a column of the query around, so there a column of that name is qualified."""

_QUOTED_WORDS = RESERVED_WORDS | _LITERAL_FUNCTIONS
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_PART = re.compile(r"`((?:[^`]|``)*)`|([^`.]+)")


def fold_name(name: str) -> str:
    """Returns the name as it compares with one of Spark's own, in Java: ``ſ`` is s, ``ı`` is i."""
    return name.upper().casefold().replace("\u0307", "")  # of İ, which is i as well


def needs_quoting(name: str) -> bool:
    """Returns whether the name must be quoted in backticks."""
    return _PLAIN.fullmatch(name) is None or name.lower() in _QUOTED_WORDS


def quote_identifier(name: str) -> str:
    """Returns the name as SQL text, quoted only if necessary."""
    if not needs_quoting(name):
        return name
    return "`" + name.replace("`", "``") + "`"


def quote_special(name: str) -> str:
    """Returns the name as in Spark's generated column names, which do not quote keywords."""
    return name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def quote_name(parts: Iterable[str]) -> str:
    """Returns the dotted name as SQL text, each part quoted only if necessary."""
    return ".".join(map(quote_identifier, parts))


def parse_name(text: str) -> tuple[str, ...]:
    """Splits a dotted name into its parts, like ``col("`a.b`.c")``.

    A dot inside backticks belongs to the name, doubled backticks inside them stand for one, and
    blanks are kept.
    """
    require_text(text, "a name")
    parts: list[str] = []
    at = 0
    while match := _PART.match(text, at):
        quoted, plain = match.groups()
        parts.append(plain if quoted is None else quoted.replace("``", "`"))
        at = match.end()
        if at == len(text):
            return tuple(parts)
        if text[at] != ".":
            break
        at += 1
    if not text:
        return ("",)
    raise ValidationError(
        f"{text!r} is not a name",
        code="InvalidNameError",
        location=f"character {at + 1} of the name",
        hint="separate the parts by single dots; put a part with dots or backticks between "
        "backticks, and double the backticks in it",
    )
