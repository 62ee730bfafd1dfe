"""What becomes of a random pipeline in each way: equal, refused for a known reason, or wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from tests.spark.answers import same_plan
from tests.spark.capture.generated.programs import Program
from tests.spark.capture.generated.reasons import reason_of
from tests.spark.capture.generated.runs import Failure, own_failure, rows_or_failure
from tests.spark.capture.ways import WAYS, Ways, columns, multiset
from tests.versions import RUNNING
from viewscribe.errors import CaptureError, NotSerializableError
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer import to_sql
from viewscribe.types.nested_types import deeply_nullable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EQUAL = "equal"
SAME_PLAN = "equal, the optimized plan too"
NO_PROGRAM = "Spark does not take the program this way"
FAILS = "fails while it runs"

NULLABLE = {
    "float('": "the text of NaN and infinity is a conversion, which Spark takes for one that may "
    "fail",
    ".withField(": "a field of what may be NULL may be NULL",
    ".dropFields(": "a field of what may be NULL may be NULL",
}
"""Where text and DataFrame may say otherwise what may be NULL, and why."""


@dataclass
class Outcome:
    """What became of one program.

    Args:
        ways: a word or a reason for each way.
        wrong: what is not as it should be, for each way where something is.
    """

    ways: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)


def outcome_of(program: Program, ways: Ways, only: Collection[str] = WAYS) -> Outcome:
    """Captures the program in all three ways, and compares each with the DataFrame itself."""
    found = Outcome()
    texts: dict[str, str] = {}
    # First, for it is in the classic session that temporary views are made.
    frame = program(ways.spark) if program.classic else None
    connected = None if tuple(only) == ("classic",) else _connected(program, ways, found)
    if connected is not None:
        df, original = connected
        text = _text("connect", lambda: ways.over_connect(df), found)
        _judge("connect", text, original, program, ways, found)
        texts["connect"] = text or ""
        text = _text("record", lambda: ways.recorded(program), found)
        if text is not None and text == texts["connect"] and "connect" not in found.wrong:
            found.ways["record"] = found.ways["connect"]
        else:
            _judge_recorded(text, (original, frame), program, ways, found)
    if frame is None:
        found.ways["classic"] = NO_PROGRAM
    elif "classic" in only:
        text = _text("classic", lambda: ways.analyzed(frame), found)
        _judge("classic", text, frame, program, ways, found)
    return found


def _judge_recorded(
    text: str | None,
    originals: tuple[DataFrame, DataFrame | None],
    program: Program,
    ways: Ways,
    found: Outcome,
) -> None:
    """Compares with the Connect DataFrame, or else the classic one: types of literals differ."""
    over_connect, classic = originals
    _judge("record", text, over_connect, program, ways, found)
    if "record" in found.wrong and classic is not None:
        again = Outcome()
        _judge("record", text, classic, program, ways, again)
        if not again.wrong:
            del found.wrong["record"]
            found.ways |= again.ways


def _connected(program: Program, ways: Ways, found: Outcome) -> tuple[Any, DataFrame] | None:
    try:
        df = ways.connect(program)
        return df, ways.planned(df)
    except (PySparkException, Py4JJavaError):
        found.ways["connect"] = found.ways["record"] = NO_PROGRAM
        return None


def _text(way: str, make: Callable[[], QueryOperation], found: Outcome) -> str | None:
    try:
        return to_sql(make(), target=RUNNING)
    except (CaptureError, NotSerializableError) as error:
        reason = reason_of(error)
        if reason is None:
            found.wrong[way] = f"a refusal that is not listed: {error}"
        else:
            found.ways[way] = f"refused: {reason}"
    except Exception as error:
        found.wrong[way] = f"an error that is no refusal: {type(error).__name__}: {error}"
    return None


def _judge(
    way: str, text: str | None, original: DataFrame, program: Program, ways: Ways, found: Outcome
) -> None:
    """Compares the text with the DataFrame."""
    if text is None:
        return
    try:
        frame = ways.spark.sql(text)
    except PySparkException as error:
        found.wrong[way] = f"Spark does not take the text: {str(error)[:600]}\n{text}"
        return
    expected, given = columns(original), columns(frame)
    if not _fit(expected, given, any(words in program.code for words in NULLABLE)):
        found.wrong[way] = f"columns: expected {expected}\ngiven {given}\n{text}"
        return
    if same_plan(original, frame):
        found.ways[way] = SAME_PLAN
        return
    wanted, given_rows = rows_or_failure(original), rows_or_failure(frame)
    if isinstance(wanted, Failure) and (fault := own_failure(original, wanted)):
        found.ways[way] = fault
        return
    if wanted != given_rows and isinstance(wanted, Counter) and isinstance(given_rows, Counter):
        wanted, given_rows = multiset(original), multiset(frame)
    if wanted != given_rows:
        found.wrong[way] = f"rows: expected {wanted}\ngiven {given_rows}\n{text}"
        return
    found.ways[way] = FAILS if isinstance(wanted, Failure) else EQUAL


def _fit(expected: list[tuple[str, Any]], given: list[tuple[str, Any]], nullable: bool) -> bool:
    """Whether the columns are the same; the text may promise that a column has no NULL.

    A constant that is written into an expression lets Spark know more than the DataFrame says.
    """
    return len(expected) == len(given) and all(
        name == shown
        and (
            deeply_nullable(type_) == deeply_nullable(found)
            if nullable
            else type_.as_nullable() == found.as_nullable()
            if type_.nullable
            else type_ == found
        )
        for (name, type_), (shown, found) in zip(expected, given, strict=True)
    )
