"""No command tells a secret, or steers a terminal: marks in every field, in whatever is written.

The commands come from the application itself: a new one has no runs here, and is asked for some.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result

import viewscribe as vs
from viewscribe.catalog_store import (
    Change,
    Column,
    DatabaseDocument,
    FunctionDocument,
    TableDocument,
    open_catalog,
)
from viewscribe.catalog_store.factory import SCHEMES
from viewscribe.cli.app import app
from viewscribe.errors import INVISIBLE

Run = Callable[..., Result]

MARK = re.compile(r"mk\d{3}Qz[0-9]")
CONTEXT = click.Context(app)


class Marks:
    """Gives each field a secret of its own, so that a leak names the field."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}

    def __call__(self, field: str) -> str:
        secret = f"mk{len(self.fields):03}Qz7"
        self.fields[secret] = field
        return secret

    def told(self, text: str) -> set[str]:
        """The fields whose secrets are in a text."""
        return {self.fields[each] for each in MARK.findall(text)}

    def settings(self, what: str) -> dict[str, str]:
        """Options or properties: with names that say so, and with values that hold one."""
        named = {name: self(f"{what} {name}") for name in (*NAMES, "key")}
        return named | {
            name: value.replace("MARK", self(f"{what} {name}")) for name, value in VALUES.items()
        }


NAMES = (
    *("password", "sfPassword", "token", "spark.sql.catalog.x.credential", "header.Authorization"),
    *("fs.azure.account.oauth2.client.secret.acct", "fs.azure.sas.lake", "fs.s3a.access.key"),
    *("private_key", "connectionString", "sasl.jaas.config", "signature", "api.key", "pwd"),
    *("auth", "auth.basic", "pem", "kms_key", "oauth2.refresh", "pat", "gcpJson", "hmac"),
)
VALUES = {
    "url": "jdbc:postgresql://db:5432/shop?user=ada&password=MARK",
    "sqlserver": "jdbc:sqlserver://db;user=ada;password=MARK;encrypt=true",
    "oracle": "jdbc:oracle:thin:scott/MARK@//db:1521/s",
    "userinfo": "postgresql://ada:x@MARK@db/shop",
    "web": "https://MARK@api.example/x",
    "query": "https://blob.example/x?se=1&sig=MARK&sp=r",
    "code": "https://api.example/cb?code=MARK",
    "encoded": "https://api.example/?pass%77ord=MARK",
    "without scheme": "ada:MARK@db/shop",
    "dbtable": "(SELECT dblink('host=db password=MARK'))",
    "dsn": "host=db user=ada password=MARK",
    "header": "Bearer MARK",
    "json": '{"private_key": "MARK"}',
}


@pytest.fixture
def marks() -> Marks:
    return Marks()


