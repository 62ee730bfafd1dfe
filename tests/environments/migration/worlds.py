"""Small environments for the tests, and catalogs that fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import viewscribe as vs
from viewscribe import col
from viewscribe.catalog_store import Catalog, MemoryCatalog, StorageError
from viewscribe.environments import Environment, NameMapping
from viewscribe.environments.migration.snapshot import content

ORDERS = "id BIGINT, status STRING, amount DECIMAL(10, 2)"


def shop(catalog: Catalog, database: str = "sales") -> vs.TableEnvironment:
    """``orders``, a function ``net``, and views ``open``, ``totals`` and ``names`` over them."""
    env = vs.TableEnvironment(catalog)
    env.create_database(database)
    env.use_database(database)
    env.create_table("orders", ORDERS)
    env.execute_sql("CREATE FUNCTION net(x DOUBLE) RETURNS DOUBLE RETURN x / 1.19")
    views(env)
    return env


def views(env: vs.TableEnvironment, **options: Any) -> None:
    """The views of the shop, in the current database."""
    orders = env.from_path("orders")
    opened = orders.filter(col("status") == "open").select("id", "amount")
    env.create_view("open", opened, **options)
    net = vs.call("net", col("amount").cast("DOUBLE"))
    totals = env.from_path("open").select(col("id"), net.alias("net"))
    env.create_view("totals", totals, **options)
    env.create_view("names", env.from_path("totals").select("id"), **options)


def tables_alone(catalog: Catalog, database: str = "sales") -> Catalog:
    """A target that has the table and nothing else."""
    env = vs.TableEnvironment(catalog)
    env.create_database(database)
    env.create_table(f"{database}.orders", ORDERS)
    return catalog


def environment(catalog: Catalog, name: str, prefix: str = "") -> Environment:
    """An environment whose databases begin with ``prefix``."""
    rules = {"*": f"{prefix}*"} if prefix else {}
    return Environment(
        name=name, url=catalog.url, catalog=catalog, names=NameMapping(databases=rules)
    )


def state(catalog: Catalog) -> dict[str, str]:
    """What a catalog holds, whoever wrote it and how often."""
    return {
        f"{each.id.kind} {each.id}".lower(): content(each.document)  # type: ignore[union-attr]
        for each in catalog.load_all()
    }


class KilledError(BaseException):
    """The process ends."""


WRITES = ("create", "replace", "delete", "rename", "create_database", "drop_database")


class Failing:
    """A catalog whose writes fail when told to.

    Args:
        inner: the real one.
        at: which write fails, from 1.
        error: what it raises.
        after: whether the write is carried out before.
        for_ever: whether every later call fails too.
    """

    def __init__(
        self,
        inner: Catalog,
        at: int,
        error: Callable[[], BaseException],
        *,
        after: bool = False,
        for_ever: bool = False,
    ) -> None:
        self._inner = inner
        self._at = at
        self._error = error
        self._after = after
        self._for_ever = for_ever
        self.writes = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in WRITES:
            if self._for_ever and self.writes >= self._at and callable(found):
                raise self._error()
            return found

        def write(*arguments: Any, **named: Any) -> Any:
            self.writes += 1
            fails = self.writes == self._at or (self._for_ever and self.writes > self._at)
            if fails and not self._after:
                raise self._error()
            result = found(*arguments, **named)
            if fails:
                raise self._error()
            return result

        return write


def full() -> StorageError:
    return StorageError("no space left")


def two() -> tuple[MemoryCatalog, MemoryCatalog]:
    """A shop, and a target with its table alone."""
    source, target = MemoryCatalog(), MemoryCatalog()
    shop(source)
    tables_alone(target)
    return source, target
