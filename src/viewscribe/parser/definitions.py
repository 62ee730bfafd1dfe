"""Expressions and queries inside DDL: bodies of functions, defaults and conditions of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from viewscribe.errors import SqlSyntaxError, UnknownColumnError, ValidationError, did_you_mean
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import all_built_ins, find_built_in
from viewscribe.expressions.functions.user_defined import (
    FunctionParameter,
    FunctionSource,
    Language,
    UserFunction,
    is_sparks,
)
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.expressions.properties import is_deterministic
from viewscribe.expressions.resolve import require_boolean
from viewscribe.expressions.schema import Schema
from viewscribe.operations import build
from viewscribe.parser import syntax as s
from viewscribe.parser.defaults import reason_against
from viewscribe.parser.grammar import PipeGrammar, Reading
from viewscribe.parser.grammar.statements import TableDefinition
from viewscribe.parser.lookup import World
from viewscribe.parser.queries import QueryReader
from viewscribe.parser.scopes import Columns
from viewscribe.parser.syntax import every
from viewscribe.parser.tokens import show_place
from viewscribe.parser.values import ExpressionReader
from viewscribe.types import CharType, Field, LogicalType, StructType, VarcharType
from viewscribe.types.coercion import can_cast


def check_function(
    name: str, source: FunctionSource, world: World, *, temporary: bool = False
) -> None:
    """Refuses a SQL function that Spark would refuse.

    Args:
        name: what the function is called.
        source: the function; one that is not in SQL is not looked at.
        world: where its body finds tables and functions.
        temporary: whether it ends with the session, and may call what does.

    Raises:
        ViewscribeError: the body does not parse, names what is not there, calls a function that
            ends with the session, or is of a type that is not cast to the declared one.
    """
    if source.language is not Language.SQL or source.body is None or source.returns is None:
        return
    definition = _Function(name, world, temporary)
    parameters = source.parameters or ()
    _check_parameters(name, parameters)
    _check_result(name, source.returns)
    for each in parameters:
        if each.default is not None:
            definition.check_default(each.name, each.default, each.type)
    fields = [Field(each.name, each.type) for each in parameters]
    if source.kind is FunctionKind.GENERATOR:
        definition.check_query(source.body, source.returns, fields)
    else:
        definition.check("the body", source.body, source.returns, fields)


def infer_returns(source: FunctionSource, body: str, world: World) -> LogicalType:
    """Returns the type of a body for which no type is declared; columns, of a table function.

    Args:
        source: the function, whose own result type stands for none.
        body: its text.
        world: where that finds tables and functions.
    """
    fields = [Field(each.name, each.type) for each in source.parameters or ()]
    columns = Columns(Schema(fields))
    queries = QueryReader(body, Reading(), world)
    if source.kind is FunctionKind.GENERATOR:
        made = queries.inner(PipeGrammar(body, Reading()).statement(), columns)
        return StructType(
            fields=tuple(Field(f.name, f.type.as_nullable()) for f in made.schema.fields)
        )
    node = PipeGrammar(body, Reading()).lone_expression()
    return ExpressionReader(queries, columns).read(node).type.as_nullable()


def _check_parameters(name: str, parameters: Sequence[FunctionParameter]) -> None:
    seen: set[str] = set()
    defaulted = ""
    for each in parameters:
        if each.name.lower() in seen:
            raise ValidationError(f"two parameters of the function {name} are called `{each.name}`")
        seen.add(each.name.lower())
        if not each.type.nullable:
            raise ValidationError(
                f"the parameter `{each.name}` of the function {name} is NOT NULL, and arguments of "
                "a SQL function may be NULL",
                hint="leave NOT NULL out",
            )
        if each.default is None and defaulted:
            raise ValidationError(
                f"the parameter `{defaulted}` of the function {name} has a default, and "
                f"`{each.name}` behind it has none",
                hint="put those with defaults last",
            )
        defaulted = each.name if each.default is not None else defaulted
        _refuse_lengths(f"the parameter `{each.name}` of the function {name}", each.type)


def _check_result(name: str, returns: LogicalType) -> None:
    _refuse_lengths(f"what the function {name} returns", returns)
    seen: set[str] = set()
    for field in returns.fields if isinstance(returns, StructType) else ():
        if field.name.lower() in seen:
            raise ValidationError(f"the function {name} returns two columns `{field.name}`")
        seen.add(field.name.lower())


def _refuse_lengths(what: str, type_: LogicalType) -> None:
    if isinstance(type_, CharType | VarcharType):
        raise ValidationError(
            f"{what} is {type_.ddl}, and Spark takes lengths of texts in tables alone",
            hint="declare STRING",
        )


class _Function:
    """A function whose texts are checked."""

    def __init__(self, name: str, world: World, temporary: bool) -> None:
        self.name = name
        self.world = world
        self.temporary = temporary
        self._looked_at: set[str] = set()
        """The functions that are called, directly or not, and do not lead back here."""

    def check(self, what: str, text: str, wanted: LogicalType, fields: Sequence[Field]) -> None:
        """Checks one expression over the parameters."""
        try:
            node = PipeGrammar(text, Reading()).lone_expression()
        except SqlSyntaxError as error:
            raise self._unreadable(what, error) from error
        self._check_calls(node, text)
        reader = ExpressionReader(
            QueryReader(text, Reading(), self.world), Columns(self._schema(fields))
        )
        try:
            found = reader.read(node)
        except UnknownColumnError as error:
            raise self._unknown(error, fields) from error
        _forbid(reader, f"{what} of the function {self.name}")
        self._check_type(what, text, found.type, wanted)

    def check_default(self, parameter: str, text: str, wanted: LogicalType) -> None:
        """Checks the default of a parameter, which looks nothing up."""
        self.check(f"the default of `{parameter}`", text, wanted, ())
        written = PipeGrammar(text, Reading()).lone_expression()
        if any(isinstance(each, s.SubQuery) for each in every(written)):
            raise ValidationError(
                f"the default of `{parameter}` of the function {self.name} has a sub-query",
                hint="give a constant",
            )

    def check_query(self, text: str, wanted: LogicalType, fields: Sequence[Field]) -> None:
        """Checks the query that a table function returns."""
        try:
            node = PipeGrammar(text, Reading()).statement()
        except SqlSyntaxError as error:
            raise self._unreadable("the body", error) from error
        self._check_calls(node, text)
        queries = QueryReader(text, Reading(), self.world)
        try:
            made = queries.inner(node, Columns(self._schema(fields)))
        except UnknownColumnError as error:
            raise self._unknown(error, fields) from error
        assert isinstance(wanted, StructType)
        if len(made.schema) != len(wanted.fields):
            raise ValidationError(
                f"the function {self.name} returns {len(wanted.fields)} columns, and its body "
                f"gives {len(made.schema)}",
                location=text,
            )
        for column, field in zip(made.schema.fields, wanted.fields, strict=True):
            self._check_type(f"the column `{field.name}`", text, column.type, field.type)

    def _schema(self, fields: Sequence[Field]) -> Schema:
        """The parameters; the function's name may stand before them."""
        called = (self.name.rpartition(".")[2],)
        return Schema(fields, (called,) * len(fields))

    def _unreadable(self, what: str, error: SqlSyntaxError) -> ValidationError:
        return SqlSyntaxError(
            f"{what} of the function {self.name} does not parse, or is not one expression: "
            f"{error.message}",
            location=error.location,
            hint=error.hint or "write … RETURN x + 1; a query goes into parentheses",
        )

    def _unknown(self, error: UnknownColumnError, fields: Sequence[Field]) -> UnknownColumnError:
        known = ", ".join(each.name for each in fields)
        return UnknownColumnError(
            f"the function {self.name}: {error.message}",
            location=error.location,
            hint=error.hint or f"its parameters are: {known or 'none'}",
        )

    def _check_type(self, what: str, text: str, found: LogicalType, wanted: LogicalType) -> None:
        if not can_cast(found, wanted, "plain"):
            raise ValidationError(
                f"{what} of the function {self.name} is {found.ddl}, and cannot be cast to "
                f"{wanted.ddl}",
                location=text,
                hint=f"declare RETURNS {found.ddl}, or write another body",
            )

    def _check_calls(self, written: Any, text: str) -> None:
        for call in every(written):
            if isinstance(call, s.Function):
                self._check_call(call, text)

    def _check_call(self, call: s.Function, text: str) -> None:
        found, shown = self.world.function(call.name), ".".join(call.name)
        if found is None:
            if len(call.name) == 1 and (is_sparks(shown) or find_built_in(shown) is not None):
                return
            if len(call.name) == 1 and shown.lower() in _SYNTAX:
                return
            raise ValidationError(
                f"the function {self.name} calls `{shown}`, which is no function",
                location=show_place(text, call.at),
                hint=did_you_mean(call.name[-1], all_built_ins()) or "create it first",
            )
        if len(call.name) > 2:
            raise ValidationError(
                f"the function {self.name} calls `{shown}`: in a body Spark takes names of at most "
                "two parts",
                location=show_place(text, call.at),
                hint=".".join(call.name[-2:]),
            )
        self._refuse_circle(found, [self.name])
        if found.temporary and not self.temporary:
            raise ValidationError(
                f"the function {self.name} calls the temporary function {found!r}, which ends "
                "with the session",
                location=show_place(text, call.at),
                hint=f'store it in a catalog first: env.create_function("{found!r}", …)',
            )

    def _refuse_circle(self, function: UserFunction, path: Sequence[str]) -> None:
        """Refuses a function that calls, through others, itself."""
        called = ".".join(function.identifier.parts)
        if any(_is_same(called, each) for each in path):
            raise ValidationError(
                f"the function {self.name} calls itself: {' → '.join((*path, called))}",
                hint="Spark knows no recursion of functions: use WITH RECURSIVE in a query",
            )
        body = function.source.body
        if (
            function.source.language is not Language.SQL
            or body is None
            or called in self._looked_at
        ):
            return
        self._looked_at.add(called)
        try:
            grammar = PipeGrammar(body, Reading())
            is_table = function.source.kind is FunctionKind.GENERATOR
            written = grammar.statement() if is_table else grammar.lone_expression()
        except SqlSyntaxError:
            return  # said where that function is checked
        for call in every(written):
            found = self.world.function(call.name) if isinstance(call, s.Function) else None
            if found is not None:
                self._refuse_circle(found, (*path, called))


