"""Random pipelines as Python code, written line by line while Spark says what each line gives."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import Window
from pyspark.sql import functions as F

from tests.spark.capture.generated.choices import Choices
from tests.spark.capture.generated.frames import Column, Frame, made

if TYPE_CHECKING:
    from tests.spark.capture.ways import Ways

GLOBALS = {"F": F, "Window": Window, "dt": dt, "Decimal": Decimal}
"""What the code of a pipeline may name."""


class Program:
    """A pipeline as lines of code.

    Args:
        lines: statements; the DataFrame of each has a variable of its own.
        result: the variable of the DataFrame it gives.
        rejected: lines that Spark did not take, with its message; they are not among ``lines``.
        classic: whether a classic session takes it, and not Connect alone.
    """

    def __init__(
        self,
        lines: Sequence[str],
        result: str,
        rejected: Sequence[tuple[str, str]] = (),
        *,
        classic: bool = True,
    ) -> None:
        self.lines = tuple(lines)
        self.result = result
        self.rejected = tuple(rejected)
        self.classic = classic

    @property
    def code(self) -> str:
        """A function, to be run or read."""
        body = "\n".join(f"    {line}" for line in (*self.lines, f"return {self.result}"))
        return f"def pipeline(spark):\n{body}\n"

    def __call__(self, spark: Any) -> Any:
        names: dict[str, Any] = dict(GLOBALS)
        exec(self.code, names)
        return names["pipeline"](spark)

    def __repr__(self) -> str:
        return f"\n{self.code}"


class Trial:
    """Runs the lines of a program one by one.

    A line that only Connect takes, for it knows of which DataFrame a column is, makes it go on in
    Connect alone.

    Args:
        ways: has both sessions.
    """

    def __init__(self, ways: Ways) -> None:
        self.ways = ways
        self.classic = True
        self._lines: list[str] = []
        self._names: dict[str, Any] = {**GLOBALS, "spark": ways.spark}

    def run(self, line: str) -> None:
        """Runs a line.

        Raises:
            PySparkException: Spark does not take it.
        """
        if self.classic:
            try:
                exec(line, self._names)
            except AnalysisException as error:
                if "are ambiguous" not in str(error):
                    raise
                self._connect(line)
        else:
            self._try(line)
        self._lines.append(line)

    def _connect(self, line: str) -> None:
        """Goes on in Connect, if that takes the line."""
        before, self._names = self._names, dict(GLOBALS)
        try:
            self.ways.connect(self._all)
            self._try(line)
        except PySparkException:
            self._names = before
            raise
        self.classic = False

    def _all(self, session: Any) -> None:
        self._names["spark"] = session
        for each in self._lines:
            exec(each, self._names)

    def _try(self, line: str) -> None:
        self.ways.connect(lambda session: exec(line, self._names))
        if line.startswith("df"):
            self.schema(line.split(" ", 1)[0])

    def schema(self, var: str) -> Any:
        """The columns of the DataFrame in a variable."""
        frame = self._names[var]
        return (frame if self.classic else self.ways.planned(frame)).schema


class Writer:
    """Writes a program.

    Args:
        choices: decides.
        trial: where each line is tried.
    """

    def __init__(self, choices: Choices, trial: Trial) -> None:
        self.p = choices
        self.lines: list[str] = []
        self.rejected: list[tuple[str, str]] = []
        self.frames: list[Frame] = []
        self._trial = trial
        self._count = 0

    def frame(
        self,
        code: str,
        *,
        source: Frame | None = None,
        kept: Sequence[Column | None] = (),
        rowwise: bool = False,
    ) -> Frame | None:
        """The frame that the code gives; None where Spark rejects it.

        Args:
            code: an expression that gives a DataFrame.
            source: the frame that it starts from.
            kept: which of the columns before each column is, by position.
            rowwise: whether rows stay in the order of those of ``source``.
        """
        var = f"df{self._count + 1}"
        line = f"{var} = {code}"
        if not self.effect(line):
            return None
        self._count += 1
        frame = made(var, self._trial.schema(var), kept, source=source)
        frame.rowwise = rowwise and (source is None or source.rowwise)
        self.frames.append(frame)
        return frame

    def effect(self, line: str) -> bool:
        """Runs a line; False where Spark rejects it."""
        try:
            self._trial.run(line)
        except PySparkException as error:
            self.rejected.append((line, error.getCondition() or repr(error)))
            return False
        self.lines.append(line)
        return True

    @property
    def classic(self) -> bool:
        """Whether a classic session takes all so far."""
        return self._trial.classic

    def count(self) -> int:
        """A number that no other line has."""
        self._count += 1
        return self._count

    def program(self, result: Frame) -> Program:
        """What was written."""
        return Program(self.lines, result.var, self.rejected, classic=self._trial.classic)


Step = Callable[[Writer, Frame], Frame | None]


def write(choices: Choices, trial: Trial, *, most: int = 7) -> Program:
    """A random pipeline of up to so many steps."""
    from tests.spark.capture.generated.steps import STEPS, source

    writer = Writer(choices, trial)
    frame = source(writer)
    for _ in range(choices.number(1, most)):
        frame = choices.choose(STEPS)(writer, frame) or frame
    return writer.program(frame)
