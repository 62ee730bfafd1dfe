"""Reads with options, which have a form in Spark's SQL: ``FROM t WITH ('header' = 'true')``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
