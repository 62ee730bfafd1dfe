"""Everything that reads documents, with real documents of each kind."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from click.testing import CliRunner

import viewscribe as vs
from examples.tpch.queries import QUERIES, tables
from tests.cli.test_export import model, write_target
from tests.environments.migration.worlds import environment, shop, tables_alone
from tests.fuzz.mutations import Form
from viewscribe import col
from viewscribe.catalog_store import (
    CatalogManager,
    FileCatalog,
    FunctionDocument,
    MemoryCatalog,
    check,
    open_catalog,
)
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.types import UnknownTypeError, columns_of, schema_json
from viewscribe.catalog_store.lineage import LineageGraph
from viewscribe.catalog_store.stores.hive import concurrency as hive_databases
from viewscribe.catalog_store.stores.hive import functions as hive_functions
from viewscribe.catalog_store.stores.hive import states as hive_states
from viewscribe.catalog_store.stores.hive.records import (
    ColumnRecord,
    DatabaseRecord,
    ResourceRecord,
    TableRecord,
)
from viewscribe.catalog_store.stores.iceberg import export_view, import_view
from viewscribe.catalog_store.stores.iceberg.rest import records as iceberg_records
from viewscribe.catalog_store.stores.iceberg.rest.states import read_line
from viewscribe.catalog_store.stores.iceberg.types import store_view
from viewscribe.cli.app import app
from viewscribe.cli.verification import Outcome, ProofRecord, outcome_data
from viewscribe.environments import load_environments
from viewscribe.environments.migration import apply_plan, journal_of, make_plan, rollback_plan
from viewscribe.environments.migration.journal import read_plan, write_plan
from viewscribe.environments.migration.model import Plan, plan_id
from viewscribe.errors import ViewscribeError
from viewscribe.export.folder import RECORD, write_folder
from viewscribe.serializer.plan_document import from_plan, to_plan
from viewscribe.site.build import MANIFEST, OutputFolder
from viewscribe.snapshots.marker import Marker, read_marker
from viewscribe.snapshots.rows.case_files import Case, find_cases
from viewscribe.snapshots.rows.comparison import RowsDifferError
from viewscribe.spark.report import Check, VerificationReport
from viewscribe.types.foreign_schemas import avro_type

Read = Callable[[bytes, int, random.Random], None]
"""Reads what one of the originals, by its place, has become."""


class Reader(NamedTuple):
    """What reads documents of one kind.

    Args:
        originals: real documents.
        form: how they are written.
        read: reads a document to its end; raises only errors of ours.
    """

    originals: Sequence[bytes]
    form: Form
    read: Read


def tried(*calls: Callable[[], Any]) -> None:
    """Does one after the other, whatever is refused."""
    for call in calls:
        with suppress(ViewscribeError):
            call()


def readers(home: Path) -> dict[str, Reader]:
    """All of them by name.

    Args:
        home: the working directory, an empty folder in which they find and write files.
    """
    made = home / "views"
    _make_catalog(made)
    return {
        **_of_catalogs(home, made),
        **_of_rows(home, made),
        **_of_hive(made),
        **_of_iceberg(made),
        **_of_migrations(home),
        **_of_projects(home, made),
        **_of_folders(home),
        **_of_texts(made),
    }


TESTS = """\
schema_version: 1
overrides: {current_date: "2026-01-31"}
given:
  customers:
    - {id: 1, name: ann, gender: f}
    - {id: 2, name: bob}
tests:
  - name: those without a gender are left out
    ordered: true
    tolerance: 0.001
    expect:
      - {id: 1, gender: f}
