"""Folders of ``.sql`` files: ``viewscribe check`` and ``viewscribe import``."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import viewscribe as vs

GOOD = {
    "tables.sql": """
        CREATE TABLE shop.customers (id BIGINT, name STRING, country STRING);
        CREATE TABLE shop.orders (id BIGINT, customer BIGINT, amount DECIMAL(10, 2));
    """,
    "shop/a_totals.sql": "SELECT c.name, sum(o.amount) AS total FROM shop.german AS c "
    "JOIN shop.orders AS o ON o.customer = c.id GROUP BY c.name;\n",
    "shop/z.sql": "-- who is German\nCREATE VIEW shop.german (id, name COMMENT 'as told') "
    "COMMENT 'Germans' AS SELECT id, name FROM shop.customers WHERE country = 'DE'",
    "shop.counted.sql": "SELECT count(*) AS n FROM SHOP.A_Totals",
}


def write(place: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = place / "queries" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def findings(run_json: Any, *options: str) -> dict[str, list[tuple[Any, ...]]]:
    data = run_json("check", "queries", *options, code=1)
    found: dict[str, list[tuple[Any, ...]]] = {}
    for each in data["findings"]:
        place = (each["line"], each["column"], each["code"])
        found.setdefault(each["file"].removeprefix("queries/"), []).append(place)
    return found


def test_a_folder_without_findings(run, run_json, place):
    write(place, GOOD)
    assert run("check", "queries").stdout.startswith("4 files checked, no findings.")
    data = run_json("check", "queries")
    assert data["counts"] == {"files": 4, "views": 3, "tables": 2, "findings": 0}


def test_a_folder_becomes_views(run, run_json, place):
    write(place, GOOD)
    data = run_json("import", "queries", "--into", "./views")
    assert data["views"] == ["shop.german", "shop.a_totals", "shop.counted"]
    env = vs.TableEnvironment("file:./views")
    german = env.get_view("shop.german")
    assert (german.comment, german.columns[1].comment) == ("Germans", "as told")
    assert str(env.from_path("shop.a_totals").schema) == (
        "name STRING COMMENT 'as told', total DECIMAL(20, 2)"
    )
    assert env.list_tables("shop") == ["customers", "orders"]
    assert run("check", "views").exit_code == 0


def test_an_import_stores_all_or_nothing(run, run_json, place):
    write(place, {**GOOD, "shop/last.sql": "SELECT nope FROM shop.orders"})
    assert run("import", "queries", "--into", "./views").exit_code == 1
    assert vs.TableEnvironment("file:./views").list_views("default") == []
    assert not (place / "views" / "shop").exists()


def test_an_import_drops_the_texts_that_it_is_told(run, run_json, place):
    """Of others' hands, which nobody can make anew."""
    env = vs.TableEnvironment("file:./views")
    env.create_database("shop")
    env.create_table("shop.t", "id BIGINT")
    env.create_view("shop.v", env.from_path("shop.t"), dialects=["trino"])
    write(place, {"shop/v.sql": "SELECT spark_partition_id() AS p FROM shop.t"})
    told = ("import", "./views", "queries", "--replace")
    refused = run(*told)
    assert refused.exit_code == 1
    assert "replace it without that text: --drop-dialect trino" in refused.stderr
    run_json(*told, "--drop-dialect", "trino")
    assert vs.TableEnvironment.open("file:./views").get_view("shop.v").representations == {}


def test_an_import_replaces_where_it_is_told(run, run_json, place):
    write(place, {"shop/v.sql": "SELECT 1 AS a"})
    assert run("import", "./views", "queries").exit_code == 0
    write(place, {"shop/v.sql": "SELECT 2 AS b", "shop/a.sql": "SELECT * FROM shop.v"})
    assert run("import", "./views", "queries").exit_code == 1
    env = vs.TableEnvironment("file:./views")
    assert env.list_views("shop") == ["v"]
    assert run("import", "./views", "queries", "--replace", "--dry-run").exit_code == 0
    assert env.list_views("shop") == ["v"]
    assert run("import", "./views", "queries", "--replace").exit_code == 0
    assert env.from_path("shop.a").columns == ["b"]
    assert len(env.history("shop.v")) == 2


