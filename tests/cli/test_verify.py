"""``viewscribe verify``: first with reports made here, then in Spark."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe.catalog_store import Column, FileCatalog
from viewscribe.cli.commands import verify as module
from viewscribe.errors import ViewscribeError
from viewscribe.spark.report import Check, VerificationReport


def report_of(*states):
    """A report whose checks have the given states; the text is read back, if nothing is said."""
    schema, plan, rows, read_back = (
        Check(each, "" if each == "equal" else f"{each} here", ["- a", "+ b"])
        for each in (*states, "equal")[:4]
    )
    return VerificationReport("sales.young", schema, plan, rows, read_back)


class Verifier:
    """Takes the place of what asks Spark: verifies with ``verify``, in the order given."""

    in_turns = staticmethod(iter)

    def __init__(self, verify):
        self.verify = verify

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture
def reports(monkeypatch):
    """What verification finds, by the view's name; ``equal`` unless a test says otherwise."""
    found: dict[str, Any] = {}

    def report(database, name):
        found.setdefault("asked", []).append(name)
        result = found.get(name, report_of("equal", "equal", "equal"))
        if isinstance(result, BaseException):
            raise result
        return result

    @contextmanager
    def session(**options):
        found["session"] = options
        yield None

    monkeypatch.setattr(module, "_verifier", lambda *_: Verifier(report))
    monkeypatch.setattr("viewscribe.spark.local.local_session", session)
    return found


def test_all_equal(run, run_json, views, reports):
    result = run("verify", "views")
    assert result.exit_code == 0
    assert result.stdout == (
        "VIEW         SCHEMA  PLAN   ROWS   SOURCE  READ BACK  VERIFIED\n"
        "sales.names  equal   equal  equal  none    equal      proven\n"
        "sales.young  equal   equal  equal  none    equal      proven\n\n"
        "2 views: proven 2.\n"
    )
    assert result.stderr == (
        "Starting Spark ...\n[1/2] sales.names: proven\n[2/2] sales.young: proven\n"
    )
    assert run("verify", "views", "-q").stderr == ""
    assert "[1/2] sales.names: proven in 0.0 s\n" in run("verify", "views", "-v").stderr
    data = run_json("verify", "views", "sales.young")
    assert data["views"][0].pop("seconds") >= 0
    assert data == {
        "catalog": "file:views",
        "ok": True,
        "counts": {
            "views": 1,
            "proven": 1,
            "rows equal": 0,
            "schema only": 0,
            "different": 0,
            "failed": 0,
        },
        "views": [
            {
                "database": "sales",
                "name": "young",
                "status": "proven",
                "report": report_of("equal", "equal", "equal").to_json(),
                "error": None,
            }
        ],
    }


def test_differences(run, run_json, views, reports):
    reports["young"] = report_of("equal", "not compared", "different")
    result = run("verify", "views")
    assert result.exit_code == 3
    assert result.stdout.endswith(
        "sales.young  equal   not compared  different  none    equal      different\n\n"
        "sales.young\nplan not compared: not compared here\n  - a\n  + b\n"
        "rows different: different here\n  - a\n  + b\n\n"
        "2 views: proven 1, different 1. "
        "Look at the first with: viewscribe show file:views sales.young\n"
    )
    assert run_json("verify", "views", code=3)["ok"] is False


def test_what_cannot_be_proven_is_no_success(run, run_json, views, reports):
    reports["young"] = report_of("equal", "not compared", "not compared")
    result = run("verify", "views")
    assert result.exit_code == 3
    assert "2 views: proven 1, schema only 1." in result.stdout
    assert run_json("verify", "views", code=3)["views"][1]["status"] == "schema only"


def test_a_text_that_is_not_read_back_is_told(run, run_json, views, reports):
    reports["young"] = report_of("equal", "equal", "equal", "not compared")
    result = run("verify", "views")
    assert result.exit_code == 0
    assert "\nsales.young\nnot read back: not compared here\n" in result.stdout
    data = run_json("verify", "views")["views"][1]
    assert data["report"]["read_back"]["status"] == "not compared"
    reports["young"] = report_of("equal", "equal", "equal", "different")
    assert run("verify", "views").exit_code == 3


