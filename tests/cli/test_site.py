"""``viewscribe site``, and the page of ``viewscribe plan``."""

from __future__ import annotations


def test_a_site(run, views, place):
    result = run("site", "views", "-o", "pages", "--title", "Our views")
    assert result.exit_code == 0
    assert result.stdout.startswith("2 views, 1 table, 1 function; ")
    assert result.stdout.endswith("files written. Open pages/index.html\n")
    assert "Our views" in (place / "pages" / "index.html").read_text()
    again = run("site", "views", "-o", "pages", "--title", "Our views")
    assert "0 files written, " in again.stdout


def test_as_json(run_json, views):
    data = run_json("site", "views")
    assert data["first_page"] == "site/index.html"
    assert data["counts"]["views"] == 2
    assert data["unreadable"] == []


def test_what_cannot_be_read_is_told(run, views):
    (views / "sales" / "young.view.yaml").write_text("kind: veiw\n")
    result = run("site", "views")
    assert result.exit_code == 0
    assert "sales.young" in result.stdout


def test_a_folder_of_others(run, views, place):
    (place / "site").mkdir()
    (place / "site" / "index.html").write_text("mine")
    result = run("site", "views")
    assert result.exit_code == 1
    assert "files that no site wrote" in result.output + result.stderr
    assert (place / "site" / "index.html").read_text() == "mine"


def test_the_page_of_a_plan(run, views, place):
    (place / "empty").mkdir()
    result = run("plan", "views/", "empty/", "--html", "plan.html")
    assert result.exit_code in (0, 3)
    assert "sales.young" in (place / "plan.html").read_text()
    wrong = run("plan", "views/", "empty/", "--html", "no/such/plan.html")
    assert wrong.exit_code == 1
