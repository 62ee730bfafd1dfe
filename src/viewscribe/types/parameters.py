"""Type parameters: collations, lengths and interval units."""

from __future__ import annotations

from viewscribe.errors import DataTypeError

DEFAULT_COLLATION = "UTF8_BINARY"

_CASE = {"CI": "CI", "CS": ""}
_ACCENT = {"AI": "AI", "AS": ""}
_SPECIFIERS = frozenset({*_CASE, *_ACCENT, "RTRIM"})


def canonical_collation(name: str) -> str:
    """Returns Spark's spelling of a collation: ``sr_cyrl_srb_ai_ci`` is ``sr_Cyrl_SRB_CI_AI``."""
    if name == DEFAULT_COLLATION:
        return name
    base = name.split("_")
    specifiers = set()
    while len(base) > 1 and base[-1].upper() in _SPECIFIERS:
        specifiers.add(base.pop().upper())
    ordered = (
        *_locale(base),
        *(_CASE[each] for each in sorted(specifiers & _CASE.keys())),
        *(_ACCENT[each] for each in sorted(specifiers & _ACCENT.keys())),
        "RTRIM" if "RTRIM" in specifiers else "",
    )
    return "_".join(filter(None, ordered))


def _locale(words: list[str]) -> tuple[str, ...]:
    if words[0].upper() in ("UTF8", "UNICODE"):
        return tuple(word.upper() for word in words)
    # A language, then optionally a script (four letters) or a country (three letters).
    rest = (word.title() if len(word) == 4 else word.upper() for word in words[1:])
    return (words[0].lower(), *rest)


def collate_clause(collation: str) -> str:
    """Returns the COLLATE clause of a type; empty for the default collation."""
    return "" if collation == DEFAULT_COLLATION else f" COLLATE {collation}"


def check_length(ddl: str, length: int) -> None:
    """Rejects lengths that CHAR and VARCHAR do not accept."""
    if not 0 <= length < 2**31:
        raise DataTypeError(f"{ddl} is not a type", hint="the length is 0 to 2,147,483,647")


def check_units(units: tuple[str, ...], start: str, end: str) -> None:
    """Rejects unknown interval units, and units that are not in descending order."""
    if start not in units or end not in units or units.index(start) > units.index(end):
        raise DataTypeError(
            f"{interval_ddl(start, end)} is not a type",
            hint=f"the units, from large to small, are: {', '.join(units)}",
        )


def interval_ddl(start: str, end: str) -> str:
    """Returns the DDL text of an interval type."""
    return f"INTERVAL {start}" if start == end else f"INTERVAL {start} TO {end}"
