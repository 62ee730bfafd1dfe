"""What a change of SQL means: a layout, the same meaning, other rows, or not known to be the same.

``compare_texts`` reads two texts over the same tables and compares what they mean, without Spark.
A text that cannot be read is never said to mean the same.
"""

from viewscribe.snapshots.verdict.judge import compare_texts, compare_trees
from viewscribe.snapshots.verdict.model import KINDS, Kind, Verdict
from viewscribe.snapshots.verdict.reader import TextReader, Unread
from viewscribe.snapshots.verdict.views import compare_views

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
