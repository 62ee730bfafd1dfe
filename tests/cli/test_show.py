"""``viewscribe show``."""

from __future__ import annotations

import pytest


def test_view(run, views):
    lines = run("show", "views", "sales.young").stdout.splitlines()
    assert lines[:9] == [
        "view sales.young",
        "Those who told us",
        "more than we asked",
        "",
        "catalog      file:views",
        "style        readable",
        lines[6],
        "viewscribe   0.1.0",
        "",
    ]
    assert lines[6].startswith("fingerprint  sha256:")
    assert lines[9:17] == [
        "Columns",
        "NAME  TYPE    NULLS     COMMENT",
        "id    BIGINT  not null",
        "name  STRING",
        "",
        "Depends on",
        "NAME                           KIND",
        "spark_catalog.sales.customers  table",
    ]
    assert "spark.sql.session.timeZone                      UTC" in lines


def test_view_as_json(run_json, views):
    data = run_json("show", "views", "SALES.Names")
    assert (data["catalog"], data["kind"]) == ("file:views", "view")
    assert (data["database"], data["name"], data["style"]) == ("sales", "names", "readable")
    assert data["columns"] == [
        {"name": "name", "type": "STRING", "nullable": True, "comment": None}
    ]
    assert data["dependencies"] == [{"kind": "view", "name": ["spark_catalog", "sales", "young"]}]
    assert data["sql"].startswith("SELECT")
    assert data["properties"] == {"team": "crm"}
    assert (data["has_plan"], data["edited"]) == (True, False)
    assert data["viewscribe_version"] == "0.1.0"
    assert "plan" not in data


def test_table(run, run_json, views):
    text = run("show", "views", "spark_catalog.sales.customers").stdout
    assert "location    /data/customers\n" in text
    assert "name    STRING            as on the contract\n" in text
    data = run_json("show", "views", "sales.customers")
    assert (data["kind"], data["format"]) == ("table", "parquet")
    assert "edited" not in data


def test_function(run, run_json, views):
    text = run("show", "views", "hr.twice").stdout
    assert "body           x * 2\n" in text
    assert "x     INT            what to double\n" in text
    assert run_json("show", "views", "hr.twice")["parameters"][0]["type"] == "INT"


def test_markdown(run, views):
    text = run("show", "views", "sales.young", "--format", "markdown").stdout
    assert text.startswith("## view sales.young\n\nThose who told us  \nmore than we asked\n\n- ")
    assert "\n| `id` | BIGINT | not null |  |\n" in text


def test_kind_tells_apart(run_json, views):
    import msgspec

    from tests.cli.conftest import vs_function
    from viewscribe.catalog_store import FileCatalog

    FileCatalog(views).create(
        msgspec.structs.replace(vs_function(), database="sales", name="young")
    )
    assert run_json("show", "views", "sales.young")["kind"] == "view"
    assert run_json("show", "views", "sales.young", "--kind", "function")["kind"] == "function"
    error = run_json("show", "views", "sales.young", "--kind", "table", code=1)["error"]
    assert error["code"] == "WrongKindError"


def test_an_edit_by_hand_is_told(run, run_json, views):
    path = views / "sales" / "young.view.yaml"
    path.write_text(path.read_text().replace("upper(name)", "lower(name)"))
    assert "edited       by hand: the fingerprint does not match\n" in (
        run("show", "views", "sales.young").stdout
    )
    assert run_json("show", "views", "sales.young")["edited"] is True


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("sales.yuong", "did you mean: sales.young"),
        ("young", "did you mean: sales.young"),
        ("sale.customer", "did you mean: sales.customers"),
        ("sales.twise", "did you mean: hr.twice"),
        ("zzz", "viewscribe list shows what there is"),
    ],
)
def test_unknown_names(run, run_json, views, name, hint):
    result = run("show", "views", name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"ObjectNotFoundError: no view, table or function `{name}` in file:views\n  {hint}\n"
    )
    assert run_json("show", "views", name, code=1) == {
        "error": {
            "code": "ObjectNotFoundError",
            "message": f"no view, table or function `{name}` in file:views",
            "location": None,
            "hint": hint,
        }
    }


def test_a_damaged_document(run, damaged):
    result = run("show", "views", "sales.names")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(
        "DamagedDocumentError: views/sales/names.view.yaml:3: the key 'kind' is given twice\n"
    )


def test_names_that_are_no_names(run, views):
    assert run("show", "views", "sales..young").exit_code == 1
    assert run("show", "views", "a.b.c.d").exit_code == 1
