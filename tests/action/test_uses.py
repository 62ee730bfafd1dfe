"""Workflows and configurations that we show use what the action and the hooks have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.action.steps import ACTION, ROOT

HOOKS = {
    each["id"]: each
    for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
PAGE = ROOT / "docs" / "continuous-integration.md"
PROJECT = ROOT / "examples" / "shop_project"


def shown() -> Iterator[dict[str, Any]]:
    """The documents of YAML on the page and in the project."""
    for block in re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S):
        yield yaml.safe_load(block)
    for file in (".github/workflows/views.yml", ".pre-commit-config.yaml"):
        yield yaml.safe_load((PROJECT / file).read_text(encoding="utf-8"))


def test_workflows_give_inputs_that_the_action_has():
    steps = [
        step
        for document in shown()
        for job in document.get("jobs", {}).values()
        for step in job["steps"]
        if "/viewscribe@" in step.get("uses", "")
    ]
    assert len(steps) == 2
    assert [set(step["with"]) - set(ACTION["inputs"]) for step in steps] == [set(), set()]


def test_configurations_name_hooks_that_there_are():
    hooks = [
        hook["id"]
        for document in shown()
        for repository in document.get("repos", [])
        for hook in repository["hooks"]
    ]
    assert sorted(hooks) == sorted([*HOOKS, *HOOKS])


def test_the_page_lists_every_input_and_output():
    listed = re.findall(r"^\| `(\w+)` \|", PAGE.read_text("utf-8"), re.M)
    assert listed == [*ACTION["inputs"], *ACTION["outputs"]]


def test_hooks_run_where_documents_change():
    documents = ["views/sales/_database.yaml", "queries/a.sql", "views/d/a.test.yaml"]
    documents += [str(path.relative_to(ROOT)) for path in (PROJECT / "views").rglob("*.yaml")]
    for hook in HOOKS.values():
        assert [name for name in documents if not re.search(hook["files"], name)] == []
        assert not re.search(hook["files"], "pipelines.py")
        assert not re.search(hook["files"], str(Path("views", ".viewscribe.lock")))
