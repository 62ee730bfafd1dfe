"""``env.execute_sql``: statements are read strictly, and do what the methods do."""

from __future__ import annotations

from typing import Any

import pytest

from viewscribe import TableEnvironment, call, col
from viewscribe.catalog_store import AlreadyExistsError
from viewscribe.catalog_store.errors import CatalogNotFoundError, DatabaseNotFoundError
from viewscribe.errors import UnknownFunctionError, ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.of_catalogs import FunctionConflictError
from viewscribe.expressions.functions.user_defined import Language
from viewscribe.types.identifiers import quote_name


@pytest.fixture
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.execute_sql("CREATE DATABASE db COMMENT 'ours'")
    made.create_table("t", "id INT, name STRING")
    return made


def source(env: TableEnvironment, name: str) -> Any:
    found: Any = env.functions.lookup(name).function
    return found.source


def test_a_sql_function(env: TableEnvironment) -> None:
    env.execute_sql(
        """
        CREATE FUNCTION db.taxed(price DECIMAL(10, 2), rate DECIMAL(4, 2) DEFAULT 0.19
            COMMENT 'a share')  -- a remark
        RETURNS DECIMAL(15, 4)
        COMMENT 'with it\\'s tax'
        RETURN price * (1 + rate);
        """
    )
    made = source(env, "db.taxed")
    assert made.language is Language.SQL
    assert [(each.name, each.type.ddl, each.default) for each in made.parameters] == [
        ("price", "DECIMAL(10, 2)", None),
        ("rate", "DECIMAL(4, 2)", "0.19"),
    ]
    assert made.parameters[1].comment == "a share"
    assert (made.returns.ddl, made.body) == ("DECIMAL(15, 4)", "price * (1 + rate)")
    assert made.comment == "with it's tax"
    table = env.from_path("t").select(call("db.taxed", col("id")).alias("x"))
    assert str(table.schema) == "x DECIMAL(15, 4)"


def test_types_of_every_shape(env: TableEnvironment) -> None:
    env.execute_sql(
        "CREATE FUNCTION f(a MAP<STRING, ARRAY<INT>>, b STRUCT<x: INT NOT NULL, y: STRING>, "
        "c INTERVAL DAY TO SECOND, d TIMESTAMP_NTZ) RETURNS ARRAY<DECIMAL(3, 1)> RETURN NULL"
    )
    made = source(env, "f")
    assert [each.type.ddl for each in made.parameters] == [
        "MAP<STRING, ARRAY<INT>>",
        "STRUCT<x: INT NOT NULL, y: STRING>",
        "INTERVAL DAY TO SECOND",
        "TIMESTAMP_NTZ",
    ]


def test_a_table_function(env: TableEnvironment) -> None:
    env.execute_sql(
        "CREATE FUNCTION f(x INT) RETURNS TABLE (a INT COMMENT 'one', b STRING) "
        "NOT DETERMINISTIC RETURN SELECT x, 'b'"
    )
    made = source(env, "f")
    assert made.kind is FunctionKind.GENERATOR
    assert made.returns.ddl == "STRUCT<a: INT COMMENT 'one', b: STRING>"
    assert not made.deterministic


def test_a_comment_before_a_query_leaves_it_one(env: TableEnvironment) -> None:
    env.execute_sql("CREATE FUNCTION f() RETURNS INT RETURN /* it's */ SELECT max(id) FROM t")
    assert source(env, "f").body == "(SELECT max(id) FROM spark_catalog.default.t)"


def test_a_class(env: TableEnvironment) -> None:
    env.execute_sql("CREATE FUNCTION f AS 'com.x.F' LANGUAGE HIVE USING JAR 'a.jar', JAR 'b.jar'")
    made = source(env, "f")
    assert (made.language, made.reference, made.resources) == (
        Language.HIVE,
        "com.x.F",
        ("a.jar", "b.jar"),
    )
    with pytest.raises(ValidationError, match="only known to Spark"):
        env.from_path("t").select(call("f", col("id")))
    env.execute_sql("CREATE OR REPLACE FUNCTION f(x INT) RETURNS INT LANGUAGE HIVE AS 'com.x.F'")
    env.from_path("t").select(call("f", col("id")))


