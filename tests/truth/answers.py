"""What Spark answers: recorded once, in files beside the rows, and asked again while recording."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j import java_gateway, protocol
from py4j.protocol import Py4JJavaError

from tests.truth.rows import ANSWERS, Row, program_of, query_of, rows
from tests.truth.world import SETTINGS, TABLES, frame_of
from tests.versions import RUNNING_LINE
from viewscribe.spark.session import first_line
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tests.spark.capture.planner import OfflineSession, Planner

Columns = list[list[str]]
"""Names and types, with NOT NULL where there can be no NULL."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What Spark says of a query.

    Args:
        columns: its columns; None where Spark refuses it.
        rows: its rows, sorted, as Spark shows them; None where they are others each time.
        refusal: why Spark refuses it, or fails to run it: the condition of its error.
    """

    columns: Columns | None = None
    rows: list[str] | None = None
    refusal: str | None = None

    def values(self, items: int) -> list[list[str]]:
        """The values of each of several items; the rows where there is one."""
        found = self.rows or []
        if items == 1:
            return [found]
        columns = zip(*(row.split("\t") for row in found), strict=True)
        return [sorted(column) for column in columns]

    def written(self) -> dict[str, Any]:
        """The answer as it is stored."""
        said = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to a row: to SQL text, to a classic program, and to the same over Connect."""

    sql: Answer | None
    classic: Answer | None
    connect: Answer | None

    def at(self, door: str) -> Answer | None:
        """What a door is held against."""
        if door in ("reader", "table"):
            return self.sql or self.classic
        if door == "connect" or self.classic is None or self.classic.columns is None:
            return self.classic if door == "classic" else self.connect
        return self.classic  # a recording is of a classic program, where there is one


def shown_columns(schema: Any) -> Columns:
    """Names and types of a DataFrame's schema."""
    return [[each.name, str(each.type)] for each in schema_from_spark(schema)]


def shown_rows(frame: DataFrame) -> list[str]:
    """The rows as Spark's own tests show them, sorted."""
    java: Any = frame
    jvm = java.sparkSession._jvm
    plan = java._jdf.queryExecution().executedPlan()
    shown = jvm.org.apache.spark.sql.execution.HiveResult.hiveResultString(plan)
    return sorted(str(shown.mkString("\x1e")).split("\x1e")) if shown.nonEmpty() else []


_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z][A-Z0-9_]+)*)\]")


def condition_of(error: Exception) -> str:
    """The condition of an error of Spark's."""
    told = str(error) if not isinstance(error, Py4JJavaError) else _told(error.java_exception)
    found = _CONDITION.search(told)
    return found[1] if found else f"{type(error).__name__}: {first_line(error)}"[:80]


def _told(exception: Any) -> str:
    """The messages of an exception of Java's and of its causes."""
    found = []
    while exception is not None:
        found.append(str(exception.getMessage()))
        exception = exception.getCause()
    return " ".join(found)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Errors of the JVM come as they are: to make PySpark's of one takes dozens of calls."""
    before = java_gateway.get_return_value
    java_gateway.get_return_value = protocol.get_return_value
    yield
    java_gateway.get_return_value = before


# -- as they are stored --------------------------------------------------------------------------


