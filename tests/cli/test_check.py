"""``viewscribe check``."""

from __future__ import annotations

import json

import msgspec

from tests.opaque import opaque
from viewscribe import TableEnvironment
from viewscribe.catalog_store import FileCatalog


def test_no_findings(run, run_json, views):
    result = run("check", "views")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "6 documents checked, no findings. Next, in Spark: viewscribe verify file:views\n"
    )
    assert run_json("check", "views") == {
        "catalog": "file:views",
        "ok": True,
        "counts": {"documents": 6, "findings": 0, "not_proven": 0},
        "findings": [],
        "not_proven": [],
    }


def test_findings(run, run_json, damaged):
    (damaged.parent / "customers.table.yaml").unlink()
    data = run_json("check", "views", code=3)
    assert data["ok"] is False
    assert data["counts"] == {"documents": 5, "findings": 2, "not_proven": 0}
    assert data["findings"] == [
        {
            "code": "unreadable",
            "kind": "view",
            "database": "sales",
            "name": "names",
            "path": "views/sales/names.view.yaml",
            "line": 3,
            "message": "the key 'kind' is given twice",
            "hint": "repair the document by hand, restore it, or drop the object",
        },
        {
            "code": "missing-dependency",
            "kind": "view",
            "database": "sales",
            "name": "young",
            "path": "views/sales/young.view.yaml",
            "line": None,
            "message": "needs the table `spark_catalog.sales.customers`, which is missing",
            "hint": None,
        },
    ]
    result = run("check", "views")
    assert result.exit_code == 3
    assert "unreadable          views/sales/names.view.yaml:3  the key" in result.stdout
    assert result.stdout.endswith(
        "5 documents checked, 2 findings. Mend or save again what is listed; then check anew.\n"
    )


def test_what_is_not_read_back(run, run_json, views):
    env = TableEnvironment(FileCatalog(views))
    text = "SELECT name FROM sales.customers TIMESTAMP AS OF now()"
    env.create_view("sales.sampled", opaque(env, text, "name STRING"))
    result = run("check", "views")
    assert result.exit_code == 0
    assert "not-read-back  views/sales/sampled.view.yaml  its text is not read back" in (
        result.stdout
    )
    assert "7 documents checked, no findings, 1 view not proven." in result.stdout
    data = run_json("check", "views")
    assert (data["ok"], data["counts"]["not_proven"]) == (True, 1)
    assert "computed time" in data["not_proven"][0]["message"]
    (noted,) = json.loads(run("check", "views", "--format", "sarif").stdout)["runs"][0]["results"]
    assert noted["level"] == "note"
    assert run("check", "views", "--format", "github").stdout.startswith("::notice file=views/")


def test_markdown(run, damaged):
    result = run("check", "views", "--format", "markdown")
    assert result.exit_code == 3
    assert result.stdout.startswith("| finding | where | what | what to do |\n| --- | --- |")
    assert "| ✗ unreadable | views/sales/names.view.yaml:3 |" in result.stdout


def test_needs_no_spark(views):
    import subprocess
    import sys

    code = (
        "import sys\n"
        "from viewscribe.cli.app import app\n"
        "try: app.main(['check', 'views'])\n"
        "finally: print('pyspark' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")


def test_views_of_others_are_not_proven(run, run_json, views):
    env = TableEnvironment(FileCatalog(views))
    view = env.get_view("sales.young")
    for number in range(25):
        env.catalogs.save(msgspec.structs.replace(view, name=f"old_{number}", plan=None))
    result = run("check", "views")
    assert result.exit_code == 0
    assert result.stdout.count("no-plan") == 20
    assert "25 views not proven (20 listed, all with --json)." in result.stdout
    codes = [each["code"] for each in run_json("check", "views")["not_proven"]]
    assert codes == ["no-plan"] * 25