def test_one_file(run, place):
    write(place, {"v.sql": "SELECT 1 AS a", "w.sql": "SELECT"})
    assert run("check", "queries/v.sql").exit_code == 0
    assert run("import", "queries/v.sql", "--into", "views").exit_code == 0
    assert vs.TableEnvironment("file:./views").list_views() == ["v"]


def test_tables_of_a_catalog(run, run_json, views, place):
    write(place, {"v.sql": "SELECT id + 1 AS next, upper(name) AS name FROM sales.young"})
    assert run("check", "queries", "--catalog", "views").exit_code == 0
    assert findings(run_json) == {"v.sql": [(1, 49, "DatabaseNotFoundError")]}
    write(place, {"v.sql": "SELECT id + array(1) AS a FROM sales.young"})
    assert list(findings(run_json, "--catalog", "views")) == ["v.sql"]


BAD = {
    "syntax.sql": ("SELECT a FROM (VALUES (1)) AS t(a) WHERE", [(1, 41, "SqlSyntaxError")]),
    "several.sql": (
        "SELECT nmae,\n  upper(id, 1),\n  id + 1 AS x\nFROM shop.customers",
        [(1, 8, "UnknownColumnError"), (2, 3, "ArityError")],
    ),
    "two.sql": ("SELECT 1 AS a;\nSELECT 2 AS b", [(2, 1, "SqlSyntaxError")]),
    "three.sql": (
        "CREATE TABLE t (a);\nSELECT a,, b FROM t GROUP;\nCREATE TABLE u (b INT,)",
        [(1, 18, "SqlSyntaxError"), (3, 23, "SqlSyntaxError")],
    ),
    "clauses.sql": (
        "SELECT id,\n  FROM shop.customers\nWHERE id =",
        [(2, 3, "SqlSyntaxError"), (3, 11, "SqlSyntaxError")],
    ),
    "twice.sql": ("SELECT id, id FROM shop.customers", [(1, 1, "NotSerializableError")]),
    "zz.sql": ("CREATE VIEW shop.german AS SELECT 1 AS a", [(1, 1, "DefinedTwiceError")]),
    "x/y/z.sql": ("SELECT 1 AS a", [(1, 1, "ValidationError")]),
    "insert.sql": ("INSERT INTO t SELECT 1", [(1, 1, "SqlSyntaxError")]),
    "passing.sql": ("CREATE TEMP VIEW v AS SELECT 1 AS a", [(1, 1, "SqlSyntaxError")]),
    "self.sql": ("SELECT *\nFROM self", [(2, 6, "CycleError")]),
    "one.sql": ("SELECT * FROM other", []),
    "other.sql": ("SELECT *\n  FROM one", [(2, 8, "CycleError")]),
    "string.sql": ("SELECT 'x", [(1, 8, "SqlSyntaxError")]),
    "empty.sql": ("", [(1, 1, "SqlSyntaxError")]),
    "remarks.sql": ("-- SELECT 1\n/* later */ ;\n", [(1, 1, "SqlSyntaxError")]),
    "LOUD.SQL": ("SELECT nope FROM shop.customers", [(1, 8, "UnknownColumnError")]),
    "follows.sql": ("SELECT a FROM several", []),
}


def test_each_finding_has_its_place(run_json, place):
    write(place, {**GOOD, **{name: text for name, (text, _) in BAD.items()}})
    assert findings(run_json) == {name: places for name, (_, places) in BAD.items() if places}


def test_text_is_as_compilers_write_it(run, place):
    write(place, {"v.sql": "SELECT 1 AS a,\n  nope"})
    result = run("check", "queries")
    assert result.exit_code == 1
    assert result.stdout == (
        "queries/v.sql:2:3: no column `nope` in the input\n"
        "\n"
        "      nope\n"
        "      ^\n"
        "    there is no FROM; for a value of the session write :nope\n"
        "\n"
        "1 file checked, 1 finding.\n"
    )


def test_annotations_are_escaped(run, place):
    write(place, {"a,b%.sql": "SELECT `no:\r\n%,pe`"})
    result = run("check", "queries", "--format", "github")
    assert result.exit_code == 1
    (line,) = result.stdout.splitlines()
    assert line.startswith(
        "::error file=queries/a%2Cb%25.sql,line=1,col=8,title=UnknownColumnError::no column"
    )
    assert "%25,pe" in line


SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs", "$schema"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {"type": "object", "required": ["id"]},
                                    }
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {
                        "type": "array",
                        "items": {"type": "object", "required": ["executionSuccessful"]},
                    },
                    "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                },
            },
        },
    },
    "$defs": {
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": -1},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": {"type": "object", "required": ["text"]},
                "locations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["physicalLocation"],
                        "properties": {
                            "physicalLocation": {
                                "type": "object",
                                "required": ["artifactLocation"],
                                "properties": {
                                    "region": {
                                        "type": "object",
                                        "properties": {
                                            "startLine": {"type": "integer", "minimum": 1},
                                            "startColumn": {"type": "integer", "minimum": 1},
                                        },
                                    }
                                },
                            }
                        },
                    },
                },
            },
        }
    },
}
"""What SARIF 2.1.0 says of the properties that are written."""


@pytest.mark.parametrize("files", [GOOD, {**GOOD, **{name: bad[0] for name, bad in BAD.items()}}])
def test_sarif_is_valid(run, place, files):
    write(place, files)
    log = json.loads(run("check", "queries", "--format", "sarif").stdout)
    jsonschema.Draft202012Validator(SARIF).validate(log)
    (made,) = log["runs"]
    expected = [] if files is GOOD else [each for _, places in BAD.values() for each in places]
    assert len(made["results"]) == len(expected)
    rules = [rule["id"] for rule in made["tool"]["driver"]["rules"]]
    for each in made["results"]:
        assert rules[each["ruleIndex"]] == each["ruleId"]


def test_places_with_blanks_are_uris(run, place):
    write(place, {"a b.sql": "SELECT"})
    log = json.loads(run("check", "queries", "--format", "sarif").stdout)
    (result,) = log["runs"][0]["results"]
    place_ = result["locations"][0]["physicalLocation"]
    assert place_["artifactLocation"]["uri"] == "queries/a%20b.sql"


def test_catalogs_have_the_formats_too(run, views):
    assert run("check", "views", "--format", "github").stdout == ""
    (views / "sales" / "young.view.yaml").write_text("kind: [")
    assert "::error file=" in run("check", "views", "--format", "github").stdout


def test_a_folder_without_files(run, place):
    (place / "empty").mkdir()
    assert run("check", "empty", "--catalog", "memory:").exit_code == 2
    assert run("import", "empty", "--into", "views", "--dry-run").exit_code == 2


def test_files_of_other_engines(run, run_json, views, place):
    write(
        place,
        {
            "a.sql": 'SELECT "id" FROM sales.young ORDER BY "id" DESC',
            "b.sql": "CREATE VIEW sales.b COMMENT 'x' AS\nSELECT id FROM a\nWHERE id > 1",
        },
    )
    options = ("--dialect", "trino")
    assert run("check", "queries", "--catalog", "views", *options).exit_code == 0
    assert run("import", "queries", "--into", "views", *options).exit_code == 0
    assert "ORDER BY id DESC" in vs.TableEnvironment("file:./views").get_view("a").sql
    write(
        place,
        {"c.sql": "SELECT id,\n  approx_distinct(id) FROM a", "d.sql": "SELECT\n nope FROM a"},
    )
    assert findings(run_json, "--catalog", "views", *options) == {
        "c.sql": [(2, 3, "NotSerializableError")],
        "d.sql": [(1, 1, "UnknownColumnError")],
    }
    shown = run("sql", "views", "queries/a.sql", "--from", "snowflake", "--style", "pipe").stdout
    assert "ORDER BY id DESC NULLS FIRST" in shown


def test_a_file_is_shown_whatever_wrote_it(run, place):
    Path("bom.sql").write_bytes(b"\xef\xbb\xbfSELECT 1 AS a\r\n")
    assert run("sql", "memory:", "bom.sql").stdout == "SELECT\n  1 AS a\n"
    Path("latin.SQL").write_bytes("SELECT 'ä' AS a".encode("latin-1"))
    result = run("sql", "memory:", "latin.SQL")
    assert result.exit_code == 1
    assert "SqlSyntaxError: the file is not in UTF-8" in result.stderr