def stamp(area: str, version: str | None = None) -> str:
    """What the answers depend on: the tables; of an older version, of which not all are stored,
    also the rows."""
    asked = [row.key for row in rows(area)] if version else []
    world = json.dumps([SETTINGS, TABLES, *asked], sort_keys=True)
    return hashlib.sha256(world.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The answers of an area, as a file has them.

    Args:
        stamp: what they depend on; of an older version also the rows that it was asked.
        answers: by row; of an older version those that differ from the newest one's.
    """

    stamp: str = ""
    answers: dict[str, Answers] = field(default_factory=dict)


def file_of(area: str, version: str | None = None) -> Path:
    """Where the answers of an area are stored: of the newest version, or of an older one."""
    return ANSWERS / (version or "") / f"{area}.jsonl"


@cache
def recorded(area: str, version: str | None = None) -> Recorded:
    """What the newest version answered, or the answers of an older one that differ from that."""
    path = file_of(area, version)
    if not path.exists():
        return Recorded()
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    return Recorded(json.loads(head)["stamp"], dict(_read(json.loads(line)) for line in lines))


def answers_of(area: str, version: str | None = RUNNING_LINE) -> dict[str, Answers]:
    """All answers of a version: where it has none of its own, those of the newest."""
    own = recorded(area, version).answers if version else {}
    return {**recorded(area).answers, **own}


def _read(line: dict[str, Any]) -> tuple[str, Answers]:
    told = {door: Answer(**said) for door, said in line.items() if door != "row"}
    nearest = None
    found = []
    for door in ("sql", "classic", "connect"):
        nearest = told.get(door, nearest)
        found.append(nearest)
    return line["row"], Answers(*found)


def write(area: str, spark: str, answers: dict[str, Answers], version: str | None = None) -> None:
    """Stores the answers of an area: of each row those that differ from the one before."""
    lines: list[dict[str, Any]] = [{"spark": spark, "stamp": stamp(area, version)}]
    for key, found in answers.items():
        line: dict[str, Any] = {"row": key}
        nearest = None
        for door in ("sql", "classic", "connect"):
            answer = getattr(found, door)
            if answer is not None and answer != nearest:
                line[door], nearest = answer.written(), answer
        lines.append(line)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path = file_of(area, version)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


# -- as they are asked for -----------------------------------------------------------------------

Ask = Callable[[Sequence[Row]], "DataFrame"]
"""Makes one DataFrame of several items, or of a row alone."""


class Questions:
    """Asks the running Spark.

    Args:
        spark: a session with the tables.
        planner: what a Connect server makes DataFrames of relations with.
        offline: a Connect session without a server.
    """

    def __init__(self, spark: SparkSession, planner: Planner, offline: OfflineSession) -> None:
        self._spark, self._planner, self._offline = spark, planner, offline

    def answers(self, area: str, known: Mapping[str, Answers]) -> dict[str, Answers]:
        """The answers to all rows of an area, of which some may be known."""
        found = {**known, **self._asked([row for row in rows(area) if row.key not in known])}
        return {row.key: found[row.key] for row in rows(area)}

    def _asked(self, asked: list[Row]) -> dict[str, Answers]:
        by_sql = self._all([row for row in asked if row.sql], self._of_sql)
        by_frame = [row for row in asked if row.frame]
        classic = self._all(by_frame, self._classic, by_sql)
        connect = self._all(by_frame, self._connect, classic)
        return {
            row.key: Answers(by_sql.get(row.key), classic.get(row.key), connect.get(row.key))
            for row in asked
        }

    def _of_sql(self, asked: Sequence[Row]) -> DataFrame:
        return self._spark.sql(query_of([row.sql or "" for row in asked], asked[0].over))

    def _classic(self, asked: Sequence[Row]) -> DataFrame:
        text = program_of([row.frame or "" for row in asked], asked[0].over)
        made: DataFrame = frame_of(text, self._spark)
        return made

    def _connect(self, asked: Sequence[Row]) -> DataFrame:
        from tests.spark.capture.conftest import connect_mode

        text = program_of([row.frame or "" for row in asked], asked[0].over)
        with connect_mode(self._offline):
            df = frame_of(text, self._offline)
            relation = df._plan.plan(df._session.client)
        return self._planner.frame(relation)

    def _all(
        self, asked: list[Row], ask: Ask, known: dict[str, Answer] | None = None
    ) -> dict[str, Answer]:
        """The answers; items that are answered like ``known`` are asked for together."""
        told = {} if known is None else self._alike(asked, ask, known)
        found = [(row, self._analyzed([row], ask)) for row in asked if row.key not in told]
        taken = [row for row, answer in found if answer.columns is not None]
        items = dict(self._run_items([row for row in taken if row.over], ask))
        for row, answer in found:
            told[row.key] = answer
            if answer.columns is not None:
                ran = items[row.key] if row.over else self._run([row], ask)
                told[row.key] = replace(ran, columns=answer.columns)
        return told

    def _alike(self, asked: list[Row], ask: Ask, known: dict[str, Answer]) -> dict[str, Answer]:
        """Of the items that ran those that give the same here."""
        ran = [row for row in asked if row.over and row.key in known and known[row.key].rows]
        told = {}
        for batch in batches(ran):
            told.update(self._alike_in(batch, ask, known))
        return told

    def _alike_in(self, batch: list[Row], ask: Ask, known: dict[str, Answer]) -> dict[str, Answer]:
        expected = [known[row.key] for row in batch]
        answer = self._analyzed(batch, ask)
        if answer.columns == [column for each in expected for column in each.columns or ()]:
            rows = self._run(batch, ask)
            if rows.rows and rows.values(len(batch)) == [each.rows for each in expected]:
                return {row.key: known[row.key] for row in batch}
        if len(batch) == 1:
            return {}
        half = len(batch) // 2
        parts = (self._alike_in(part, ask, known) for part in (batch[:half], batch[half:]))
        return {key: answer for part in parts for key, answer in part.items()}

    def _analyzed(self, asked: Sequence[Row], ask: Ask) -> Answer:
        try:
            return Answer(shown_columns(ask(asked).schema))
        except Exception as error:
            return Answer(refusal=condition_of(error))

    def _run(self, asked: Sequence[Row], ask: Ask) -> Answer:
        try:
            rows = shown_rows(ask(asked))
            return Answer(rows=None if asked[0].by_chance else rows)
        except Exception as error:
            return Answer(refusal=condition_of(error))

    def _run_items(self, asked: list[Row], ask: Ask) -> list[tuple[str, Answer]]:
        """Many items in one query, halved where one of them fails."""
        found = []
        for batch in batches(asked):
            found += self._run_batch(batch, ask)
        return found

    def _run_batch(self, batch: list[Row], ask: Ask) -> list[tuple[str, Answer]]:
        answer = self._run(batch, ask)
        if len(batch) == 1:
            return [(batch[0].key, answer)]
        if answer.rows is None:
            half = len(batch) // 2
            return self._run_batch(batch[:half], ask) + self._run_batch(batch[half:], ask)
        columns = answer.values(len(batch))
        return [(row.key, Answer(rows=each)) for row, each in zip(batch, columns, strict=True)]


def batches(asked: Sequence[Row], most: int = 100) -> list[list[Row]]:
    """Items over one table, so many at once; whole queries, and what is by chance, alone."""
    made: list[list[Row]] = []
    for row in asked:
        last = made[-1][0] if made else row
        alone = row.over is None or row.by_chance or last.by_chance
        if not made or alone or last.over != row.over or len(made[-1]) == most:
            made.append([])
        made[-1].append(row)
    return made