"""


def _make_catalog(place: Path) -> None:
    """A catalog of files with everything that there is in catalogs."""
    env = vs.TableEnvironment(FileCatalog(place))
    env.create_database("sales", comment="what is sold")
    env.use_database("sales")
    columns = "id BIGINT NOT NULL, name STRING COMMENT 'as told', gender STRING"
    env.create_table("customers", columns, format="parquet", location="/data/customers")
    env.execute_sql("CREATE FUNCTION net(x DOUBLE DEFAULT 1) RETURNS DOUBLE RETURN x / 1.19")
    env.catalogs.save(
        FunctionDocument(
            database="sales",
            name="clean",
            function_kind="scalar",
            language="python",
            class_name="shop.texts:clean",
            returns="STRING",
        )
    )
    told = env.from_path("customers").filter(col("gender").is_not_null()).select("id", "gender")
    env.create_view("told", told, comment="Those who told us\nmore", properties={"team": "crm"})
    env.create_view("told", told.distinct(), or_replace=True)
    env.create_view("told", told, or_replace=True)
    (place / "sales" / "told.test.yaml").write_text(TESTS)
    env.execute_sql(
        "CREATE VIEW nets (id COMMENT 'of whom', net) AS WITH x AS (SELECT *, net(id) AS n, "
        "row_number() OVER (PARTITION BY gender ORDER BY id) AS r FROM customers) "
        "SELECT x.id, sum(n) FROM x JOIN told USING (id) WHERE r < 5 AND x.name LIKE 'a%' "
        "GROUP BY x.id HAVING count(*) > 1 ORDER BY 1 LIMIT 10"
    )
    env.create_database("tpch")
    env.use_database("tpch")
    tables(env, Path("data"))
    for name in ("q01", "q13", "q21"):
        env.create_view(name, QUERIES[name](env))


def _bytes(place: Path, pattern: str) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in sorted(place.rglob(pattern))}


# -- catalogs of files -----------------------------------------------------------------------------


def use(catalog: Any) -> None:
    """What programs do with a catalog that only read it."""
    manager = CatalogManager(catalog)
    env = vs.TableEnvironment(catalog)
    tried(lambda: check(catalog, notes=True), lambda: LineageGraph.load(manager))
    tried(lambda: [*catalog.overviews()] if hasattr(catalog, "overviews") else None)
    for database in ("sales", "tpch"):
        tried(lambda database=database: catalog.get_database(database))  # type: ignore[misc]
        with suppress(ViewscribeError):
            for each in catalog.list_objects(database):
                _use_object(catalog, env, each)


def _use_object(catalog: Any, env: vs.TableEnvironment, id_: Any) -> None:
    tried(
        lambda: catalog.get(id_.kind, id_.database, id_.name),
        lambda: catalog.history(id_.kind, id_.database, id_.name),
    )
    if id_.kind != "function":
        tried(lambda: env.from_path(f"`{id_.database}`.`{id_.name}`").to_sql())


COMMANDS = (
    ("list", "views"),
    ("show", "views", "sales.told"),
    ("show", "views", "sales.nets", "--json"),
    ("sql", "views", "sales.nets", "--style", "pipe"),
    ("sql", "views", "tpch.q13", "--dialect", "duckdb"),
    ("lineage", "views", "sales.nets"),
    ("log", "views", "sales.told"),
    ("diff", "views", "sales.told"),
    ("check", "views"),
    ("check", "views", "--format", "sarif"),
    ("accept", "views", "sales.told"),
    ("test", "views", "--engine", "duckdb"),
    ("site", "views", "-o", "out"),
    *(
        ("export", "views", "--to", each, "-o", "out", "--skip")
        for each in ("dbt", "sqlmesh", "spark-pipelines", "sql", "openlineage", "datahub")
    ),
    ("export", "views", "sales.told", "--iceberg", "out.json"),
    ("plan", "file:views", "file:prod", "-o", "plan.json"),
    ("rollback", "views", "sales.told", "--to", "1", "--yes"),
)


def run(*arguments: str) -> None:
    """Runs a command, which must not end in anything but a told error."""
    result = CliRunner().invoke(app, list(arguments))
    code = result.exit_code in (0, 1, 2, 3)
    if not code or "run it again with -vv" in result.output:
        told = CliRunner().invoke(app, [*arguments, "-vv"]).output
        raise AssertionError(f"viewscribe {' '.join(arguments)}: {told}")


def _of_catalogs(home: Path, made: Path) -> dict[str, Reader]:
    kinds = {
        "view": "*.view.yaml",
        "table": "*.table.yaml",
        "function": "*.function.yaml",
        "database": "_database.yaml",
        "history": "0*.yaml",
        "case file": "*.test.yaml",
    }
    return {
        kind: _of_files(home, made, _bytes(made, pattern), rarely=kind == "case file")
        for kind, pattern in kinds.items()
    }


def _of_files(home: Path, made: Path, files: dict[Path, bytes], *, rarely: bool) -> Reader:
    def read(data: bytes, of: int, rng: random.Random) -> None:
        place = [*files][of]
        place.write_bytes(data)
        try:
            if rarely:
                _run_cases(FileCatalog(made))
            else:
                use(FileCatalog(made))
            if rng.random() < 0.3:
                run(*rng.choice(COMMANDS))
        finally:
            _restore(made, files, place)
            for each in ("out", "prod"):
                shutil.rmtree(home / each, ignore_errors=True)
            for name in ("out.json", "plan.json"):
                (home / name).unlink(missing_ok=True)

    return Reader([*files.values()], "yaml", read)


def _restore(made: Path, files: dict[Path, bytes], changed: Path) -> None:
    """What commands stored is taken back, too."""
    for place, data in files.items():
        if place == changed or not place.exists() or place.stat().st_size != len(data):
            place.write_bytes(data)


def _run_cases(catalog: FileCatalog) -> None:
    env = vs.TableEnvironment(catalog)
    for case in find_cases(catalog):
        if isinstance(case, Case):
            with suppress(RowsDifferError):
                tried(lambda case=case: case.run(env, "duckdb"))  # type: ignore[misc]


# -- catalogs in databases -------------------------------------------------------------------------


def _of_rows(home: Path, made: Path) -> dict[str, Reader]:
    place = home / "rows.db"
    catalog: Any = open_catalog(f"sqlite:{place}")
    documents = [each.document for each in FileCatalog(made).load_all()]  # type: ignore[union-attr]
    for each in documents:
        if each.kind == "database":
            catalog.create_database(each)
    for each in documents:
        if each.kind != "database":
            token = catalog.create(each)
            catalog.replace(msgspec.structs.replace(each, comment="again"), expected=token)
    kept = home / "kept.db"
    _copy_database(place, kept)

    def change(statement: str, *values: Any) -> list[Any]:
        with closing(sqlite3.connect(place)) as connection, connection:
            return connection.execute(statement, values).fetchall()

    places = {
        "viewscribe_databases": ("key", "name", "document"),
        "viewscribe_objects": ("home", "space", "key", "kind", "name", "document"),
        "viewscribe_versions": ("number", "document"),
    }

    def read(data: bytes, of: int, rng: random.Random) -> None:
        table = rng.choice([*places])
        column = rng.choice(("document", rng.choice(places[table])))
        # SQLite's columns hold anything.
        value = rng.choice((data.decode("utf-8", "replace"), data, rng.choice(("", -1, 1.5, b""))))
        (count,) = change(f"SELECT count(*) FROM {table}")[0]
        where = f"rowid = (SELECT rowid FROM {table} LIMIT 1 OFFSET {rng.randrange(count)})"
        change(f"UPDATE {table} SET {column} = ? WHERE {where}", value)
        try:
            use(catalog)
        finally:
            _copy_database(kept, place)

    documents = change("SELECT document FROM viewscribe_objects")
    return {"row": Reader([text.encode() for (text,) in documents], "json", read)}


def _copy_database(source: Path, target: Path) -> None:
    """Gives a database the content of another one, whoever has it open."""
    with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(target)) as other:
        one.backup(other)


# -- metastores ------------------------------------------------------------------------------------


def _texts(plain: Any) -> dict[str, str]:
    """What a metastore would keep of that: texts by text."""
    items = plain.items() if isinstance(plain, dict) else ()
    return {
        _letters(key): _letters(value if isinstance(value, str) else json.dumps(value))
        for key, value in items
    }


def _letters(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(data: bytes) -> Any:
    """As a server would take it to pieces, which is not strict; nothing where it would not."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return {}


