"""The garbage collector, kept from looking through what is being read again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    """Let nothing be looked through for circles of objects meanwhile.

    For work that makes very many objects that stay, and hardly a circle: the collector would look
    at all of them each time their number has grown by a quarter. Objects that nothing refers to
    go away as ever.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
