"""What a stored text reaches is found, wherever it hides, and refused unless it was allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest

from tests.catalog_store.samples import function, table, view
from viewscribe import Table, TableEnvironment, call, col, lit
from viewscribe import functions as F
from viewscribe.catalog_store import DatabaseDocument, MemoryCatalog, Parameter, check
from viewscribe.catalog_store.functions import source_of
from viewscribe.catalog_store.gate import Gate
from viewscribe.catalog_store.permissions import (
    CLASSES,
    FUNCTIONS,
    ForbiddenSourceError,
    NotAQueryError,
    Permissions,
    permissions_in_force,
    raise_first,
)
from viewscribe.catalog_store.reach import refuse_in
from viewscribe.operations.nodes import CatalogSource
from viewscribe.operations.reach import Part, is_path
from viewscribe.parser.reach import read_reach
from viewscribe.parser.settings import make_reading
from viewscribe.types import STRING, Field
from viewscribe.types.lexemes import AuthorText

QUOTED = {"spark.sql.ansi.doubleQuotedIdentifiers": "true"}


def admit(
    text: str, given: Permissions | None = None, settings: Mapping[str, str] | None = None
) -> str:
    """Asks the gate without Spark."""
    gate = Gate(given or Permissions(), settings or {})
    return gate.admit(text, "the view v")


def settings_of(text: str) -> Mapping[str, str]:
    return QUOTED if 'FROM "' in text or '."' in text else {}


PATHS = {
    "SELECT * FROM text.`/etc/passwd`": [("text", "/etc/passwd")],
    "select * from\n\tTEXT . `/etc/passwd`": [("TEXT", "/etc/passwd")],
    "SELECT * FROM /* a */ csv.`/x` -- b": [("csv", "/x")],
    "SELECT * FROM json.relative": [("json", "relative")],
    "SELECT * FROM `my.Source`.`http://x`": [("my.Source", "http://x")],
    "SELECT * FROM a JOIN b USING (k), csv.`/x`": [("csv", "/x")],
    "SELECT * FROM a JOIN b ON a.k = b.k, csv.`/x`": [("csv", "/x")],
    "SELECT * FROM (a JOIN text.`/q` ON true)": [("text", "/q")],
    "FROM csv.`/x` |> WHERE a": [("csv", "/x")],
    "SELECT * FROM excel.`x`": [("excel", "x")],
    "FROM t |> JOIN csv.`/x`": [("csv", "/x")],
    "TABLE parquet.`/y`": [("parquet", "/y")],
    "WITH c AS (SELECT * FROM avro.`a b`) SELECT * FROM c": [("avro", "a b")],
    "SELECT (SELECT max(value) FROM text.`/p`) FROM t": [("text", "/p")],
    "SELECT * FROM t WHERE a IN (SELECT b FROM u, xml.f)": [("xml", "f")],
    "SELECT x FROM t LATERAL VIEW explode(a) v AS x WHERE EXISTS (SELECT 1 FROM orc.`s3://b`)": [
        ("orc", "s3://b")
    ],
    'SELECT * FROM "text"."/etc/passwd"': [("text", "/etc/passwd")],
    'SELECT * FROM t, text."/etc/passwd"': [("text", "/etc/passwd")],
    'SELECT * FROM text."/allowed""/../../etc/passwd"': [("text", '/allowed"/../../etc/passwd')],
    "SELECT * FROM text.`/allowed``/../../etc/passwd`": [("text", "/allowed`/../../etc/passwd")],
    **{
        f"SELECT * FROM t{alias}, text.`/p` AS p": [("text", "/p")]
        for alias in (
            *(f" AS {word}" for word in ("group", "order", "where", "limit", "set", "window")),
            *(" AS select", " drop"),
            *(" JOIN u ON u.group = 1", " JOIN u ON u.union > 1", " JOIN u ON a > u.select"),
            *(" JOIN u ON drop = 1", " JOIN (SELECT 1 AS where) u ON u.where = a"),
        )
    },
    "SELECT * FROM\u00a0text.`/p`": [("text", "/p")],
    "SELECT * FROM\ftext.`/p`": [("text", "/p")],
    "SELECT * FROM `com.example.Format`.`relative`": [("com.example.Format", "relative")],
    "SELECT 1 UNION ALL SELECT * FROM jdbc.`jdbc:h2:mem`": [("jdbc", "jdbc:h2:mem")],
}

UNREAD = (
    "SELECT * FROM t select, text.`/p` AS p",
    "SELECT * FROM t where(a, b), text.`/p` AS p",
    "SELECT * FROM t limit(a, b), text.`/p` AS p",
    "SELECT * FROM t select(a, b), text.`/p` AS p",
    "SELECT \"reflect\"('x', 'y')",
    "SELECT * FROM t WITH (`codec` = upper('x'))",
)
"""What Spark takes for queries, or may take for one, and viewscribe does not read."""

HARMLESS = (
    "SELECT * FROM sales.orders",
    "SELECT a, text.body FROM docs AS text",
    "SELECT a, csv.x FROM t AS csv ORDER BY x, csv.y",
    "SELECT * FROM (SELECT a, json.x FROM t AS json) AS s",
    "SELECT * FROM range(10)",
    "SELECT 'FROM text.`/etc/passwd`' AS quoted",
    'SELECT trim(BOTH "/" FROM "/a"), extract(DAY FROM "2020-01-01") FROM t',
    "SELECT reflect AS a FROM t",
    "VALUES (1), (2)",
    "FROM t AS text |> EXTEND a, text.b AS c",
    "FROM t AS text |> WHERE a > b |> SELECT a, text.b",
    "SELECT a FROM t UNION ALL SELECT b, json.c FROM u AS json",
    "WITH x AS (SELECT 1 AS a) SELECT a, json.a FROM x AS json GROUP BY a, json.a",
    "SELECT from_xml(a, 'b INT', map('mode', 'FAILFAST', 'rowTag', 'r')) FROM t",
    "SELECT * FROM t WITH ('split-size' = 5)",
    "SELECT * FROM t WITH ('compression' = 'gzip', codec 'none')",
    "SELECT from_json(a, 'b INT', map('compression', 'gzip', 'dateFormat', 'yyyy.MM.dd')) FROM t",
)

OPTIONS = (
    "from_xml(a, 'b INT', map('rowValidationXSDPath', '/p'))",
    "FROM_XML(a, 'b INT', map('mode', 'x', 'ROWVALIDATIONXSDPATH', '/p'))",
    "from_xml(a, 'b INT', map('rowValidation' 'XSDPath', '/p'))",
    "from_xml(a, 'b INT', map('rowValidation\\u0058SDPath', '/p'))",
    "from_xml(a, 'b INT', map(concat('a', 'b'), '/p'))",
    "from_xml(a, 'b INT', str_to_map('a:b'))",
    "`schema_of_xml`('<a/>', map('rowValidationXSDPath', '/p'))",
    "from_avro(a, 'b', map('avroSchemaUrl', 'http://x'))",
    "from_json(a, 'b INT', map('compression', 'com.example.Codec'))",
    "schema_of_csv('1', map('Codec', 'com.example.Codec'))",
    "to_json(a, map('mode', 'x', 'compression', 'com.example.Codec'))",
    "from_csv(a, 'b INT', str_to_map('codec:com.example.Codec'))",
)


@pytest.mark.parametrize("call", OPTIONS)
def test_options_that_name_a_file_or_are_not_written_out_are_refused(call: str) -> None:
    name = call.strip("`").partition("(")[0].rstrip("`")
    with pytest.raises(ForbiddenSourceError, match="which reaches out of the query"):
        admit(f"SELECT {call} FROM t")
    admit(f"SELECT {call} FROM t", Permissions.of(functions=[name]))


def test_so_they_are_in_the_calls_of_a_tree() -> None:
    env = TableEnvironment()
    env.create_table("t", "a STRING")

    def read(options: Any) -> None:
        read_xml = call("from_xml", col("a"), lit("b INT"), options)
        table = env.from_path("t").select(read_xml.alias("x"))
        Gate(Permissions()).require_tree("the view v", table.operation)

    read(call("map", lit("mode"), lit("FAILFAST")))
    by_name = call("map", lit("rowValidationXSDPath"), lit("/p"))
    for options in (by_name, call("str_to_map", lit("a:b"))):
        with pytest.raises(ForbiddenSourceError, match="from_xml"):
            read(options)


@pytest.mark.parametrize(
    "option",
    [
        *(
            "'fs.file.impl' = 'x'",
            "fs.file.impl 'x'",
            "`a` 1, 'fs.x.impl' 'y'",
            "avroSchemaUrl 'x'",
        ),
        *("'compression' = 'a.B'", "Codec 'a.B'", "codec 'a' 'B.c'"),
    ],
)
def test_options_of_tables_in_a_text_are_held_to_the_same(option: str) -> None:
    with pytest.raises(ForbiddenSourceError, match="the option"):
        admit(f"SELECT * FROM t WITH ({option})")


@pytest.mark.parametrize("kind", ["location", "option"])
@pytest.mark.parametrize(
    "place",
    [
        *("http://x/y", "FTP://x", "sftp://u@x/y", "webhdfs://127.0.0.1:9/x", "swebhdfs://x/y"),
        *("hdfs://x:8020/y", "abfss://a@x.net/y", "har://http-x:80/y", "//x/y", " webhdfs://x/y"),
        *("unheard-of://x/y", "oss://bucket.some.host/y"),
    ],
)
def test_a_table_on_a_server_is_no_storage(place: str, kind: str) -> None:
    if kind == "location":
        stored = table(format="csv", location=place)
    else:
        stored = table(format="csv", options={"path": place})
    with pytest.raises(ForbiddenSourceError, match="nobody allowed"):
        Permissions().require_table("the table t", stored)
    Permissions.of(locations=[place]).require_table("the table t", stored)


@pytest.mark.parametrize(
    "place",
    ["/a/b", "a/b", "file:/a", "FILE:///a", "C:/a", "s3a://bucket/a", "gs://b/a", "/a/b:c://d"],
)
def test_paths_and_buckets_are_the_storage_of_the_session(place: str) -> None:
    Permissions().require_table("the table t", table(format="csv", location=place))


@pytest.mark.parametrize("path", ["/data/{a,../../etc/passwd}", "/data/\\.\\./etc/passwd"])
def test_patterns_can_lead_out_of_a_place(path: str) -> None:
    text = f"SELECT * FROM text.`{path}`"
    with pytest.raises(ForbiddenSourceError):
        admit(text, Permissions.of(locations=["/data"]))
    admit(text, Permissions.of(locations=[path]))


@pytest.mark.parametrize("path", ["/data/{a,b}", "/data/x/{a,{b,c}/d}.csv", "{/data/a,/data/b}"])
def test_braces_whose_alternatives_all_lie_there(path: str) -> None:
    admit(f"SELECT * FROM text.`{path}`", Permissions.of(locations=["/data"]))


@pytest.mark.parametrize(
    "path",
    [
        *("/data/{a,/../../etc}", "/data/.{./etc,x}", "/data/{.,a}{.,b}/etc", "/data/{a,b}/../c"),
        *("/{data,etc}/a", "{/data/a,/etc/a}", "fi{le:/data/a,le:/etc/a}", "/data{/a,base/b}"),
        *("/data/{a", "/data/a}", "/data/{a,\\{b}", "/data/[{]a,b}", "/data/" + "{a,b}" * 20),
    ],
)
def test_braces_that_lead_elsewhere_or_are_not_clear(path: str) -> None:
    with pytest.raises(ForbiddenSourceError, match="nobody allowed"):
        admit(f"SELECT * FROM text.`{path}`", Permissions.of(locations=["/data"]))


@pytest.mark.parametrize("text", PATHS)
def test_paths_are_found(text: str) -> None:
    settings = settings_of(text)
    names = read_reach(text, Part.QUERY, make_reading(settings)).relations
    assert [each for each in names if len(each) == 2 and is_path(*each)] == PATHS[text]
    with pytest.raises(ForbiddenSourceError, match=r"(locations|formats)=\["):
        admit(text, settings=settings)
    formats, locations = zip(*PATHS[text], strict=True)
    admit(text, Permissions.of(formats, locations), settings)


@pytest.mark.parametrize("text", UNREAD)
def test_what_is_not_read_is_refused_unless_the_view_is_opaque(text: str) -> None:
    gate = Gate(Permissions())
    with pytest.raises(NotAQueryError, match=r"cannot be read as a query(.|\n)*opaque=\['s.v'\]"):
        gate.admit(text, "the view s.v", view=("s", "v"))
    with pytest.raises(NotAQueryError):
        Gate(Permissions.of(opaque=["s.w"])).admit(text, "the view s.v", view=("s", "v"))
    for given in ("s.v", "S.V", "c.s.v"):
        gate = Gate(Permissions.of(opaque=[given]))
        assert gate.admit(text, "the view s.v", view=("c", "s", "v")) == text


@pytest.mark.parametrize("text", HARMLESS)
def test_names_that_are_no_paths_are_left_alone(text: str) -> None:
    admit(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT reflect('java.lang.Runtime', 'getRuntime')",
        "SELECT `java_method` ('java.lang.System', 'exit', 1)",
        "SELECT a FROM t WHERE Try_Reflect('x', 'y') IS NULL",
        "SELECT system.builtin.reflect('x', 'y')",
        "SELECT INPUT_FILE_NAME()",
        "SELECT * FROM python_worker_logs()",
        "SELECT a FROM t WHERE input_file_block_start() + `input_file_block_length`() > 0",
    ],
)
def test_functions_that_reach_out_are_refused_unless_they_are_allowed(text: str) -> None:
    with pytest.raises(ForbiddenSourceError, match=r"reaches out of the query(.|\n)*functions=\["):
        admit(text)
    allowed = ["REFLECT", *(FUNCTIONS.keys() - {"reflect", "java_method"})]
    admit(text, Permissions.of(functions=allowed))


@pytest.mark.parametrize("text", ["SELECT * FROM IDENTIFIER('a.b')", "SELECT identifier ('f')(1)"])
def test_computed_names_are_refused(text: str) -> None:
    with pytest.raises(ForbiddenSourceError, match="computes names"):
        admit(text)


DESCRIPTORS = {
    "SELECT to_protobuf(a, 'M', '/x/d') FROM t": ["/x/d"],
    "SELECT From_Protobuf(f(a, b), 'M', '/x/d', map('a', 'b')).c, 1": ["/x/d"],
    "SELECT from_protobuf(from_protobuf(a, 'M', X'0a'), 'M', \"/x\"), 2": ["/x"],
    "SELECT to_protobuf(from_protobuf(a, 'M', '/x'), 'M', '/y'), '/z'": ["/y", "/x"],
    "SELECT from_protobuf(a, 'M', descFilePath => '/x')": ["a place that it computes"],
    "SELECT from_protobuf(a, 'M', map('a', '/x')['a'])": ["a place that it computes"],
    "SELECT from_protobuf(a, 'M', '/x' || '/d'), upper(a)": ["a place that it computes"],
    "SELECT from_protobuf(a, 'M', NULL)": ["a place that it computes"],
    "SELECT from_protobuf(a, 'M', X'0a', map('x', 'y')), concat(a, 'M', '/x')": [],
}


@pytest.mark.parametrize("text", DESCRIPTORS)
def test_files_of_descriptors_are_found(text: str) -> None:
    gate = Gate(Permissions())
    places = [each.message for each in gate.refused_in_text("it", text)]
    assert places == [
        f"it reads files at {each}, a place that nobody allowed" for each in DESCRIPTORS[text]
    ]


@pytest.mark.parametrize("arguments", ["a, 'M'", "a, 'M', map('x', '/x')"])
@pytest.mark.parametrize("name", ["from_protobuf", "TO_PROTOBUF"])
def test_a_message_without_a_descriptor_is_the_name_of_a_class(name: str, arguments: str) -> None:
    text = f"SELECT {name}({arguments}) FROM t"
    with pytest.raises(ForbiddenSourceError, match=f"calls {name}"):
        admit(text)
    Gate(Permissions.of(functions=[name])).admit(text, "it")


def test_files_of_descriptors_are_found_in_a_tree() -> None:
    struct = F.named_struct(lit("a"), col("a"))
    made = call("to_protobuf", struct, lit("M"), lit("/x/d"))
    tree = TableEnvironment().from_values([(1,)], "a INT").select(made.alias("x")).operation
    with pytest.raises(ForbiddenSourceError, match="reads files at /x/d"):
        Gate(Permissions()).require_tree("the plan", tree)
    Gate(Permissions.of(locations=["/x"])).require_tree("the plan", tree)


def test_a_path_in_the_place_of_a_table_is_found_in_a_tree() -> None:
    table = CatalogSource.of(("text", "/secret"), (Field("value", STRING),))
    with pytest.raises(ForbiddenSourceError, match="reads files at /secret"):
        Gate(Permissions.of(locations=["/data"])).require_tree("the plan", table)
    Gate(Permissions.of(locations=["/secret"])).require_tree("the plan", table)
    Gate(Permissions()).require_tree(
        "the plan", CatalogSource.of(("sales", "text"), table.schema.fields)
    )


def test_so_they_are_in_a_tree() -> None:
    call = F.reflect(lit("java.util.UUID"), lit("randomUUID"))
    tree = TableEnvironment().from_values([(1,)], "a INT").select(call.alias("x")).operation
    with pytest.raises(ForbiddenSourceError, match="reaches out of the query"):
        Gate(Permissions()).require_tree("the plan", tree)
    Gate(Permissions.of(functions=["reflect", "java_method"])).require_tree("the plan", tree)


@pytest.mark.parametrize(
    ("place", "location", "inside"),
    [
        ("/data", "/data/x", True),
        ("/data/", "/data", True),
        ("/data", "/database/x", False),
        ("/data", "/data/../etc/passwd", False),
        ("/data", "file:/data/x", True),
        ("/data", "file:///data/./x", True),
        ("s3://bucket/a", "s3://bucket/a/b", True),
        ("s3://bucket/a", "S3://bucket/a/b", True),
        ("s3://bucket/a", "s3://other/a", False),
        ("s3://bucket/a", "s3://bucket/a/../b", False),
        ("/", "hdfs://host/x", False),
    ],
)
def test_a_location_lies_in_a_place_or_not(place: str, location: str, inside: bool) -> None:
    given = Permissions.of(locations=[place])
    if inside:
        admit(f"SELECT * FROM parquet.`{location}`", given)
        return
    with pytest.raises(ForbiddenSourceError, match="a place that nobody allowed"):
        admit(f"SELECT * FROM parquet.`{location}`", given)


def test_tables_of_other_formats_are_refused_and_of_other_places_where_places_are_given() -> None:
    given = Permissions()
    for name in ("parquet", "ORC", "csv", "json", "text", "avro", None):
        given.require_table("the table t", table(format=name, location="/anywhere"))
    for name in ("jdbc", "org.apache.spark.sql.jdbc", "kafka", "delta"):
        with pytest.raises(ForbiddenSourceError, match=rf"formats=\['{name}'\]"):
            given.require_table("the table t", table(format=name))
        Permissions.of(formats=[name]).require_table("the table t", table(format=name))
    for elsewhere in ({"location": "/etc"}, {"options": {"Path": "/etc"}}):
        with pytest.raises(ForbiddenSourceError, match="a place that nobody allowed"):
            Permissions.of(locations=["/data"]).require_table("t", table(format="csv", **elsewhere))


REFLECT = sorted(CLASSES)[0]
JARS = ("/jars/a.jar", "ivy://b:c:1")


@pytest.mark.parametrize(
    ("format_", "option", "harmless"),
    [
        ("csv", "header", True),
        ("CSV", "dateFormat", True),
        ("hive", "field.delim", True),
        ("hive", "serialization.format", True),
        ("parquet", "parquet.compression", True),
        ("parquet", "fs.s3a.endpoint", False),
        ("parquet", "parquet.crypto.factory.class", False),
        ("orc", "hadoop.security.key.provider.path", False),
        ("avro", "avroSchemaUrl", False),
        ("hive", "serde", False),
        ("hive", "InputFormat", False),
    ],
)
def test_options_of_tables_say_how_files_are_written_and_no_more(
    format_: str, option: str, harmless: bool
) -> None:
    document = table(format=format_, options={option: "x"})
    Permissions.of(formats=[format_]).require_table("the table t", document)
    if harmless:
        Permissions().require_table("the table t", document)
        return
    with pytest.raises(ForbiddenSourceError, match=rf"option `{option}`.*\n.*formats=\["):
        Permissions().require_table("the table t", document)


@pytest.mark.parametrize("option", ["compression", "Codec"])
@pytest.mark.parametrize("format_", ["csv", "json", "text", "parquet", "avro"])
def test_a_codec_is_no_class(option: str, format_: str) -> None:
    """Spark loads the class that it names, and runs what the class does when it is loaded."""
    for codec in ("gzip", "SNAPPY", "lz4_raw", "none", ""):
        Permissions().require_table("t", table(format=format_, options={option: codec}))
    for codec in ("com.example.Codec", " a.B ", "a$B"):
        with pytest.raises(ForbiddenSourceError, match=f"option `{option}`"):
            Permissions().require_table("t", table(format=format_, options={option: codec}))


FUNCTION_DOCUMENTS: list[tuple[dict[str, Any], dict[str, list[str]]]] = [
    ({"body": "reflect('java.util.UUID', 'x')"}, {"functions": ["reflect"]}),
    ({"body": "(SELECT max(value) FROM text.`/etc/passwd`)"}, {"locations": ["/etc"]}),
    (
        {"parameters": (Parameter("x", "INT", default="input_file_block_start()"),)},
        {"functions": ["input_file_block_start"]},
    ),
    (
        {"language": "hive", "class_name": "shop.Mask", "body": None, "resources": JARS},
        {"locations": ["/jars", "ivy://b:c:1"]},
    ),
    (
        {"language": "java", "class_name": "shop.Mask", "body": None, "resources": JARS},
        {"locations": ["file:///jars/", "ivy://b:c:1"]},
    ),
    ({"language": "hive", "class_name": REFLECT, "body": None}, {"functions": [REFLECT]}),
]


@pytest.mark.parametrize(("fields", "allowed"), FUNCTION_DOCUMENTS)
def test_functions_reach_out_by_their_text_their_jars_and_their_class(
    fields: dict[str, Any], allowed: dict[str, list[str]]
) -> None:
    document = function(**fields)
    env = TableEnvironment()
    env.create_database("sales")
    env.catalogs.save(document)
    tree = env.from_values([(1,)], "a INT").select(call("sales.twice", col("a")).alias("x"))
    attempts: list[Callable[[Permissions], None]] = [
        lambda given: raise_first(Gate(given).refused_in_function("f", source_of(document))),
        lambda given: Gate(given).require_tree("the view v", tree.operation),
    ]
    for attempt in attempts:
        for given in (Permissions(), Permissions.of(locations=["/elsewhere"])):
            with pytest.raises(ForbiddenSourceError, match=r"(locations|functions)=\["):
                attempt(given)
        attempt(Permissions.of(**allowed))


CLASS_ALONE: dict[str, Any] = {"language": "hive", "class_name": "shop.Mask", "body": None}


def test_harmless_functions_need_no_permission() -> None:
    for document in (function(), function(**CLASS_ALONE)):
        raise_first(Gate(Permissions()).refused_in_function("the function f", source_of(document)))


def test_check_tells_what_would_be_refused_and_no_more_once_it_is_allowed() -> None:
    env = TableEnvironment()
    env.create_database("sales")
    env.catalogs.save(table("harmless", format="parquet", location="/data/harmless"))
    env.catalogs.save(table("over_there", format="jdbc"))
    env.catalogs.save(function("loaded", **CLASS_ALONE, resources=JARS))
    text = (
        "SELECT input_file_name() AS name FROM csv.`/data/x` AS x WHERE x._Metadata.file_path > 'a'"
    )
    env.catalogs.save(view("reaching", sql=text))
    reflecting = env.from_values([(1,)], "a INT").select(F.reflect(lit("a"), lit("b")).alias("x"))
    env.create_view("sales.planned", reflecting)
    findings = [each for each in check(env.catalogs.catalog()) if each.code == "not-allowed"]
    assert [(each.id.name, each.cause.split(",")[0]) for each in findings] == [
        ("loaded", "the function is loaded from /jars/a.jar"),
        ("loaded", "the function is loaded from ivy://b:c:1"),
        ("over_there", "the table reads the format `jdbc`"),
        ("planned", "the view calls java_method()"),
        ("reaching", "the view calls input_file_name()"),
        ("reaching", "the view reads _metadata"),
        ("reaching", "the view reads files at /data/x"),
    ]
    assert all("--allow-" in (each.hint or "") for each in findings)
    allowed = Permissions.of(
        ["jdbc"], ["/jars", "ivy://b:c:1", "/data"], ["reflect", "input_file_name", "_metadata"]
    )
    found = check(env.catalogs.catalog(), permissions=allowed)
    assert [each for each in found if each.code == "not-allowed"] == []


@pytest.mark.parametrize(
    "text", ["SELECT 1 AS _metadata", "SELECT _metadata FROM t", "SELECT t._METADATA.x FROM t"]
)
def test_a_column_called_as_that_of_files_is_told_how_to_be_the_authors(text: str) -> None:
    """A table's document may declare such a column of files that have none: Spark takes its own."""
    with pytest.raises(ForbiddenSourceError, match="unless it is a column of the author's") as told:
        Gate(Permissions()).admit(text, "the view v")
    assert "call a column of your own otherwise" in str(told.value.hint)
    Gate(Permissions(functions=frozenset(["_metadata"]))).admit(text, "the view v")