def _of_hive(made: Path) -> dict[str, Reader]:
    written = [
        embedded_document.write(each.document, each.version)  # type: ignore[union-attr]
        for each in FileCatalog(made).load_all()
    ]
    relations = [each for each in written if each.document.kind in ("view", "table")]
    functions = [each for each in written if each.document.kind == "function"]
    databases = [each for each in written if each.document.kind == "database"]
    tables = [_hive_table(each) for each in relations]

    def read_parameters(data: bytes, of: int, rng: random.Random) -> None:
        record = tables[of].copy()
        record.parameters = _texts(_plain(data))
        tried(lambda: hive_states.state_of(record, "here"))

    def read_document(data: bytes, of: int, rng: random.Random) -> None:
        record = _hive_table(relations[of]._replace(text=_in_ascii(data)))
        tried(lambda: hive_states.state_of(record, "here"))

    def read_columns(data: bytes, of: int, rng: random.Random) -> None:
        record, told = rng.choice(tables).copy(), _plain(data)
        rows = told if isinstance(told, list) else [told]
        columns = [ColumnRecord(**_told(each, "name", "type", "comment")) for each in rows]  # type: ignore[arg-type]
        record.parameters = {}
        record.storage.columns = columns
        record.original_text = record.expanded_text = data.decode("utf-8", "surrogateescape")
        tried(lambda: hive_states.state_of(record, "here"))

    def read_function(data: bytes, of: int, rng: random.Random) -> None:
        written = functions[of]._replace(text=_in_ascii(data))
        record = hive_functions.write_function(written, None, None, 0)
        if rng.random() < 0.3:
            record.resources = [ResourceRecord(type=2, uri=f"000{data.decode('utf-8', 'replace')}")]
        tried(lambda: hive_functions.function_state(record, "here"))

    def read_database(data: bytes, of: int, rng: random.Random) -> None:
        written = databases[of]._replace(text=_in_ascii(data))
        record = hive_databases.write_database(written, DatabaseRecord(), "me")
        if rng.random() < 0.3:
            record.parameters = {**record.parameters, **_texts(_plain(data))}
        tried(lambda: hive_databases.read_database(record, "here"))

    def read_schema(data: bytes, of: int, rng: random.Random) -> None:
        with suppress(UnknownTypeError):
            columns_of(data.decode("utf-8", "replace"))

    schemas = [schema_json(each.document.columns).encode() for each in relations]
    columns = [{"name": "id", "type": "map<string,struct<a:int,b:array<decimal(10,2)>>>"}]
    return {
        "Hive parameters": Reader(
            [json.dumps(each.parameters).encode() for each in tables], "json", read_parameters
        ),
        "Hive document": Reader([each.text.encode() for each in relations], "json", read_document),
        "Hive columns": Reader([json.dumps(columns * 2).encode()], "json", read_columns),
        "Hive function": Reader([each.text.encode() for each in functions], "json", read_function),
        "Hive database": Reader([each.text.encode() for each in databases], "json", read_database),
        "Spark schema": Reader(schemas, "json", read_schema),
    }


