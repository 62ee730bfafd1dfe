"""How long runs tell how far they are, to whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self


class Progress(Protocol):
    """A run of steps, entered when it begins."""

    def start(self, step: str) -> None:
        """A step begins."""

    def done(self, step: str, outcome: str | None = None) -> None:
        """A step is done; an outcome is worth a line of its own."""

    def __enter__(self) -> Progress: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


Watch = Callable[[str, int | None], Progress]
"""Begins a run: what is done, and how many steps it has where that is known."""


class _Silence:
    def start(self, step: str) -> None: ...

    def done(self, step: str, outcome: str | None = None) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


def silent(what: str, total: int | None) -> Progress:
    """Tells nobody."""
    return _Silence()
