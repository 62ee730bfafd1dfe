"""Bits that say what is in a tree: one for each class of nodes and for some traits of functions."""

from __future__ import annotations

from itertools import count

_places = count()


def new_mark() -> int:
    """Returns a bit that nothing else has."""
    return 1 << next(_places)


IS_RANDOM = new_mark()
"""A call of a function that is not deterministic, or a sample without a seed."""

IS_STEP = new_mark()
"""A call of a function that is a step, as windows of time are."""

IS_GENERATOR = new_mark()
"""A call of a generator."""

IS_USERS = new_mark()
"""A call of a user function."""

IS_OF_SESSION = new_mark()
"""A call of a function of one session, which no text can make."""
