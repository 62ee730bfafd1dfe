"""Tests of views: approved ``.sql`` files with a verdict on each change, catalogs, given rows.

The pytest plugin needs no import; what is here is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viewscribe.snapshots.catalog_views import CatalogView, views
    from viewscribe.snapshots.contracts import ContractError, assert_contract
    from viewscribe.snapshots.extension import SqlSnapshotExtension
    from viewscribe.snapshots.rows import given
    from viewscribe.snapshots.verdict import Verdict, compare_texts

__all__ = [
    "CatalogView",
    "ContractError",
    "SqlSnapshotExtension",
    "Verdict",
    "assert_contract",
    "compare_texts",
    "given",
    "views",
]

_PLACES = {
    "catalog_views": ("CatalogView", "views"),
    "contracts": ("ContractError", "assert_contract"),
    "extension": ("SqlSnapshotExtension",),
    "rows": ("given",),
    "verdict": ("Verdict", "compare_texts"),
}
"""Where each name is: pytest imports this package whenever it starts."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for place, names in _PLACES.items():
        if name in names:
            try:
                module = import_module(f"viewscribe.snapshots.{place}")
            except ModuleNotFoundError as error:
                missing = (error.name or "").partition(".")[0]
                if missing not in ("pytest", "syrupy"):
                    raise
                raise ModuleNotFoundError(
                    f'{name} needs {missing}: pip install "viewscribe[test]"', name=missing
                ) from error
            found = globals()[name] = getattr(module, name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
