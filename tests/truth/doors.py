"""Each door in, and each way out of what it gives, held against what Spark answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

import viewscribe as vs
from tests.spark.answers import Answers as RowsOfPlans
from tests.truth.answers import (
    Answer,
    Columns,
    answers_of,
    batches,
    condition_of,
    recorded,
    shown_columns,
    shown_rows,
)
from tests.truth.rows import REFUSED, Row, program_of, query_of
from tests.truth.world import environment, frame_of, table_of
from viewscribe.errors import ViewscribeError
from viewscribe.spark.capture import capture
from viewscribe.spark.capture.sources import SessionSources

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from tests.spark.capture.planner import OfflineSession

LACKING = f"{REFUSED}: the DataFrame API of Spark "
"""How it is said that an older Spark has no way to make a DataFrame of what its SQL can say."""

DATAFRAME = "DataFrame"
STYLES = ("readable", "pipe", "nested")


class _Sources(SessionSources):
    """Asks a session for each table once."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(spark)
        self.table = cache(super().table)  # type: ignore[method-assign]


class Doors:
    """All doors of one session.

    Args:
        spark: a session with the tables.
        offline: a Connect session without a server.
    """

    def __init__(self, spark: SparkSession, offline: OfflineSession) -> None:
        self._spark, self._offline = spark, offline
        self.env = environment()
        self._sources = _Sources(spark)
        self._texts: dict[str, Answer] = {}
        self._rows = RowsOfPlans(shown_rows)
        self._opened: dict[str, Callable[[Sequence[Row]], vs.Table]] = {
            "reader": self._reader,
            "recording": self._recording,
            "connect": self._connect,
            "classic": self._classic,
            "table": self._table,
        }

    def table(self, door: str, asked: Sequence[Row]) -> vs.Table:
        """What a door makes of a row, or of several items at once."""
        return self._opened[door](asked)

    def _reader(self, asked: Sequence[Row]) -> vs.Table:
        return self.env.sql_query(query_of([row.sql or "" for row in asked], asked[0].over))

    def _recording(self, asked: Sequence[Row]) -> vs.Table:
        """Items are recorded with the catalog alone, and programs with the session."""
        text = _program(asked)
        if asked[0].over is not None:
            return vs.record(lambda spark: frame_of(text, spark), env=self.env)
        return vs.record(lambda spark: frame_of(text, spark), self._spark)

    def _connect(self, asked: Sequence[Row]) -> vs.Table:
        from tests.spark.capture.conftest import connect_mode

        with connect_mode(self._offline):
            df = frame_of(_program(asked), self._offline)
            return vs.Table(self.env, capture(df, sources=self._sources))

    def _classic(self, asked: Sequence[Row]) -> vs.Table:
        return vs.capture(frame_of(_program(asked), self._spark))

    def _table(self, asked: Sequence[Row]) -> vs.Table:
        items = [row.table or "" for row in asked]
        over = asked[0].over
        text = items[0] if over is None else f"env.from_path('{over}').select({', '.join(items)})"
        return table_of(text, self.env)

    # -- ways out --------------------------------------------------------------------------------

    def ways(self, table: vs.Table) -> Iterator[tuple[str, Answer]]:
        """What Spark makes of each text of a table, and of the DataFrame made of it."""
        for style in STYLES:
            yield style, self._text(partial(table.to_sql, style))
        yield DATAFRAME, self._ran(partial(table.to_dataframe, self._spark))

    def _text(self, write: Callable[[], str]) -> Answer:
        """What a text gives, which is run once; or that it cannot be written."""
        try:
            text = write()
        except ViewscribeError as error:
            return _refused(error)
        if text not in self._texts:
            self._texts[text] = self._ran(partial(self._spark.sql, text))
        return self._texts[text]

    def _ran(self, make: Callable[[], DataFrame]) -> Answer:
        columns = None
        try:
            frame = make()
            columns = shown_columns(frame.schema)
            return Answer(columns, self._rows.of(frame))
        except ViewscribeError as error:
            return _refused(error)
        except Exception as error:
            return Answer(columns, refusal=condition_of(error))


def _refused(error: ViewscribeError) -> Answer:
    return Answer(refusal=f"{REFUSED}: {' '.join(str(error).split())[:200]}")


def _program(asked: Sequence[Row]) -> str:
    return program_of([row.frame or "" for row in asked], asked[0].over)


