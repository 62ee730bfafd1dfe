"""Forks Spark's Python workers, as ``pyspark.daemon`` does, with all they need imported before.

A worker ends with every error, and with every query that stops early; the next one would import
pandas, pyarrow and the module of the test anew, in one to two seconds. What is frozen here costs
nothing when a worker collects its garbage, which it does after each task.
"""

from __future__ import annotations

import gc
import importlib
import sys

from pyspark.daemon import manager

IMPORTED = {
    "pyspark.worker": ("hypothesis.strategies", "pandas", "pyarrow.compute", "pytest"),
}
"""By the module that a worker runs; some only analyze what will run."""

if __name__ == "__main__":
    runs = sys.argv[1]
    for module in (runs, "viewscribe.functions", *IMPORTED.get(runs, ())):
        importlib.import_module(module)
    gc.freeze()
    manager()