def test_one_that_fails_does_not_stop_the_others(run, run_json, views, reports):
    reports["names"] = ViewscribeError("no such path", code="SomeError", hint="look there")
    reports["young"] = report_of("different", "equal", "equal")
    result = run("verify", "views")
    assert result.exit_code == 1
    assert "\nsales.names\nSomeError: no such path\n  look there\n" in result.stdout
    assert "2 views: different 1, failed 1." in result.stdout
    reports["names"] = ValueError("bad\nworse")
    data = run_json("verify", "views", code=1)
    assert [each["status"] for each in data["views"]] == ["failed", "different"]
    assert data["views"][0]["error"]["message"] == "bad"


def test_a_damaged_view_fails_alone(run_json, damaged, monkeypatch):
    monkeypatch.setattr("viewscribe.spark.local.local_session", no_session)
    data = run_json("verify", "views", "sales.names", code=1)
    assert data["views"][0]["error"]["code"] == "DamagedDocumentError"


@contextmanager
def no_session(**_):
    yield None


def test_names_are_looked_up_before_spark_starts(run, run_json, views, reports):
    result = run("verify", "views", "sales.young", "sales.nmaes")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "ObjectNotFoundError: no view `sales.nmaes` in file:views\n  did you mean: sales.names\n"
    )
    error = run_json("verify", "views", "sales.customers", code=1)["error"]
    assert error["code"] == "WrongKindError"
    assert "session" not in reports


def test_no_views_no_spark(run, views, reports):
    for view in ("young", "names"):
        FileCatalog(views).delete("view", "sales", view)
    result = run("verify", "views")
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "file:views holds no views.\n",
        "",
    )
    assert "session" not in reports


def test_a_view_named_twice_is_verified_once(run_json, views, reports):
    data = run_json("verify", "views", "sales.young", "SALES.Young")
    assert data["counts"]["views"] == 1


def test_the_environment_names_the_catalog(run_json, views, reports, monkeypatch):
    monkeypatch.setenv("VIEWSCRIBE_CATALOG", "views")
    assert run_json("verify")["counts"]["views"] == 2
    assert run_json("verify", "sales.young")["counts"]["views"] == 1
    assert run_json("verify", "./views", "sales.young")["counts"]["views"] == 1
    assert run_json("verify", "file:views")["counts"]["views"] == 2


def test_options_reach_spark(run, views, reports):
    options = ["--master", "local[1]", "--conf", "a.b=c=d", "--conf", "e="]
    assert run("verify", "views", *options).exit_code == 0
    assert reports["session"] == {"master": "local[1]", "settings": {"a.b": "c=d", "e": ""}}


def test_a_master_or_a_server(run, views, reports):
    done = run("verify", "views", "--master", "local[1]", "--remote", "sc://127.0.0.1:1")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--master and --remote" in done.stderr


@pytest.mark.parametrize(
    "given", [("views", "--remote", "sc://127.0.0.1:1"), ("sc://127.0.0.1:1",)]
)
def test_a_server_that_does_not_answer(run, views, given):
    done = run("verify", *given)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "SparkUnavailableError: no Spark Connect server answers: " in done.stderr
    assert "onnect" in done.stderr
    assert "sc://host:15002" in done.stderr
    assert "InactiveRpcError" not in done.stderr
    # Nobody later takes the session that never was for the one to ask.
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    active = ConnectSession.getActiveSession()
    assert active is None or "127.0.0.1:1" not in str(active.client.host)


@pytest.mark.parametrize(
    "address",
    [
        "sc://127.0.0.1:port/;token=hid=den",
        "sc://127.0.0.1:1/;token=hid=den",
        "sc://127.0.0.1:1/hid=den;token=hid=den",
        "sc://127.0.0.1:1/;nothing;token=hid=den",
        "http://127.0.0.1:1/;token=hid=den",
    ],
)
def test_no_address_of_a_server_tells_its_token(run, views, address):
    for given in (("views", "--remote", address), (address,)):
        done = run("verify", *given)
        assert done.exit_code != 0
        assert "Error: " in done.stderr
        assert "ValueError" not in done.stderr
        assert "hid" not in done.stderr + done.stdout


def test_markdown(run, views, reports):
    reports["young"] = report_of("equal", "equal", "different")
    shown = run("verify", "views", "--format", "markdown").stdout
    cells = "✓ equal | ✓ equal | ✗ different | none | ✓ equal | ✗ different"
    assert f"| `sales.young` | {cells} |\n" in shown
    assert "\n### sales.young\n\nrows different: different here  \n" in shown


