"""Listing, loading and checking very many views of a catalog of files."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

from viewscribe.catalog_store import FileCatalog, Loaded, Unreadable

VIEWS = 10_000
LIST_SECONDS = 1.0
LOAD_SECONDS = 6.0
CHECK_SECONDS = 6.0


@dataclass(frozen=True)
class Reading:
    """What reading a catalog took, in seconds of the processor.

    Args:
        views: how many views there were.
        listed: the names of all.
        loaded: the documents of all, each held against its schema and its fingerprint.
        checked: ``viewscribe check`` of all, of the clock: it runs as many processes as there are
            processors.
    """

    views: int
    listed: float
    loaded: float
    checked: float

    @property
    def reached(self) -> bool:
        """Whether it is as fast as it means to be."""
        read = self.listed < LIST_SECONDS and self.loaded < LOAD_SECONDS
        return read and self.checked < CHECK_SECONDS


def measure(views: int = VIEWS) -> Reading:
    """Reads a catalog twice: what is measured is not the disk, which has all of it in memory."""
    with tempfile.TemporaryDirectory() as place:
        catalog = world(Path(place), views)
        list(catalog.load_all())
        listed = _timed(lambda: len(catalog.list_objects("sales", "view")), views)
        loaded = _timed(lambda: sum(map(_is_view, catalog.load_all())), views)
        return Reading(views, listed, loaded, _checked(place))


def _checked(place: str) -> float:
    command = (sys.executable, "-m", "viewscribe", "check", f"file:{place}", "--quiet")
    started = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - started


def world(place: Path, views: int) -> FileCatalog:
    """A table, and views over it as ``create_view`` writes them."""
    import viewscribe as vs
    from viewscribe import col
    from viewscribe import functions as F

    env = vs.TableEnvironment(f"file:{place}")
    env.create_database("sales")
    env.create_table("sales.orders", "id BIGINT, status STRING, amount DECIMAL(10, 2), day DATE")
    paid = env.from_path("sales.orders").filter(col("status") == "paid")
    totals = paid.group_by("day").agg(F.sum(col("amount")).alias("total"), F.count("*").alias("n"))
    env.create_view("sales.v0", totals)
    pattern = (place / "sales" / "v0.view.yaml").read_text()
    for number in range(1, views):
        text = pattern.replace("\nname: v0\n", f"\nname: v{number}\n")
        (place / "sales" / f"v{number}.view.yaml").write_text(text)
    return FileCatalog(place)


def _is_view(entry: Loaded | Unreadable) -> bool:
    return isinstance(entry, Loaded) and entry.id.kind == "view"


def _timed(count: Callable[[], int], views: int) -> float:
    started = process_time()
    found = count()
    seconds = process_time() - started
    if found != views:
        raise SystemExit(f"{found:,} of {views:,} views were read")
    return seconds
