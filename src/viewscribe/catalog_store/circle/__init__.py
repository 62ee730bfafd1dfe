"""The circle: a text that was printed from a tree must mean the tree when it is read again."""

from viewscribe.catalog_store.circle.misreading import mean_the_same, misreading

__all__ = ["mean_the_same", "misreading"]
