"""Between tables and changelogs: ``timed_last_value``, ``to_changelog``, ``from_changelog``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.functions.process.builtin.columns import (
    INPUT,
    Chosen,
    columns_but,
    columns_but_keys,
    struct_of,
)
from viewscribe.expressions.functions.process.changelog import OPERATION, ChangelogMode, RowKind
from viewscribe.expressions.functions.process.context import Context
from viewscribe.expressions.functions.process.function import ProcessTableFunction
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import (
    ProcessCallContext,
    ProcessTypeInference,
    StaticArgument,
)
from viewscribe.expressions.functions.process.rows import Row
from viewscribe.expressions.functions.process.state import MapState
from viewscribe.types import BIGINT, BOOLEAN, STRING, Field, MapType, StringType, StructType

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
