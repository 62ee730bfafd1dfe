"""Why a random pipeline may be refused: each reason by a part of its message."""

from __future__ import annotations

from viewscribe.errors import ViewscribeError

REASONS: dict[str, str] = {
    "the rows are those of an RDD or a Python list": "rows of a Python list in a classic plan",
    "sorting within partitions": "sorting within partitions",
    "has a backslash, which settings give its meaning": "SQL text with a backslash",
    "a pivot by an expression": "a pivot grouped by an expression",
    "'it', 's'": "SQL text with a quote within a text",
    "which Spark substitutes before it parses": "a name with what Spark takes for a variable",
    "is a temporary view, which no stored view may read": "a temporary view of the session",
}
"""Words of the message, and the reason in short."""


def reason_of(error: ViewscribeError) -> str | None:
    """The listed reason of a refusal; None where it is not listed."""
    text = str(error)
    return next((reason for words, reason in REASONS.items() if words in text), None)
