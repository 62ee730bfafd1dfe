"""No pipelines: sqlglot parses the SQL that viewscribe made and writes it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlglot

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.rows import Jobs

ROWS = ("q01", "q03", "q05", "chain", "columns", "conjunction")


def jobs(texts: Jobs) -> Jobs:
    """A round trip of the text that each of ``texts`` gives."""
    return {name: _job(texts[name]()) for name in ROWS}


def _job(text: str) -> Callable[[], str]:
    return lambda: sqlglot.parse_one(text, read="spark").sql("spark")
