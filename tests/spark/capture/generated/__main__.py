"""Thousands of random pipelines in one run: ``make generated``.

Prints what became of them, and each pipeline where something is wrong, made as short as it gets.
"""

from __future__ import annotations

import logging
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

from tests.spark.capture.generated import world
from tests.spark.capture.generated.choices import Choices
from tests.spark.capture.generated.outcomes import Outcome, outcome_of
from tests.spark.capture.generated.programs import Program, Trial, write
from tests.spark.capture.generated.shorter import shortened
from tests.spark.capture.ways import WAYS, Ways

BATCH = 100

MANY = 3
"""How many pipelines are shown that go wrong in the same manner."""


class Run:
    """One run, and what it counted.

    Args:
        ways: captures.
        shown: takes a line for the eyes.
    """

    def __init__(self, ways: Ways, shown: Any = None) -> None:
        self.ways = ways
        self.counted = {way: Counter[str]() for way in WAYS}
        self.programs = self.lines = self.rejected = self.partly = 0
        self.reasons: Counter[str] = Counter()
        self.wrong: list[tuple[Program, Outcome]] = []
        self.kinds: Counter[str] = Counter()
        self._shown: set[str] = set()

    def one(self, program: Program) -> None:
        """Judges a program."""
        self.programs += 1
        self.lines += len(program.lines)
        self.rejected += len(program.rejected)
        self.partly += bool(program.rejected)
        self.reasons.update(_condition(message) for _, message in program.rejected)
        outcome = outcome_of(program, self.ways)
        for way, what in outcome.ways.items():
            self.counted[way][what] += 1
        for way in outcome.wrong:
            self.counted[way]["WRONG"] += 1
        if outcome.wrong:
            self._report(program, outcome)

    def _report(self, program: Program, outcome: Outcome) -> None:
        if program.code in self._shown:
            return
        self._shown.add(program.code)
        signature = _signature(next(iter(outcome.wrong.values())))
        self.kinds[signature] += 1
        if self.kinds[signature] > MANY:
            return
        only = tuple(outcome.wrong)[:1]
        short = shortened(program, lambda each: bool(outcome_of(each, self.ways, only).wrong))
        self.wrong.append((short, outcome_of(short, self.ways, only)))
        _show(short, self.wrong[-1][1])

    def progress(self) -> str:
        """What came of it so far, in a line."""
        wrong = sum(counted["WRONG"] for counted in self.counted.values())
        return f"{self.programs} pipelines, {wrong} captures of them wrong"

    def summary(self) -> str:
        """The counts."""
        lines = [
            f"{self.programs} pipelines of {self.lines} lines; Spark rejected {self.rejected} "
            f"further lines, in {self.partly} pipelines"
        ]
        for way, counted in self.counted.items():
            lines.append(f"{way}:")
            lines += [f"  {number:6} {what}" for what, number in counted.most_common()]
        return "\n".join(lines)


def _signature(what: str) -> str:
    """What is wrong without the names of the one case."""
    first = what.partition("\n")[0]
    return re.sub(r"[`'\"].*?[`'\"]|\d+", "…", first)[:120]


def _condition(message: str) -> str:
    return message[message.find("[") : message.find("]") + 1] or message[:60]


def _show(program: Program, outcome: Outcome) -> None:
    click.echo(program.code, err=True)
    for way, what in outcome.wrong.items():
        click.echo(f"--- {way}: {what}", err=True)


@click.command()
@click.option("--examples", default=10_000, show_default=True, help="How many pipelines.")
@click.option("--first", default=0, help="The seed of the first batch.")
@click.option("--most", default=7, show_default=True, help="The most steps of a pipeline.")
@click.option("--rejections", is_flag=True, help="Show what Spark rejected most.")
def main(examples: int, first: int, most: int, rejections: bool) -> None:
    """Captures random pipelines in all three ways, and compares each with the DataFrame."""
    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    spark = _session()
    from tests.spark.capture.planner import OfflineSession, Planner

    world.create(spark)
    planner = Planner(spark)
    run = Run(Ways(spark, planner, OfflineSession(planner)))
    begun = time.monotonic()
    batches = range(first, first + -(-examples // BATCH))
    with click.progressbar(batches, label="pipelines", file=sys.stderr) as bar:
        for number in bar:
            _batch(run, number, min(BATCH, examples), most)
            spark.catalog.clearCache()
            if not sys.stderr.isatty():  # there the bar is not seen
                click.echo(f"seed {number}: {run.progress()}", err=True)
    click.echo(run.summary())
    if rejections:
        for reason, number in run.reasons.most_common(25):
            click.echo(f"  {number:6} {reason}")
    click.echo(f"{time.monotonic() - begun:.0f} s, {len(run.wrong)} kinds of errors")
    for program, outcome in run.wrong:
        click.echo(program.code)
        for way, what in outcome.wrong.items():
            click.echo(f"--- {way}: {what}")
    sys.stdout.flush()
    spark.stop()
    sys.exit(1 if run.wrong else 0)


def _batch(run: Run, number: int, examples: int, most: int) -> None:
    @seed(number)
    @settings(
        max_examples=examples,
        phases=[Phase.generate],
        database=None,
        verbosity=Verbosity.quiet,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def each(data: st.DataObject) -> None:
        run.one(write(Choices(data.draw), Trial(run.ways), most=most))

    each()


def _session() -> Any:
    from tests.local_spark import spark_session

    return spark_session(Path(tempfile.mkdtemp(prefix="warehouse-")))


if __name__ == "__main__":
    main()
