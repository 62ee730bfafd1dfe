"""What can go wrong between a tree and Spark."""

from __future__ import annotations

from viewscribe.errors import ViewscribeError


class NotInterpretableError(ViewscribeError):
    """A tree that Spark's DataFrame API cannot carry out; names the part and the way out."""


class ViewCycleError(ViewscribeError):
    """A stored view that depends on itself, directly or through others."""


class MissingSourceError(ViewscribeError):
    """A table or view that a stored view needs and that cannot be found or read."""


class FunctionRegistrationError(ViewscribeError):
    """A user function that a session cannot have, or has otherwise."""


class MissingOnWorkersError(ViewscribeError):
    """Something that Spark's Python workers lack to call a function; says how to send it."""
