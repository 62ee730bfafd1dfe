"""What users type: ``col("price") * 2 > 10``. Nothing here knows types or tables yet.

An ``Expression`` is unresolved; ``resolve`` turns it into a ``ResolvedExpression`` against the
schema of an operation, and complains there. Building one is cheap and never fails on names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.registry import (
    all_methods,
    built_in,
    find_built_in,
    find_method,
)
from viewscribe.expressions.literals import MAKERS, literal
from viewscribe.expressions.methods import FunctionMethods
from viewscribe.expressions.nodes import (
    CURRENT_ROW,
    UNBOUNDED_FOLLOWING,
    UNBOUNDED_PRECEDING,
    Frame,
    FrameBound,
    Literal,
    ResolvedExpression,
)
from viewscribe.expressions.printing import unresolved_to_sql
from viewscribe.expressions.table_arguments import NamedArgument
from viewscribe.types import VOID, LogicalType

_DECLARATIVE = FunctionKind.DECLARATIVE

Operand = object
"""An ``Expression`` or a Python value that has a literal."""


class Expression(FunctionMethods, eq=False):
    """An unresolved expression. Operators and methods build larger ones.

    Besides the methods here, every built-in function is a method whose first argument is the
    expression: ``col("name").upper()``; Flink's names work too: ``col("name").upper_case()``.
    """

    if not TYPE_CHECKING:  # the methods are those of methods.pyi

        def __getattr__(self, name: str) -> Callable[..., Expression]:
            definition = None if name.startswith("__") else find_method(name)
            if definition is None:
                hint = None if name.startswith("_") else did_you_mean(name, all_methods())
                raise AttributeError(
                    f"an expression has no method `{name}`" + (f"; {hint}" if hint else "")
                )
            found = definition
            if found.kind is _DECLARATIVE:
                return lambda *args, **options: optioned_call(found, (self, *args), options)
            place = found.receiver
            if place:
                return lambda *args: function_call(found, (*args[:place], self, *args[place:]))
            return lambda *args, **named: optioned_call(found, (self, *args), named)

    def __bool__(self) -> NoReturn:
        raise ValidationError(
            "an expression has no truth value in Python",
            hint="combine conditions with & | ~ or and_(…), or_(…), not_(…), not with "
            "and/or/not/in; compare a range with .between(low, high)",
        )

    def __iter__(self) -> NoReturn:
        raise ValidationError("an expression cannot be iterated over", hint="use F.explode(…)")

    def __repr__(self) -> str:
        from viewscribe.expressions.summary import summarize_unresolved

        return summarize_unresolved(self)

    __hash__ = object.__hash__

    def __eq__(self, other: Operand) -> Expression:  # type: ignore[override]
        return CallExpression(op.EQUALS, (self, operand(other)))

    def __ne__(self, other: Operand) -> Expression:  # type: ignore[override]
        return CallExpression(op.NOT_EQUALS, (self, operand(other)))

    def __lt__(self, other: Operand) -> Expression:
        return CallExpression(op.LESS, (self, operand(other)))

    def __le__(self, other: Operand) -> Expression:
        return CallExpression(op.LESS_OR_EQUAL, (self, operand(other)))

    def __gt__(self, other: Operand) -> Expression:
        return CallExpression(op.GREATER, (self, operand(other)))

    def __ge__(self, other: Operand) -> Expression:
        return CallExpression(op.GREATER_OR_EQUAL, (self, operand(other)))

    def __add__(self, other: Operand) -> Expression:
        return CallExpression(op.PLUS, (self, operand(other)))

    def __radd__(self, other: Operand) -> Expression:
        return CallExpression(op.PLUS, (operand(other), self))

    def __sub__(self, other: Operand) -> Expression:
        return CallExpression(op.MINUS, (self, operand(other)))

    def __rsub__(self, other: Operand) -> Expression:
        return CallExpression(op.MINUS, (operand(other), self))

    def __mul__(self, other: Operand) -> Expression:
        return CallExpression(op.TIMES, (self, operand(other)))

    def __rmul__(self, other: Operand) -> Expression:
        return CallExpression(op.TIMES, (operand(other), self))

    def __truediv__(self, other: Operand) -> Expression:
        return CallExpression(op.DIVIDE, (self, operand(other)))

    def __rtruediv__(self, other: Operand) -> Expression:
        return CallExpression(op.DIVIDE, (operand(other), self))

    def __mod__(self, other: Operand) -> Expression:
        return CallExpression(op.MODULO, (self, operand(other)))

    def __rmod__(self, other: Operand) -> Expression:
        return CallExpression(op.MODULO, (operand(other), self))

    def __pow__(self, other: Operand) -> Expression:
        return function_call(built_in("power"), (self, other))

    def __rpow__(self, other: Operand) -> Expression:
        return function_call(built_in("power"), (other, self))

    def __neg__(self) -> Expression:
        return CallExpression(op.NEGATIVE, (self,))

    def __and__(self, other: Operand) -> Expression:
        return CallExpression(op.AND, (self, operand(other)))

    def __rand__(self, other: Operand) -> Expression:
        return CallExpression(op.AND, (operand(other), self))

    def __or__(self, other: Operand) -> Expression:
        return CallExpression(op.OR, (self, operand(other)))

    def __ror__(self, other: Operand) -> Expression:
        return CallExpression(op.OR, (operand(other), self))

    def __invert__(self) -> Expression:
        return CallExpression(op.NOT, (self,))

    def __getitem__(self, key: Operand) -> Expression:
        return self.get(key)

    def get(self, key: Operand) -> Expression:
        """The item at a position (from 0), the value of a map's key, or a struct's field."""
        return ItemExpression(self, operand(key))

    def as_serializable_string(self) -> str:
        """The expression as SQL text, its columns by the names typed here.

        Nothing is known of the columns' types yet, so only what fits no type at all is refused.

        Raises:
            NotSerializableError: where SQL text cannot say it exactly.
        """
        return unresolved_to_sql(self)

    def is_null(self) -> Expression:
        """Whether the value is NULL."""
        return CallExpression(op.IS_NULL, (self,))

    def is_not_null(self) -> Expression:
        """Whether the value is not NULL."""
        return CallExpression(op.IS_NOT_NULL, (self,))

    def between(self, low: Operand, high: Operand) -> Expression:
        """Whether the value lies between both, ends included."""
        return CallExpression(op.BETWEEN, (self, operand(low), operand(high)))

    def not_between(self, low: Operand, high: Operand) -> Expression:
        """Whether the value lies outside."""
        return ~self.between(low, high)

    def in_(self, *values: Any) -> Expression:
        """Whether the value is one of ``values``, or a row of the table given."""
        items = list(values[0]) if len(values) == 1 and _is_list(values[0]) else list(values)
        if len(items) == 1 and hasattr(items[0], "operation"):
            return QueryExpression("in", items[0], (self,))
        if not items:
            raise ValidationError("in_() needs at least one value", hint="use lit(False)")
        return CallExpression(op.IN, (self, *map(operand, items)))

    isin = in_

    def like(self, pattern: Operand, escape: str | None = None) -> Expression:
        """Whether the text matches a pattern of ``%`` and ``_``."""
        more = () if escape is None else (literal(escape),)
        return CallExpression(op.LIKE, (self, operand(pattern), *more))

    def alias(self, name: str, *more: str) -> Expression:
        """The expression under a name; what makes several columns takes one for each.

        ``F.posexplode("tags").as_("place", "tag")``, ``col("r.*").as_("x", "y")``.
        """
        given: tuple[Any, ...] = (name, *more)
        for each in given:
            if not isinstance(each, str) or not each:
                raise ValidationError(f"an alias is a name, not {each!r}")
        return NamesExpression(self, given) if more else AliasExpression(self, name)

    as_ = alias
    name = alias

    def star(self) -> Expression:
        """The fields of a struct as columns: ``col("r").star()`` is ``col("r.*")``."""
        return StarExpression(self._path())

    def _path(self) -> tuple[str, ...]:
        """The names that lead to a column or to a field in it.

        Raises:
            ValidationError: the expression is neither.
        """
        base: Any = self
        fields: list[str] = []
        while type(base) is ItemExpression:
            key = base.key
            if not isinstance(key, Literal) or not isinstance(key.value, str):
                break
            fields.insert(0, key.value)
            base = base.base
        if type(base) is not ColumnExpression:
            raise ValidationError(
                f"{self!r} is neither a column nor a field of one",
                hint='give it a name first: add_columns(….alias("r")), then "r.*"',
            )
        return (*(base.parts or (base.column,)), *fields)

    def as_argument(self, name: str) -> Any:
        """The argument of that name in a call of a table function: ``lit(5).as_argument("n")``."""
        return NamedArgument(name, self)

    def cast(self, type_: LogicalType | str) -> Expression:
        """CAST to a type, given as a type or as DDL text."""
        return CastExpression(self, _as_type(type_), False)

    astype = cast

    def try_cast(self, type_: LogicalType | str) -> Expression:
        """TRY_CAST: NULL where the value has no counterpart."""
        return CastExpression(self, _as_type(type_), True)

    def floor(self, *to: Operand) -> Expression:
        """The greatest number not above, or of a time the start of a unit: ``floor("HOUR")``."""
        return rounded("floor", self, to)

    def ceil(self, *to: Operand) -> Expression:
        """The least number not below, or of a time the next start of a unit: ``ceil("HOUR")``."""
        return rounded("ceil", self, to)

    ceiling = ceil

    def asc(self) -> SortExpression:
        """Sort key, small values first, NULLs first."""
        return SortExpression(self, False, True)

    def desc(self) -> SortExpression:
        """Sort key, large values first, NULLs last."""
        return SortExpression(self, True, False)

    def asc_nulls_last(self) -> SortExpression:
        """Sort key, small values first, NULLs last."""
        return SortExpression(self, False, False)

    def desc_nulls_first(self) -> SortExpression:
        """Sort key, large values first, NULLs first."""
        return SortExpression(self, True, True)

    asc_nulls_first = asc
    desc_nulls_last = desc

    def over(self, window: WindowSpec | None = None) -> Expression:
        """The aggregate or window function over a window."""
        return OverExpression(self, window or WindowSpec())

    def distinct(self) -> Expression:
        """The aggregate over distinct values: ``count(DISTINCT x)``."""
        return self._aggregate("distinct").with_clauses(distinct=True)

    def filter(self, condition: Operand) -> Expression:
        """The aggregate over the rows that meet a condition: ``FILTER (WHERE …)``."""
        return self._aggregate("filter").with_clauses(condition=operand(condition))

    def within_group(self, *keys: Operand) -> Expression:
        """The aggregate over ordered values: ``WITHIN GROUP (ORDER BY …)``."""
        return self._aggregate("within_group").with_clauses(order_by=tuple(map(sort_key, keys)))

    def ignore_nulls(self) -> Expression:
        """The window function over values that are not NULL: ``IGNORE NULLS``."""
        return self._aggregate("ignore_nulls").with_clauses(ignore_nulls=True)

    def respect_nulls(self) -> Expression:
        """The aggregate over all values, NULLs too: ``collect_list(x) RESPECT NULLS``."""
        return self._aggregate("respect_nulls").with_clauses(respect_nulls=True)

    def _aggregate(self, clause: str) -> CallExpression:
        if isinstance(self, CallExpression):
            return self
        raise ValidationError(f"{clause}() belongs to a call of an aggregate function")


class ColumnExpression(Expression, eq=False):
    """A column, by name; ``parts`` where the name is dotted. ``column`` makes it of a text."""

    column: str
    parts: tuple[str, ...] | None = None


class StarExpression(Expression, eq=False):
    """All columns, or those of one table or alias, or the fields of a struct."""

    qualifier: tuple[str, ...] = ()


class ColumnsExpression(Expression, eq=False):
    """The columns that ``items`` name, or all the others: names, places and ranges of these."""

    items: tuple[Any, ...]
    others: bool


class ColumnRange(msgspec.Struct, frozen=True):
    """The columns from one to another, by names or by places from 1, both included."""

    first: str | int
    last: str | int


class ValueExpression(Expression, eq=False):
    """An expression that is resolved already: a literal, a lambda's variable."""

    resolved: ResolvedExpression