def test_without_java(views):
    environment = {**os.environ, "JAVA_HOME": "/nowhere"}
    done = subprocess.run(
        [sys.executable, "-m", "viewscribe", "verify", "views"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Starting Spark ...\nSparkUnavailableError: Spark does not start")
    assert "/nowhere/bin/java: No such file" in done.stderr
    assert "Java 17" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def shop(place, spark):
    """A catalog with data: one good view, one edited by hand, one whose table is gone."""
    env = vs.TableEnvironment("file:./shop")
    env.create_database("cli_shop")
    rows = place / "rows"
    rows.mkdir()
    (rows / "part.csv").write_text("1,Ann,DE\n2,Bob,FR\n")
    schema = "id BIGINT, name STRING, country STRING"
    env.create_table("cli_shop.customers", schema, format="csv", location=str(rows))
    env.create_table("cli_shop.gone", schema)
    german = env.from_path("cli_shop.customers").filter(col("country") == "DE")
    env.create_view("cli_shop.german", german.select(col("id"), col("name")))
    env.create_view("cli_shop.names", env.from_path("cli_shop.german").select(col("name")))
    env.create_view("cli_shop.lost", env.from_path("cli_shop.gone").select(col("name")))
    env.create_view("cli_shop.edited", german.select(col("name")))
    path = place / "shop" / "cli_shop" / "edited.view.yaml"
    path.write_text(path.read_text().replace("country = 'DE'", "country = 'FR'"))
    yield
    spark.sql("DROP DATABASE IF EXISTS cli_shop CASCADE")


def test_in_spark(run_json, shop):
    data = run_json("verify", "shop", code=1)
    found = {each["name"]: each for each in data["views"]}
    states = {name: each["status"] for name, each in found.items()}
    assert states == {
        "german": "proven",
        "names": "proven",
        "lost": "failed",
        "edited": "different",
    }
    assert found["names"]["report"]["rows"]["detail"] == "not needed: the plans are equal"
    assert found["edited"]["report"]["rows"]["status"] == "different"
    assert found["lost"]["error"]["code"] == "MissingSourceError"
    assert run_json("verify", "shop", "cli_shop.names")["ok"] is True
    assert run_json("verify", "shop", "cli_shop.edited", code=3)["ok"] is False
    whole = run_json("verify", "shop", "--all-rows", "--jobs", "3", code=1)["views"]
    assert [each["status"] for each in whole] == [each["status"] for each in data["views"]]
    (names,) = (each for each in whole if each["name"] == "names")
    assert names["report"]["rows"]["status"] == "equal"


def test_a_run_that_was_stopped_goes_on(run, run_json, views, reports, place):
    reports["young"] = KeyboardInterrupt()
    run("verify", "views", "--record", "seen.jsonl")
    assert reports.pop("asked") == ["names", "young"]
    (place / "seen.jsonl").write_text((place / "seen.jsonl").read_text() + '{"view": "sal')
    reports["young"] = report_of("equal", "not compared", "different")
    data = run_json("verify", "views", "--record", "seen.jsonl", "--resume", code=3)
    assert reports.pop("asked") == ["young"]
    assert [each.get("recorded") for each in data["views"]] == [True, None]
    assert [each["status"] for each in data["views"]] == ["proven", "different"]
    again = run_json("verify", "views", "--record", "seen.jsonl", "--resume", code=3)
    assert "asked" not in reports
    del reports["session"]
    for one, other in zip(data["views"], again["views"], strict=True):
        assert {**one, "recorded": True} == other


def test_what_is_proven_and_unchanged_is_left_out(run, run_json, views, reports):
    reports["young"] = ViewscribeError("no such path", code="SomeError", hint="look there")
    assert run("verify", "views", "--changed").exit_code == 1
    assert reports.pop("asked") == ["names", "young"]
    reports["young"] = report_of("equal", "equal", "equal")
    shown = run("verify", "views", "--changed")
    assert reports.pop("asked") == ["young"]
    told = "2 views: proven 2. 1 of them earlier, and nothing they depend on has changed.\n"
    assert shown.stdout.endswith(told)
    assert run("verify", "views", "--changed").exit_code == 0
    assert "asked" not in reports
    catalog = FileCatalog(views)
    stored = catalog.get("table", "sales", "customers")
    noted = msgspec.structs.replace(stored.document, comment="another")
    token = catalog.replace(noted, expected=stored.token)
    assert run("verify", "views", "--changed").exit_code == 0
    assert "asked" not in reports
    columns = (*noted.columns, Column("age", "INT"))
    catalog.replace(msgspec.structs.replace(noted, columns=columns), expected=token)
    assert run("verify", "views", "--changed").exit_code == 0
    assert reports.pop("asked") == ["names", "young"]
    assert run("verify", "views").exit_code == 0
    assert reports.pop("asked") == ["names", "young"]


@pytest.mark.parametrize("end", ["", "{", '{"vi', '{"view": "sal', "\0" * 40, '{"v\0\0'])
def test_a_record_that_was_cut_off(run, views, reports, place, end):
    assert run("verify", "views", "--record", "seen.jsonl").exit_code == 0
    first, second = (place / "seen.jsonl").read_text().splitlines(keepends=True)
    del reports["asked"]
    (place / "seen.jsonl").write_text(first + end)
    assert run("verify", "views", "--record", "seen.jsonl", "--resume").exit_code == 0
    assert reports.pop("asked") == ["young"]
    assert (place / "seen.jsonl").read_text() == first + second.replace("1.0", "0.0")
    assert run("verify", "views", "--record", "seen.jsonl", "--resume").exit_code == 0
    assert "asked" not in reports


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "Nothing was noted: with --record FILE, a run can be resumed.\n"),
        (("--record", "my seen.jsonl"), "Go on with: --record 'my seen.jsonl' --resume\n"),
        (("--changed",), "Go on with: --record viewscribe-verified.jsonl --resume\n"),
    ],
)
def test_who_stops_a_run_is_told_how_to_go_on(run, views, reports, options, told):
    reports["young"] = KeyboardInterrupt()
    result = run("verify", "views", *options)
    assert (result.exit_code, result.stdout) == (1, "")
    assert told in result.stderr


