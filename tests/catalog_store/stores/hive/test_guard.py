"""What is read before it is replaced is one state of the object, never parts of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import DDL_TIME
from viewscribe.catalog_store.stores.hive.concurrency import Guard
from viewscribe.catalog_store.stores.hive.records import MetaError, TableRecord

if TYPE_CHECKING:
    from viewscribe.catalog_store.stores.hive.records import Client


def record(text: str, stamp: str) -> TableRecord:
    return TableRecord(
        name="young",
        database="sales",
        original_text=text,
        parameters={DDL_TIME: stamp, embedded_document.STAMP: stamp},
    )


class Answers:
    """A metastore that answers with one record after the other."""

    def __init__(self, *records: TableRecord) -> None:
        self.left = list(records)

    def table(self, database: str, name: str) -> TableRecord:
        return self.left.pop(0)


def test_half_of_a_change_is_read_again():
    """The stamp is the one that the writer beside us wrote, the text not yet."""
    answers = Answers(record("old", "2"), record("new", "2"), record("new", "2"))
    found = Guard(cast("Client", answers)).read("sales", "young")
    assert found.original_text == "new"
    assert answers.left == []


def test_what_is_the_same_twice_is_taken():
    answers = Answers(record("old", "1"), record("old", "1"))
    assert Guard(cast("Client", answers)).read("sales", "young").original_text == "old"


MODIFIED = "The table has been modified"


class Altering:
    """A metastore that answers each change of the scratch view with the next of these errors."""

    def __init__(self, *errors: str | None) -> None:
        self.left = list(errors)
        self.names: set[str | None] = set()

    def create_table(self, record: TableRecord) -> None:
        self.names.add(record.name)

    def drop_table(self, database: str, name: str) -> None:
        self.names.remove(name)

    def alter_table(self, database: str, name: str, record: TableRecord, context: object) -> None:
        if (error := self.left.pop(0)) is not None:
            raise MetaError(error)


@pytest.mark.parametrize(
    ("errors", "swaps"),
    [
        ([MODIFIED, None], True),
        ([None], False),  # Hive 3
        ([MODIFIED, "CLOBs are not compared", None, "CLOBs are not compared"], False),  # 4 on Derby
        ([MODIFIED, "connection lost", None, None], True),
    ],
)
def test_one_try_says_whether_a_server_compares(errors: list[str | None], swaps: bool) -> None:
    server = Altering(*errors)
    assert Guard(cast("Client", server)).swaps("sales") is swaps
    assert (server.left, server.names) == ([], set())


@pytest.mark.parametrize(
    "errors", [["connection lost"], [MODIFIED, "connection lost", "connection lost"]]
)
def test_a_server_in_trouble_is_not_taken_for_one_that_does_not_compare(errors: list[str]) -> None:
    server = Altering(*errors)
    with pytest.raises(MetaError):
        Guard(cast("Client", server)).swaps("sales")
    assert server.names == set()
