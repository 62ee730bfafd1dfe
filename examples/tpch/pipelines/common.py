"""What several of the pipelines share."""

from __future__ import annotations

from typing import Final

from viewscribe import col

DISCOUNTED_PRICE: Final = col("l_extendedprice") * (1 - col("l_discount"))
"""What the customer pays for a line, before tax."""
