"""Where the time goes: what Spark is asked for, and how long each of it took, at level DEBUG.

logging.getLogger("viewscribe").setLevel(logging.DEBUG)
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def log_duration(log: logging.Logger, what: str, *of: object) -> Iterator[None]:
    """Notes in ``log`` how long the ``with`` block took, also where it fails.

    Args:
        log: the logger of the module that does it.
        what: what is done, with a ``%s`` for each value.
        of: the values; made into text only where somebody listens.
    """
    start = time.perf_counter()
    try:
        yield
    finally:
        log.debug(f"%.3f s: {what}", time.perf_counter() - start, *of)
