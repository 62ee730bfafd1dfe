"""The function catalog that names are looked up in while expressions are resolved.

A module of its own, so that resolving needs nothing of catalogs until a name asks for one.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viewscribe.expressions.functions.catalog import FunctionCatalog

IN_FORCE: ContextVar[FunctionCatalog | None] = ContextVar("functions in force", default=None)
"""None where only built-in functions are known."""
