"""Several errors at once: parts of a query that do not depend on each other are all read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from viewscribe.errors import ValidationError, ViewscribeError

T = TypeVar("T")


class FollowingError(ValidationError):
    """Something uses what is wrong itself: nobody needs to be told."""


class Findings:
    """The errors of the parts of one thing."""

    __slots__ = ("errors",)

    def __init__(self) -> None:
        self.errors: list[ViewscribeError] = []

    def attempt(self, read: Callable[[], T]) -> T | None:
        """What a part is; None where it is wrong, which is noted."""
        try:
            return read()
        except ViewscribeError as error:
            self.errors.append(error)
            return None

    def raise_all(self) -> None:
        """Raises what was noted as one error: the first, which has the others with it."""
        if not self.errors:
            return
        found = [each for error in self.errors for each in error.every]
        own = [each for each in found if not isinstance(each, FollowingError)] or found[:1]
        first, *others = own
        for each in others:
            each.others = ()
        first.others = tuple(others)
        raise first
