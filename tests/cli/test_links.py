"""No command writes to where a link leads that somebody put in its way."""

from __future__ import annotations

from pathlib import Path

import pytest

import viewscribe as vs
from viewscribe.cli.verification import ProofRecord
from viewscribe.errors import ViewscribeError

PROJECT = """\
schema_version: 1
environments:
  dev: {catalog: "file:views"}
  prod: {catalog: "file:prod"}
"""

WRITTEN = {
    "plan.json": ("plan", "dev", "prod", "-o", "plan.json"),
    "plan.html": ("plan", "dev", "prod", "--html", "plan.html"),
    "planned.json.journal": ("apply", "planned.json", "--yes"),
    "young.json": ("export", "views", "sales.young", "--iceberg", "young.json"),
    "out/.viewscribe-export.json": ("export", "views", "--to", "dbt", "-o", "out"),
    "out/models": ("export", "views", "--to", "dbt", "-o", "out"),
    "site/.viewscribe-site.json": ("site", "views", "-o", "site"),
    "site/index.html": ("site", "views", "-o", "site"),
    "site/view": ("site", "views", "-o", "site"),
    "junit.xml": ("test", "views", "--engine", "duckdb", "--junit", "junit.xml"),
    "new/viewscribe.yaml": ("init", "new"),
    "new/tests": ("init", "new"),
    "views/sales/_history": ("accept", "views", "sales.young"),
    "views/.viewscribe.lock": ("accept", "views", "sales.young"),
    "prod/hr": ("apply", "planned.json", "--yes"),
}
"""Commands by what of theirs is a link."""


@pytest.fixture
def away(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of somebody else, with a file."""
    found = tmp_path_factory.mktemp("away")
    (found / "file").write_text("theirs")
    return found


@pytest.fixture(params=WRITTEN)
def written(request, run, views, place):
    """What a command will write, with all that the command needs."""
    (place / "viewscribe.yaml").write_text(PROJECT)
    prod = vs.TableEnvironment("file:./prod")
    prod.create_database("sales")
    prod.create_table("sales.customers", "id BIGINT NOT NULL, name STRING, gender STRING")
    run("plan", "dev", "prod", "-o", "planned.json")
    rows = "schema_version: 1\ntests: [{name: a, given: {sales.customers: []}, expect: []}]\n"
    (views / "sales" / "names.test.yaml").write_text(rows)
    if WRITTEN[request.param][0] == "accept":
        document = views / "sales" / "young.view.yaml"
        document.write_text(document.read_text().replace("upper(name)", "lower(name)"))
    return request.param


def test_where_there_is_no_link_it_is_written(run, place, written):
    run(*WRITTEN[written])
    assert (place / written).exists()


@pytest.mark.parametrize("target", ["file", "none", ""])
def test_a_link_leads_nothing_out(run, place, away, written, target):
    link = place / written
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(away / target)
    assert "run it again with -vv" not in run(*WRITTEN[written]).output
    assert {each: each.read_text() for each in away.iterdir()} == {away / "file": "theirs"}


@pytest.mark.parametrize("target", ["file", "none"])
def test_a_record_of_proofs_is_no_link(place, away, target):
    (place / "record").symlink_to(away / target)
    with pytest.raises(ViewscribeError, match=r"the record .*record cannot be used: "):
        ProofRecord(place / "record")
    assert {each: each.read_text() for each in away.iterdir()} == {away / "file": "theirs"}