def _in_ascii(data: bytes) -> str:
    """As documents of metastores are written."""
    return data.decode("utf-8", "replace").encode("ascii", "backslashreplace").decode()


def _told(plain: Any, *names: str) -> dict[str, str]:
    texts = _texts(plain)
    return {name: texts[name] for name in names if name in texts}


def _hive_table(written: embedded_document.Written) -> TableRecord:
    record = hive_states.new_record(written.document, "me")
    hive_states.fill(record, written, None, 1_700_000_000, "here")
    return record


# -- Iceberg ---------------------------------------------------------------------------------------


def _of_iceberg(made: Path) -> dict[str, Reader]:
    catalog = FileCatalog(made)
    histories = {
        each.name: catalog.history("view", "sales", each.name)
        for each in catalog.list_objects("sales", "view")
    }
    exported = [
        json.dumps(export_view(each, location="file:///x")).encode() for each in histories.values()
    ]

    def read_metadata(data: bytes, of: int, rng: random.Random) -> None:
        metadata = _plain(data)

        def store() -> None:
            home = MemoryCatalog()
            vs.TableEnvironment(home).create_database("sales")
            store_view(home, import_view(metadata))

        record = iceberg_records.view_record("sales", "told", {"metadata": metadata}, pinned=True)
        tried(store, lambda: import_view(metadata, ("sales", "x")))
        tried(lambda: read_line(record, "spark_catalog", "here"))

    return {"Iceberg metadata": Reader(exported, "json", read_metadata)}


# -- migrations ------------------------------------------------------------------------------------