@pytest.mark.parametrize(
    "text", ["my notes\n", "my notes", '{"view": 1}\n', "[]\n", "{}\n", "\n", "{}"]
)
@pytest.mark.parametrize("option", ["-v", "--resume", "--changed"])
def test_a_file_of_another_kind_is_left_alone(run, views, reports, place, text, option):
    (place / "notes.txt").write_text(text)
    result = run("verify", "views", "--record", "notes.txt", option)
    assert result.exit_code == 1
    assert "notes.txt is no record of `viewscribe verify`\n  give another" in result.stderr
    assert (place / "notes.txt").read_text() == text
    assert "asked" not in reports


@pytest.mark.parametrize("path", ["missing/seen.jsonl", "."])
def test_a_record_that_cannot_be_written(run, views, reports, path):
    result = run("verify", "views", "--record", path)
    assert result.exit_code == 1
    assert f"the record {path} cannot be used" in result.stderr
    assert "asked" not in reports


def test_several_at_a_time(run_json, views, reports):
    together = threading.Barrier(2, timeout=30)

    def report(database, name):
        together.wait()
        return report_of("equal", "equal", "equal")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_verifier", lambda *_: Verifier(report))
        assert run_json("verify", "views", "--jobs", "2")["counts"]["proven"] == 2


def test_views_that_one_cause_breaks_are_told_together(run, run_json, views, reports):
    gone = ViewscribeError("the session has no table sales.gone", code="MissingSourceError")
    reports["young"] = reports["names"] = gone
    assert (
        "\n2 views: sales.names, sales.young\n"
        "MissingSourceError: the session has no table sales.gone\n\n"
        "2 views: failed 2."
    ) in run("verify", "views").stdout
    data = run_json("verify", "views", code=1)
    assert [each["error"]["code"] for each in data["views"]] == ["MissingSourceError"] * 2


def test_the_order_of_verifying_is_not_that_of_the_report(run_json, views, reports, monkeypatch):
    monkeypatch.setattr(Verifier, "in_turns", staticmethod(lambda some: iter(some[::-1])))
    for jobs in ("1", "3"):
        data = run_json("verify", "views", "--jobs", jobs)
        assert [each["name"] for each in data["views"]] == ["names", "young"]
    assert reports["asked"][:2] == ["young", "names"]
