"""``record(pipeline)``: the tree of a pipeline function, without running anything."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from pyspark.sql.connect import proto

from viewscribe.errors import CaptureError, ValidationError
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.parser.grammar import read_query
from viewscribe.parser.tokens import QUERY_WORDS, skip_blanks, tokenize, word_at
from viewscribe.spark.capture.connect import capture_connect
from viewscribe.spark.capture.connect.walker import Program, inputs, with_line
from viewscribe.spark.capture.lines import site_of
from viewscribe.spark.capture.sources import Sources

# SQL text that is no query: Spark runs a command at once, and a recording runs nothing.

_CHANGES = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE"))
_TEMPORARY_VIEW = re.compile(r"CREATE\s+(OR\s+REPLACE\s+)?(GLOBAL\s+)?TEMP(ORARY)?\s+VIEW\b", re.I)

_HINTS = {
    "SET": "set it before: a view is stored with the settings of its environment",
    "RESET": "set it before: a view is stored with the settings of its environment",
    "USE": 'name the database with each table: spark.table("database.table")',
    "DECLARE": "pass the value in as an argument of the pipeline: no view knows session variables",
}
_OTHERS = "run it outside of the pipeline, which only says its steps"


def refuse_command(relation: object) -> None:
    """Refuses the text of ``spark.sql(…)`` that is not a query.

    Args:
        relation: the message with the text.

    Raises:
        CaptureError: names the command, and says what to do instead.
    """
    text = _text(relation)
    if text is None or not _is_command(text):
        return
    start = text[_first_word(text) :]
    hint = _HINTS.get(word_at(start, 0), _OTHERS)
    if _TEMPORARY_VIEW.match(start):
        hint = 'make it of a DataFrame: spark.sql("SELECT …").createOrReplaceTempView("…")'
    shown = " ".join(start.split())
    raise CaptureError(
        f"the pipeline runs a command while it is recorded: {_shorten(shown)}",
        location="spark.sql",
        hint=hint,
    )


def _text(relation: Any) -> str | None:
    kind = relation.WhichOneof("rel_type")
    if kind == "with_relations":
        return _text(relation.with_relations.root)
    return str(relation.sql.query) if kind == "sql" else None


def _is_command(text: str) -> bool:
    """Whether a text is no query; one that does not parse is refused where it is used."""
    if word_at(text, _first_word(text)) not in QUERY_WORDS:
        return True
    try:
        read_query(text)
    except ValidationError:
        return ";" in text.rstrip().rstrip(";") or _holds_change(text)
    return False


def _holds_change(text: str) -> bool:
    """Whether a word of what is no query to the parser says that it changes a table."""
    try:
        return any(each.word in _CHANGES for each in tokenize(text))
    except ValidationError:
        return False


def _first_word(text: str) -> int:
    """Where the first token stands behind opening parentheses."""
    place = skip_blanks(text)
    while text.startswith("(", place):
        place = skip_blanks(text, place + 1)
    return place


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


# A whole plan as PySpark sends it: one message that holds all others.


class MessageProgram(Program):
    """The relations of a message, by plan id.

    Args:
        root: the message.
        lines: where steps are written, by plan id.
    """

    def __init__(self, root: proto.Relation, lines: Mapping[int, str]) -> None:
        self.root = root.common.plan_id
        self.relations = {}
        seen: set[int] = set()
        stack = [(root, False)]
        while stack:  # what a relation reads comes before it, as in every program
            relation, expanded = stack.pop()
            plan_id = relation.common.plan_id
            if expanded:
                self.relations[plan_id] = with_line(relation, lines)
            elif plan_id not in seen:
                seen.add(plan_id)
                stack.append((relation, True))
                stack += [(each, False) for each in reversed(inputs(relation))]
                stack += [(each, False) for each in _list_relations(relation)]


def _list_relations(relation: proto.Relation) -> list[Any]:
    """The relations of sub-queries, and a lateral join's right side."""
    kind = relation.WhichOneof("rel_type")
    if kind == "with_relations":
        return list(relation.with_relations.references)
    if kind == "lateral_join":
        return [relation.lateral_join.right]
    return []


def record(
    pipeline: Callable[[Any], Any],
    sources: Sources,
    *,
    settings: Mapping[str, str] | None = None,
    partial: bool = False,
    notes: Notes | None = None,
) -> QueryOperation:
    """Calls the pipeline with a session that only notes its steps.

    The session is a Spark Connect one without a server (``design`` of Spark Connect: the client
    builds an unresolved plan); columns that the pipeline asks for are worked out from the tree.

    Args:
        pipeline: a function of a ``SparkSession`` that gives a DataFrame.
        sources: where tables get their columns from.
        settings: Spark settings that the pipeline may ask for.
        partial: report everything that cannot be captured at once.
        notes: takes the Python line of each step.

    Raises:
        CaptureError: the pipeline asks for rows or has a step that no view can hold; names it, the
            Python line where it is known, and the way out.
    """
    try:
        from viewscribe.spark.capture.recording.client import record
    except (ImportError, SystemExit) as error:  # under python -c PySpark ends the process
        reason = "packages are missing" if isinstance(error, SystemExit) else str(error)
        raise CaptureError(
            f"recording needs the client of Spark Connect: {reason}",
            hint='pip install "viewscribe[spark]"',
        ) from error
    from viewscribe.spark.capture.recording.variables import Variables, with_names_of_variables

    _refuse_no_pipeline(pipeline)
    with record(sources, settings or {}, partial=partial) as session:
        variables = Variables(pipeline)
        made = _call_pipeline(variables.call, session)
        if not type(made).__module__.startswith("pyspark.sql.connect."):
            raise _no_dataframe(pipeline, made)
        root = capture_connect(made, partial=partial, sources=session.sources, notes=notes)

        def capture_recorded(held: Any) -> QueryOperation:
            return capture_connect(held, sources=session.sources)

        return with_names_of_variables(root, variables.dataframes(made), capture_recorded, notes)


