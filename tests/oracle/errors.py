"""Why an example cannot be rebuilt."""

from __future__ import annotations


class NotRebuiltError(Exception):
    """The example has something that this converter or viewscribe has no counterpart of."""


class MissingFunctionError(Exception):
    """The example calls a function that the registry does not have."""
