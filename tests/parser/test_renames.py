"""Other names in SQL text: what means a table changes, and nothing else."""

from __future__ import annotations

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from tests.spark.answers import Answers
from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import FunctionSource, Language, UserFunction
from viewscribe.parser.names import read_words, with_other_names


def renamed(text, **names):
    """``db.old`` becomes ``prod.new`` for each pair, other tables stay."""

    def rename(parts):
        path = (*("cat", "db")[: 3 - len(parts)], *parts)
        new = names.get(path[-1])
        return path, ("cat", "prod", new) if new else path

    return with_other_names(text, rename, lambda parts: None).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT a FROM db.t", "SELECT a FROM cat.prod.u AS t"),
        ("SELECT t.a FROM db.t", "SELECT t.a FROM cat.prod.u AS t"),
        ("SELECT db.t.a, cat.db.t.b FROM db.t", "SELECT t.a, t.b FROM cat.prod.u AS t"),
        ("SELECT x.a FROM db.t AS x", "SELECT x.a FROM cat.prod.u AS x"),
        ("SELECT x.a FROM db.t x -- t", "SELECT x.a FROM cat.prod.u x -- t"),
        ("SELECT 'db.t' AS t FROM db.t", "SELECT 'db.t' AS t FROM cat.prod.u AS t"),
        ("SELECT `t` FROM `db`.`t`", "SELECT `t` FROM cat.prod.u AS t"),
        (
            "WITH t AS (SELECT * FROM db.t) SELECT t.a FROM t",
            "WITH t AS (SELECT * FROM cat.prod.u AS t) SELECT t.a FROM t",
        ),
        (
            "WITH x AS (SELECT 1 AS t) SELECT t FROM x WHERE EXISTS (SELECT 1 FROM t)",
            "WITH x AS (SELECT 1 AS t) SELECT t FROM cat.db.x WHERE EXISTS "
            "(SELECT 1 FROM cat.prod.u AS t)",
        ),
        (
            "SELECT * FROM db.t JOIN db.s ON t.id = s.id",
            "SELECT * FROM cat.prod.u AS t JOIN cat.db.s ON t.id = s.id",
        ),
        ("SELECT count(t) FROM (SELECT 1 AS t) AS t", "SELECT count(t) FROM (SELECT 1 AS t) AS t"),
        ("SELECT s.t.x FROM db.s", "SELECT s.t.x FROM cat.db.s"),
        ("SELECT a FROM t TABLESAMPLE (9 ROWS)", "SELECT a FROM cat.prod.u TABLESAMPLE (9 ROWS)"),
        (
            "SELECT t.a FROM db.t TABLESAMPLE (9 ROWS) t",
            "SELECT t.a FROM cat.prod.u TABLESAMPLE (9 ROWS) t",
        ),
        ("TABLE db.t", "TABLE cat.prod.u"),
        (
            "FROM db.t |> JOIN db.s USING (a) |> SELECT t.a",
            "FROM cat.prod.u AS t |> JOIN cat.db.s USING (a) |> SELECT t.a",
        ),
        (
            "SELECT * FROM f(TABLE(db.t) PARTITION BY a)",
            "SELECT * FROM f(TABLE(cat.prod.u) PARTITION BY a)",
        ),
    ],
)
def test_only_tables_get_other_names(text, expected):
    if "FROM x WHERE" in text:  # the CTE is one, however it is spelled
        expected = expected.replace("cat.db.x", "x")
    assert renamed(text, t="u") == expected


def test_a_table_that_keeps_its_own_name_needs_no_alias():
    assert renamed("SELECT db.t.a, t.b FROM db.t", t="T") == "SELECT t.a, t.b FROM cat.prod.T"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT t.a FROM db.t TABLESAMPLE (10 PERCENT)", "no place for an alias"),
        ("SELECT a FROM IDENTIFIER('db.t')", "computes a name"),
        ("SELECT FROM WHERE", "line 1, column 8"),
        ("DROP TABLE db.t", "expected SELECT"),
    ],
)
def test_what_cannot_be_renamed_is_refused(text, message):
    with pytest.raises(ValidationError, match=message):
        renamed(text, t="u")


def test_functions_of_users_get_other_names():
    source = FunctionSource(FunctionKind.SCALAR, Language.HIVE, reference="a.B")
    function = UserFunction(FunctionIdentifier("g", "prod", "cat"), source, temporary=False)

    def find(parts):
        return function if parts[-1] == "f" else None

    text = "SELECT f(f) AS f, db.f(1), upper('f(1)') FROM f"
    found = with_other_names(text, lambda parts: (("c", "d", "f"), ("c", "d", "f")), find)
    assert found.text == "SELECT cat.prod.g(f) AS f, cat.prod.g(1), upper('f(1)') FROM c.d.f"
    assert found.functions == (function,)