class Comparison:
    """Holds a door against the answers of an area.

    What an older Spark answers otherwise than the newest one may also be read as the newest one
    does, if all that is written for the older one gives that, or is refused. A classic DataFrame
    means what its own session says.

    Args:
        doors: the doors.
        door: which of them.
        area: whose answers are taken.
    """

    def __init__(self, doors: Doors, door: str, area: str) -> None:
        self._doors, self._door = doors, door
        self._answers = answers_of(area)
        self._newest = recorded(area).answers
        self.wrong: dict[str, str] = {}

    def judge(self, asked: Sequence[Row]) -> Iterator[str]:
        """What is wrong at the door, but for what is known of the newest version's answers."""
        self.compare([row for row in asked if self._is_said(row)])
        for row in asked:
            told = self.wrong.get(row.key)
            told = row.judged(self._door, told) if told or not self._is_other(row) else None
            if told is not None:
                yield f"{row.sql or row.frame}\n    {told}"

    def compare(self, asked: Sequence[Row]) -> None:
        """Notes what is wrong, by row."""
        taken = [row for row in asked if self._answer(row).columns is not None]
        for row in asked:
            if self._answer(row).columns is None:
                self._must_refuse(row)
        plain = [row for row in taken if not self._has_own(row)]
        alone = [[row] for row in taken if self._has_own(row)]
        for batch in [*batches(plain), *alone]:
            self._try(batch)

    def _is_said(self, row: Row) -> bool:
        if self._door == "reader":
            return row.sql is not None
        if self._door == "table":
            return row.table is not None
        if row.frame is None:
            return False
        # What Spark itself refuses is no DataFrame that could be captured.
        return self._door != "classic" or self._answer(row).columns is not None

    def _answer(self, row: Row, *, newest: bool = False) -> Answer:
        answer = (self._newest if newest else self._answers)[row.key].at(self._door)
        assert answer is not None, row
        return replace(answer, rows=None) if row.by_chance else answer

    def _is_other(self, row: Row) -> bool:
        """Whether the running version answers otherwise than the newest one."""
        own, newest = (known[row.key].at(self._door) for known in (self._answers, self._newest))
        return own != newest

    def _has_own(self, row: Row) -> bool:
        """Whether it must be tried alone: something is known of it, or it fails when it runs."""
        known = row.by_chance or self._door in row.gaps or self._door in row.faults
        return known or self._answer(row).refusal is not None or self._is_other(row)

    def _must_refuse(self, row: Row) -> None:
        try:
            self._doors.table(self._door, [row])
        except (ViewscribeError, PySparkException):
            return
        except Exception as error:
            if condition_of(error) != self._answer(row).refusal:  # it is no fault of PySpark's
                self.wrong[row.key] = f"fails: {error!r}"
        else:
            self._must_be_newest(row, f"Spark refuses it: {self._answer(row).refusal}")

    def _must_be_newest(self, row: Row, told: str) -> None:
        """What is wrong, unless the row means what the newest version says, or is never run."""
        if not (self._is_other(row) and self._is_newest(row, told)):
            self.wrong[row.key] = told

    def _is_newest(self, row: Row, told: str) -> bool:
        if self._answer(row).refusal is not None and told.startswith(REFUSED):
            return True
        answered = self._answer(row, newest=True).columns is not None
        return answered and self._door != "classic" and not self._differs([row], newest=True)

    def _try(self, batch: Sequence[Row]) -> None:
        """Halves what is wrong until one row stands alone."""
        told = self._differs(batch)
        if told is None:
            return
        if len(batch) == 1:
            self._must_be_newest(batch[0], told)
            return
        half = len(batch) // 2
        self._try(batch[:half])
        self._try(batch[half:])

    def _differs(self, batch: Sequence[Row], *, newest: bool = False) -> str | None:
        try:
            table = self._doors.table(self._door, batch)
        except ViewscribeError as error:
            return _refused(error).refusal
        except Exception as error:
            return f"fails: {error!r}"[:300]
        answers = [self._answer(row, newest=newest) for row in batch]
        columns = [[each.name, str(each.type)] for each in table.schema.fields]
        expected = [column for each in answers for column in each.columns or ()]
        if columns != self._named(expected, columns):
            return f"columns {columns}, of Spark {expected}"[:600]
        for way, found in self._doors.ways(table):
            if newest and way == DATAFRAME and found.refusal:  # Spark itself has no such thing
                continue
            if (found.refusal or "").startswith(REFUSED if newest else LACKING):
                continue
            other = _other(answers, found, columns)
            if other is not None:
                return f"{way}: {other}"[:600]
        return None

    def _named(self, expected: Columns, found: Columns) -> Columns:
        """The Table API has names of its own for what nobody named."""
        if self._door != "table" or len(expected) != len(found):
            return expected
        return [[name, type_] for (name, _), (_, type_) in zip(found, expected, strict=True)]


def _other(expected: Sequence[Answer], found: Answer, columns: Columns) -> str | None:
    """How what was found differs from the answers."""
    if found.columns != columns:
        return f"columns {found.columns} {found.refusal or ''}, of the tree {columns}"
    first = expected[0]
    if first.refusal is not None:
        return None if found.refusal else f"runs, and Spark fails: {first.refusal}"
    if found.refusal is not None:
        return f"fails: {found.refusal}"
    if first.rows is None:
        return None
    values = found.values(len(expected))
    wanted = [each.rows for each in expected]
    return None if values == wanted else f"rows {values}, of Spark {wanted}"
