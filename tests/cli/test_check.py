"""``viewscribe check``."""

from __future__ import annotations


def test_no_findings(run, run_json, views):
    result = run("check", "views")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "6 documents checked, no findings. Next, in Spark: viewscribe verify file:views\n"
    )
    assert run_json("check", "views") == {
        "catalog": "file:views",
        "ok": True,
        "counts": {"documents": 6, "findings": 0},
        "findings": [],
    }


def test_findings(run, run_json, damaged):
    (damaged.parent / "customers.table.yaml").unlink()
    data = run_json("check", "views", code=3)
    assert data["ok"] is False
    assert data["counts"] == {"documents": 5, "findings": 2}
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
