"""Beside somebody who changes a view again and again, ours get their turn, and nothing is lost."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from tests.catalog_store import samples
from tests.catalogs import needs_swaps
from viewscribe.catalog_store import ConcurrentUpdateError, ViewDocument, open_catalog
from viewscribe.catalog_store.hosted.embedded_document import DDL_TIME

if TYPE_CHECKING:
    from tests.servers.metastore import Metastore
    from viewscribe.catalog_store import Catalog

PERIOD = 0.8


class Spark(threading.Thread):
    """``ALTER VIEW sales.young AS …`` in a period, as Spark does it: without any condition."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.catalog = cast("Any", open_catalog(url))
        self.over = threading.Event()
        self.lost: list[str] = []
        self.count = 0
        self.writing: list[tuple[float, float]] = []

    def run(self) -> None:
        """Changes the view, and looks each time for what it wrote before."""
        wanted = ""
        while not self.over.wait(PERIOD):
            known = [each.document.sql for each in self.catalog.history("view", "sales", "young")]
            if wanted and wanted not in known:
                self.lost.append(wanted)
            self.count += 1
            wanted = f"SELECT name, {self.count} AS n FROM spark_catalog.sales.people"
            start = time.monotonic()
            record = self.catalog._client.table("sales", "young")
            record.original_text = record.expanded_text = wanted
            kept = {key: each for key, each in record.parameters.items() if key != DDL_TIME}
            record.parameters = kept  # the server says the time
            self.catalog._client.alter_table("sales", "young", record, {})
            self.writing.append((start, time.monotonic()))


@pytest.mark.slow("lives beside a writer who needs most of a second for each change")
def test_ours_get_their_turn_beside_a_writer_who_never_rests(
    metastore: Metastore, hive: Catalog
) -> None:
    hive.create_database(samples.database())
    needs_swaps(hive)
    hive.create(samples.view())
    spark = Spark(metastore.url)
    spark.start()
    won: dict[str, tuple[float, float]] = {}
    for number in range(200):  # a few for each change of Spark's
        stored = hive.get("view", "sales", "young")
        document = stored.document
        assert isinstance(document, ViewDocument)
        text = f"SELECT name, {-number - 1} AS n FROM spark_catalog.sales.people"
        changed = msgspec.structs.replace(document, sql=text, plan=None, fingerprint="")
        start = time.monotonic()
        with suppress(ConcurrentUpdateError):
            hive.replace(changed, expected=stored.token)
            won[text] = (start, time.monotonic())
        if len(won) >= 3 and spark.count > 3:
            break
    spark.over.set()
    spark.join()
    assert len(won) >= 3
    assert spark.lost == []
    documents = [each.document for each in hive.history("view", "sales", "young")]
    kept = {each.sql for each in documents if isinstance(each, ViewDocument)}
    for text in set(won) - kept:
        # Spark writes back all that it read: what came in between nobody can save.
        assert any(start < won[text][1] and won[text][0] < end for start, end in spark.writing)
    assert set(won) & kept
