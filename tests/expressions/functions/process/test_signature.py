"""What a process table function declares, and what it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

import pytest

import viewscribe as vs
from tests.process_functions import CountWithTimeout, MatchOnce, Repeat, Set
from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.context import signature_of
from viewscribe.expressions.functions.process.inference import ProcessCallContext
from viewscribe.types import BIGINT, STRING, Field, StructType
from viewscribe.types.ddl import schema_ddl

T = vs.ArgumentTrait
NO_CALL = ProcessCallContext("f", {}, {})


def test_annotations_say_the_signature() -> None:
    found = signature_of(CountWithTimeout)
    assert found.text == (
        "CountWithTimeout(input TABLE_AS_SET) with state state STRUCT<count: BIGINT>"
    )
    assert found.eval.takes_context
    assert found.on_timer is not None
    assert found.on_timer.states == ("state",)
    assert found.finish is None
    assert schema_ddl(found.own_columns(NO_CALL)) == "count BIGINT"


def test_rows_may_be_dataclasses() -> None:
    customer, order = signature_of(MatchOnce).arguments
    assert customer.type == StructType(fields=(Field("name", STRING), Field("address", STRING)))
    assert order.is_set
    assert not signature_of(MatchOnce).eval.takes_context


def test_a_default_makes_a_scalar_optional() -> None:
    table, times = signature_of(Repeat).arguments
    assert table.has(T.PASS_COLUMNS_THROUGH)
    assert (times.is_optional, times.default) == (True, 2)
    assert times.text == "[times INT]"


class Explicit(vs.ProcessTableFunction):  # type: ignore[type-arg]
    """Everything by strategies."""

    def type_inference(self) -> vs.ProcessTypeInference:
        return vs.ProcessTypeInference(
            static_arguments=[
                vs.StaticArgument.table("left", T.TABLE_AS_SET, T.REQUIRES_TIME_ATTRIBUTE),
                vs.StaticArgument.scalar("ttl", "INTERVAL DAY TO SECOND", is_optional=True),
            ],
            state_types={"kept": lambda call: call.data_type_of("left")},
            state_ttl={"kept": timedelta(hours=1)},
            output_type=lambda call: [
                Field("left", call.data_type_of("left")),
                Field("seconds", BIGINT),
            ],
        )

    def eval(self, ctx: vs.Context, kept: Any, left: Any, ttl: Any) -> None:
        """Nothing."""


def test_a_declared_signature_may_depend_on_the_call() -> None:
    found = signature_of(Explicit)
    row = StructType(fields=(Field("id", BIGINT),))
    call = ProcessCallContext("Explicit", {"left": row}, {"ttl": None})
    assert schema_ddl(found.own_columns(call)) == "`left` STRUCT<id: BIGINT>, seconds BIGINT"
    assert found.state_types(call) == {"kept": row}
    assert found.states[0].ttl == timedelta(hours=1)
    assert found.arguments[1].is_optional


def test_an_output_may_be_a_method_over_the_call() -> None:
    class Polymorphic(vs.ProcessTableFunction):  # type: ignore[type-arg]
        def output_type(self, call: vs.ProcessCallContext) -> str:
            return f"total {call.value_of('type')}"

        def eval(self, input: Set, type: str) -> None:
            """Nothing."""

    call = ProcessCallContext("Polymorphic", {}, {"type": "DECIMAL(20, 2)"})
    assert schema_ddl(signature_of(Polymorphic).own_columns(call)) == "total DECIMAL(20, 2)"


def test_a_changelog_has_its_operation_first() -> None:
    class Changes(vs.ProcessTableFunction):  # type: ignore[type-arg]
        output_type = "s STRING"

        def output_changelog_mode(self) -> vs.ChangelogMode:
            return vs.ChangelogMode.RETRACT

        def eval(self, input: Set) -> None:
            """Nothing."""

    assert schema_ddl(signature_of(Changes).own_columns(NO_CALL)) == "op STRING NOT NULL, s STRING"


@pytest.mark.parametrize(
    "text", ["ROW<s STRING, n INT>", "STRUCT<s: STRING, n: INT>", "s STRING, n INT"]
)
def test_output_types_are_written_in_several_ways(text: str) -> None:
    class Texts(vs.ProcessTableFunction):  # type: ignore[type-arg]
        output_type = text

        def eval(self, input: Set) -> None:
            """Nothing."""

    assert schema_ddl(signature_of(Texts).own_columns(NO_CALL)) == "s STRING, n INT"


# -- what cannot be declared -----------------------------------------------------------------------


@dataclass
class Total:
    total: int = 0


@dataclass(frozen=True)
class Frozen:
    total: int = 0


class Base(vs.ProcessTableFunction[Total]):
    """What the faulty ones have in common."""


class NoEval(Base):
    pass


class Yields(Base):
    def eval(self, input: Set) -> Iterator[int]:
        yield 1


class Awaits(Base):
    async def eval(self, input: Set) -> None:
        pass


class RowWithoutHint(Base):
    def eval(self, input: vs.Row) -> None:
        pass


class TraitAlone(Base):
    def eval(self, input: Annotated[vs.Row, vs.ArgumentHint(T.REQUIRES_ORDER_BY)]) -> None:
        pass


class NeedsOptional(Base):
    def eval(
        self, input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET, T.OPTIONAL_COPARTITION)]
    ) -> None:
        pass


class BothSemantics(Base):
    def eval(
        self, input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET, T.TABLE_AS_ROW)]
    ) -> None:
        pass


class TwoRowTables(Base):
    def eval(
        self,
        a: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_ROW)],
        b: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_ROW)],
    ) -> None:
        pass


class StateOfRows(Base):
    def eval(
        self,
        state: Annotated[Total, vs.StateHint()],
        input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_ROW)],
    ) -> None:
        pass


class EndOfRows(Base):
    def eval(self, input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_ROW)]) -> None:
        pass

    def finish(self) -> None:
        pass


class StateLast(Base):
    def eval(self, input: Set, state: Annotated[Total, vs.StateHint()]) -> None:
        pass


class FrozenState(Base):
    def eval(self, state: Annotated[Frozen, vs.StateHint()], input: Set) -> None:
        pass


class NumberState(Base):
    def eval(self, state: Annotated[int, vs.StateHint()], input: Set) -> None:
        pass


class UntypedRowState(Base):
    def eval(self, state: Annotated[vs.Row, vs.StateHint()], input: Set) -> None:
        pass


class Reserved(Base):
    def eval(self, input: Set, uid: str) -> None:
        pass


class Twice(Base):
    def eval(self, input: Set, INPUT: int) -> None:  # noqa: N803
        pass


class UnknownTimerState(Base):
    def eval(self, state: Annotated[Total, vs.StateHint()], input: Set) -> None:
        pass

    def on_timer(self, ctx: vs.OnTimerContext, stat: Total) -> None:
        pass


class NoOutput(vs.ProcessTableFunction):  # type: ignore[type-arg]
    def eval(self, input: Set) -> None:
        pass


class NotType(vs.ProcessTableFunction):  # type: ignore[type-arg]
    output_type = 42

    def eval(self, input: Set) -> None:
        pass


class Variadic(Base):
    def eval(self, input: Set, *more: int) -> None:
        pass


class PassesAndTimes(Base):
    def eval(
        self, input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET, T.PASS_COLUMNS_THROUGH)]
    ) -> None:
        pass

    def on_timer(self) -> None:
        pass


class NeedsUrl(Base):
    def __init__(self, url: str) -> None:
        self.url = url

    def eval(self, input: Set) -> None:
        pass


class OwnOperation(vs.ProcessTableFunction):  # type: ignore[type-arg]
    output_type = "op STRING"

    def output_changelog_mode(self) -> vs.ChangelogMode:
        return vs.ChangelogMode.RETRACT

    def eval(self, input: Set) -> None:
        pass


@pytest.mark.parametrize(
    ("function", "message", "hint"),
    [
        (NoEval, "has no method eval", "called for each row"),
        (Yields, "yields or awaits", "self.collect(row)"),
        (Awaits, "yields or awaits", "self.collect(row)"),
        (RowWithoutHint, "is a Row, and its hint says no table", "TABLE_AS_SET"),
        (TraitAlone, "REQUIRES_ORDER_BY, which requires TABLE_AS_SET", "ArgumentTrait"),
        (NeedsOptional, "OPTIONAL_COPARTITION, which requires OPTIONAL_PARTITION_BY", "add"),
        (BothSemantics, "as TABLE_AS_ROW and TABLE_AS_SET", "one of"),
        (TwoRowTables, "row semantics beside another table", "TABLE_AS_SET"),
        (StateOfRows, "has state, and its table `input` has row semantics", "TABLE_AS_SET"),
        (EndOfRows, "has finish, and its table `input` has row semantics", "TABLE_AS_SET"),
        (StateLast, "the state `state` after the argument `input`", "the order is"),
        (FrozenState, "frozen dataclass Frozen", "leave frozen=True out"),
        (NumberState, "is int, which cannot be changed in place", "dataclass"),
        (UntypedRowState, "does not say its type", "StateHint(type="),
        (Reserved, "every process table function has by itself", "another name"),
        (Twice, "declares `input` twice", None),
        (UnknownTimerState, "takes `stat`, which is no state of eval", "state"),
        (NoOutput, "does not say the columns of its result", "output_type"),
        (NotType, "is 42, which is no type", "DDL"),
        (Variadic, "has the parameter `*more: 'int'`", "each argument"),
        (PassesAndTimes, "passes columns through, and gives rows from on_timer", "leave"),
        (NeedsUrl, "cannot be made without arguments", "give an object of it"),
    ],
)
def test_what_cannot_be_declared(function: Any, message: str, hint: str | None) -> None:
    with pytest.raises(ValidationError) as caught:
        signature_of(function)
    assert message in caught.value.message
    assert hint is None or hint in (caught.value.hint or "")


def test_a_changelog_has_no_operation_of_its_own() -> None:
    with pytest.raises(ValidationError, match="whose column `op`"):
        signature_of(OwnOperation).own_columns(NO_CALL)


def test_an_object_stands_for_a_class_that_takes_arguments() -> None:
    assert signature_of(NeedsUrl("http://…")).name == "NeedsUrl"


def test_collect_belongs_to_a_call() -> None:
    with pytest.raises(ValidationError, match="no call of the function is being carried out"):
        CountWithTimeout().collect((1,))


def test_times_to_live_are_positive() -> None:
    with pytest.raises(ValidationError, match="positive timedelta"):
        vs.StateHint(ttl=timedelta(0))
