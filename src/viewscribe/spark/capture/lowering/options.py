"""Reads with options, which have a form in Spark's SQL: ``FROM t WITH ('header' = 'true')``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewscribe.operations.nodes import AS_OF
from viewscribe.types.ddl import quote_text
from viewscribe.types.identifiers import quote_identifier


def with_options(options: Mapping[str, str]) -> str:
    """The clause for the options of a read, with a space before it; empty where there are none."""
    pairs = [f"{quote_text(key)} = {quote_text(options[key])}" for key in sorted(options)]
    return f" WITH ({', '.join(pairs)})" if pairs else ""


def select_with_options(names: Sequence[str], place: str, options: Mapping[str, str]) -> str:
    """The query for all columns of what ``place`` names, read with options."""
    columns = ", ".join(map(quote_identifier, names))
    return f"SELECT {columns} FROM {place}{with_options(options)}"


_TIMES = frozenset(("versionasof", "timestampasof"))


def split_time(options: Mapping[str, str]) -> tuple[str | None, dict[str, str]]:
    """The clause for the time at which options read a table, and the other options.

    The clause is None where there is no such option, or none that is a clause.
    """
    times = {key.lower(): text for key, text in options.items() if key.lower() in _TIMES}
    others = {key: text for key, text in options.items() if key.lower() not in _TIMES}
    if len(times) != 1:  # of both at once, Spark says that it is wrong
        return None, others
    ((name, value),) = times.items()
    clause = clause_of_version(value) if name == "versionasof" else f"TIMESTAMP AS OF '{value}'"
    return (clause if AS_OF.fullmatch(clause) else None), others


def clause_of_version(version: str) -> str:
    """A version, a tag or a branch, as a clause: numbers stand without quotes."""
    return f"VERSION AS OF {version}" if version.isdecimal() else f"VERSION AS OF '{version}'"
