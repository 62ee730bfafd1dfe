"""``python -m tests.queries``: how many of the queries of Spark's developers are read, and how.

The queries of TPC-H, SSB, TPC-DS and of Spark's own ``sql-tests`` are read without Spark, printed
in three styles, and held against what Spark makes of their text: names, types and nullability of
the columns, then the optimized plan, then rows.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table as Lines

from tests.local_spark import spark_session
from tests.queries import trials
from tests.queries.corpus import BENCHMARKS, Corpus, fetch
from tests.queries.trials import Outcome, try_benchmark, try_scripts

LEAST_EQUAL_SCHEMA, LEAST_EQUAL_MEANING, LEAST_REFUSED = 95.0, 98.0, 90.0
"""Of a hundred queries of ``sql-tests`` that Spark accepts, reads, refuses."""

SCRIPTS = "sql-tests"
_READ = (trials.EQUAL, trials.MISJUDGED, trials.DIFFERENT, trials.FAILED, "not compared")
_COLUMNS = (
    trials.EQUAL,
    trials.MISJUDGED,
    trials.OTHER_SCHEMA,
    trials.REFUSED,
    trials.FAILED,
    trials.DIFFERENT,
)
_REFUSALS = (trials.BOTH_REFUSE, trials.READ_ONLY_HERE)


@click.command()
@click.option("--jar", type=click.Path(path_type=Path), help="The jar; else Maven fetches it.")
@click.option("--only", default="", help="Scripts whose name contains this.")
@click.option("--part", default="1/1", help="One of several equal parts of the scripts: 1/2, 2/2.")
@click.option("--report", type=click.Path(path_type=Path), help="A file for what is not equal.")
def main(jar: Path | None, only: str, part: str, report: Path | None) -> None:
    """Tries all, prints the counts, and fails where a goal is missed."""
    corpus = Corpus(jar or fetch(Path(".data")))
    number, parts = map(int, part.split("/"))
    found: dict[str, list[Outcome]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        spark = spark_session(Path(scratch) / "warehouse")
        spark.sparkContext.setLogLevel("OFF")  # most of what is refused is logged at length
        for name in BENCHMARKS if not only and number == 1 else ():
            found[name] = list(try_benchmark(spark, corpus, name))
        scripts = [each for each in corpus.scripts() if only in each.name][number - 1 :: parts]
        found[SCRIPTS] = []
        for script in track(scripts, SCRIPTS, console=Console(stderr=True)):
            found[SCRIPTS] += try_scripts(spark, corpus, [script], Path(scratch))
            if report:
                _write(report, found)
    Console().print(_counts(found))
    sys.exit(int(not _reached(found)))


def _reached(found: dict[str, list[Outcome]]) -> bool:
    whole = all(
        outcome.verdict == trials.EQUAL
        for name, outcomes in found.items()
        if name != SCRIPTS
        for outcome in outcomes
    )
    count = Counter(outcome.verdict for outcome in found[SCRIPTS])
    read = sum(count[verdict] for verdict in _READ)
    accepted = read + count[trials.REFUSED] + count[trials.OTHER_SCHEMA]
    goals = (
        ("read with equal schema", read, accepted, LEAST_EQUAL_SCHEMA),
        ("equal of those read", count[trials.EQUAL], read, LEAST_EQUAL_MEANING),
        ("refused by both", count[trials.BOTH_REFUSE], _sum(count, _REFUSALS), LEAST_REFUSED),
    )
    for told, some, every, least in goals:
        share = 100 * some / max(every, 1)
        Console().print(f"{told}: {some} of {every}, {share:.1f} % (goal {least:g})")
        whole = whole and (share >= least or not every)
    return whole and not count[trials.DIFFERENT] and not count[trials.MISJUDGED]


def _sum(count: Counter[str], verdicts: Iterable[str]) -> int:
    return sum(count[verdict] for verdict in verdicts)


def _counts(found: dict[str, list[Outcome]]) -> Lines:
    columns = (*_COLUMNS, "not compared", *_REFUSALS)
    lines = Lines("queries of", *columns, title="read, and held against Spark")
    for name, outcomes in found.items():
        count = Counter(outcome.verdict for outcome in outcomes)
        lines.add_row(name, *(str(count[column]) for column in columns))
    return lines


def _write(report: Path, found: dict[str, list[Outcome]]) -> None:
    told = [
        f"## {each.verdict}: {each.script}\n{each.text}\n-- {each.reason}\n"
        for outcomes in found.values()
        for each in outcomes
        if each.verdict not in (trials.EQUAL, trials.BOTH_REFUSE)
    ]
    report.write_text("\n".join(told))


if __name__ == "__main__":
    main()
