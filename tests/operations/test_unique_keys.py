"""Unique keys that a tree is said to have, held against the rows of SQLite."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator

import pytest

import viewscribe as vs
from viewscribe.operations.nodes import CatalogSource
from viewscribe.operations.unique_keys import Keys, step_without_key, unique_keys

TABLES = {
    "orders": "id INT, customer INT, kind INT, amount INT",
    "customers": "id INT, country INT",
    "lines": "order_id INT, number INT, kind INT",
}
TABLE_KEYS = {"orders": [["id"]], "customers": [["id"]], "lines": [["order_id", "number"]]}

SHOWN = {
    "select id, kind from orders": {"id"},
    "select kind from orders": None,
    "select id as other from orders": {"other"},
    "select id + 1 as id from orders": None,
    "select distinct kind, amount from orders": {"kind amount"},
    "select kind, sum(amount) as s from orders group by kind": {"kind"},
    "select sum(amount) as s from orders": {""},
    "select kind + 1 as k, sum(amount) as s from orders group by kind + 1": {"k"},
    "select id, kind, sum(amount) as s from orders group by id, kind": {"id"},
    "select sum(amount) as s from orders group by kind": None,
    "select * from orders where kind = 1": {"id"},
    "select order_id from lines where number = 1": {"order_id"},
    "select order_id from lines where number > 1": None,
    "select order_id, kind from lines where number = kind": {"order_id kind"},
    "select number from lines where order_id = number": {"number"},
    "select o.id, c.country from orders o join customers c on o.customer = c.id": {"id"},
    "select o.id, c.country from orders o left join customers c on o.customer = c.id": {"id"},
    "select o.id, c.country from orders o, customers c where o.customer = c.id": {"id"},
    "select c.id, o.amount from customers c left join orders o on o.customer = c.id": None,
    "select c.id as c, o.id as o from customers c left join orders o on o.customer = c.id": {"c o"},
    "select o.id from orders o full join customers c on o.customer = c.id": None,
    "select o.id, c.id as c from orders o full join customers c on o.customer = c.id": None,
    "select o.id from orders o right join customers c on o.customer = c.id": None,
    "select c.id from orders o right join customers c on o.id = c.id": {"id"},
    "select o.id, c.id as c from orders o cross join customers c": {"id c"},
    "select o.id from orders o join customers c on o.customer > c.id": None,
    "select o.id from orders o join customers c on o.customer + 1 = c.id": None,
    "select o.id from orders o join customers c on o.customer = c.id or o.kind = 1": None,
    "select l.order_id, l.number, o.customer, c.country from lines l join orders o "
    "on l.order_id = o.id join customers c on o.customer = c.id": {"order_id number"},
    "select * from orders join (select id, country from customers) using (id)": {"id"},
    "select * from orders left join customers using (id)": {"id"},
    "select * from orders full join customers using (id)": None,
    "select id from orders union all select id from customers": None,
    "select id from orders union select id from customers": {"id"},
    "select id from orders intersect select id from customers": {"id"},
    "select kind, id from orders except select kind, id from orders where kind = 1": {"id"},
    "select * from orders where id in (select customer from orders)": {"id"},
    "select * from orders o where exists (select 1 from lines l where l.order_id = o.id)": {"id"},
    "select * from (select id, kind from orders order by amount limit 3)": {"id"},
    "select amount from orders order by amount limit 1": {""},
    "select kind, n from (select kind, count(*) as n from orders group by kind) where n > 1": {
        "kind"
    },
    "select a.kind, b.s from (select kind from orders group by kind) a join "
    "(select kind, sum(amount) as s from orders group by kind) b on a.kind = b.kind": {"kind"},
    "select a.kind, b.s from orders a join "
    "(select kind, sum(amount) as s from orders group by kind) b on a.kind = b.kind": None,
    "select o.kind from orders o join (select max(id) as m from orders) x on o.id = x.m": {""},
    "select id, row_number() over (order by amount) as n from orders": {"id"},
}
"""Queries that mean the same in SQLite, with the keys that are to be found; None for no key."""


@pytest.fixture(scope="module")
def env() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    for name, columns in TABLES.items():
        env.create_table(name, columns)
    return env


def find_keys(source: CatalogSource) -> list[list[str]]:
    return TABLE_KEYS[source.path[-1]]


def named(keys: Keys, names: tuple[str, ...]) -> set[str]:
    return {" ".join(names[place] for place in sorted(key)) for key in keys.keys}


@pytest.mark.parametrize("query", SHOWN)
def test_keys(env: vs.TableEnvironment, query: str) -> None:
    table = env.sql_query(query)
    found = named(unique_keys(table.operation, find_keys), table.schema.names)
    assert found >= (SHOWN[query] or set())
    if SHOWN[query] is None:
        assert not found


def databases() -> Iterator[sqlite3.Connection]:
    """Small tables with NULLs, in which every key of a table is one."""
    chance = random.Random(18)
    for _ in range(150):
        data = sqlite3.connect(":memory:")
        for name, columns in TABLES.items():
            data.execute(f"CREATE TABLE {name} ({columns})")
            width, keys = len(columns.split(",")), len(TABLE_KEYS[name][0])
            rows: dict[tuple[object, ...], tuple[object, ...]] = {}
            for _ in range(chance.randrange(7)):
                row: tuple[object, ...] = tuple(
                    chance.choice((None, 1, 2, 3)) for _ in range(width)
                )
                rows[row[:keys]] = row
            for row in rows.values():
                data.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * width)})", row)
        yield data


def test_no_content_of_the_tables_has_a_row_twice(env: vs.TableEnvironment) -> None:
    trees = {query: env.sql_query(query).operation for query in SHOWN}
    keys = {query: unique_keys(tree, find_keys).keys for query, tree in trees.items()}
    checked = 0
    for data in databases():
        for query, found in keys.items():
            rows = data.execute(query).fetchall()
            for key in found:
                values = [tuple(row[place] for place in sorted(key)) for row in rows]
                assert len(set(values)) == len(values), (query, key, rows)
                checked += len(values) > 1
    assert checked > 1_000


MORE = {
    "select id, explode(array(1, 2)) as n from orders": set(),
    "select kind, amount, count(*) as n from orders group by rollup(kind, amount)": set(),
    "select * from (select id, kind, amount from orders) unpivot (v for c in (kind, amount))": {
        "id c"
    },
    "select * from (select kind, amount from orders) pivot (sum(amount) for kind in (1, 2))": {""},
    "select o.id, x.m from orders o, lateral (select max(kind) as m from lines l "
    "where l.order_id = o.id) x": {"id"},
    "select o.id, x.kind from orders o, lateral (select kind from lines l "
    "where l.order_id = o.id and l.number = 1) x": {"id"},
    "select o.id, x.kind from orders o, lateral (select kind from lines l "
    "where l.order_id = o.id) x": set(),
    "select * from values (1), (1) as t(a)": set(),
    "select * from values (1) as t(a)": {""},
    "select id from orders intersect all select id from customers": {"id"},
    "select cast(id as double) as id from orders": set(),
    "select id from orders where false union all select id from customers": set(),
}
"""What SQLite does not have."""


@pytest.mark.parametrize("query", MORE)
def test_keys_of_sparks_own_queries(env: vs.TableEnvironment, query: str) -> None:
    table = env.sql_query(query)
    assert named(unique_keys(table.operation, find_keys), table.schema.names) == MORE[query]


def test_types_that_are_widened_may_make_two_values_one(env: vs.TableEnvironment) -> None:
    env.create_table("wide", "id BIGINT", or_replace=True)
    env.create_table("floats", "id DOUBLE", or_replace=True)
    tree = env.sql_query("select id from wide intersect all select id from floats").operation
    assert not unique_keys(tree, lambda source: [["id"]]).keys


def test_a_chain_of_ten_thousand_steps(env: vs.TableEnvironment) -> None:
    table = env.from_path("orders")
    for _ in range(10_000):
        table = table.filter("kind > 1")
    assert unique_keys(table.operation, find_keys).is_key([0])


def test_the_step_at_which_a_key_is_lost(env: vs.TableEnvironment) -> None:
    query = "select id from (select id from orders union all select id from customers)"
    step = step_without_key(env.sql_query(query).operation, find_keys)
    assert type(step).__name__ == "SetOperation"
    assert isinstance(step_without_key(env.sql_query(query).operation), CatalogSource)