def test_a_plan_cannot_declare_what_spark_tells_of_files() -> None:
    env = TableEnvironment()
    env.create_table("t", "id INT, _Metadata STRUCT<file_path: STRING>", format="parquet")
    plan = env.sql_query("SELECT _metadata.file_path AS path FROM t").to_plan()
    with pytest.raises(ForbiddenSourceError, match="reads _metadata"):
        Table.from_plan(env, plan)
    assert "_metadata" in Table.from_plan(env, plan, functions=["_metadata"]).to_sql().lower()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"sql": "DROP TABLE t"}, "found `DROP`"),
        ({"sql": "SELECT TRANSFORM(a) USING 'x.sh' FROM t"}, "runs a script"),
        ({"sql": "SELECT 1 /* /* */"}, "this comment has no end"),
        ({"settings": {"spark.sql.execution.pyspark.python": "x"}}, "which no view may set"),
    ],
)
def test_check_tells_of_texts_and_settings_that_no_view_may_have(
    given: dict[str, Any], says: str
) -> None:
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name="sales"))
    catalog.create(view("odd", **given))
    assert [each.code for each in check(catalog) if says in each.cause] == ["not-allowed"]


def test_check_tells_of_scripts_in_functions() -> None:
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name="sales"))
    body = "(SELECT max(x) FROM (SELECT TRANSFORM(1) USING 'x.sh' AS (x INT)))"
    catalog.create(function("odd", body=body))
    assert "not-allowed" in [each.code for each in check(catalog)]