class OuterExpression(Expression, eq=False):
    """A column of an enclosing query; ``depth`` is how deep that query's scope lies."""

    column: Expression
    depth: int


class CallExpression(Expression, eq=False):
    """A call of a function, with the clauses an aggregate may have."""

    function: FunctionDefinition
    args: tuple[Any, ...]
    is_distinct: bool = False
    condition: Any = None
    order_by: tuple[SortExpression, ...] = ()
    nulls_ignored: bool = False
    has_clauses: bool = False
    nulls_respected: bool = False

    def with_clauses(
        self,
        *,
        distinct: bool = False,
        condition: Operand = None,
        order_by: tuple[SortExpression, ...] = (),
        ignore_nulls: bool = False,
        respect_nulls: bool = False,
    ) -> CallExpression:
        """The same call with further clauses; the last word on NULLs counts."""
        return CallExpression(
            self.function,
            self.args,
            self.is_distinct or distinct,
            self.condition if condition is None else condition,
            self.order_by or order_by,
            ignore_nulls or (self.nulls_ignored and not respect_nulls),
            has_clauses=True,
            nulls_respected=respect_nulls or (self.nulls_respected and not ignore_nulls),
        )

    def with_condition(self, condition: Operand) -> CallExpression:
        """The same call with that FILTER."""
        return msgspec.structs.replace(self, condition=condition, has_clauses=True)

    def when(  # type: ignore[override]  # the registry knows the SQL function
        self, condition: Operand, value: Operand
    ) -> CallExpression:
        """A further branch of a CASE: ``F.when(a, x).when(b, y).otherwise(z)``."""
        return self._branched("when", operand(condition), operand(value))

    def otherwise(self, value: Operand) -> CallExpression:
        """The value of a CASE where no condition holds."""
        return self._branched("otherwise", operand(value))

    def _branched(self, method: str, *more: Operand) -> CallExpression:
        if self.function.name != "case" or len(self.args) % 2:
            raise ValidationError(f"{method}() follows F.when(…) that has no otherwise() yet")
        return CallExpression(self.function, (*self.args, *more))