def test_a_dry_run_needs_no_catalog(run, run_json, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, GOOD)
    data = run_json("import", "queries", "--into", "new", "--dry-run")
    assert (data["stored"], len(data["views"])) == (False, 3)
    assert data["catalog"] == "file:new"
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("import", "nosuch", "--into", "views"),
        ("import", "nosuch", "--into", "views", "--dry-run"),
        ("import", "nosuch.sql", "--into", "views"),
        ("check", "nosuch.sql"),
        ("check", "nosuch.sql", "--catalog", "views"),
    ],
)
def test_a_file_that_is_not_there_is_named(run, tmp_path, monkeypatch, arguments) -> None:
    monkeypatch.chdir(tmp_path)
    vs.TableEnvironment(vs.catalog_store.FileCatalog("views")).create_table("t", "a INT")
    result = run(*arguments)
    assert result.exit_code == 1
    assert "there is no file or folder nosuch" in result.stderr


def test_what_is_there_already_is_replaced_when_asked_to(run, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, GOOD)
    assert run("import", "queries", "--into", "views").exit_code == 0
    result = run("import", "queries", "--into", "views")
    assert result.exit_code == 1
    assert "with --replace; nothing was stored" in result.stderr
    assert run("import", "queries", "--into", "views", "--replace").exit_code == 0


def test_files_of_other_systems(run, run_json, tmp_path, monkeypatch) -> None:
    """A byte order mark, ends of lines of Windows, UTF-16; places are counted as editors do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queries").mkdir()
    mark = b"\xef\xbb\xbf"
    (tmp_path / "queries/t.sql").write_bytes(mark + b"CREATE TABLE t (a INT);\r\n")
    (tmp_path / "queries/v.sql").write_bytes(mark + b"SELECT\r\n  a\r\nFROM t\r\n")
    assert run("import", "queries", "--into", "views").exit_code == 0
    assert "\r" not in run("sql", "views", "v").stdout
    (tmp_path / "queries/v.sql").write_bytes(mark + b"SELECT\r\n  b\r\nFROM t\r\n")
    (tmp_path / "queries/w.sql").write_bytes("SELECT 1".encode("utf-16"))
    found = findings(run_json)
    assert found["v.sql"] == [(2, 3, "UnknownColumnError")]
    assert found["w.sql"] == [(1, 1, "SqlSyntaxError")]
    assert "save it as UTF-8" in run("check", "queries").stdout


def test_a_file_is_printed_without_a_catalog(run, run_json, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIEWSCRIBE_CATALOG", raising=False)
    file = tmp_path / "q.sql"
    file.write_text("CREATE TABLE t (a INT, b INT);\nSELECT a FROM t WHERE b > 1 ORDER BY 1")
    assert run("sql", "q.sql", "--style", "pipe").stdout.startswith("FROM spark_catalog.default.t")
    assert run_json("sql", "q.sql")["columns"] == [{"name": "a", "type": "INT"}]
    file.write_text("SELECT 1 AS x UNION ALL SELECT 2")
    assert run("sql", "q.sql").exit_code == 0
    file.write_text("SELECT a FROM t WHERE b >")
    result = run("sql", "q.sql")
    assert result.exit_code == 1
    assert "line 1, column 26" in result.stderr
    file.write_text("CREATE TABLE t (a INT)")
    assert "there is no query in q.sql" in run("sql", "q.sql").stderr
    assert "there is no file or folder no.sql" in run("sql", "no.sql").stderr
    file.write_text("SELECT a FROM t ORDER BY a; CREATE TABLE t (a INT)")
    result = run("sql", "q.sql", "--from", "hive")
    assert "NULLS FIRST or NULLS LAST" in result.stderr


def test_the_same_thing_about_two_queries_of_a_file_is_told_once(run, run_json, place):
    """Neither has a name, of which there are three parts."""
    write(place, {"a/b/c.sql": "SELECT 1 AS x;\nSELECT 2 AS y;"})
    assert findings(run_json) == {"a/b/c.sql": [(1, 1, "ValidationError")]}
    assert run("import", "queries", "--into", "./views").exit_code == 1


def test_each_statement_of_a_file_is_read_once(run_json, place):
    """And not again for every statement behind it."""
    tables = [f"CREATE TABLE shop.t{number} (id BIGINT, name STRING);" for number in range(1500)]
    write(place, {"tables.sql": "\n".join(tables)})
    before = time.process_time()
    assert run_json("check", "queries")["counts"]["tables"] == 1500
    assert time.process_time() - before < 5