names = st.sampled_from(["t", "s", "a", "b", "select1", "T"])


@st.composite
def queries(draw, depth=0):
    """Queries in which the same few words are tables, CTEs, aliases, columns and strings."""
    kind = draw(st.integers(0, 4 if depth < 3 else 1))
    table = draw(names)
    column, alias, word = draw(names), draw(names), draw(names)
    item = f"{alias}.{column} AS {word}, '{table}.{column}' AS x"
    if kind <= 1:
        return (
            f"SELECT {item} FROM {draw(st.sampled_from(['db.', 'cat.db.', '']))}{table} AS {alias}"
        )
    inner = draw(queries(depth=depth + 1))
    if kind == 2:
        return f"WITH {table} AS ({inner}) SELECT {item} FROM {draw(names)} AS {alias}"
    if kind == 3:
        return f"SELECT {item} FROM ({inner}) AS {alias} JOIN db.{table} AS {word} ON TRUE"
    return f"SELECT {item} FROM db.{table} AS {alias} WHERE EXISTS ({inner})"


MAPPING = {"t": "orders", "s": "t", "a": "s"}


def structure(text):
    """The tree of a text with its tables taken out of it, and what each was."""
    tree = sqlglot.parse_one(text, read="spark")
    tables = []
    for table in tree.find_all(exp.Table):
        tables.append([part.name for part in table.parts])
        for part in ("this", "db", "catalog"):
            table.set(part, None)
    return tree.sql(), tables


@given(queries())
def test_nothing_but_tables_changes(text):
    new = renamed(text, **MAPPING)
    (rest, before), (rest_after, after) = structure(text), structure(new)
    assert rest_after == rest
    for old, now in zip(before, after, strict=True):
        if now == old:
            continue
        renamed_to = MAPPING.get(old[-1])
        assert now == (["cat", "prod", renamed_to] if renamed_to else ["cat", "db", old[-1]])


@given(queries())
def test_there_and_back(text):
    """Through names that nothing in the text has, all tables spelled in full."""
    spelled = renamed(text)
    there = renamed(
        spelled, **{name: f"other_{name.lower()}" for name in ("t", "s", "a", "b", "T")}
    )

    def back(parts):
        path = tuple(parts)
        name = path[-1].removeprefix("other_")
        return path, ("cat", "db", name) if path[1] == "prod" else path

    again = with_other_names(there, back, lambda parts: None).text
    assert again.lower() == spelled.lower()


SHARED = (
    "SELECT id FROM dev_a.t WHERE EXISTS (SELECT 1 FROM dev_b.t WHERE dev_b.t.id = dev_a.t.id)",
    "SELECT id FROM dev_a.t WHERE id >= (SELECT min(dev_b.t.id) FROM dev_b.t WHERE dev_a.t.k = k)",
    "SELECT dev_a.t.id, dev_b.t.k FROM dev_a.t JOIN dev_b.t ON dev_a.t.id = dev_b.t.id",
    "SELECT dev_b.t.* FROM dev_a.t, dev_b.t WHERE dev_a.t.id = dev_b.t.k",
    "SELECT dev_a.t.s.id AS i FROM dev_a.t JOIN dev_b.t ON dev_a.t.s.id = dev_b.t.s.id",
    "SELECT spark_catalog.dev_a.t.id FROM dev_a.t LEFT JOIN dev_b.t ON dev_a.t.id = dev_b.t.k",
    "SELECT dev_a.t.id, t.z FROM dev_a.t JOIN dev_b.z AS t ON dev_a.t.id = t.z",
    "SELECT dev_a.t.id FROM dev_a.t JOIN (SELECT k AS z FROM dev_b.t) AS t ON dev_a.t.id = t.z",
    "WITH t AS (SELECT k z FROM dev_b.t) SELECT dev_a.t.id FROM dev_a.t JOIN t ON dev_a.t.id = t.z",
    "SELECT dev_a.t.id, t.x FROM dev_a.t LATERAL VIEW explode(array(k, 7)) t AS x",
    "SELECT dev_a.t.id, t.x FROM dev_a.t, LATERAL (SELECT dev_a.t.k + 1 AS x) AS t",
    "SELECT dev_a.t.id, t.p FROM dev_b.x PIVOT (max(k) FOR id IN (2 AS p)) AS t "
    "JOIN dev_a.t ON t.p >= dev_a.t.k",
    "SELECT id FROM DEV_A.T WHERE id IN (SELECT k FROM `dev_b`.t WHERE `dev_b`.T.id = Dev_A.t.id)",
)
"""Columns qualified by their database, where the text calls two things by one name."""

