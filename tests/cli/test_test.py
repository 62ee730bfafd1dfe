"""``viewscribe test``: tests beside the views of a catalog."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

import viewscribe as vs

TESTS = """\
schema_version: 1
given:
  customers:
    - {id: 1, name: ann, gender: f}
    - {id: 2, name: bob}
tests:
  - name: those without a gender are left out
    expect:
      - {id: 1}
  - name: nobody
    given: {customers: []}
    expect: []
"""


@pytest.fixture
def simple(views):
    env = vs.TableEnvironment("file:./views")
    told = env.from_path("sales.customers").filter(vs.col("gender").is_not_null())
    env.create_view("sales.told", told.select("id", "gender"))
    (views / "sales" / "told.test.yaml").write_text(TESTS)
    return views


def run_tests(run, *arguments):
    return run("test", "views", "--engine", "duckdb", *arguments)


def test_all_pass(run, simple):
    result = run_tests(run)
    assert result.exit_code == 0, result.output
    assert result.stdout == (
        "VIEW        TEST                                 RESULT\n"
        "sales.told  those without a gender are left out  passed\n"
        "sales.told  nobody                               passed\n\n"
        "2 of 2 tests passed.\n"
    )


def test_names_and_patterns_choose(run_json, simple):
    def chosen(*arguments):
        data = run_json("test", "views", "--engine", "duckdb", *arguments)
        return [each["test"] for each in data["tests"]]

    assert len(chosen("sales.told")) == len(chosen("TOLD")) == len(chosen("-k", "told")) == 2
    assert chosen("-k", "NOBODY") == ["nobody"]
    assert chosen("sales.names") == chosen("-k", "nothing") == []


def test_failures_and_errors(run, run_json, simple):
    path = simple / "sales" / "told.test.yaml"
    path.write_text(TESTS.replace("- {id: 1}\n", "- {id: 7}\n"))
    result = run_tests(run)
    assert result.exit_code == 3
    assert "views/sales/told.test.yaml: 1 row missing, 1 row unexpected" in result.stdout
    assert "1 of 2 tests passed; 1 failure." in result.stdout
    path.write_text(TESTS.replace("name: ann", "nam: ann"))
    data = run_json("test", "views", "--engine", "duckdb", code=1)
    assert data["counts"] == {"passed": 1, "failed": 0, "error": 1}
    assert data["tests"][0]["message"] == "ViewTestError: `customers`, row 1: no column `nam`"
    assert data["tests"][0]["details"] == ["did you mean: name"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema_version: 1\ntests: []\n", "told.test.yaml:2: "),
        ("schema_version: 1\ntests:\n  - name: x\n    expected: []\n", "told.test.yaml:3: "),
        ("a: [", "told.test.yaml:2: not valid YAML"),
        ("schema_version: 1\nschema_version: 1\n", "told.test.yaml:2: "),
    ],
)
def test_a_file_that_is_no_file_of_tests(run, simple, text, message):
    (simple / "sales" / "told.test.yaml").write_text(text)
    result = run_tests(run)
    assert result.exit_code == 1
    assert message in result.stdout


def test_tests_of_a_view_that_is_gone(run, simple):
    vs.TableEnvironment("file:./views").drop_view("sales.told")
    result = run_tests(run)
    assert result.exit_code == 1
    assert "told" in result.stdout


def test_a_name_that_is_no_view_is_told(run, simple):
    result = run_tests(run, "sales.tolld")
    assert result.exit_code == 1
    assert "did you mean: sales.told" in result.stderr


def test_names_are_shown_as_they_are_spelled(run, place):
    env = vs.TableEnvironment("file:./views")
    env.create_database("My Shop")
    env.use_database("My Shop")
    env.create_view("`One Row`", env.sql_query("SELECT 1 AS a"))
    text = "schema_version: 1\ntests:\n  - {name: one, expect: [[1]]}\n"
    (place / "views" / "my%20shop" / "one%20row.test.yaml").write_text(text)
    (place / "views" / "my%20shop" / "other.test.yaml").write_text(text)
    result = run_tests(run)
    assert "`My Shop`.`One Row`  one   passed" in result.stdout
    assert "`My Shop`.other" in result.stdout


def test_other_commands_leave_tests_alone(run, simple):
    assert "told.test" not in run("list", "views").stdout
    assert run("check", "views").exit_code == 0
    env = vs.TableEnvironment("file:./views")
    env.rename_view("sales.told", "sales.said")
    assert (simple / "sales" / "told.test.yaml").exists()


def test_junit(run, simple):
    assert run_tests(run, "--junit", "report.xml").exit_code == 0
    suite = ET.parse("report.xml").getroot()
    assert suite.attrib["tests"] == "2"
    assert [case.attrib["name"] for case in suite.iter("testcase")] == [
        "told: those without a gender are left out",
        "told: nobody",
    ]


def test_only_catalogs_of_files_have_tests_beside_views(run):
    env = vs.TableEnvironment("sqlite:///views.sqlite")
    env.create_database("sales")
    result = run("test", "sqlite:///views.sqlite")
    assert result.exit_code == 1
    assert "no catalog of files" in result.stderr


@pytest.mark.spark
def test_in_spark(run, simple, spark):
    result = run("test", "views")
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("2 of 2 tests passed.\n")
