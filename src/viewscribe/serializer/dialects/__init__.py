"""The tree as SQL text for engines other than Spark.

``to_dialect(operation, "trino")`` translates with sqlglot what is known to mean the same there, and
refuses the rest by name: what sqlglot passes through untranslated would mean something else, or
nothing.
"""

from __future__ import annotations

from viewscribe.serializer.dialects.portable import DIALECTS
from viewscribe.serializer.dialects.translate import to_dialect

__all__ = ["DIALECTS", "to_dialect"]
