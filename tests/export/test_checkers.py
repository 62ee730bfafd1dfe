"""The tools themselves read what is exported for them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pyspark
import pytest
import yaml

import viewscribe as vs
from tests.export.checkers import run, tool
from tests.export.conftest import COMMENT
from viewscribe.catalog_store.circle.world import mean_the_same
from viewscribe.export import export_catalog
from viewscribe.table_api.sql_files import open_folder, store_folder
from viewscribe.types.identifiers import quote_identifier, quote_name

pytestmark = pytest.mark.slow("makes an environment of another tool, and runs that")


@pytest.fixture
def awkward(shop: vs.TableEnvironment) -> vs.TableEnvironment:
    """The shop, with a name that is no identifier and literals that look like Jinja."""
    shop.create_database("`o d`")
    query = shop.sql_query(
        "SELECT '{{ a }} {% b %} {# c #}' AS `x y`, id AS `{{ z }}` FROM sales.german"
    )
    shop.create_view("`o d`.`ü {{ z`", query, comment=COMMENT)
    return shop


SIGNS = [
    "{{",
    "}}",
    "{%",
    "%}",
    "{#",
    "#}",
    *"{}%#'\"\\.$@;/-&<",
    "\r",
    "\n",
    " ",
    "\u2028",
    "ä",
    "😀",
]


@pytest.fixture
def hostile(shop: vs.TableEnvironment) -> vs.TableEnvironment:
    """The shop, with names of databases, tables, columns and views made of such signs."""
    random = Random(7)
    names = ["".join(random.choices(SIGNS, k=random.randint(1, 5))) for _ in range(60)]
    for database, name, *columns in zip(*[iter(dict.fromkeys(names))] * 4, strict=False):
        distinct = dict.fromkeys([*columns, f"{name}`"])
        shop.create_database(quote_name([database]))
        types = ", ".join(f"{quote_name([each])} INT NOT NULL" for each in distinct)
        shop.create_table(quote_name([database, f" {name}"]), types)
        table = shop.from_path(quote_name([database, f" {name}"]))
        shop.create_view(quote_name([database, name]), table)
    return shop


def test_dbt_takes_names_as_they_are(hostile, catalog, tmp_path):
    dbt, out = tool("dbt") / "dbt", tmp_path / "out"
    found = export_catalog(catalog, "dbt", out, skip=True)
    assert len(found.views) > len(found.skipped)
    quiet = (dbt, "--no-send-anonymous-usage-stats", "--no-populate-cache")
    run(*quiet, "compile", "--no-introspect", cwd=out, packages=("pyspark", "py4j"))
    manifest = json.loads((out / "target/manifest.json").read_text())
    columns = {
        f"`{each.id.database}`.`{each.id.name}`": each.document.columns
        for each in catalog.load_all()
        if each.id.kind in ("view", "table")
    }
    tables = sum(each.id.kind == "table" for each in catalog.load_all())
    nodes = [*manifest["nodes"].values(), *manifest["sources"].values()]
    made = [each for each in nodes if each["resource_type"] in ("model", "source")]
    assert len(made) == len(found.views) + tables
    for each in made:
        assert list(each["columns"]) == [each.name for each in columns[each["relation_name"]]]
    tests = [each["compiled_code"].strip() for each in nodes if each["resource_type"] == "test"]
    assert sorted(tests) == sorted(
        f"select {name}\nfrom {each['relation_name']}\nwhere {name} is null"
        for each in made
        for column in columns[each["relation_name"]]
        if not column.nullable and (name := quote_identifier(column.name))
    )


def test_dbt_parses_and_compiles_a_project_that_is_imported_again(awkward, catalog, tmp_path):
    dbt, out = tool("dbt") / "dbt", tmp_path / "out"
    found = export_catalog(catalog, "dbt", out)
    assert len(found.views) == 5
    quiet = (dbt, "--no-send-anonymous-usage-stats", "--no-populate-cache")
    run(*quiet, "parse", cwd=out, packages=("pyspark", "py4j"))
    run(*quiet, "compile", "--no-introspect", cwd=out, packages=("pyspark", "py4j"))
    manifest = json.loads((out / "target/manifest.json").read_text())
    models = {each["alias"]: each for each in manifest["nodes"].values() if "alias" in each}
    assert models["ü {{ z"]["description"] == COMMENT
    assert models["ü {{ z"]["relation_name"] == "`o d`.`ü {{ z`"
    assert list(models["ü {{ z"]["columns"]) == ["x y", "{{ z }}"]
    env = vs.TableEnvironment(f"file:{tmp_path}/again")
    env.create_database("sales")
    for name in ("customers", "orders"):
        env.catalogs.save(awkward.catalogs.get("table", ("sales", name)).document)
    folder = open_folder(env, out / "target")
    assert [str(each) for each in folder.read()] == []
    store_folder(folder)
    for name in ("sales.german", "sales.days", "sales.totals", "hr.german", "`o d`.`ü {{ z`"):
        mine, theirs = awkward.get_view(name), env.get_view(name)
        assert (mine.sql, mine.columns, mine.settings) == (
            theirs.sql,
            theirs.columns,
            theirs.settings,
        )
        assert mine.comment == theirs.comment


_LOAD = """
import json, sys
from sqlmesh import Context
from sqlmesh.core.config import Config, GatewayConfig, ModelDefaultsConfig
from sqlmesh.core.config.connection import DuckDBConnectionConfig
given = json.loads(sys.argv[2])
connection = DuckDBConnectionConfig(catalogs={"spark_catalog": ":memory:"})
config = Config(
    gateways={"spark": GatewayConfig(connection=connection)},
    default_gateway=given["default_gateway"],
    model_defaults=ModelDefaultsConfig(**given["model_defaults"]),
    disable_anonymized_analytics=True,
)
found = {}
for model in Context(paths=sys.argv[1], config=config).models.values():
    found[model.name] = {
        "kind": model.kind.name.name,
        "description": model.description,
        "columns": {k: v.sql(dialect="spark") for k, v in (model.columns_to_types or {}).items()},
        "comments": model.column_descriptions,
        "query": model.render_query().sql(dialect="spark") if model.is_sql else None,
        "before": [each.sql(dialect="spark") for each in model.render_pre_statements()]
        if model.is_sql else [],
    }
