"""Function definitions: one declarative entry for each function.

    UPPER = scalar('''upper(col: STRING) -> $0
        The text in upper case.
        since 1.0.1, alias ucase''')

Everything else (the DSL method, ``viewscribe.functions.upper``, the SQL, the documentation table)
follows from the entry. After ``BuiltInFunctionDefinition`` of the FLIP-51 document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from viewscribe.errors import ArityError, TypeMismatchError, ValidationError, ViewscribeError
from viewscribe.expressions.functions.collations import Groups
from viewscribe.expressions.functions.context import CallContext, literal_value
from viewscribe.expressions.functions.inference import TypeInference
from viewscribe.expressions.functions.operand_pairs import Pairs
from viewscribe.expressions.functions.syntax import FUNCTION, CallSyntax
from viewscribe.expressions.node import IS_GENERATOR, IS_RANDOM, IS_STEP
from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.types import (
    ArrayType,
    BinaryType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    IntegralType,
    LogicalType,
    TimestampNtzType,
    TimestampType,
)
from viewscribe.types.policy import ANSI
from viewscribe.types.policy import IN_FORCE as COERCION

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import AnyCall


# Calls that have another type under a setting that types do not follow: refused by its name.

_Given = Sequence[ResolvedExpression]
_Changes = Callable[[_Given, LogicalType], bool]


def refuse_departures(
    settings: frozenset[str], name: str, args: _Given, found: LogicalType
) -> None:
    """Refuses a call whose type one of the settings changes.

    Args:
        settings: those that have another value than the one types are found by.
        name: the function.
        args: what it is given.
        found: the type that the call has by Spark's default.

    Raises:
        ValidationError: names the setting.
    """
    for setting in sorted(settings):
        names, changes = _CHANGED[setting]
        if (not names or name in names) and changes(args, found):
            raise ValidationError(
                f"{name} has another type with the value that {setting} has",
                hint="leave the setting at Spark's default, or cast what the call is given",
            )


def _is_binary(_: _Given, found: LogicalType) -> bool:
    return isinstance(found, BinaryType)


def _is_empty(args: _Given, _: LogicalType) -> bool:
    return not args


def _always(_: _Given, __: LogicalType) -> bool:
    return True


def _is_span_of_moments(args: _Given, found: LogicalType) -> bool:
    moments = (DateType, TimestampType, TimestampNtzType)
    return isinstance(found, DayTimeIntervalType) and any(
        isinstance(each.type, moments) for each in args
    )


def _is_beside_whole_number(args: _Given, _: LogicalType) -> bool:
    return any(isinstance(each.type, DecimalType) for each in args) and any(
        isinstance(each, Literal) and isinstance(each.type, IntegralType) for each in args
    )


def _holds_widest_decimal(args: _Given, found: LogicalType) -> bool:
    """Two decimals that no decimal holds without a loss: which digits go is then the question."""
    decimals = [each.type for each in args if isinstance(each.type, DecimalType)]
    if len(decimals) < 2:
        return False
    scale = max(each.scale for each in decimals)
    return max(each.precision - each.scale for each in decimals) + scale > _MOST_DIGITS


_MOST_DIGITS = 38
_ARITHMETIC = frozenset(("plus", "minus", "times", "divide", "mod", "pmod"))

_CHANGED: Mapping[str, tuple[frozenset[str], _Changes]] = {
    "spark.sql.function.concatBinaryAsString": (frozenset(("concat",)), _is_binary),
    "spark.sql.function.eltOutputAsString": (frozenset(("elt",)), _is_binary),
    "spark.sql.legacy.createEmptyCollectionUsingStringType": (
        frozenset(("array", "map")), _is_empty,
    ),
    "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate": (
        frozenset(), _holds_widest_decimal,
    ),
    "spark.sql.legacy.histogramNumericPropagateInputType": (
        frozenset(("histogram_numeric",)), _always,
    ),
    "spark.sql.legacy.interval.enabled": (frozenset(), _is_span_of_moments),
    "spark.sql.legacy.literal.pickMinimumPrecision": (_ARITHMETIC, _is_beside_whole_number),
    "spark.sql.legacy.lpadRpadAlwaysReturnString": (frozenset(("lpad", "rpad")), _is_binary),
}  # fmt: skip
"""By the setting: the functions, or none for all, and which of their calls."""


# What may follow a call of an aggregate or window function: names for what entries say of it.

DISTINCT: Final = "DISTINCT"
FILTER: Final = "FILTER"
IGNORE_NULLS: Final = "IGNORE NULLS"
RESPECT_NULLS: Final = "RESPECT NULLS"
WITHIN_GROUP: Final = "WITHIN GROUP"

Clauses = tuple[str, ...]


class Frames(Enum):
    """The windows that a function may run over."""

    ANY = "any"
    NONE = "a window whose frame is not said"
    ROWS = "the rows from the first to the current one"
    RANGE = "the rows from the first to the last that sorts like the current one"
    WHOLE = "whole partitions, in no order"
    WHOLE_IF_SORTED = "whole partitions, in no order, where its own values are sorted"


Parameters = tuple[str | tuple[str, Any], ...]
"""The names of parameters in their order; one with a default is a pair."""

Texts = Callable[[list[str]], list[str]]
"""Which of the arguments' texts are shown, and which others."""

