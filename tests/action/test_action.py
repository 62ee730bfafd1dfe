"""The steps of the GitHub Action do what its inputs say; a catalog decides nothing in them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.action.steps import ACTION, ROOT, STEPS, Job
from viewscribe import TableEnvironment, col

GITHUB_FILES = {"GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY"}
GH = """\
#!/usr/bin/env python3
import json, os, sys
with open(os.environ["RUNNER_TEMP"] + "/gh.jsonl", "a") as log:
    body = [each[6:] for each in sys.argv if each.startswith("body=@")]
    log.write(json.dumps([sys.argv[1:], [open(each).read() for each in body]]) + "\\n")
if "--paginate" in sys.argv:
    print(os.environ.get("COMMENTS", ""), end="")
"""


def git(place: Path, *arguments: str) -> str:
    name = (
        "-c",
        "user.name=ada",
        "-c",
        "user.email=ada@example.com",
        "-c",
        "init.defaultBranch=main",
    )
    return subprocess.run(
        ["git", "-C", place, *name, *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


def store(place: Path, status: str, name: str = "open_orders") -> None:
    env = TableEnvironment(f"file:{place}")
    env.create_table("orders", "id INT, status STRING", or_replace=True)
    orders = env.from_path("orders").filter(col("status") == status)
    env.create_view(name, orders.select("id"), or_replace=True)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A repository whose only commit has another view than its checkout."""
    checkout, temporary = tmp_path / "my checkout", tmp_path / "temp"
    (temporary / "bin").mkdir(parents=True)
    gh = temporary / "bin" / "gh"
    gh.write_text(GH)
    gh.chmod(0o755)
    checkout.mkdir()
    git(checkout, "init", "--quiet")
    store(checkout / "views", "open")
    git(checkout, "add", "--all")
    git(checkout, "commit", "--quiet", "--message", "first")
    store(checkout / "views", "new")
    return Job(checkout, temporary, inputs={"base": "main"})


def calls(job: Job) -> list[tuple[list[str], list[str]]]:
    log = job.temporary / "gh.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def test_no_script_has_an_expression_in_it():
    """Expressions are text that GitHub puts in: a branch's name would be a command."""
    assert all("${{" not in step["run"] for step in STEPS.values())
    assert {step["shell"] for step in STEPS.values()} == {"bash"}


def test_every_input_and_output_is_used():
    text = (ROOT / "action.yml").read_text(encoding="utf-8").partition("\nruns:")[2]
    assert [name for name in ACTION["inputs"] if f"inputs.{name}" not in text] == []
    assert all("description" in each for each in ACTION["inputs"].values())


@pytest.mark.parametrize(
    ("command", "chosen"),
    [
        ("check test diff", {"check", "test", "diff"}),
        ("diff", {"diff"}),
        ("check,diff", {"check", "diff"}),
    ],
)
def test_commands_are_chosen(job: Job, command: str, chosen: set[str]):
    job.inputs["command"] = command
    result = job.run("Read the commands")
    assert (result.code, set(result.outputs)) == (0, chosen)


@pytest.mark.parametrize("command", ["", " ", ","])
def test_no_command_is_a_mistake(job: Job, command: str):
    job.inputs["command"] = command
    assert job.run("Read the commands").code == 2


@pytest.mark.parametrize("command", ["apply", "check $(touch harm)", "check; touch harm"])
def test_other_commands_are_refused_and_not_run(job: Job, command: str):
    job.inputs["command"] = command
    result = job.run("Read the commands")
    assert result.code == 2
    assert "command is check, test or diff" in result.log
    assert not (job.checkout / "harm").exists()


@pytest.mark.parametrize(
    ("directory", "catalog", "shown"),
    [(".", "./views", "./views/default"), ("views", "file:.", "views/default")],
)
def test_check_annotates_what_is_wrong(job: Job, directory: str, catalog: str, shown: str):
    job.inputs |= {"directory": directory, "catalog": catalog}
    assert job.run("viewscribe check").code == 0
    document = job.checkout / "views" / "default" / "open_orders.view.yaml"
    document.write_text(document.read_text().replace("status = 'new'", "status = 'old'"))
    result = job.run("viewscribe check")
    assert result.code == 3
    assert f"::error file={shown}/open_orders.view.yaml," in result.log


def test_test_runs_the_tests_beside_the_views(job: Job):
    beside = job.checkout / "views" / "default" / "open_orders.test.yaml"
    rows = "schema_version: 1\ngiven: {orders: [{id: 1, status: new}, {id: 2}]}\ntests:\n"
    beside.write_text(f"{rows}  - {{name: new ones, expect: [{{id: 1}}]}}\n")
    job.inputs["engine"] = "duckdb"
    result = job.run("viewscribe test")
    assert result.code == 0, result.log
    assert "1 of 1 test passed" in result.log
    beside.write_text(f"{rows}  - {{name: new ones, expect: [{{id: 2}}]}}\n")
    assert job.run("viewscribe test").code == 3


def test_diff_tells_what_has_changed_since_the_base(job: Job):
    before = git(job.checkout, "status", "--porcelain")
    result = job.run("viewscribe diff")
    assert (result.code, result.outputs["changed"]) == (0, "true"), result.log
    assert "open_orders" in result.summary
    assert "| change |" in result.summary.replace("! ", "")
    assert result.summary.endswith("file:./views -\\> `main`:views: 1 to change.\n")
    assert git(job.checkout, "status", "--porcelain") == before


def test_diff_without_a_change(job: Job):
    git(job.checkout, "commit", "--all", "--quiet", "--message", "second")
    result = job.run("viewscribe diff")
    assert (result.code, result.outputs["changed"]) == (0, "false"), result.log
    assert job.run("Comment on the pull request").code == 0
    assert [arguments for arguments, _ in calls(job) if "POST" in arguments] == []


