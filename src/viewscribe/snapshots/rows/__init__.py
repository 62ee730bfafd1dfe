"""Tests of views with rows: what a view gives for given rows of its tables.

``given(orders=[…]).expect(view, rows=[…])`` in Python, ``*.test.yaml`` beside views for
``viewscribe test``.
"""

from __future__ import annotations

from viewscribe.snapshots.rows.comparison import RowsDifferError
from viewscribe.snapshots.rows.given import Given, given
from viewscribe.snapshots.rows.subjects import ViewTestError

__all__ = ["Given", "RowsDifferError", "ViewTestError", "given"]
