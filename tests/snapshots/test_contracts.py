"""What a view promises its readers, shown from its tree or said not to be shown."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import viewscribe as vs
from viewscribe.errors import ValidationError
from viewscribe.snapshots import ContractError, assert_contract


@pytest.fixture
def env() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_table("orders", "id INT NOT NULL, customer INT, amount DECIMAL(10, 2)")
    env.create_table("customers", "id INT, name STRING NOT NULL")
    env.create_view(
        "totals", env.sql_query("select customer, sum(amount) s from orders group by 1")
    )
    return env


def fault(table: Any, **contract: Any) -> str:
    with pytest.raises(ContractError) as caught:
        assert_contract(table, **contract)
    assert isinstance(caught.value, AssertionError)
    return str(caught.value)


def test_columns(env: vs.TableEnvironment) -> None:
    table = env.from_path("orders")
    full = {"id": "INT NOT NULL", "customer": "int", "AMOUNT": "DECIMAL(10,2)"}
    assert_contract(table, columns=full)
    assert_contract(table, columns={"amount": "decimal(10, 2)", "id": "INT"}, more_columns=True)
    assert "`id` is INT, and not BIGINT" in fault(table, columns={**full, "id": "BIGINT"})
    assert "`customer` may be NULL" in fault(table, columns={**full, "customer": "INT NOT NULL"})
    assert "there is another column `amount`, DECIMAL(10,2)" in fault(
        table, columns={"id": "INT", "customer": "INT"}
    ).replace("(10, 2)", "(10,2)")
    assert "no column `costumer`, did you mean: customer" in fault(
        table, columns={"costumer": "INT"}
    )
    turned = dict(reversed(full.items()))
    assert "the order of the columns is id, customer, amount" in fault(table, columns=turned)
    assert fault(table, columns={}).count("there is another column") == 3


def test_types_that_are_none(env: vs.TableEnvironment) -> None:
    with pytest.raises(ValidationError, match="`id`"):
        assert_contract(env.from_path("orders"), columns={"id": "NOTYPE"}, more_columns=True)


def test_not_null(env: vs.TableEnvironment) -> None:
    table = env.sql_query("select o.id, c.name from orders o left join customers c on o.id = c.id")
    assert_contract(table, not_null=["id"])
    assert_contract(table, not_null="id")
    assert "cannot be shown that `name` is never NULL" in fault(table, not_null=["id", "name"])


def test_keys(env: vs.TableEnvironment) -> None:
    joined = "select o.id, o.customer, c.name from orders o join customers c on o.customer = c.id"
    known = {"orders": "id", "default.customers": ["id"]}
    assert_contract(env.sql_query(joined), unique="id", table_keys=known)
    assert_contract(env.sql_query(joined), unique=["id", "name"], table_keys=known)
    assert_contract(env.sql_query(joined), unique=[["id"], ("ID", "name")], table_keys=known)
    told = fault(env.sql_query(joined), unique="customer", table_keys=known)
    assert (
        "it cannot be shown that (customer) is unique: what is shown to be unique is (id)" in told
    )
    told = fault(env.sql_query(joined), unique="id")
    assert "nothing says which columns of spark_catalog.default.orders are" in told
    told = fault(
        env.sql_query("select id from orders union all select id from orders"),
        unique="id",
        table_keys=known,
    )
    assert "SetOperation(" in told
    assert "may give rows of the same values" in told
    assert "there is no column `nobody`" in fault(env.sql_query(joined), unique="nobody")
    with pytest.raises(ValidationError, match="table_keys: there is no column `no`"):
        assert_contract(env.sql_query(joined), unique="id", table_keys={"orders": "no"})


def test_keys_of_views_that_are_read(env: vs.TableEnvironment) -> None:
    table = env.sql_query(
        "select t.customer, c.name from totals t join customers c on t.customer = c.id"
    )
    assert_contract(table, unique="customer", table_keys={"customers": "id"})
    env.create_view("above", env.from_path("totals").select("customer"))
    assert_contract(env.from_path("above"), unique="customer")
    assert_contract(env.get_view("totals"), unique="customer")


def test_views_in_a_diamond_are_read_once(env: vs.TableEnvironment) -> None:
    """Each reads the one below twice: 2 to the 30th, if each use were followed."""
    below = "totals"
    for level in range(30):
        text = f"select a.customer from {below} a join {below} b on a.customer = b.customer"
        env.create_view(f"level_{level}", env.sql_query(text))
        below = f"level_{level}"
    assert_contract(env.from_path(below), unique="customer")


def test_what_has_no_contract(env: vs.TableEnvironment) -> None:
    foreign = msgspec.structs.replace(env.get_view("totals"), plan=None)
    with pytest.raises(ValidationError, match="has no plan"):
        assert_contract(foreign, unique="customer")
    with pytest.raises(ValidationError, match="a str has no contract"):
        assert_contract("select 1", unique="customer")