def _of_migrations(home: Path) -> dict[str, Reader]:
    source, target = MemoryCatalog(), MemoryCatalog()
    shop(source)
    tables_alone(target)
    plan = make_plan(environment(source, "dev"), environment(target, "prod"))
    place = home / "release.json"
    write_plan(plan, place)
    write_plan(plan, home / "release.yaml")
    in_json, in_yaml = place.read_bytes(), (home / "release.yaml").read_bytes()
    apply_plan(plan, target, journal=journal_of(place))
    journal = journal_of(place).read_bytes()

    def fresh() -> MemoryCatalog:
        found = MemoryCatalog()
        tables_alone(found)
        return found

    def read_plan_of(name: str) -> Read:
        def read(data: bytes, of: int, rng: random.Random) -> None:
            (home / name).write_bytes(_with_id(data) if rng.random() < 0.5 else data)
            tried(lambda: apply_plan(read_plan(home / name), fresh()))
            tried(lambda: run("apply", name, "--dry-run"))

        return read

    def read_journal(data: bytes, of: int, rng: random.Random) -> None:
        for carry_out in (apply_plan, rollback_plan):
            journal_of(place).write_bytes(data)
            applied = fresh()
            tried(lambda applied=applied: apply_plan(plan, applied))  # type: ignore[misc]
            tried(
                lambda applied=applied, carry_out=carry_out: carry_out(  # type: ignore[misc]
                    plan, applied, journal=journal_of(place)
                )
            )
        place.write_bytes(in_json)
        tried(lambda: write_plan(plan, place))

    return {
        "plan in JSON": Reader([in_json], "json", read_plan_of("release.json")),
        "plan in YAML": Reader([in_yaml], "yaml", read_plan_of("release.yaml")),
        "journal": Reader([journal], "lines", read_journal),
    }


def _with_id(data: bytes) -> bytes:
    """A plan with the id that fits its steps, as whoever means harm would write it."""
    try:
        plain = json.loads(data)
        fields = {key: plain[key] for key in plain if key not in ("schema_version", "kind")}
        plan = msgspec.convert(fields, Plan)
        return json.dumps({**plain, "id": plan_id(plan.source, plan.target, plan.steps)}).encode()
    except (ValueError, TypeError, KeyError, msgspec.MsgspecError, RecursionError):
        return data


# -- projects --------------------------------------------------------------------------------------

PROJECT = """schema_version: 1
variables: {region: eu}
environments:
  dev:
    catalog: file:views
    spark: {spark.sql.ansi.enabled: true, spark.sql.session.timeZone: "${region}"}
    allow: {formats: [jdbc], locations: ["s3://x"], functions: [reflect]}
  prod:
    catalog: sqlite:prod.db
    catalog_name: spark_catalog
    python_modules: [shop]
    changed_functions: warn
    names:
      databases: {"*": "${region}_*"}
      catalogs: {spark_catalog: main}
"""


def _of_projects(home: Path, made: Path) -> dict[str, Reader]:
    proofs = home / "proofs.jsonl"
    views = [each.id for each in FileCatalog(made).load_all() if each.id.kind == "view"]
    checks = (Check("equal", "analyzed"), Check("different", "x", ["a", "b"]), Check("equal"))
    outcomes = [
        Outcome(views[0], 1.5, (), VerificationReport("v", *checks)),
        Outcome(views[1], 0.0, (), None, ViewscribeError("no", code="X", hint="h")),
    ]
    record = ProofRecord(proofs)
    for each in outcomes:
        record.add(each, "state")
    recorded = proofs.read_bytes()

    def read_proofs(data: bytes, of: int, rng: random.Random) -> None:
        proofs.write_bytes(data)

        def look() -> None:
            found = ProofRecord(proofs, rng.choice(("all", "proven")))
            for view in views:
                outcome = found.find(view, "state")
                if outcome is not None:
                    json.dumps(outcome_data(outcome)), [*outcome.lines()], outcome.status

        tried(look)

    def read_project(data: bytes, of: int, rng: random.Random) -> None:
        (home / "viewscribe.yaml").write_bytes(data)

        def look() -> None:
            file = load_environments("viewscribe.yaml")
            for name in file.names:
                assert repr(file[name])

        tried(look)
        if rng.random() < 0.1:
            run("environments")
        (home / "viewscribe.yaml").unlink()

    return {
        "proofs": Reader([recorded], "lines", read_proofs),
        "viewscribe.yaml": Reader([PROJECT.encode()], "yaml", read_project),
    }


