"""What built-in functions of any tables have in common: which of the columns, and which values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.functions.process.context import (
    Context,
    OnTimerContext,
    ProcessTableFunction,
)
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import (
    ProcessCallContext,
    ProcessTypeInference,
    StaticArgument,
)
from viewscribe.expressions.functions.process.rows import OPERATION, ChangelogMode, Row, RowKind
from viewscribe.expressions.functions.process.state import MapState
from viewscribe.types import (
    BIGINT,
    BOOLEAN,
    DAY_TIME_INTERVAL,
    STRING,
    Field,
    LogicalType,
    MapType,
    StringType,
    StructType,
)

INPUT = "input"
"""The table argument of functions that take one table."""


def columns_but_keys(call: ProcessCallContext) -> tuple[Field, ...]:
    """The columns of the input that are not those of PARTITION BY, which a result has anyway."""
    return columns_but(call, call.keys.get(INPUT, ()))


def columns_but(call: ProcessCallContext, left_out: Iterable[str]) -> tuple[Field, ...]:
    """The columns of the input, nullable, without some."""
    lowered = {name.lower() for name in left_out}
    return tuple(
        Field(field.name, field.type.as_nullable())
        for field in call.data_type_of(INPUT).fields
        if field.name.lower() not in lowered
    )


def time_type(call: ProcessCallContext) -> LogicalType:
    """The type of the input's time column."""
    names = {name.lower() for name in call.on_time}
    for field in call.data_type_of(INPUT).fields:
        if field.name.lower() in names:
            return field.type.as_nullable()
    raise ValidationError(
        f"{call.function} is called without a time column",
        hint='write on_time=descriptor("ts")',
    )


def struct_of(*fields: tuple[str, LogicalType | Iterable[Field]]) -> StructType:
    """A STRUCT of fields, those that are columns being a STRUCT themselves."""
    return StructType(
        fields=tuple(
            Field(name, of if isinstance(of, LogicalType) else StructType(fields=tuple(of)))
            for name, of in fields
        )
    )


def check_span(call: ProcessCallContext, argument: str) -> None:
    """Refuses a span of time that is none, or goes back."""
    value = call.value_of(argument)
    if not isinstance(value, dt.timedelta) or value <= dt.timedelta(0):
        raise ValidationError(
            f"the argument `{argument}` of {call.function} is {value!r}",
            hint=f"write a span of time above zero: {argument}=timedelta(minutes=5), in SQL "
            f"{argument} => INTERVAL '5' MINUTE",
        )


class Chosen:
    """Takes the values of some columns of rows, which all have the same columns.

    Args:
        left_out: the columns that are not taken beside those of PARTITION BY.
    """

    __slots__ = ("_left_out", "_take")

    def __init__(self, *left_out: str) -> None:
        self._left_out = left_out
        self._take: Callable[[Row], tuple[Any, ...]] | None = None

    def __call__(self, ctx: Context, row: Row) -> tuple[Any, ...]:
        """The values, in the order of the columns."""
        if self._take is None:
            keys = ctx.set_semantics_for(INPUT).partition_by_columns()
            self._take = _taker(row.fields, {name.lower() for name in (*keys, *self._left_out)})
        return self._take(row)


def _taker(fields: tuple[str, ...], left_out: set[str]) -> Callable[[Row], tuple[Any, ...]]:
    places = [place for place, name in enumerate(fields) if name.lower() not in left_out]
    if len(places) < 2:
        return lambda row: tuple(row[place] for place in places)
    take = itemgetter(*places)
    return lambda row: take(tuple(row))  # of a plain tuple it takes no call of Python's


# ``deduplicate``: one row for each key, the first or the last in time.

FIRST, LAST = "first", "last"


class Deduplicate(ProcessTableFunction[Any]):
    """The first or the last row of each partition, by time: all its columns.

    Of rows at one time the first, or last, by ORDER BY. A first row is given when it comes, a last
    row at the end of the input.
    """

    def open(self) -> None:
        """Nothing is known of the rows yet."""
        self._chosen = Chosen()

    def type_inference(self) -> ProcessTypeInference:
        """``deduplicate(input, keep => 'first')``."""
        return ProcessTypeInference(
            static_arguments=[
                StaticArgument.table(
                    INPUT, ArgumentTrait.TABLE_AS_SET, ArgumentTrait.REQUIRES_TIME_ATTRIBUTE
                ),
                StaticArgument.scalar("keep", STRING, default=FIRST),
            ],
            state_types={"kept": _infer_kept},
            output_type=_columns,
        )

    def needs_finish(self, call: ProcessCallContext) -> bool:
        """Only the end tells which row is the last."""
        return bool(call.value_of("keep") == LAST)

    def eval(self, ctx: Context, kept: Any, input: Row, keep: str) -> None:
        """One row."""
        if keep == LAST:
            kept.row = self._chosen(ctx, input)
        elif not kept.given:
            kept.given = True
            self.collect(self._chosen(ctx, input))

    def finish(self, kept: Any) -> None:
        """The last row, where that is asked for."""
        if kept.row is not None:
            self.collect(tuple(kept.row))


