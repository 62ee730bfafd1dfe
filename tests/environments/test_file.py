"""viewscribe.yaml: what it says, and where it is wrong."""

from __future__ import annotations

import pickle

import pytest

from viewscribe.catalog_store import CatalogNotFoundError
from viewscribe.catalog_store.permissions import Permissions
from viewscribe.environments import (
    EnvironmentFileError,
    UnknownEnvironmentError,
    UnsetVariableError,
    environment_of,
    find_environments,
    load_environments,
)

GOOD = """\
schema_version: 1
variables:
  root: views
environments:
  dev:
    catalog: file:./${root}/dev
    names:
      databases:
        "*": dev_*
  prod:
    catalog: "sql:postgresql://viewscribe:${env:DB_PASSWORD}@db/views"
    catalog_name: main
    variables: {root: /srv, size: 3, on: true}
    spark:
      spark.sql.session.timeZone: Europe/Berlin
      spark.sql.shuffle.partitions: 8
      spark.custom: "${root} $${literal} ${env:DB_PASSWORD}"
      spark.ui.enabled: false
      spark.memory.fraction: 0.6
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write_(text):
        path = tmp_path / "viewscribe.yaml"
        path.write_text(text)
        return path

    return write_


def test_a_file_says_where_environments_are(write, monkeypatch):
    file = load_environments(write(GOOD))
    assert file.names == ["dev", "prod"]
    dev, prod = file["dev"], file["prod"]
    assert dev.url.endswith("/views/dev")
    assert dev.names.physical(("spark_catalog", "sales", "a")) == (
        "spark_catalog",
        "dev_sales",
        "a",
    )
    assert prod.catalog_name == "main"
    monkeypatch.setenv("DB_PASSWORD", "hunter2")
    assert prod.spark_settings() == {
        "spark.sql.session.timeZone": "Europe/Berlin",
        "spark.sql.shuffle.partitions": "8",
        "spark.custom": "/srv ${literal} hunter2",
        "spark.ui.enabled": "false",
        "spark.memory.fraction": "0.6",
    }


def test_secrets_are_only_of_the_process(write, monkeypatch):
    prod = load_environments(write(GOOD))["prod"]
    monkeypatch.setenv("DB_PASSWORD", "hunter2")
    assert "hunter2" not in repr(prod) + prod.shown_url + repr(prod.spark) + prod.url
    monkeypatch.delenv("DB_PASSWORD")
    with pytest.raises(UnsetVariableError, match="`DB_PASSWORD` is not set"):
        prod.open()
    url = "sql:postgresql://me:hunter2@db/views?password=hunter2&x=1"
    assert environment_of(url).shown_url == "sql:postgresql://me:***@db/views?password=***&x=1"
    assert "hunter2" not in repr(environment_of(url))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.hadoop.fs.s3a.secret.key", "${env:KEY}"),
        ("spark.hadoop.fs.azure.account.key.shop.dfs.core.windows.net", "${env:A}${env:B}"),
        ("spark.hadoop.fs.s3a.access.key", "${key}"),
        ("spark.authenticate.secret.enabled", "yes"),
        ("spark.kubernetes.authenticate.oauthTokenFile", "/run/token"),
        ("spark.security.token", "true"),
        ("spark.sql.session.timeZone", "UTC"),
    ],
)
def test_settings_that_are_no_secrets_or_only_name_them(write, key, value):
    variables = "    variables: {key: '${env:KEY}'}\n"
    shown = value if value == "true" else f"'{value}'"
    spark = f"    spark: {{{key}: {shown}}}\n"
    file = load_environments(write(HEAD + "    catalog: file:a\n" + variables + spark))
    assert file["dev"].spark[key] == value.replace("${key}", "${env:KEY}")


def test_the_file_is_looked_for_here_and_above(write, monkeypatch, tmp_path):
    assert find_environments() is None
    write(GOOD)
    here = find_environments()
    assert here is not None
    assert here.path == "viewscribe.yaml"
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    found = find_environments()
    assert found is not None
    assert found.path == str(tmp_path / "viewscribe.yaml")
    # A relative catalog is beside the file, wherever the command runs.
    assert found["dev"].url == f"file:{tmp_path}/views/dev"
    with pytest.raises(CatalogNotFoundError):
        found["dev"].open()


@pytest.mark.parametrize(
    ("url", "from_below"),
    [
        ("sqlite:views.db", "sqlite:{}/views.db"),
        ("sqlite:///data/views.db", "sqlite:{}/data/views.db"),
        ("sqlite:////srv/views.db", "sqlite:////srv/views.db"),
        ("sqlite:~/views.db", "sqlite:~/views.db"),
        ("file:views", "file:{}/views"),
        ("file:///srv/views", "file:///srv/views"),
        ("postgresql://me@db/views", "postgresql://me@db/views"),
    ],
)
def test_relative_places_are_beside_the_file(write, monkeypatch, tmp_path, url, from_below):
    path = write(f"schema_version: 1\nenvironments: {{dev: {{catalog: '{url}'}}}}\n")
    assert load_environments("viewscribe.yaml")["dev"].url == url
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert load_environments(path)["dev"].url == from_below.format(tmp_path)


def test_unknown_environments_bring_up_the_nearest(write):
    file = load_environments(write(GOOD))
    with pytest.raises(UnknownEnvironmentError, match="no environment `prd`") as caught:
        file["prd"]
    assert caught.value.hint == "did you mean: prod"


HEAD = "schema_version: 1\nenvironments:\n  dev:\n"


@pytest.mark.parametrize(
    ("text", "place", "cause"),
    [
        ("schema_version: 1\nschema_version: 1\n", "2:1", "given twice"),
        ("schema_version: 1\nenvironments: {dev: [}\n", "2:22", "not valid YAML"),
        ("schema_version: 1\nenvironments: &a {}\n", "2:15", "anchor"),
        ("schema_version: 9\nenvironments: {}\n", "1:17", "version 9 is newer than this"),
        ("- a\n", "1:1", "is a list"),
        ("schema_version: 1\n", "1:1", "'environments' is missing"),
        (HEAD + "    catalog: 3\n", "4:14", "3 is a whole number"),
        (HEAD + "    catalog: file:a\n    catlog_name: x\n", "5:18", "unknown key"),
        (HEAD + "    catalog: file:${rot}\n", "4:14", "there is no variable `rot`"),
        (
            HEAD + "    catalog: file:a\n    names:\n      databases:\n        dev_*: prod\n",
            "7:16",
            "one * on both sides",
        ),
        (HEAD + "    catalog: file:${env:}\n", "4:14", "`${env:}` names no variable"),
        (HEAD + "    catalog: file:${root\n", "4:14", "`${root` is not closed"),
        ("schema_version: 1\nenviroments: {}\n", "1:1", "  2:14: /enviroments: unknown key"),
        (HEAD + "    catalog: postgresql://me:hunter2@db/x\n", "4:14", "holds a secret"),
        (HEAD + "    catalog: postgresql://db/x?password=hunter2\n", "4:14", "holds a secret"),
        (HEAD + "    catalog: postgresql://me:a${env:PW}@db/x\n", "4:14", "holds a secret"),
        (
            HEAD + "    catalog: postgresql://me:${pw}@db/x\n    variables: {pw: hunter2}\n",
            "4:14",
            "the catalog's URL holds a secret in the open",
        ),
        (
            HEAD
            + "    catalog: file:a\n    spark:\n      spark.hadoop.fs.s3a.secret.key: hunter2\n",
            "6:39",
            "`spark.hadoop.fs.s3a.secret.key` holds a secret in the open",
        ),
    ],
)
def test_faults_have_line_and_column(write, text, place, cause):
    path = write(text)
    with pytest.raises(EnvironmentFileError) as caught:
        load_environments(path)
    assert str(caught.value).startswith(f"{path}:{place}: ")
    assert cause in str(caught.value)
    assert "hunter2" not in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.place) == (str(caught.value), caught.value.place)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(EnvironmentFileError, match="cannot be read: No such file"):
        load_environments(tmp_path / "viewscribe.yaml")


def test_modules_that_may_be_imported(write):
    lines = GOOD + "    python_modules: [shop, shop_extra.text]\n    changed_functions: warn\n"
    file = load_environments(write(lines))
    dev, prod = file["dev"], file["prod"]
    assert (dev.python_modules, dev.changed_functions) == ((), "refuse")
    assert (prod.python_modules, prod.changed_functions) == (("shop", "shop_extra.text"), "warn")


@pytest.mark.parametrize(
    "wrong", ["python_modules: shop", "python_modules: ['*']", "python_modules: [a-b]",
              "python_modules: ['']", "changed_functions: ignore"],
)  # fmt: skip
def test_what_names_no_module(write, wrong):
    key = wrong.partition(":")[0]
    with pytest.raises(EnvironmentFileError, match=key):
        load_environments(write(f"{GOOD}    {wrong}\n"))


ALLOW = """\
    allow:
      formats: [JDBC]
      locations: ["${root}/landing", "s3://${env:BUCKET}/jars"]
      functions: [reflect]
"""


def test_what_documents_may_reach(write, monkeypatch):
    file = load_environments(write(GOOD + ALLOW))
    assert file["dev"].permissions() == Permissions()
    with pytest.raises(UnsetVariableError, match=r"BUCKET.*which a location of prod needs"):
        file["prod"].permissions()
    monkeypatch.setenv("BUCKET", "own")
    assert file["prod"].permissions() == Permissions.of(
        ["jdbc"], ["/srv/landing", "s3://own/jars"], ["reflect"]
    )


@pytest.mark.parametrize(
    "wrong", ["formats: jdbc", "locations: ['']", "locations: ['${nowhere}']", "functoins: [a]"]
)
def test_what_allows_nothing(write, wrong):
    with pytest.raises(EnvironmentFileError) as caught:
        load_environments(write(f"{GOOD}    allow:\n      {wrong}\n"))
    assert caught.value.place is not None
