"""A catalog of generated views over the tables of TPC-H: always the same ones for a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final

import viewscribe as vs
from examples.tpch import data

DATABASE: Final = "bench"

GROUPS: Final[tuple[dict[str, str], ...]] = (
    {},
    {"spark.sql.session.timeZone": "Europe/Berlin"},
    {"spark.sql.session.timeZone": "America/New_York", "spark.sql.ansi.enabled": "false"},
    {"spark.sql.ansi.enabled": "false"},
    {"spark.sql.mapKeyDedupPolicy": "LAST_WIN"},
)
"""The settings that views are stored with, in turns: neighbours never have the same ones."""

Kind = Callable[[Random, int], str]

_COLUMNS = {
    "lineitem": ("l_quantity", "l_extendedprice", "l_discount", "l_tax", "l_linenumber"),
    "orders": ("o_totalprice", "o_shippriority", "o_custkey"),
    "part": ("p_size", "p_retailprice"),
    "partsupp": ("ps_availqty", "ps_supplycost"),
    "customer": ("c_acctbal", "c_nationkey"),
    "supplier": ("s_acctbal", "s_nationkey"),
}
_KEYS = {
    "lineitem": ("l_returnflag", "l_linestatus", "l_shipmode"),
    "orders": ("o_orderstatus", "o_orderpriority"),
    "part": ("p_brand", "p_container"),
    "customer": ("c_mktsegment", "c_nationkey"),
    "supplier": ("s_nationkey", "s_name"),
}
_JOINS = (
    ("lineitem", "orders", "l_orderkey = o_orderkey"),
    ("orders", "customer", "o_custkey = c_custkey"),
    ("partsupp", "part", "ps_partkey = p_partkey"),
    ("partsupp", "supplier", "ps_suppkey = s_suppkey"),
    ("customer", "nation", "c_nationkey = n_nationkey"),
)


def make_catalog(url: str, tables: Path, views: int, seed: int = 1) -> vs.TableEnvironment:
    """Stores the views in a catalog, and the tables of TPC-H that they read.

    Args:
        url: the catalog.
        tables: the directory of the tables' files.
        views: how many views.
        seed: other ones for another seed.
    """
    env = vs.TableEnvironment(url)
    env.create_database(DATABASE)
    for name, schema in data.SCHEMAS.items():
        place = str(data.table_path(tables, name))
        env.create_table(f"{DATABASE}.{name}", schema, format="parquet", location=place)
    environments = [vs.TableEnvironment(url, settings=settings) for settings in GROUPS]
    for number, text in enumerate(texts(views, seed)):
        under = environments[number % len(environments)]
        under.use_database(DATABASE)
        under.create_view(view_name(number), under.sql_query(text))
    return env


def view_name(number: int) -> str:
    """The name of a view."""
    return f"v{number:05d}"


def texts(views: int, seed: int) -> Iterator[str]:
    """Queries of all kinds, in turns; each has names and numbers of its own."""
    random = Random(seed)
    for number in range(views):
        yield KINDS[number % len(KINDS)](random, number)


def _filter(random: Random, number: int) -> str:
    table = random.choice([*_COLUMNS])
    one, other = random.sample(_COLUMNS[table], 2)
    least = random.randrange(1, 50)
    return (
        f"SELECT {one}, {other} AS other_{number} FROM {table} "
        f"WHERE {one} > {least} AND ({other} < {least + number} OR {one} IS NULL)"
    )


def _columns(random: Random, number: int) -> str:
    table = random.choice([*_KEYS])
    key, value = random.choice(_KEYS[table]), random.choice(_COLUMNS[table])
    return (
        f"SELECT {value} * {random.randrange(2, 9)} AS scaled_{number}, upper({key}) AS key, "
        f"CASE WHEN {value} > {number} THEN 'high' WHEN {value} > {number // 2} THEN 'middle' "
        f"ELSE concat('low ', {key}) END AS level, {value} + {number} AS moved FROM {table}"
    )


def _moments(random: Random, number: int) -> str:
    """What depends on the time zone."""
    return (
        f"SELECT o_orderkey, CAST(o_orderdate AS TIMESTAMP) + INTERVAL {number % 50 + 1} HOURS "
        f"AS moment_{number}, year(o_orderdate) AS year, "
        f"date_add(o_orderdate, {random.randrange(1, 90)}) AS due FROM orders "
        f"WHERE o_orderdate >= DATE '199{random.randrange(2, 9)}-01-01'"
    )


def _casts(random: Random, number: int) -> str:
    """What is an error with ANSI, and NULL without."""
    return (
        f"SELECT c_custkey, CAST(substring(c_phone, 1, 2) AS INT) + {number} AS code_{number}, "
        f"c_acctbal / {random.randrange(2, 30)} AS part FROM customer"
    )


def _join(random: Random, number: int) -> str:
    left, right, on = random.choice(_JOINS)
    kind = random.choice(("JOIN", "LEFT JOIN", "FULL JOIN", "LEFT SEMI JOIN"))
    value = random.choice(_COLUMNS[left])
    key = on.split(" = ", maxsplit=1)[0]
    return (
        f"SELECT {key}, {value} AS value_{number} FROM {left} {kind} {right} ON {on} "
        f"WHERE {value} <= {random.randrange(10, 5000)}"
    )


def _three(random: Random, number: int) -> str:
    return (
        f"SELECT n_name, c_name, o_totalprice - {number} AS rest FROM orders "
        "JOIN customer ON o_custkey = c_custkey JOIN nation ON c_nationkey = n_nationkey "
        f"WHERE o_totalprice > {random.randrange(100, 90000)} AND n_regionkey = {number % 5}"
    )


def _aggregate(random: Random, number: int) -> str:
    table = random.choice([*_KEYS])
    key, value = random.choice(_KEYS[table]), random.choice(_COLUMNS[table])
    return (
        f"SELECT {key}, sum({value}) AS total_{number}, avg({value}) AS mean, count(*) AS n, "
        f"max({value}) AS most FROM {table} WHERE {value} > {number % 40} GROUP BY {key} "
        f"HAVING count(*) > {random.randrange(1, 20)} ORDER BY {key}"
    )


def _distinct(random: Random, number: int) -> str:
    table = random.choice([*_KEYS])
    key, value = random.choice(_KEYS[table]), random.choice(_COLUMNS[table])
    return (
        f"SELECT {key}, count(DISTINCT {value}) AS kinds_{number}, "
        f"count_if({value} > {number % 30}) AS many FROM {table} GROUP BY {key}"
    )


def _rollup(random: Random, number: int) -> str:
    one, other = random.sample(_KEYS["lineitem"], 2)
    return (
        f"SELECT {one}, {other}, sum(l_quantity) + {number} AS total_{number} FROM lineitem "
        f"GROUP BY ROLLUP ({one}, {other})"
    )


def _window(random: Random, number: int) -> str:
    table = random.choice(("orders", "customer", "part", "lineitem"))
    key, value = random.choice(_KEYS[table]), _COLUMNS[table][0]
    return (
        f"SELECT {key}, {value}, rank() OVER (PARTITION BY {key} ORDER BY {value} DESC) AS place, "
        f"sum({value}) OVER (PARTITION BY {key}) AS total_{number} FROM {table} "
        f"QUALIFY place <= {random.randrange(2, 40)}"
    )


def _union(random: Random, number: int) -> str:
    kind = random.choice(("UNION ALL", "UNION", "INTERSECT", "EXCEPT"))
    return (
        f"SELECT c_nationkey AS nation, c_acctbal AS balance_{number} FROM customer "
        f"WHERE c_acctbal > {random.randrange(100, 9000)} {kind} "
        f"SELECT s_nationkey, s_acctbal FROM supplier WHERE s_nationkey <> {number % 25}"
    )


def _in(random: Random, number: int) -> str:
    return (
        f"SELECT o_orderkey, o_totalprice AS price_{number} FROM orders WHERE o_custkey IN "
        f"(SELECT c_custkey FROM customer WHERE c_acctbal > {random.randrange(1, 9000)}) "
        f"AND NOT EXISTS (SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey "
        f"AND l_quantity > {number % 50})"
    )


def _scalar(random: Random, number: int) -> str:
    return (
        f"SELECT p_partkey, p_retailprice - (SELECT avg(ps_supplycost) FROM partsupp "
        f"WHERE ps_partkey = p_partkey) AS gain_{number} FROM part "
        f"WHERE p_size > {random.randrange(1, 40)}"
    )


def _share(random: Random, number: int) -> str:
    """Shares of a whole: Spark plans the two sides differently, so rows must tell."""
    return (
        f"SELECT o_orderstatus, sum(o_totalprice) / (SELECT sum(o_totalprice) FROM orders) "
        f"AS share_{number} FROM orders WHERE o_custkey > {number} GROUP BY o_orderstatus HAVING "
        f"sum(o_totalprice) > (SELECT avg(o_totalprice) + {random.randrange(1, 900)} FROM orders)"
    )


def _over_view(random: Random, number: int) -> str:
    turns = range(KINDS.index(_three), number, len(KINDS))
    return (
        f"SELECT n_name, count(*) AS n_{number}, max(rest) AS most "
        f"FROM {view_name(random.choice(turns))} WHERE rest > {number} GROUP BY n_name"
    )


KINDS: Final[tuple[Kind, ...]] = (
    _filter,
    _columns,
    _moments,
    _casts,
    _join,
    _three,
    _aggregate,
    _distinct,
    _rollup,
    _window,
    _union,
    _in,
    _scalar,
    _share,
    _over_view,
)