def test_the_four_kinds(env: TableEnvironment) -> None:
    body = "(x INT) RETURNS INT RETURN x"
    env.execute_sql(f"CREATE FUNCTION IF NOT EXISTS db.f{body}")
    env.execute_sql(f"CREATE FUNCTION IF NOT EXISTS db.f{body}")
    env.execute_sql(f"CREATE TEMPORARY FUNCTION ghost.db.f{body}")
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION upper{body}")
    with pytest.raises(FunctionConflictError):
        env.execute_sql(f"CREATE FUNCTION db.f{body}")
    env.execute_sql("ALTER FUNCTION db.f(x INT) RETURNS INT RETURN x + 1")
    assert source(env, "db.f").body == "x + 1"
    env.execute_sql("ALTER TEMPORARY FUNCTION IF EXISTS db.g AS 'com.x.F'")
    env.execute_sql("ALTER TEMPORARY SYSTEM FUNCTION upper AS 'com.x.F'")
    assert source(env, "upper").reference == "com.x.F"
    env.execute_sql("DROP TEMPORARY SYSTEM FUNCTION upper")
    env.execute_sql("DROP TEMPORARY FUNCTION ghost.db.f")
    env.execute_sql("DROP FUNCTION db.f")
    env.execute_sql("DROP FUNCTION IF EXISTS db.f")
    with pytest.raises(UnknownFunctionError):
        env.functions.lookup("db.f")


def rows(env: TableEnvironment, statement: str) -> list[str]:
    return [row[0] for row in env.execute_sql(statement).rows]


def test_listings(env: TableEnvironment) -> None:
    body = "(x INT) RETURNS INT RETURN x"
    env.execute_sql(f"CREATE FUNCTION db.stored{body}")
    env.execute_sql(f"CREATE FUNCTION here{body}")
    env.execute_sql(f"CREATE TEMPORARY FUNCTION ghost.db.passing{body}")
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION Mine{body}")
    assert rows(env, "SHOW USER FUNCTIONS") == ["here", "Mine"]
    assert {"upper", "here", "Mine"} <= set(rows(env, "SHOW FUNCTIONS"))
    assert rows(env, "SHOW FUNCTIONS LIKE 'her*|MINE'") == ["here", "Mine"]
    assert rows(env, "SHOW ALL TEMPORARY FUNCTIONS") == ["ghost.db.passing"]
    assert rows(env, "SHOW ALL TEMPORARY SYSTEM FUNCTIONS") == ["Mine"]
    everything = rows(env, "SHOW ALL FUNCTIONS")
    assert {"upper", "spark_catalog.db.stored", "ghost.db.passing"} <= set(everything)
    env.execute_sql("USE db")
    assert rows(env, "SHOW USER FUNCTIONS") == ["Mine", "stored"]


def test_listings_of_a_database(env: TableEnvironment) -> None:
    body = "(x INT) RETURNS INT RETURN x"
    env.execute_sql(f"CREATE FUNCTION db.stored{body}")
    env.execute_sql(f"CREATE FUNCTION here{body}")
    env.execute_sql(f"CREATE TEMPORARY FUNCTION ghost.db.passing{body}")
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION Mine{body}")
    assert rows(env, "SHOW USER FUNCTIONS IN db") == ["Mine", "stored"]
    assert rows(env, "SHOW USER FUNCTIONS FROM `spark_catalog`.`db`") == ["Mine", "stored"]
    assert rows(env, "SHOW USER FUNCTIONS IN default") == ["here", "Mine"]
    assert rows(env, "SHOW FUNCTIONS IN db LIKE 'sto*|UPPER'") == ["stored", "upper"]
    assert rows(env, "SHOW FUNCTIONS IN db 'sto*'") == ["stored"]
    assert rows(env, "SHOW USER FUNCTIONS IN ghost.db") == ["Mine", "passing"]
    assert set(env.list_functions("db")) - set(env.list_functions()) == {"stored"}


