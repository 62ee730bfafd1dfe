"""What documents may reach: said by options and in ``viewscribe.yaml``, for all that opens them."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from viewscribe.catalog_store.permissions import Permissions, permissions_in_force
from viewscribe.cli.commands import save as save_module

FILE = """\
schema_version: 1
environments:
  shop:
    catalog: file:./views
    allow: {formats: [jdbc], locations: [/landing], functions: [reflect], opaque: [sales.old]}
"""
OPTIONS = (
    "--allow-format",
    "kafka",
    "--allow-location",
    "/jars",
    "--allow-function",
    "f",
    "--allow-opaque",
    "s.v",
)
GIVEN = Permissions.of(["kafka"], ["/jars"], ["f"], ["s.v"])
BOTH = Permissions.of(
    ["jdbc", "kafka"], ["/landing", "/jars"], ["reflect", "f"], ["sales.old", "s.v"]
)


@pytest.fixture
def in_force(monkeypatch: pytest.MonkeyPatch) -> list[Permissions]:
    """What is allowed whenever a command opens a view, verifies one, or opens what one reads."""
    found: list[Permissions] = []

    def note(*given: Any) -> None:
        found.append(permissions_in_force())
        raise ValueError("not run")

    @contextmanager
    def session(**options: Any) -> Any:
        yield None

    monkeypatch.setattr("viewscribe.spark.catalog_verification.CatalogVerifier.verify", note)
    monkeypatch.setattr("viewscribe.spark.environments.check_view", note)
    monkeypatch.setattr(save_module, "_save", note)
    monkeypatch.setattr("viewscribe.spark.local.local_session", session)
    return found


def test_options_and_the_file_say_it_together(run: Any, views: Path, in_force: Any) -> None:
    Path("viewscribe.yaml").write_text(FILE, encoding="utf-8")
    Path("pipes.py").write_text("def young(spark):\n    return spark.table('sales.young')\n")
    run("verify", "views", "sales.young")
    run("verify", "views", "sales.young", *OPTIONS)
    run("verify", "shop", "sales.young", *OPTIONS)
    run("save", "pipes:young", "sales.again", "--catalog", "shop", *OPTIONS)
    assert in_force == [Permissions(), GIVEN, BOTH, BOTH]


def test_check_tells_what_would_be_refused(run: Any, run_json: Any, views: Path) -> None:
    env = vs.TableEnvironment("file:./views")
    env.create_table("sales.remote", "id INT", format="jdbc")
    found = run_json("check", "views", code=3)["findings"]
    assert [(each["code"], each["name"]) for each in found] == [("not-allowed", "remote")]
    assert "--allow-format jdbc" in found[0]["hint"]
    assert run("check", "views", "--allow-format", "JDBC").exit_code == 0
    places = FILE.replace("/landing", "/landing, /data/customers")
    Path("viewscribe.yaml").write_text(places, encoding="utf-8")
    assert run("check", "shop").exit_code == 0