class OptionedCall(CallExpression, eq=False):
    """A call of a declarative function that says more than its arguments."""

    options: dict[str, Any] = msgspec.field(default_factory=dict)

    def with_clauses(self, **clauses: Any) -> CallExpression:
        """The same call with further clauses."""
        return _as_before(self, CallExpression.with_clauses(self, **clauses))


class NamedCallExpression(OptionedCall, eq=False):
    """A call of whatever function the name means where the expression is used.

    ``function`` is the built-in function of the name, or one that nothing can be told of. Where
    a user function is given itself, there are no ``parts``.
    """

    parts: tuple[str, ...] = ()


class TableCall(Expression, eq=False):
    """A call of a function that takes tables and is one; ``env.from_call`` makes the table."""

    function: Any
    args: tuple[Any, ...]
    named: dict[str, Any]


def _as_before(before: CallExpression, made: CallExpression) -> CallExpression:
    """The call that was made, with what only the one before it had."""
    kept = {name: getattr(before, name) for name in before.__struct_fields__}
    changed = {name: getattr(made, name) for name in CallExpression.__struct_fields__}
    return type(before)(**(kept | changed))


class ItemExpression(Expression, eq=False):
    """``base[key]``: an item, a map's value or a struct's field, decided by the base's type."""

    base: Expression
    key: Any


