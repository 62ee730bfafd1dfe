"""All views of a catalog as parameters of a test."""

from __future__ import annotations

import pytest

import viewscribe as vs
from tests.snapshots.conftest import Run

pytest_plugins = ["pytester"]

ODD = ["plain", "with space", "ünï", "a.b", "tick`s", "<script>", "CON", "x" * 90, "a\u202eb"]


@pytest.fixture
def catalog(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> vs.TableEnvironment:
    env = vs.TableEnvironment.open(f"file:{project.path}/views")
    env.create_table("t", "a INT NOT NULL, b STRING")
    for name in ODD:
        env.create_view(f"`{name.replace('`', '``')}`", env.sql_query("select a from t"))
    env.create_database("more")
    env.create_view("more.totals", env.sql_query("select b, sum(a) as s from t group by b"))
    return env


TESTS = """
import pytest
from viewscribe.snapshots import assert_contract, views

@pytest.mark.parametrize("view", views("file:./views"))
def test_view(view, view_snapshot):
    assert view == view_snapshot

@pytest.mark.parametrize("view", views("views", select="more.*"))
def test_contract(view):
    assert_contract(view, columns={"b": "STRING", "s": "BIGINT"}, unique="b")
    assert view.name == "more.totals"
    assert view.table.columns == ["b", "s"]
    assert repr(view).startswith("<view more.totals of file:")

@pytest.mark.parametrize("view", views("views", select=["none.*", "nothing"]))
def test_none(view):
    pass
"""


@pytest.mark.slow("runs of pytest")
def test_views(catalog: vs.TableEnvironment, project: pytest.Pytester, run: Run) -> None:
    (project.path / "below").mkdir()
    (project.path / "below" / "test_views.py").write_text(TESTS, encoding="utf-8")
    result = run("--snapshot-update", "-v")
    result.assert_outcomes(passed=len(ODD) + 2, failed=1)
    result.stdout.fnmatch_lines(
        ["*test_view?default.plain? PASSED*", "*test_none?no-views? FAILED*"]
    )
    result.stdout.fnmatch_lines(["file:*views has no view of the name none.* or nothing"])
    assert "\u202e" not in result.stdout.str()
    assert len([*(project.path / "snapshots").rglob("*.sql")]) == len(ODD) + 1
    run("-n", "2").assert_outcomes(passed=len(ODD) + 2, failed=1)


@pytest.mark.slow("runs of pytest")
def test_a_change_of_a_view(
    catalog: vs.TableEnvironment, project: pytest.Pytester, run: Run
) -> None:
    (project.path / "test_views.py").write_text(TESTS, encoding="utf-8")
    run("--snapshot-update")
    again = catalog.sql_query("select x.a from (select * from t) x")
    catalog.create_view("plain", again, or_replace=True)
    catalog.create_view("CON", catalog.sql_query("select a from t where a > 1"), or_replace=True)
    result = run("--snapshot-accept=same-meaning")
    result.stdout.fnmatch_lines(["different *1  (1 to approve)"])


DAMAGED = [b"", b"kind: view\nname: [", b"\xff\xfe", b"schema_version: 99\nkind: view\n", b"{}"]


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_document_is_a_test_that_fails(
    catalog: vs.TableEnvironment, project: pytest.Pytester, run: Run, damage: bytes
) -> None:
    (project.path / "views" / "default" / "plain.view.yaml").write_bytes(damage)
    (project.path / "test_views.py").write_text(
        "import pytest\n"
        "from viewscribe.snapshots import views\n"
        '@pytest.mark.parametrize("view", views("file:./views"))\n'
        "def test_nothing(view): pass\n"
    )
    result = run("--tb=short")
    result.assert_outcomes(passed=len(ODD), failed=1)
    result.stdout.fnmatch_lines(["the view default.plain cannot be read*"])


def test_views_of_other_tools(
    catalog: vs.TableEnvironment, project: pytest.Pytester, run: Run
) -> None:
    path = project.path / "views" / "default" / "plain.view.yaml"
    text = path.read_text(encoding="utf-8")
    head, plan = text.split("plan:\n")
    assert plan
    path.write_text(head, encoding="utf-8")
    (project.path / "test_views.py").write_text(TESTS, encoding="utf-8")
    run("--snapshot-update").assert_outcomes(passed=len(ODD) + 2, failed=1)


def test_no_such_catalog(project: pytest.Pytester, run: Run) -> None:
    (project.path / "test_views.py").write_text(
        "import pytest\nfrom viewscribe.snapshots import views\nviews('file:./nowhere')\n"
    )
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E *CatalogNotFoundError*nowhere*"])
