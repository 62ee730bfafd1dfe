"""``viewscribe export --iceberg`` and ``viewscribe import``."""

from __future__ import annotations

import json


def test_a_view_goes_out_and_comes_back(run, run_json, views, place):
    data = run_json("export", "views", "sales.names", "--iceberg", "names.json")
    assert (data["view"], data["versions"]) == ("sales.names", 1)
    metadata = json.loads((place / "names.json").read_text())
    assert metadata["location"] == "file:views/sales/names"
    assert [each.name for each in place.iterdir() if ".tmp-" in each.name] == []
    result = run("import", "views", "names.json", "--as", "sales.again")
    assert result.stdout == "Stored sales.again with 1 version.\n"
    assert run("sql", "views", "sales.again").stdout == run("sql", "views", "sales.names").stdout
    result = run("import", "views", "names.json")
    assert result.exit_code == 1
    assert result.stderr == (
        "AlreadyExistsError: the view sales.names exists already\n"
        "  give it another name with --as\n"
    )


def test_a_name_that_is_taken_by_a_table(run, views):
    run("export", "views", "sales.names", "--iceberg", "names.json")
    before = run("show", "views", "sales.customers").stdout
    result = run("import", "views", "names.json", "--as", "sales.customers")
    assert result.exit_code == 1
    assert "cannot create the view sales.customers: a table has that name" in result.stderr
    assert run("show", "views", "sales.customers").stdout == before


def test_to_stdout(run_json, views):
    args = ("export", "views", "sales.young", "--iceberg", "-", "--location", "s3://b/v")
    assert run_json(*args)["location"] == "s3://b/v"


def test_files_that_cannot_be_read_or_written(run, views, place):
    (place / "no.json").write_text("{")
    (place / "list.json").write_text("[1]")
    assert "InvalidDocumentError: no Iceberg" in run("import", "views", "list.json").stderr
    assert "no.json is no JSON" in run("import", "views", "no.json").stderr
    assert "there is no file or folder none.json" in run("import", "views", "none.json").stderr
    (place / "empty.json").write_text("{}")
    assert "the key 'versions' is missing" in run("import", "views", "empty.json").stderr
    result = run("export", "views", "sales.young", "--iceberg", "none/x.json")
    assert (result.exit_code, "cannot write none/x.json" in result.stderr) == (1, True)
    assert run("export", "views", "sales.young").exit_code == 2
