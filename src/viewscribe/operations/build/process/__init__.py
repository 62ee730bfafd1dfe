"""Calls of process table functions: what a call must say, and the operation it becomes."""

from __future__ import annotations

from viewscribe.operations.build.process.arguments import NamedArgument, TableArgument
from viewscribe.operations.build.process.call import process

__all__ = ["NamedArgument", "TableArgument", "process"]
