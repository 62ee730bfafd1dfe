"""Which names are of Spark's own functions, which mean the same in every database."""

from __future__ import annotations

from viewscribe.expressions.functions.user_defined import is_sparks

_WORDS_OF_SQL = ("timestampadd", "timestampdiff")
"""What the registry calls functions and Spark's grammar reads; Spark has none of these names."""


def is_system_function(name: str) -> bool:
    """Whether Spark 4.3 has the name in ``SHOW SYSTEM FUNCTIONS``; operators count as none."""
    folded = name.casefold()
    return folded.isidentifier() and folded not in _WORDS_OF_SQL and is_sparks(folded)