NewerForm = Callable[["AnyCall"], str | None]
"""The version that the form of a call came with; None for the first form."""

_MOST_KEPT = 10_000
"""How many types of calls each function remembers."""


class FunctionKind(Enum):
    """The kind of a function: how its results relate to rows."""

    SCALAR = "scalar"
    AGGREGATE = "aggregate"
    WINDOW = "window"
    GENERATOR = "generator"
    TABLE = "table"
    DECLARATIVE = "declarative"
    PROCESS_TABLE = "process table"
    UNKNOWN = "unknown"
    """Whether it is scalar or an aggregate, only a session tells for each call."""


class FunctionDefinition:
    """A function: its names, its SQL syntax and the inference of its result type.

    Args:
        name: unique name in the registry, in lower case.
        kind: scalar, aggregate, window, generator, table, declarative (one that Spark lacks), or
            process table.
        inference: arguments and result type.
        syntax: how a call is written in SQL.
        sql_name: Spark's name, if it differs from ``name``.
        methods: further names of the method on expressions (Flink's, in snake case).
        receiver: the position of the argument that the method is called on.
        aliases: further Spark names of the same function.
        parameter_names: PySpark's names of the arguments, for calls that name them.
        parameters: Spark SQL's, where a call may name them; one with a default is a pair.
        defaults: the trailing arguments that a call leaves out, as Spark spells them in an
        auto-generated column name; by default those of ``parameters``.
        within_group: whether the last argument is the key of WITHIN GROUP (ORDER BY …).
        clauses: the clauses a call may have besides OVER; by default DISTINCT and FILTER for an
        aggregate and none for any other kind.
        frames: the window frames that it may run over.
        deterministic: whether equal arguments give equal results within a query.
        strict: whether all arguments are always evaluated (not so for CASE, AND, coalesce).
        monotone: ``increasing``, ``decreasing`` or None, in the first argument.
        commutative: whether Spark takes calls with the same arguments in another order for one.
        associative: whether it does so for a chain of calls, however it is nested.
        picks_any_row: whether an aggregate's result depends on the order of rows that nobody gave.
        tells_time: whether a call without columns depends on the time at which the query started.
        never_fails: whether no values of its argument types make it fail, not under ANSI either;
        where that is not known, they may.
        is_step: whether Spark makes a step of it, for it says which windows of time a row lies in.
        operands: which types go together, for the messages of operators.
        collated: which arguments are brought to one collation; none if Spark does not do so.
        keeps_collations: whether an auto-generated column name shows its strings with collations
        of their own, for Spark replaces it before it brings them to one.
        searches_text: whether it searches strings in strings, which Spark does not support for
        collations that ignore accents but not case.
        catalyst: the Catalyst classes whose nodes are calls of it, with the arguments as
        children; empty for a function that Spark always replaces. By default the name in
        camel case: ``array_append`` is ``ArrayAppend``.
        catalyst_try: the Catalyst class of a call that returns NULL on errors (mode TRY, or
        ``failOnError`` off).
        spelled: how Spark spells the function in an auto-generated column name, if not as it was
        called: its own name, or one that depends on the name in the call.
        casts_to: the type that it casts to: ``bigint(x)`` is ``CAST(x AS BIGINT)``.
        spelled_arguments: which arguments appear there, from the texts of those passed; by
        default all of them and the ``defaults``.
        since: the Spark version that introduced it.
        newer_form: the version that introduced the form of a call, if later.
        doc: one line that says what it returns.

    ``built_in_name`` is the name by which one of these is known again. A user's function has none,
    for it may be called ``db.case``.
    """

    __slots__ = (
        "_cache",
        "_literals",
        "aliases",
        "associative",
        "built_in_name",
        "casts_to",
        "catalyst",
        "catalyst_try",
        "clauses",
        "collated",
        "commutative",
        "defaults",
        "deterministic",
        "doc",
        "frames",
        "inference",
        "is_step",
        "keeps_collations",
        "kind",
        "marks",
        "methods",
        "monotone",
        "name",
        "never_fails",
        "newer_form",
        "operands",
        "parameter_names",
        "parameters",
        "picks_any_row",
        "receiver",
        "searches_text",
        "since",
        "spelled",
        "spelled_arguments",
        "sql_name",
        "strict",
        "syntax",
        "takes_functions",
        "tells_time",
        "within_group",
    )

    def __init__(
        self,
        name: str,
        *,
        kind: FunctionKind,
        inference: TypeInference,
        syntax: CallSyntax = FUNCTION,
        sql_name: str | None = None,
        methods: tuple[str, ...] = (),
        receiver: int = 0,
        aliases: tuple[str, ...] = (),
        parameter_names: tuple[str, ...] = (),
        parameters: Parameters = (),
        defaults: tuple[str, ...] | None = None,
        within_group: bool = False,
        clauses: Clauses | None = None,
        frames: Frames = Frames.ANY,
        deterministic: bool = True,
        strict: bool = True,
        monotone: str | None = None,
        commutative: bool = False,
        associative: bool = False,
        picks_any_row: bool = False,
        tells_time: bool = False,
        never_fails: bool = False,
        casts_to: LogicalType | None = None,
        is_step: bool = False,
        operands: Pairs | None = None,
        collated: Groups | None = None,
        keeps_collations: bool = False,
        searches_text: bool = False,
        catalyst: str | tuple[str, ...] | None = None,
        catalyst_try: str | None = None,
        spelled: str | Mapping[str, str] | None = None,
        spelled_arguments: Texts | None = None,
        since: str = "1.0.0",
        newer_form: NewerForm | None = None,
        doc: str = "",
    ) -> None:
        self.name = name
        self.built_in_name = name
        self.kind = kind
        self.inference = inference
        self.takes_functions = any(each.parameters is not None for each in inference.arguments)
        self.syntax = syntax
        self.sql_name = sql_name or name
        self.methods = methods
        self.receiver = receiver
        self.aliases = aliases
        self.parameter_names = parameter_names
        self.parameters = parameters
        self.defaults = _defaults_of(parameters) if defaults is None else defaults
        self.within_group = within_group
        self.clauses = _clauses_of(kind, within_group) if clauses is None else clauses
        self.frames = frames
        self.deterministic = deterministic
        self.strict = strict
        self.monotone = monotone
        self.commutative = commutative
        self.associative = associative
        self.picks_any_row = picks_any_row
        self.tells_time = tells_time
        self.never_fails = never_fails
        self.casts_to = casts_to
        self.is_step = is_step
        self.operands = operands
        self.collated = collated
        self.keeps_collations = keeps_collations
        self.searches_text = searches_text
        self.catalyst = _catalyst_classes(name, kind) if catalyst is None else _as_tuple(catalyst)
        self.catalyst_try = catalyst_try
        self.spelled = {name: spelled} if isinstance(spelled, str) else dict(spelled or {})
        self.spelled_arguments = spelled_arguments or self._with_defaults
        self.since = since
        self.newer_form = newer_form
        self.doc = doc
        self.marks = 0 if deterministic else IS_RANDOM
        self.marks |= IS_STEP if is_step else 0
        self.marks |= IS_GENERATOR if kind is FunctionKind.GENERATOR else 0
        # Caches types by the argument types and the values of literals at these positions.
        self._cache: dict[tuple[Any, ...], LogicalType] = {}
        self._literals: dict[tuple[Any, ...], tuple[int, ...]] = {}

    def of_call(self, args: Sequence[ResolvedExpression]) -> FunctionDefinition:
        """Returns the function as it stands in the tree of a call with these arguments."""
        return self

    def infer(self, args: Sequence[ResolvedExpression]) -> LogicalType:
        """Infers the type of a call with these arguments; raises if they do not fit.

        Results are cached by the coercion in force, the argument types and the literals that
        inference reads.
        """
        if len(args) == 2:  # as most calls have; a comprehension costs as much as all the rest
            key: tuple[Any, ...] = (args[0].type, args[1].type)
        else:
            key = tuple([argument.type for argument in args])
        coercion = COERCION.get()
        if coercion is not ANSI:
            key = (coercion, *key)
        return self._cache.get(key) or self._by_literals(key, args)

    def infer_aggregate(
        self,
        args: Sequence[ResolvedExpression],
        keys: Sequence[ResolvedExpression],
        *,
        respect_nulls: bool = False,
    ) -> LogicalType:
        """Infers the type of an aggregate with its clauses.

        Without arguments, as in ``mode()``, the sort keys are the values. Spark treats elements
        collected with RESPECT NULLS as nullable even if the values are not.
        """
        found = self.infer((*args, *keys) if self.within_group or not args else args)
        if respect_nulls and isinstance(found, ArrayType):
            return ArrayType(element=found.element.as_nullable(), nullable=found.nullable)
        return found

    def _by_literals(self, key: tuple[Any, ...], args: Sequence[ResolvedExpression]) -> LogicalType:
        known, places = self._cache, self._literals.get(key)
        if places is not None:
            found = known.get((*key, *[literal_value(args, place) for place in places]))
            if found is not None:
                return found
        context = CallContext(self, args)
        try:
            found = self.inference.infer(context)
        except (ArityError, TypeMismatchError) as error:
            _add_nearest(error, self, args)
            raise
        departures = COERCION.get().departures
        if departures:
            refuse_departures(departures, self.name, args, found)
        if context.values_seen or (context.literals and context.args_seen):
            return found
        if context.literals:
            self._literals[key] = tuple(context.literals)
            key = (*key, *context.literals.values())
        if len(known) < _MOST_KEPT:
            known[key] = found
        return found

    def _with_defaults(self, texts: list[str]) -> list[str]:
        lacking = 0 if self.inference.variadic else self.inference.most - len(texts)
        return (
            texts + list(self.defaults[-lacking:]) if 0 < lacking <= len(self.defaults) else texts
        )

    @property
    def foldable(self) -> bool:
        """Whether a call with constant arguments is a constant."""
        return self.deterministic and self.kind is FunctionKind.SCALAR

    @property
    def signature(self) -> str:
        """Returns ``name(<types>)``, for messages and documentation."""
        inference = self.inference
        shown = [argument.description for argument in inference.arguments]
        for index in range(inference.required, len(shown)):
            shown[index] = f"[{shown[index]}]"
        if inference.variadic:
            shown.append("…")
        if self.within_group:
            key = shown.pop()
            return f"{self.sql_name}({', '.join(shown)}) WITHIN GROUP (ORDER BY {key})"
        return f"{self.sql_name}({', '.join(shown)})"

    @property
    def table_name(self) -> str:
        """Returns its name in FROM."""
        return self.sql_name

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        from viewscribe.expressions.functions.registry import built_in

        return (built_in, (self.name,))