def test_permissions_hold_in_a_block() -> None:
    with Permissions.of(formats=["jdbc"]).in_force():
        assert permissions_in_force().formats == {"jdbc"}
    assert permissions_in_force() == Permissions()


def test_the_pipeline_of_a_stored_view_is_asked_for_before_it_can_be_run() -> None:
    env = TableEnvironment(MemoryCatalog())
    env.create_database("sales")
    called = env.from_values([(1,)], "a INT").select(F.java_method(lit("a.B"), lit("c")).alias("x"))
    env.create_view("sales.far", called)
    with pytest.raises(ForbiddenSourceError, match=r"the view sales\.far calls java_method"):
        env.view_table("sales.far")
    with Permissions.of(functions=["java_method"]).in_force():
        assert env.view_table("sales.far").equals(called)


@pytest.mark.parametrize("text", ["SELECT reflect('x', 'y')", "SELECT * FROM csv.`/x`", "DROP x"])
def test_the_text_of_an_author_is_refused_for_what_the_text_of_a_view_is(text: str) -> None:
    harmless, source = view(), AuthorText(text=text)
    hostile = msgspec.structs.replace(harmless, source=source)
    foreign = msgspec.structs.replace(source, language="trino")
    assert refuse_in(harmless, Permissions(), None) == []
    (refused,) = refuse_in(hostile, Permissions(), None)
    assert refused.message.startswith("the source of the view")
    of_view = refuse_in(msgspec.structs.replace(harmless, sql=text), Permissions(), None)
    assert [type(each) for each in of_view] == [type(refused)]
    never_asked = msgspec.structs.replace(harmless, source=foreign)
    assert refuse_in(never_asked, Permissions(), None) == []


def test_settings_of_the_text_of_an_author_are_those_that_views_may_set() -> None:
    source = AuthorText(text="SELECT 1", settings={"spark.sql.warehouse.dir": "/x"})
    (refused,) = refuse_in(view(source=source), Permissions(), None)
    assert "which no view may set" in refused.message