def _infer_kept(call: ProcessCallContext) -> StructType:
    return struct_of(("given", BOOLEAN), ("row", columns_but_keys(call)))


def _columns(call: ProcessCallContext) -> tuple[Field, ...]:
    keep = call.value_of("keep")
    if keep not in (FIRST, LAST):
        raise ValidationError(
            f"the argument `keep` of {call.function} is {keep!r}",
            hint=f'it is "{FIRST}" or "{LAST}"',
        )
    return columns_but_keys(call)


# Between tables and changelogs: ``timed_last_value``, ``to_changelog``, ``from_changelog``.

_CODES = MapType(key=STRING.not_null(), value=STRING)


class TimedLastValue(ProcessTableFunction[Any]):
    """The row with the latest time of each key, as a changelog of how it came about.

    After ``TimedLastValue`` of the document on process table functions, for rows of any columns: of
    rows at one time the first counts.
    """

    def open(self) -> None:
        """Nothing is known of the rows yet."""
        self._chosen = Chosen()

    def output_changelog_mode(self) -> ChangelogMode:
        """A row is taken back before the later one is added."""
        return ChangelogMode.RETRACT

    def type_inference(self) -> ProcessTypeInference:
        """``timed_last_value(input)``."""
        return ProcessTypeInference(
            static_arguments=[
                StaticArgument.table(
                    INPUT, ArgumentTrait.TABLE_AS_SET, ArgumentTrait.REQUIRES_TIME_ATTRIBUTE
                )
            ],
            state_types={"latest": _latest},
            output_type=columns_but_keys,
        )

    def eval(self, ctx: Context, latest: Any, input: Row) -> None:
        """One row, later than the one before or not."""
        now: int = ctx.timers(int).current_time()
        if latest.time is not None and now <= latest.time:
            return
        row = self._chosen(ctx, input)
        if latest.time is None:
            self.collect(row)
        else:
            self.collect(tuple(latest.row), RowKind.UPDATE_BEFORE)
            self.collect(row, RowKind.UPDATE_AFTER)
        latest.time, latest.row = now, row


def _latest(call: ProcessCallContext) -> StructType:
    return struct_of(("time", BIGINT), ("row", columns_but_keys(call)))


class ToChangelog(ProcessTableFunction[Any]):
    """A table of what happens to the rows of another: the operation, then their columns.

    The input is a changelog, with a column ``op``, or a table without one, each of whose rows is an
    insert. The result is a table like any other, its operations in words of the caller's choice.
    After ``BuiltInChangelog`` of the document on process table functions.
    """

    def type_inference(self) -> ProcessTypeInference:
        """``to_changelog(input, op => 'op', op_mapping => map('+I', 'c'))``."""
        return ProcessTypeInference(
            static_arguments=[
                StaticArgument.table(INPUT, ArgumentTrait.TABLE_AS_ROW),
                StaticArgument.scalar("op", STRING, default=OPERATION),
                StaticArgument.scalar("op_mapping", _CODES, is_optional=True),
            ],
            output_type=_with_operation,
        )

    def open(self) -> None:
        """Nothing is known of the rows yet."""
        self._codes: dict[str, str] | None = None

    def eval(self, input: Row, op: str, op_mapping: Mapping[str, str] | None) -> None:
        """One row; left out where its operation has no word."""
        if self._codes is None:
            self._codes = _words(op_mapping)
            lowered = [name.lower() for name in input.fields]
            self._place = lowered.index(OPERATION) if OPERATION in lowered else None
        values = tuple(input)
        kind = RowKind.INSERT.value
        if self._place is not None:
            kind = _kind(values[self._place], f"the column `{OPERATION}` of the input").value
            values = values[: self._place] + values[self._place + 1 :]
        word = self._codes.get(kind)
        if word is not None:
            self.collect((word, *values))


def _with_operation(call: ProcessCallContext) -> tuple[Field, ...]:
    _words(call.value_of("op_mapping"))
    name, fields = _name_of_operation(call), columns_but(call, [OPERATION])
    known = StructType(fields=call.data_type_of(INPUT).fields).field(OPERATION)
    if known is not None and not isinstance(known.type, StringType):
        raise ValidationError(
            f"the column `{OPERATION}` of the input of {call.function} is {known.type.ddl}, and "
            "the operation of a changelog is a text",
            hint="rename it: rename_columns(…)",
        )
    if any(field.name.lower() == name.lower() for field in fields):
        raise ValidationError(
            f"the input of {call.function} has a column `{name}` already",
            hint='name the one for the operation otherwise: op="change"',
        )
    return (Field(name, STRING), *fields)