@pytest.fixture
def shop(place: Path, marks: Marks, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two environments; a catalog with a secret in each field of each kind of document."""
    for name in ("DB_PASSWORD", "API_TOKEN"):
        monkeypatch.setenv(name, marks(f"variable {name}"))
    monkeypatch.setenv("VIEWSCRIBE_AUTHOR", "ada")
    catalog = open_catalog("file:./views")
    env = vs.TableEnvironment(catalog)
    home = {"location": f"s3a://key:{marks('location of a database')}@lake/shop"}
    catalog.create_database(
        DatabaseDocument(name="shop", properties=marks.settings("property of a database"), **home)
    )
    for version in ("first", "second"):
        _store(catalog, _table(marks, version), marks, version)
    catalog.create(
        TableDocument(
            database="shop",
            name="files",
            columns=(Column("id", "BIGINT"),),
            format="parquet",
            location=f"https://{marks('location of a table')}@files.example/x",
        )
    )
    for version in ("first", "second"):
        properties = marks.settings(f"property of a view, {version}")
        env.create_view(
            "shop.totals", env.from_path("shop.orders"), properties=properties, or_replace=True
        )
    env.create_view("shop.ids", env.from_path("shop.totals").select("id"))
    catalog.create(
        FunctionDocument(
            database="shop",
            name="twice",
            function_kind="scalar",
            language="java",
            class_name="com.example.Twice",
            resources=(f"https://{marks('resource of a function')}@jars.example/x.jar",),
            properties=marks.settings("property of a function"),
        )
    )
    _make_odd(env)
    _make_target(marks)
    _damage(place, marks)
    (place / "views" / "shop" / "ids.test.yaml").write_text(TESTS)
    (place / "viewscribe.yaml").write_text(_environments(marks))
    (place / "queries").mkdir()
    for name in ("many", f"odd{ODD}"):
        (place / "queries" / f"{name}.sql").write_text("SELECT id, nothing FROM shop.orders")
    (place / "leaky.py").write_text(
        "def view(spark):\n"
        f"    raise RuntimeError('no postgresql://ada:{marks('error of a pipeline')}@db/x')\n"
    )
    monkeypatch.syspath_prepend(str(place))
    return place


TESTS = """\
schema_version: 1
given: {orders: [{id: 1}]}
tests:
  - {name: "all \\e]0;x\\a \\u202E", expect: [{id: 2}]}
"""
ODD = "o\x1b]0;x\x07\u202e"
"""What clears a terminal, rings and turns the direction of writing."""


def _make_odd(env: vs.TableEnvironment) -> None:
    """Names, comments and properties that would steer a terminal; a view that is out of date."""
    for columns in (f"`{ODD}` INT COMMENT 'c {ODD}', b INT", "b INT"):
        env.create_table(
            f"shop.`t{ODD}`",
            columns,
            comment=f"a {ODD}",
            properties={ODD: ODD},
            format="jdbc",
            options={ODD: ODD},
            or_replace=True,
        )
        if ODD in columns:
            view = env.from_path(f"shop.`t{ODD}`")
            env.create_view(f"shop.`v{ODD}`", view, comment=ODD, properties={ODD: ODD})
            env.create_view(f"shop.`w{ODD}`", env.from_path(f"shop.`v{ODD}`").select(f"`{ODD}`"))


def _table(marks: Marks, version: str) -> TableDocument:
    return TableDocument(
        database="shop",
        name="orders",
        columns=(Column("id", "BIGINT"), Column("password_hash", "STRING")),
        format="jdbc",
        options={"dbtable": "orders", **marks.settings(f"option of a table, {version}")},
        properties=marks.settings(f"property of a table, {version}"),
    )


def _store(catalog: Any, table: TableDocument, marks: Marks, version: str) -> None:
    change = Change(
        source=f"postgresql://ada:{marks(f'source of a version, {version}')}@db/x",
        reason=f"from https://{marks(f'reason of a version, {version}')}@api.example",
    )
    if version == "first":
        catalog.create(table, change=change)
    else:
        catalog.replace(table, expected=catalog.get("table", "shop", "orders").token, change=change)


def _make_target(marks: Marks) -> None:
    """Another catalog with the table, and with a view that has another secret."""
    catalog = open_catalog("file:./prod")
    catalog.create_database(DatabaseDocument(name="shop"))
    catalog.create(_table(marks, "of the target"))
    env = vs.TableEnvironment(catalog)
    properties = marks.settings("property of a view, of the target")
    env.create_view("shop.totals", env.from_path("shop.orders"), properties=properties)


def _damage(place: Path, marks: Marks) -> None:
    """Documents with values of another kind, and a view with a setting that none may have."""
    shop = place / "views" / "shop"
    wrong = {
        "options": {"password": [marks("option that is a list")]},
        "location": [f"https://{marks('location that is a list')}@files.example/x"],
        "properties": {"a": {"token": marks("property that is a mapping")}},
    }
    for number, (field, value) in enumerate(wrong.items()):
        table = {"schema_version": 1, "kind": "table", "database": "shop", "name": f"bad{number}"}
        plain = {**table, "columns": [], field: value}
        (shop / f"bad{number}.table.yaml").write_text(json.dumps(plain))
    text = (shop / "ids.view.yaml").read_text()
    setting = f"  spark.sql.catalog.x.credential: {marks('setting of a view')}\n"
    (shop / "hostile.view.yaml").write_text(
        text.replace("name: ids", "name: hostile", 1).replace(
            "settings:\n", f"settings:\n{setting}"
        )
    )


def _environments(marks: Marks) -> str:
    locations = [f"https://{marks('allowed location')}@files.example/"]
    spark = {
        "spark.hadoop.fs.s3a.secret.key": "${env:API_TOKEN}",
        "spark.sql.catalog.pg.url": "jdbc:postgresql://db/x?password=${env:DB_PASSWORD}",
        "spark.sql.catalog.lake.header.Authorization": "Bearer ${env:API_TOKEN}",
        "spark.plain": "${env:API_TOKEN}",
    }
    return json.dumps(
        {
            "schema_version": 1,
            "environments": {
                "dev": {
                    "catalog": "file:./views",
                    "spark": spark,
                    "allow": {"locations": locations, "formats": ["jdbc"]},
                },
                "prod": {"catalog": "file:./prod", "spark": spark},
                "server": {"catalog": "postgresql://ada:${env:DB_PASSWORD}@127.0.0.1:1/x"},
            },
        }
    )


STORED = ("property of a view", "property of a function", "resource of a function")
"""A plan holds documents as they will be stored, and so does its journal."""

EXACT = ("sql ", "lineage dev shop.ids --mermaid")
"""What writes texts that are to be copied: where nobody looks at them, they are as they are."""
BROUGHT = "--select shop.totals --select shop.ids --overwrite-drift"

RUNS: dict[str, Sequence[str]] = {
    "list": ("list dev", "list server", "list dev --database nothing"),
    "show": (
        *("show dev shop.orders", "show dev shop.totals", "show dev shop.twice"),
        *("show dev shop.files", "show dev shop.bad0", "show dev shop.hostile", "show dev no"),
        *(f"show dev shop.`{each}{ODD}`" for each in "tv"),
    ),
    "sql": ("sql dev shop.ids", "sql dev shop.ids --style pipe", "sql dev shop.bad1"),
    "lineage": (
        *("lineage dev shop.ids", "lineage dev shop.orders.id --downstream"),
        f"lineage dev shop.`w{ODD}`",
        *("lineage dev shop.ids --openlineage", "lineage dev shop.ids --mermaid"),
    ),
    "log": (
        "log dev shop.orders",
        "log dev shop.totals",
        "log server shop.orders",
        f"log dev shop.`t{ODD}`",
    ),
    "diff": (
        *("diff dev shop.orders@1", "diff dev shop.totals@1 shop.totals@2"),
        *("diff dev prod", "diff dev server", f"diff dev shop.`t{ODD}`@1"),
    ),
    "site": ("site dev -o pages",),
    "init": ("init fresh",),
    "save": (
        *(
            "save leaky:view shop.leaky --catalog dev",
            "save leaky:view a.b --catalog dev --dry-run",
        ),
        "save leaky:view shop.leaky --catalog dev --conf spark.x.password:SECRET",
    ),
    "import": (
        "import dev queries",
        "import dev queries/many.sql --dry-run",
        "import dev one.json",
    ),
    "export": (
        *(f"export dev shop.ids --to {each} -o out/{each}" for each in ("sql", "dbt", "datahub")),
        *(f"export dev --to {each} -o out/all-{each} --skip" for each in ("sql", "openlineage")),
        *(
            f"export dev --to {each} -o out/{each} --skip"
            for each in ("sqlmesh", "spark-pipelines")
        ),
        *("export dev shop.totals --iceberg out.json", "export dev shop.totals --iceberg -"),
        "export dev --to datahub -o out/all-datahub --skip",
    ),
    "accept": ("accept dev shop.ids", "accept dev shop.hostile"),
    "check": ("check dev", "check queries --catalog dev", "check server"),
    "test": (
        *("test dev --engine duckdb --junit tests.xml", "test dev --junit tests.xml"),
        "test server --engine duckdb",
    ),
    "verify": (
        *("verify dev --junit verify.xml", "verify ./views --record proofs.jsonl --junit all.xml"),
        *("verify server", "verify dev --rows --source server"),
    ),
    "environments": ("environments", "environments --config nowhere.yaml"),
    "plan": (
        *("plan dev prod -o plan.json --html plan.html", "plan dev prod --select shop.totals"),
        *("plan server dev", f"plan dev prod -o plan.yaml {BROUGHT}", f"plan dev prod {BROUGHT}"),
    ),
    "apply": ("apply plan.yaml --dry-run -y", "apply plan.yaml -y", "apply plan.json -y"),
    "rollback": ("rollback dev shop.totals --to 1 -y", "rollback plan.yaml -y"),
}
"""What each command is asked to do; some of it fails."""


def test_every_command_is_asked_for_something() -> None:
    assert list(RUNS) == app.list_commands(CONTEXT)


def formats_of(name: str) -> list[str]:
    command = app.get_command(CONTEXT, name)
    assert command is not None
    (option,) = [each for each in command.params if each.name == "format_"]
    assert isinstance(option.type, click.Choice)
    return list(option.type.choices)


WAYS = [(name, form) for name in app.list_commands(CONTEXT) for form in formats_of(name)]


@pytest.fixture
def failing_spark(marks: Marks, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Spark that does not start, and repeats what it was told."""

    def session(*, settings: Any = None, **_: Any) -> Any:
        raise RuntimeError(f"no Spark with {settings}, at {VALUES['url']}".replace("MARK", told))

    told = marks("error of Spark")
    monkeypatch.setattr("viewscribe.spark.local.local_session", session)


@pytest.mark.usefixtures("failing_spark")
@pytest.mark.parametrize(("name", "form"), WAYS)
def test_no_command_tells_a_secret(
    run: Run, shop: Path, marks: Marks, name: str, form: str
) -> None:
    known = {path: path.read_bytes() for path in files(shop)}
    if name in ("apply", "rollback"):
        run("plan", "dev", "prod", "-o", "plan.yaml", *BROUGHT.split())
        run("apply", "plan.yaml", "-y") if name == "rollback" else None
    codes = set()
    for line in RUNS[name]:
        result = run(*line.split(), "--format", form, "-vv")
        codes.add(result.exit_code)
        assert not isinstance(result.exception, Exception), result.exception
        assert marks.told(result.output) == set(), (line, result.output)
        is_exact = form == "text" and line.startswith(EXACT)
        assert is_exact or not INVISIBLE.search(result.output), (line, result.output)
    assert codes & {0, 3} or name in ("import", "save", "verify")
    refuse_marks_in_files(shop, marks, known)


def refuse_marks_in_files(shop: Path, marks: Marks, known: Mapping[Path, bytes]) -> None:
    """What was written besides catalogs and plans holds no secret."""
    for path in files(shop):
        told = marks.told(path.read_text(errors="replace"))
        if path.name.startswith("plan.") and path.suffix != ".html":
            told = {each for each in told if not each.startswith(STORED)}
        is_catalog = path.is_relative_to(shop / "views") or path.is_relative_to(shop / "prod")
        assert is_catalog or path in known or told == set(), path


def files(place: Path) -> list[Path]:
    return [each for each in place.rglob("*") if each.is_file() and each.suffix != ".pyc"]


@pytest.fixture
def asked_spark(marks: Marks, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Spark that starts, and whose errors repeat what it was told."""

    @contextmanager
    def session(**_: Any) -> Iterator[None]:
        yield None

    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError(f"cannot read {VALUES['userinfo']}".replace("MARK", told))

    told = marks("error of Spark")
    monkeypatch.setattr("viewscribe.spark.local.local_session", session)
    monkeypatch.setattr("viewscribe.spark.catalog_verification.CatalogVerifier.verify", fail)
    monkeypatch.setattr("viewscribe.spark.catalog_verification.CatalogVerifier.__enter__", fail)
    monkeypatch.setattr("viewscribe.spark.environments.check_view", fail)
    monkeypatch.setattr("viewscribe.spark.environments.rows_of", fail)
    monkeypatch.setattr("viewscribe.snapshots.rows.case_files.Case.run", fail)


@pytest.mark.usefixtures("asked_spark")
@pytest.mark.parametrize("form", formats_of("verify"))
def test_no_result_of_spark_tells_a_secret(run: Run, shop: Path, marks: Marks, form: str) -> None:
    known = {path: path.read_bytes() for path in files(shop)}
    for line in (
        "verify ./views --record proofs.jsonl --junit all.xml",
        *("verify ./views --record proofs.jsonl --resume", "test dev --junit tests.xml"),
        *("verify dev --junit dev.xml", "verify dev --rows --source prod"),
    ):
        result = run(*line.split(), "--format", form, "-vv")
        assert result.exit_code == 1
        assert "***@db/shop" in result.output.replace("\\", "")
        assert marks.told(result.output) == set(), (line, result.output)
    refuse_marks_in_files(shop, marks, known)


@pytest.fixture
def tidy_spark(spark: Any) -> Iterator[None]:
    """A session in which nothing stays of what was opened in it."""
    yield
    spark.sql("DROP DATABASE IF EXISTS shop CASCADE")


@pytest.mark.usefixtures("tidy_spark")
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_error_of_spark_itself_tells_a_secret(
    run: Run, shop: Path, marks: Marks, form: str
) -> None:
    known = {path: path.read_bytes() for path in files(shop)}
    for line in (
        "verify ./views --allow-format jdbc --record proofs.jsonl --junit all.xml",
        *("verify dev --junit dev.xml", "save leaky:view shop.leaky --catalog dev"),
    ):
        result = run(*line.split(), "--format", form, "-vv")
        assert result.exit_code in (1, 3)
        assert marks.told(result.output) == set(), (line, result.output)
    refuse_marks_in_files(shop, marks, known)


ADDRESSES = (
    *(
        "{0}://ada:{1}@127.0.0.1:1/x",
        "{0}://ada:a@{1}@127.0.0.1:1/x",
        "{0}://127.0.0.1:1?password={1}",
    ),
    *("{0}:https://{1}@127.0.0.1:1/?name=lake", "{0}:https://ada:{1}@127.0.0.1:1/?name=lake"),
    *(
        "{0}:http://127.0.0.1:1/?name=lake&token={1}",
        "{0}:http://127.0.0.1:1/?name=l&credential=a:{1}",
    ),
    "{0}:http://127.0.0.1:1/?name=lake&header.Authorization=Bearer {1}",
    "{0}:http://127.0.0.1:1/?name=lake&warehouse=s3://a:{1}@lake",
)


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("scheme", [*SCHEMES, "fiel"])
def test_no_address_of_a_catalog_tells_a_secret(
    run: Run, place: Path, marks: Marks, scheme: str, address: str
) -> None:
    url = address.format(scheme, marks("address"))
    for arguments in (["list", url], ["plan", url, "file:./a"], ["show", url, "x", "--json"]):
        for more in ([], ["-vv"]):
            result = run(*arguments, *more)
            assert marks.told(result.output) == set(), result.output
    (place / "viewscribe.yaml").write_text(
        json.dumps({"schema_version": 1, "environments": {"dev": {"catalog": url}}})
    )
    for arguments in (["environments"], ["list", "dev", "-vv"]):
        assert marks.told(run(*arguments).output) == set()


@pytest.mark.parametrize("address", ["{0}/;token={1}", "ada:{1}@{0}/", "{0}x/;token={1};user_id=a"])
def test_no_address_of_a_server_tells_a_secret(
    run: Run, place: Path, marks: Marks, address: str
) -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs it")
    url = "sc://" + address.format("127.0.0.1:1", marks("address"))
    result = run("list", url, "-vv")
    assert result.exit_code == 1
    assert marks.told(result.output) == set()


def test_a_part_of_a_password_is_no_host(run: Run, place: Path) -> None:
    """What stands behind the first @ would be looked up, and so be told to a server of names."""
    result = run("list", "postgresql://u:p@SECRET@127.0.0.1:1/x", "-vv")
    assert "has an @ too many\n  write %40 for an @ in a password" in result.stderr
    assert "SECRET" not in result.output


@pytest.mark.parametrize("name", [*NAMES, *VALUES])
def test_a_secret_in_the_open_is_refused_and_not_told(
    run: Run, place: Path, marks: Marks, name: str
) -> None:
    value = VALUES.get(name, "MARK").replace("MARK", marks(name))
    names = (name, f"spark.hadoop.{name}")
    opened, wrong = (
        [{"catalog": "file:./a", "spark": {each: given}} for each in names for given in several]
        for several in ((value,), ([value], {"password": value}, {name: [value]}))
    )
    wrong += [{"catalog": {"password": value}}, {name: value}, {"allow": {name: value}}]
    wrong += [{"catalog": given} for given in (value, [value])] if name in VALUES else []
    for environment in (*opened, *wrong):
        plain = {"schema_version": 1, "environments": {"dev": environment}}
        (place / "viewscribe.yaml").write_text(json.dumps(plain))
        for arguments in (["environments"], ["environments", "--json"], ["list", "dev", "-vv"]):
            output = run(*arguments).output
            assert marks.told(output) == set(), output
            assert environment in wrong or "a secret in the open" in output


def test_what_is_only_called_a_secret_is_shown(run: Run, place: Path) -> None:
    env = vs.TableEnvironment("file:./views")
    env.create_database("secrets")
    env.create_table("secrets.tokens", "password_hash STRING COMMENT 'the token', api_key INT")
    query = "SELECT password_hash FROM secrets.tokens WHERE password_hash = 'password=x'"
    env.create_view(
        "secrets.passwords", env.sql_query(query), comment="the secret: password hashes"
    )
    shown = run("show", "views", "secrets.tokens").stdout + run("list", "views").stdout
    for each in ("password_hash", "the token", "api_key", "secrets.passwords", "password hashes"):
        assert each in shown
    for arguments in (["sql", "views"], ["show", "views", "--json"], ["sql", "views", "--json"]):
        assert (
            "= 'password=x'"
            in run(arguments[0], arguments[1], "secrets.passwords", *arguments[2:]).stdout
        )
    out = run("export", "views", "--to", "sql", "-o", "out")
    assert "secrets are not exported" not in out.stderr
    (script,) = (place / "out" / "views").iterdir()
    assert "= 'password=x'" in script.read_text()


def test_a_change_of_a_secret_is_shown_without_it(run: Run, place: Path) -> None:
    catalog = open_catalog("file:./views")
    catalog.create_database(DatabaseDocument(name="shop"))
    columns = (Column("id", "INT"),)
    for password in ("old", "new"):
        table = TableDocument(
            database="shop",
            name="orders",
            columns=columns,
            format="jdbc",
            options={"password": password, "url": f"jdbc:x?password={password}"},
        )
        if password == "old":
            token = catalog.create(table)
        else:
            catalog.replace(table, expected=token)
    result = run("diff", "views", "shop.orders", "--json")
    assert json.loads(result.stdout)["fields"]["options"] == {
        "before": {"password": "***", "url": "jdbc:x?password=***"},
        "after": {"password": "*** (changed)", "url": "jdbc:x?password=*** (changed)"},
    }
    assert "old" not in run("diff", "views", "shop.orders").output


def test_an_exported_table_says_what_is_missing(run: Run, shop: Path) -> None:
    result = run("export", "dev", "shop.ids", "--to", "sql", "-o", "out")
    assert "place of *** in views/0001_shop.totals.sql, tables.sql" in result.stderr
    text = (shop / "out" / "tables.sql").read_text()
    assert "-- Secrets are not exported: write yours in the place of ***.\nCREATE TABLE" in text
    assert "'password' = '***'" in text
    assert "password=***'" in text
