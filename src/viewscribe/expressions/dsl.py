"""The expressions that users type: ``col("price") * 2 > 10``. They know no types or tables yet.

An ``Expression`` is unresolved. ``resolve`` turns it into a ``ResolvedExpression`` against the
schema of an operation, and reports mistakes there. Building an expression is cheap and never
fails on names.
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
from viewscribe.expressions.literals import MAKERS, literal, not_null
from viewscribe.expressions.methods import FunctionMethods
from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.expressions.printing import unresolved_to_sql
from viewscribe.expressions.properties import add_branch
from viewscribe.expressions.user_calls import NamedArgument
from viewscribe.types import LogicalType
from viewscribe.types.arguments import require_flag, require_text
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import parse_name

if TYPE_CHECKING:
    from viewscribe.expressions.windows import WindowSpec

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
        """Returns an array item (counted from 0), the value of a map key, or a struct field."""
        return ItemExpression(self, operand(key), in_python=True)

    def as_serializable_string(self) -> str:
        """Returns the expression as SQL text, with column names as they were typed.

        Column types are not known yet, so only expressions that no types could make valid are
        refused.

        Raises:
            NotSerializableError: SQL text cannot express it exactly.
        """
        return unresolved_to_sql(self)

    def is_null(self) -> Expression:
        """Whether the value is NULL."""
        return CallExpression(op.IS_NULL, (self,))

    def is_not_null(self) -> Expression:
        """Whether the value is not NULL."""
        return CallExpression(op.IS_NOT_NULL, (self,))

    def between(self, low: Operand, high: Operand) -> Expression:
        """Whether the value lies between ``low`` and ``high``, both included."""
        return CallExpression(op.BETWEEN, (self, operand(low), operand(high)))

    def not_between(self, low: Operand, high: Operand) -> Expression:
        """Whether the value lies outside ``low`` to ``high``."""
        return ~self.between(low, high)

    def in_(self, *values: Any) -> Expression:
        """Whether the value is one of ``values``, or a row of the given table."""
        items = (
            list(values[0])
            if len(values) == 1 and isinstance(values[0], list | tuple | set | frozenset)
            else list(values)
        )
        if len(items) == 1 and hasattr(items[0], "operation"):
            return QueryExpression("in", items[0], (self,))
        if not items:
            raise ValidationError("in_() needs at least one value", hint="use lit(False)")
        return CallExpression(op.IN, (self, *map(operand, items)))

    isin = in_

    def like(self, pattern: Operand, escape: str | None = None) -> Expression:
        """Whether the text matches a LIKE pattern (``%`` and ``_`` are the wildcards)."""
        more = () if escape is None else (literal(escape),)
        return CallExpression(op.LIKE, (self, operand(pattern), *more))

    def alias(self, name: str, *more: str) -> Expression:
        """Names the expression; one that produces several columns takes a name for each.

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
        """Returns the name parts that lead to a column or to a field in it.

        Raises:
            ValidationError: the expression is neither of these.
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
        """Casts to a type, given as a type or as DDL text (``CAST``)."""
        return CastExpression(self, as_type(type_), False)

    astype = cast

    def try_cast(self, type_: LogicalType | str) -> Expression:
        """Casts to a type, with NULL where the value cannot be converted (``TRY_CAST``)."""
        return CastExpression(self, as_type(type_), True)

    def floor(self, *to: Operand) -> Expression:
        """Rounds a number down, or a time down to the start of a unit: ``floor("HOUR")``."""
        return round_("floor", self, to)

    def ceil(self, *to: Operand) -> Expression:
        """Rounds a number up, or a time up to the next start of a unit: ``ceil("HOUR")``."""
        return round_("ceil", self, to)

    ceiling = ceil

    def asc(self) -> SortExpression:
        """Returns an ascending sort key, NULLs first."""
        return SortExpression(self, False, True)

    def desc(self) -> SortExpression:
        """Returns a descending sort key, NULLs last."""
        return SortExpression(self, True, False)

    def asc_nulls_last(self) -> SortExpression:
        """Returns an ascending sort key, NULLs last."""
        return SortExpression(self, False, False)

    def desc_nulls_first(self) -> SortExpression:
        """Returns a descending sort key, NULLs first."""
        return SortExpression(self, True, True)

    asc_nulls_first = asc
    desc_nulls_last = desc

    def over(self, window: WindowSpec | None = None) -> Expression:
        """Evaluates the aggregate or window function over a window."""
        from viewscribe.expressions.windows import WindowSpec

        return OverExpression(self, window or WindowSpec())

    def distinct(self) -> Expression:
        """Aggregates distinct values only: ``count(DISTINCT x)``."""
        return self._aggregate("distinct").with_clauses(distinct=True)

    def filter(self, condition: Operand) -> Expression:
        """Aggregates only the rows that meet a condition: ``FILTER (WHERE …)``."""
        return self._aggregate("filter").with_clauses(condition=operand(condition))

    def within_group(self, *keys: Operand) -> Expression:
        """Aggregates the values in an order: ``WITHIN GROUP (ORDER BY …)``."""
        return self._aggregate("within_group").with_clauses(order_by=tuple(map(sort_key, keys)))

    def ignore_nulls(self) -> Expression:
        """Skips NULLs in the window function: ``IGNORE NULLS``."""
        return self._aggregate("ignore_nulls").with_clauses(ignore_nulls=True)

    def respect_nulls(self) -> Expression:
        """Keeps NULLs in the aggregate: ``collect_list(x) RESPECT NULLS``."""
        return self._aggregate("respect_nulls").with_clauses(respect_nulls=True)

    def _aggregate(self, clause: str) -> CallExpression:
        if isinstance(self, CallExpression):
            return self
        raise ValidationError(f"{clause}() belongs to a call of an aggregate function")


class ColumnExpression(Expression, eq=False):
    """A column by name; a dotted name has several ``parts``. ``column`` parses it from text."""

    column: str
    parts: tuple[str, ...] | None = None


class StarExpression(Expression, eq=False):
    """All columns, or those of one table or alias, or the fields of a struct."""

    qualifier: tuple[str, ...] = ()


class ColumnsExpression(Expression, eq=False):
    """The columns that ``items`` select, or all the others: names, positions and ranges."""

    items: tuple[Any, ...]
    others: bool


class ColumnRange(msgspec.Struct, frozen=True):
    """A range of columns, by name or by position from 1, both ends included."""

    first: str | int
    last: str | int


class ValueExpression(Expression, eq=False):
    """An expression that is already resolved: a literal or a lambda variable."""

    resolved: ResolvedExpression


class OuterExpression(Expression, eq=False):
    """An outer reference: a column of an enclosing query, whose scope has the given ``depth``."""

    column: Expression
    depth: int


class CallExpression(Expression, eq=False):
    """A function call, with the clauses that an aggregate may have."""

    function: FunctionDefinition
    args: Sequence[Any]
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
        """Returns the call with further clauses; the last choice between the NULLS clauses wins."""
        require_flag(ignore_nulls, "ignore_nulls")
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
        """Returns the call with this FILTER condition."""
        return msgspec.structs.replace(self, condition=condition, has_clauses=True)

    def when(  # type: ignore[override]  # the registry knows the SQL function
        self, condition: Operand, value: Operand
    ) -> CallExpression:
        """Adds a branch to a CASE: ``F.when(a, x).when(b, y).otherwise(z)``."""
        return self._branch("when", operand(condition), operand(value))

    def otherwise(self, value: Operand) -> CallExpression:
        """Sets the value of a CASE where no condition holds (ELSE)."""
        return self._branch("otherwise", operand(value))

    def _branch(self, method: str, *more: Operand) -> CallExpression:
        if self.function.built_in_name != "case" or len(self.args) % 2:
            raise ValidationError(f"{method}() follows F.when(…) that has no otherwise() yet")
        return CallExpression(self.function, add_branch(self.args, more))


class OptionedCall(CallExpression, eq=False):
    """A call of a declarative function with options beside its arguments."""

    options: dict[str, Any] = msgspec.field(default_factory=dict)

    def with_clauses(self, **clauses: Any) -> CallExpression:
        """The same call with further clauses."""
        # Returns the new call with the attributes that only the one before it had.
        made = CallExpression.with_clauses(self, **clauses)
        kept = {name: getattr(self, name) for name in self.__struct_fields__}
        changed = {name: getattr(made, name) for name in CallExpression.__struct_fields__}
        return type(self)(**(kept | changed))


class NamedCallExpression(OptionedCall, eq=False):
    """A call of a function by name, which is looked up where the expression is used.

    ``function`` is the built-in function of that name, or a placeholder of which nothing is
    known. ``parts`` is empty where the user function itself was given instead of a name.
    """

    parts: tuple[str, ...] = ()


class TableCall(Expression, eq=False):
    """A call of a process table function; ``env.from_call`` makes the table."""

    function: Any
    args: tuple[Any, ...]
    named: dict[str, Any]


class ItemExpression(Expression, eq=False):
    """``base[key]``: an array item, a map value or a struct field, depending on the base's type.

    ``in_python`` is one of the Table API, which also has items of a VARIANT and fields by place.
    """

    base: Expression
    key: Any
    in_python: bool = False


class AliasExpression(Expression, eq=False):
    """An expression under a name."""

    child: Expression
    alias_name: str


class NamesExpression(Expression, eq=False):
    """An expression that produces several columns, with a name for each."""

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
        """Returns the sort key with NULLs first."""
        return SortExpression(self.child, self.descending, True)

    def nulls_last(self) -> SortExpression:
        """Returns the sort key with NULLs last."""
        return SortExpression(self.child, self.descending, False)


class LambdaExpression(Expression, eq=False):
    """A Python function over expressions, passed to a higher-order function as its lambda.

    ``names`` are those of its parameters, where Python has none of these names.
    """

    function: Callable[..., Any]
    names: tuple[str, ...] | None = None


class QueryExpression(Expression, eq=False):
    """A sub-query: ``kind`` is scalar, exists or in.

    ``query`` is a table, or a function from the enclosing row's columns to a table (correlated).
    """

    kind: str
    query: Any
    operands: tuple[Any, ...] = ()


class OverExpression(Expression, eq=False):
    """A call over a window."""

    call: Expression
    window: WindowSpec  # type: ignore[assignment]  # it is over this one already


def operand(value: Operand) -> Any:
    """Returns an expression unchanged and any other value as a literal."""
    maker = MAKERS.get(type(value))
    if maker is not None:
        return not_null(maker(value))
    if isinstance(value, (Expression, ResolvedExpression)):
        return value
    if callable(value):
        return LambdaExpression(value)
    return not_null(literal(value))


def column(name: str) -> ColumnExpression:
    """Parses a column name, which may be dotted and may contain backticks."""
    if type(name) is str and "." not in name and "`" not in name:
        return ColumnExpression(name)
    parts = parse_name(name)
    return ColumnExpression(parts[0]) if len(parts) == 1 else ColumnExpression(name, parts)


def columns(name: str) -> Expression:
    """Parses a column name or a star: ``"*"``, ``"t.*"`` or ``"struct.*"``."""
    if type(name) is not str or name[-1:] != "*":
        return column(name)
    if name == "*":
        return StarExpression()
    if name.endswith(".*"):
        from viewscribe.types.identifiers import parse_name

        return StarExpression(tuple(parse_name(name[:-2])))
    return column(name)


def column_or(value: Operand) -> Any:
    """Returns a string as a column, an expression unchanged and any other value as a literal."""
    return columns(value) if isinstance(value, str) else operand(value)


def sort_key(value: Operand) -> SortExpression:
    """Returns a sort key unchanged and any other expression as an ascending key."""
    return (
        value
        if isinstance(value, SortExpression)
        else SortExpression(column_or(value), False, True)
    )


def function_call(definition: FunctionDefinition, args: Sequence[Any]) -> CallExpression:
    """Builds a call; Python values among its arguments become literals."""
    return CallExpression(definition, tuple([operand(argument) for argument in args]))


def named_call(
    parts: tuple[str, ...], args: Sequence[Any], options: dict[str, Any]
) -> NamedCallExpression:
    """Builds a call of a function that is looked up by name where the expression is used."""
    known = find_built_in(parts[0]) if len(parts) == 1 else None
    operands = tuple([operand(argument) for argument in args])
    return NamedCallExpression(known or UNRESOLVED, operands, parts=parts, options=options)


def user_call(
    definition: FunctionDefinition, args: Sequence[Any], options: dict[str, Any]
) -> NamedCallExpression:
    """Builds a call of a user function that is given as an object instead of by name."""
    operands = tuple([operand(argument) for argument in args])
    return NamedCallExpression(definition, operands, options=options)


UNRESOLVED = scalar("""unresolved() -> VOID
    A function not looked up yet.""")


def optioned_call(
    definition: FunctionDefinition, args: Sequence[Any], options: dict[str, Any]
) -> CallExpression:
    """Builds a call with options (declarative functions only) or with named arguments."""
    if not options:
        return function_call(definition, args)
    if definition.kind is not _DECLARATIVE:
        from viewscribe.expressions.functions.parameters import positional

        return function_call(definition, positional(definition, args, options))
    return OptionedCall(definition, function_call(definition, args).args, options=options)


def round_(name: str, value: Operand, to: Sequence[Any]) -> CallExpression:
    """Builds ``floor`` or ``ceil``, to a number of digits or (``to`` is text) to a time unit."""
    if len(to) == 1 and isinstance(to[0], str):
        name = f"{name}_to_unit"
    return function_call(built_in(name), (value, *to))


def as_type(type_: LogicalType | str) -> LogicalType:
    """A type that is given as such or as DDL."""
    if isinstance(type_, LogicalType):
        return type_
    require_text(type_, "a type")
    return parse_type(type_)
