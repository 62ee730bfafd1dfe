"""Tests of views: SQL snapshots for syrupy, and the rows that views give for given rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viewscribe.snapshots.extension import SqlSnapshotExtension
    from viewscribe.snapshots.rows import given

__all__ = ["SqlSnapshotExtension", "given"]


def __getattr__(name: str) -> Any:
    if name == "given":
        from viewscribe.snapshots.rows import given

        return given
    if name == "SqlSnapshotExtension":
        try:
            from viewscribe.snapshots.extension import SqlSnapshotExtension
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                'snapshots need syrupy: pip install "viewscribe[test]"', name="syrupy"
            ) from error
        return SqlSnapshotExtension
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
