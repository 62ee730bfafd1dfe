"""The clock of a metastore, which gives everything that is changed the second of the change."""

from __future__ import annotations

import secrets
import time
from contextlib import suppress

from viewscribe.catalog_store.documents.versions import default_author
from viewscribe.catalog_store.hosted.names import PROBE
from viewscribe.catalog_store.hosted.reserved_properties import DDL_TIME
from viewscribe.catalog_store.stores.hive.client import Client, NoSuchObjectError
from viewscribe.catalog_store.stores.hive.properties import hive_storage
from viewscribe.catalog_store.stores.hive.records import TableRecord
from viewscribe.catalog_store.stores.hive.view_tables import VIRTUAL_VIEW

_STEP = 0.05


class ServerClock:
    """Tells the seconds of a server, by what it writes into a scratch view.

    Args:
        client: the server.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._told: tuple[int, float] | None = None
        """The second that was told last, and when."""
        self._turn: float | None = None
        """The part of a second of the own clock at which the server's seconds end."""

    def second(self, database: str) -> int:
        """The present second of the server."""
        record = scratch_view(database, {})
        name = record.name or ""
        self._client.create_table(record)
        try:
            told = int(self._client.table(database, name).parameters[DDL_TIME])
        finally:
            with suppress(NoSuchObjectError):
                self._client.drop_table(database, name)
        now = time.time()
        if self._told is not None and self._told[0] == told - 1 and now - self._told[1] < 2 * _STEP:
            self._turn = now % 1
        self._told = told, now
        return told

    def wait_for_next(self) -> None:
        """Waits for the end of the second, as far as it is known; a moment where it is not."""
        if self._turn is None:
            time.sleep(_STEP)
            return
        time.sleep(max((self._turn - time.time()) % 1, _STEP))


def scratch_view(database: str, parameters: dict[str, str]) -> TableRecord:
    """A view that nobody looks at, under a name that nobody has."""
    lazy = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
    formats = "org.apache.hadoop.mapred.SequenceFileInputFormat"
    output = "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat"
    return TableRecord(
        name=PROBE + secrets.token_hex(8),
        database=database,
        owner=default_author() or "",
        last_access=0,
        retention=0,
        type=VIRTUAL_VIEW,
        original_text="SELECT 1",
        expanded_text="SELECT 1",
        storage=hive_storage((), formats, output, lazy),
        partition_columns=[],
        parameters=parameters,
    )
