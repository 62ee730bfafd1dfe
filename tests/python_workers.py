"""Forks Spark's Python workers, as ``pyspark.daemon`` does, with all they need imported before.

A worker ends with every error, and with every query that stops early; the next one would import
pandas, pyarrow and the module of the test anew, in one to two seconds. What is frozen here costs
nothing when a worker collects its garbage, which it does after each task.
"""

from __future__ import annotations

import gc
import importlib

from pyspark.daemon import manager

IMPORTED = (
    "hypothesis.strategies",
    "pandas",
    "pyarrow.compute",
    "pyspark.worker",
    "pytest",
    "viewscribe.functions",
)

if __name__ == "__main__":
    for module in IMPORTED:
        importlib.import_module(module)
    gc.freeze()
    manager()
