"""Planning a migration of very many views, in an interpreter of its own, beside sqlglot.

Every view reads four others or tables; all names change. sqlglot renames the tables of the texts
and does nothing else: it neither compares, nor looks for what is missing, nor knows a tree.

By hand, ``python -m benchmarks.migration 5000 file`` and ``sqlite`` plan and apply between two such
catalogs, ``breaks`` plans a change of the one view that nearly all the others come from, and
``shared`` plans as the command line does, in a process for each processor.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import msgspec

from viewscribe.catalog_store import Catalog

if TYPE_CHECKING:
    from viewscribe.environments import Environment

VIEWS = 5_000
READS = 4
LIMIT_SECONDS = 10.0
LIMIT_BYTES = 1 << 30


@dataclass(frozen=True)
class Migration:
    """What planning took.

    Args:
        views: how many views there were.
        seconds: of the processor, of viewscribe's plan.
        rival: of sqlglot, for the texts alone.
        peak: the most memory in bytes that the process had, both catalogs included.
    """

    views: int
    seconds: float
    rival: float
    peak: int

    @property
    def reached(self) -> bool:
        """Whether it is as fast and as small as it means to be."""
        return self.seconds < LIMIT_SECONDS and self.peak < LIMIT_BYTES


def measure(views: int = VIEWS) -> Migration:
    """Plans once, in a fresh interpreter."""
    command = (sys.executable, "-m", "benchmarks.migration", str(views))
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    return Migration(**json.loads(found.stdout))


def run(views: int) -> Migration:
    """Plans once, in this interpreter."""
    from viewscribe.environments.migration import make_plan

    dev, prod = _environments(views)
    started = process_time()
    plan = make_plan(dev, prod)
    seconds = process_time() - started
    peak = _peak()
    if plan.problems or plan.counts()["create"] != views:
        raise SystemExit(f"the plan is not the whole work: {plan.counts()}")
    texts = [step.document["sql"] for step in plan.steps if step.document is not None]
    if any("dev_sales" in text for text in texts):
        raise SystemExit("a name was not translated")
    return Migration(views, seconds, _renamed_by_sqlglot(texts), peak)


def _environments(views: int) -> tuple[Environment, Environment]:
    from viewscribe.environments import Environment, NameMapping

    source, target = world(views)
    names = NameMapping(databases={"*": "dev_*"})
    return (
        Environment(name="dev", url="memory:", catalog=source, names=names),
        Environment(name="prod", url="memory:", catalog=target),
    )


def shared(views: int) -> dict[str, float]:
    """Plans in a process for each processor: seconds of the clock, and of this processor alone."""
    from viewscribe.environments.migration import make_plan

    dev, prod = _environments(views)
    clock, started = perf_counter(), process_time()
    plan = make_plan(dev, prod, processes=os.cpu_count() or 1)
    own = process_time() - started
    return {"steps": len(plan.steps), "seconds": perf_counter() - clock, "own": own}


def world(views: int) -> tuple[Catalog, Catalog]:
    """A catalog of views, and one that has only its tables under other names."""
    import viewscribe as vs
    from viewscribe import col
    from viewscribe.catalog_store import DatabaseDocument, MemoryCatalog, ViewDocument

    source, target = MemoryCatalog(), MemoryCatalog()
    source.create_database(DatabaseDocument(name="dev_sales"))
    target.create_database(DatabaseDocument(name="sales"))
    env = vs.TableEnvironment(source)
    env.use_database("dev_sales")
    names = [f"t{number}" for number in range(READS * 5)]
    for name in names:
        env.create_table(name, "id INT, status STRING, amount INT, day DATE")
        document = source.get("table", "dev_sales", name).document
        target.create(msgspec.structs.replace(document, database="sales"))
    columns = ("id", "status", "amount", "day")
    pipeline = env.from_path(names[0]).select(*columns)
    for name in names[1:READS]:
        pipeline = pipeline.union_all(
            env.from_path(name).filter(col("amount") > 7).select(*columns)
        )
    totals = pipeline.group_by("id", "status").select(
        col("id"),
        col("status"),
        col("amount").max().alias("amount"),
        col("day").max().alias("day"),
    )
    env.create_view("v0", totals)
    pattern = msgspec.json.encode(source.get("view", "dev_sales", "v0").document).decode()
    chance = random.Random(1)
    names.append("v0")
    for number in range(1, views):
        text = pattern
        for place, read in enumerate(chance.sample(names[-500:], READS)):
            text = text.replace(f'"t{place}"', f'"{read}"').replace(f".t{place}\\n", f".{read}\\n")
        text = text.replace('"v0"', f'"v{number}"', 1)
        source.create(msgspec.json.decode(text, type=ViewDocument))
        names.append(f"v{number}")
    return source, target


def _renamed_by_sqlglot(texts: list[str]) -> float:
    import sqlglot
    from sqlglot import exp

    started = process_time()
    for text in texts:
        tree = sqlglot.parse_one(text, read="spark")
        for table in tree.find_all(exp.Table):
            table.set("db", exp.to_identifier("other"))
        tree.sql(dialect="spark")
    return process_time() - started


def breaks(views: int) -> dict[str, float]:
    """Plans a change that breaks nearly every view of the target."""
    import viewscribe as vs
    from viewscribe.catalog_store import DatabaseDocument, MemoryCatalog
    from viewscribe.environments import Environment
    from viewscribe.environments.migration import make_plan

    target, _ = world(views)
    source = MemoryCatalog()
    source.create_database(DatabaseDocument(name="dev_sales"))
    for number in range(READS * 5):
        source.create(target.get("table", "dev_sales", f"t{number}").document)
    env = vs.TableEnvironment(source)
    env.create_view("dev_sales.v0", env.from_path("dev_sales.t0").select("id", "status", "amount"))
    started = process_time()
    plan = make_plan(
        Environment(name="dev", url="memory:", catalog=source),
        Environment(name="prod", url="memory:", catalog=target),
    )
    seconds = process_time() - started
    return {"broken": len(plan.steps[0].breaks), "seconds": seconds, "peak": _peak()}


def between(kind: str, views: int) -> dict[str, float]:
    """Plans and applies between two catalogs of a kind, ``file`` or ``sqlite``, and plans again."""
    from viewscribe.catalog_store import Loaded, open_catalog
    from viewscribe.environments import Environment, NameMapping
    from viewscribe.environments.migration import apply_plan, make_plan

    with tempfile.TemporaryDirectory() as place:
        places = []
        for name, held in zip(("dev", "prod"), world(views), strict=True):
            end = ".db" if kind == "sqlite" else ""
            places.append(open_catalog(f"{kind}:{place}/{name}{end}"))
            for entry in held.load_all():
                if not isinstance(entry, Loaded) or entry.id.database == "default":
                    continue
                create = "create_database" if entry.id.kind == "database" else "create"
                getattr(places[-1], create)(entry.document)
        names = NameMapping(databases={"*": "dev_*"})
        dev = Environment(name="dev", url=places[0].url, catalog=places[0], names=names)
        prod = Environment(name="prod", url=places[1].url, catalog=places[1])
        started = process_time()
        plan = make_plan(dev, prod)
        planned, peak = process_time(), _peak()
        done = apply_plan(plan, places[1], journal=f"{place}/journal").done
        applied = process_time()
        if make_plan(dev, prod).steps:
            raise SystemExit("what was applied is not what was planned")
        again = process_time() - applied
    return {
        "planned": planned - started,
        "peak": peak,
        "applied": applied - planned,
        "steps": len(done),
        "planned again": again,
    }


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    count, *kind = sys.argv[1:]
    if not kind:
        print(json.dumps(run(int(count)).__dict__))
    elif kind == ["shared"]:
        print(json.dumps(shared(int(count))))
    elif kind == ["breaks"]:
        print(json.dumps(breaks(int(count))))
    else:
        print(json.dumps(between(kind[0], int(count))))