def test_diff_with_a_commit_that_has_to_be_fetched(job: Job, tmp_path: Path):
    git(job.checkout, "commit", "--all", "--quiet", "--message", "second")
    git(job.checkout, "branch", "work")
    shallow = tmp_path / "shallow"
    git(
        tmp_path, "clone", "--quiet", "--depth=1", "--branch=work", job.checkout.as_uri(), "shallow"
    )
    git(job.checkout, "reset", "--quiet", "--hard", "main~")
    job.checkout = shallow
    result = job.run("viewscribe diff")
    assert (result.code, result.outputs["changed"]) == (0, "true"), result.log


def test_diff_with_a_base_that_has_no_catalog_yet(job: Job):
    shutil.copytree(job.checkout / "views", job.checkout / "more" / "views")
    job.inputs |= {"directory": "more", "catalog": "file:./views"}
    result = job.run("viewscribe diff")
    assert (result.code, result.outputs["changed"]) == (0, "true"), result.log
    assert "create" in result.summary


@pytest.mark.parametrize("catalog", [".", "file:.", "../views", "./sub/../"])
def test_diff_finds_the_catalog_wherever_it_is(job: Job, catalog: str):
    (job.checkout / "views" / "sub").mkdir()
    job.inputs |= {"directory": "views", "catalog": catalog}
    result = job.run("viewscribe diff")
    assert (result.code, result.outputs["changed"]) == (0, "true"), result.log
    assert "create" not in result.summary


def test_diff_with_a_catalog_at_the_root_of_the_repository(tmp_path: Path, job: Job):
    root = tmp_path / "root"
    root.mkdir()
    git(root, "init", "--quiet")
    store(root, "open")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "first")
    job.checkout = root
    job.inputs["catalog"] = "."
    assert job.run("viewscribe diff").outputs["changed"] == "false"
    store(root, "new")
    assert job.run("viewscribe diff").outputs["changed"] == "true"


def test_diff_with_another_catalog(job: Job):
    job.inputs["base"] = "catalog:./views"
    assert job.run("viewscribe diff").outputs["changed"] == "false"


def test_diff_of_a_pull_request_takes_its_base(job: Job):
    job.inputs.clear()
    job.github["base_ref"] = "main"
    assert job.run("viewscribe diff").outputs["changed"] == "true"


@pytest.mark.parametrize("before", ["", "0" * 40])
def test_diff_without_a_base_says_so(job: Job, before: str):
    job.inputs.clear()
    job.github["event.before"] = before
    result = job.run("viewscribe diff")
    assert (result.code, result.outputs) == (0, {})
    assert "nothing to compare with" in result.log


@pytest.mark.parametrize(
    ("base", "catalog", "message"),
    [
        ("--upload-pack=touch harm", "./views", "is no branch"),
        ("$(touch harm)", "./views", "there is no $(touch harm)"),
        ("main", "sqlite:views.db", "only a folder can be compared"),
        ("main", "/", "is not in the repository"),
        ("catalog:nowhere", "./views", "neither a catalog nor an environment"),
    ],
)
def test_a_wrong_base_is_an_error(job: Job, base: str, catalog: str, message: str):
    job.inputs |= {"base": base, "catalog": catalog}
    result = job.run("viewscribe diff")
    assert result.code != 0
    assert message in result.log
    assert not (job.checkout / "harm").exists()


def test_the_comment_is_written_once_and_then_changed(job: Job, monkeypatch: pytest.MonkeyPatch):
    job.github |= {"event.pull_request.number": "7", "repository": "a/b"}
    job.run("viewscribe diff")
    assert job.run("Comment on the pull request").code == 0
    arguments, bodies = calls(job)[-1]
    assert arguments[arguments.index("POST") + 1] == "repos/a/b/issues/7/comments"
    assert bodies[0].startswith("<!-- viewscribe diff ")
    assert "open_orders" in bodies[0]
    monkeypatch.setenv("COMMENTS", "41\n42\n")
    assert job.run("Comment on the pull request").code == 0
    arguments, again = calls(job)[-1]
    assert arguments[arguments.index("PATCH") + 1] == "repos/a/b/issues/comments/41"
    assert again == bodies


def test_a_name_in_a_catalog_calls_nobody(job: Job):
    store(job.checkout / "views", "open", "`@everyone $(touch harm) ``touch harm```")
    job.run("viewscribe diff")
    job.run("Comment on the pull request")
    body = calls(job)[-1][1][0]
    assert "@\u200beveryone" in body
    assert "@everyone" not in body
    assert not (job.checkout / "harm").exists()


def test_a_comment_that_is_too_long_leads_to_the_summary(job: Job):
    job.run("viewscribe diff")
    Path(job.outputs["diff"]["diff"]).write_text("x" * 60_001)
    job.github |= {"server_url": "https://git.example", "repository": "a/b", "run_id": "5"}
    job.run("Comment on the pull request")
    assert "(https://git.example/a/b/actions/runs/5)" in calls(job)[-1][1][0]


@pytest.mark.parametrize("name", STEPS)
def test_a_script_uses_only_variables_that_its_step_gives(name: str):
    """Any other would be empty, and the script would go on."""
    step = STEPS[name]
    used = set(re.findall(r"\$\{?([A-Z][A-Z_]+)", step["run"]))
    given = set(step.get("env", {}))
    assert used - {"BASH_REMATCH", "RUNNER_TEMP"} - GITHUB_FILES == given - {"GH_TOKEN"}