def _refuse_no_pipeline(pipeline: Any) -> None:
    """A pipeline takes a session and nothing else that it needs.

    Raises:
        CaptureError: it is no function, or one of something else.
    """
    what = None
    if not callable(pipeline) or isinstance(pipeline, type):
        kind = "class" if isinstance(pipeline, type) else type(pipeline).__name__
        what = f"{_describe_pipeline(pipeline)} is a {kind}, not a function"
    else:
        with suppress(ValueError):  # some built-in functions have no signature
            signature = inspect.signature(pipeline)
            try:
                signature.bind(None)
            except TypeError as error:
                shown = f"{_describe_pipeline(pipeline)}{signature}"
                what = f"{shown} cannot be called with a session alone: {error}"
    if what is not None:
        raise CaptureError(
            what,
            hint="a pipeline takes a SparkSession and gives a DataFrame; bind what else it needs: "
            "lambda spark: pipeline(spark, day)",
        )


def _no_dataframe(pipeline: Any, made: Any) -> CaptureError:
    kind = type(made).__name__
    hint = "return a DataFrame that starts from the session it is given"
    if type(made).__module__.startswith("pyspark.pandas."):
        kind, hint = f"{kind} of pandas", "return its DataFrame of Spark: .to_spark()"
    elif made is None:
        kind, hint = "None", "end it with `return`, and a DataFrame"
    return CaptureError(
        f"the pipeline gives {_with_article(kind)}, not a DataFrame of the session it was called "
        "with",
        location=_describe_pipeline(pipeline),
        hint=hint,
    )


def _with_article(kind: str) -> str:
    if kind == "None":
        return kind
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"


def _describe_pipeline(pipeline: Any) -> str:
    return str(getattr(pipeline, "__qualname__", repr(pipeline)))


_ONLY_CLASSIC = ("JVM_ATTRIBUTE_NOT_SUPPORTED", "NOT_IMPLEMENTED")
"""What PySpark says of ``rdd``, ``sparkContext`` and the like over Connect."""


def _call_pipeline(call: Callable[[Any], Any], session: Any) -> Any:
    """What the pipeline gives; an error says where in the pipeline it comes from."""
    from pyspark.errors import PySparkAttributeError, PySparkNotImplementedError

    try:
        return call(session)
    except CaptureError as error:
        where = error.location or ""
        site = site_of(error) if ", at " not in where else None
        if site is not None:
            error.location = f"{where}, at {site}" if where else site
        raise
    except Exception as error:
        before = _find_earlier(error, session)
        if before is not None:
            raise CaptureError(
                f"the pipeline uses {before}, which was made before the recording",
                location=site_of(error),
                hint="make it inside the pipeline, or in a function that the pipeline calls",
            ) from error
        if not isinstance(error, PySparkAttributeError | PySparkNotImplementedError):
            raise
        if error.getCondition() not in _ONLY_CLASSIC:
            raise
        said = str(error).partition("] ")[2].partition(". ")[0] or str(error)
        raise CaptureError(
            f"the pipeline uses what has no plan and only a classic session has: {said}",
            location=site_of(error),
            hint="rows of an RDD are not known to any plan: save them as a table, "
            "df.write.saveAsTable(…), and start from spark.table(…)",
        ) from error


_MADE_BEFORE: Mapping[tuple[str, str], Callable[[Any], str]] = {
    ("pyspark.sql.classic.column", "Column"): lambda column: f"a Column, {column!r}",
    ("pyspark.sql.classic.dataframe", "DataFrame"): lambda frame: f"a DataFrame, {frame!r}",
    ("pyspark.sql.classic.window", "WindowSpec"): lambda _: "a WindowSpec",
}
"""What belongs to a classic session, by module and class, and how errors call it: a recording
makes its own."""


def _find_earlier(error: BaseException, session: Any) -> str | None:
    """What belongs to another session and was given to PySpark where it failed."""
    step = error.__traceback__
    while step is not None:
        if str(step.tb_frame.f_globals.get("__name__")).startswith("pyspark."):
            for name, value in step.tb_frame.f_locals.items():
                for each in value if isinstance(value, list | tuple) else (value,):
                    if name != "self" or _meets_another(each, step.tb_frame.f_locals):
                        described = _of_another_session(each, session)
                        if described is not None:
                            return described
        step = step.tb_next
    return None


def _of_another_session(value: Any, session: Any) -> str | None:
    kind = type(value)
    describe = _MADE_BEFORE.get((kind.__module__, kind.__name__))
    if describe is not None:
        return describe(value)
    if (kind.__module__, kind.__name__) == ("pyspark.sql.connect.dataframe", "DataFrame"):
        return None if value._session is session else "a DataFrame of another session"
    return None


def _meets_another(value: Any, others: Mapping[str, Any]) -> bool:
    """Whether a DataFrame is given something of a recording; else it failed by itself."""
    if type(value).__name__ != "DataFrame":
        return True
    return any(type(each).__module__.startswith("pyspark.sql.connect.") for each in others.values())
