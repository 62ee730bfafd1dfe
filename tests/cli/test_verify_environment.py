"""``viewscribe verify ENVIRONMENT``: in Spark, with reports for people, programs and CI."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import viewscribe as vs
from viewscribe import col

CONFIG = """\
schema_version: 1
environments:
  dev: {catalog: "file:./dev", names: {databases: {"*": check_dev_*}}}
  prod: {catalog: "file:./prod", names: {databases: {"*": check_prod_*}}}
"""


def shop(place, url, database, rows):
    data = place / database
    data.mkdir()
    (data / "part.csv").write_text(rows)
    env = vs.TableEnvironment(url)
    env.create_database(database)
    env.use_database(database)
    env.create_table("orders", "id BIGINT, amount DOUBLE", format="csv", location=str(data))
    return env


@pytest.fixture
def environments(place, run, spark):
    """``dev`` with two views, and ``prod``, to which they were brought."""
    (place / "viewscribe.yaml").write_text(CONFIG)
    dev = shop(place, "file:./dev", "check_dev_sales", "1,2.5\n2,3.5\n")
    dev.create_view("big", dev.from_path("orders").filter(col("amount") > 3))
    dev.create_view("ids", dev.from_path("orders").select("id"))
    prod = shop(place, "file:./prod", "check_prod_sales", "2,3.5\n1,2.5\n")
    run("plan", "dev", "prod", "-o", "plan.json")
    assert run("apply", "plan.json").exit_code == 0
    yield dev, prod
    for database in ("check_dev_sales", "check_prod_sales"):
        spark.sql(f"DROP DATABASE IF EXISTS {database} CASCADE")


def test_views_that_are_as_they_should_be(run, run_json, environments, place):
    result = run("verify", "prod", "--rows", "--junit", "report.xml", "-q")
    assert result.exit_code == 0, result.output
    assert result.stdout == (
        "VIEW                  OPENS  SCHEMA  ROWS   VERIFIED\n"
        "check_prod_sales.big  equal  equal   equal  rows equal (1 row)\n"
        "check_prod_sales.ids  equal  equal   equal  rows equal (2 rows)\n\n"
        "2 views of prod: rows equal 2.\n"
    )
    report = ElementTree.parse(place / "report.xml").getroot()
    assert report.attrib["tests"] == "2"
    assert report.attrib["failures"] == report.attrib["errors"] == "0"
    cases = [(each.attrib["classname"], each.attrib["name"]) for each in report.iter("testcase")]
    assert cases == [("check_prod_sales", "big"), ("check_prod_sales", "ids")]
    data = run_json("verify", "prod", "check_prod_sales.big")
    assert data["environment"] == "prod"
    assert data["views"][0]["report"]["rows"]["status"] == "not compared"


def test_options_for_catalogs_alone_are_refused(run, place):
    (place / "viewscribe.yaml").write_text(CONFIG)
    result = run("verify", "prod", "--jobs", "3", "--changed")
    assert result.exit_code == 2
    assert "--jobs, --changed: only for the views of a catalog" in result.stderr


def test_views_that_are_not(run, environments, place):
    _, prod = environments
    (place / "check_prod_sales" / "part.csv").write_text("1,2.5\n2,9.5\n")
    columns = prod.from_path("orders").select("id")
    prod.create_view("ids", columns, or_replace=True)
    document = place / "prod" / "check_prod_sales" / "ids.view.yaml"
    text = document.read_text().replace("{name: id, type: BIGINT}", "{name: id, type: STRING}", 1)
    document.write_text(text)
    gone = prod.from_path("ids").select("id")
    prod.create_view("gone", gone)
    broken = place / "prod" / "check_prod_sales" / "gone.view.yaml"
    broken.write_text(broken.read_text().replace("check_prod_sales.ids", "check_prod_sales.idz"))
    result = run("verify", "prod", "--rows", "--junit", "report.xml", "-q")
    assert result.exit_code == 3, result.output
    assert "rows different: the target gives 1 row, the source 1 row\n" in result.stdout
    assert "  only in the target: (id: 2, amount: 9.5)\n" in result.stdout
    assert "  only in the source: (id: 2, amount: 3.5)\n" in result.stdout
    assert "column 1 `id` is BIGINT in Spark, STRING in the stored columns" in result.stdout
    assert "opens different: Spark does not accept the text of view" in result.stdout
    assert result.stdout.endswith("3 views of prod: different 3.\n")
    report = ElementTree.parse(place / "report.xml").getroot()
    assert (report.attrib["tests"], report.attrib["failures"]) == ("3", "3")
    first = next(report.iter("failure"))
    assert first.attrib["message"].startswith("rows different: the target gives 1 row")
    assert "only in the target" in str(first.text)


def test_views_of_which_nobody_knows_where_they_come_from(run, environments):
    _, prod = environments
    prod.create_view("own", prod.from_path("orders"))
    result = run("verify", "prod", "check_prod_sales.own", "--rows", "-q")
    assert result.exit_code == 3
    assert "nothing says where the view comes from: name it with --source" in result.stdout
    result = run("verify", "prod", "check_prod_sales.own", "--source", "dev", "-q")
    assert "no view `own` in database `check_dev_sales`" in result.stdout


def test_a_report_that_cannot_be_written(run, environments):
    result = run("verify", "prod", "--junit", "no/where.xml", "-q")
    assert result.exit_code == 1
    assert "no/where.xml cannot be written" in result.stderr


@pytest.fixture
def many(environments, place):
    """Gives both environments a view of 1,500 rows, more than are compared one by one.

    The rows of ``prod`` stand in two files and backwards, and ``changes`` replace some of them.
    """

    def write(columns, line, changes, view="seen"):
        for env, database in zip(
            environments, ("check_dev_sales", "check_prod_sales"), strict=True
        ):
            data = place / f"{database}_{view}"
            data.mkdir()
            lines = [line(number) for number in range(1_500)]
            if database == "check_prod_sales":
                lines = [changes.get(number, each) for number, each in enumerate(lines)][::-1]
                (data / "b.csv").write_text("\n".join(lines[700:]))
                lines = lines[:700]
            (data / "a.csv").write_text("\n".join(lines))
            env.create_table(f"rows_{view}", columns, format="csv", location=str(data))
            env.create_view(view, env.from_path(f"rows_{view}"))

    return write


VERIFY = ("verify", "prod", "check_prod_sales.seen", "--rows", "--source", "dev")


def verified(run, place):
    """What the command tells people, and the only test case of its report for CI."""
    result = run(*VERIFY, "--junit", "report.xml", "-q")
    (case,) = ElementTree.parse(place / "report.xml").getroot().iter("testcase")
    return result, case


@pytest.mark.slow("Spark reads 1,500 rows from files, twice in two environments")
def test_many_rows_that_are_equal_in_another_order(run, run_json, many, place):
    many("id BIGINT, one STRING", "{0},a".format, {})
    result, case = verified(run, place)
    assert result.exit_code == 0, result.output
    assert (
        "check_prod_sales.seen  equal  equal   equal  rows equal (1,500 rows, by a digest of all)\n"
        in result.stdout
    )
    assert list(case) == []
    (view,) = run_json(*VERIFY)["views"]
    assert view["report"]["rows"] == {
        "status": "equal",
        "detail": "1,500 rows, by a digest of all",
        "differences": [],
    }


DIFFERENT = {
    "another_value": ("id BIGINT, one STRING", "{0},a", {700: "700,b"}),
    "null_on_the_other_side": (
        "id BIGINT, one STRING, two STRING",
        "{0},a,",
        {700: "700,,a"},
    ),
    "rows_that_are_there_several_times": (
        "id BIGINT, one STRING",
        "{0},a",
        {3: "3,b", 4: "3,b", 5: "3,b"},
    ),
}


@pytest.mark.slow("Spark reads three views of 1,500 rows from files, twice in two environments")
def test_some_of_many_rows_are_different(run, run_json, many, place):
    for view, (columns, line, changes) in DIFFERENT.items():
        many(columns, line.format, changes, view)
    command = ("verify", "prod", *(f"check_prod_sales.{view}" for view in DIFFERENT))
    command += ("--rows", "--source", "dev")
    result = run(*command, "--junit", "report.xml", "-q")
    assert result.exit_code == 3, result.output
    # One cause is told once, with the views that it is of.
    assert result.stdout.count("1,500 rows on both sides, with other values\n") == 1
    assert f"{len(DIFFERENT)} views: " in result.stdout
    cases = [*ElementTree.parse(place / "report.xml").getroot().iter("testcase")]
    assert {case.attrib["name"] for case in cases} == {*DIFFERENT}
    for case in cases:
        assert [each.tag for each in case] == ["failure"]
        assert case[0].attrib["message"].startswith("rows different: 1,500 rows on both sides")
    views = run_json(*command, code=3)["views"]
    found = [(each["status"], each["report"]["rows"]["status"]) for each in views]
    assert found == [("different", "different")] * len(DIFFERENT)


def test_many_floating_point_numbers_prove_nothing_where_they_differ(run, run_json, many, place):
    many("id BIGINT, one DOUBLE", "{0},0.3".format, {700: "700,0.30000000000000004"})
    result, case = verified(run, place)
    assert result.exit_code == 3
    assert "check_prod_sales.seen  equal  equal   not compared  schema only\n" in result.stdout
    assert [each.tag for each in case] == ["skipped"]
    (view,) = run_json(*VERIFY, code=3)["views"]
    assert view["report"]["rows"]["detail"].startswith("the digests differ, and floating point")


def test_another_number_of_many_rows(run, many, place):
    many("id BIGINT, one STRING", "{0},a".format, {700: "700,a\n700,a"})
    result, case = verified(run, place)
    assert "rows different: the target gives 1,501 rows, the source 1,500 rows\n" in result.stdout
    assert [each.tag for each in case] == ["failure"]
