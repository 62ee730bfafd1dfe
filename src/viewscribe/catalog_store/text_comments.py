"""Carrying the comments of a text over to the same text with other names.

The comments that ``annotate`` writes beside a view's clauses are only in its text. They are not in
the tree, so printing the SQL again would lose them.
"""

from __future__ import annotations

COMMENT = " -- "
"""The separator between a line and its comment."""


def with_comments(commented: str, plain: str, renamed: str) -> str | None:
    """Returns ``renamed`` with the comments of ``commented`` at the ends of its lines.

    Args:
        commented: the text with comments.
        plain: the same text without comments, as it is printed now.
        renamed: that text with other names.

    Returns:
        The text; None if the lines of the three do not correspond.
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