# -- folders that are written again ----------------------------------------------------------------


def _of_folders(home: Path) -> dict[str, Reader]:
    out, site, dbt = home / "exported", home / "site", home / "dbt"
    write_folder(out, "sql", {"a.sql": "1", "b/c.sql": "2"})
    made = OutputFolder(site, ["index.html", "view/a.html"])
    made.write("index.html", "x")
    made.write("view/a.html", "y")
    made.finish()
    dbt.mkdir()
    target = write_target(
        dbt, model("a", "SELECT id FROM raw.orders"), model("b", "SELECT * FROM shop.a")
    )
    sql = home / "queries"
    sql.mkdir()

    def read_record(data: bytes, of: int, rng: random.Random) -> None:
        (out / RECORD).write_bytes(data)
        tried(lambda: write_folder(out, "sql", {"a.sql": "3", "b/c.sql": "4"}))

    def read_site(data: bytes, of: int, rng: random.Random) -> None:
        (site / MANIFEST).write_bytes(data)

        def write() -> None:
            folder = OutputFolder(site, ["index.html", "view/a.html"])
            folder.write("index.html", rng.choice("xyz"))
            folder.finish()

        tried(write)

    def read_manifest(data: bytes, of: int, rng: random.Random) -> None:
        (target / "manifest.json").write_bytes(data)
        run("check", "dbt/target")

    def read_queries(data: bytes, of: int, rng: random.Random) -> None:
        deep = rng.choice(("a.sql", "b/a.sql", "a/b/c.sql", "x y.sql", ".a.sql", "a.b.SQL"))
        for each in (sql / deep, sql / "t.sql"):
            each.parent.mkdir(parents=True, exist_ok=True)
        (sql / "t.sql").write_text("CREATE TABLE t (id INT, a ARRAY<INT>)")
        (sql / deep).write_bytes(data)
        run(*rng.choice((("check", "queries"), ("import", "queries", "--into", "imported"))))
        for folder in ("queries", "imported"):
            shutil.rmtree(home / folder, ignore_errors=True)

    queries = [QUERIES[name](_tpch()).to_sql().encode() for name in ("q01", "q13")]
    queries += [
        b"SELECT 1 AS x;\nSELECT 2 AS y;",
        b"SET spark.sql.ansi.enabled = false; SELECT id FROM t",
    ]
    return {
        "export record": Reader([(out / RECORD).read_bytes()], "json", read_record),
        "site manifest": Reader([(site / MANIFEST).read_bytes()], "json", read_site),
        "dbt manifest": Reader([(target / "manifest.json").read_bytes()], "json", read_manifest),
        "SQL files": Reader(queries, "text", read_queries),
    }


def _tpch() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    tables(env, Path("data"))
    return env


# -- texts -----------------------------------------------------------------------------------------

AVRO = {
    "type": "record",
    "name": "a.Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
        {"name": "next", "type": {"type": "array", "items": {"type": "map", "values": "string"}}},
        {"name": "of", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
    ],
}


def _of_texts(made: Path) -> dict[str, Reader]:
    plans = [
        json.dumps(to_plan(QUERIES[name](_tpch()).operation)).encode() for name in ("q01", "q04")
    ]

    def read_avro(data: bytes, of: int, rng: random.Random) -> None:
        tried(lambda: avro_type(data.decode("utf-8", "replace")))

    def read_plan_document(data: bytes, of: int, rng: random.Random) -> None:
        tried(lambda: from_plan(_plain(data)))

    def read_snapshot(data: bytes, of: int, rng: random.Random) -> None:
        root = made.parent / "snapshots"
        root.mkdir(exist_ok=True)
        (root / "young.sql").write_bytes(data)
        read_marker(root / "young.sql", root)

    marked = str(Marker("young", "tests/test_a.py", "test_young")).encode() + b"SELECT 1\n"
    return {
        "Avro schema": Reader([json.dumps(AVRO).encode()], "json", read_avro),
        "plan document": Reader(plans, "json", read_plan_document),
        "approved file": Reader([marked], "text", read_snapshot),
    }
