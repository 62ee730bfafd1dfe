"""The tables and views that tests build on are those of the catalog."""

from __future__ import annotations

import pytest


@pytest.fixture
def view_tables() -> str:
    return "file:./views"
