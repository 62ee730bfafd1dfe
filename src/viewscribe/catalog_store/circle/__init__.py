"""The circle: a text that was printed from a tree must mean the tree when it is read again."""

from viewscribe.catalog_store.circle.world import (
    NOT_READ_BACK,
    ReadBack,
    mean_the_same,
    read_back,
    read_over,
)

__all__ = ["NOT_READ_BACK", "ReadBack", "mean_the_same", "read_back", "read_over"]
