"""What ``eval``, ``on_timer`` and ``finish`` are given to act with: contexts and timers.

The protocols that authors see; ``spark/process`` carries them out.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.functions.annotations import Hints, as_type, type_of_annotation
from viewscribe.expressions.functions.process.hints import (
    ArgumentHint,
    ArgumentTrait,
    StateHint,
    checked_traits,
    hint_of,
)
from viewscribe.expressions.functions.process.inference import (
    Handler,
    ProcessCallContext,
    ProcessTypeInference,
    Signature,
    StateDeclaration,
    StaticArgument,
    as_state,
    columns_of,
    settle_columns,
)
from viewscribe.expressions.functions.process.rows import ChangelogMode, MutableRow, Row, RowKind
from viewscribe.expressions.functions.process.signature_checks import check, declared_names
from viewscribe.expressions.functions.process.state import ListState, MapState
from viewscribe.types import ArrayType, LogicalType, MapType, StructType

Time = dt.datetime | int
"""A point in event time: a datetime, or microseconds since 1970 where ``timers(int)`` was asked."""


class SetSemantics(Protocol):
    """How a call passed a table: its keys, its order, its time."""

    def partition_by_columns(self) -> tuple[str, ...]:
        """The columns of PARTITION BY."""

    def order_by_columns(self) -> tuple[str, ...]:
        """The columns of ORDER BY."""

    def time_column(self) -> str | None:
        """The column of ``on_time`` in this table."""

    def co_partition_args(self) -> tuple[str, ...]:
        """The table arguments that are partitioned together with this one."""


class Timers(Protocol):
    """Event time, and the timers of the partition that is being processed.

    Times are datetimes as the time column has them: with a time zone (UTC) for TIMESTAMP, without
    for TIMESTAMP_NTZ; or microseconds since 1970, for ``ctx.timers(int)``.

    Before a row at time ``t``, all timers before ``t`` fire, the earliest first, those of one time
    by name; timers at ``t`` fire after all rows at ``t``. At the end of the input all others fire.
    """

    def current_time(self) -> Any:
        """The time of the row, or of the timer that fires; None without ``on_time``."""

    def current_watermark(self) -> Any:
        """The time up to which all rows have come; None before the first."""

    def following_watermark(self) -> Any:
        """In a timer on watermark: the watermark that is about to come."""

    def register_on_time(self, name_or_time: object, time: object = None) -> None:
        """A timer for a time: ``(name, time)`` replaces the one of that name, or ``(time)``."""

    def register_on_periodic_time(self, name: str, time: object, period: dt.timedelta) -> None:
        """A timer that fires at ``time`` and every ``period`` after it, up to the last row."""

    def register_on_watermark(self) -> None:
        """A timer named ``watermark`` that fires once before the next watermark."""

    def register_on_periodic_watermark(self) -> None:
        """A timer named ``watermark`` that fires before every watermark."""

    def delete_timer(self, name_or_time: object) -> None:
        """Deletes the timer of a name, or the one without a name for a time."""


class Context(Protocol):
    """What ``eval`` acts with, for the partition of its row."""

    def timers(self, kind: type = dt.datetime) -> Timers:
        """Time and timers; ``kind`` is ``datetime`` or ``int``."""

    def set_semantics_for(self, argument: str) -> SetSemantics:
        """How a table was passed."""

    def clear_state(self, name: str) -> None:
        """Clears one state: the next call gets a new one."""

    def clear_all_state(self) -> None:
        """Clears all state of the partition."""

    def clear_all_timers(self) -> None:
        """Deletes all timers of the partition."""

    def clear_all(self) -> None:
        """Clears all state and deletes all timers of the partition."""


class OnTimerContext(Context, Protocol):
    """What ``on_timer`` acts with."""

    def current_timer(self) -> str | None:
        """The name of the timer that fires; None where it has none."""


# ``ProcessTableFunction``: the base of operators that users write.

Out = TypeVar("Out")


def _outside(values: Any, kind: RowKind) -> None:
    raise ValidationError(
        "collect() gives a row of the result, and no call of the function is being carried out",
        hint="call it from eval(), on_timer() or finish()",
    )


class ProcessTableFunction(Generic[Out]):
    """An operator over tables, with state and timers, one partition at a time.

        @dataclass
        class Count:
            count: int = 0

        class CountWithTimeout(ProcessTableFunction[Count]):
            def eval(
                self,
                ctx: Context,
                state: Annotated[Count, StateHint()],
                input: Annotated[Row, ArgumentHint(ArgumentTrait.TABLE_AS_SET)],
            ) -> None:
                state.count += 1
                timers = ctx.timers()
                timers.register_on_time("timeout", timers.current_time() + timedelta(minutes=1))

            def on_timer(self, ctx: OnTimerContext, state: Count) -> None:
                self.collect(state)
                ctx.clear_all()

    ``eval`` takes the context (where it is named ``ctx`` or annotated so), the state, then the
    arguments; it is called for each row of a table, the other tables being None. ``on_timer`` is
    called when a timer fires, and ``finish`` for each partition at the end of its input; both take
    the context and any of the state by its names. None of them returns anything: ``collect`` gives
    rows of the result.

    The columns of the result are the class in brackets, or ``output_type``: a type, or a method
    that finds it by the call. ``type_inference()`` may say the whole signature instead of the
    annotations. An object is made once for each task; ``open`` and ``close`` are called around its
    work.

    After ``ProcessTableFunction`` of the document on process table functions (FLIP-440).
    """

    output_type: ClassVar[Any] = None
    """The columns of the result, or a method from a ``ProcessCallContext`` to them."""

    _collector: Callable[[Any, RowKind], None] = staticmethod(_outside)

    def collect(self, row: object, kind: RowKind = RowKind.INSERT) -> None:
        """Gives a row of the result: a dataclass, a tuple or ``Row``, a dict, or a single value.

        Args:
            row: the row; what it holds is taken now, so it may be changed afterwards. Where the
                result has one column, a list is the value of an ARRAY, a dict that of a MAP.
            kind: what it does in a changelog, where the function's output is one.
        """
        self._collector(row, kind)

    def open(self) -> None:
        """Called once for each task, before its first row."""

    def close(self) -> None:
        """Called once for each task, after its last row or an error."""

    def type_inference(self) -> ProcessTypeInference | None:
        """The signature, where the annotations of ``eval`` are not to say it."""
        return None

    def needs_finish(self, call: ProcessCallContext) -> bool:
        """Whether a call wants ``finish``, where there is one; a stream, without an end, has none.

        For functions that have something to say at the end for some arguments only.
        """
        return True

    def input_changelog_mode(self) -> ChangelogMode:
        """Whether the tables are changelogs, with a column ``op``, which becomes ``row.kind``."""
        return ChangelogMode.INSERT_ONLY

    def output_changelog_mode(self) -> ChangelogMode:
        """Whether the result is a changelog: then its first own column is ``op``."""
        return ChangelogMode.INSERT_ONLY


def is_process_function(value: object) -> bool:
    """Whether the value is a process table function, the class or an object of one."""
    kind = value if isinstance(value, type) else type(value)
    return issubclass(kind, ProcessTableFunction)


# Reading the signature of a process table function: annotations, or what it declares itself.

_T = ArgumentTrait


def signature_of(function: object) -> Signature:
    """The signature of a process table function, the class or an object of one.

    Raises:
        ValidationError: it declares something that cannot be; says what to write.
    """
    kind = function if isinstance(function, type) else type(function)
    if not is_process_function(function) or kind is ProcessTableFunction:
        raise ValidationError(f"{function!r} is no process table function")
    made = make_object(function)
    reader = _Reader(kind, made)
    signature = reader.read()
    check(signature)
    return signature


def make_object(function: object) -> ProcessTableFunction[Any]:
    """An object of the function."""
    if not isinstance(function, type):
        assert isinstance(function, ProcessTableFunction)
        return function
    try:
        inspect.signature(function).bind()
    except TypeError as error:
        raise ValidationError(
            f"{function.__qualname__} cannot be made without arguments: {error}",
            hint=f"give an object of it: {function.__name__}(…)",
        ) from error
    made: ProcessTableFunction[Any] = function()
    return made


class _Reader:
    def __init__(self, kind: type, made: ProcessTableFunction[Any]) -> None:
        self.kind, self.made = kind, made
        self.what = kind.__qualname__
        method = inspect.getattr_static(kind, "eval", None)
        if not inspect.isfunction(method):
            raise ValidationError(
                f"{self.what} has no method eval",
                hint="write def eval(self, ctx, …): it is called for each row",
            )
        self._refuse_results(method, "eval")
        self.hints = Hints(method, f"{self.what}.eval")
        self.names = _parameters(method, f"{self.what}.eval")

    def read(self) -> Signature:
        explicit = self.made.type_inference()
        names = list(self.names)
        takes_context = self._takes_context(names, self.hints)
        if takes_context:
            names = names[1:]
        if explicit is None:
            states, arguments = self._annotate(names)
            output = self._output()
        else:
            states, arguments = self._read_declared(explicit, names)
            output = explicit.output_type
        known = tuple(each.name for each in states)
        return Signature(
            name=self.what,
            arguments=tuple(arguments),
            states=tuple(states),
            eval=Handler(takes_context, known),
            on_timer=self._handler("on_timer", known),
            finish=self._handler("finish", known),
            input_mode=self.made.input_changelog_mode(),
            output_mode=self.made.output_changelog_mode(),
            output=settle_columns(output, self.what),
        )

    # -- annotations ---------------------------------------------------------------------------

    def _annotate(self, names: list[str]) -> tuple[list[StateDeclaration], list[StaticArgument]]:
        states: list[StateDeclaration] = []
        arguments: list[StaticArgument] = []
        for name in names:
            annotation = self.hints.get(name)
            hint, inner = _unwrap(annotation)
            if isinstance(hint, StateHint) or (
                (typing.get_origin(inner) or inner) in (ListState, MapState)
            ):
                if arguments:
                    raise ValidationError(
                        f"{self.what}.eval takes the state `{name}` after the argument "
                        f"`{arguments[-1].name}`",
                        hint="the order is: the context, the state, the arguments",
                    )
                wanted = hint if isinstance(hint, StateHint) else StateHint()
                states.append(self._state(name, inner, wanted))
            else:
                given = hint if isinstance(hint, ArgumentHint) else ArgumentHint()
                arguments.append(self._argument(name, annotation, inner, given))
        return states, arguments

    def _state(self, parameter: str, annotation: Any, hint: StateHint) -> StateDeclaration:
        name = hint.name or parameter
        what = f"the state `{name}` of {self.what}"
        origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
        make: Callable[[], Any] | None = None
        type_: LogicalType | None = None
        if origin is ListState or annotation is ListState:
            element = type_of_annotation(inner[0]) if inner else None
            type_, make = element and ArrayType(element=element), ListState
        elif origin is MapState or annotation is MapState:
            pair = [type_of_annotation(each) for each in inner] or [None, None]
            if pair[0] is not None and pair[1] is not None:
                type_ = MapType(key=pair[0].not_null(), value=pair[1])
            make = MapState
        elif dataclasses.is_dataclass(annotation) and isinstance(annotation, type):
            type_, make = type_of_annotation(annotation), _maker_of(annotation, what)
        elif annotation not in (Row, MutableRow, None):
            raise ValidationError(
                f"{what} is {_show(annotation)}, which cannot be changed in place",
                hint="make it a dataclass, a Row with StateHint(type=…), ListState[T] or "
                "MapState[K, V]",
            )
        if hint.type is not None:
            type_ = as_state(hint.type, what)
        if type_ is None:
            raise ValidationError(
                f"{what} does not say its type",
                hint='write StateHint(type="STRUCT<count: BIGINT>"), or annotate a dataclass',
            )
        return StateDeclaration(name, type_, make, hint.ttl, annotation)

    def _argument(
        self, parameter: str, annotation: Any, inner: Any, hint: ArgumentHint
    ) -> StaticArgument:
        name = hint.name or parameter
        where = f"the argument `{name}` of {self.what}"
        traits = checked_traits(hint.traits, where)
        if _T.SCALAR in traits:
            return self._scalar(name, parameter, annotation, hint)
        row, type_ = None, None
        if hint.type is not None:
            type_ = StructType(fields=columns_of(hint.type, where))
        if inner not in (Row, None, Any, dict):
            found = type_of_annotation(inner)
            if not isinstance(found, StructType):
                raise ValidationError(
                    f"{where} is a table, and {_show(inner)} is no class of rows",
                    hint="annotate Row, a dataclass or a named tuple",
                )
            row, type_ = inner, type_ or found
        return StaticArgument(name, traits, type_, hint.is_optional, row)

    def _scalar(
        self, name: str, parameter: str, annotation: Any, hint: ArgumentHint
    ) -> StaticArgument:
        if annotation is Row or _unwrap(annotation)[1] is Row:
            raise ValidationError(
                f"the argument `{name}` of {self.what} is a Row, and its hint says no table",
                hint="write Annotated[Row, ArgumentHint(ArgumentTrait.TABLE_AS_SET)]",
            )
        type_ = as_type(hint.type) if hint.type is not None else self.hints.type_of(parameter)
        default = inspect.signature(self.kind.eval).parameters[parameter].default  # type: ignore[attr-defined]
        is_optional = hint.is_optional or default is not inspect.Parameter.empty
        return StaticArgument(
            name,
            frozenset((_T.SCALAR,)),
            type_,
            is_optional,
            default=None if default is inspect.Parameter.empty else default,
        )

    def _output(self) -> Any:
        declared = self.made.output_type
        if declared is not None:
            return declared
        for base in getattr(self.kind, "__orig_bases__", ()):
            origin, inner = typing.get_origin(base), typing.get_args(base)
            if origin is ProcessTableFunction and not isinstance(inner[0], typing.TypeVar):
                return inner[0]
        raise ValidationError(
            f"{self.what} does not say the columns of its result",
            hint=f"write class {self.kind.__name__}(ProcessTableFunction[Result]) with a dataclass "
            'Result, or output_type = "name STRING, n BIGINT"',
        )

    # -- declarations --------------------------------------------------------------------------

    def _read_declared(
        self, explicit: ProcessTypeInference, names: list[str]
    ) -> tuple[list[StateDeclaration], list[StaticArgument]]:
        states = [
            StateDeclaration(
                name,
                declared if callable(declared) else as_state(declared, f"the state `{name}`"),
                None,
                explicit.state_ttl.get(name),
            )
            for name, declared in explicit.state_types.items()
        ]
        arguments = list(explicit.static_arguments)
        wanted = len(states) + len(arguments)
        if len(names) != wanted:
            raise ValidationError(
                f"{self.what}.eval takes {len(names)} parameters after the context, and its "
                f"type_inference() declares {len(states)} states and {len(arguments)} arguments",
                hint=f"write def eval(self, ctx, {', '.join(declared_names(states, arguments))})",
            )
        return states, arguments

    # -- methods -------------------------------------------------------------------------------

    def _handler(self, method: str, states: tuple[str, ...]) -> Handler | None:
        function = inspect.getattr_static(self.kind, method, None)
        if not inspect.isfunction(function):
            return None
        what = f"{self.what}.{method}"
        self._refuse_results(function, method)
        names = _parameters(function, what)
        takes_context = self._takes_context(names, Hints(function, what))
        wanted = names[1:] if takes_context else names
        by_parameter = self._state_parameters(states)
        found = []
        for name in wanted:
            state = by_parameter.get(name, name)
            if state not in states:
                raise ValidationError(
                    f"{what} takes `{name}`, which is no state of eval",
                    location=f"states: {', '.join(states) or 'none'}",
                    hint=did_you_mean(name, states) or "it takes the context and state alone",
                )
            found.append(state)
        return Handler(takes_context, tuple(found))

    def _state_parameters(self, states: tuple[str, ...]) -> Mapping[str, str]:
        names = self.names
        skip = int(self._takes_context(names, self.hints))
        return dict(zip(names[skip:], states, strict=False))

    def _takes_context(self, names: list[str], hints: Hints) -> bool:
        if not names:
            return False
        annotation = hints.get(names[0])
        return annotation in (Context, OnTimerContext) or (annotation is None and names[0] == "ctx")

    def _refuse_results(self, function: Any, method: str) -> None:
        if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
            raise ValidationError(
                f"{self.what}.{method} yields or awaits",
                hint="give rows of the result with self.collect(row)",
            )


def _parameters(function: Any, what: str) -> list[str]:
    found = list(inspect.signature(function).parameters.values())[1:]
    for each in found:
        if each.kind not in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD):
            raise ValidationError(
                f"{what} has the parameter `{each}`, and calls have a fixed number",
                hint="write each argument by itself",
            )
    return [each.name for each in found]


def _unwrap(annotation: Any) -> tuple[ArgumentHint | StateHint | None, Any]:
    """The hint of an annotation, and the class it is about, without ``| None``."""
    hint = None
    if typing.get_origin(annotation) is Annotated:
        inner = typing.get_args(annotation)
        hint, annotation = hint_of(inner[1:]), inner[0]
    some = [each for each in typing.get_args(annotation) if each is not type(None)]
    is_union = typing.get_origin(annotation) not in (None, ListState, MapState, list, dict)
    if is_union and len(some) == 1 and len(typing.get_args(annotation)) == 2:
        nested, annotation = _unwrap(some[0])
        hint = hint or nested
    return hint, annotation


def _maker_of(kind: type, what: str) -> Callable[[], Any]:
    """Makes state of a dataclass: its defaults, None for fields without one."""
    if getattr(kind, "__dataclass_params__").frozen:  # noqa: B009
        raise ValidationError(
            f"{what} is the frozen dataclass {kind.__qualname__}, which cannot be changed",
            hint="leave frozen=True out",
        )
    lacking = {
        each.name: None
        for each in dataclasses.fields(kind)
        if each.init
        and each.default is dataclasses.MISSING
        and each.default_factory is dataclasses.MISSING
    }
    if not lacking:
        return kind
    return lambda: kind(**lacking)


def _show(annotation: Any) -> str:
    return getattr(annotation, "__qualname__", None) or repr(annotation)
