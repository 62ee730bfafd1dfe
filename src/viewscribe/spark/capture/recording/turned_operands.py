"""``1 + col("id")`` is ``id + 1`` to a classic session, and its column is called so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch


@contextmanager
def turned_as_by_classic() -> Iterator[None]:
    """Inside the block, PySpark's Connect turns operands around where classic does."""
    from pyspark.sql.connect.column import Column

    with ExitStack() as stack:
        for written, turned in (("__radd__", "__add__"), ("__rmul__", "__mul__")):
            stack.enter_context(patch.object(Column, written, getattr(Column, turned)))
        yield