def _defaults_of(parameters: Parameters) -> tuple[str, ...]:
    """Returns the defaults as Spark spells them in a column name."""
    values = [each[1] for each in parameters if not isinstance(each, str)]
    return tuple(
        "NULL" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        for value in values
    )


_WITH_CLASSES = (FunctionKind.SCALAR, FunctionKind.AGGREGATE, FunctionKind.WINDOW)


def _catalyst_classes(name: str, kind: FunctionKind) -> tuple[str, ...]:
    capitals = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return (capitals,) if kind in _WITH_CLASSES else ()


def _as_tuple(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def _clauses_of(kind: FunctionKind, within_group: bool) -> Clauses:
    if kind is not FunctionKind.AGGREGATE:
        return ()
    return (FILTER, WITHIN_GROUP) if within_group else (DISTINCT, FILTER)


def _add_nearest(
    error: ViewscribeError, function: FunctionDefinition, args: Sequence[ResolvedExpression]
) -> None:
    """Adds the nearest valid call to the hint; without a hint yet, the signature is the hint."""
    from viewscribe.expressions.functions.parameters import nearest_call

    near = nearest_call(function, args)
    hint = error.hint or f"expected: {function.signature}"
    error.hint = hint if near is None else f"{hint}\n  nearest: {near}"