def _name_of_operation(call: ProcessCallContext) -> str:
    name = call.value_of("op")
    if not isinstance(name, str) or not name:
        raise ValidationError(
            f"the argument `op` of {call.function} is {name!r}, and no name of a column",
            hint='leave it out, or write op="change"',
        )
    return name


def _words(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """The word for each operation."""
    if mapping is None:
        return {kind.value: kind.value for kind in RowKind}
    words: dict[str, str] = {}
    for key, word in mapping.items():
        kind = _kind(key, "a key of op_mapping").value
        if kind in words:
            raise ValidationError(
                f"op_mapping has two words for {kind}: {words[kind]!r} and {word!r}",
                hint="name each operation once",
            )
        words[kind] = word
    return words


class FromChangelog(ProcessTableFunction[Any]):
    """The table that a changelog leaves behind, at the end of the input.

    Each -U and -D takes one row back that was added, before or after it in the input. Rows are
    equal in all columns but the time column, which says when the change was made and is no part of
    the row. With ``upsert`` there is one row for each key: every +I and +U replaces it, -D deletes
    it, -U is not needed.
    """

    def type_inference(self) -> ProcessTypeInference:
        """``from_changelog(input, op => 'op', op_mapping => map('c', '+I'), upsert => false)``."""
        return ProcessTypeInference(
            static_arguments=[
                StaticArgument.table(
                    INPUT, ArgumentTrait.TABLE_AS_SET, ArgumentTrait.OPTIONAL_PARTITION_BY
                ),
                StaticArgument.scalar("op", STRING, default=OPERATION),
                StaticArgument.scalar("op_mapping", _CODES, is_optional=True),
                StaticArgument.scalar("upsert", BOOLEAN, default=False),
            ],
            state_types={"rows": _counted_rows},
            output_type=_without_operation,
        )

    def open(self) -> None:
        """Nothing is known of the rows yet."""
        self._kinds: dict[str, RowKind] | None = None

    def eval(
        self,
        ctx: Context,
        rows: MapState[str, Any],
        input: Row,
        op: str,
        op_mapping: Mapping[str, str] | None,
        upsert: bool,
    ) -> None:
        """One change."""
        if self._kinds is None:
            self._kinds = _kinds(op_mapping)
            self._chosen = Chosen(op, ctx.set_semantics_for(INPUT).time_column() or op)
            self._op = [name.lower() for name in input.fields].index(op.lower())
        kind = self._kinds.get(input[self._op])
        if kind is None:
            raise ValidationError(
                f"{input[self._op]!r} in the column `{op}` is no operation",
                hint=f"known are {', '.join(self._kinds)}: say what others mean with op_mapping",
            )
        row = self._chosen(ctx, input)
        if not upsert:
            _count(rows, row, 1 if kind.adds else -1)
        elif kind.adds:
            rows.put("", (row, 1))
        elif kind is RowKind.DELETE:
            rows.remove("")

    def finish(self, rows: MapState[str, Any]) -> None:
        """The rows that are left, in the order in which they came."""
        for row, count in rows.values():
            if count < 0:
                raise ValidationError(
                    f"the changelog takes {tuple(row)!r} back {-count} times more than it adds it",
                    hint="rows are equal in all columns but that of on_time: name the time of the "
                    "changes there, or drop it; a changelog without -U wants upsert=True",
                )
            for _ in range(count):
                self.collect(tuple(row))


def _count(rows: MapState[str, Any], row: tuple[Any, ...], change: int) -> None:
    key = repr(_plain(row))
    _, count = rows.get(key) or (row, 0)
    if count + change:
        rows.put(key, (row, count + change))
    else:
        rows.remove(key)


def _plain(value: Any) -> Any:
    """The value such that equal ones look the same: zeros without sign, maps in order."""
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return sorted((repr(_plain(key)), _plain(item)) for key, item in value.items())
    return value


def _counted_rows(call: ProcessCallContext) -> MapType:
    kept = struct_of(("row", _without_operation(call)), ("count", BIGINT))
    return MapType(key=STRING.not_null(), value=kept)


def _without_operation(call: ProcessCallContext) -> tuple[Field, ...]:
    _kinds(call.value_of("op_mapping"))
    columns, op = call.data_type_of(INPUT), _name_of_operation(call)
    found = columns.field(op)
    if found is None or not isinstance(found.type, StringType):
        names = [field.name for field in columns.fields]
        raise ValidationError(
            f"the input of {call.function} has no text column `{op}`, which holds the operation",
            location=f"({', '.join(names)})",
            hint=did_you_mean(op, names) or 'say which one holds it: op="…"',
        )
    keys = call.keys.get(INPUT, ())
    if call.value_of("upsert") and not (keys and call.on_time):
        lacking = "PARTITION BY the key" if not keys else "on_time, by which the last row counts"
        raise ValidationError(
            f"{call.function} with upsert needs {lacking}",
            hint='write table.partition_by("id").process(from_changelog, on_time="ts", '
            "upsert=True)",
        )
    return columns_but(call, [*keys, op, *call.on_time])


def _kinds(mapping: Mapping[str, str] | None) -> dict[str, RowKind]:
    """The operation of each word."""
    if mapping is None:
        return {kind.value: kind for kind in RowKind}
    return {word: _kind(text, "a value of op_mapping") for word, text in mapping.items()}


def _kind(text: Any, where: str) -> RowKind:
    for kind in RowKind:
        if text in (kind.value, kind.name):
            return kind
    known = ", ".join(f"{kind.value} ({kind.name})" for kind in RowKind)
    raise ValidationError(f"{where} is {text!r}, which is no operation", hint=f"there are {known}")


# Sessions: rows of a key that follow each other with no more than a gap between them.
#
# As Spark's ``session_window`` has them: a row exactly one gap after the one before still belongs
# to its session.

_MICRO = dt.timedelta(microseconds=1)
_GAP = StaticArgument.scalar("gap", DAY_TIME_INTERVAL)


class SessionCount(ProcessTableFunction[Any]):
    """How many rows each session has: its start, its end one gap after its last row, the number.

    A session is given when time passes its end, by a timer that each row puts off.
    """

    def type_inference(self) -> ProcessTypeInference:
        """``session_count(input, gap => INTERVAL '5' MINUTE)``."""
        return ProcessTypeInference(
            static_arguments=[
                StaticArgument.table(
                    INPUT, ArgumentTrait.TABLE_AS_SET, ArgumentTrait.REQUIRES_TIME_ATTRIBUTE
                ),
                _GAP,
            ],
            state_types={"session": _infer_sessions},
            output_type=_counts,
        )

    def eval(self, ctx: Context, session: Any, input: Row, gap: dt.timedelta) -> None:
        """One row, which puts the end of its session off."""
        timers = ctx.timers(int)  # datetimes are only made where one is given
        count = session.count or 0
        if not count:
            session.start = ctx.timers().current_time()
        session.count = count + 1
        timers.register_on_time("end", timers.current_time() + gap // _MICRO)

    def on_timer(self, ctx: OnTimerContext, session: Any) -> None:
        """The end of the session."""
        self.collect((session.start, ctx.timers().current_time(), session.count))
        ctx.clear_all()


class Sessionize(ProcessTableFunction[Any]):
    """Each row as it is, with the number of its session in the partition and its start."""

    def type_inference(self) -> ProcessTypeInference:
        """``sessionize(input, gap => INTERVAL '5' MINUTE)``."""
        return ProcessTypeInference(
            static_arguments=[
                StaticArgument.table(
                    INPUT,
                    ArgumentTrait.TABLE_AS_SET,
                    ArgumentTrait.REQUIRES_TIME_ATTRIBUTE,
                    ArgumentTrait.PASS_COLUMNS_THROUGH,
                ),
                _GAP,
            ],
            state_types={"session": _current},
            output_type=_numbers,
        )

    def eval(self, ctx: Context, session: Any, input: Row, gap: dt.timedelta) -> None:
        """One row, of the session there is or of the next."""
        now = ctx.timers(int).current_time()
        if session.until is None or now > session.until:
            session.id = (session.id or 0) + 1
            session.start = ctx.timers().current_time()
        session.until = now + gap // _MICRO
        self.collect((session.id, session.start))


def _infer_sessions(call: ProcessCallContext) -> StructType:
    return struct_of(("start", time_type(call)), ("count", BIGINT))


def _counts(call: ProcessCallContext) -> tuple[Field, ...]:
    check_span(call, "gap")
    time = time_type(call)
    return (Field("session_start", time), Field("session_end", time), Field("count", BIGINT))


def _current(call: ProcessCallContext) -> StructType:
    return struct_of(("id", BIGINT), ("start", time_type(call)), ("until", BIGINT))


def _numbers(call: ProcessCallContext) -> tuple[Field, ...]:
    check_span(call, "gap")
    return (Field("session_id", BIGINT), Field("session_start", time_type(call)))
