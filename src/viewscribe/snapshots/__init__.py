"""Approved SQL as readable files: one ``.sql`` file a query, compared by syrupy."""

from __future__ import annotations

from viewscribe.snapshots.extension import SqlSnapshotExtension

__all__ = ["SqlSnapshotExtension"]
