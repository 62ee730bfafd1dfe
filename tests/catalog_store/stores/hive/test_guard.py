"""What is read before it is replaced is one state of the object, never parts of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.reserved_properties import DDL_TIME
from viewscribe.catalog_store.stores.hive.concurrency import Guard
from viewscribe.catalog_store.stores.hive.records import TableRecord

if TYPE_CHECKING:
    from viewscribe.catalog_store.stores.hive.client import Client


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
