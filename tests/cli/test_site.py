"""``viewscribe site``, and the page of ``viewscribe plan``."""

from __future__ import annotations

import pytest


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


@pytest.mark.parametrize("command", ["plan --html", "plan -o", "test --junit"])
def test_files_of_others_are_left_alone(run, views, place, command):
    (place / "empty").mkdir()
    (place / "mine.yaml").write_text("environments: {}\n")
    name, option = command.split()
    catalogs = ("views/", "empty/") if name == "plan" else ("views/",)
    result = run(name, *catalogs, option, "mine.yaml")
    assert result.exit_code == 1
    assert "mine.yaml cannot be written: the file that is there is something else" in result.stderr
    assert (place / "mine.yaml").read_text() == "environments: {}\n"


def test_pages_and_plans_are_written_again(run, views, place):
    (place / "empty").mkdir()
    (place / "plan.yaml").write_text("")
    options = ("views/", "empty/", "-o", "plan.yaml", "--html", "plan.html")
    for _ in range(2):
        assert "cannot be written" not in run("plan", *options).stderr
    assert "sales.young" in (place / "plan.yaml").read_text()


def test_a_plan_and_its_page_are_two_files(run, views):
    result = run("plan", "views/", "views/", "-o", "plan.json", "--html", "./plan.json")
    assert result.exit_code == 2
    assert "-o and --html name the same file" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("site", "views", "-o"),
        ("plan", "a", "b", "--html"),
        ("export", "views", "--to", "sql", "-o"),
    ],
)
def test_an_empty_path_is_wrong_usage(run, views, place, arguments):
    before = sorted(place.iterdir())
    result = run(*arguments, "")
    assert result.exit_code == 2
    assert "the path is empty" in result.stderr
    assert sorted(place.iterdir()) == before