class AliasExpression(Expression, eq=False):
    """An expression under a name."""

    child: Expression
    alias_name: str


class NamesExpression(Expression, eq=False):
    """What makes several columns, and a name for each."""

    child: Expression
    names: tuple[str, ...]


class CastExpression(Expression, eq=False):
    """CAST or TRY_CAST."""

    child: Expression
    target: LogicalType
    lenient: bool


class SortExpression(Expression, eq=False):
    """A sort key."""

    child: Any
    descending: bool
    nulls_come_first: bool

    def nulls_first(self) -> SortExpression:
        """The same key, NULLs first."""
        return SortExpression(self.child, self.descending, True)

    def nulls_last(self) -> SortExpression:
        """The same key, NULLs last."""
        return SortExpression(self.child, self.descending, False)


class LambdaExpression(Expression, eq=False):
    """A Python function of expressions, the argument of a higher-order function."""

    function: Callable[..., Any]


class QueryExpression(Expression, eq=False):
    """A sub-query: ``kind`` is scalar, exists or in.

    ``query`` is a table, or a function that takes the enclosing row's columns and gives a table.
    """

    kind: str
    query: Any
    operands: tuple[Any, ...] = ()


class OverExpression(Expression, eq=False):
    """A call over a window."""

    call: Expression
    window: WindowSpec  # type: ignore[assignment]  # it is over this one already