print(json.dumps(found))
"""


def test_sqlmesh_loads_models_that_mean_the_views(shop, catalog, tmp_path):
    python = tool("sqlmesh") / "python"
    awkward = ("`d d`.`ä$ x-ı`", f"`d d`.`{'n ' * 70}n`", "sales.`1İß`")
    shop.create_database("`d d`")
    for name in awkward:
        shop.create_view(name, shop.sql_query("SELECT '@{x}' AS `ä$ x-ı`, id FROM sales.german"))
    hostile = ("`d d`.`a.b`", "sales.`it's`", "sales.`a\\\\b`", f"sales.`{'n ' * 99}n`")
    for name in hostile:
        shop.create_table(f"{name[:-1]}t`", "`'` INT")
        shop.create_view(name, shop.from_path(f"{name[:-1]}t`"))
    found = export_catalog(catalog, "sqlmesh", tmp_path / "out", skip=True)
    assert {each.view for each in found.skipped} == {"sales.days", *hostile}
    given = yaml.safe_load((tmp_path / "out" / "config.yaml").read_text())
    output = run(python, "-c", _LOAD, tmp_path / "out", json.dumps(given), cwd=tmp_path)
    models: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    assert models["sales.german"]["description"] == COMMENT
    assert models["sales.german"]["comments"]["name"] == "na'me\n\u2028"
    assert models["sales.totals"]["columns"] == {"name": "STRING", "Total": "DECIMAL(20, 2)"}
    assert models["sales.orders"]["kind"] == "EXTERNAL"
    assert "SET `spark.sql.session.timeZone` = UTC" in models["hr.german"]["before"]
    for name in ("sales.german", "sales.totals", "hr.german", *awkward):
        assert models[name]["kind"] == "VIEW"
        theirs = shop.sql_query(models[name]["query"]).operation
        view = shop.get_view(name)
        assert mean_the_same(shop.view_table(name).operation, theirs, view.settings)


_EVENTS = """
import json, sys
from openlineage.client import event_v2
from openlineage.client.generated import column_lineage_dataset as lineage
from openlineage.client.generated import schema_dataset, sql_job
facets = 0
for line in open(sys.argv[1], encoding="utf-8"):
    event = json.loads(line)
    job = event["job"]
    sql = {k: v for k, v in job["facets"]["sql"].items() if not k.startswith("_")}
    known = event_v2.Job(job["namespace"], job["name"], {"sql": sql_job.SQLJobFacet(**sql)})
    for each in event["outputs"]:
        fields = each["facets"]["schema"]["fields"]
        made = [schema_dataset.SchemaDatasetFacetFields(**field) for field in fields]
        schema_dataset.SchemaDatasetFacet(fields=made)
        def inputs(given):
            return [
                lineage.InputField(**{**i, "transformations":
                    [lineage.Transformation(**t) for t in i["transformations"]]})
                for i in given
            ]
        found = each["facets"]["columnLineage"]
        fields = {k: lineage.Fields(inputs(v["inputFields"])) for k, v in found["fields"].items()}
        lineage.ColumnLineageDatasetFacet(fields=fields, dataset=inputs(found["dataset"]))
        facets += len(fields)
    event_v2.JobEvent(eventTime=event["eventTime"], producer="https://example.org", job=known)
