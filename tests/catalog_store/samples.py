"""Documents for the tests, and strategies that make nasty ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from viewscribe.catalog_store import (
    Column,
    DatabaseDocument,
    Dependency,
    FunctionDocument,
    Parameter,
    TableDocument,
    ViewDocument,
)
from viewscribe.types.lexemes import AuthorText

# Reads no table, so that a live session takes it too.
SQL = "SELECT\n  name\nFROM VALUES (1, 'ann') AS customers (id, name)\nWHERE id >= 1"


def view(name: str = "young", database: str = "sales", **fields: Any) -> ViewDocument:
    given = {"sql": SQL, "columns": (Column("name", "STRING"),), **fields}
    return ViewDocument(name=name, database=database, **given)


def table(name: str = "customers", database: str = "sales", **fields: Any) -> TableDocument:
    given = {"columns": (Column("id", "BIGINT", nullable=False),), **fields}
    return TableDocument(name=name, database=database, **given)


def function(name: str = "twice", database: str = "sales", **fields: Any) -> FunctionDocument:
    given = {
        "function_kind": "scalar",
        "language": "sql",
        "body": "x * 2",
        "parameters": (Parameter("x", "INT"),),
        "returns": "INT",
        **fields,
    }
    return FunctionDocument(name=name, database=database, **given)


def database(name: str = "sales", **fields: Any) -> DatabaseDocument:
    return DatabaseDocument(name=name, **fields)


# Whatever YAML, file systems or SQL treat in a special way.
NASTY = (
    "no", "Yes", "NULL", "~", "true", "1e3", "1:20", "012", "0o17", "0x1F", ".inf", ".5", "-",
    "- a", "a: b", "a #b", "#", "&a", "*a", "!t", "%d", "@x", "`x`", "'", '"', "\\", "\\n",
    "{", "[a", "? x", "|", ">", "---", "...", "<<", "=", "", " ", "  x", "x  ", "\t", "\tx", "x\t",
    "\n", "\n\n", "a\n", "a\n\n", "\na", " \n a", "a \nb", "a\n b\n", "a\n\n\n  ", "a\r\nb", "\r",
    "a\x00b", "\x07", "\x1b[0m", "\x7f", "\x85", "a\u2028b", "\u2029", "\ufeff", "\ufffe",
    "é", "e\u0301", "漢字", "😀", "İ", "ß", "SELECT '\n---\n'", "-- x\n#y\n", "${jndi}", "../..",
)  # fmt: skip

characters = st.characters(exclude_categories=["Cs"])
texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(characters, max_size=40),
    st.text(" \t\n\r:#-|>'\"ab\x85\u2028", max_size=25),
    st.lists(st.sampled_from(NASTY), max_size=4).map("\n".join),
)
some_text = texts.filter(bool)
maybe_text = st.none() | texts

NASTY_NAMES = (
    "con", "NUL", "com1.x", "-rf", "--", "..", ".", "a/b", "a\\b", "/etc/passwd", "_database",
    "a.view.yaml", ".tmp-1", "a%2fb", "%61", "a b", "a\x00b", "A", "a", "É", "e\u0301", "K", "ς",
    "ΑΣ", "İstanbul", "ß", "ẞ", "x" * 200, "X" * 181, "漢" * 70, "~", "a~" + "0" * 32, "\n", " ",
)  # fmt: skip
names = st.one_of(
    st.sampled_from(NASTY_NAMES), st.text(characters, min_size=1, max_size=20), some_text
)

columns = st.lists(
    st.builds(Column, name=some_text, type=some_text, nullable=st.booleans(), comment=maybe_text),
    max_size=4,
).map(tuple)
mappings = st.dictionaries(texts | st.just("k" * 1500), texts, max_size=4)
dependencies = st.lists(
    st.builds(
        Dependency,
        kind=st.sampled_from(["table", "view", "function"]),
        name=st.lists(some_text, min_size=1, max_size=3).map(tuple),
    ),
    max_size=3,
).map(tuple)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
sources = st.builds(
    AuthorText,
    language=st.sampled_from(["spark-sql", "trino"]),
    text=some_text,
    namespace=st.lists(some_text, max_size=2).map(tuple),
    columns=st.lists(some_text, max_size=2).map(tuple),
    settings=mappings,
    origin=maybe_text,
)
views = st.builds(
    ViewDocument,
    database=names,
    name=names,
    comment=maybe_text,
    owner=maybe_text,
    style=st.sampled_from(["readable", "pipe", "nested"]),
    sql=some_text,
    source=st.none() | sources,
    columns=columns,
    properties=mappings,
    settings=mappings,
    dependencies=dependencies,
    viewscribe_version=maybe_text,
    spark_version=maybe_text,
    plan=st.none(),
)
functions = st.builds(
    FunctionDocument,
    database=names,
    name=names,
    comment=maybe_text,
    function_kind=st.sampled_from(["scalar", "aggregate", "table"]),
    language=st.sampled_from(["sql", "python", "java", "hive"]),
    class_name=maybe_text,
    body=maybe_text,
    parameters=st.lists(
        st.builds(
            Parameter, name=some_text, type=some_text, default=maybe_text, comment=maybe_text
        ),
        max_size=3,
    ).map(tuple),
    returns=some_text,
    deterministic=st.booleans(),
    resources=st.lists(some_text, max_size=2).map(tuple),
    properties=mappings,
)
tables = st.builds(
    TableDocument,
    database=names,
    name=names,
    comment=maybe_text,
    columns=columns,
    format=maybe_text,
    location=maybe_text,
    options=mappings,
    partitioned_by=st.lists(some_text, max_size=2).map(tuple),
    properties=mappings,
)
databases = st.builds(
    DatabaseDocument, name=names, comment=maybe_text, location=maybe_text, properties=mappings
)
documents = st.one_of(views, tables, functions, databases)