class WindowSpec:
    """What OVER (…) holds: partition keys, sort keys, the frame; immutable, built by chaining."""

    __slots__ = ("frame", "order_keys", "partition_keys")

    def __init__(
        self,
        partition_keys: tuple[Any, ...] = (),
        order_keys: tuple[SortExpression, ...] = (),
        frame: Frame | None = None,
    ) -> None:
        self.partition_keys = partition_keys
        self.order_keys = order_keys
        self.frame = frame

    def partition_by(self, *keys: Operand) -> WindowSpec:
        """The same window over partitions of rows with equal keys."""
        added = tuple(column_or(key) for key in keys)
        return WindowSpec(self.partition_keys + added, self.order_keys, self.frame)

    def order_by(self, *keys: Operand) -> WindowSpec:
        """The same window with rows in that order."""
        added = tuple(sort_key(key) for key in keys)
        return WindowSpec(self.partition_keys, self.order_keys + added, self.frame)

    def rows_between(self, start: int | None, end: int | None) -> WindowSpec:
        """Frame by rows: -2 is two before, 0 the current, 2 two after, None without limit."""
        return self._framed("ROWS", start, end)

    def range_between(self, start: Operand, end: Operand) -> WindowSpec:
        """Frame by the sort key's value: numbers or intervals; 0 is the current, None no limit."""
        return self._framed("RANGE", start, end)

    def _framed(self, unit: str, start: Operand, end: Operand) -> WindowSpec:
        frame = Frame(unit, _bound(start, UNBOUNDED_PRECEDING), _bound(end, UNBOUNDED_FOLLOWING))
        return WindowSpec(self.partition_keys, self.order_keys, frame)


def _bound(offset: Operand, unlimited: FrameBound) -> FrameBound:
    if offset is None:
        return unlimited
    if isinstance(offset, CallExpression) and offset.function is op.NEGATIVE:
        inner = offset.args[0]
        if isinstance(inner, ValueExpression) and isinstance(inner.resolved, Literal):
            offset = Literal(-inner.resolved.value, inner.resolved.type)  # -interval(days=7)
    if isinstance(offset, ValueExpression):
        offset = offset.resolved
    value = offset if isinstance(offset, Literal) else literal(offset)
    if value.type.sql_name in ("INT", "BIGINT") and abs(value.value) >= 2**62:
        return unlimited  # PySpark's Window.unboundedPreceding and …Following
    zero = value.value - value.value
    if value.value == zero:
        return CURRENT_ROW
    if value.value < zero:
        return FrameBound("PRECEDING", Literal(-value.value, value.type))
    return FrameBound("FOLLOWING", value)


