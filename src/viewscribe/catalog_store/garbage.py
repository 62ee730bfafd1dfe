"""Pausing the cycle collector while many objects are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    """Pauses the cycle collector.

    For work that creates very many long-lived objects and hardly any cycles: the collector would
    scan all of them each time their number has grown by a quarter. Reference counting still frees
    unreferenced objects.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
