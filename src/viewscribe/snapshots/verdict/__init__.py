"""What a change of SQL means: a layout, the same meaning, other rows, or not known to be the same.

``compare_texts`` reads two texts over the same tables and compares what they mean, without Spark.
A text that cannot be read is never said to mean the same.
"""

from viewscribe.snapshots.verdict.reader import (
    KINDS,
    Kind,
    TextReader,
    Unread,
    Verdict,
    compare_texts,
    compare_trees,
    compare_views,
)

__all__ = [
    "KINDS",
    "Kind",
    "TextReader",
    "Unread",
    "Verdict",
    "compare_texts",
    "compare_trees",
    "compare_views",
]