def _is_same(one: str, other: str) -> bool:
    """Whether two names, of which one may lack the catalog, are of one function."""
    parts, others = one.lower().split("."), other.lower().split(".")
    count = min(len(parts), len(others))
    return parts[-count:] == others[-count:]


_SYNTAX = frozenset(("cast", "try_cast", "extract", "if", "in", "exists", "any", "all", "some"))


def check_table(text: str, table: TableDefinition, world: World, reading: Reading) -> None:
    """Refuses a CREATE TABLE whose columns, defaults or conditions Spark would refuse.

    Raises:
        ViewscribeError: two columns of one name, a default that is no constant of its column's
            type, a condition that is not BOOLEAN or names no column; says the line and column.
    """
    fields = [each.field for each in table.columns]
    queries = QueryReader(text, reading, world)
    for where, field in _twice(table):
        raise queries.error(where, f"two columns are called `{field.name}`")
    for column in table.columns:
        if column.written is not None:
            reader = ExpressionReader(queries, Columns(Schema(())))
            found = _read(reader, column.written, f"the default of `{column.field.name}`")
            reason = reason_against(found, column.field.type)
            if reason is not None:
                raise queries.error(
                    column.written, f"the default of `{column.field.name}` {reason}"
                )
    for check in [*(each for column in table.columns for each in column.checks), *table.checks]:
        reader = ExpressionReader(queries, Columns(Schema(fields)))
        found = _read(reader, check.written, "CHECK")
        try:
            require_boolean(found, "CHECK")
            if not is_deterministic(found):
                raise ValidationError("the condition of CHECK is another one each time")
        except ValidationError as error:
            raise reader.located(error, check.written) from None
    known = {field.name.lower() for field in fields}
    for name in table.partitioned:
        if name.lower() not in known:
            raise queries.error(
                table, f"no column `{name}` to partition by", did_you_mean(name, known)
            )


def _twice(table: TableDefinition) -> Iterator[tuple[Any, Field]]:
    seen: set[str] = set()
    for column in table.columns:
        if column.field.name.lower() in seen:
            yield column, column.field
        seen.add(column.field.name.lower())


def _read(reader: ExpressionReader, node: Any, where: str) -> ResolvedExpression:
    found = reader.read(node)
    _forbid(reader, where)
    if reader.met.subqueries:
        raise reader.located(ValidationError(f"a sub-query cannot stand in {where}"), node)
    return found


def _forbid(reader: ExpressionReader, where: str) -> None:
    build.forbid(reader.met, where, aggregates="SQL functions compute one value of one row")