ALONE = (
    "SELECT dev_a.t.id FROM dev_a.t WHERE EXISTS (SELECT 1 FROM dev_a.t WHERE dev_a.t.k > 2)",
    "SELECT dev_a.t.k, count(dev_a.t.id) AS n FROM dev_a.t GROUP BY dev_a.t.k ORDER BY dev_a.t.k",
)


@pytest.fixture(scope="module")
def two_places(spark):
    """The same tables in dev_a and prod_a, in dev_b and prod_b."""
    rows = {"a": "(1, 2), (2, 3), (3, 9)", "b": "(2, 1), (2, 2), (2, 3), (5, 4)"}
    places = [(place, letter) for place in ("dev", "prod") for letter in rows]
    for place, letter in places:
        spark.sql(f"CREATE DATABASE {place}_{letter}")
        columns = {"x": "id, k", "z": "k AS z"} | dict.fromkeys(
            "tu", "*, named_struct('id', k) AS s"
        )
        for name, items in columns.items():
            spark.sql(
                f"CREATE VIEW {place}_{letter}.{name} AS "
                f"SELECT {items} FROM VALUES {rows[letter]} AS v (id, k)"
            )
    yield spark
    for place, letter in places:
        spark.sql(f"DROP DATABASE {place}_{letter} CASCADE")


@pytest.fixture(scope="module")
def answers():
    """The rows, sorted; the tables of a letter are the same rows to Spark in both places."""
    return Answers(lambda frame: sorted(frame.collect()))


def to_prod(text, last):
    """The text over prod_a and prod_b, each ``t`` under the given name."""

    def rename(parts):
        old = ("spark_catalog", *(part.lower() for part in parts[-2:]))
        new = last if old[2] == "t" else old[2]
        return old, (old[0], old[1].replace("dev", "prod"), new)

    return with_other_names(text, rename, lambda parts: None).text


def test_tables_of_one_name_stay_apart():
    assert to_prod(SHARED[0], "t") == (
        "SELECT id FROM spark_catalog.prod_a.t "
        "WHERE EXISTS (SELECT 1 FROM spark_catalog.prod_b.t WHERE prod_b.t.id = prod_a.t.id)"
    )


@pytest.mark.parametrize("text", SHARED)
def test_a_name_that_is_shared_is_no_alias(text):
    with pytest.raises(ValidationError, match="the text calls something else"):
        to_prod(text, "u")


@pytest.mark.parametrize(
    ("text", "last"), [*((text, "t") for text in SHARED + ALONE), *((text, "u") for text in ALONE)]
)
def test_a_text_gives_the_same_rows_where_its_tables_went(two_places, answers, text, last):
    wanted = answers.of(two_places.sql(text))
    assert wanted
    found = to_prod(text, last)
    assert "dev" not in found.lower()
    assert answers.of(two_places.sql(found)) == wanted, found


def test_a_qualifier_that_may_be_of_two_catalogs_is_refused():
    def rename(parts):
        return tuple(parts), (parts[0], f"prod_{parts[0]}", parts[2])

    text = "SELECT 1 FROM a.dev.t WHERE EXISTS (SELECT 1 FROM b.dev.t WHERE dev.t.id = 1)"
    with pytest.raises(ValidationError, match=r"`dev\.t` means one of several tables"):
        with_other_names(text, rename, lambda parts: None)


@pytest.mark.parametrize("name", ["prod.t.id", "prod.t.*", "c.prod.t.id"])
def test_a_field_that_the_new_name_of_a_table_would_capture_is_refused(name):
    """``prod`` is the alias of a table with a struct ``t``, and the new database of another."""

    def rename(parts):
        return ("c", "dev", parts[-1]), ("c", "prod", parts[-1])

    text = f"SELECT {name} FROM dev.t, dev.u AS {name.split('.')[0]}"
    with pytest.raises(ValidationError, match="would be a column of a table by the new names"):
        with_other_names(text, rename, lambda parts: None)


def test_a_backtick_in_a_string_begins_no_name() -> None:
    assert read_words("SELECT '`', A, '`', `b``c` -- d") == {"select", "`", "a", "b`c"}
