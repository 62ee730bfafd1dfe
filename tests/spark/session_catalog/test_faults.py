"""Sessions that fail in the middle of a change, and several writers at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import pytest

from tests.catalog_store.samples import database, function, view
from tests.spark.session_catalog.conftest import OwnDatabases, stored_views
from viewscribe.catalog_store import (
    CatalogBusyError,
    CatalogUnreachableError,
    ConcurrentUpdateError,
    StorageError,
    UnknownOutcomeError,
    seal,
)
from viewscribe.catalog_store.hosted.names import LOCK
from viewscribe.spark.session_catalog.catalog import Guard


class Failing:
    """A session that fails once, at the statement that has a text in it.

    Args:
        spark: the session that does what is asked.
        at: the text.
        after: whether the statement is carried out before the answer is lost.
    """

    def __init__(self, spark: Any, at: str, *, after: bool) -> None:
        self._spark, self._at, self._after = spark, at, after
        self.failed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spark, name)

    @property
    def _jsparkSession(self) -> Any:
        return FailingInside(self, self._spark._jsparkSession)

    def sql(self, text: str) -> Any:
        return self.carry_out(self._spark, text)

    def carry_out(self, session: Any, text: str) -> Any:
        from pyspark.errors import PySparkException

        if self._at not in text or self.failed:
            return session.sql(text)
        self.failed = True
        if self._after:
            session.sql(text)
        raise PySparkException("the connection is gone")


class FailingInside:
    """The session in the JVM, which fails as the one around it does."""

    def __init__(self, around: Failing, inner: Any) -> None:
        self._around, self._inner = around, inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def sql(self, text: str) -> Any:
        return self._around.carry_out(self._inner, text)


TWO = view(comment="two", sql="SELECT 'two' AS name", properties={"new": "x"})
CHANGES: dict[str, Any] = {
    "CREATE VIEW": lambda each, token: each.create(view("other")),
    "SET TBLPROPERTIES": lambda each, token: each.replace(TWO, expected=token),
    " AS\nSELECT 'two'": lambda each, token: each.replace(TWO, expected=token),
    "UNSET TBLPROPERTIES": lambda each, token: each.replace(TWO, expected=token),
    "RENAME TO": lambda each, token: each.rename("view", "sales", "young", ("sales", "older")),
    "DROP VIEW": lambda each, token: each.delete("view", "sales", "young"),
    "CREATE DATABASE": lambda each, token: each.create_database(database("hr")),
    "DROP DATABASE": lambda each, token: each.drop_database("sales", cascade=True),
    "CREATE FUNCTION": lambda each, token: each.create(function()),
}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", CHANGES)
def test_the_session_fails_in_the_middle(catalog, spark, others, at, after):
    """Every object is as it was or as it was to be, never between, and no answer is false."""
    token = catalog.create(view(comment="one", properties={"old": "x"}))
    failing = Failing(spark, at, after=after)
    through = OwnDatabases(failing, others, shared=False)
    before = content(catalog)
    try:
        CHANGES[at](through, token)
        done = True
    except (UnknownOutcomeError, CatalogUnreachableError):
        done = False
    assert failing.failed
    found = content(catalog)
    assert found != before or not done
    wanted = [before, *([] if found == before else [found])]
    for documents in wanted:
        for document in documents.values():
            assert document in (seal(view(comment="one", properties={"old": "x"})), seal(TWO)) or (
                document.name in ("sales", "hr", "other", "older", "twice")
            )
    if ("sales", "young") in found and at in ("SET TBLPROPERTIES", " AS\nSELECT 'two'"):
        stored = catalog.get("view", "sales", "young")
        catalog.replace(TWO, expected=stored.token)
        assert catalog.get("view", "sales", "young").document == seal(TWO)
        assert [each.document.comment for each in catalog.history("view", "sales", "young")] == [
            "one",
            "two",
        ]


def test_what_spark_refuses_leaves_nothing(catalog, spark):
    token = catalog.create(view(comment="one", properties={"old": "x", "kept": "y"}))
    catalog.create(view("reader", sql="SELECT name FROM spark_catalog.sales.young"))
    before = list(catalog.load_all())
    shown = properties(spark)
    circle = view(
        sql="SELECT name FROM spark_catalog.sales.reader",
        comment="two",
        properties={"new": "z", "kept": "w"},
    )
    with pytest.raises(StorageError, match="RECURSIVE_VIEW"):
        catalog.replace(circle, expected=token)
    assert list(catalog.load_all()) == before
    assert properties(spark) == shown


def properties(spark: Any) -> set[tuple[Any, ...]]:
    return {tuple(row) for row in spark.sql("SHOW TBLPROPERTIES sales.young").collect()}


def content(catalog: Any) -> dict[Any, Any]:
    found = {}
    for each in catalog.load_all():
        found[each.id.database, each.id.name] = each.document
    return found


# --- several writers ---


def test_threads_take_turns(catalog):
    catalog.create(view("counter", comment="0"))

    def count_up(_: int) -> int:
        lost = 0
        for _ in range(3):
            while True:
                stored = catalog.get("view", "sales", "counter")
                number = str(int(stored.document.comment) + 1)
                try:
                    catalog.replace(view("counter", comment=number), expected=stored.token)
                except ConcurrentUpdateError:
                    lost += 1
                else:
                    break
        return lost

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(count_up, range(3)))
    assert catalog.get("view", "sales", "counter").document.comment == "9"


def test_processes_take_turns(catalog, spark, others, monkeypatch):
    """Two sessions whose threads share no lock, as those of two processes do not."""
    monkeypatch.setattr(Guard, "turn", nullcontext)
    catalog.create(view("counter", comment="0"))

    def count_up(session: Any) -> None:
        mine = OwnDatabases(session, others, shared=True)
        for _ in range(4):
            while True:
                stored = mine.get("view", "sales", "counter")
                number = str(int(stored.document.comment) + 1)
                try:
                    mine.replace(view("counter", comment=number), expected=stored.token)
                    break
                except ConcurrentUpdateError:
                    continue

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(count_up, [spark.newSession(), spark.newSession()]))
    assert catalog.get("view", "sales", "counter").document.comment == "8"
    assert stored_views(spark, "sales") == ["counter"]


def test_other_processes_wait_for_a_view_that_only_one_can_create(catalog, spark, others):
    one = OwnDatabases(spark, others, shared=True, lock_timeout=0)
    token = one.create(view(comment="one"))
    spark.sql(
        f"CREATE VIEW sales.{LOCK} TBLPROPERTIES ('viewscribe_since' = 'ada 2024') AS SELECT 1 AS x"
    )
    with pytest.raises(CatalogBusyError, match="by another process: ada 2024") as caught:
        one.replace(view(comment="two"), expected=token)
    assert f"DROP VIEW spark_catalog.sales.{LOCK}" in (caught.value.hint or "")
    assert [each.name for each in one.list_objects("sales")] == ["young"]
    spark.sql(f"DROP VIEW sales.{LOCK}")
    one.replace(view(comment="two"), expected=token)
    assert stored_views(spark, "sales") == ["young"]
