"""SQL snapshots for syrupy: one readable ``.sql`` file per query."""

from __future__ import annotations

try:
    import syrupy  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'viewscribe.snapshots needs syrupy: pip install "viewscribe[snapshots]"', name="syrupy"
    ) from error

from viewscribe.snapshots.extension import SqlSnapshotExtension

__all__ = ["SqlSnapshotExtension"]