def operand(value: Operand) -> Any:
    """An expression as it is, anything else as a literal."""
    maker = MAKERS.get(type(value))
    if maker is not None:
        return maker(value)
    if isinstance(value, (Expression, ResolvedExpression)):
        return value
    if callable(value):
        return LambdaExpression(value)
    return literal(value)


def column(name: str) -> ColumnExpression:
    """The column of that name, which may be dotted and may hold backticks."""
    if "." not in name and "`" not in name:
        return ColumnExpression(name)
    from viewscribe.types.identifiers import parse_name

    parts = parse_name(name)
    return ColumnExpression(parts[0]) if len(parts) == 1 else ColumnExpression(name, parts)


def columns(name: str) -> Expression:
    """The column of that name, or the columns of ``"*"``, ``"t.*"`` or ``"struct.*"``."""
    if name[-1:] != "*":
        return column(name)
    if name == "*":
        return StarExpression()
    if name.endswith(".*"):
        from viewscribe.types.identifiers import parse_name

        return StarExpression(tuple(parse_name(name[:-2])))
    return column(name)


def column_or(value: Operand) -> Any:
    """A Python string as a column name, an expression as it is, anything else as a literal."""
    return columns(value) if isinstance(value, str) else operand(value)


def sort_key(value: Operand) -> SortExpression:
    """A sort key as it is; anything else ascending."""
    return (
        value
        if isinstance(value, SortExpression)
        else SortExpression(column_or(value), False, True)
    )


def function_call(definition: FunctionDefinition, args: Sequence[Any]) -> CallExpression:
    """A call with Python values as literals."""
    return CallExpression(definition, tuple([operand(argument) for argument in args]))


def named_call(
    parts: tuple[str, ...], args: Sequence[Any], options: dict[str, Any]
) -> NamedCallExpression:
    """A call of a function that is looked up where the expression is used."""
    known = find_built_in(parts[0]) if len(parts) == 1 else None
    operands = tuple([operand(argument) for argument in args])
    return NamedCallExpression(known or UNRESOLVED, operands, parts=parts, options=options)


def user_call(
    definition: FunctionDefinition, args: Sequence[Any], options: dict[str, Any]
) -> NamedCallExpression:
    """A call of a user function that is given itself, not by its name."""
    operands = tuple([operand(argument) for argument in args])
    return NamedCallExpression(definition, operands, options=options)


UNRESOLVED = scalar("unresolved", args=(), returns=VOID, doc="A function not looked up yet.")


def optioned_call(
    definition: FunctionDefinition, args: Sequence[Any], options: dict[str, Any]
) -> CallExpression:
    """A call with options, which only declarative functions have, or with arguments by name."""
    if not options:
        return function_call(definition, args)
    if definition.kind is not _DECLARATIVE:
        from viewscribe.expressions.functions.parameters import positional

        return function_call(definition, positional(definition, args, options))
    return OptionedCall(definition, function_call(definition, args).args, options=options)


def rounded(name: str, value: Operand, to: Sequence[Any]) -> CallExpression:
    """``floor`` or ``ceil``, to a number of digits or, where ``to`` is a text, a unit of time."""
    if len(to) == 1 and isinstance(to[0], str):
        name = f"{name}_to_unit"
    return function_call(built_in(name), (value, *to))


def _is_list(value: Operand) -> bool:
    return isinstance(value, list | tuple | set | frozenset)


def _as_type(type_: LogicalType | str) -> LogicalType:
    if isinstance(type_, LogicalType):
        return type_
    from viewscribe.types.ddl import parse_type

    return parse_type(type_)
