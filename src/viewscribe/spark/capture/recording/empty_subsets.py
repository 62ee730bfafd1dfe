"""An empty list of columns means none to a classic session, and all over Connect: it is refused."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from unittest.mock import patch

from viewscribe.errors import CaptureError

METHODS: Final = ("dropDuplicates", "drop_duplicates", "dropna", "fillna", "replace")


@contextmanager
def refused_as_ambiguous() -> Iterator[None]:
    """Inside the block, the methods of PySpark's Connect that take a subset take no empty one."""
    from pyspark.sql.connect.dataframe import DataFrame

    with ExitStack() as stack:
        for name in METHODS:
            stack.enter_context(patch.object(DataFrame, name, _not_empty(getattr(DataFrame, name))))
        yield


def _not_empty(method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)

    @functools.wraps(method)
    def checked(*args: Any, **named: Any) -> Any:
        subset = signature.bind(*args, **named).arguments.get("subset")
        if isinstance(subset, list | tuple) and not subset:
            raise CaptureError(
                f"{method.__name__}() of an empty list of columns is of none in a classic session, "
                "and of all over Connect",
                hint="leave subset out for all columns, or leave out the step",
            )
        return method(*args, **named)

    return checked