print(facets)
"""


def test_openlineage_knows_the_events(catalog, tmp_path):
    python = tool("openlineage") / "python"
    export_catalog(catalog, "openlineage", tmp_path / "out")
    events = tmp_path / "out" / "events.ndjson"
    assert int(run(python, "-c", _EVENTS, events, cwd=tmp_path)) == 2 + 3 + 2 + 2


_PROPOSALS = """
import pathlib, sys
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.ingestion.source.file import read_metadata_file
found = list(read_metadata_file(pathlib.Path(sys.argv[1])))
assert all(isinstance(each, MetadataChangeProposalWrapper) and each.validate() for each in found)
print(len(found))
"""


def test_datahub_reads_the_proposals(awkward, catalog, tmp_path):
    python = tool("datahub") / "python"
    export_catalog(catalog, "datahub", tmp_path / "out")
    proposals = tmp_path / "out" / "proposals.json"
    output = run(python, "-c", _PROPOSALS, proposals, cwd=tmp_path)
    assert int(output.splitlines()[-1]) == 2 * 4 + 5 * 6


@pytest.mark.usefixtures("spark")  # which needs what a pipeline needs; it runs in its own process
def test_spark_checks_a_pipeline(catalog, tmp_path):
    out = tmp_path / "out"
    export_catalog(catalog, "spark-pipelines", out, skip=True)
    tables = {
        "customers": "CAST(1 AS BIGINT) AS id, 'a' AS name, DATE'2020-01-01' AS `odd col`",
        "orders": "CAST(1 AS BIGINT) AS id, CAST(1 AS BIGINT) AS customer, "
        "CAST(1 AS DECIMAL(10, 2)) AS amount, TIMESTAMP'2020-01-01' AS ts",
    }
    for name, columns in tables.items():
        text = f"CREATE MATERIALIZED VIEW spark_catalog.sales.{name} AS SELECT {columns};\n"
        (out / "transformations" / f"{name}.sql").write_text(text)
    home = Path(pyspark.__file__).parent
    done = subprocess.run(
        [str(home / "bin" / "spark-pipelines"), "--conf", "spark.ui.enabled=false", "dry-run"],
        cwd=out,
        env={**os.environ, "SPARK_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    assert "Run is COMPLETED" in done.stdout + done.stderr
