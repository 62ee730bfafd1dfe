"""The SQL that the pipelines generate is approved, and the catalog holds what they generate."""

from __future__ import annotations

from typing import Any

import pytest
from pipelines import VIEWS

import viewscribe as vs


@pytest.mark.parametrize("name", VIEWS)
def test_a_pipeline_gives_the_approved_sql(
    name: str, view_env: vs.TableEnvironment, view_snapshot: Any
) -> None:
    assert VIEWS[name](view_env) == view_snapshot(name=f"pipelines/{name}")


@pytest.mark.parametrize("name", VIEWS)
def test_the_catalog_is_up_to_date(name: str, view_env: vs.TableEnvironment) -> None:
    assert view_env.get_view(f"sales.{name}").sql == VIEWS[name](view_env).to_sql()
