"""The comments of a text, carried over to the same text with other names.

What ``annotate`` writes beside a view's clauses is in its text alone: the tree that the text is
printed from again knows nothing of it.
"""

from __future__ import annotations

COMMENT = " -- "
"""What stands between a line and its comment."""


def with_comments(commented: str, plain: str, renamed: str) -> str | None:
    """``renamed`` with the comments of ``commented`` at the ends of its lines.

    Args:
        commented: the text with comments.
        plain: the same text without, as it is printed now.
        renamed: that text with other names.

    Returns:
        None where the lines of the three do not belong together.
    """
    lines = [text.split("\n") for text in (commented, plain, renamed)]
    if len({len(each) for each in lines}) != 1:
        return None
    found = []
    for old, bare, new in zip(*lines, strict=True):
        comment = old.removeprefix(bare)
        if comment and (comment == old or not comment.startswith(COMMENT)):
            return None
        found.append(new + comment)
    return "\n".join(found)