@pytest.mark.parametrize(
    ("statement", "error", "said"),
    [
        ("SHOW FUNCTIONS IN bd", DatabaseNotFoundError, "db"),
        ("SHOW FUNCTIONS IN nowhere.db", CatalogNotFoundError, "nowhere"),
        ("SHOW FUNCTIONS IN a.b.c", ValidationError, "database or catalog.database"),
        ("SHOW FUNCTIONS IN", ValidationError, "expected a name, found the end"),
        ("SHOW FUNCTIONS LIKE 'a*' IN db", ValidationError, "found `IN`"),
        ("SHOW ALL FUNCTIONS IN db", ValidationError, "found `IN`"),
    ],
)
def test_listings_of_no_database(
    env: TableEnvironment, statement: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        env.execute_sql(statement)


@pytest.mark.parametrize("name", ["plain", "with space", "a.b", "tick`s", "café"])
def test_names_between_backticks(env: TableEnvironment, name: str) -> None:
    """The method takes names as ``call`` and the statements do."""
    quoted = quote_name((name,))
    env.create_temporary_system_function(quoted, lambda x: x, parameters=["INT"], returns="INT")
    assert env.functions.temporary_system_names() == [name]
    env.from_path("t").select(call(quoted, col("id")))
    env.execute_sql(f"ALTER TEMPORARY SYSTEM FUNCTION {quoted}(x INT) RETURNS INT RETURN x")
    assert source(env, quoted).language is Language.SQL
    assert rows(env, "SHOW USER FUNCTIONS") == [name]
    env.drop_temporary_system_function(quoted)
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION {quoted}(x INT) RETURNS INT RETURN x")
    env.from_path("t").select(call(quoted, col("id")))
    env.execute_sql(f"DROP TEMPORARY SYSTEM FUNCTION {quoted}")
    assert env.functions.temporary_system_names() == []


def test_system_functions_have_no_path(env: TableEnvironment) -> None:
    with pytest.raises(ValidationError, match="name of 2 parts") as caught:
        env.create_temporary_system_function("db.f", len, parameters=["STRING"], returns="INT")
    assert "backticks" in str(caught.value)


def test_descriptions(env: TableEnvironment) -> None:
    shown = str(env.execute_sql("DESCRIBE FUNCTION upper"))
    assert "system function" in shown
    assert "upper(STRING)" in shown
    env.execute_sql("CREATE FUNCTION f(x INT) RETURNS INT COMMENT 'as it is' RETURN x")
    shown = str(env.execute_sql("DESC FUNCTION EXTENDED f"))
    assert "catalog function" in shown
    assert "as it is" in shown
    assert "Body  x" in shown


def test_views_and_databases(env: TableEnvironment) -> None:
    env.execute_sql("CREATE VIEW db.v COMMENT 'names' AS SELECT name FROM t")
    assert env.get_view("db.v").comment == "names"
    env.execute_sql("CREATE OR REPLACE TEMPORARY VIEW passing AS SELECT id FROM t")
    assert env.from_path("passing").columns == ["id"]
    env.execute_sql("DROP TEMPORARY VIEW passing")
    env.execute_sql("USE spark_catalog.db")
    assert rows(env, "SHOW VIEWS") == ["v"]
    assert "db" in rows(env, "SHOW DATABASES")
    env.execute_sql("DROP VIEW IF EXISTS v")
    assert rows(env, "SHOW VIEWS") == []


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("SELECT 1", "no such statement: 'SELECT 1'"),
        ("DECLARE v INT DEFAULT 1", "variables are of a session"),
        ("SET VAR v = 2", "variables are of a session"),
        ("CREATE FUNCTION", "expected a name, found the end of the text"),
        ("CREATE FUNCTION f(x INT) RETURNS INT", "needs the name of its class"),
        ("CREATE FUNCTION f AS 'c' LANGUAGE COBOL", "no language COBOL"),
        ("CREATE FUNCTION f(x IMT) RETURNS INT RETURN x", "IMT"),
        ("CREATE FUNCTION f(x INT RETURNS INT RETURN x", "RETURNS"),
        ("CREATE TEMPORARY SYSTEM FUNCTION db.f AS 'c'", "a name of 2 parts where one is wanted"),
        ("DROP FUNCTION f g", "expected the end of the statement, found `g`"),
        ("DROP FUNCTION 'f'", "expected a name, found `'f'`"),
    ],
)
def test_what_does_not_parse_is_refused(
    env: TableEnvironment, statement: str, message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        env.execute_sql(statement)


def test_a_view_that_is_there_is_only_left_alone_where_it_is(env: TableEnvironment) -> None:
    env.execute_sql("CREATE VIEW v AS SELECT id FROM t")
    env.execute_sql("CREATE VIEW IF NOT EXISTS db.v AS SELECT name FROM t")
    assert env.get_view("db.v").columns[0].name == "name"
    env.execute_sql("CREATE VIEW IF NOT EXISTS db.v AS SELECT id FROM t")
    assert env.get_view("db.v").columns[0].name == "name"
    with pytest.raises(AlreadyExistsError):
        env.execute_sql("CREATE VIEW db.v AS SELECT id FROM t")
    with pytest.raises(ValidationError, match="a name of 2 parts where one is wanted"):
        env.execute_sql("CREATE TEMPORARY VIEW db.passing AS SELECT id FROM t")
