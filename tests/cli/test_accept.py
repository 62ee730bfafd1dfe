"""``viewscribe accept``, and the warnings of commands that read a view that was edited by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import viewscribe as vs


@pytest.fixture
def edited(views: Path) -> Path:
    """The catalog after somebody changed the text of a view in its file."""
    file = views / "sales" / "young.view.yaml"
    text = file.read_text()
    file.write_text(text.replace("gender IS NOT NULL", "gender = 'f'", 1))
    return views


def test_check_says_how_to_accept_an_edit(run, run_json, edited):
    (finding,) = run_json("check", "views", code=3)["findings"]
    assert finding["code"] == "edited"
    assert finding["message"].endswith("edited by hand, and its text is not what its plan prints")
    assert "viewscribe accept sales.young" in finding["hint"]
    result = run("accept", "views", "sales.young", "--reason", "asked for")
    assert (result.exit_code, result.stdout) == (
        0,
        "Accepted the text of sales.young as its query. Next, in Spark: viewscribe verify "
        "file:views sales.young\n",
    )
    assert run_json("check", "views")["ok"]
    assert "gender = 'f'" in run("sql", "views", "sales.young", "--style", "pipe").stdout


def test_nothing_to_accept(run_json, views):
    data = run_json("accept", "views", "sales.young")
    assert data == {"catalog": "file:views", "view": "sales.young", "accepted": "nothing"}


READERS = {
    "sql": ("sql", "views", "sales.young"),
    "export": ("export", "views", "sales.young", "--iceberg", "out.json"),
    "lineage": ("lineage", "views", "sales.young"),
    "lineage of its reader": ("lineage", "views", "sales.names"),
    "lineage, downstream": ("lineage", "views", "sales.customers", "--downstream"),
}


@pytest.mark.parametrize("reader", READERS)
def test_readers_warn_of_an_edited_view(run, views, edited, reader):
    result = run(*READERS[reader])
    assert result.exit_code == 0
    assert "warning: the view sales.young was edited by hand" in result.stderr
    assert "warning" not in run(*READERS[reader], "--json").stdout


@pytest.mark.parametrize("reader", READERS)
def test_readers_warn_of_a_changed_table(run, views, reader):
    assert run(*READERS[reader]).stderr == ""
    env = vs.TableEnvironment("file:./views")
    env.create_table("sales.customers", "id BIGINT NOT NULL, name STRING", or_replace=True)
    result = run(*READERS[reader])
    assert result.exit_code == 0
    assert "warning: the view sales.young may be out of date: " in result.stderr
    assert "the column `gender` is gone" in result.stderr
